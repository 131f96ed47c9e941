/*
 * cone.c - all vertices of a side by the double description method: the inequalities are added
 * one after the other to a cone that is kept as its extreme rays. It does not notice how many
 * bases a vertex has, which the walk of face.c does, but looks at pairs of rays: so it is
 * the faster one where few vertices are highly degenerate, as in grab the dollar: 23 vertices of
 * each player with 12 actions. See exact.h.
 *
 * Sources: Motzkin, Raiffa, Thompson, Thrall 1953; Fukuda, Prodon, Double description method
 * revisited, 1996, for the test of adjacency.
 */
#include <string.h>

#include "nash/exact.h"

#define RAY_UNITS 256 /* what making a ray takes, as a multiple of a look at a mask */

/* Extreme rays (x, v), k + 1 integers each, and the labels of the inequalities they meet. */
struct rays {
	int64_t n, capacity_masks, capacity_x;
	uint64_t *masks;
	fmpz *x;
};

struct nash_cone {
	struct gpube_ctx *ctx;
	struct nash_vertices *v;
	const struct nash_side *s;
	int words;
	struct rays now, next;
	int32_t j;   /* the inequality that is added */
	int64_t a;   /* the ray that is next then; -1: it has not been begun */
	fmpz *slack; /* of each ray of 'now', of the inequality that is added */
	int64_t n_slack;
	int64_t n_above, n_below; /* rays that it holds for, not as an equation; that it cuts off */
	int64_t n_near, *near;
	uint64_t *met; /* of each ray of 'near', as many words as a mask */
	uint64_t *common;
	int64_t units;   /* left */
	uint64_t *again; /* labels of inequalities that are the same as an earlier one */
};

static void rays_clear(struct rays *r, struct nash_cone *c)
{
	for (int64_t i = 0; i < r->n * (c->s->k + 1); i++)
		fmpz_clear(r->x + i);
	gpube__free(c->ctx, r->x);
	gpube__free(c->ctx, r->masks);
	*r = (struct rays){0};
}

/* A new ray, all 0, of the mask. */
static int add(struct nash_cone *c, struct rays *r, fmpz **x, const uint64_t *mask)
{
	const int64_t width = c->s->k + 1;

	if (nash__room(c->ctx, 0) ||
		gpube__grow(c->ctx, &r->masks, &r->capacity_masks, (r->n + 1) * c->words,
			sizeof(*r->masks)) ||
		gpube__grow(c->ctx, &r->x, &r->capacity_x, (r->n + 1) * width, sizeof(*r->x)))
		return GPUBE_ENOMEM;
	memcpy(r->masks + r->n * c->words, mask, (size_t)c->words * sizeof(*mask));
	*x = r->x + r->n * width;
	memset(*x, 0, (size_t)width * sizeof(**x));
	r->n++;
	return GPUBE_OK;
}

/* The cone x >= 0, v >= C_0 x: a ray for each own action, and the one on which v alone grows. */
static int begin(struct nash_cone *c)
{
	const struct nash_side *s = c->s;
	int status = GPUBE_OK;

	for (int32_t i = 0; i <= s->k && !status; i++) {
		fmpz *x;

		memset(c->common, 0, (size_t)c->words * sizeof(*c->common));
		for (int32_t var = 0; var < s->k; var++)
			if (var != i)
				gpube__bit_put(c->common, nash__label(s, var));
		if (i < s->k)
			gpube__bit_put(c->common, nash__label(s, s->k));
		status = add(c, &c->now, &x, c->common);
		if (status)
			break;
		if (i < s->k) {
			fmpz_one(x + i);
			fmpz_set(x + s->k, s->c + i);
		} else {
			fmpz_one(x + s->k);
		}
	}
	return status;
}

static void slack_clear(struct nash_cone *c)
{
	for (int64_t r = 0; c->slack && r < c->n_slack; r++)
		fmpz_clear(c->slack + r);
	gpube__free(c->ctx, c->slack);
	c->slack = NULL;
}

