/* andor_parts.h - what the files of an AND/OR search share, and no one else: see andor.h. */
#ifndef GPUBE_ANDOR_PARTS_H
#define GPUBE_ANDOR_PARTS_H

#include "gpube/bound/andor/andor.h"

/* A value of a variable, and what the variable's tables cost with it. */
struct gpube_andor_choice {
	int64_t cost;
	int32_t value;
	bool later; /* another thread is there */
};

/*
 * A subproblem that a thread is at: the nodes that it had seen before; whether the others know of
 * it.
 */
struct gpube_andor_place {
	int32_t p;
	bool told;
	int64_t since;
	uint64_t hash;
};

/*
 * A thread on its way through the tree, on lines of a processor's cache that no other one writes
 * to.
 */
enum { GPUBE__ANDOR_APART = 64 };
struct gpube_andor_walker {
	_Alignas(GPUBE__ANDOR_APART) struct gpube_andor *a;
	int32_t number;                 /* 0: the first */
	int32_t *value;                 /* by position, of those that are decided */
	struct gpube_andor_choice *row; /* of a variable: from its values_at on */
	int64_t *low;                   /* what is known of a child of a decided variable */
	bool *later;                    /* the child is another thread's at the moment */
	struct gpube_andor_place *path; /* from a root to where it is */
	int32_t depth, n_old;           /* the first n_old of them are told */
	int64_t look;                   /* nodes, until more of them are */
	int64_t n_nodes, told;
	int64_t n_new;    /* that it has kept since it told the cache */
	int64_t patience; /* until the clock is looked at */
	bool over;
};

#endif
