/*
 * certificate_lists.h - the checker of steps: lists (certificate_lists.c), sweeps over them
 * (certificate_sweeps.c), splits of them (certificate_parts.c), and all cases
 * (certificate_cases.c). See certificate.h and formats/certificate.md.
 *
 * These files are written from the format's description, share no code with relax/pairwise and are
 * the simplest that are fast enough.
 */
#ifndef GPUBE_CERTIFICATE_LISTS_H
#define GPUBE_CERTIFICATE_LISTS_H

#include "gpube/base/bits.h"
#include "gpube/base/mask_index.h"
#include "gpube/bound/certificate/certificate.h"

/* Bits of a word, and so most variables of a list. */
enum { GPUBE__WORD = 128 };
typedef unsigned __int128 gpube__word;
/* Entries and cells between two checks of the clock. */
enum { GPUBE__PATIENCE = 1 << 20 };
/* The cost of tuples that are no longer possible. */
#define GPUBE__GONE INT64_MAX

/* Entry i: a word with the values of its variables, the first one lowest, and its cost. */
struct gpube__checked_list {
	int32_t arity;
	int32_t scope[GPUBE__WORD]; /* in the order in which they were added */
	/* by variable: where its value lies in the word; then the sum of all bits */
	uint8_t shift[GPUBE__WORD + 1];
	uint64_t *set;
	int64_t n, capacity;
	gpube__word *key;
	int64_t *cost;
	int32_t first, last; /* its first and last separator; -1: none */
};

struct gpube__checked_separator {
	uint64_t *set;
	int32_t size, last; /* number of variables; the last of them */
	int64_t n, member;
	int32_t n_members, n_after, n_before; /* after: members that have a later separator, too */
	int64_t *own;
};

/* Entry i of its list has the separator's cell[i]. */
struct gpube__checked_member {
	int32_t list, separator;
	uint32_t *cell;
};

struct gpube__checking {
	struct gpube_ctx *ctx;
	const int32_t *domain;
	int32_t n_vars, words;
	uint8_t *bits;            /* of a value */
	int32_t *fixed;           /* the only value left of a variable that is in no list; or -1 */
	int32_t n_sweeps;         /* sweeps so far */
	int64_t constant, target; /* no total below the claim is above the target less 1 */
	struct gpube__checked_list *lists;
	int32_t n_lists;
	struct gpube__checked_separator *separators; /* valid until the lists change */
	struct gpube__mask_set sets;                 /* theirs */
	int64_t n_separators;
	struct gpube__checked_member *members;
	int64_t n_members, patience;
	int64_t *room; /* of a sweep: a separator's cells and what each of its members forces */
};

/*
 * Words by number, in the order in which they came: masks, initialised as {.words = 2}.
 * gpube__word_find() - the number of a word; -1: it has none
 * gpube__word_add()  - the same; the next one, if it had none. Errors: ENOMEM, ELIMIT (2^31)
 */
static inline int64_t gpube__word_find(const struct gpube__mask_set *s, gpube__word key)
{
	const uint64_t mask[] = {(uint64_t)key, (uint64_t)(key >> 64)};

	return gpube__masks_find(&s->index, s->masks, 2, mask);
}

static inline int gpube__word_add(
	struct gpube__mask_set *s, struct gpube_ctx *ctx, gpube__word key, int64_t *number)
{
	const uint64_t mask[] = {(uint64_t)key, (uint64_t)(key >> 64)};

	*number = gpube__masks_find(&s->index, s->masks, 2, mask);
	if (*number >= 0)
		return GPUBE_OK;
	*number = s->n;
	return gpube__mask_set_add(s, ctx, mask, NULL);
}

/* Maps a list's word to the word of some of its variables: pieces of it. */
struct gpube__pieces {
	int n;
	struct {
		uint8_t from, to;
		gpube__word mask;
	} piece[GPUBE__WORD];
};

