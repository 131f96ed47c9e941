/*
 * pairwise_run.c - the ascent on relations as a method: there and back at the root, then what it
 * leaves open is split.
 */
#include "gpube/bound/pairwise/relation_cases.h"
#include "gpube/options/options.h"

/* Sweeps at the root, at most; of so many is judged whether they pay. */
enum { MOST_SWEEPS = 1000, WINDOW = 8 };
/*
 * Of what is missing, what a window is to bring: before the first relations are split or grow,
 * before others grow, and where they cannot.
 */
#define SLOW           0.01
#define RELATION_SLOW  0.003
#define RELATION_STILL 0.0005
/*
 * Less is proved, of what the best assignment costs: small relations are not split before they can
 * grow. Where more is, splitting them often proves the rest as better assignments come.
 */
#define MUCH_OPEN 0.8
/* And where as much is, they are split before they grow. */
#define LITTLE_OPEN 0.95
/*
 * Sweeps that relations of more entries are worth, in those of the ones before: some windows of
 * longer ones.
 */
enum { GROWN_SWEEPS = 100 };

/* An assignment from the root's costs, and a search from there for a tenth of the time. */
static int read_off(struct gpube_pairwise_run *s, bool backward)
{
	const double start = gpube__worked(s->b->ctx);
	struct gpube_bounder *b = s->b;
	int32_t *values = gpube__alloc_zero(b->ctx, (uint64_t)s->m->n_vars + 1, sizeof(*values));
	int status = values ? GPUBE_OK : GPUBE_ENOMEM;

	gpube__sweeper_fetch(&s->sweeper);
	if (!status)
		status = gpube__relations_decode(s->relations, backward, values);
	if (!status)
		status = gpube__pairwise_run_report_incumbent(s, values);
	if (!status && !gpube__bounder_done(b) &&
		s->searching < 0.1 * gpube__pairwise_run_worked(s))
		status = gpube__bounder_search(b, s->whole, 1000);
	s->searching += gpube__worked(s->b->ctx) - start;
	gpube__free(b->ctx, values);
	return status;
}

static int sweep(struct gpube_pairwise_run *s)
{
	const double start = gpube__worked(s->b->ctx);
	int64_t constant;

	constant = gpube__sweeper_sweep(&s->sweeper, 1, s->n_sweeps++ % 2, &constant);
	s->sweep = gpube__worked(s->b->ctx) - start;
	gpube__pairwise_run_update_lower(s, constant, "pairwise-consistent subproblems");
	return gpube__notes_sweeps(s, 0, 1);
}

/* Sweeps until a window of them brings less than the part 'slow' of what is missing. */
static int climb_on(struct gpube_pairwise_run *s, double slow)
{
	struct gpube_relations *l = s->relations;
	int64_t before = s->sweeper.constant;
	int status = GPUBE_OK;

	for (int n = 1, next = 2; !status && !gpube__bounder_done(s->b) && n <= MOST_SWEEPS; n++) {
		status = sweep(s);
		if (status || gpube__bounder_done(s->b) || gpube__budget_is_over(&s->turn))
			break;
		if (n == next) {
			status = read_off(s, s->n_sweeps % 2);
			gpube__pairwise_run_know(s, &l->state.target);
			next += n / 2 + 2;
		}
		if (n % WINDOW == 0) {
			const int64_t after = s->sweeper.constant;

			if ((double)(after - before) <
				slow * gpube__region_slack(after, l->state.target))
				break;
			before = after;
			if (!s->sweeper.on_card)
				gpube__relations_shorten(l);
		}
	}
	return status;
}

static int climb(struct gpube_pairwise_run *s, double slow)
{
	int status;

	gpube__pairwise_run_ask_card(s);
	status = gpube__sweeper_begin(&s->sweeper, s->relations);
	if (!status)
		status = climb_on(s, slow);
	if (!status && !gpube__bounder_done(s->b))
		status = read_off(s, s->n_sweeps % 2);
	gpube__sweeper_fetch(&s->sweeper);
	gpube__sweeper_end(&s->sweeper);
	return status;
}

static bool may_split(const struct gpube_pairwise_run *s)
{
	return s->b->opts->split != GPUBE_SPLIT_NEVER && !gpube__bounder_done(s->b) &&
	       !gpube__budget_is_over(&s->turn);
}

/* Relations that are to be split into cases now; grown: they may grow once more. */
static bool are_ready(const struct gpube_pairwise_run *s, bool grown)
{
	return s->grown && may_split(s) &&
	       !(grown && gpube__sweeper_has_room(&s->sweeper, s->relations));
}

/*
 * Larger relations, which are split into cases; where nothing may be split again and again, while
 * there is time for a few windows of them, and the largest go on for as long as they bring
 * anything.
 */
static int grow(struct gpube_pairwise_run *s)
{
	bool grown = true;
	int status = GPUBE_OK;

	if (s->cases || are_ready(s, !s->all_grown))
		return gpube__pairwise_run_cases(s, &gpube__case_rules);

	while (!status && grown && !gpube__bounder_done(s->b) && !gpube__budget_is_over(&s->turn)) {
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

/* Larger relations where the first leave much open, then splitting; cases, once there are any. */
static int from_root(struct gpube_pairwise_run *s)
{
	int status = GPUBE_OK;

	if (s->cases)
		return gpube__pairwise_run_cases(s, &gpube__case_rules);
	if (s->b->opts->split == GPUBE_SPLIT_NEVER || s->grown || s->must_grow ||
		gpube__bounder_part_proved(s->b) <= LITTLE_OPEN) {
		/* the cutoff is what shortens relations */
		gpube__pairwise_run_know(s, &s->relations->state.target);
		status = grow(s);
		/* rather than that small relations are split where much is open */
		if (!status && !s->grown && !s->all_grown &&
			(s->must_grow || gpube__bounder_part_proved(s->b) < MUCH_OPEN))
			s->waits = GROWN_SWEEPS * s->sweep;
	}
	if (status || s->waits > 0 || s->grown || !may_split(s))
		return status;
	status = gpube__pairwise_run_search(s);
	/* where it brought too little, larger relations come next */
	return !status && !s->branches && may_split(s) ? from_root(s) : status;
}

static int begin(struct gpube_pairwise_run *s)
{
	int status = gpube__notes_begin(s);

	gpube__log(s->b->ctx, GPUBE_LOG_DETAIL,
		"pairwise: %d subproblems of %d of %d variables, %d separators, %lld tuples",
		s->relations->n_relations, s->m->n_vars, s->b->m->n_vars,
		s->relations->plan.n_separators, (long long)s->relations->n_entries);
	gpube__pairwise_run_update_lower(
		s, s->relations->state.constant, "pairwise-consistent subproblems");
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

	if (status || !gpube__pairwise_run_fits(s))
		return status;
	s->turn = gpube__budget(b->ctx, seconds);
	s->waits = 0;
	if (!s->cases && !s->branches) {
		gpube__pairwise_run_know(s, &s->relations->state.target);
		status = begin(s);
	}
	if (!status && s->branches && may_split(s))
		status = gpube__pairwise_run_search(s);
	if (!status && !s->branches && !gpube__bounder_done(b) && !gpube__budget_is_over(&s->turn))
		status = from_root(s);
	s->paused = !status && !gpube__bounder_done(b) &&
		    (s->waits > 0 || gpube__budget_is_over(&s->turn));
	return end(s, status);
}
