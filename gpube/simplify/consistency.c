/* consistency.c - values and pairs are taken away until nothing more goes. See consistency.h. */
#include "gpube/simplify/consistency.h"

#include <string.h>

#include "gpube/simplify/consistency_parts.h"

/* ---- arc consistency ------------------------------------------------------------------------- */

static void enqueue(struct gpube__relations *r, int32_t i)
{
	if (r->queued[i])
		return;
	r->queued[i] = true;
	r->queue[r->n_queued++] = i;
}

static bool meet(const uint64_t *a, const uint64_t *b, int32_t words)
{
	for (int32_t k = 0; k < words; k++)
		if (a[k] & b[k])
			return true;
	return false;
}

/* Values of i that no live value of j goes with; true: some went. */
static bool revise(struct gpube__relations *r, int32_t i, int32_t j)
{
	bool some = false;

	for (int32_t a = 0; a < gpube__relation_domain(r, i); a++)
		if (gpube__relation_has(r, i, a) &&
			!meet(gpube__relation_row(r, i, a, j), gpube__relation_live(r, j),
				r->words[j])) {
			gpube__bit_drop(gpube__relation_live(r, i), a);
			some = true;
		}
	if (some && !gpube__bits_count(gpube__relation_live(r, i), r->words[i]))
		r->none = true;
	return some;
}

/* From the variables in the queue on; it is empty afterwards. */
static void propagate(struct gpube__relations *r)
{
	while (r->n_queued) {
		const int32_t j = r->queue[--r->n_queued];

		r->queued[j] = false;
		for (int32_t k = 0; k < r->n_near[j] && !r->none; k++) {
			const int32_t i = r->near[(int64_t)j * r->n + k];

			if (revise(r, i, j))
				enqueue(r, i);
		}
	}
}

static void propagate_all(struct gpube__relations *r)
{
	for (int32_t i = 0; i < r->n; i++) {
		r->none |= !gpube__bits_count(gpube__relation_live(r, i), r->words[i]);
		enqueue(r, i);
	}
	propagate(r);
}

/* ---- SAC ------------------------------------------------------------------------------------- */

/* Whether value a of i alone leaves the others something. */
static bool is_possible(struct gpube__relations *r, int32_t i, int32_t a, uint64_t *kept)
{
	const size_t bytes = (size_t)r->at[r->n] * sizeof(*kept);
	bool possible;

	memcpy(kept, r->live, bytes);
	memset(gpube__relation_live(r, i), 0, (size_t)r->words[i] * sizeof(*kept));
	gpube__bit_put(gpube__relation_live(r, i), a);
	enqueue(r, i);
	propagate(r);
	possible = !r->none;
	r->none = false;
	memcpy(r->live, kept, bytes);
	return possible;
}

/* Each value is tried again until all were without one that went. */
static int make_singletons(struct gpube__relations *r)
{
	uint64_t *kept = gpube__alloc(r->ctx, (uint64_t)r->at[r->n], sizeof(*kept));
	int64_t since = 0;
	int status = kept ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t i = 0; !status && !r->none && since < r->n; i = (i + 1) % r->n, since++) {
		if (gpube__stopped(r->ctx))
			status = gpube__fail_stopped(r->ctx);
		for (int32_t a = 0; !status && a < gpube__relation_domain(r, i) && !r->none; a++) {
			if (!gpube__relation_has(r, i, a) || is_possible(r, i, a, kept))
				continue;
			gpube__bit_drop(gpube__relation_live(r, i), a);
			r->none = !gpube__bits_count(gpube__relation_live(r, i), r->words[i]);
			enqueue(r, i);
			propagate(r);
			since = -1; /* this variable's other values, too */
		}
	}
	gpube__free(r->ctx, kept);
	return status;
}

/* ---- PC -------------------------------------------------------------------------------------- */

