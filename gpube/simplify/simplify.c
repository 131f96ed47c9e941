/*
 * simplify.c - rounds of removing values (live.c) and rebuilding the model of
 * what is left (condense.c, merge.c), with the way back. See simplify.h.
 */
#include "gpube/simplify/simplify.h"

#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/ir/graph.h"
#include "gpube/simplify/assign.h"
#include "gpube/simplify/narrow.h"

/* A round that removes nothing is the last; the limit bounds what a long chain can cost. */
enum { MAX_ROUNDS = 16 };

/* ---- the way back --------------------------------------------------------------------- */

static int start_map(struct gpube_simplified *out, const struct gpube_model *m)
{
	struct gpube_ctx *ctx = m->ctx;
	uint64_t n = (uint64_t)m->n_vars;

	out->n_vars = m->n_vars;
	out->var = gpube__alloc(ctx, n, sizeof(*out->var));
	out->value = gpube__alloc_zero(ctx, n, sizeof(*out->value));
	out->values = gpube__alloc_zero(ctx, n, sizeof(*out->values));
	out->choices = gpube__alloc(ctx, n, sizeof(*out->choices));
	if (!out->var || !out->value || !out->values || !out->choices)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		out->choices[out->var[i] = i] = 1;
	return GPUBE_OK;
}

/* Follows one more round: 's' removed values, what it kept has been numbered anew. */
static int extend_map(struct gpube_simplified *out, const struct gpube_live *s)
{
	struct gpube_ctx *ctx = s->m->ctx;
	int32_t *index = gpube__alloc(ctx, (uint64_t)s->m->n_vars, sizeof(*index)), n = 0;

	if (!index)
		return GPUBE_ENOMEM;
	for (int32_t v = 0; v < s->m->n_vars; v++)
		index[v] = gpube__live_kept(s, v) ? n++ : -1;
	for (int32_t i = 0; i < out->n_vars; i++) {
		int32_t v = out->var[i], *old = out->values[i], *new = NULL;
		const int32_t *list;

		if (v < 0)
			continue;
		list = s->list + s->start[v];
		out->var[i] = index[v];
		if (gpube__live_settled(s, v)) {
			out->var[i] = GPUBE__SETTLED;
			out->choices[i] = s->m->vars[v].domain;
		}
		if (index[v] < 0) {
			out->value[i] = old ? old[list[0]] : list[0];
		} else if (s->n[v] == s->m->vars[v].domain) {
			continue;
		} else {
			new = gpube__alloc(ctx, (uint64_t)s->n[v], sizeof(*new));
			if (!new) {
				gpube__free(ctx, index);
				return GPUBE_ENOMEM;
			}
			for (int32_t j = 0; j < s->n[v]; j++)
				new[j] = old ? old[list[j]] : list[j];
		}
		gpube__free(ctx, old);
		out->values[i] = new;
	}
	gpube__free(ctx, index);
	return GPUBE_OK;
}

void gpube__simplified_extend(
	const struct gpube_simplified *s, int32_t *values, const int32_t *reduced)
{
	for (int32_t i = 0; i < s->n_vars; i++)
		if (s->var[i] < 0)
			values[i] = s->value[i];
		else
			values[i] = s->values[i] ? s->values[i][reduced[s->var[i]]]
						 : reduced[s->var[i]];
}

/* ---- components ------------------------------------------------------------------------ */

static int count_components(int32_t *n_components, const struct gpube_model *m)
{
	int32_t *component = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*component));

	if (!component)
		return GPUBE_ENOMEM;
	*n_components = gpube__model_components(m, component);
	gpube__free(m->ctx, component);
	return GPUBE_OK;
}

/* ---- rounds ------------------------------------------------------------------------------ */

static int set_infeasible(struct gpube_simplified *out, const struct gpube_model *m)
{
	gpube_model_free(out->model);
	out->model = NULL;
	out->infeasible = true;
	for (int32_t i = 0; i < out->n_vars; i++) {
		out->var[i] = -1;
		out->value[i] = 0;
		gpube__free(m->ctx, out->values[i]);
		out->values[i] = NULL;
	}
	return gpube_model_new(&out->model, m->ctx, GPUBE_COSTS);
}

/* What a model of the live values is made of, unless it was made already. */
static int narrow(struct gpube_model **next, struct gpube_simplified *out, struct gpube_live *s,
	enum gpube__narrowing narrowing)
{
	int32_t *known = NULL;
	bool found;
	int status;

	if (out->model) /* the rounds before have left what fits, and rounds narrow it */
		narrowing = GPUBE__WHOLE;
	else
		known = gpube__alloc(s->m->ctx, (uint64_t)s->m->n_vars, sizeof(*known));
	if (!out->model && !known)
		return GPUBE_ENOMEM;
	status = gpube__narrow(next, s, narrowing, known, &found);
	if (!status && found)
		out->known = known;
	else
		gpube__free(s->m->ctx, known);
	return status;
}

/* One round on 'm', which is the original or out->model; *done: it was the last. */
static int run_round(struct gpube_simplified *out, const struct gpube_model *m,
	enum gpube__reductions reductions, enum gpube__narrowing narrowing, bool *done)
{
	struct gpube_model *next = NULL;
	struct gpube_live s;
	int status = gpube__live_init(&s, m, reductions, reductions == GPUBE__SETTLE);

