/*
 * options.h - what stands behind struct gpube_opts: typed fields, one for each row of table.h, and
 * those of what else is handed to a call inside the library. Programs see none of it; the engine
 * reads the fields, and the command line and gpube_opts_set() share one parser of texts.
 *
 * Inside, a struct of its own may be filled in place: {0} is the default of all fields but those
 * whose row says another (gpube__opts_default()). Its 'given' is empty, so that no call complains
 * of an option that it has no meaning for.
 */
#ifndef GPUBE_OPTIONS_OPTIONS_H
#define GPUBE_OPTIONS_OPTIONS_H

#include "gpube/base/base.h"
#include "gpube/games.h"
#include "gpube/options/table.h"

struct dcop_world;
struct gpube_written;

/* ---- the fields ------------------------------------------------------------------------------ */

#define GPUBE__FIELD_FLAG(field)   int field;
#define GPUBE__FIELD_INT(field)    int field;
#define GPUBE__FIELD_LONG(field)   int64_t field;
#define GPUBE__FIELD_REAL(field)   double field;
#define GPUBE__FIELD_TIME(field)   double field;
#define GPUBE__FIELD_SIZE(field)   uint64_t field;
#define GPUBE__FIELD_TEXT(field)   const char *field;
#define GPUBE__FIELD_CHOICE(field) int field;
#define GPUBE__FIELD_TOTAL(field)                                                                  \
	int64_t field;                                                                             \
	int has_##field;                                                                           \
	const char *field##_text;
#define GPUBE__FIELD_NUMBERS(field)                                                                \
	const int32_t *field;                                                                      \
	int32_t n_##field;
#define GPUBE__FIELD_CALL(field)                                                                   \
	gpube_##field##_fn *field;                                                                 \
	void *field##_arg;
#define GPUBE__FIELD(section, type, field, ...) GPUBE__FIELD_##type(field)

/* As the fields of a TOTAL, of NUMBERS and of a CALL lie in the struct. */
struct gpube__opt_total {
	int64_t total; /* units of 10^-scale of the model */
	int has;
	const char *text; /* not NULL: instead of 'total', which is known with the model */
};
struct gpube__opt_numbers {
	const int32_t *numbers;
	int32_t n;
};
struct gpube__opt_call {
	void (*fn)(void);
	void *arg;
};

#define GPUBE__OPT_COUNT(...) +1
enum { GPUBE__N_OPTS = GPUBE__OPTS(GPUBE__OPT_COUNT) };

/*
 * given        a bit a row: gpube_opts_set() and its like have set it; texts and numbers are then
 *              the object's own
 * ctx          errors and memory; NULL in a struct that was filled in place
 * signed_too   of gpube_write(): with 'wide', a bound between -1 and 0 is refused all the same
 * written      of gpube_write(): its argument, for the writers
 * world        the ranks of gpube-mpi, or NULL
 */
struct gpube_opts {
	GPUBE__OPTS(GPUBE__FIELD)
	int signed_too;
	struct gpube_written *written;
	struct dcop_world *world;
	struct gpube__log_text log_text; /* where gpube__log_as_text() is the log */
	uint64_t given[(GPUBE__N_OPTS + 63) / 64];
	struct gpube_ctx *ctx;
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* OUT and LIST are the command line's: a file that is written; all texts that were given. */
enum gpube__opt_type {
	GPUBE__OPT_FLAG,
	GPUBE__OPT_INT,
	GPUBE__OPT_LONG,
	GPUBE__OPT_REAL,
	GPUBE__OPT_TIME,
	GPUBE__OPT_SIZE,
	GPUBE__OPT_TEXT,
	GPUBE__OPT_CHOICE,
	GPUBE__OPT_TOTAL,
	GPUBE__OPT_NUMBERS,
	GPUBE__OPT_CALL,
	GPUBE__OPT_OUT,
	GPUBE__OPT_LIST,
};

struct gpube__opt {
	enum gpube__opt_section section;
	enum gpube__opt_type type;
	const char *name;
	size_t at; /* offset of the field in its struct */
	char letter;
	const char *dflt;
	int64_t lo, hi;
	const char *argument;
	int calls;
	const char *help;
};

extern const struct gpube__opt gpube__opts_table[GPUBE__N_OPTS];
/* "gpube_solve" of the call with bit k; NULL: there is none. */
const char *gpube__option_call(int k);

/* ---- texts ----------------------------------------------------------------------------------- */

/*
 * gpube__opt_parse() - whether 'text' is a value of the row, which then is in the struct at 'opts'.
 * A text is borrowed, a list of numbers is checked and left to the caller (gpube__opt_numbers()).
 */
bool gpube__opt_parse(void *opts, const struct gpube__opt *row, const char *text);
/* How many numbers "3,0,2" has, into out, if that is not NULL; -1: it is no such list. */
int32_t gpube__opt_numbers(int32_t *out, const struct gpube__opt *row, const char *text);
/* What a row's value may be, in words: in 'text', or static. */
enum { GPUBE__EXPECTATION = 96 };
const char *gpube__opt_expectation(const struct gpube__opt *row, char text[GPUBE__EXPECTATION]);
/* Whether two names are one, '-' and '_' being the same; 'name' ends at an '='. */
bool gpube__opt_is_named(const struct gpube__opt *row, const char *name);
/* Index of 'word', in any case, among the words of "a|b|c"; -1 if it is none of them. */
int gpube__opt_word(const char *words, const char *word);
/* Word k of them, as snprintf() would write it. */
int gpube__opt_word_text(char *text, size_t size, const char *words, int k);

/* ---- for calls ------------------------------------------------------------------------------- */

/* All rows' defaults. */
void gpube__opts_default(struct gpube_opts *o);
bool gpube__opts_given(const struct gpube_opts *o, const void *field);
/* Of a row of gpube__opts_table: it is given, or not. */
void gpube__opts_mark(struct gpube_opts *o, const struct gpube__opt *row, bool given);

/*
 * gpube__opts_take() - the options of a call: those given, NULL: the defaults. Texts and arrays are
 * borrowed.
 * Errors: EINVAL (one that the call has no meaning for): *to is not set
 */
int gpube__opts_take(
	struct gpube_opts *to, struct gpube_ctx *ctx, const struct gpube_opts *from, int call);
/*
 * gpube__opts_scale() - totals that were given as texts, in units of 10^-scale.
 * Errors: EINVAL (more decimals, or past 64 bits)
 */
int gpube__opts_scale(struct gpube_opts *o, struct gpube_ctx *ctx, int scale);

#endif
