/*
 * contract_prepare.c - the recipe for a contraction whose shape is known: which of its small
 * operands are made ready first, and the plans.
 *
 * An operand that is small beside the joined table is read by many tiles. If its
 * scope lies inside that of another such operand, both are added up once; if
 * its layout does not suit the tiles, it is copied into one that does. Either
 * is itself a contraction that reduces nothing, and runs on the same tiles.
 */
#include <string.h>

#include "gpube/ops/contract/cpu/contract_recipe.h"

#define SMALL_SHARE   16		/* small: this many times fewer cells than are joined */
#define PREPARE_FROM  100000		/* joined cells */
#define PREPARE_BYTES 67108864.0	/* most memory for prepared operands */
#define MOST_PREPARED 64		/* operands: a bit for each */

struct prepare {
	struct gpube_ctx *ctx;
	const struct gpube_contraction *c;
	const struct gpube__shape *given;
	struct gpube__shape merged; /* one operand for each host */
	struct gpube__shape ready;  /* what runs in the end */
	int64_t *merged_stride, *ready_stride, *copy_stride;
	int *host;	 /* of each operand: the operand it is added to, or itself */
	int *member;	 /* of each merged operand: the one that is its host */
	uint64_t small;	 /* merged operands that may be made */
	uint64_t making; /* those that are */
	void *memory;	 /* for a choice */
	struct gpube__plan plan;
};

static uint64_t dims_of(const struct gpube__shape *s, int k)
{
	uint64_t dims = 0;

	for (int d = 0; d < s->n_dims; d++)
		if (s->stride[k * s->ld + d])
			dims |= (uint64_t)1 << d;
	return dims;
}

static double cells_of(const struct gpube__shape *s, int k)
{
	double cells = 1;

	for (int d = 0; d < s->n_dims; d++)
		if (s->stride[k * s->ld + d])
			cells *= (double)s->size[d];
	return cells;
}

static bool is_small(const struct prepare *p, const struct gpube__shape *s, int k)
{
	const double joined = (double)s->n_out_cells * (double)s->n_reduced;
	const double cells = cells_of(s, k);

	return cells * SMALL_SHARE <= joined &&
	       cells * (double)gpube__type_size(p->c->type) * s->n_in <= PREPARE_BYTES;
}

/* The smallest operand that holds k's scope; of equal scopes the first is host. */
static int host_of(const struct prepare *p, int k)
{
	const struct gpube__shape *s = p->given;
	const uint64_t mine = dims_of(s, k);
	int best = k;

	for (int m = 0; m < s->n_in; m++) {
		const uint64_t theirs = dims_of(s, m);

		if (m == k || (mine & ~theirs) || (mine == theirs && m > k) || !is_small(p, s, m))
			continue;
		if (best == k || cells_of(s, m) < cells_of(s, best))
			best = m;
	}
	return best;
}

static void merge(struct prepare *p)
{
	const struct gpube__shape *s = p->given;
	int n = 0;

	for (int k = 0; k < s->n_in; k++)
		p->host[k] = host_of(p, k);
	for (int k = 0; k < s->n_in; k++)
		while (p->host[p->host[k]] != p->host[k])
			p->host[k] = p->host[p->host[k]];
	p->merged = *s;
	p->merged.stride = p->merged_stride;
	p->merged.ld = s->n_dims;
	for (int k = 0; k < s->n_in; k++) {
		if (p->host[k] != k)
			continue;
		memcpy(p->merged_stride + n * s->n_dims, s->stride + k * s->ld,
			(size_t)s->n_dims * sizeof(int64_t));
		p->member[n++] = k;
	}
	p->merged.n_in = n;
	for (int k = 0; k < n; k++)
		if (is_small(p, &p->merged, k))
			p->small |= (uint64_t)1 << k;
}

/* The contraction that makes merged operand k with the steps 'layout': its dims, slowest first. */
static void make_copy_shape(
	struct gpube__shape *to, const struct prepare *p, int k, const int64_t *layout)
{
	const struct gpube__shape *s = p->given;
	const uint64_t dims = dims_of(&p->merged, k);
	int64_t below = INT64_MAX;