	if (!status)
		status = gpube__live_propagate(&s);
	if (!status && !s.infeasible)
		status = narrow(&next, out, &s, narrowing);
	*done = !reductions || (out->model && s.n_removed == 0 && s.n_settled == 0);
	if (!status && !next && !s.infeasible && !(out->model && *done))
		status = gpube__condense(&next, &s, &out->n_merged, &out->n_absorbed);
	if (!status && next)
		status = extend_map(out, &s);
	out->infeasible |= s.infeasible;
	out->n_values_removed += s.n_removed;
	out->n_settled += s.n_settled;
	gpube__live_clear(&s);
	if (status) {
		gpube_model_free(next);
	} else if (next) {
		gpube_model_free(out->model);
		out->model = next;
	}
	return status;
}

static void count_fixed(struct gpube_simplified *out, const struct gpube_model *m,
	enum gpube__reductions reductions)
{
	for (int32_t i = 0; i < m->n_vars; i++)
		if (m->evidence && m->evidence[i] >= 0)
			out->n_evidence++;
		else if (out->var[i] < 0 && reductions)
			out->n_vars_fixed++;
}

void gpube__drop_top(struct gpube_model *m)
{
	if ((__int128)m->top - gpube__constant_of(m) > gpube__cost_span(m))
		m->top = GPUBE_INF;
}

static int simplify(struct gpube_simplified *out, const struct gpube_model *m,
	enum gpube__reductions reductions, enum gpube__narrowing narrowing)
{
	bool done = false;
	int status;

	memset(out, 0, sizeof(*out));
	if (m->kind != GPUBE_COSTS)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "only a model of costs can be simplified");
	out->negated = m->direction == GPUBE_MAXIMISE;
	status = start_map(out, m);
	for (int k = 0; !status && !done && !out->infeasible && k < MAX_ROUNDS; k++)
		status = run_round(out, out->model ? out->model : m, reductions, narrowing, &done);
	if (status == GPUBE_ESTOP && out->model)
		status =
			GPUBE_OK; /* what the rounds before have made is as good, if not as small */
	if (!status) {
		count_fixed(out, m, reductions);
		status = out->infeasible ? set_infeasible(out, m)
					 : count_components(&out->n_components, out->model);
		if (!status)
			gpube__drop_top(out->model);
	}
	if (status)
		gpube__simplified_clear(m->ctx, out);
	return status;
}

int gpube__simplify_below(struct gpube_simplified *out, const struct gpube_model *m,
	enum gpube__reductions reductions, enum gpube__narrowing narrowing)
{
	struct gpube_model assigned;
	bool moved = false;
	int status = GPUBE_OK;

	if (reductions && m->kind == GPUBE_COSTS)
		status = gpube__assign(&assigned, m, &moved);
	if (status) {
		memset(out, 0, sizeof(*out));
		return status;
	}
	status = simplify(out, moved ? &assigned : m, reductions, narrowing);
	if (moved)
		gpube__model_return(&assigned, m);
	return status;
}

int gpube__simplify(struct gpube_simplified *out, const struct gpube_model *m, bool reductions)
{
	return simplify(out, m, reductions ? GPUBE__REDUCE : GPUBE__CONVERT, GPUBE__WHOLE);
}

void gpube__simplified_clear(struct gpube_ctx *ctx, struct gpube_simplified *s)
{
	gpube_model_free(s->model);
	for (int32_t i = 0; s->values && i < s->n_vars; i++)
		gpube__free(ctx, s->values[i]);
	GPUBE_FREE_ALL(ctx, s->values, s->var, s->value, s->choices, s->known);
	memset(s, 0, sizeof(*s));
}

int gpube__simplified_order(
	int32_t *order, const struct gpube_simplified *s, const int32_t *given, int32_t n)
{
	struct gpube_ctx *ctx = s->model->ctx;
	uint8_t *seen = gpube__alloc_zero(ctx, (uint64_t)n, 1);
	uint8_t *has = gpube__alloc_zero(ctx, (uint64_t)s->model->n_vars, 1);
	int32_t used = 0;
	int status = seen && has ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t p = 0; p < n && !status; p++) {
		int32_t var = given[p], kept;

		if (var < 0 || var >= n || seen[var]) {
			status = gpube__fail(ctx, GPUBE_EINVAL,
				"the order is not a permutation: variable %d at position %d", var,
				p);
			break;
		}
		seen[var] = 1;
		kept = s->var[var];
		if (kept >= 0 && !has[kept]) {
			has[kept] = 1;
			order[used++] = kept;
		}
	}
	gpube__free(ctx, seen);
	gpube__free(ctx, has);
	return status;
}

int gpube__given_order(int32_t *given, const struct gpube_simplified *s, const int32_t *order)
{
	const int32_t left = s->model->n_vars;
	int32_t *place = gpube__alloc(s->model->ctx, (uint64_t)left, sizeof(*place)), at = 0;
	int32_t *next = gpube__alloc_zero(s->model->ctx, (uint64_t)left + 1, sizeof(*next));

	if (!place || !next) {
		gpube__free(s->model->ctx, place);
		gpube__free(s->model->ctx, next);
		return GPUBE_ENOMEM;
	}
	for (int32_t k = 0; k < left; k++)
		place[order[k]] = k;
	/* a variable that is left may stand for several: as many places for it */
	for (int32_t i = 0; i < s->n_vars; i++) {
		if (s->var[i] < 0)
			given[at++] = i;
		else
			next[place[s->var[i]] + 1]++;
	}
	for (int32_t k = 0; k < left; k++)
		next[k + 1] += next[k];
	for (int32_t i = 0; i < s->n_vars; i++)
		if (s->var[i] >= 0)
			given[at + next[place[s->var[i]]]++] = i;
	gpube__free(s->model->ctx, place);
	gpube__free(s->model->ctx, next);
	return GPUBE_OK;
}