/* Slacks v - C_j x of all rays. */
static int divide(struct nash_cone *c, int32_t j)
{
	const struct nash_side *s = c->s;
	const int64_t n = c->now.n;

	slack_clear(c);
	c->slack = gpube__alloc_zero(c->ctx, (uint64_t)n, sizeof(*c->slack));
	c->n_slack = n;
	gpube__free(c->ctx, c->near);
	gpube__free(c->ctx, c->met);
	c->near = gpube__alloc(c->ctx, (uint64_t)n, sizeof(*c->near));
	c->met = gpube__alloc(c->ctx, (uint64_t)gpube__mul_size(n, c->words), sizeof(*c->met));
	if (!c->slack || !c->near || !c->met)
		return GPUBE_ENOMEM;
	c->n_above = c->n_below = 0;
	for (int64_t r = 0; r < n; r++) {
		const fmpz *x = c->now.x + r * (s->k + 1);

		if (nash__room(c->ctx, 0))
			return GPUBE_ENOMEM;
		_fmpz_vec_dot(c->slack + r, s->c + (int64_t)j * s->k, x, s->k);
		fmpz_sub(c->slack + r, x + s->k, c->slack + r);
		c->n_above += fmpz_sgn(c->slack + r) > 0;
		c->n_below += fmpz_sgn(c->slack + r) < 0;
		if (fmpz_is_zero(c->slack + r))
			gpube__bit_put(c->now.masks + r * c->words, nash__label(s, s->k + j));
	}
	c->units -= n * RAY_UNITS / 8;
	return GPUBE_OK;
}

/*
 * The rays that may span a face of two dimensions with ray a: such a face lies in k - 1 independent
 * equations. A third ray that meets all that a and one of them meet is among them, too.
 */
static void gather(struct nash_cone *c, int64_t a)
{
	const uint64_t *masks = c->now.masks;
	const int words = c->words;

	c->n_near = 0;
	for (int64_t r = 0; r < c->now.n; r++) {
		uint64_t *met = c->met + c->n_near * words;
		int n = 0;

		for (int w = 0; w < words; w++) {
			met[w] = masks[a * words + w] & masks[r * words + w];
			n += __builtin_popcountll(met[w]);
		}
		if (n >= c->s->k - 1 && r != a)
			c->near[c->n_near++] = r;
	}
	c->units -= c->now.n;
}

/* Whether ray a and near[b] span a face: no third ray meets all that both meet, 'common'. */
static bool adjacent(struct nash_cone *c, int64_t b)
{
	const int words = c->words;

	memcpy(c->common, c->met + b * words, (size_t)words * sizeof(*c->common));
	for (int64_t r = 0; r < c->n_near; r++)
		if (r != b && gpube__bits_within(c->common, c->met + r * words, words)) {
			c->units -= r;
			return false;
		}
	c->units -= c->n_near;
	return true;
}

/* The ray of the face of two others on which the new inequality is an equation. */
static int join(struct nash_cone *c, int64_t a, int64_t b, int32_t j)
{
	const int64_t width = c->s->k + 1;
	const fmpz *p = c->now.x + a * width, *q = c->now.x + b * width;
	fmpz_t content;
	fmpz *x;

	gpube__bit_put(c->common, nash__label(c->s, c->s->k + j));
	if (add(c, &c->next, &x, c->common))
		return GPUBE_ENOMEM;
	c->units -= RAY_UNITS;
	_fmpz_vec_scalar_mul_fmpz(x, q, width, c->slack + a);
	_fmpz_vec_scalar_submul_fmpz(x, p, width, c->slack + b);
	fmpz_init(content);
	_fmpz_vec_content(content, x, width);
	_fmpz_vec_scalar_divexact_fmpz(x, x, width, content);
	fmpz_clear(content);
	return GPUBE_OK;
}

/* Joins ray a with those across the inequality. */
static int join_all(struct nash_cone *c, int64_t a, int sign)
{
	int status = GPUBE_OK;

	gather(c, a);
	for (int64_t b = 0; b < c->n_near && !status; b++) {
		const int64_t other = c->near[b];

		if (b % 64 == 63 && gpube__stopped(c->ctx))
			return gpube__fail_stopped(c->ctx);
		if (fmpz_sgn(c->slack + other) == -sign && adjacent(c, b))
			status = join(c, sign > 0 ? a : other, sign > 0 ? other : a, c->j);
	}
	return status;
}

