/* checkpoint.c - a run as numbers, and back: see checkpoint.h. */
#include "gpube/bound/checkpoint/checkpoint.h"

#include "gpube/bound/bound.h"
#include "gpube/bound/dfs_tree.h"
#include "gpube/bound/pairwise/relation_cases.h"
#include "gpube/bound/schedule/methods.h"
#include "gpube/ir/dense.h"
#include "gpube/ir/model_bytes.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void put_order(struct gpube__bytes *to, const struct gpube_bounder *b)
{
	const bool known = b->order_cost.joined_cells > 0;

	gpube__put(to, known);
	if (!known)
		return;
	gpube__put_all(to, b->order, b->m->n_vars);
	gpube__put(to, b->order_cost.width);
	gpube__put_real(to, b->order_cost.joined_cells);
	gpube__put_real(to, b->order_cost.largest_joined);
	gpube__put_real(to, b->order_cost.largest_message);
}

static void put_schedule(struct gpube__bytes *to, const struct gpube__schedule *s)
{
	gpube__put(to, s ? s->n : 0);
	if (!s)
		return;
	gpube__put(to, s->round);
	gpube__put_real(to, s->budget);
	for (int i = 0; i < s->n; i++) {
		const struct gpube__scheduled *m = &s->of[i];

		gpube__put_real(to, m->weight);
		gpube__put_real(to, m->credit);
		gpube__put(to, m->idle);
		gpube__put(to, m->failures);
		gpube__put(to, m->out && m->mark < 0); /* for good */
	}
}

void gpube__put_run(
	struct gpube__bytes *to, const struct gpube_bounder *b, enum gpube__run_kept kept)
{
	/* tables that a reader would not take are begun anew */
	const bool reparametrised = b->tables != b->m && gpube__costs_fit(b->tables);
	const bool with_nodes = kept == GPUBE__RUN_WITH_NODES;
	struct gpube_relation_cases *cases =
		with_nodes && b->state.pairwise ? b->state.pairwise->cases : NULL;
	struct gpube__bytes kept_cases = {.ctx = to->ctx};
	const bool tree = kept != GPUBE__RUN_WITHOUT_TREE && b->state.tree && b->state.tree->t;

