/*
 * infer_slices.c - sums in slices, where tables pass the memory: see infer.h.
 *
 * A slice fixes some variables, as evidence does; sums and weights of all slices add up. The
 * variables are chosen as those of elimination's boxes are (order/split_var.h), but for single
 * values, not ranges: the buckets stay what they are, but for a domain of one value.
 *
 * What is summed so far is a lower bound of the sum: it is kept where the work is stopped.
 */
#include "gpube/infer/infer.h"
#include "gpube/options/options.h"
#include "gpube/order/split_var.h"

#include <math.h>
#include <string.h>

enum { MOST_SLICES = 1 << 16 };

/* A bound of what a slice takes beside its cells: what is made ready for each of its buckets. */
#define BUCKET_CELLS 5000

/* Positions, and how many values they have; 'n' slices. */
struct gpube_infer_splits {
	int n_splits;
	int32_t split[GPUBE_MOST_SPLITS], values[GPUBE_MOST_SPLITS];
	int64_t n;
	struct gpube_plan plan; /* of the largest one */
};

struct slicing {
	struct gpube__inferring *j;
	struct gpube_slice_job job;
	int32_t *order;
	struct gpube_wide *weights; /* of all values of all variables */
	double roundings, most_roundings;
};

/* ---- which variables ----------------------------------------------------------------- */

/* As if the variable had one value; returns how many it had. */
static int32_t narrow(struct gpube__inferring *j, int32_t position, int32_t n)
{
	int32_t *had = &j->possible.n[j->var[position]];
	const int32_t before = *had;

	*had = n;
	return before;
}

static void measure(struct gpube_plan *plan, const struct gpube__inferring *j)
{
	plan->joined_cells = plan->largest_joined = 0;
	plan->peak_bytes = gpube__infer_peak(j);
	for (int32_t b = 0; b < j->n; b++) {
		const double joined = gpube__infer_joined(j, b);

		plan->joined_cells += joined;
		plan->largest_joined = fmax(plan->largest_joined, joined);
	}
}

/* The variables of the largest joined tables. */
static int find_candidates(int32_t *candidates, int *n, const struct gpube__inferring *j)
{
	double *cells = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*cells));

	if (!cells)
		return GPUBE_ENOMEM;
	for (int32_t b = 0; b < j->n; b++)
		for (int k = 0; k < j->buckets[b].arity; k++)
			cells[gpube__infer_scope(j, b)[k]] += gpube__infer_joined(j, b);
	*n = gpube__split_var_candidates(candidates, cells, j->n);
	gpube__free(j->ctx, cells);
	return GPUBE_OK;
}

/* A choice to be made: with the splits so far, which have one value. */
struct choice {
	const struct gpube_infer_splits *splits;
	struct gpube__inferring *j;
};

static int32_t most_values(const void *arg, int32_t position)
{
	const struct choice *c = arg;
	const int32_t n = gpube__infer_domain(c->j, position);

	return n <= MOST_SLICES / c->splits->n ? n : 0;
}

static int cost_of_split(
	const void *arg, int32_t position, int32_t n, double *seconds, double *bytes)
{
	const struct choice *c = arg;
	struct gpube_plan plan;

	narrow(c->j, position, 1);
	measure(&plan, c->j);
	narrow(c->j, position, n);
	/* of one speed */
	*seconds = (double)c->splits->n * n * (plan.joined_cells + (double)BUCKET_CELLS * c->j->n);
	*bytes = plan.peak_bytes;
	return GPUBE_OK;
}

/* Slices that are not needed for memory, but wanted, may make the whole so many times as much. */
#define MOST_MORE 2

static bool is_too_much(const struct gpube_infer_splits *c, double whole)
{
	return (double)c->n * c->plan.joined_cells > MOST_MORE * whole;
}

static bool fits(const struct gpube_infer_splits *c, double limit, int64_t needed)
{
	return c->plan.peak_bytes <= limit && c->n >= needed;
}

