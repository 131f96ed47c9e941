/*
 * order_flow.c - the lightest separator near a given one, by a maximum flow.
 *
 * The separator and what lies beside it, as much of either side as may change sides without one
 * becoming too heavy, is a band. Flow goes through it from the heavier side to the lighter one,
 * through each vertex at most its weight: the vertices where no more gets through are a
 * separator, the lightest in the band. Moves of single vertices do not find it, since what lies
 * between is heavier (Sanders & Schulz, ESA 2011, do the same for edges).
 */
#include "gpube/order/order_dissect.h"

#include <string.h>

enum { MOST_ROUNDS = 3, STEPS_PER_EDGE = 60 };

/*
 * By vertex of the band; a vertex is two nodes, 2v where flow enters it and 2v + 1 where it leaves.
 */
struct flow {
	const struct dissect_level *l;
	int32_t *band, *passed, *from, *queue; /* band: 0 outside; from: by node, -1: not reached */
	int32_t *member;                       /* vertices of the band */
	/* flow of each arc; that of its reverse is the negative */
	int32_t *on;
	int32_t n;
	int64_t steps;
};

/* beside the sides, of which the mass is told, and the separator's weight */
enum { MASS_BETWEEN = BETWEEN + 1 };
enum { OUTSIDE, INSIDE, FIRST, LAST = 4 }; /* FIRST, LAST: bits of those beside the sides */

static int32_t arc(const struct dissect_level *l, int32_t a, int32_t b)
{
	int32_t e = l->start[a];

	while (l->adjacent[e] != b)
		e++;
	return e;
}

/*
 * Vertices of 'side' around the separator up to a mass, and marks those that have others of it
 * beside them.
 */
static void widen(struct flow *f, int side, int64_t most, int32_t mark)
{
	const struct dissect_level *l = f->l;
	int64_t mass = 0;
	int32_t first = f->n, i = 0;

	for (; i < f->n; i++) {
		int32_t v = f->member[i];

		if (i < first && l->side[v] != BETWEEN)
			continue;
		for (int32_t e = l->start[v]; e < l->start[v + 1]; e++) {
			int32_t u = l->adjacent[e];

			if (l->side[u] != side || f->band[u] || mass + l->mass[u] > most)
				continue;
			mass += l->mass[u];
			f->band[u] = INSIDE;
			f->member[f->n++] = u;
		}
		f->steps += l->start[v + 1] - l->start[v];
	}
	for (i = 0; i < f->n; i++) {
		int32_t v = f->member[i];

		for (int32_t e = l->start[v]; e < l->start[v + 1]; e++)
			if (l->side[l->adjacent[e]] == side && !f->band[l->adjacent[e]])
				f->band[v] |= mark;
	}
}

static void reach(struct flow *f, int32_t node, int32_t from, int32_t *n)
{
	if (f->from[node] < 0) {
		f->from[node] = from;
		f->queue[(*n)++] = node;
	}
}

/* Where more flow gets to; a node from which it leaves the band, or -1. */
static int32_t find_path(struct flow *f)
{
	const struct dissect_level *l = f->l;
	int32_t n = 0;

	for (int32_t i = 0; i < f->n; i++)
		f->from[2 * f->member[i]] = f->from[2 * f->member[i] + 1] = -1;
	for (int32_t i = 0; i < f->n; i++)
		if (f->band[f->member[i]] & FIRST)
			reach(f, 2 * f->member[i], 2 * f->member[i], &n);
	for (int32_t i = 0; i < n; i++) {
		int32_t node = f->queue[i], v = node / 2;
		bool leaves = node % 2;

		if (leaves && f->band[v] & LAST)
			return node;
		if (leaves ? f->passed[v] > 0 : f->passed[v] < l->weight[v])
			reach(f, node ^ 1, node, &n);
		for (int32_t e = l->start[v]; e < l->start[v + 1]; e++) {
			int32_t u = l->adjacent[e];

			if (f->band[u] && (leaves || f->on[e] < 0))
				reach(f, 2 * u + !leaves, node, &n);
		}
		f->steps += 2 + l->start[v + 1] - l->start[v];
	}
	return -1;
}

