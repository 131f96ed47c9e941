/*
 * pairwise_run.c - the ascent on regions as a method: there and back at the root, then what it
 * leaves open is split.
 */
#include "gpube/bound/pairwise/relation_cases.h"
#include "gpube/options/options.h"

/* Sweeps at the root, at most; of so many is judged whether they pay. */
enum { MOST_SWEEPS = 1000, WINDOW = 8 };
/*
 * Of what is missing, what a window is to bring: before the first regions are split or grow, before
 * relations grow, and where they cannot.
 */
#define SLOW           0.01
#define RELATION_SLOW  0.003
#define RELATION_STILL 0.0005
/*
 * Less is proved, of what the best assignment costs: small regions are not split before they can
 * grow. Where more is, splitting them often proves the rest as better assignments come.
 */
#define MUCH_OPEN 0.8
/*
 * Sweeps that relations of more entries are worth, in those of the ones before: some windows of
 * longer ones.
 */
enum { GROWN_SWEEPS = 100 };

/* An assignment from the root's tables, and a search from there for a tenth of the time. */
static int read_off(struct gpube_pairwise_run *s, bool backward)
{
	const double start = gpube__worked(s->b->ctx);
	struct gpube_bounder *b = s->b;
	int32_t *values = gpube__alloc_zero(b->ctx, (uint64_t)s->m->n_vars + 1, sizeof(*values));
	int32_t *room = gpube__alloc(b->ctx, (uint64_t)s->p->room, sizeof(*room));
	int status = values && room ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status) {
		if (s->relations) {
			gpube__sweeper_fetch(&s->sweeper);
			status = gpube__relations_decode(s->relations, backward, values);
		} else
			gpube__pairwise_decode(s->p, s->root, backward, values, room);
		status = status ? status : gpube__pairwise_run_report_incumbent(s, values);
	}
	if (!status && !gpube__bounder_done(b) &&
		s->searching < 0.1 * gpube__pairwise_run_worked(s))
		status = gpube__bounder_search(b, s->whole, 1000);
	s->searching += gpube__worked(s->b->ctx) - start;
	gpube__free(b->ctx, values);
	gpube__free(b->ctx, room);
	return status;
}

/* The constant of the regions, or of the relations that have grown of them, and what is missing. */
static int64_t constant_of(const struct gpube_pairwise_run *s)
{
	return s->relations ? s->sweeper.constant : s->root->constant;
}

static int32_t slack_of(const struct gpube_pairwise_run *s)
{
	return gpube__region_slack(
		constant_of(s), s->relations ? s->relations->state.target : s->root->target);
}

static int sweep(struct gpube_pairwise_run *s, int32_t *room)
{
	const double start = gpube__worked(s->b->ctx);
	const bool back = s->n_sweeps++ % 2;
	int64_t constant;

	if (s->relations)
		(void)gpube__sweeper_sweep(&s->sweeper, 1, back, &constant);
	else
		gpube__pairwise_sweep(s->p, s->root,
			back ? GPUBE__PAIRWISE_BACKWARD : GPUBE__PAIRWISE_FORWARD, 0, room);
	s->sweep = gpube__worked(s->b->ctx) - start;
	gpube__pairwise_run_update_lower(s, constant_of(s), "pairwise-consistent subproblems");
	return gpube__notes_sweeps(s, 0, 1);
}

/* Sweeps until a window of them brings less than the part 'slow' of what is missing. */
static int climb_on(struct gpube_pairwise_run *s, double slow, int32_t *room)
{
	int64_t before = constant_of(s);
	int status = GPUBE_OK;

	for (int n = 1, next = 2; !status && !gpube__bounder_done(s->b) && n <= MOST_SWEEPS; n++) {
		status = sweep(s, room);
		if (status || gpube__bounder_done(s->b) || gpube__pairwise_run_is_over(s))
			break;
		if (n == next) {
			status = read_off(s, s->n_sweeps % 2);
			gpube__pairwise_run_know(s, s->root);
			next += n / 2 + 2;
		}
		if (n % WINDOW == 0) {
			if ((double)(constant_of(s) - before) < slow * slack_of(s))
				break;
			before = constant_of(s);
			if (s->relations && !s->sweeper.on_card)
				gpube__relations_shorten(s->relations);
		}
	}
	return status;
}

