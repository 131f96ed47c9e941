/*
 * bayes.h - a Bayesian network while a file of it is read (.bif, .net, XMLBIF): variables with the
 * names of their values, and for each one table of conditional probabilities; and the tokens of the
 * formats that are blocks of text. Internal to formats/uai/.
 *
 * A failure is in in->status; from then on there are no more tokens, and the functions do nothing.
 */
#ifndef GPUBE_BAYES_H
#define GPUBE_BAYES_H

#include "gpube/base/names.h"
#include "formats/io/io.h"

/* Spaces of names; those of variable i's values: GPUBE_BAYES_VALUES + i. */
enum { GPUBE_BAYES_VARIABLES, GPUBE_BAYES_VALUES };

struct gpube_bayes {
	struct gpube_model *m;
	struct gpube_in *in;
	struct gpube_names names;
	/* of the next variable: the names of its values, each with its 0 */
	int32_t n_labels;
	int64_t labels_bytes, labels_capacity;
	char *labels;
	size_t longest; /* of all labels so far */
	/* by variable: the child that had it in its scope last, and whether it had its table */
	int64_t scoped_capacity, done_capacity;
	int32_t *scoped;
	bool *done;
	/* the table that is read: its parents, then the child, which varies fastest */
	int arity;
	int32_t domain; /* of the child */
	int64_t cells, scope_capacity, n_values, values_capacity;
	int power; /* values are times 2^power */
	int32_t *scope;
	double *values;
};

void gpube__bayes_init(struct gpube_bayes *b, struct gpube_model *m, struct gpube_in *in);
/* With a failure unless each variable had its table. Returns in->status. */
int gpube__bayes_finish(struct gpube_bayes *b);
/* The next value of the variable that comes next, and that variable: all its values are told. */
void gpube__bayes_label(struct gpube_bayes *b, const char *label);
void gpube__bayes_variable(struct gpube_bayes *b, const char *name);
/* A table begins: its child, its parents from the slowest on, and all is known of its scope. */
void gpube__bayes_child(struct gpube_bayes *b, const char *name);
void gpube__bayes_parent(struct gpube_bayes *b, const char *name);
void gpube__bayes_scoped(struct gpube_bayes *b);
const char *gpube__bayes_child_name(const struct gpube_bayes *b);
/* A probability, number k of n (from 0), goes to the end of 'values'. */
void gpube__bayes_number(struct gpube_bayes *b, const char *text, int64_t k, int64_t n);
/* The table is 'table', which it takes, or NULL: 'values'. */
void gpube__bayes_add(struct gpube_bayes *b, double *table);

/* ---- blocks.c ------------------------------------------------------------------------------ */

enum { GPUBE_BLOCK_TOKEN = 256, GPUBE_BLOCK_WORD = 'w', GPUBE_BLOCK_QUOTED = 'q' };

struct gpube_blocks {
	struct gpube_bayes b;
	const char *marks; /* tokens of one character */
	int kind;          /* of the token: 0 at the end, word, quoted or a mark itself */
	char token[GPUBE_BLOCK_TOKEN];
};

/* To what is no blank and no comment; false at the end of the file. */
bool gpube__block_skip(struct gpube_blocks *t);
/* The next token; at the end of the file its text is empty. */
void gpube__block_next(struct gpube_blocks *t);
/* The same for what may have a comma in front. */
void gpube__block_item(struct gpube_blocks *t);
void gpube__block_expect(struct gpube_blocks *t, char mark);
void gpube__block_refuse(struct gpube_blocks *t, const char *what);
bool gpube__block_is_name(const struct gpube_blocks *t);
bool gpube__block_is_word(const struct gpube_blocks *t, const char *word);
/* "NAME {" */
void gpube__block_head(struct gpube_blocks *t, char name[GPUBE_BLOCK_TOKEN], const char *what);
/* "( X | A, B )": the child comes first; the bar may be missing, as may commas. */
void gpube__block_scope(struct gpube_blocks *t);
/* Past a property, whose text is anything up to a semicolon that is not in quotes. */
void gpube__block_skip_property(struct gpube_blocks *t);

#endif