	gpube__put(to, b->costs->scale);
	gpube__put(to, (int64_t)gpube__model_hash(b->costs));
	gpube__put_simplified(to, &b->s);
	gpube__put(to, reparametrised);
	gpube__put(to, reparametrised ? b->made.finer : 0);
	if (reparametrised)
		gpube__put_model(to, b->tables);
	gpube__put(to, b->given_cutoff);
	gpube__put(to, b->upper);
	if (b->upper != GPUBE_INF)
		gpube__put_all(to, b->best, b->m->n_vars);
	gpube__put(to, b->lower);
	gpube__put(to, b->state.reparametrised);
	put_order(to, b);
	put_schedule(to, b->state.schedule);
	gpube__put(to, cases != NULL);
	if (cases)
		gpube__put_cases(&kept_cases, cases);
	if (cases)
		(void)gpube__pack(to, &kept_cases);
	gpube__bytes_clear(&kept_cases);
	/* a graph of tables that are not in it would be read as one of others */
	if (with_nodes && (reparametrised || b->tables == b->m))
		gpube__put_climb(to, b);
	else
		gpube__put(to, 0);
	gpube__put(to, tree);
	if (tree)
		gpube__put_tree(to, b->state.tree, with_nodes);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* More than costs are ever multiplied by. */
enum { MOST_FINER = 62 };

static int get_tables(struct gpube_bounder *b, struct gpube__bytes *from)
{
	const bool reparametrised = gpube__get(from, 0, 1);
	struct gpube_model *tables;
	bool same;

	b->made.finer = (int)gpube__get(from, 0, reparametrised ? MOST_FINER : 0);
	if (from->status || !reparametrised || gpube__get_model(&tables, from))
		return from->status;
	same = tables->n_vars == b->s.model->n_vars;
	for (int32_t i = 0; same && i < tables->n_vars; i++)
		same = tables->vars[i].domain == b->s.model->vars[i].domain;
	b->tables = b->made.kept = tables;
	if (!same)
		return gpube__damaged(from, "its two models have other variables");
	return gpube__costs_fit(tables)
		       ? GPUBE_OK
		       : gpube__damaged(from, "its second model has costs that no ascent leaves");
}

int gpube__get_run(struct gpube_bounder *b, struct gpube__bytes *from)
{
	const int scale = (int)gpube__get(from, 0, 18);
	const int64_t hash = gpube__get(from, INT64_MIN, INT64_MAX);
	int status = from->status;

	b->costs = b->given;
	if (!status && b->given->kind == GPUBE_POTENTIALS) {
		b->made.precision = scale;
		status = gpube__quantise(&b->made.quantised, b->given, scale);
		b->costs = b->made.quantised;
	}
	if (status)
		return status;
	if (b->costs->scale != scale || (int64_t)gpube__model_hash(b->costs) != hash)
		return gpube__fail(b->ctx, GPUBE_EINVAL, "it is of another model");
	if (gpube__get_simplified(&b->s, from, b->costs))
		return from->status;
	b->m = b->tables = b->s.model;
	return get_tables(b, from);
}

static int get_incumbent(struct gpube_bounder *b, struct gpube__bytes *from)
{
	const int64_t upper = gpube__get(from, -GPUBE_INF, GPUBE_INF);
	int64_t lower;
	int status;

	for (int32_t i = 0; upper != GPUBE_INF && i < b->m->n_vars; i++)
		b->tried[i] = (int32_t)gpube__get(from, 0, (int64_t)b->m->vars[i].domain - 1);
	lower = gpube__get(from, -GPUBE_INF, GPUBE_INF);
	if (from->status)
		return from->status;
	status = upper == GPUBE_INF ? GPUBE_OK
				    : gpube__bounder_report_incumbent(b, b->tried, "checkpoint");
	if (status)
		return status;
	if (b->upper != upper)
		return gpube__damaged(from, "its assignment does not cost what it says");
	gpube__bounder_update_lower(b, lower, "checkpoint");
	return GPUBE_OK;
}

static int get_order(struct gpube_bounder *b, struct gpube__bytes *from)
{
	const int32_t n = b->m->n_vars;
	struct gpube_order_cost *cost = &b->order_cost;

	if (!gpube__get(from, 0, 1))
		return from->status;
	for (int32_t i = 0; i < n; i++)
		b->tried[i] = -1;
	for (int32_t k = 0; k < n && !from->status; k++) {
		b->order[k] = (int32_t)gpube__get(from, 0, (int64_t)n - 1);
		if (b->tried[b->order[k]]++ >= 0)
			(void)gpube__damaged(from, "its order has a variable twice");
	}
	cost->width = (int32_t)gpube__get(from, 0, n);
	cost->joined_cells = gpube__get_real(from);
	cost->largest_joined = gpube__get_real(from);
	cost->largest_message = gpube__get_real(from);
	return from->status;
}

/* Of other methods than there are now it is read, and forgotten. */
static int get_schedule(struct gpube_bounder *b, struct gpube__bytes *from)
{
	const int n = (int)gpube__get(from, 0, GPUBE__MOST_METHODS);
	struct gpube__schedule *s;

	if (from->status || !n)
		return from->status;
	s = b->state.schedule = gpube__alloc(b->ctx, 1, sizeof(*s));
	if (!s)
		return GPUBE_ENOMEM;
	gpube__schedule_init(s, n);
	s->round = (int)gpube__get(from, 0, INT32_MAX / 2);
	s->budget = gpube__get_real(from);
	if (!(s->budget >= GPUBE__FIRST_ROUND))
		(void)gpube__damaged(from, "a round in it is too short");
	for (int i = 0; i < n; i++) {
		struct gpube__scheduled *m = &s->of[i];

		m->weight = gpube__get_real(from);
		m->credit = gpube__get_real(from);
		m->idle = (int)gpube__get(from, 0, INT32_MAX - 1);
		m->failures = (int)gpube__get(from, 0, INT32_MAX - 1);
		m->out = gpube__get(from, 0, 1);
		m->mark = -1;
	}
	if (n != GPUBE__N_METHODS) {
		gpube__free(b->ctx, s);
		b->state.schedule = NULL;
	}
	return from->status;
}

/* Whether totals up to the cutoff fit when they are in units of the tables. */
static int check_finer(const struct gpube_bounder *b)
{
	const __int128 unit = (__int128)1 << b->made.finer;
	const int64_t totals[] = {gpube__constant_of(b->m), b->cutoff};

	for (int k = 0; k < 2 && b->made.finer; k++)
		if (totals[k] != GPUBE_INF &&
			(totals[k] * unit >= GPUBE_INF || totals[k] * unit <= -GPUBE_INF))
			return gpube__fail(b->ctx, GPUBE_EPARSE,
				"costs in it are multiplied by more than they can be");
	return GPUBE_OK;
}

static int get_cases(struct gpube_bounder *b, struct gpube__bytes *from)
{
	struct gpube__bytes cases = {.ctx = from->ctx};
	int status;

	if (!gpube__get(from, 0, 1))
		return from->status;
	status = gpube__unpack(&cases, from);
	if (!status && !gpube__bounder_done(b))
		status = gpube__get_cases(b, &cases);
	gpube__bytes_clear(&cases);
	return status;
}

int gpube__get_state(struct gpube_bounder *b, struct gpube__bytes *from)
{
	const int64_t cutoff = gpube__get(from, -GPUBE_INF, GPUBE_INF);
	int status = get_incumbent(b, from);

	if (!status && cutoff != GPUBE_INF)
		gpube__bounder_set_cutoff(b, cutoff);
	if (!status)
		status = check_finer(b);
	b->state.reparametrised = gpube__get(from, 0, 1);
	if (!status)
		status = get_order(b, from);
	if (!status)
		status = get_schedule(b, from);
	if (!status)
		status = get_cases(b, from);
	if (!status)
		status = gpube__get_climb(b, from);
	if (!status && gpube__get(from, 0, 1) && !gpube__bounder_done(b))
		status = gpube__get_tree(b, from);
	return status ? status : from->status;
}
