/*
 * cfn.h - toulbar2's .cfn, JSON without most of its punctuation. Internal to
 * formats/.
 *
 * Quotes, commas and colons separate and mean nothing else; brackets and braces
 * are the same; a line that begins with # and what follows // is a comment.
 * We are stricter than toulbar2 where it would misread: a quoted string must be
 * one word, and its end must be on its line.
 *
 * Decimals. The digits of 'mustbe' are the model's scale. toulbar2 cuts all
 * further digits of a cost; we widen the scale, so that no digit is lost, and
 * say so, or refuse the file where 64 bits do not hold that.
 */
#ifndef GPUBE_CFN_H
#define GPUBE_CFN_H

#include "gpube/globals/intension.h"
#include "gpube/base/names.h"
#include "formats/common/reading.h"
#include "gpube/ir/tuples.h"

enum { GPUBE_CFN_TOKEN = 4096 };

enum gpube_cfn_kind { GPUBE_CFN_END, GPUBE_CFN_OPEN, GPUBE_CFN_CLOSE, GPUBE_CFN_WORD };

struct gpube_cfn_token {
	enum gpube_cfn_kind kind;
	bool started; /* false before the first one */
	bool several; /* quoted, with a separator inside */
	char text[GPUBE_CFN_TOKEN];
};

/* The next token; its line is in->line. */
int gpube__cfn_next(struct gpube_in *in, struct gpube_cfn_token *token);
/* The first byte of the token that comes, not of the very first; -1 at the end. */
int gpube__cfn_peek(struct gpube_in *in);

/* What is being read while a cost with more decimals than before arrives. */
struct gpube_cfn_open {
	struct gpube_values *values;
	struct gpube_tuples *tuples;
	struct gpube_call *call;
	int64_t *dflt;
};

/*
 * gpube__cfn_widen() - multiplies all costs by 10^k: those of the model and
 * those being read.
 * Errors: ERANGE (text is set, without file and line), ENOMEM
 */
int gpube__cfn_widen(struct gpube_model *m, const struct gpube_cfn_open *open, int k);

/*
 * gpube__cfn_mark() - marks the tuples as forbidden with which every total
 * reaches the bound, whatever the other functions give. Files write them as
 * large costs; marked, they do not widen a table's type.
 */
int gpube__cfn_mark(struct gpube_model *m);

/* ---- the reader's parts ----------------------------------------------------------- */

/* Spaces of names; those of values are their variables. */
enum { GPUBE_CFN_VARIABLES = -1, GPUBE_CFN_FUNCTIONS = -2, GPUBE_CFN_WANTED = -3 };

/* A function that holds the table of a later one. */
struct gpube_cfn_pending {
	char *wanted; /* the later one's name */
	char *name;
	int arity;
	int32_t *scope;
	int32_t next; /* another that wants the same, or -1 */
	int32_t place;
	int64_t line; /* negative once it has its table */
};

enum { GPUBE_CFN_DEPTH = 8 }; /* of problems in problems */

struct gpube_cfn_reader {
	struct gpube_in *in;
	int depth; /* 0: the file's own problem */
	/* Reads all of a problem, from its first bracket on; of one in another, the last bracket,
	 * too. */
	int (*read_problem)(struct gpube_cfn_reader *r);
	struct gpube_model *m;
	bool tags; /* the JSON form, with "problem" and the other tags */
	bool told_decimals;
	struct gpube_cfn_token token;
	struct gpube_cfn_open open;
	struct gpube_names names;
	int32_t n_vars; /* of the file: hidden ones come behind them */
	int32_t *seen;  /* by variable: 1 in the scope that is being read */
	int32_t *scope, *domains, *tuple;
	int64_t scope_capacity, domains_capacity, tuple_capacity;
	struct gpube_cfn_pending *pending;
	int64_t n_pending, pending_capacity;
	/* Where in the file each function of the model stands: references wait for theirs. */
	int32_t place;
	int32_t *places;
	int64_t n_places, places_capacity;
	char **defined; /* names of the functions so far */
	int64_t n_defined, defined_capacity;
};

/* In cfn_open.c: a reader of the problem that comes, which is 'depth' problems deep; and its end.
 */
int gpube__cfn_open(
	struct gpube_cfn_reader **out, struct gpube_model *m, struct gpube_in *in, int depth);
void gpube__cfn_close(struct gpube_cfn_reader *r);
/* In cfn_bounded.c: 'cfnconstraint', a problem whose cost is bounded, behind that word. */
int gpube__cfn_read_bounded(struct gpube_cfn_reader *r, int arity, const char *name);

/* In cfn_call.c: a function by its keyword, the current token, up to the bracket that ends it. */
int gpube__cfn_read_call(struct gpube_cfn_reader *r, int arity, const char *name);

static inline bool gpube__cfn_closes(int c)
{
	return c == '}' || c == ']';
}

/* In cfn_token.c. All that return int return in->status, which they set. */
int gpube__cfn_fail(struct gpube_cfn_reader *r, int status);
/* To the next token. */
int gpube__cfn_advance(struct gpube_cfn_reader *r);
/* "expected WHAT, found …" the current token */
int gpube__cfn_expected(struct gpube_cfn_reader *r, const char *what);
/* Refuses the current token unless it is of this kind and, if a word, one word. */
int gpube__cfn_require(struct gpube_cfn_reader *r, enum gpube_cfn_kind kind, const char *what);
bool gpube__cfn_is_tag(const struct gpube_cfn_reader *r, const char *tag, size_t n);
/* 'reader' is a gpube_cfn_reader: passes a bracket; a tag, if the file has tags. */
int gpube__cfn_open_bracket(void *reader, const char *what);
int gpube__cfn_close_bracket(void *reader, const char *what);
int gpube__cfn_pass_tag(void *reader, const char *tag, size_t n);
/* Does the token begin like a number? Names do not. */
bool gpube__cfn_numeric(const struct gpube_cfn_token *t);
/* The current token as a number, a cost (the scale may grow for it), a variable, a value. */
int gpube__cfn_to_int(
	struct gpube_cfn_reader *r, int64_t *v, int64_t min, int64_t max, const char *what);
int gpube__cfn_to_cost(struct gpube_cfn_reader *r, int64_t *v);
int gpube__cfn_to_variable(struct gpube_cfn_reader *r, int64_t *v);
int gpube__cfn_to_value(struct gpube_cfn_reader *r, int32_t var, int64_t *v);

/* In cfn_share.c. The function takes the table of the one that the current token names. */
int gpube__cfn_refer(struct gpube_cfn_reader *r, int arity, const char *name);
/*
 * A function has been read: notes its name, and those who wait for its table
 * get it. 'n_before' functions were there.
 */
int gpube__cfn_resolve(
	struct gpube_cfn_reader *r, const char *name, int32_t n_before, bool is_table);
int gpube__cfn_check_resolved(struct gpube_cfn_reader *r);
/* The model's functions that have no place yet get 'place'. */
int gpube__cfn_place(struct gpube_cfn_reader *r, int32_t place);
/* Puts the functions into the file's order. */
int gpube__cfn_order(struct gpube_cfn_reader *r);

#endif
