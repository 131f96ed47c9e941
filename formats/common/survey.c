/* survey.c - ranges of a model's costs, and walks through its tables. See survey.h. */
#include "formats/common/survey.h"

#include <string.h>

#include "gpube/ir/tuples.h"

static void survey_table(struct gpube_survey *s, int32_t table)
{
	const struct gpube_table *t = &s->m->tables[table];
	int64_t min = GPUBE_INF, max = -GPUBE_INF;

	for (int64_t k = t->sparse ? -1 : 0; k < t->n; k++) {
		int64_t v = gpube__minimised(s->m, k < 0 ? t->dflt.i : gpube__table_int(t, k));

		if (v == GPUBE_INF)
			continue;
		min = v < min ? v : min;
		max = v > max ? v : max;
	}
	if (min == GPUBE_INF) {
		s->hopeless = s->hopeless || t->n_users > 0;
		min = max = 0;
	}
	s->min[table] = min;
	s->max[table] = max;
	s->least += (__int128)min * t->n_users;
	s->most += (__int128)max * t->n_users;
}

/* The largest cost of a table with which some total may be below 'top'. */
static int64_t most_below(const struct gpube_survey *s, int32_t table, __int128 top)
{
	const struct gpube_table *t = &s->m->tables[table];
	const __int128 room = top - s->least + s->min[table];
	int64_t max = s->min[table];

	if (s->max[table] < room)
		return s->max[table];
	for (int64_t k = t->sparse ? -1 : 0; k < t->n; k++) {
		int64_t v = gpube__minimised(s->m, k < 0 ? t->dflt.i : gpube__table_int(t, k));

		if (v > max && v < room)
			max = v;
	}
	return max;
}

static void survey_below(struct gpube_survey *s)
{
	const int64_t top = gpube__minimised_top(s->m);

	s->most_below = s->most;
	if (top == GPUBE_INF || s->most < top)
		return;
	s->most_below = gpube__minimised(s->m, s->m->constant);
	for (int32_t t = 0; t < s->m->n_tables; t++)
		s->most_below += (__int128)most_below(s, t, top) * s->m->tables[t].n_users;
}

int gpube__survey_init(struct gpube_survey *s, const struct gpube_model *m)
{
	memset(s, 0, sizeof(*s));
	if (m->kind != GPUBE_COSTS)
		return gpube__fail(
			m->ctx, GPUBE_EINVAL, "a model of potentials has no costs to write");
	s->m = m;
	s->min = gpube__alloc(m->ctx, 2 * (uint64_t)m->n_tables + 1, sizeof(*s->min));
	if (!s->min)
		return GPUBE_ENOMEM;
	s->max = s->min + m->n_tables;
	s->least = s->most = gpube__minimised(m, m->constant);
	for (int32_t t = 0; t < m->n_tables; t++)
		survey_table(s, t);
	survey_below(s);
	return GPUBE_OK;
}

void gpube__survey_clear(struct gpube_survey *s, struct gpube_ctx *ctx)
{
	gpube__free(ctx, s->min);
	memset(s, 0, sizeof(*s));
}

static __int128 size_of(__int128 v)
{
	return v < 0 ? -v : v;
}

__int128 gpube__sum_of_least(const struct gpube_survey *s)
{
	__int128 sum = size_of(s->m->constant);

	for (int32_t t = 0; t < s->m->n_tables; t++)
		sum += size_of((__int128)s->min[t] * s->m->tables[t].n_users);
	return sum;
}

static int hold_bound(int64_t *bound, const struct gpube_survey *s)
{
	struct gpube_ctx *ctx = s->m->ctx;
	int64_t top = gpube__minimised_top(s->m);

	*bound = top;
	if (top > GPUBE_TOULBAR2_MAX) {
		const __int128 above = s->most_below + 1;

		if (above > GPUBE_TOULBAR2_MAX)
			return gpube__fail(ctx, GPUBE_ERANGE,
				"totals may pass %lld, the most that toulbar2 reads exactly: scale "
				"the costs down",
				(long long)GPUBE_TOULBAR2_MAX);
		*bound = (int64_t)above;
	}
	if (*bound < -GPUBE_TOULBAR2_MAX || *bound - s->least > GPUBE_TOULBAR2_MAX)
		return gpube__fail(ctx, GPUBE_ERANGE,
			"the bound is more than %lld, the most that toulbar2 reads exactly, from "
			"the least total: scale the costs down",
			(long long)GPUBE_TOULBAR2_MAX);
	return GPUBE_OK;
}

bool gpube__write_wide(int64_t *bound, struct gpube_survey *s, const struct gpube_out *out)
{
	if (!out->opts || !out->opts->wide)
		return false;
	s->wide = true;
	*bound = gpube__minimised_top(s->m); /* 2^63 - 1 says that there is none */
	gpube__log(s->m->ctx, GPUBE_LOG_NOTE,
		"%s: costs pass %lld, the most that toulbar2 reads exactly: gpube reads the "
		"file, toulbar2 does not",
		out->path, (long long)GPUBE_TOULBAR2_MAX);
	return true;
}

int gpube__bound_to_write(int64_t *bound, struct gpube_survey *s, const struct gpube_out *out)
{
	int status = hold_bound(bound, s);

	return status && gpube__write_wide(bound, s, out) ? GPUBE_OK : status;
}

static int64_t count_cost(const struct gpube_table *t, int64_t cost)
{
	int64_t n = 0;

	for (int64_t k = 0; k < t->n; k++)
		n += gpube__table_int(t, k) == cost;
	return n;
}

int64_t gpube__usual_cost(const struct gpube_table *t, int64_t *n)
{
	int64_t candidate = 0, votes = 0, zeros;

	if (t->sparse) {
		*n = INT64_MAX; /* the cells that are not held: whatever their number */
		return t->dflt.i;
	}
	/* the majority, if there is one (Boyer and Moore); otherwise 0 */
	for (int64_t k = 0; k < t->n; k++) {
		int64_t v = gpube__table_int(t, k);

		if (votes == 0)
			candidate = v;
		votes += v == candidate ? 1 : -1;
	}
	*n = count_cost(t, candidate);
	zeros = count_cost(t, 0);
	if (zeros<*n && * n> t->n / 2)
		return candidate;
	*n = zeros;
	return 0;
}

void gpube__cells_begin(struct gpube_cells_walk *c, const struct gpube_table *t,
	const int32_t *domains, int32_t *tuple)
{
	*c = (struct gpube_cells_walk){.t = t, .domains = domains, .tuple = tuple};
}

bool gpube__cells_next(struct gpube_cells_walk *c, int64_t *value)
{
	const struct gpube_table *t = c->t;
	size_t row = (size_t)t->arity * sizeof(*c->tuple);

	if (c->at == t->n)
		return false;
	if (t->sparse)
		memcpy(c->tuple, t->tuples + c->at * t->arity, row);
	else if (c->at == 0)
		memset(c->tuple, 0, row);
	else
		gpube__tuple_next(c->tuple, c->domains, t->arity);
	*value = gpube__table_int(t, c->at++);
	return true;
}
