/* patches_run.c - the ascent on patches as a method: there and back at the root, then what it leaves open is split. */
#include "gpube/bound/patching/patching.h"

/* Sweeps at the root, at most; of so many is judged whether they pay. */
enum { MOST_SWEEPS = 1000, WINDOW = 8 };
/* What is missing that a window is to bring. */
#define SLOW 0.01

/* An assignment from the root's tables, and a search from there for a tenth of the time. */
static int read_off(struct gpube_patching *s, bool backward)
{
	const double start = gpube__now();
	struct gpube_bounder *b = s->b;
	int32_t *values = gpube__alloc_zero(b->ctx, (uint64_t)s->m->n_vars + 1, sizeof(*values));
	int32_t *room = gpube__alloc(b->ctx, (uint64_t)s->p->room, sizeof(*room));
	int status = values && room ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status) {
		gpube__patches_decode(s->p, s->root, backward, values, room);
		status = gpube__patching_offer(s, values);
	}
	if (!status && !gpube__bounder_done(b) && s->searching < 0.1 * gpube__patching_worked(s))
		status = gpube__bounder_search(b, s->whole, 1000);
	s->searching += gpube__now() - start;
	gpube__free(b->ctx, values);
	gpube__free(b->ctx, room);
	return status;
}

/* Sweeps until they are slow. */
static int climb(struct gpube_patching *s)
{
	int32_t *room = gpube__alloc(s->b->ctx, (uint64_t)s->p->room, sizeof(*room));
	int64_t before = s->root->constant;
	int status = room ? GPUBE_OK : GPUBE_ENOMEM;

	for (int next = 2; !status && !gpube__bounder_done(s->b) && s->n_sweeps < MOST_SWEEPS;) {
		gpube__patches_sweep(s->p, s->root,
			s->n_sweeps % 2 ? GPUBE__PATCHES_BACKWARD : GPUBE__PATCHES_FORWARD, 0, room);
		s->n_sweeps++;
		gpube__patching_raise(s, s->root->constant, "patches");
		if (gpube__bounder_done(s->b) || gpube__patching_is_over(s))
			break;
		if (s->n_sweeps == next) {
			status = read_off(s, s->n_sweeps % 2);
			gpube__patching_know(s, s->root);
			next += s->n_sweeps / 2 + 2;
		}
		if (s->n_sweeps % WINDOW == 0) {
			if ((double)(s->root->constant - before) < SLOW * gpube__patches_slack(s->root))
				break;
			before = s->root->constant;
		}
	}
	if (!status && !gpube__bounder_done(s->b))
		status = read_off(s, s->n_sweeps % 2);
	gpube__free(s->b->ctx, room);
	return status;
}

int gpube__bound_patches(struct gpube_bounder *b, double seconds)
{
	const double start = gpube__now();
	int status = b->patching ? GPUBE_OK : gpube__patching_new(b);
	struct gpube_patching *s = b->patching;

	if (status || !s->p)
		return status;
	s->turn = gpube__turn(b->ctx, seconds);
	if (s->root) {
		gpube__log(b->ctx, GPUBE_LOG_DETAIL, "patches: %d of %d of %d variables, %d separators, %lld cells", s->p->n_patches,
			s->m->n_vars, b->m->n_vars, s->p->n_separators, (long long)s->p->n_cells);
		gpube__patching_know(s, s->root);
		status = climb(s);
	}
	if (!status && !gpube__bounder_done(b) && b->opts->split != GPUBE_SPLIT_NEVER && !gpube__patching_is_over(s))
		status = gpube__patching_search(s);
	s->paused = !status && !gpube__bounder_done(b) && gpube__patching_is_over(s);
	s->worked = gpube__patching_worked(s);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "patches: %d sweeps, %lld states, %lld open, %.4f s", s->n_sweeps,
		(long long)s->n_states, (long long)s->n_open, gpube__now() - start);
	return status;
}