/* As much as the path that ends at 'node' lets through. */
static void push_flow(struct flow *f, int32_t node)
{
	const struct dissect_level *l = f->l;
	int32_t most = INT32_MAX;

	for (int32_t b = node, a = f->from[b]; a != b; b = a, a = f->from[b]) {
		int32_t v = b / 2, room = INT32_MAX;

		if (a / 2 == v)
			room = b % 2 ? l->weight[v] - f->passed[v] : f->passed[v];
		else if (b % 2) /* back along an arc from v */
			room = f->on[arc(l, v, a / 2)];
		most = room < most ? room : most;
	}
	for (int32_t b = node, a = f->from[b]; a != b; b = a, a = f->from[b]) {
		if (a / 2 == b / 2) {
			f->passed[b / 2] += b % 2 ? most : -most;
		} else {
			f->on[arc(l, a / 2, b / 2)] += most;
			f->on[arc(l, b / 2, a / 2)] -= most;
		}
	}
}

/* Takes the separator that no more flow gets through, next to where the flow comes from. */
static void take_cut(struct flow *f, struct dissect_level *l, int heavier)
{
	for (int32_t i = 0; i < f->n; i++) {
		int32_t v = f->member[i];

		if (f->from[2 * v + 1] >= 0)
			l->side[v] = heavier;
		else
			l->side[v] = f->from[2 * v] >= 0 ? BETWEEN : !heavier;
	}
}

static void weigh(int64_t *weight, const struct dissect_level *l)
{
	memset(weight, 0, (MASS_BETWEEN + 1) * sizeof(*weight));
	for (int32_t v = 0; v < l->n; v++) {
		weight[l->side[v] == BETWEEN ? MASS_BETWEEN : l->side[v]] += l->mass[v];
		weight[BETWEEN] += l->side[v] == BETWEEN ? l->weight[v] : 0;
	}
}

/* Returns whether the separator became lighter. */
static bool flow_once(struct flow *f, struct dissect_level *l, int64_t most, int64_t *weight)
{
	const int heavier = weight[RIGHT] > weight[LEFT];
	const int64_t before = weight[BETWEEN];
	int32_t node;

	f->n = 0;
	f->steps = 0;
	memset(f->band, 0, (size_t)l->n * sizeof(*f->band));
	memset(f->passed, 0, (size_t)l->n * sizeof(*f->passed));
	memset(f->on, 0, (size_t)l->start[l->n] * sizeof(*f->on));
	for (int32_t v = 0; v < l->n; v++)
		if (l->side[v] == BETWEEN) {
			f->band[v] = INSIDE;
			f->member[f->n++] = v;
		}
	for (int k = 0; k < 2; k++) {
		int side = k ? !heavier : heavier;
		int64_t room = most - weight[!side] - weight[MASS_BETWEEN];

		room = room < weight[side] / 2 ? room : weight[side] / 2;
		widen(f, side, room, k ? LAST : FIRST);
	}
	while ((node = find_path(f)) >= 0) {
		if (f->steps > (int64_t)STEPS_PER_EDGE * (l->start[l->n] + l->n))
			return false;
		push_flow(f, node);
	}
	take_cut(f, l, heavier);
	weigh(weight, l);
	return weight[BETWEEN] < before;
}

int64_t gpube__dissect_flow(struct dissect_level *l, int32_t *room, int64_t n_room, int64_t most)
{
	struct flow f = {.l = l};
	int64_t weight[MASS_BETWEEN + 1], steps = 0;

	if (n_room < l->start[l->n] + 7 * (int64_t)l->n)
		return 0;
	f.band = room;
	f.passed = room + l->n;
	f.from = room + 2 * (int64_t)l->n;
	f.queue = room + 4 * (int64_t)l->n;
	f.member = room + 6 * (int64_t)l->n;
	f.on = room + 7 * (int64_t)l->n;
	weigh(weight, l);
	for (int i = 0; i < MOST_ROUNDS && weight[LEFT] > 0 && weight[RIGHT] > 0; i++) {
		bool lighter = flow_once(&f, l, most, weight);

		steps += f.steps + 5 * (int64_t)l->n + l->start[l->n];
		if (!lighter)
			break;
	}
	return steps;
}