	to->n_dims = to->n_in = 0;
	to->n_out_cells = to->n_reduced = to->repeat = 1;
	for (int m = 0; m < s->n_in; m++)
		to->n_in += p->host[m] == p->member[k];
	to->stride = p->copy_stride;
	to->ld = GPUBE_MAX_DIMS;
	for (int left = __builtin_popcountll(dims); left > 0; left--) {
		int slowest = -1, n = 0;

		for (int d = 0; d < s->n_dims; d++)
			if ((dims >> d & 1) && layout[d] < below &&
				(slowest < 0 || layout[d] > layout[slowest]))
				slowest = d;
		below = layout[slowest];
		to->size[to->n_dims] = s->size[slowest];
		to->out_stride[to->n_dims] = layout[slowest];
		to->arg_stride[to->n_dims] = 0;
		to->n_out_cells *= s->size[slowest];
		for (int m = 0; m < s->n_in; m++)
			if (p->host[m] == p->member[k])
				to->stride[n++ * to->ld + to->n_dims] =
					s->stride[m * s->ld + slowest];
		to->n_dims++;
	}
	to->n_out = to->n_dims;
	for (int d = to->n_dims - 2; d >= 0; d--)
		if (gpube__shape_fusible(to, d, 0))
			gpube__shape_fuse(to, d);
}

/*
 * Does it pay to make merged operand k, that is, do the tiles spare more than the copy
 * takes? A cell of it costs about half a cycle, and half of that for each guest.
 */
static bool pays(struct prepare *p, int k)
{
	const struct gpube__shape *s = p->given;
	double as_they_are = 0, copy = 0.25 * cells_of(&p->merged, k);

	for (int m = 0; m < s->n_in; m++)
		if (p->host[m] == p->member[k]) {
			as_they_are += gpube__plan_cycles(&p->plan, s, m, false, p->memory);
			copy += 0.25 * cells_of(&p->merged, k);
		}
	return as_they_are > copy + 10000 +
		gpube__plan_cycles(&p->plan, &p->merged, k, true, p->memory);
}

/* Chooses the tiles, and what is made for them. */
static bool choose(struct prepare *p)
{
	const struct gpube__shape *s = p->given;
	const double joined = (double)s->n_out_cells * (double)s->n_reduced;

	p->merged = *s;
	for (int k = 0; k < s->n_in; k++)
		p->host[k] = p->member[k] = k;
	if (joined >= PREPARE_FROM && s->n_in <= MOST_PREPARED)
		merge(p);
	if (!gpube__plan_choose(
		    &p->plan, p->c, gpube__kernels(), &p->merged, p->small, p->memory))
		return false;
	for (int k = 0; k < p->merged.n_in; k++)
		if (k < MOST_PREPARED && (p->small >> k & 1) && pays(p, k))
			p->making |= (uint64_t)1 << k;
	return true;
}

static int set_plan(struct gpube_ctx *ctx, struct gpube__planned *to, const struct gpube__shape *s)
{
	/* not scratch: it may be kept, and is dropped under the lock that guards scratch */
	to->room = gpube__ops_cpu()->alloc(ctx, gpube__plan_set_room(&to->plan, s));
	if (!to->room)
		return GPUBE_ENOMEM;
	return gpube__plan_set(&to->plan, s, to->room) ? GPUBE_OK : GPUBE_ERANGE;
}

/* How merged operand k is made with these steps. */
static int plan_copy(struct prepare *p, struct gpube__made *made, int k, const int64_t *layout)
{
	struct gpube_contraction c = *p->c;
	struct gpube__shape shape;

	c.out_arg = NULL;
	make_copy_shape(&shape, p, k, layout);
	if (!gpube__plan_choose_copy(&made->tiles.plan, &c, gpube__kernels(), &shape,
		    p->ctx->n_threads > 1, p->memory))
		return GPUBE_ERANGE;
	return set_plan(p->ctx, &made->tiles, &shape);
}

static void add_ready(struct prepare *p, struct gpube__recipe *r, const int64_t *stride, int from)
{
	memcpy(p->ready_stride + p->ready.n_in * p->ready.ld, stride,
		(size_t)p->ready.n_dims * sizeof(*stride));
	p->ready.n_in++;
	r->from[r->n_in++] = from;
}

