/* lh.c - one equilibrium, or some: Lemke and Howson's algorithm in integers. See exact.h. */
#include "nash/exact.h"

/* Both sides at the artificial equilibrium, x = 0 and y = 0. */
struct path {
	struct nash_dict d[2];
	struct nash_lex lex[2];
};

static void clear(struct path *t, struct gpube_ctx *ctx)
{
	for (int q = 0; q < 2; q++) {
		nash__lex_clear(&t->lex[q], ctx);
		nash__dict_clear(&t->d[q]);
	}
}

static int start(struct path *t, const struct nash_problem *p)
{
	int status = GPUBE_OK;

	*t = (struct path){0};
	for (int q = 0; q < 2 && !status; q++) {
		status = nash__dict_init_unit(&t->d[q], p->ctx, &p->side[q]);
		if (!status)
			status = nash__lex_init(&t->lex[q], p->ctx, &t->d[q], p->m + p->n);
	}
	return status;
}

/* Lets the label's variable enter; the label that is now there twice is returned in it. */
static int pivot(struct path *t, const struct nash_problem *p, int q, int32_t *label)
{
	struct nash_dict *d = &t->d[q];
	int col = -1 - t->lex[q].where[nash__variable(&p->side[q], *label)];
	int row = nash__lex_ratio(&t->lex[q], d, col);

	if (nash__room(p->ctx, 0))
		return GPUBE_ENOMEM;
	if (row < 0)
		return gpube__fail(p->ctx, GPUBE_EBUG,
			"internal error: a bounded polytope has a ray; please report this");
	*label = nash__label(&p->side[q], d->basic[row]);
	nash__dict_pivot(d, row, col);
	nash__lex_pivot(&t->lex[q], d, row, col);
	return GPUBE_OK;
}

/* The strategy at the end of a path: the point scaled to sum 1. */
static int add_end(struct nash_vertices *v, int64_t *at, const struct nash_dict *d)
{
	int32_t k = v->side->k;
	uint64_t *mask = gpube__alloc(v->ctx, (uint64_t)v->words, sizeof(*mask));
	fmpz *coords;
	int status;

	if (!mask)
		return GPUBE_ENOMEM;
	coords = _fmpz_vec_init(k + 1);
	for (int r = 0; r < d->rows; r++)
		if (d->basic[r] < k)
			fmpz_set(coords + d->basic[r], d->d[r]);
	_fmpz_vec_sum(coords + k, coords, k);
	status = nash__mask_of(v->side, mask, v->words, coords)
			 ? nash__vertices_add(v, at, mask, coords)
			 : gpube__fail(v->ctx, GPUBE_EBUG,
				   "internal error: a path ends outside; please report this");
	_fmpz_vec_clear(coords, k + 1);
	gpube__free(v->ctx, mask);
	return status;
}

static int follow(struct nash_found *f, int32_t dropped)
{
	const struct nash_problem *p = f->p;
	int32_t label = dropped;
	int q = dropped < p->m ? 0 : 1;
	int64_t x = 0, y = 0;
	struct path t;
	int status = start(&t, p);

	while (!status) {
		if ((f->work++ & 63) == 0 && gpube__stopped(p->ctx)) {
			status = gpube__fail_stopped(p->ctx);
			break;
		}
		status = pivot(&t, p, q, &label);
		if (label == dropped)
			break;
		q = 1 - q;
	}
	if (!status)
		status = add_end(&f->v[0], &x, &t.d[0]);
	if (!status)
		status = add_end(&f->v[1], &y, &t.d[1]);
	if (!status) {
		int64_t before = f->n;

		status = nash__found_add(f, x, y);
		if (!status && f->n == 0 && before == 0)
			status = gpube__fail(p->ctx, GPUBE_EBUG,
				"internal error: a path ends at no equilibrium; please report "
				"this");
	}
	clear(&t, p->ctx);
	return status;
}

int nash__lemke_howson(struct nash_found *f, bool all_labels)
{
	int32_t n = all_labels ? f->p->m + f->p->n : 1;
	int status = GPUBE_OK;

	for (int32_t label = 0; label < n && !status; label++)
		status = follow(f, label);
	return status;
}
