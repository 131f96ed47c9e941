/* joingraph.c - the passes over a join graph, and what is read off it: see joingraph.h. */
#include "gpube/relax/joingraph.h"
#include "gpube/relax/moved.h"

#include <string.h>

#define SIMD _Pragma("omp simd")

/* What is to be moved of a min-marginal: a part of it; forbidden where it is. */
static void take_part(int32_t *m, int64_t n, int32_t parts, int32_t slack)
{
	SIMD for (int64_t k = 0; k < n; k++) m[k] =
		m[k] >= slack ? GPUBE__REGION_FORBIDDEN : m[k] / parts;
}

static void negate(int32_t *m, int64_t n)
{
	SIMD for (int64_t k = 0; k < n; k++) m[k] =
		m[k] == GPUBE__REGION_FORBIDDEN ? GPUBE__REGION_FORBIDDEN : -m[k];
}

/* What has been sent, with the costs 'm' more; n cells. */
static void record(struct gpube_join *j, const int32_t *m, int64_t n)
{
	for (int64_t k = 0; j->sent && k < n; k++)
		if (m[k] == GPUBE__REGION_FORBIDDEN)
			j->sent[k] = GPUBE__SENT_DEAD;
		else if (j->sent[k] != GPUBE__SENT_DEAD)
			j->sent[k] += m[k];
}

/* ---- a pass ------------------------------------------------------------------------------ */

/* The first of them is used for no minimum: match() has its sum there. */
static int32_t *rooms(const struct gpube_joingraph *g)
{
	return g->message + g->message_cells;
}

static void send_forward(struct gpube_joingraph *g, struct gpube_join *j)
{
	int32_t *m = g->message, slack = gpube__joingraph_slack(g);
	const int64_t n = j->message.small_cells;

	gpube__project_least_shared(g->ctx, &j->message, m, j->t, rooms(g));
	take_part(m, n, 1, slack);
	record(j, m, n);
	if (j->consumer >= 0) {
		gpube__project_add_shared(g->ctx, &j->taken, g->joins[j->consumer].t, m, slack);
	} else if (*m == GPUBE__REGION_FORBIDDEN) {
		g->constant = g->target;
		return;
	}
	negate(m, n);
	gpube__project_add_shared(g->ctx, &j->message, j->t, m, slack);
	if (j->consumer < 0)
		g->constant -= *m;
}

/* From the consumer: a part of what it forces on the message's variables. */
static void send_back(struct gpube_joingraph *g, struct gpube_join *j, int32_t parts)
{
	struct gpube_join *from = &g->joins[j->consumer];
	int32_t *m = g->message, slack = gpube__joingraph_slack(g);
	const int64_t n = j->message.small_cells;

	gpube__project_least_shared(g->ctx, &j->taken, m, from->t, rooms(g));
	take_part(m, n, parts, slack);
	gpube__project_add_shared(g->ctx, &j->message, j->t, m, slack);
	negate(m, n);
	record(j, m, n);
	gpube__project_add_shared(g->ctx, &j->taken, from->t, m, slack);
}

/*
 * What the joins of a bucket force on what they share becomes the same for all:
 * every one gives all of it into one sum, and takes an equal part.
 */
static void match(struct gpube_joingraph *g, int32_t p)
{
	const int32_t n_joins = g->first[p + 1] - g->first[p], slack = gpube__joingraph_slack(g);
	const int64_t cells = g->joins[g->first[p]].shared.small_cells;
	int32_t *m = g->message, *sum = g->message + g->message_cells;

	memset(sum, 0, (size_t)cells * sizeof(*sum));
	for (int32_t k = 0; k < 2 * n_joins; k++) { /* give, then take */
		struct gpube_join *j = &g->joins[g->first[p] + k % n_joins];

		if (k < n_joins) {
			gpube__project_least_shared(g->ctx, &j->shared, m, j->t, rooms(g));
			take_part(m, cells, 1, slack);
			for (int64_t i = 0; i < cells; i++)
				sum[i] = gpube__region_plus(sum[i], m[i], slack);
			negate(m, cells);
		} else {
			memcpy(m, sum, (size_t)cells * sizeof(*m));
			take_part(m, cells, 2 * n_joins - k, slack);
			for (int64_t i = 0; i < cells; i++)
				sum[i] = sum[i] == GPUBE__REGION_FORBIDDEN ? sum[i] : sum[i] - m[i];
		}
		gpube__project_add_shared(g->ctx, &j->shared, j->t, m, slack);
	}
}

int gpube__joingraph_pass(struct gpube_joingraph *g, bool backward)
{
	for (int32_t k = 0; k < g->n && g->constant < g->target; k++) {
		const int32_t p = backward ? g->n - 1 - k : k;

		if (gpube__stopped(g->ctx))
			return gpube__fail_stopped(g->ctx); /* between moves every state is sound */
		if (g->first[p + 1] - g->first[p] > 1)
			match(g, p);
		for (int32_t j = g->first[p]; j < g->first[p + 1]; j++) {
			int32_t parts = g->joins[j].n_children;

			if (!backward) {
				send_forward(g, &g->joins[j]);
				continue;
			}
			for (int32_t c = g->joins[j].child; c >= 0; c = g->joins[c].sibling)
				send_back(g, &g->joins[c], parts--);
		}
	}
	return GPUBE_OK;
}

/* ---- reading off ----------------------------------------------------------------------------- */

/* The cell of a join at an assignment with its own variable at value 0. */
static int64_t cell_of(
	const struct gpube_joingraph *g, const struct gpube_join *j, const int32_t *values)
{
	int64_t cell = 0;

	for (int k = 1; k < j->n_scope; k++)
		cell = cell * g->domain[j->scope[k]] + values[g->order[j->scope[k]]];
	return cell;
}

void gpube__joingraph_decode(const struct gpube_joingraph *g, int32_t *values)
{
	for (int32_t p = g->n - 1; p >= 0; p--) {
		int64_t best = INT64_MAX;

		for (int32_t x = 0; x < g->domain[p]; x++) {
			int64_t sum = 0;

			for (int32_t j = g->first[p]; j < g->first[p + 1]; j++) {
				const struct gpube_join *join = &g->joins[j];

				sum += join->t[x * gpube__message_cells(g, join) +
					       cell_of(g, join, values)];
			}
			if (sum < best) {
				best = sum;
				values[g->order[p]] = x;
			}
		}
	}
}

int gpube__joingraph_model(
	struct gpube_model **out, const struct gpube_joingraph *g, const struct gpube_model *from)
{
	struct gpube_moved w;
	int status = gpube__moved_begin(&w, from, g->shift, gpube__joingraph_slack(g));

	for (int32_t j = 0; j < g->n_joins && !status; j++) {
		const struct gpube_join *join = &g->joins[j];
		int32_t scope[GPUBE_MAX_DIMS];

		for (int k = 0; k < join->n_scope; k++)
			scope[k] = g->order[join->scope[k]];
		status = gpube__moved_table(&w, join->n_scope, scope, join->t,
			g->domain[join->scope[join->n_scope - 1]]);
	}
	return gpube__moved_end(out, &w, g->constant, status);
}