/* Pairs of i and j that no live value of k goes with. */
static int revise_pair(struct gpube__relations *r, int32_t i, int32_t j, int32_t k, uint64_t *reach)
{
	for (int32_t a = 0; a < gpube__relation_domain(r, i); a++) {
		const uint64_t *by = gpube__relation_row(r, i, a, k);
		bool all = true;

		if (!gpube__relation_has(r, i, a))
			continue;
		memset(reach, 0, (size_t)r->words[j] * sizeof(*reach));
		for (int32_t c = 0; c < gpube__relation_domain(r, k); c++)
			if (gpube__bit(by, c) && gpube__relation_has(r, k, c))
				for (int32_t w = 0; w < r->words[j]; w++)
					reach[w] |= gpube__relation_row(r, k, c, j)[w];
		for (int32_t w = 0; w < r->words[j]; w++)
			all &= !(
				gpube__relation_live(r, j)[w] & ~reach[w] &
				(*gpube__relation_rows(r, i, j) ? gpube__relation_row(r, i, a, j)[w]
								: ~(uint64_t)0));
		if (all)
			continue;
		if (gpube__add_relation(r, i, j))
			return GPUBE_ENOMEM;
		for (int32_t b = 0; b < gpube__relation_domain(r, j); b++)
			if (gpube__relation_has(r, j, b) &&
				gpube__bit(gpube__relation_row(r, i, a, j), b) &&
				!gpube__bit(reach, b)) {
				gpube__relation_forbid(r, i, a, j, b);
				r->pairs_removed++;
			}
		r->changed[(int64_t)i * r->n + j] |= 6;
		r->changed[(int64_t)j * r->n + i] |= 6;
	}
	return GPUBE_OK;
}

/* Paths by k, where either of its relations has changed since they were looked at. */
static int revise_by(struct gpube__relations *r, int32_t k, uint64_t *reach)
{
	for (int32_t x = 0; x < r->n_near[k]; x++)
		for (int32_t y = 0; y < r->n_near[k] && !r->none; y++) {
			const int32_t i = r->near[(int64_t)k * r->n + x];
			const int32_t j = r->near[(int64_t)k * r->n + y];

			if (i >= j || !((r->changed[(int64_t)i * r->n + k] |
						r->changed[(int64_t)k * r->n + j]) &
					      3))
				continue;
			if (revise_pair(r, i, j, k, reach))
				return GPUBE_ENOMEM;
		}
	return GPUBE_OK;
}

/* Rounds over all variables, until no pair went in one. */
static int make_paths(struct gpube__relations *r)
{
	const int64_t n_pairs = (int64_t)r->n * r->n;
	int32_t most = 1;
	int64_t n_values;
	uint64_t *reach;
	bool again = true;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < r->n; i++)
		most = r->words[i] > most ? r->words[i] : most;
	reach = gpube__alloc(r->ctx, (uint64_t)most, sizeof(*reach));
	if (!reach)
		return GPUBE_ENOMEM;
	memset(r->changed, 1, (size_t)n_pairs);
	while (again && !status && !r->none) {
		bool more = false;

		for (int32_t k = 0; k < r->n && !status && !r->none; k++) {
			status = revise_by(r, k, reach);
			if (!status && gpube__stopped(r->ctx))
				status = gpube__fail_stopped(r->ctx);
		}
		n_values = gpube__bits_count(r->live, r->at[r->n]);
		propagate_all(r);
		/* a value that went was a way from pair to pair */
		again = gpube__bits_count(r->live, r->at[r->n]) < n_values;
		for (int64_t p = 0; p < n_pairs; p++) {
			const bool now = r->changed[p] & 2;

			r->changed[p] = (uint8_t)((r->changed[p] & 4) | (again || now));
			more |= now;
		}
		again |= more;
	}
	gpube__free(r->ctx, reach);
	return status;
}

/* ---- what is left ---------------------------------------------------------------------------- */

static int64_t n_pairs_of(const struct gpube__relations *r, int32_t i, int32_t j)
{
	int64_t n = 0;

	for (int32_t a = 0; a < gpube__relation_domain(r, i); a++)
		for (int32_t w = 0; gpube__relation_has(r, i, a) && w < r->words[j]; w++)
			n += __builtin_popcountll(
				gpube__relation_row(r, i, a, j)[w] & gpube__relation_live(r, j)[w]);
	return n;
}