/* The new rays and those that are not cut off are the rays now. */
static int renew(struct nash_cone *c)
{
	const int64_t width = c->s->k + 1;
	int status = GPUBE_OK;
	struct rays old;

	for (int64_t r = 0; r < c->now.n && !status; r++) {
		fmpz *x;

		if (fmpz_sgn(c->slack + r) < 0)
			continue;
		status = add(c, &c->next, &x, c->now.masks + r * c->words);
		if (!status)
			_fmpz_vec_swap(x, c->now.x + r * width, width);
	}
	if (status)
		return status;
	old = c->now;
	c->now = c->next;
	c->next = old;
	rays_clear(&c->next, c);
	return GPUBE_OK;
}

/* Adds the inequality of the other player's action j, or goes on with it. */
static int cut(struct nash_cone *c)
{
	int status = GPUBE_OK, sign;

	if (c->a < 0) {
		status = divide(c, c->j);
		c->a = 0;
	}
	if (status || !c->n_below)
		return status;
	/* from the smaller part, for each of its rays looks at all */
	sign = c->n_below < c->n_above ? -1 : 1;
	for (; c->a < c->now.n && !status; c->a++) {
		if (fmpz_sgn(c->slack + c->a) != sign)
			continue;
		if (c->units < 0)
			return GPUBE_ELIMIT;
		if (gpube__stopped(c->ctx))
			return gpube__fail_stopped(c->ctx);
		status = join_all(c, c->a, sign);
	}
	return status ? status : renew(c);
}

/* A ray with x > 0 is a vertex after division by the sum of x. */
static int report(struct nash_cone *c)
{
	const int32_t k = c->s->k;
	int status = GPUBE_OK;

	for (int64_t r = 0; r < c->now.n && !status; r++) {
		fmpz *x = c->now.x + r * (k + 1);

		_fmpz_vec_sum(x + k, x, k);
		if (!fmpz_is_zero(x + k))
			status = nash__vertices_add(c->v, NULL, c->now.masks + r * c->words, x);
	}
	return status;
}

/* Duplicated actions of the other player make vertices of many labels, but not many bases. */
static void note_copies(struct nash_cone *c)
{
	const struct nash_side *s = c->s;

	for (int32_t j = 1; j < s->l; j++)
		for (int32_t i = 0; i < j; i++)
			if (_fmpz_vec_equal(
				    s->c + (int64_t)j * s->k, s->c + (int64_t)i * s->k, s->k)) {
				gpube__bit_put(c->again, nash__label(s, s->k + j));
				break;
			}
}

void nash__cone_count(const struct nash_cone *c, struct nash_cone_counts *sums)
{
	sums->added += c->j - 1;
	sums->all += c->s->l - 1;
	sums->rays += c->now.n;
	for (int64_t r = 0; r < c->now.n; r++) {
		int n = 0;

		for (int w = 0; w < c->words; w++)
			n += __builtin_popcountll(c->now.masks[r * c->words + w] & ~c->again[w]);
		sums->degenerate += n > c->s->k;
	}
}

int nash__cone_new(struct nash_cone **out, struct nash_vertices *v)
{
	struct nash_cone *c = gpube__alloc_zero(v->ctx, 1, sizeof(*c));
	int status = GPUBE_ENOMEM;

	*out = NULL;
	if (!c)
		return status;
	c->ctx = v->ctx;
	c->v = v;
	c->s = v->side;
	c->words = v->words;
	c->j = 1;
	c->a = -1;
	c->common = gpube__alloc(c->ctx, (uint64_t)c->words, sizeof(*c->common));
	c->again = gpube__alloc_zero(c->ctx, (uint64_t)c->words, sizeof(*c->again));
	if (c->common && c->again) {
		note_copies(c);
		status = begin(c);
	}
	if (status)
		nash__cone_free(c);
	else
		*out = c;
	return status;
}

void nash__cone_free(struct nash_cone *c)
{
	struct gpube_ctx *ctx;

	if (!c)
		return;
	ctx = c->ctx;
	rays_clear(&c->now, c);
	rays_clear(&c->next, c);
	slack_clear(c);
	GPUBE_FREE_ALL(ctx, c->near, c->met, c->common, c->again, c);
}

int nash__cone_run(struct nash_cone *c, int64_t units)
{
	int status = GPUBE_OK;

	c->units = units;
	for (; c->j < c->s->l && !status; c->j += !status) {
		gpube__progress(c->ctx, -1, "player %d: %lld vertices with %d of %d inequalities",
			1 + c->s->flip, (long long)c->now.n, (int)c->j, (int)c->s->l);
		status = cut(c);
		if (!status)
			c->a = -1;
	}
	return status ? status : report(c);
}