/* The ready operands: what is made, and the contraction's own where that does not pay. */
static int plan_operands(struct prepare *p, struct gpube__recipe *r)
{
	const struct gpube__shape *s = p->given;
	/* nothing was merged, which is what tens of thousands of operands are: no looking for guests */
	const bool alone = p->merged.n_in == s->n_in;
	int *from = r->from + s->n_in;

	p->ready = p->merged;
	p->ready.stride = p->ready_stride;
	p->ready.ld = s->n_dims;
	p->ready.n_in = 0;
	for (int k = 0; k < p->merged.n_in; k++) {
		const bool is_made = k < MOST_PREPARED && (p->making >> k & 1);
		struct gpube__made *made = &r->made[r->n_made];
		int64_t layout[GPUBE_MAX_DIMS];
		int status;

		made->n_in = 0;
		made->from = from;
		for (int m = alone ? k : 0; m < (alone ? k + 1 : s->n_in); m++) {
			if (p->host[m] != p->member[k])
				continue;
			if (is_made)
				made->from[made->n_in++] = m;
			else
				add_ready(p, r, s->stride + m * s->ld, m);
		}
		if (!is_made)
			continue;
		from += made->n_in;
		gpube__plan_layout(&p->plan, k, layout);
		made->tiles.room = NULL;
		add_ready(p, r, layout, ~r->n_made++);
		status = plan_copy(p, made, k, layout);
		if (status)
			return status;
	}
	return GPUBE_OK;
}

void gpube__recipe_free(struct gpube_ctx *ctx, void *recipe)
{
	struct gpube__recipe *r = recipe;

	if (!r)
		return;
	for (int k = 0; k < r->n_made; k++)
		gpube__ops_cpu()->free(ctx, r->made[k].tiles.room);
	gpube__ops_cpu()->free(ctx, r->tiles.room);
	gpube__free(ctx, r);
}

/* From what was chosen. */
static int make(struct gpube__recipe **out, struct prepare *p)
{
	/* one more, which is looked at only */
	const uint64_t n_made = 1 + (uint64_t)__builtin_popcountll(p->making);
	const uint64_t n_in = (uint64_t)p->given->n_in, made_bytes = n_made * sizeof(*(*out)->made);
	struct gpube__recipe *r = gpube__alloc(
		p->ctx, 1, sizeof(*r) + made_bytes + 2 * n_in * sizeof(*r->from));
	int status;

	if (!r)
		return GPUBE_ENOMEM;
	r->made = (struct gpube__made *)(r + 1);
	r->from = (int *)(r->made + n_made);
	r->n_in = r->n_made = 0;
	r->tiles.room = NULL;
	status = plan_operands(p, r);
	r->tiles.plan = p->plan;
	if (!status)
		status = set_plan(p->ctx, &r->tiles, &p->ready);
	if (status)
		gpube__recipe_free(p->ctx, r);
	else
		*out = r;
	return status;
}

int gpube__recipe_make(struct gpube__recipe **out, struct gpube_ctx *ctx,
	const struct gpube_contraction *c, const struct gpube__shape *s)
{
	const uint64_t n = (uint64_t)s->n_in, n_dims = (uint64_t)s->n_dims;
	struct prepare p = {.ctx = ctx, .c = c, .given = s};
	int64_t *words = gpube__scratch_take(
		ctx, n * (2 * n_dims + GPUBE_MAX_DIMS + 1) + 1, sizeof(*words));
	int status = GPUBE_ENOMEM;

	*out = NULL;
	p.memory = gpube__scratch_take(ctx, gpube__plan_room(c), 1);
	if (!words || !p.memory)
		goto out;
	p.merged_stride = words;
	p.ready_stride = words + n * n_dims;
	p.copy_stride = p.ready_stride + n * n_dims;
	p.host = (int *)(p.copy_stride + n * GPUBE_MAX_DIMS);
	p.member = p.host + n;
	status = choose(&p) ? make(out, &p) : GPUBE_ERANGE;
out:
	gpube__scratch_give(ctx, p.memory);
	gpube__scratch_give(ctx, words);
	return status;
}