/* Functions of 0 and forbidden in the model. */
static int add_values(struct gpube__relations *r, struct gpube_model *m)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < r->n && !status; i++) {
		const int32_t d = gpube__relation_domain(r, i);
		int64_t *costs;

		if (gpube__bits_count(gpube__relation_live(r, i), r->words[i]) == d)
			continue;
		costs = gpube__alloc_zero(r->ctx, (uint64_t)d, sizeof(*costs));
		for (int32_t a = 0; costs && a < d; a++)
			costs[a] = gpube__relation_has(r, i, a) ? 0 : GPUBE_INF;
		status = costs ? gpube_model_add_costs(m, 1, &i, costs) : GPUBE_ENOMEM;
		gpube__free(r->ctx, costs);
	}
	return status;
}

static int add_pairs(struct gpube__relations *r, struct gpube_model *m)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < r->n && !status; i++)
		for (int32_t j = i + 1; j < r->n && !status; j++) {
			const int32_t scope[] = {i, j}, d_i = gpube__relation_domain(r, i),
				      d_j = gpube__relation_domain(r, j);
			int64_t *costs;

			if (!(r->changed[(int64_t)i * r->n + j] & 4))
				continue;
			costs = gpube__alloc(r->ctx, (uint64_t)d_i * (uint64_t)d_j, sizeof(*costs));
			for (int64_t c = 0; costs && c < (int64_t)d_i * d_j; c++)
				costs[c] =
					gpube__bit(gpube__relation_row(r, i, (int32_t)(c / d_j), j),
						(int32_t)(c % d_j))
						? 0
						: GPUBE_INF;
			status = costs ? gpube_model_add_costs(m, 2, scope, costs) : GPUBE_ENOMEM;
			gpube__free(r->ctx, costs);
		}
	return status;
}

/* all: of variables without a relation, too */
static int64_t n_allowed(const struct gpube__relations *r, bool all)
{
	int64_t n = 0;

	for (int32_t i = 0; i < r->n; i++)
		for (int32_t j = i + 1; j < r->n; j++)
			n += *gpube__relation_rows(r, i, j) ? n_pairs_of(r, i, j)
			     : all ? gpube__bits_count(gpube__relation_live(r, i), r->words[i]) *
					     gpube__bits_count(
						     gpube__relation_live(r, j), r->words[j])
				   : 0;
	return n;
}

static int32_t n_relations(const struct gpube__relations *r)
{
	int32_t n = 0;

	for (int32_t i = 0; i < r->n; i++)
		n += r->n_near[i];
	return n / 2;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* n * n of pointers, of what pairs cost, of neighbours and of marks */
static bool is_too_large(const struct gpube_model *m)
{
	return 21.0 * m->n_vars * m->n_vars > (double)m->ctx->memory_bytes;
}

static int init(struct gpube__relations *r, const struct gpube_model *m)
{
	const uint64_t n = (uint64_t)m->n_vars;
	int64_t words = 0;

	*r = (struct gpube__relations){.m = m, .ctx = m->ctx, .n = m->n_vars};
	if (is_too_large(m))
		return gpube__fail(m->ctx, GPUBE_ELIMIT,
			"consistency of %d variables needs more memory than allowed", m->n_vars);
	r->words = gpube__alloc(r->ctx, n, sizeof(*r->words));
	r->at = gpube__alloc(r->ctx, n + 1, sizeof(*r->at));
	r->allow = gpube__alloc_zero(r->ctx, n * n, sizeof(*r->allow));
	r->near = gpube__alloc(r->ctx, n * n, sizeof(*r->near));
	r->n_near = gpube__alloc_zero(r->ctx, n, sizeof(*r->n_near));
	r->changed = gpube__alloc_zero(r->ctx, n * n, sizeof(*r->changed));
	r->queue = gpube__alloc(r->ctx, n, sizeof(*r->queue));
	r->queued = gpube__alloc_zero(r->ctx, n, sizeof(*r->queued));
	if (!r->words || !r->at || !r->allow || !r->near || !r->n_near || !r->changed ||
		!r->queue || !r->queued)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < r->n; i++) {
		r->at[i] = words;
		r->words[i] = (gpube__relation_domain(r, i) + 63) / 64;
		words += r->words[i];
	}
	r->at[r->n] = words;
	r->live = gpube__alloc_zero(r->ctx, (uint64_t)words, sizeof(*r->live));
	if (!r->live)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < r->n; i++)
		gpube__bits_fill(gpube__relation_live(r, i), gpube__relation_domain(r, i));
	return GPUBE_OK;
}

