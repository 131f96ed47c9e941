/* simplified_bytes.c - a simplified model as numbers, with the way back: see simplify.h. */
#include "gpube/simplify/simplify.h"

#include "gpube/ir/dense.h"
#include "gpube/ir/model_bytes.h"
#include "gpube/simplify/live.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void put_map(struct gpube__bytes *b, const struct gpube_simplified *s, int32_t i)
{
	gpube__put(b, s->var[i]);
	gpube__put(b, s->value[i]);
	gpube__put(b, s->choices[i]);
	if (s->var[i] < 0)
		return;
	gpube__put(b, s->values[i] != NULL);
	if (s->values[i])
		gpube__put_all(b, s->values[i], s->model->vars[s->var[i]].domain);
}

void gpube__put_simplified(struct gpube__bytes *b, const struct gpube_simplified *s)
{
	gpube__put_model(b, s->model);
	gpube__put(b, s->negated);
	gpube__put(b, s->n_components);
	gpube__put(b, s->n_vars);
	for (int32_t i = 0; i < s->n_vars; i++)
		put_map(b, s, i);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What of a simplified model others rely on. */
static int check(const struct gpube_model *m)
{
	const int64_t span = gpube__cost_span(m);
	const bool simplified =
		gpube__costs_fit(m) && span <= GPUBE__COST_LIMIT &&
		(m->top == GPUBE_INF || (__int128)m->top - gpube__constant_of(m) <= span);

	return simplified ? GPUBE_OK
			  : gpube__fail(m->ctx, GPUBE_EPARSE, "it has no simplified model");
}

static bool is_ascending(const int32_t *values, int32_t n)
{
	for (int32_t a = 1; values && a < n; a++)
		if (values[a - 1] >= values[a])
			return false;
	return true;
}

/*
 * Every variable stands for one of the given model or for several, and the values of one that
 * stands for one alone are in order, none twice.
 */
static void check_map(const struct gpube_simplified *s, struct gpube__bytes *b)
{
	const struct gpube_model *m = s->model;
	int32_t *stands_for = gpube__alloc_zero(b->ctx, (uint64_t)m->n_vars, sizeof(*stands_for));
	bool good = true;

	if (!stands_for) {
		b->status = GPUBE_ENOMEM;
		return;
	}
	for (int32_t i = 0; i < s->n_vars; i++)
		if (s->var[i] >= 0)
			stands_for[s->var[i]]++;
	for (int32_t v = 0; v < m->n_vars; v++)
		good &= stands_for[v] > 0;
	for (int32_t i = 0; i < s->n_vars; i++)
		if (s->var[i] >= 0 && stands_for[s->var[i]] == 1)
			good &= is_ascending(s->values[i], m->vars[s->var[i]].domain);
	gpube__free(b->ctx, stands_for);
	if (!good)
		(void)gpube__damaged(
			b, "a variable in it stands for none, or a value for another one's");
}

static void get_map(struct gpube_simplified *s, struct gpube__bytes *b,
	const struct gpube_model *given, int32_t i)
{
	const struct gpube_model *m = s->model;
	const int32_t domain = given->vars[i].domain;

	s->var[i] = (int32_t)gpube__get(b, GPUBE__SETTLED, (int64_t)m->n_vars - 1);
	s->value[i] = (int32_t)gpube__get(b, INT32_MIN, (int64_t)domain - 1);
	s->choices[i] = (int32_t)gpube__get(b, INT32_MIN, INT32_MAX);
	if (b->status || (s->var[i] < 0 && s->value[i] < 0)) {
		(void)gpube__damaged(b, "a value is missing in it");
		return;
	}
	if (s->var[i] < 0)
		return;
	if (gpube__get(b, 0, 1)) {
		const int32_t n = m->vars[s->var[i]].domain;

		s->values[i] = gpube__alloc(b->ctx, (uint64_t)n, sizeof(**s->values));
		if (s->values[i])
			gpube__get_all(b, s->values[i], n, 0, (int64_t)domain - 1);
		else
			b->status = GPUBE_ENOMEM;
	} else if (m->vars[s->var[i]].domain > domain) {
		(void)gpube__damaged(b, "a domain in it is too large");
	}
}

int gpube__get_simplified(
	struct gpube_simplified *s, struct gpube__bytes *b, const struct gpube_model *given)
{
	const uint64_t n = (uint64_t)given->n_vars;

	*s = (struct gpube_simplified){.n_vars = given->n_vars};
	if (gpube__get_model(&s->model, b))
		return b->status;
	b->status = check(s->model);
	s->negated = gpube__get(b, 0, 1);
	s->n_components = (int32_t)gpube__get(b, 0, INT32_MAX);
	(void)gpube__get(b, given->n_vars, given->n_vars);
	s->var = gpube__alloc_zero(b->ctx, n, sizeof(*s->var));
	s->value = gpube__alloc_zero(b->ctx, n, sizeof(*s->value));
	s->choices = gpube__alloc_zero(b->ctx, n, sizeof(*s->choices));
	s->values = gpube__alloc_zero(b->ctx, n, sizeof(*s->values));
	if (!s->var || !s->value || !s->choices || !s->values)
		b->status = GPUBE_ENOMEM;
	for (int32_t i = 0; i < given->n_vars && !b->status; i++)
		get_map(s, b, given, i);
	if (!b->status)
		check_map(s, b);
	if (b->status)
		gpube__simplified_clear(b->ctx, s);
	return b->status;
}
