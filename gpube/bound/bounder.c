/* bounder.c - see bounder.h. */
#include "gpube/bound/bounder.h"
#include "gpube/bound/schedule/schedule.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpube/bound/reparam.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/sat.h"

/* ---- kinds of problems ------------------------------------------------------------------- */

bool gpube__bounder_dense(const struct gpube_bounder *b)
{
	return b->m->n_vars <= 10 + 3 * b->order_cost.width;
}

bool gpube__bounder_prefers_joins(const struct gpube_bounder *b)
{
	return !gpube__bounder_dense(b) && b->made.mean_domain < GPUBE__WIDE_DOMAIN;
}

double gpube__bounder_part_proved(const struct gpube_bounder *b)
{
	const double least = (double)gpube__constant_of(b->m);
	const int64_t end = b->upper < b->given_cutoff ? b->upper : b->given_cutoff;

	return end == GPUBE_INF ? 0 : ((double)b->lower - least) / ((double)end - least);
}

double gpube__bounder_open(const struct gpube_bounder *b)
{
	const int64_t end = b->upper < b->given_cutoff ? b->upper : b->given_cutoff;

	return end == GPUBE_INF ? INFINITY : (double)end - (double)b->lower;
}

/* ---- telling ------------------------------------------------------------------- */

/* A total with the decimals and direction of the file; "-": none is known. */
static const char *total_text(
	char text[GPUBE_DECIMAL_TEXT], const struct gpube_bounder *b, int64_t total)
{
	if (total >= GPUBE_INF || total <= -GPUBE_INF)
		return "-";
	return gpube__decimal_text(text, gpube__given_total(b, total), b->costs->scale);
}

void gpube__bounder_tell(const struct gpube_bounder *b, const char *by)
{
	char lower[GPUBE_DECIMAL_TEXT], upper[GPUBE_DECIMAL_TEXT];
	const bool both = b->upper != GPUBE_INF && b->lower > -GPUBE_INF;
	const double cost = both ? fabs((double)gpube__given_total(b, b->upper)) : 0;
	const struct gpube_log said = {.seconds = gpube__now() - b->told.start,
		.worked = gpube__bounder_worked(b),
		.proved = total_text(lower, b, b->lower),
		.found = b->upper == GPUBE_INF ? NULL : total_text(upper, b, b->upper),
		.maximise = b->s.negated,
		.gap = cost > 0 ? ((double)b->upper - (double)b->lower) / cost : -1,
		.by = by};

	gpube__log_bounds(b->ctx, said);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "ticks of work so far: %.9g",
		1e9 * gpube__worked(b->ctx));
}

const char *gpube__bounder_changed(char text[GPUBE__BOUNDS_TEXT], const struct gpube_bounder *b)
{
	const int64_t totals[4] = {b->told.noted_lower, b->lower, b->told.noted_upper, b->upper};
	char of[4][GPUBE_DECIMAL_TEXT];
	const char *t[4];

	for (int k = 0; k < 4; k++)
		t[k] = total_text(of[k], b, totals[(k + 2 * b->s.negated) % 4]);
	snprintf(
		text, GPUBE__BOUNDS_TEXT, "lower %s to %s, upper %s to %s", t[0], t[1], t[2], t[3]);
	return text;
}

void gpube__bounder_tell_simplified(struct gpube_ctx *ctx, const struct gpube_simplified *s)
{
	gpube__log(ctx, GPUBE_LOG_DETAIL,
		"simplified to %d variable%s, %d function%s, %d component%s (%d observed, %lld "
		"value%s removed, %d variable%s fixed, %d function%s merged, %d absorbed)",
		s->model->n_vars, gpube__plural(s->model->n_vars), s->model->n_functions,
		gpube__plural(s->model->n_functions), s->n_components,
		gpube__plural(s->n_components), s->n_evidence, (long long)s->n_values_removed,
		gpube__plural(s->n_values_removed), s->n_vars_fixed, gpube__plural(s->n_vars_fixed),
		s->n_merged, gpube__plural(s->n_merged), s->n_absorbed);
}

