/* andor_parts.h - shared by the files of the AND/OR search alone: see andor.h. */
#ifndef GPUBE_ANDOR_PARTS_H
#define GPUBE_ANDOR_PARTS_H

#include "gpube/bound/andor/andor.h"

/*
 * Most variables; most bits by which a graph's costs were rounded: times 2^26, a gap of at most
 * 2^28 stays far below 2^60.
 */
enum { GPUBE__ANDOR_MOST_VARS = 20000, GPUBE__ANDOR_ROUNDED = 26 };

/* Bits that a value takes in a key. */
static inline int gpube__andor_width(int32_t domain)
{
	return domain > 1 ? 32 - __builtin_clz((uint32_t)domain - 1) : 0;
}

/* A value of a variable, and the cost of the variable's tables with it. */
struct gpube_andor_choice {
	int64_t cost;
	int32_t value;
	bool later; /* another thread is at its subproblem */
};

/*
 * A subproblem that a thread is at, the node count when it began, and who knows of it.
 */
struct gpube_andor_place {
	int32_t p;
	bool told, far; /* other threads know; other ranks do */
	int64_t since;
	uint64_t hash;
};

/* A thread in the tree, on cache lines that no other thread writes to. */
enum { GPUBE__ANDOR_APART = 64 };
struct gpube_andor_walker {
	_Alignas(GPUBE__ANDOR_APART) struct gpube_andor *a;
	int32_t number;                 /* 0: the first thread */
	int32_t *value;                 /* by position, of decided variables */
	struct gpube_andor_choice *row; /* the choices of a variable, from its values_at on */
	int64_t *low;                   /* bounds of the children of a decided variable */
	bool *later;                    /* another thread is at that child */
	struct gpube_andor_place *path; /* from a root to the present node */
	int32_t depth, n_old, n_far;    /* the other threads, and ranks, know so many of them */
	int64_t tell_at;                /* nodes after which they are told of more */
	int64_t n_nodes, told;
	int64_t n_new;    /* cached since it last counted them */
	int64_t patience; /* nodes until the next check of the clock */
	bool over;
};

#endif
