/*
 * rest.c - agents that no listed coalition takes, split into coalitions that are
 * not listed; see sparse.h. Where few are listed the first try succeeds. A listed
 * set rules out one split in two, so that two parts are found, if there are, after
 * as many tries as sets are listed, and three are looked for only where half of all
 * sets of the agents are listed.
 */
#include "csg/sparse.h"

#include <math.h>

#define MOST_STEPS 2e6 /* of one search for a number of parts */

void csg__rest_init(struct csg__rest *z, const struct csg__view *g, bool disposal)
{
	*z = (struct csg__rest){.g = g, .disposal = disposal};
	for (int i = 0; i < g->n; i++)
		if (!csg__rest_listed(z, (uint64_t)1 << i))
			z->alone |= (uint64_t)1 << i;
}

bool csg__rest_listed(const struct csg__rest *z, uint64_t c)
{
	/* 0 is in no list: it is what a coalition that is not listed is worth */
	if (z->disposal && !(c & (c - 1)) && csg__value(z->g, c) < 0)
		return true;
	return gpube__mask_find(&z->g->index, z->g->list->masks, c) >= 0;
}

/* Twice the number of parts at most: other than alone, it takes two agents to make one. */
static int room(const struct csg__rest *z, uint64_t agents)
{
	return __builtin_popcountll(agents) + __builtin_popcountll(agents & z->alone);
}

static bool split(struct csg__rest *z, uint64_t agents, int k, uint64_t *parts);

/* With a first part that has all of 'part' and perhaps some of 'more'. */
static bool grow(
	struct csg__rest *z, uint64_t agents, uint64_t part, uint64_t more, int k, uint64_t *parts)
{
	const uint64_t left = agents & ~part;

	if (!left || room(z, left) < 2 * (k - 1))
		return false;
	if (z->steps >= MOST_STEPS) {
		z->gave_up = true;
		return false;
	}
	z->steps++;
	if (!csg__rest_listed(z, part)) {
		parts[k - 1] = part;
		if (split(z, left, k - 1, parts))
			return true;
	}
	for (; more; more &= more - 1)
		if (grow(z, agents, part | (more & -more), more & (more - 1), k, parts))
			return true;
	return false;
}

/* Into k parts. */
static bool split(struct csg__rest *z, uint64_t agents, int k, uint64_t *parts)
{
	const uint64_t first = agents & -agents;

	if (k > 1)
		return grow(z, agents, first, agents ^ first, k, parts);
	parts[0] = agents;
	return !csg__rest_listed(z, agents);
}

int csg__rest_split(struct csg__rest *z, uint64_t agents, bool most, uint64_t *parts)
{
	const int last = room(z, agents) / 2;

	for (int k = 1; agents && k <= last; k++) {
		const int n = most ? last + 1 - k : k;

		z->steps = 0;
		if (split(z, agents, n, parts))
			return n;
	}
	return agents ? -1 : 0;
}