/* The bits of a variable in a list's words. */
static inline int gpube__value_bits(int32_t domain)
{
	int bits = 1;

	while ((int64_t)1 << bits < domain)
		bits++;
	return bits;
}

static inline gpube__word gpube__part(const struct gpube__pieces *p, gpube__word key)
{
	gpube__word part = 0;

	for (int k = 0; k < p->n; k++)
		part |= (key >> p->piece[k].from & p->piece[k].mask) << p->piece[k].to;
	return part;
}

/* Of a list's word the variable at 'shift' is to be at 'to'. */
static inline void gpube__piece(struct gpube__pieces *p, int shift, int to, int bits)
{
	p->piece[p->n].from = (uint8_t)shift;
	p->piece[p->n].to = (uint8_t)to;
	p->piece[p->n++].mask = ((gpube__word)1 << bits) - 1; /* a domain's are 31 at most */
}

/*
 * The gap to the target: tuples of at least this cost are in no total below the claim. Above 0
 * until it is proved.
 */
static inline int64_t gpube__checking_left(const struct gpube__checking *w)
{
	return w->target - w->constant;
}

/* Counts so many more entries and cells; whether the check is to stop. */
static inline bool gpube__checking_stops(struct gpube__checking *w, int64_t work)
{
	w->patience -= work;
	if (w->patience > 0)
		return false;
	w->patience = GPUBE__PATIENCE;
	return gpube__stopped(w->ctx);
}

/* Removes entries of at least this cost. */
static inline void gpube__checked_below(struct gpube__checked_list *a, int64_t most)
{
	int64_t to = 0;

	for (int64_t i = 0; i < a->n; i++)
		if (a->cost[i] < most) {
			a->key[to] = a->key[i];
			a->cost[to++] = a->cost[i];
		}
	a->n = to;
}

/*
 * gpube__checking_init() - the lists of the functions; w has its context, its variables and the
 * target. Errors: ENOMEM, ESTOP, ELIMIT, to be cleared all the same
 */
int gpube__checking_init(struct gpube__checking *w, const struct gpube_model *relaxed, int shift);
void gpube__checking_clear(struct gpube__checking *w);
/*
 * The new lists of a stage, and those before it that are within none.
 * ended   NULL, or 'of', a note of what was done with other costs: where a list is too long with
 *	   these, its last variables go
 * Errors: ENOMEM, ESTOP, ELIMIT; EINVAL
 */
int gpube__checking_make(struct gpube__checking *w, const struct gpube_proof_list *of, int32_t n,
	struct gpube_proof_list *ended);
void gpube__checking_clear_list(struct gpube_ctx *ctx, struct gpube__checked_list *a);

/* Separators of the lists, which are not known. Errors: ENOMEM, ESTOP, ELIMIT */
int gpube__checking_separate(struct gpube__checking *w);
/* Moves the costs of separators to the first list that has each, and forgets the separators. */
void gpube__checking_unite(struct gpube__checking *w);
/* The next sweep, there or back. Errors: ESTOP, ENOMEM */
int gpube__checking_sweep(struct gpube__checking *w);

/* ---- parts of what is open, of lists without separators -------------------------------------- */

/* Removes values whose min-marginal reaches the gap, and variables of one value. Errors: ENOMEM */
int gpube__checking_narrow(struct gpube__checking *w);
/* What is left where all n variables have their values ('split': them, then these), or where not
 * all have. */
void gpube__checking_keep(struct gpube__checking *w, int32_t n, const int32_t *split, bool all);
/*
 * Finds the variable and value that split the lists best: their min-marginals with and without it
 * are largest; false: no variable has several values. Errors: ENOMEM
 */
int gpube__checking_choose(const struct gpube__checking *w, int32_t split[2], bool *any);
uint64_t gpube__checking_bytes(const struct gpube__checking *w);
/* Errors: ENOMEM, to be cleared all the same */
int gpube__checking_copy(struct gpube__checking *to, const struct gpube__checking *w);

#endif
