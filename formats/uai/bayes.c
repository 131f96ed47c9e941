/* bayes.c - see bayes.h. */
#include <stdio.h>
#include <string.h>

#include "formats/common/reading.h"
#include "formats/common/reals.h"
#include "formats/uai/bayes.h"

void gpube__bayes_init(struct gpube_bayes *b, struct gpube_model *m, struct gpube_in *in)
{
	b->m = m;
	b->in = in;
	m->bayes = true;
	gpube__names_init(&b->names, m->ctx);
}

int gpube__bayes_finish(struct gpube_bayes *b)
{
	struct gpube_ctx *ctx = b->m->ctx;

	for (int32_t i = 0; i < b->m->n_vars && !b->in->status; i++)
		if (!b->done[i])
			gpube__in_error(
				b->in, "variable '%.60s' has no probabilities", b->m->vars[i].name);
	gpube__names_clear(&b->names);
	GPUBE_FREE_ALL(ctx, b->labels, b->scoped, b->done, b->scope, b->values);
	return b->in->status;
}

static void no_memory(struct gpube_bayes *b)
{
	b->in->status = b->in->status ? b->in->status : GPUBE_ENOMEM;
}

/* ---- variables ------------------------------------------------------------------------------- */

void gpube__bayes_label(struct gpube_bayes *b, const char *label)
{
	const int64_t n = (int64_t)strlen(label) + 1;

	if (gpube__grow(b->m->ctx, &b->labels, &b->labels_capacity, b->labels_bytes + n, 1)) {
		no_memory(b);
		return;
	}
	memcpy(b->labels + b->labels_bytes, label, (size_t)n);
	b->longest = b->longest < (size_t)n - 1 ? (size_t)n - 1 : b->longest;
	b->labels_bytes += n;
	b->n_labels++;
}

static void name_values(struct gpube_bayes *b, int32_t var)
{
	const int32_t space = GPUBE_BAYES_VALUES + var;
	struct gpube_variable *v = &b->m->vars[var];
	const char *label = b->labels;

	for (int32_t k = 0; k < v->domain && !b->in->status; k++, label += strlen(label) + 1) {
		if (gpube__names_find(&b->names, space, label))
			gpube__in_error(b->in, "value '%.60s' is twice in variable '%.60s'", label,
				v->name);
		else if (!gpube__name_value(v, b->in, k, label) &&
			 gpube__names_add(&b->names, space, v->value_names[k], k))
			no_memory(b);
	}
}

void gpube__bayes_variable(struct gpube_bayes *b, const char *name)
{
	struct gpube_ctx *ctx = b->m->ctx;
	int32_t var;

	if (gpube__names_find(&b->names, GPUBE_BAYES_VARIABLES, name))
		gpube__in_error(b->in, "variable '%.60s' is declared twice", name);
	else if (!b->n_labels)
		gpube__in_error(b->in, "variable '%.60s' has no values", name);
	if (b->in->status || gpube__add_var(b->m, b->in, &var, b->n_labels, name))
		return;
	if (gpube__grow(ctx, &b->scoped, &b->scoped_capacity, b->m->n_vars, sizeof(*b->scoped)) ||
		gpube__grow(ctx, &b->done, &b->done_capacity, b->m->n_vars, sizeof(*b->done)) ||
		gpube__names_add(&b->names, GPUBE_BAYES_VARIABLES, b->m->vars[var].name, var)) {
		no_memory(b);
		return;
	}
	b->scoped[var] = -1;
	b->done[var] = false;
	name_values(b, var);
	b->n_labels = 0;
	b->labels_bytes = 0;
}

/* ---- a table --------------------------------------------------------------------------------- */

const char *gpube__bayes_child_name(const struct gpube_bayes *b)
{
	return b->m->vars[b->scope[b->arity - 1]].name;
}

void gpube__bayes_parent(struct gpube_bayes *b, const char *name)
{
	const int32_t *var = gpube__names_find(&b->names, GPUBE_BAYES_VARIABLES, name);

	if (!var)
		gpube__in_expected(b->in, "a variable that is declared before", name);
	else if (b->arity && (*var == b->scope[0] || b->scoped[*var] == b->scope[0]))
		gpube__in_error(b->in, "variable '%.60s' is twice in the block of '%.60s'", name,
			b->m->vars[b->scope[0]].name);
	if (b->in->status)
		return;
	if (gpube__grow(b->m->ctx, &b->scope, &b->scope_capacity, b->arity + 1, sizeof(*b->scope)))
		no_memory(b);
	else
		b->scope[b->arity++] = *var;
	if (!b->in->status && b->arity > 1)
		b->scoped[*var] = b->scope[0];
}

void gpube__bayes_child(struct gpube_bayes *b, const char *name)
{
	b->arity = b->power = 0;
	b->n_values = 0;
	gpube__bayes_parent(b, name);
	if (b->in->status)
		return;
	if (b->done[b->scope[0]])
		gpube__in_error(
			b->in, "variable '%.60s' has a second block of probabilities", name);
	b->done[b->scope[0]] = true;
}

void gpube__bayes_scoped(struct gpube_bayes *b)
{
	int32_t child;

	if (b->in->status)
		return;
	child = b->scope[0];
	memmove(b->scope, b->scope + 1, (size_t)(b->arity - 1) * sizeof(*b->scope));
	b->scope[b->arity - 1] = child;
	b->domain = b->m->vars[child].domain;
	b->cells = gpube__cells(b->m, b->arity, b->scope);
	if (b->cells < 0)
		gpube__in_fail(b->in, GPUBE_ERANGE, "the table of '%.60s' has 2^63 cells or more",
			gpube__bayes_child_name(b));
}

void gpube__bayes_number(struct gpube_bayes *b, const char *text, int64_t k, int64_t n)
{
	char what[160];
	double v;

	if (b->in->status)
		return;
	if (k >= n) {
		gpube__in_error(b->in, "the table of '%.60s' has more than %lld probabilities",
			gpube__bayes_child_name(b), (long long)n);
	} else if (!gpube__real(&v, text) || v < 0) {
		snprintf(what, sizeof(what), "probability %lld of %lld of '%.60s'",
			(long long)k + 1, (long long)n, gpube__bayes_child_name(b));
		gpube__in_expected(b->in, what, text);
	} else if (gpube__grow(b->m->ctx, &b->values, &b->values_capacity, b->n_values + 1,
			   sizeof(*b->values))) {
		no_memory(b);
	} else {
		gpube__put_potential(
			b->in, b->values, b->n_values++, v, text, strlen(text), &b->power);
	}
}

void gpube__bayes_add(struct gpube_bayes *b, double *table)
{
	struct gpube_table t = {
		.type = GPUBE_FLOAT64, .arity = b->arity, .n = b->cells, .power = b->power};
	int32_t index;

	if (!table && !b->in->status && b->n_values < b->cells)
		gpube__in_error(b->in, "the table of '%.60s' has %lld of %lld probabilities",
			gpube__bayes_child_name(b), (long long)b->n_values, (long long)b->cells);
	if (!table && !b->in->status) {
		table = gpube__alloc(b->m->ctx, (uint64_t)b->cells, sizeof(*table));
		if (table)
			memcpy(table, b->values, (size_t)b->cells * sizeof(*table));
	}
	if (b->in->status) {
		gpube__free(b->m->ctx, table);
		return;
	}
	t.values = table;
	if (!table || gpube__add_table(b->m, &index, &t) ||
		gpube__add_function(b->m, b->arity, b->scope, index, NULL))
		no_memory(b);
}
