/* patches_run.c - the ascent on patches as a method: there and back at the root, then what it leaves open is split. */
#include "gpube/bound/patching/patching.h"

#include <math.h>

/* Sweeps at the root, at most; of so many is judged whether they pay. */
enum { MOST_SWEEPS = 1000, WINDOW = 8 };
/* What is missing that a window is to bring; where no larger patches are made. */
#define SLOW  0.01
#define STILL 0.0005
/* Sweeps of larger patches, in those of the ones before: some windows, and that each patch has more neighbours. */
enum { GROWN_SWEEPS = 100 };
/* Of the time, where what they leave is searched next. */
#define GROWING 0.4

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

static int sweep(struct gpube_patching *s, int32_t *room)
{
	const double start = gpube__now();
	int status = gpube__patches_sweep_wide(
		s->p, s->root, s->n_sweeps % 2 ? GPUBE__PATCHES_BACKWARD : GPUBE__PATCHES_FORWARD, room);

	s->n_sweeps++;
	s->sweep = gpube__now() - start;
	if (!status)
		gpube__patching_raise(s, s->root->constant, "patches");
	return status;
}

/* Sweeps until a window of them brings less than the part 'slow' of what is missing. */
static int climb(struct gpube_patching *s, double slow)
{
	int32_t *room = gpube__alloc(s->b->ctx, (uint64_t)s->p->room * (uint64_t)s->b->ctx->n_threads, sizeof(*room));
	int64_t before = s->root->constant;
	int status = room ? GPUBE_OK : GPUBE_ENOMEM;

	for (int n = 1, next = 2; !status && !gpube__bounder_done(s->b) && n <= MOST_SWEEPS; n++) {
		status = sweep(s, room);
		if (status || gpube__bounder_done(s->b) || gpube__patching_is_over(s))
			break;
		if (n == next) {
			status = read_off(s, s->n_sweeps % 2);
			gpube__patching_know(s, s->root);
			next += n / 2 + 2;
		}
		if (n % WINDOW == 0) {
			if ((double)(s->root->constant - before) < slow * gpube__patches_slack(s->root))
				break;
			before = s->root->constant;
		}
	}
	if (!status && !gpube__bounder_done(s->b))
		status = read_off(s, s->n_sweeps % 2);
	gpube__free(s->b->ctx, room);
	return status;
}

/*
 * Larger patches, again and again, while there is time for a few windows of them; the largest go on for as long as they
 * bring anything.
 */
static int grow(struct gpube_patching *s)
{
	bool grown = true;
	int status = GPUBE_OK;

	while (!status && grown && !gpube__bounder_done(s->b) && !gpube__patching_is_over(s)) {
		grown = false;
		if (!s->all_grown && gpube__turn_left(&s->turn) > GROWN_SWEEPS * s->sweep)
			status = gpube__patching_grow(s, &grown);
		if (!status)
			status = climb(s, grown ? SLOW : STILL);
	}
	return status;
}

/* Of the turn, or by the clock. */
static double seconds_left(const struct gpube_patching *s)
{
	return fmin(gpube__turn_left(&s->turn), gpube__seconds_left(s->b->ctx));
}

static bool may_split(const struct gpube_patching *s)
{
	return s->b->opts->split != GPUBE_SPLIT_NEVER && !gpube__bounder_done(s->b) && !gpube__patching_is_over(s);
}

/* Larger patches, for a part of the time where they leave little; then a search of that. */
static int grow_and_search(struct gpube_patching *s)
{
	const struct gpube_turn whole = s->turn;
	int status;

	if (s->b->opts->split != GPUBE_SPLIT_NEVER)
		s->turn = gpube__turn(s->b->ctx, GROWING * seconds_left(s));
	status = grow(s);
	s->turn = whole;
	if (!status && may_split(s) && !gpube__patching_little_is_open(s))
		status = grow(s);
	return status || !may_split(s) ? status : gpube__patching_rest(s, seconds_left(s));
}

/* As the only method: larger patches where the first leave much open. */
static int alone(struct gpube_patching *s)
{
	int status = GPUBE_OK;

	if (s->b->opts->split == GPUBE_SPLIT_NEVER || !gpube__patching_little_is_open(s))
		status = grow_and_search(s);
	return status || !may_split(s) ? status : gpube__patching_search(s);
}

static int begin(struct gpube_patching *s)
{
	gpube__log(s->b->ctx, GPUBE_LOG_DETAIL, "patches: %d of %d of %d variables, %d separators, %lld cells", s->p->n_patches,
		s->m->n_vars, s->b->m->n_vars, s->p->n_separators, (long long)s->p->n_cells);
	return climb(s, SLOW);
}

static int end(struct gpube_patching *s, int status)
{
	s->worked = gpube__patching_worked(s);
	gpube__log(s->b->ctx, GPUBE_LOG_DETAIL, "patches: %d sweeps, %lld states, %lld open, %.4f s", s->n_sweeps,
		(long long)s->n_states, (long long)s->n_open, gpube__turn_spent(&s->turn));
	return status;
}

int gpube__bound_patches(struct gpube_bounder *b, double seconds)
{
	int status = b->patching ? GPUBE_OK : gpube__patching_new(b);
	struct gpube_patching *s = b->patching;

	if (status || !s->p)
		return status;
	s->turn = gpube__turn(b->ctx, seconds);
	if (s->root) {
		gpube__patching_know(s, s->root);
		status = begin(s);
	}
	if (!status && !gpube__bounder_done(b) && !gpube__patching_is_over(s)) {
		if (b->opts->method == GPUBE_BOUND_PATCHES && s->root)
			status = alone(s);
		else if (may_split(s))
			status = gpube__patching_search(s);
	}
	s->paused = !status && !gpube__bounder_done(b) && gpube__patching_is_over(s);
	return end(s, status);
}

int gpube__bound_larger_patches(struct gpube_bounder *b, double seconds)
{
	struct gpube_patching *s = b->patching;

	s->turn = gpube__turn(b->ctx, seconds);
	gpube__patching_know(s, s->root);
	return end(s, grow_and_search(s));
}