/* Adds a step, and drops every other one when there are thousands. Without memory it adds none. */
static void add_step(
	struct gpube_ctx *ctx, struct gpube_steps *s, double seconds, int64_t bound, int64_t cost)
{
	enum { MOST = 4096 };

	if (s->n == MOST) {
		for (int64_t k = 0; k < MOST / 2; k++)
			s->step[k] = s->step[2 * k];
		s->n = MOST / 2;
	}
	if (!gpube__grow(ctx, &s->step, &s->capacity, s->n + 1, sizeof(*s->step)))
		s->step[s->n++] = (struct gpube_step){seconds, bound, cost};
}

static void step(struct gpube_bounder *b)
{
	b->told.n_improved++;
	add_step(b->ctx, &b->told.steps, gpube__now() - b->told.start, b->lower, b->upper);
}

void gpube__bounder_progress(struct gpube_bounder *b, const char *by)
{
	const struct gpube_opts *o = b->opts;
	const struct gpube_progress now = {.seconds = gpube__now() - b->told.start,
		.bound = gpube__given_total(b, b->lower == INT64_MIN ? -GPUBE_INF : b->lower),
		.cost = gpube__given_total(b, b->upper),
		.scale = b->costs->scale,
		.values = b->upper == GPUBE_INF ? NULL : b->told.extended,
		.by = by};

	if (!o->progress || *b->told.ended || !o->progress(o->progress_arg, &now))
		return;
	(void)gpube__end_by(b->ctx, gpube__now());
	*b->told.ended = true;
}

void gpube__bounder_set_cutoff(struct gpube_bounder *b, int64_t cutoff)
{
	b->given_cutoff = cutoff;
	/* a cutoff above all totals prunes nothing, and scaled cutoffs may overflow */
	if (cutoff < b->cutoff && (__int128)cutoff - gpube__constant_of(b->m) < b->made.span)
		b->cutoff = cutoff;
}

void gpube__bounder_poll(struct gpube_bounder *b)
{
	if (!b->told.learned)
		b->told.learned = gpube__bounder_learn(b, false);
}

bool gpube__bounder_save_is_due(const struct gpube_bounder *b, int held)
{
	const struct gpube__saver *s = b->told.saver;

	return s && s->held == held && s->every > 0 && gpube__now() - s->saved >= s->every;
}

void gpube__bounder_save_if_due(struct gpube_bounder *b, int held)
{
	if (gpube__bounder_save_is_due(b, held))
		b->told.saver->save(b);
}

void gpube__bounder_hold_saves(struct gpube_bounder *b, int more)
{
	if (b->told.saver)
		b->told.saver->held += more;
}

void gpube__bounder_update_lower(struct gpube_bounder *b, int64_t lower, const char *by)
{
	gpube__bounder_poll(b);
	if (lower > b->cutoff && lower != GPUBE_INF)
		lower = b->cutoff; /* totals from the cutoff on were not distinguished */
	lower = gpube__bounder_whole(b, lower);
	if (lower <= b->lower)
		return;
	b->lower = lower;
	b->told.seconds_lower = gpube__now() - b->told.start;
	step(b);
	if (b->told.watch && b->told.watch->improved)
		b->told.watch->improved(b->told.watch->arg, gpube__given_total(b, lower), 0, NULL);
	if (lower != GPUBE_INF) {
		gpube__bounder_tell(b, by);
		gpube__bounder_progress(b, by);
	}
	gpube__bounder_save_if_due(b, 0);
}

void gpube__bounder_update_scaled(
	struct gpube_bounder *b, int shift, int64_t constant, int64_t target, const char *by)
{
	const int64_t bound =
		gpube__scaled_bound(b->tables, shift, constant, target, gpube__tables_cutoff(b));

	gpube__bounder_update_lower(b, gpube__tables_bound(b, bound), by);
}

void gpube__bounder_lower_target(const struct gpube_bounder *b, int shift, int64_t *target)
{
	gpube__scale_lower(target, shift, b->tables, gpube__tables_cutoff(b));
}