/*
 * Until what a slice takes fits and there are as many as are needed, and as are wanted if that does
 * not make the whole too much more. ELIMIT: there would be too many.
 */
static int choose(struct gpube_infer_splits *c, struct gpube__inferring *j, double limit,
	int64_t needed, int64_t wanted)
{
	const struct choice choice = {c, j};
	int32_t candidates[GPUBE__SPLIT_VAR_CANDIDATES];
	struct gpube_split_var_question q = {.ctx = j->ctx,
		.candidates = candidates,
		.limit = limit,
		.values = true,
		.most = most_values,
		.cost = cost_of_split,
		.arg = &choice};
	struct gpube_split_var_answer a = {0};
	double whole;
	int status = GPUBE_OK;

	c->n = 1;
	measure(&c->plan, j);
	if (gpube__split_var_is_hopeless(c->plan.peak_bytes, limit, MOST_SLICES))
		return GPUBE_ELIMIT;
	whole = c->plan.joined_cells;
	while (!status && (!fits(c, limit, needed) || c->n < wanted)) {
		const struct gpube_infer_splits before = *c;
		const bool fitted = fits(c, limit, needed);

		status = c->n_splits == GPUBE_MOST_SPLITS
				 ? GPUBE_ELIMIT
				 : find_candidates(candidates, &q.n_candidates, j);
		if (!status)
			status = gpube__split_var_choose(&a, &q);
		if (status)
			break;
		c->split[c->n_splits] = a.candidate;
		c->values[c->n_splits++] = narrow(j, a.candidate, 1);
		c->n *= a.n;
		measure(&c->plan, j);
		if (!fitted) {
			whole = (double)c->n * c->plan.joined_cells;
		} else if (is_too_much(c, whole)) {
			narrow(j, a.candidate, c->values[before.n_splits]);
			*c = before;
			break;
		}
	}
	for (int k = 0; k < c->n_splits; k++)
		narrow(j, c->split[k], c->values[k]);
	/* no more can be cut, which is no need */
	return status == GPUBE_ELIMIT && fits(c, limit, needed) ? GPUBE_OK : status;
}

int gpube__infer_split(struct gpube__inferring *j, double bytes, int64_t needed)
{
	struct gpube_infer_splits *c = gpube__alloc_zero(j->ctx, 1, sizeof(*c));
	struct gpube_plan *plan = &j->out->plan;
	char text[GPUBE_BYTES_TEXT];
	const double before = plan->joined_cells;
	int status =
		c ? choose(c, j, bytes, needed, j->slicer ? j->slicer->wanted : 1) : GPUBE_ENOMEM;

	if (status || c->n == 1) {
		gpube__free(j->ctx, c);
		return status;
	}
	plan->n_slices = (int32_t)c->n;
	plan->joined_cells = (double)c->n * c->plan.joined_cells;
	plan->largest_joined = c->plan.largest_joined;
	plan->peak_bytes = c->plan.peak_bytes;
	plan->predicted_seconds *=
		plan->joined_cells / before / (j->slicer ? j->slicer->n_workers : 1);
	gpube__log(j->ctx, GPUBE_LOG_DETAIL,
		"%lld slice%s of %d variable%s: %.3g joined cell%s and %s each", (long long)c->n,
		gpube__plural(c->n), c->n_splits, gpube__plural(c->n_splits), c->plan.joined_cells,
		gpube__plural(c->plan.joined_cells), gpube__bytes_text(text, c->plan.peak_bytes));
	j->slices = c;
	return GPUBE_OK;
}

/*
 * A card sums many times as fast as the host: slices that fit its memory alone are better than
 * fewer ones that need the host's too, unless they join so many times as many cells.
 * (runs/devices-h200)
 */
#define CARD_MORE 4

