/* counting_parts.h - what the files of the counting search share: see counting.h. */
#ifndef GPUBE_COUNTING_PARTS_H
#define GPUBE_COUNTING_PARTS_H

#include "gpube/infer/counting/counting.h"

/* ---- numbers ------------------------------------------------------------------------- */

struct gpube_count {
	struct gpube_wide v;
	double roundings;
};

static inline struct gpube_count gpube__count_mul(struct gpube_count a, struct gpube_count b)
{
	return (struct gpube_count){gpube__wide_mul(a.v, b.v), a.roundings + b.roundings + 1};
}

/* What is negligible is dropped, which is less than a rounding. */
static inline struct gpube_count gpube__count_add(struct gpube_count a, struct gpube_count b)
{
	return (struct gpube_count){gpube__wide_add(a.v, b.v),
		(a.roundings > b.roundings ? a.roundings : b.roundings) + 2};
}

/* ---- clauses ------------------------------------------------------------------------- */

/*
 * A clause of the arena, by its place: its size, what it is worth (0: it was given), its literals.
 */
enum { CLAUSE_SIZE, CLAUSE_WORTH, CLAUSE_LITERALS };

/* 'blocker' is another of its literals; of a clause of two the other, and the place is ~clause. */
struct gpube_clause_watch {
	int32_t clause, blocker;
};

struct gpube_clause_watches {
	struct gpube_clause_watch *at;
	int64_t n, capacity;
};

struct gpube_clauses {
	struct gpube_ctx *ctx;
	int32_t n; /* variables */
	int32_t *arena;
	int64_t arena_n, arena_capacity;
	/* of each literal: to be looked at when it is false */
	struct gpube_clause_watches *watches;
	int8_t *value;           /* of each literal: 1 true, -1 false, 0 open */
	int32_t *level, *reason; /* of each variable; -1: none */
	int32_t *trail, n_trail, head;
	double *activity, step; /* of each literal */
	uint8_t *seen;          /* of each variable, while a clause is learned */
	int32_t *learned;
	int32_t n_learned_literals;
	int32_t *units; /* clauses of one literal, by place */
	int64_t n_units, units_capacity;
	int64_t n_learned, most_learned, n_conflicts;
	int status; /* ENOMEM met in between */
};

int gpube__clauses_init(struct gpube_clauses *c, const struct gpube_formula *f);
void gpube__clauses_clear(struct gpube_clauses *c);
void gpube__clauses_set(struct gpube_clauses *c, int32_t literal, int32_t reason, int32_t level);
/* A literal of every clause of one literal. The place of a clause that is false, -1: none. */
int32_t gpube__clauses_set_units(struct gpube_clauses *c, int32_t level);
int32_t gpube__clauses_propagate(struct gpube_clauses *c, int32_t level);
void gpube__clauses_undo(struct gpube_clauses *c, int32_t n_trail);
/*
 * Clauses from one that is false at this level: that of the first literal which alone implies it,
 * and that of the decision (-1: it is not asked for). The place of each; -1: there is none.
 */
void gpube__clauses_learn(struct gpube_clauses *c, int32_t conflict, int32_t level,
	int32_t decision, int32_t *asserting, int32_t *of_decision);
/*
 * Forgets the worse half of what was learned, where that is much: places change, but for those of
 * reasons.
 */
void gpube__clauses_tidy(struct gpube_clauses *c);

/* ---- parts --------------------------------------------------------------------------- */

/* Variables, then clauses of three literals or more, ascending, from store[at] on. */
struct gpube_count_part {
	int64_t at;
	int32_t n_vars, n_clauses;
};

struct gpube_count_entry {
	uint64_t hash;
	int64_t key;
	int32_t bytes, next;
	int64_t used;
	double roundings;
	struct gpube_wide v;
};

struct gpube_parts {
	struct gpube_ctx *ctx;
	const struct gpube_formula *f;
	const struct gpube_clauses *clauses;
	/* of each variable: its clauses; the other literals of those of two */
	int64_t *long_first, *two_first;
	int32_t *long_of, *two_of;
	int32_t *satisfied_by; /* of each clause, a literal that was true */
	int32_t *var_part, *clause_part, *frequency;
	int32_t *queue, *counts;
	int64_t counts_capacity;
	struct gpube_count *free_weight; /* of each variable: of both its literals */
	bool *weighs;                    /* of each variable: some literal's weight is not 1 */
	int32_t *store;
	int64_t n_store, store_capacity;
	struct gpube_count_part *part;
	int64_t n, capacity;
	/* what is remembered */
	struct gpube_count_entry *entry;
	int64_t n_entries, entry_capacity;
	uint8_t *keys;
	int64_t n_keys, keys_capacity;
	int32_t *bucket;
	int64_t n_buckets;
	uint8_t *key;
	int64_t key_capacity;
	int64_t now; /* counts uses */
	double most_bytes;
};

int gpube__parts_init(
	struct gpube_parts *p, const struct gpube_formula *f, const struct gpube_clauses *c);
void gpube__parts_clear(struct gpube_parts *p);
/*
 * gpube__parts_split() - what the part falls into now that more is decided: parts on top, the
 * smallest last. *product is multiplied by what is known: weights of what is decided or free, and
 * parts that are remembered.
 */
int gpube__parts_split(
	struct gpube_parts *p, struct gpube_count_part whole, struct gpube_count *product);
/*
 * An upper bound of a part's count, but for this literal's variable, which has the literal's
 * weight; -1: none.
 */
struct gpube_count gpube__parts_most(
	const struct gpube_parts *p, struct gpube_count_part part, int32_t literal);
/* Remembers, and makes room for it; 'marks' are numbers of entries, ascending, and stay right. */
int gpube__parts_remember(struct gpube_parts *p, struct gpube_count_part part, struct gpube_count v,
	int64_t *marks, int64_t n_marks);
/* All since there were so many. */
void gpube__parts_forget(struct gpube_parts *p, int64_t n_entries);

#endif
