/*
 * relations.h - dual ascent on subproblems of a lean model (simplify/lean.h) that share variables,
 * in exact integers: what they force on all the variables that two of them share becomes the same.
 *
 * A subproblem is a sparse relation: the assignments of some variables that are still possible,
 * with their costs. One that is in no total below the cutoff is not in it, so a relation may have
 * as many variables as it stays short. The first ones are the model's functions, those within
 * another's variables added to it. Whatever two relations share is a separator, and so is every
 * variable of several relations. Its members are relations that have all its variables; where some
 * of these share more than that they agree by larger separators, and the shortest of them alone is
 * a member. A sweep (ops/sweep/)
 * asks the separators one after the other: what each relation forces on it is taken out of the
 * relation, the least sum goes into the constant, and shares of the rest into the relations that
 * are asked again. Costs move, none is lost or negative, and only what reaches the cutoff goes:
 * so the constant is a lower bound, or no total is below the cutoff. Relations of more entries are
 * made again and again, each by adding to a function of the model the variables of others, one
 * after the other, and dropping what reaches the cutoff with the costs of all relations within.
 *
 * Why it pays: variables that are eliminated first, each into a table of its few neighbours, are in
 * the bound for nothing, and costs that meet on pairs and triples of variables say what they do not
 * say on single ones. Gaps close as relations grow, and of the assignments of more variables ever
 * fewer are possible. It asks for a good assignment early: the cutoff is what shortens relations.
 *
 * Designs weighed. (1) The dual as a model: each relation a variable whose values are the entries,
 * and tables of 2^16 cells that say which fit (toulbar2's hidden variables do so: -hve -pwc with -A
 * and -p=8): for the trees of dfs.h that is 10^7 cells where 10^4 do. (2) Larger mini-buckets in
 * the join graph, with a message to every mini-bucket that shares variables: the same moves, in
 * tables a hundred times as large. (3) Dense tables first, with sweeps and a search of their own,
 * and relations of what these leave open: some thousand lines more for the same moves
 * (runs/solve-h200). (4) Tables on a card, and as many cells as its memory holds: tables of 2^30
 * cells where relations of 10^5 entries say the same. (5) AND/OR search in what relations leave:
 * its bounds were those of the root, and it brought half of the units that one more doubling did.
 * (6) This one.
 *
 * Source: Kolmogorov, PAMI 2015 (sequential reweighted message passing); Montalbano, De Givry,
 *         Katsirelos, CPAIOR 2023 (virtual pairwise consistency).
 */
#ifndef GPUBE_RELATIONS_H
#define GPUBE_RELATIONS_H

#include "gpube/base/bits.h"
#include "gpube/ir/model.h"
#include "gpube/ops/sweep/sweep.h"

/* Variables and cells of a function that becomes a relation, at most. */
enum { GPUBE__RELATION_ARITY = 20, GPUBE__RELATION_CELLS = 1 << 16 };

/* Values of a relation's variables, one behind the other, in a word: the first one lowest. */
struct gpube_relation_table {
	int32_t arity;
	int32_t *scope; /* ascending */
	int32_t *order; /* the same as they were joined, behind the scope in its memory */
	uint8_t *shift; /* of its values in the word, and behind them the sum of all */
	uint64_t *set;  /* the scope as bits */
	int64_t n;
	uint64_t *key;
	int32_t *cost; /* where relations have separators: in their state */
};

struct gpube_relations {
	struct gpube_ctx *ctx;
	int32_t n, words; /* variables, words of a set of them */
	int32_t *domain;
	uint8_t *bits;     /* of a value */
	int64_t *value_at; /* values of variable i are value_at[i] … value_at[i + 1] - 1 of all */
	int32_t *
		fixed; /* the one value that a variable has here, or -1; those are in no relation */
	int64_t most;  /* entries of a joined relation */
	bool all;      /* none would be joined with more, were it longer */
	int32_t n_relations;
	struct gpube_relation_table *relations; /* in the order of their last variables */
	struct gpube_sweep_plan plan;           /* without separators: they can grow */
	struct gpube_sweep_state state;
	int32_t *of, *of_at; /* with separators: relations of variable i are of[of_at[i]] … */
	int32_t *relation_of, *separator_of; /* by the plan's member */
	int32_t *member_of, *member_at;      /* those of relation k: member_of[member_at[k]] … */
	int64_t n_entries;
	int shift;     /* scaling.h */
	int32_t noted; /* the case's number in the notes for a certificate: bound/pairwise/ */
};

