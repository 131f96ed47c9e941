/*
 * conditional.c - see conditional.h. The child is the last variable of a table's scope, so that its
 * values stand beside each other: a row.
 */
#include "formats/common/conditional.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_SLACK 1e-6
#define VALUE_SLACK 5e-7

struct worst {
	int64_t n; /* rows that do not add up to 1 */
	int32_t function;
	int64_t row;
	double sum, off;
};

static double slack(int32_t domain)
{
	return fmax(LEAST_SLACK, VALUE_SLACK * domain);
}

static int32_t child_domain(const struct gpube_model *m, int32_t f)
{
	return m->vars[gpube__scope(m, f)[m->functions[f].arity - 1]].domain;
}

static double sum_of(const struct gpube_table *t, int64_t first, int64_t step, int32_t n)
{
	double sum = 0;

	for (int32_t k = 0; k < n; k++)
		sum += gpube__table_real(t, first + k * step);
	return sum;
}

static void look_at(struct worst *w, const struct gpube_model *m, int32_t f)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t domain = child_domain(m, f);

	for (int64_t row = 0; row < t->n / domain; row++) {
		const double sum = sum_of(t, row * domain, 1, domain), off = fabs(sum - 1);

		if (off <= slack(domain))
			continue;
		w->n++;
		if (off <= w->off)
			continue;
		w->function = f;
		w->row = row;
		w->sum = sum;
		w->off = off;
	}
}

/* Is the table one whose child varies slowest, as pgmpy writes it into a .uai? */
static bool is_turned(const struct gpube_model *m, int32_t f)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t domain = child_domain(m, f);
	const int64_t n_rows = t->n / domain;

	for (int64_t row = 0; row < n_rows; row++)
		if (fabs(sum_of(t, row, n_rows, domain) - 1) > slack(domain))
			return false;
	return n_rows > 1;
}

/* The name, or else the number, as "variable b is yes" has them, with what stands in front. */
static size_t add(
	char *text, size_t size, size_t at, const char *before, const char *name, int64_t number)
{
	char digits[24];
	int n;

	if (at >= size)
		return at;
	snprintf(digits, sizeof(digits), "%lld", (long long)number);
	n = snprintf(text + at, size - at, "%s%.40s", before, name ? name : digits);
	return at + (size_t)n;
}

/* " where variable a is yes, variable 3 is 0": what the parents are in a row. */
static void describe_parents(
	char *text, size_t size, const struct gpube_model *m, int32_t f, int64_t row)
{
	const int32_t *scope = gpube__scope(m, f);
	int64_t rest = gpube__table(m, f)->n / child_domain(m, f);
	size_t at = 0;

	*text = 0;
	for (int k = 0; k < m->functions[f].arity - 1; k++) {
		const struct gpube_variable *v = &m->vars[scope[k]];
		int32_t value;

		rest /= v->domain;
		value = (int32_t)(row / rest % v->domain);
		at = add(text, size, at, k ? ", variable " : " where variable ", v->name, scope[k]);
		at = add(text, size, at, " is ", v->value_names ? v->value_names[value] : NULL,
			value);
	}
	if (at >= size)
		memcpy(text + size - 4, "...", 4);
}

static void say(const struct worst *w, const struct gpube_model *m, const char *path)
{
	const int32_t child = gpube__scope(m, w->function)[m->functions[w->function].arity - 1];
	char parents[200], name[64];

	describe_parents(parents, sizeof(parents), m, w->function, w->row);
	add(name, sizeof(name), 0, "variable ", m->vars[child].name, child);
	gpube__log(m->ctx, GPUBE_LOG_NOTE,
		"%s: %lld row%s of conditional probabilities %s not add up to 1, the worst to "
		"%.9g: that of %s%s%s",
		path, (long long)w->n, gpube__plural((double)w->n), w->n == 1 ? "does" : "do",
		w->sum, name, parents,
		is_turned(m, w->function) ? "; all rows of this table would if the values of that "
					    "variable varied slowest"
					  : "");
}

bool gpube__is_conditional(const struct gpube_model *m, int32_t function)
{
	struct worst w = {0};

	look_at(&w, m, function);
	return !w.n;
}

int gpube__note_rows(const struct gpube_model *m, const char *path)
{
	struct worst w = {0};

	if (!m->bayes || m->kind != GPUBE_POTENTIALS)
		return GPUBE_OK;
	for (int32_t f = 0; f < m->n_functions; f++) {
		const struct gpube_table *t = gpube__table(m, f);

		if (gpube__stopped(m->ctx))
			return gpube__fail_stopped(m->ctx);
		if (t->arity > 0 && !t->sparse)
			look_at(&w, m, f);
	}
	if (w.n)
		say(&w, m, path);
	return GPUBE_OK;
}