int gpube__infer_split_to_fit(struct gpube__inferring *j, double part, int64_t needed)
{
	const double room = part * gpube__infer_room(j),
		     card = j->side ? part * (double)j->card.ops->memory(j->ctx) : room;
	struct gpube_infer_splits *few;
	const struct gpube_plan whole = j->out->plan;
	struct gpube_plan plan;
	int status = gpube__infer_split(j, room, needed);

	if (status || card >= room || j->out->plan.peak_bytes <= card)
		return status;
	few = j->slices;
	plan = j->out->plan;
	j->slices = NULL;
	j->out->plan = whole;
	status = gpube__infer_split(j, card, needed);
	if (!status && j->out->plan.joined_cells <= CARD_MORE * plan.joined_cells) {
		gpube__free(j->ctx, few);
		return GPUBE_OK;
	}
	gpube__free(j->ctx, j->slices);
	j->slices = few;
	j->out->plan = plan;
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

/* ---- one slice after the other ------------------------------------------------------- */

static int slicing_begin(struct slicing *s)
{
	struct gpube__inferring *j = s->j;
	const struct gpube_infer_splits *c = j->slices;
	const struct gpube_possible *p = &j->possible;
	const int32_t n = j->m->n_vars;
	int32_t at = j->n;

	s->order = gpube__alloc(j->ctx, (uint64_t)n, sizeof(*s->order));
	if (!s->order)
		return GPUBE_ENOMEM;
	memcpy(s->order, j->var, (size_t)j->n * sizeof(*s->order));
	for (int32_t i = 0; i < n; i++)
		if (j->position[i] < 0)
			s->order[at++] = i;
	s->job = (struct gpube_slice_job){.order = s->order, .n_splits = c->n_splits, .n = c->n};
	for (int k = 0; k < c->n_splits; k++) {
		s->job.var[k] = j->var[c->split[k]];
		s->job.n_values[k] = c->values[k];
		s->job.values[k] = p->values + p->first[s->job.var[k]];
	}
	if (j->opts->task != GPUBE_INFER_MAR)
		return GPUBE_OK;
	s->weights = gpube__alloc_zero(
		j->ctx, (uint64_t)gpube__infer_n_values(j->m), sizeof(*s->weights));
	return s->weights ? GPUBE_OK : GPUBE_ENOMEM;
}

static void add(struct slicing *s, const struct gpube_slice_sum *part)
{
	const double *p = part->marginals;

	s->j->z = gpube__wide_add(s->j->z, part->z);
	s->roundings = fmax(s->roundings, part->roundings);
	s->most_roundings = fmax(s->most_roundings, part->most_roundings);
	for (int64_t i = 0; p && i < gpube__infer_n_values(s->j->m); i++)
		if (p[i] > 0)
			s->weights[i] = gpube__wide_add(
				s->weights[i], gpube__wide_mul(part->z, gpube__wide(p[i], 0)));
}

/* The model with the slice's values observed. */
static int fix(struct gpube_model *m, const struct gpube_slice_job *job, int64_t slice)
{
	int32_t *evidence = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*evidence));

	if (!evidence)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		evidence[i] = m->evidence ? m->evidence[i] : -1;
	for (int k = 0; k < job->n_splits; k++) {
		evidence[job->var[k]] = job->values[k][slice % job->n_values[k]];
		slice /= job->n_values[k];
	}
	m->evidence = evidence;
	return GPUBE_OK;
}