/*
 * gpube__relations_new() - the model's functions as relations, which have no separators: they can
 * grow.
 * m       of dense functions, none of which has a variable twice
 * cutoff  totals from here on are of no interest; GPUBE_INF: none
 * *out    NULL without an error: there would be too much
 * Errors: ENOMEM
 */
int gpube__relations_new(struct gpube_relations **out, const struct gpube_model *m, int64_t cutoff);
void gpube__relations_free(struct gpube_relations *l);

/*
 * gpube__relations_grow() - joined relations of up to 'most' entries, with what the old ones have;
 * those may go on.
 * m       whose functions they are of
 * *out    NULL without an error: none would become larger, or there would be too much
 * Errors: ENOMEM, ESTOP
 */
int gpube__relations_grow(struct gpube_relations **out, struct gpube_relations *old,
	const struct gpube_model *m, int64_t most);

/* The target of a cutoff: a total of the model. */
int64_t gpube__relations_target(int shift, const struct gpube_model *m, int64_t cutoff);

/* Entries that are possible no more go, where they are many. */
void gpube__relations_shorten(struct gpube_relations *l);

/*
 * A greedy assignment; those variables that nothing goes with any more stay as they are. Errors:
 * ENOMEM
 */
int gpube__relations_decode(const struct gpube_relations *l, bool back, int32_t *values);

/* Costs of the separators onto one of their members each. */
void gpube__relations_settle(struct gpube_relations *l);

/*
 * What all relations force on each value, by value_at; GPUBE__REGION_FORBIDDEN: it was possible no
 * more; -1: the variable is in none. What separators have is not counted: settle them before.
 * Errors: ENOMEM
 */
int gpube__relations_forced(const struct gpube_relations *l, int64_t *forced);

/*
 * gpube__relations_part() - what is left of settled relations where a variable has a value, or has
 * any other: relations without separators, which can grow. What both parts say is true of l: an
 * assignment below the target is in one of them.
 * forced  of gpube__relations_forced(). Errors: ENOMEM
 */
int gpube__relations_part(struct gpube_relations **out, const struct gpube_relations *l,
	const int64_t *forced, int32_t var, int32_t value, bool is);

/*
 * gpube__put_relations() - relations without separators as numbers; failures are in to->status.
 * gpube__get_relations() - what was written so, of the same variables and unit as 'like'.
 * Errors: ENOMEM; EPARSE (it is damaged, or of others)
 */
struct gpube__bytes;
void gpube__put_relations(struct gpube__bytes *to, const struct gpube_relations *l);
int gpube__get_relations(struct gpube_relations **out, struct gpube_ctx *ctx,
	struct gpube__bytes *from, const struct gpube_relations *like);

/*
 * Costs of their own for relations that stay as they are: one piece of memory, so that a copy of it
 * is one copy. Who splits states notes the variable that is next, and its value against the others.
 */
struct gpube_relations_state {
	int64_t constant, target;
	int32_t now; /* of gpube_sweep_times */
	int32_t depth, var, value;
	int32_t cells[]; /* costs, then when relations changed and separators were asked */
};

uint64_t gpube__relations_state_bytes(const struct gpube_relations *l);
/* The costs that l has, of which nothing has changed. */
void gpube__relations_state_set(struct gpube_relations_state *s, const struct gpube_relations *l);

/*
 * gpube__relations_view() - l with the costs of one state after the other, for one who reads them
 * gpube__relations_view_free()
 * gpube__relations_view_at() - the view has a state's costs
 * gpube__relations_state_sweep() - of the separators of changed relations; a change of 'least' or
 * less is none. room: l->plan.room
 * gpube__relations_state_keep() - values of a variable that are not kept are possible no more
 * Errors: ENOMEM
 */
int gpube__relations_view(
	struct gpube_relations **out, struct gpube_ctx *ctx, const struct gpube_relations *l);
void gpube__relations_view_free(struct gpube_relations *view);
void gpube__relations_view_at(struct gpube_relations *view, struct gpube_relations_state *s);
void gpube__relations_state_sweep(struct gpube_ctx *ctx, const struct gpube_relations *l,
	struct gpube_relations_state *s, bool back, int32_t least, int32_t *room);
void gpube__relations_state_keep(struct gpube_ctx *ctx, const struct gpube_relations *l,
	struct gpube_relations_state *s, int32_t var, const uint8_t *keep);

/* What a part of relations with separators would have, where they stay as they are. */
struct gpube_relations_probe {
	struct gpube_ctx *ctx;
	const struct gpube_relations *from;
	struct gpube_relations_state *state;
	int32_t *room;
	uint8_t *keep;
};

/*
 * gpube__relations_probe_init() - ctx: of who sweeps. Errors: ENOMEM, to be cleared all the same
 * gpube__relations_probe() - the constant of a part, where what changes wanders for some sweeps,
 * and all the rest stays as it is
 */