static int climb(struct gpube_pairwise_run *s, double slow)
{
	int32_t *room = gpube__alloc(s->b->ctx, (uint64_t)s->p->room, sizeof(*room));
	int status = room ? GPUBE_OK : GPUBE_ENOMEM;

	if (s->relations && !status) {
		gpube__pairwise_run_ask_card(s, s->relations);
		status = gpube__sweeper_begin(&s->sweeper, s->relations);
	}
	if (!status)
		status = climb_on(s, slow, room);
	if (!status && !gpube__bounder_done(s->b))
		status = read_off(s, s->n_sweeps % 2);
	if (s->relations) {
		gpube__sweeper_fetch(&s->sweeper);
		gpube__sweeper_end(&s->sweeper);
	}
	gpube__free(s->b->ctx, room);
	return status;
}

static bool may_split(const struct gpube_pairwise_run *s)
{
	return s->b->opts->split != GPUBE_SPLIT_NEVER && !gpube__bounder_done(s->b) &&
	       !gpube__pairwise_run_is_over(s);
}

/* Relations that are to be split into cases now; grown: they may grow once more. */
static bool are_ready(const struct gpube_pairwise_run *s, bool grown)
{
	return s->relations && s->relations->plan.members && may_split(s) &&
	       !(grown && gpube__sweeper_has_room(&s->sweeper, s->relations));
}

/*
 * Larger regions, as relations, which are split into cases; where nothing may be split again and
 * again, while there is time for a few windows of them, and the largest go on for as long as they
 * bring anything.
 */
static int grow(struct gpube_pairwise_run *s)
{
	bool grown = true;
	int status = GPUBE_OK;

	if (s->cases || (s->all_grown && are_ready(s, false)))
		return gpube__pairwise_run_cases(s, &gpube__case_rules);

	while (!status && grown && !gpube__bounder_done(s->b) && !gpube__pairwise_run_is_over(s)) {
		grown = false;
		if (!s->all_grown && gpube__budget_left(&s->turn) > GROWN_SWEEPS * s->sweep)
			status = gpube__pairwise_run_grow(s, &grown);
		if (!status)
			status = climb(s, grown ? RELATION_SLOW : RELATION_STILL);
		if (!status && are_ready(s, grown))
			return gpube__pairwise_run_cases(s, &gpube__case_rules);
	}
	return status;
}

/* Larger regions where the first leave much open, then splitting; cases, once there are any. */
static int from_root(struct gpube_pairwise_run *s)
{
	int status = GPUBE_OK;

	if (s->cases)
		return gpube__pairwise_run_cases(s, &gpube__case_rules);
	if (s->b->opts->split == GPUBE_SPLIT_NEVER || s->relations ||
		!gpube__pairwise_run_little_is_open(s)) {
		gpube__pairwise_run_know(s, s->root); /* the cutoff is what shortens relations */
		status = grow(s);
		/* rather than that small regions are split for good, where much is open */
		if (!status && !s->relations && !s->cases && !s->all_grown &&
			gpube__bounder_part_proved(s->b) < MUCH_OPEN)
			s->waits = GROWN_SWEEPS * s->sweep;
	}
	return status || s->waits > 0 || s->relations || !may_split(s) || s->cases
		       ? status
		       : gpube__pairwise_run_search(s);
}

static int begin(struct gpube_pairwise_run *s)
{
	int status = gpube__notes_begin(s);

	gpube__log(s->b->ctx, GPUBE_LOG_DETAIL,
		"pairwise: %d subproblems of %d of %d variables, %d separators, %lld cells",
		s->p->n_regions, s->m->n_vars, s->b->m->n_vars, s->p->n_separators,
		(long long)s->p->n_cells);
	return status ? status : climb(s, SLOW);
}

static int end(struct gpube_pairwise_run *s, int status)
{
	s->worked = gpube__pairwise_run_worked(s);
	gpube__log(s->b->ctx, GPUBE_LOG_DETAIL,
		"pairwise: %d sweeps, %lld nodes, %lld open, %.4f s", s->n_sweeps,
		(long long)s->n_states, (long long)s->open.n, gpube__budget_spent(&s->turn));
	return status;
}

int gpube__bound_pairwise(struct gpube_bounder *b, double seconds)
{
	int status = b->state.pairwise ? GPUBE_OK : gpube__pairwise_run_new(b);
	struct gpube_pairwise_run *s = b->state.pairwise;

	if (status || !s->p)
		return status;
	s->turn = gpube__budget(b->ctx, seconds);
	s->waits = 0;
	if (s->root && !s->cases) {
		gpube__pairwise_run_know(s, s->root);
		status = begin(s);
	}
	if (!status && !gpube__bounder_done(b) && !gpube__pairwise_run_is_over(s)) {
		if (s->root)
			status = from_root(s);
		else if (may_split(s))
			status = gpube__pairwise_run_search(s);
	}
	s->paused = !status && !gpube__bounder_done(b) &&
		    (s->waits > 0 || gpube__pairwise_run_is_over(s));
	return end(s, status);
}
