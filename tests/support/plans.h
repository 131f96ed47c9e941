/* plans.h - what the tests share that execute plans of the CUDA backend without a device. */
#ifndef TESTS_SUPPORT_PLANS_H
#define TESTS_SUPPORT_PLANS_H

#include "tests/support/cases.h"
#include "tests/support/shapes.h"

/* From a text as shape_parse() has it, (min,+), with the values of this fill. */
void shape_of_text(struct shape *s, const char *text, enum gpube_type type, uint64_t seed,
	enum shape_fill fill);

/* Cell 'at' of operand k, NAN: it has none. */
double shape_value(const struct shape *s, int k, int64_t at);

/* Writes an output cell of (min,+), by the cut rule. NULL, or what is wrong. */
const char *shape_store(const struct shape *s, int64_t at, double best);

/* Fails if has_plan() is true for one of these texts. */
void expect_no_plans(const char *const *texts, size_t n, bool (*has_plan)(const struct shape *s));

/* Cases "chosen 0" and so on, with *state the text. */
#define ADD_CHOSEN(c, run, texts)                                                                  \
	add_texts(c, run, texts, sizeof(texts) / sizeof(*(texts)), "chosen")
void add_texts(struct cases *c, CMUnitTestFunction run, const char *const *texts, size_t n,
	const char *name);

/* run_cases() in a context; a program's argument is which of them. */
int run_plans(struct cases *c, const char *group, int argc, char **argv);

#endif
