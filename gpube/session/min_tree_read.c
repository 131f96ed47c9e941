/*
 * min_tree_read.c - an assignment of least total, read off the messages: see min_tree.h.
 *
 * From a bucket whose variables all have values the subtrees below it are read off by the messages
 * up, one variable at a time. Where one bucket's unary costs are new, reading begins there: its
 * scope is searched at the value that is wanted, then each bucket above it at what it shares with
 * the last one, by its messages from all other sides. All that is left lies below one of those.
 */
#include "gpube/session/min_tree.h"

/* A search of a bucket's joined table at the values that are known: its free places. */
struct scan {
	int n_in, n_free;
	int32_t place[GPUBE_MAX_DIMS], index[GPUBE_MAX_DIMS], best[GPUBE_MAX_DIMS];
	int64_t least;
};

/* Offsets of the inputs at the known values, and their strides along the free places. */
static void lay(struct gpube_min_tree *t, struct scan *s, const struct gpube_min_bucket *x)
{
	s->n_free = 0;
	for (int k = 0; k < x->n_scope; k++)
		if (t->assigned[x->scope[k]] < 0)
			s->place[s->n_free++] = k;
	for (int i = 0; i < s->n_in; i++) {
		const struct gpube_min_input *in = &t->inputs[i];
		int64_t *stride = t->stride + (int64_t)i * GPUBE_MAX_DIMS, step = 1;

		t->at[i] = 0;
		for (int k = 0; k < s->n_free; k++)
			stride[k] = 0;
		for (int k = in->n_axes - 1; k >= 0; k--) {
			const int32_t position = x->scope[in->axis[k]];

			if (t->assigned[position] >= 0)
				t->at[i] += step * t->assigned[position];
			for (int j = 0; t->assigned[position] < 0 && j < s->n_free; j++)
				if (s->place[j] == in->axis[k])
					stride[j] = step;
			step *= gpube__min_domain(t, position);
		}
	}
}

/* One row, along the last free place. */
static void scan_row(struct gpube_min_tree *t, struct scan *s, int32_t n)
{
	for (int32_t j = 0; j < n; j++)
		t->row[j] = 0;
	for (int i = 0; i < s->n_in; i++) {
		const int64_t step = t->stride[(int64_t)i * GPUBE_MAX_DIMS + s->n_free - 1];

		if (t->type == GPUBE_INT32) {
			const int32_t *from = (const int32_t *)t->inputs[i].cells + t->at[i];

			for (int32_t j = 0; j < n; j++)
				t->row[j] += from[j * step];
		} else {
			const int64_t *from = (const int64_t *)t->inputs[i].cells + t->at[i];

			for (int32_t j = 0; j < n; j++)
				t->row[j] += from[j * step];
		}
	}
	for (int32_t j = 0; j < n; j++) {
		if (t->row[j] >= s->least)
			continue;
		s->least = t->row[j];
		for (int k = 0; k < s->n_free - 1; k++)
			s->best[k] = s->index[k];
		s->best[s->n_free - 1] = j;
	}
}

/* The next values of all free places but the last; false after the last ones. */
static bool go_on(struct gpube_min_tree *t, struct scan *s, const struct gpube_min_bucket *x)
{
	for (int k = s->n_free - 2; k >= 0; k--) {
		const int32_t n = gpube__min_domain(t, x->scope[s->place[k]]);
		const bool carries = ++s->index[k] == n;

		for (int i = 0; i < s->n_in; i++)
			t->at[i] +=
				t->stride[(int64_t)i * GPUBE_MAX_DIMS + k] * (carries ? 1 - n : 1);
		if (!carries)
			return true;
		s->index[k] = 0;
	}
	return false;
}

/* Gives the bucket's variables that have no value those of the least sum. */
static void assign(struct gpube_min_tree *t, int32_t b, struct gpube_min_choice which)
{
	const struct gpube_min_bucket *x = &t->buckets[b];
	struct scan s = {.n_in = gpube__min_inputs(t, b, which), .least = INT64_MAX};

	lay(t, &s, x);
	if (!s.n_free)
		return;
	do
		scan_row(t, &s, gpube__min_domain(t, x->scope[s.place[s.n_free - 1]]));
	while (go_on(t, &s, x));
	for (int k = 0; k < s.n_free; k++)
		t->assigned[x->scope[s.place[k]]] = s.best[k];
}

/* Separators of so many cells are searched by the operator of messages. */
enum { MANY_CELLS = 64 };

/* The variables of a bucket where its own has this value. */
static int assign_first(struct gpube_min_tree *t, int32_t b, int32_t value)
{
	const struct gpube_min_choice around = {.but = -1, .down = true};
	const struct gpube_min_bucket *x = &t->buckets[b];
	uint32_t best;
	int status;

	t->assigned[b] = value;
	if (x->message < MANY_CELLS || x->message > UINT32_MAX) {
		assign(t, b, around);
		return GPUBE_OK;
	}
	status = gpube__min_best(t, b, value, around, &best);
	for (int k = x->n_scope - 1; k > 0 && !status; k--) {
		const uint32_t domain = (uint32_t)gpube__min_domain(t, x->scope[k]);

		t->assigned[x->scope[k]] = (int32_t)(best % domain);
		best /= domain;
	}
	return status;
}

int gpube__min_assign(struct gpube_min_tree *t, int32_t from, int32_t value, int32_t *values)
{
	const struct gpube_min_choice below = {.but = -1, .unary = true};
	int status = GPUBE_OK;

	for (int32_t p = 0; p < t->n; p++)
		t->assigned[p] = -1;
	if (from >= 0)
		status = assign_first(t, from, value);
	if (status)
		return status;
	for (int32_t c = from; c >= 0 && t->buckets[c].parent >= 0; c = t->buckets[c].parent)
		assign(t, t->buckets[c].parent,
			(struct gpube_min_choice){.but = c, .down = true, .unary = true});
	for (int32_t p = t->n - 1; p >= 0; p--)
		if (t->assigned[p] < 0)
			assign(t, p, below);
	for (int32_t p = 0; p < t->n; p++)
		values[t->buckets[p].var] = t->assigned[p];
	return GPUBE_OK;
}