static void clear(struct gpube__relations *r)
{
	for (int64_t p = 0; r->allow && p < (int64_t)r->n * r->n; p++)
		gpube__free(r->ctx, r->allow[p]);
	GPUBE_FREE_ALL(r->ctx, r->words, r->at, r->live, r->allow, r->near, r->n_near, r->changed,
		r->queue, r->queued);
}

/* What the given model's variables are, once 's' was simplified again. */
static int compose(struct gpube_simplified *s, struct gpube_simplified *next)
{
	for (int32_t i = 0; i < s->n_vars; i++) {
		const int32_t var = s->var[i], to = var < 0 ? -1 : next->var[var];
		const int32_t *old = s->values[i], *kept = to < 0 ? NULL : next->values[var];
		int32_t *values;

		if (var < 0)
			continue;
		if (to < 0) {
			s->value[i] = old ? old[next->value[var]] : next->value[var];
			s->n_vars_fixed++;
		} else if (kept) {
			const int32_t n = next->model->vars[to].domain;

			values = gpube__alloc(s->model->ctx, (uint64_t)n, sizeof(*values));
			if (!values)
				return GPUBE_ENOMEM;
			for (int32_t a = 0; a < n; a++)
				values[a] = old ? old[kept[a]] : kept[a];
			gpube__free(s->model->ctx, s->values[i]);
			s->values[i] = values;
		}
		s->var[i] = to;
	}
	s->infeasible = next->infeasible;
	s->n_values_removed += next->n_values_removed;
	s->n_merged += next->n_merged;
	s->n_absorbed += next->n_absorbed;
	s->n_components = next->n_components;
	gpube_model_free(s->model);
	s->model = next->model;
	next->model = NULL;
	return GPUBE_OK;
}

/* The model with what was found, simplified again. */
static int rebuild(struct gpube__relations *r, struct gpube_simplified *s)
{
	const int64_t forbidden = GPUBE_INF;
	struct gpube_simplified next = {0};
	int status = r->none ? gpube_model_add_costs(s->model, 0, NULL, &forbidden) : GPUBE_OK;

	if (!status && !r->none)
		status = add_values(r, s->model);
	if (!status && !r->none)
		status = add_pairs(r, s->model);
	if (!status)
		status = gpube__simplify_below(&next, s->model, GPUBE__REDUCE, GPUBE__BELOW);
	if (!status)
		status = compose(s, &next);
	gpube__simplified_clear(r->ctx, &next);
	return status;
}

int gpube__make_consistent(struct gpube_simplified *s, enum gpube__consistency what,
	struct gpube__consistency_did *did)
{
	struct gpube__relations r;
	int status;

	*did = (struct gpube__consistency_did){0};
	if (what == GPUBE__CONSISTENCY_NONE || s->infeasible)
		return GPUBE_OK;
	status = init(&r, s->model);
	if (!status)
		status = gpube__make_relations(&r, what == GPUBE__CONSISTENCY_PC);
	if (!status) {
		for (int32_t i = 0; i < r.n; i++)
			did->n_values += gpube__relation_domain(&r, i);
		propagate_all(&r);
		did->n_pairs = n_allowed(&r, what == GPUBE__CONSISTENCY_PC);
		did->functions_added = -n_relations(&r);
		status = what == GPUBE__CONSISTENCY_PC ? make_paths(&r) : make_singletons(&r);
	}
	if (!status) {
		did->values_removed = did->n_values - gpube__bits_count(r.live, r.at[r.n]);
		did->pairs_removed = r.pairs_removed;
		did->functions_added += n_relations(&r);
		status = rebuild(&r, s);
	}
	clear(&r);
	return status;
}
