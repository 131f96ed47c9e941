/* faces_ref.c - the walk over faces by one thread, with a device's functions. See reference.h. */
#include "tests/support/reference/reference.h"

#include "gpube/ops/faces/faces_node.h"

#define SHARE 1000 /* nodes between two looks at the clock */
#define ROOM  (SHARE * 2 * GPUBE_FACES_ACTIONS)

static int append(struct gpube_ctx *ctx, struct gpube_faces_search *s,
	const struct gpube_faces_leaf *leaves, int64_t n)
{
	if (gpube__grow(ctx, &s->leaves, &s->capacity, s->n_leaves + n, sizeof(*s->leaves)))
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < n; k++)
		s->leaves[s->n_leaves++] = leaves[k];
	return GPUBE_OK;
}

/* Goes on until the walk's current node and its stack have been visited. */
static int run(struct gpube_ctx *ctx, struct gpube_faces_search *s, struct faces_walk *w)
{
	int status = GPUBE_OK;

	do {
		*w->out.n = 0;
		s->nodes += faces_run(w, SHARE);
		status = append(ctx, s, w->out.leaves, (int64_t)*w->out.n);
		if (!status && gpube__stopped(ctx))
			status = gpube__fail_stopped(ctx);
		if (!status && s->budget >= 0 && s->nodes > s->budget)
			status = GPUBE_ELIMIT;
	} while (!status && (w->current || w->depth));
	return status;
}

static int run_all(struct gpube_ctx *ctx, struct gpube_faces_search *s, struct faces_walk *w)
{
	const int64_t n = s->start ? s->n_start : 1;
	int status = GPUBE_OK;

	for (int64_t k = 0; k < n && !status; k++) {
		for (int p = 0; p < 2; p++)
			if (s->start)
				faces_begin(w->f[p], &w->s[p], &s->start[2 * k + p]);
			else
				faces_init(w->f[p], &w->s[p]);
		w->current = true;
		status = run(ctx, s, w);
	}
	s->pivots += w->pivots;
	return status;
}

static int search(struct gpube_ctx *ctx, struct gpube_faces_search *s)
{
	struct faces_scratch scratch;
	struct faces_side sides[2];
	unsigned long long n = 0;
	struct faces_walk w = {
		.s = sides,
		.scratch = &scratch,
		.out = {.n = &n, .capacity = ROOM},
	};
	int status, first;

	if (gpube__faces_unsupported(s))
		return gpube__fail(ctx, GPUBE_EINVAL, "%s", gpube__faces_unsupported(s));
	for (int p = 0; p < 2; p++)
		sides[p] = (struct faces_side){s->k[p], s->l[p], p, s->c[p]};
	first = faces_bytes(&sides[0]);
	w.bytes = first + faces_bytes(&sides[1]);
	w.f[0] = gpube__alloc(ctx, 1, (uint64_t)w.bytes);
	w.stack = gpube__alloc(ctx, (uint64_t)(s->k[0] + s->l[0]), (uint64_t)w.bytes);
	w.out.leaves = gpube__alloc(ctx, ROOM, sizeof(*w.out.leaves));
	status = w.f[0] && w.stack && w.out.leaves ? GPUBE_OK : GPUBE_ENOMEM;
	if (!status) {
		w.f[1] = (struct faces_face *)(void *)((char *)w.f[0] + first);
		status = run_all(ctx, s, &w);
	}
	GPUBE_FREE_ALL(ctx, w.f[0], w.stack, w.out.leaves);
	return status;
}

const struct gpube_faces_ops *gpube__faces_reference(void)
{
	static const struct gpube_faces_ops ops = {
		.name = "cpu",
		.unsupported = gpube__faces_unsupported,
		.search = search,
	};

	return &ops;
}