int gpube__relations_probe_init(
	struct gpube_relations_probe *p, struct gpube_ctx *ctx, const struct gpube_relations *l);
void gpube__relations_probe_clear(struct gpube_relations_probe *p);
int64_t gpube__relations_probe(
	struct gpube_relations_probe *p, int32_t var, int32_t value, bool is, int n_sweeps);

/* The value of its variable k in a word of relation a. */
static inline int32_t gpube__relation_value(const struct gpube_relations *l,
	const struct gpube_relation_table *a, int32_t k, uint64_t key)
{
	return (int32_t)(key >> a->shift[k] & (((uint64_t)1 << l->bits[a->scope[k]]) - 1));
}

static inline int32_t gpube__state_slack(const struct gpube_relations_state *s)
{
	return gpube__region_slack(s->constant, s->target);
}

static inline int32_t gpube__relations_slack(const struct gpube_relations *l)
{
	return gpube__region_slack(l->state.constant, l->state.target);
}

/* ---- of relations_*.c ----------------------------------------------------------------------- */

/* None so far; NULL: ENOMEM. */
struct gpube_relations *gpube__relations_alloc(
	struct gpube_ctx *ctx, int32_t n, const int32_t *domain);
/*
 * The next one of l->relations, with room for n entries, which the caller writes.
 * scope  ascending; values of all take 64 bits at most
 * order  the same as they were joined
 * Errors: ENOMEM, to be freed with the relations
 */
int gpube__relation_new(struct gpube_relation_table **out, struct gpube_relations *l, int32_t arity,
	const int32_t *scope, const int32_t *order, int64_t n);

/*
 * A relation's least cost into the constant: of one that shares nothing that is all there is to
 * know.
 */
void gpube__relation_settle(struct gpube_relations *l, struct gpube_relation_table *a);

/* Relations of variable i: of[of_at[i]] …, ascending; to be freed all the same. Errors: ENOMEM */
int gpube__relations_rows(const struct gpube_relations *l, int32_t **of, int32_t **of_at);

/*
 * What of a relation's word makes the word of some of its variables, or of all and others: pieces
 * of both.
 */
struct gpube_relation_pieces {
	int n;
	struct {
		uint8_t from, to;
		uint64_t mask;
	} piece[64];
};

void gpube__relation_pieces(struct gpube_relation_pieces *p, const struct gpube_relations *l,
	int arity, const int32_t *scope, const uint8_t *shift, const uint64_t *subset);

static inline uint64_t gpube__relation_part(const struct gpube_relation_pieces *p, uint64_t key)
{
	uint64_t part = 0;

	for (int k = 0; k < p->n; k++)
		part |= (key >> p->piece[k].from & p->piece[k].mask) << p->piece[k].to;
	return part;
}

/* Numbers by words: a table of them where words are short, otherwise of those there are. */
struct gpube_relation_index {
	uint64_t capacity; /* a power of two */
	int bits;          /* of words; of a table of them all, or -1 */
	uint64_t *key;
	uint32_t *at; /* GPUBE__NOWHERE: none */
};

#define GPUBE__NOWHERE UINT32_MAX

/* Where a word is, or would be. */
static inline uint64_t gpube__relation_slot(const struct gpube_relation_index *x, uint64_t key)
{
	uint64_t h;

	if (x->bits >= 0)
		return key;
	h = key * 0x9e3779b97f4a7c15u;
	for (h ^= h >> 29, h &= x->capacity - 1; x->at[h] != GPUBE__NOWHERE && x->key[h] != key;
		h = (h + 1) & (x->capacity - 1))
		;
	return h;
}

static inline uint32_t gpube__relation_find(const struct gpube_relation_index *x, uint64_t key)
{
	return x->at[gpube__relation_slot(x, key)];
}

static inline void gpube__relation_put(struct gpube_relation_index *x, uint64_t key, uint32_t at)
{
	const uint64_t h = gpube__relation_slot(x, key);

	x->key[h] = key;
	x->at[h] = at;
}

/* Room for n words of so many bits; it may be of an earlier use. Errors: ENOMEM */
int gpube__relation_index_init(
	struct gpube_ctx *ctx, struct gpube_relation_index *x, int64_t n, int bits);
void gpube__relation_index_clear(struct gpube_ctx *ctx, struct gpube_relation_index *x);

/*
 * Separators of the relations, and their members; *too_much: more than there is room for.
 * Errors: ENOMEM, ESTOP
 */
int gpube__relations_agree(struct gpube_relations *l, bool *too_much);

#endif