int64_t gpube__bounder_missing(
	const struct gpube_bounder *b, int shift, int64_t constant, int64_t target)
{
	gpube__scale_lower(&target, shift, b->tables,
		gpube__tables_total(b, b->upper < b->cutoff ? b->upper : b->cutoff));
	return target - constant;
}

int gpube__bounder_report_incumbent(struct gpube_bounder *b, const int32_t *values, const char *by)
{
	int64_t total, cost, below;
	int status = gpube_model_cost(&total, b->m, values);

	if (status || total >= b->upper || total == GPUBE_INF)
		return status;
	gpube__simplified_extend(&b->s, b->told.extended, values);
	status = gpube_model_cost(&cost, b->costs, b->told.extended);
	if (status)
		return status;
	if (cost != gpube__given_total(b, total))
		return gpube__fail(b->ctx, GPUBE_EBUG,
			"internal error: an assignment costs %lld, not %lld; please report this",
			(long long)cost, (long long)total);
	if (total < b->lower)
		return gpube__fail(b->ctx, GPUBE_EBUG,
			"internal error: an assignment costs %lld, below the bound %lld; please "
			"report this",
			(long long)total, (long long)b->lower);
	b->upper = total;
	/* (of a total that is proved nothing more is sought, and no cutoff is below all totals) */
	below = b->made.unit > 1 && total > b->lower ? total - b->made.unit + 1 : total;
	if (below < b->cutoff && !(b->state.reparam && !b->opts->prune))
		b->cutoff = below;
	memcpy(b->best, values, (size_t)b->m->n_vars * sizeof(*values));
	b->told.seconds_upper = gpube__now() - b->told.start;
	step(b);
	if (b->told.watch && b->told.watch->improved)
		b->told.watch->improved(b->told.watch->arg, gpube__given_total(b, b->lower), cost,
			b->told.extended);
	gpube__bounder_tell(b, by);
	gpube__bounder_progress(b, by);
	gpube__bounder_save_if_due(b, 0);
	return GPUBE_OK;
}

int gpube__bounder_search(struct gpube_bounder *b, const int32_t *from, int64_t steps)
{
	int status = GPUBE_OK;

	if (!b->state.search)
		status = gpube__search_new(&b->state.search, b->ctx, b->m, b->opts->seed);
	if (!status && b->upper < GPUBE_INF)
		gpube__search_take(b->state.search, b->best, b->upper);
	if (!status && gpube__search_run(b->state.search, from, steps))
		status = gpube__bounder_report_incumbent(b, b->state.search->best, "local search");
	return status;
}

int gpube__bounder_search_for(struct gpube_bounder *b, double seconds)
{
	enum { STEPS = 256 };
	const struct gpube_budget budget = gpube__budget(b->ctx, seconds);
	int status = GPUBE_OK;

	while (!status && !gpube__budget_is_over(&budget) && !gpube__bounder_done(b)) {
		const double before = gpube__worked(b->ctx);

		status = gpube__bounder_search(b, NULL, STEPS);
		if (!status && gpube__worked(b->ctx) <= before)
			status = GPUBE__DONE;
	}
	return status;
}

/* ---- what others have found ---------------------------------------------------------------- */

bool gpube__bounder_reduce(const struct gpube_bounder *b, int32_t *to, const int32_t *values)
{
	bool settled = false;

	memset(to, 0, (size_t)b->m->n_vars * sizeof(*to));
	while (!settled) {
		settled = true;
		for (int32_t i = 0; i < b->s.n_vars; i++) {
			const int32_t var = b->s.var[i], *known = b->s.values[i];

			if (var < 0 && var != GPUBE__SETTLED && b->s.value[i] != values[i])
				return false;
			for (; var >= 0 && (known ? known[to[var]] : to[var]) != values[i];
				settled = false)
				if (++to[var] == b->m->vars[var].domain)
					return false;
		}
	}
	return true;
}

static int take_assignment(struct gpube_bounder *b, const int32_t *values)
{
	/* a method may have something in b->tried */
	int32_t *to = gpube__alloc(b->ctx, (uint64_t)b->m->n_vars + 1, sizeof(*to));
	int status = to ? GPUBE_OK : GPUBE_ENOMEM;

	if (to && gpube__bounder_reduce(b, to, values))
		status = gpube__bounder_report_incumbent(b, to, "another rank");
	gpube__free(b->ctx, to);
	return status;
}