int gpube__infer_slice(struct gpube_slice_sum *sum, struct gpube_ctx *ctx,
	const struct gpube_model *m, const struct gpube_opts *o, const struct gpube_slice_job *job,
	int64_t slice)
{
	struct gpube_inference out = {0};
	struct gpube_opts opts = *o;
	struct gpube_model fixed = *m;
	struct gpube__inferring part = {.m = &fixed,
		.ctx = ctx,
		.opts = &opts,
		.out = &out,
		.slice = slice,
		.n_slices = job->n};
	int status;

	*sum = (struct gpube_slice_sum){.z = {0, 0}};
	opts.order_method = GPUBE_ORDER_GIVEN;
	opts.order = job->order;
	fixed.ctx = ctx;
	status = fix(&fixed, job, slice);
	if (status)
		return status;
	status = gpube__infer_begin(&part);
	if (!status && !part.possible.none) {
		status = gpube__infer_plan(&part);
		if (!status)
			status = gpube__infer_sum(&part);
		if (!status)
			*sum = (struct gpube_slice_sum){
				part.z, part.roundings, part.most_roundings, out.marginals};
	}
	gpube__infer_clear(&part);
	if (sum->marginals != out.marginals)
		gpube__free(ctx, out.marginals);
	gpube__free(ctx, fixed.evidence);
	return status;
}

static int do_slice(struct slicing *s, int64_t slice)
{
	struct gpube__inferring *j = s->j;
	struct gpube_slice_sum sum;
	int status = j->slicer ? j->slicer->sum(j->slicer->arg, &sum, slice)
			       : gpube__infer_slice(&sum, j->ctx, j->m, j->opts, &s->job, slice);

	if (status)
		return status;
	add(s, &sum);
	gpube__free(j->ctx, sum.marginals);
	return GPUBE_OK;
}

/* Each variable's weights become its distribution. */
static int share_out(struct slicing *s)
{
	struct gpube__inferring *j = s->j;
	double *p = j->out->marginals = gpube__alloc_zero(
		j->ctx, (uint64_t)gpube__infer_n_values(j->m), sizeof(*j->out->marginals));
	const struct gpube_wide *w = s->weights;

	if (!p)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < j->m->n_vars; i++) {
		const int32_t n = j->m->vars[i].domain;
		struct gpube_wide all = {0, 0};

		for (int32_t a = 0; a < n; a++)
			all = gpube__wide_add(all, w[a]);
		for (int32_t a = 0; a < n; a++)
			p[a] = w[a].m == 0 || w[a].e - all.e < -1200
				       ? 0
				       : ldexp(w[a].m / all.m, (int)(w[a].e - all.e));
		p += n;
		w += n;
	}
	return GPUBE_OK;
}

int gpube__infer_slices(struct gpube__inferring *j)
{
	struct slicing s = {.j = j};
	struct gpube_inference *out = j->out;
	int status = slicing_begin(&s);

	if (!status && j->slicer)
		status = j->slicer->begin(j->slicer->arg, j->m, &s.job);
	j->z = (struct gpube_wide){0, 0};
	out->n_slices_done = 0;
	for (int64_t k = 0; k < s.job.n && (!status || (status == GPUBE_ESTOP && j->slicer)); k++) {
		/* after a stop, those that others have done already */
		const int done = gpube__stopped(j->ctx) && !j->slicer ? gpube__fail_stopped(j->ctx)
								      : do_slice(&s, k);

		if (!k && !done)
			gpube__log(j->ctx, GPUBE_LOG_DETAIL, "the first of %lld slices is done",
				(long long)s.job.n);
		out->n_slices_done += !done;
		status = done ? done : status;
	}
	/* a slice is added to those before, and its weights are a product more */
	j->roundings = s.roundings + (double)s.job.n;
	j->most_roundings = s.most_roundings + j->roundings + (double)s.job.n + 4;
	if (status == GPUBE_ESTOP && j->z.m != 0)
		j->log_lower = fmax(j->log_lower,
			gpube__wide_log10(j->z) * log(10) * (1 + 0x1p-50 * (j->z.e < 0 ? 1 : -1)) +
				log1p(-gpube__infer_error(j->roundings)) - 1e-15);
	if (!status && s.weights && j->z.m != 0)
		status = share_out(&s);
	if (!status)
		gpube__infer_take(j);
	gpube__free(j->ctx, s.order);
	gpube__free(j->ctx, s.weights);
	return status;
}