int gpube__bounder_learn(struct gpube_bounder *b, bool all)
{
	const struct gpube_watch *watch = b->told.watch;
	struct gpube__learned now = {.scale = b->costs ? b->costs->scale : 0};
	int status = b->told.learned;

	b->told.learned = GPUBE_OK;
	if (status || !b->best || !watch || !watch->learn || !watch->learn(watch->arg, all, &now))
		return status;
	if (now.values)
		status = take_assignment(b, now.values);
	if (!status && now.proved)
		gpube__bounder_update_lower(b, gpube__given_total(b, now.bound), "another rank");
	return status;
}

bool gpube__bounder_wait(struct gpube_bounder *b)
{
	const struct gpube_watch *watch = b->told.watch;
	const bool any = watch && watch->wait && !gpube__bounder_done(b) &&
			 !gpube__stopped(b->ctx) && watch->wait(watch->arg);

	gpube__bounder_poll(b);
	return any;
}

/* ---- stages --------------------------------------------------------------------- */

int gpube__bounder_note(struct gpube_bounder *b, struct gpube_stage turn)
{
	const double now = gpube__now(), cpu = gpube__cpu_seconds();
	int status = gpube__grow(b->ctx, &b->told.runs, &b->told.runs_capacity, b->told.n_runs + 1,
		sizeof(*b->told.runs));

	turn.seconds = now - b->told.noted;
	turn.seconds_cpu = cpu - b->told.noted_cpu;
	turn.bound_before = b->told.noted_lower;
	turn.cost_before = b->told.noted_upper;
	turn.bound = b->lower;
	turn.cost = b->upper;
	if (!status)
		b->told.runs[b->told.n_runs++] = turn;
	b->told.noted = now;
	b->told.noted_cpu = cpu;
	b->told.noted_lower = b->lower;
	b->told.noted_upper = b->upper;
	return status;
}

bool gpube__bounder_falls_back(const struct gpube_bounder *b, int status, const char *stage)
{
	if (status != GPUBE_ENOMEM && status != GPUBE_ELIMIT && status != GPUBE_ERANGE &&
		status != GPUBE_ECUDA)
		return false;
	gpube__log(b->ctx, GPUBE_LOG_NOTE, "%s given up: %s", stage, gpube_error(b->ctx));
	return true;
}

int gpube__bounder_room(struct gpube_bounder *b, uint64_t n)
{
	b->memory.ctx = b->ctx;
	b->best = gpube__array(&b->memory, n, sizeof(*b->best));
	b->tried = gpube__array(&b->memory, n, sizeof(*b->tried));
	b->order = gpube__array(&b->memory, n, sizeof(*b->order));
	b->told.extended =
		gpube__array(&b->memory, (uint64_t)b->given->n_vars, sizeof(*b->told.extended));
	for (uint64_t i = 0; b->order && i < n; i++)
		b->order[i] = (int32_t)i; /* some order, until one is known */
	return b->memory.failed ? GPUBE_ENOMEM : GPUBE_OK;
}

void gpube__bounder_clear(struct gpube_bounder *b)
{
	gpube__search_free(b->state.search);
	gpube__sat_free(b->state.sat);
	gpube__arrays_clear(&b->memory);
	GPUBE_FREE_ALL(b->ctx, b->told.runs, b->told.steps.step, b->state.schedule);
	gpube__orders_free(b->ctx, b->state.orders);
	gpube__simplified_clear(b->ctx, &b->s);
	gpube_model_free(b->made.kept);
	gpube_model_free(b->made.quantised);
}

void gpube__bounder_share(struct gpube_bounder *b, enum gpube__shared_kind kind, void *of)
{
	b->told.watch->share(b->told.watch->arg, kind, of);
}

void gpube__bounder_turn(struct gpube_bounder *b, enum gpube__shared_kind kind)
{
	if (b->told.watch->turn)
		b->told.watch->turn(b->told.watch->arg, kind);
}
