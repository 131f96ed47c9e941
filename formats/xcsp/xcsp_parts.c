/* xcsp_parts.c - texts of XCSP 2.1's elements, and constraints. See xcsp.h. */
#ifdef GPUBE_HAVE_EXPAT

#include "formats/xcsp/xcsp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/keywords/intension.h"
#include "formats/common/reading.h"

#define BLANKS " \t\n\v\f\r"

static int no_memory(struct gpube_xcsp *r)
{
	return r->in->status ? r->in->status : (r->in->status = GPUBE_ENOMEM);
}

/* Passes blanks and counts their lines. */
static const char *skip_blanks(struct gpube_xcsp *r, const char *p)
{
	for (; *p && strchr(BLANKS, *p); p++)
		r->in->line += *p == '\n';
	return p;
}

/* ---- domains ------------------------------------------------------------------------------------
 */

static int add_values(struct gpube_xcsp *r, struct gpube_xcsp_domain *d, int64_t low, int64_t high)
{
	if (high < low || (d->n && low <= d->values[d->n - 1].i))
		return gpube__in_error(
			r->in, "the values of a domain do not rise at %lld", (long long)low);
	if (high - low >= GPUBE_EXPAND_CELLS - d->n)
		return gpube__in_fail(r->in, GPUBE_ERANGE,
			"a domain of more than the %lld values that are expanded",
			(long long)GPUBE_EXPAND_CELLS);
	if (high > low && gpube__in_charge(r->in, high - low + 1, 2 * sizeof(*d->values),
				  "a domain of %lld values", (long long)(high - low + 1)))
		return r->in->status;
	if (gpube__grow(
		    r->m->ctx, &d->values, &d->capacity, d->n + high - low + 1, sizeof(*d->values)))
		return no_memory(r);
	for (int64_t v = low; v <= high; v++)
		d->values[d->n++] = (struct gpube_value){GPUBE_VALUE_INT, v, 0, NULL};
	return GPUBE_OK;
}

int gpube__xcsp_values(struct gpube_xcsp *r, struct gpube_xcsp_domain *d, const char *text)
{
	int status = GPUBE_OK;

	r->in->line = r->text_line;
	for (text = skip_blanks(r, text); *text && !status; text = skip_blanks(r, text)) {
		int64_t low, high;

		if (gpube__xcsp_next_int(r, &low, &text, "a value or a range such as 1..9"))
			return r->in->status;
		high = low;
		if (text[0] == '.' && text[1] == '.') {
			text += 2;
			if (gpube__xcsp_next_int(r, &high, &text, "the end of a range"))
				return r->in->status;
		}
		if (*text && !strchr(BLANKS, *text))
			return gpube__in_expected(r->in, "a value or a range such as 1..9", text);
		status = add_values(r, d, low, high);
	}
	return status;
}

/* Index of a value; -1: the domain has it not. */
static int32_t find_value(const struct gpube_xcsp_domain *d, int64_t v)
{
	int32_t low = 0, high = d->n;

	while (low < high) {
		int32_t mid = low + (high - low) / 2;

		if (d->values[mid].i < v)
			low = mid + 1;
		else
			high = mid;
	}
	return low < d->n && d->values[low].i == v ? low : -1;
}

/* ---- relations ----------------------------------------------------------------------- */

/* "12:" before a tuple sets the cost of it and of what follows. */
static int read_cost(struct gpube_xcsp *r, double *cost, const char **p)
{
	size_t n = strcspn(*p, ":|" BLANKS);
	const char *after = *p + n + strspn(*p + n, " \t");
	char word[64];

	if (*after != ':')
		return GPUBE_OK;
	snprintf(word, sizeof(word), "%.*s", n > 60 ? 60 : (int)n, *p);
	*p = skip_blanks(r, after + 1);
	return gpube__xcsp_cost(r, cost, word);
}

int gpube__xcsp_tuples(struct gpube_xcsp *r, struct gpube_xcsp_relation *rel, const char *text)
{
	struct gpube_ctx *ctx = r->m->ctx;
	double cost = rel->kind == GPUBE_XCSP_SUPPORTS    ? 0
		      : rel->kind == GPUBE_XCSP_CONFLICTS ? INFINITY
							  : NAN;

	r->in->line = r->text_line;
	text = skip_blanks(r, text);
	while (*text) {
		if (rel->kind == GPUBE_XCSP_SOFT && read_cost(r, &cost, &text))
			return r->in->status;
		if (isnan(cost))
			return gpube__in_error(r->in, "a soft relation begins with a cost and ':'");
		if (gpube__grow(ctx, &rel->tuples, &rel->tuples_capacity, (rel->n + 1) * rel->arity,
			    sizeof(*rel->tuples)) ||
			gpube__grow(ctx, &rel->costs, &rel->costs_capacity, rel->n + 1,
				sizeof(*rel->costs)))
			return no_memory(r);
		for (int64_t k = 0; k < rel->arity; k++) {
			text = skip_blanks(r, text);
			if (gpube__xcsp_next_int(
				    r, &rel->tuples[rel->n * rel->arity + k], &text, "a value"))
				return r->in->status;
		}
		rel->costs[rel->n++] = cost;
		text = skip_blanks(r, text);
		if (*text && *text != '|')
			return gpube__in_expected(r->in, "'|' between tuples", text);
		if (*text)
			text = skip_blanks(r, text + 1);
	}
	return GPUBE_OK;
}

int gpube__xcsp_scope(struct gpube_xcsp *r, const char *text)
{
	char name[256];

	r->arity = 0;
	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		size_t n = strcspn(text, BLANKS);
		const int32_t *var;

		snprintf(name, sizeof(name), "%.*s", n > 255 ? 255 : (int)n, text);
		var = gpube__names_find(&r->names, GPUBE_XCSP_VARIABLES, name);
		if (!var)
			return gpube__in_error(r->in, "variable '%.60s' is not known", name);
		if (r->arity == GPUBE_XCSP_SCOPE)
			return gpube__in_fail(r->in, GPUBE_ERANGE,
				"a scope of more than %d variables", GPUBE_XCSP_SCOPE);
		for (int k = 0; k < r->arity; k++)
			if (r->scope[k] == *var)
				return gpube__in_error(
					r->in, "variable '%.60s' is twice in a scope", name);
		r->scope[r->arity++] = *var;
		text += n;
	}
	return r->arity ? GPUBE_OK : gpube__in_error(r->in, "an empty scope");
}

/* ---- constraints --------------------------------------------------------------------- */

/* Does the relation's table, made for another scope, fit the current one's domains? */
static bool same_domains(const struct gpube_xcsp *r, const struct gpube_xcsp_relation *rel)
{
	const int32_t *scope;

	if (rel->table < 0)
		return false;
	scope = gpube__scope(r->m, rel->first);
	for (int k = 0; k < r->arity; k++)
		if (r->domain_of[scope[k]] != r->domain_of[r->scope[k]])
			return false;
	return true;
}

/* The relation's tuples over the scope's domains; what is outside of them does not matter. */
static int make_table(struct gpube_xcsp *r, struct gpube_xcsp_relation *rel, int32_t *table)
{
	struct gpube_ctx *ctx = r->m->ctx;
	int32_t domains[GPUBE_XCSP_SCOPE];
	double most = r->maximal_cost, *costs;
	int64_t n = 0, bad;
	int32_t *tuples;

	for (int k = 0; k < r->arity; k++)
		domains[k] = r->m->vars[r->scope[k]].domain;
	if (gpube__in_charge(r->in, rel->n + 1, 4 * (int64_t)r->arity + 16,
		    "the tables of a relation over several domains") ||
		gpube__charge_dense(r->in, r->arity, domains))
		return r->in->status;
	tuples = gpube__alloc(ctx, (uint64_t)rel->n * (uint64_t)r->arity + 1, 4);
	costs = gpube__alloc(ctx, (uint64_t)rel->n + 1, sizeof(*costs));
	if (!tuples || !costs) {
		gpube__free(ctx, tuples);
		gpube__free(ctx, costs);
		return no_memory(r);
	}
	for (int64_t t = 0; t < rel->n; t++) {
		int k = 0;

		for (; k < r->arity; k++) {
			tuples[n * r->arity + k] =
				find_value(&r->domains[r->domain_of[r->scope[k]]],
					rel->tuples[t * r->arity + k]);
			if (tuples[n * r->arity + k] < 0)
				break;
		}
		if (k == r->arity)
			costs[n++] = rel->costs[t] >= most ? INFINITY : rel->costs[t];
	}
	if (gpube__reals_table(r->m, domains, r->arity, n, tuples, costs,
		    rel->dflt >= most ? INFINITY : rel->dflt, table, &bad))
		return no_memory(r);
	if (bad < 0)
		return GPUBE_OK;
	r->in->line = rel->line;
	return gpube__in_error(r->in, "the relation has a tuple twice");
}

static int add_relation(struct gpube_xcsp *r, struct gpube_xcsp_relation *rel)
{
	int32_t table = rel->table;

	if (rel->arity != r->arity)
		return gpube__in_error(r->in,
			"relation '%.60s' has %lld column%s for %d variable%s", r->reference,
			(long long)rel->arity, gpube__plural((double)rel->arity), r->arity,
			gpube__plural(r->arity));
	if (!same_domains(r, rel)) {
		if (make_table(r, rel, &table))
			return r->in->status;
		rel->table = table;
		rel->first = r->m->n_functions;
	}
	if (gpube__add_function(r->m, r->arity, r->scope, table, r->constraint))
		return no_memory(r);
	return GPUBE_OK;
}

/* What a predicate's formal parameters stand for in a constraint. */
struct binding {
	struct gpube_xcsp *r;
	const char *formal, *actual;
};

/* Word number k of a text without 'int's, into 'word'; false: there are fewer. */
static bool word_at(const char *text, int k, char word[128])
{
	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		size_t n = strcspn(text, BLANKS);

		if (!(n == 3 && strncmp(text, "int", 3) == 0) && k-- == 0) {
			snprintf(word, 128, "%.*s", n > 127 ? 127 : (int)n, text);
			return true;
		}
		text += n;
	}
	return false;
}

/* Which word of a text without 'int's a name is; -1: none. */
static int place_of(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (int k = 0; *(text += strspn(text, BLANKS));) {
		size_t n = strcspn(text, BLANKS);

		if (n == length && memcmp(text, name, n) == 0)
			return k;
		k += !(n == 3 && strncmp(text, "int", 3) == 0);
		text += n;
	}
	return -1;
}

static int bind_name(void *arg, const char *name, struct gpube_value *constant)
{
	const struct binding *b = arg;
	char word[128];
	int k = place_of(b->formal, name);
	int32_t *var;
	char *end;

	if (k < 0 || !word_at(b->actual, k, word))
		return GPUBE_EXPR_UNKNOWN;
	constant->i = strtoll(word, &end, 10);
	if (!*end)
		return GPUBE_EXPR_CONSTANT;
	var = gpube__names_find(&b->r->names, GPUBE_XCSP_VARIABLES, word);
	for (k = 0; var && k < b->r->arity; k++)
		if (b->r->scope[k] == *var)
			return k;
	return GPUBE_EXPR_UNKNOWN;
}

static int add_predicate(struct gpube_xcsp *r, const struct gpube_xcsp_predicate *p)
{
	const struct gpube_value *values[GPUBE_XCSP_SCOPE];
	struct binding b = {r, p->parameters, r->parameters};
	const struct gpube_expr_names names = {bind_name, &b, r->arity};
	struct gpube_expr e;
	int status;

	if (!p->parameters || !p->functional)
		return gpube__in_error(r->in,
			"predicate '%.60s' has no parameters or no functional expression",
			r->reference);
	if (!r->has_parameters)
		return gpube__in_error(r->in, "constraint '%.60s' has no parameters",
			r->constraint ? r->constraint : "");
	status = gpube__expr_functional(&e, r->m->ctx, p->functional, &names);
	if (status == GPUBE_EPARSE)
		gpube__in_error(r->in, "predicate '%.60s': %s", r->reference, e.error);
	else if (status)
		no_memory(r);
	for (int k = 0; k < r->arity; k++)
		values[k] = r->domains[r->domain_of[r->scope[k]]].values;
	if (!status)
		status = gpube__expr_expand(
			&e, r->m, r->in, r->arity, r->scope, values, !p->function, r->constraint);
	gpube__expr_clear(&e);
	return r->in->status ? r->in->status : status;
}

/* Each pair of variables differs: exact, and no table over all of them. */
static int add_all_different(struct gpube_xcsp *r)
{
	for (int i = 0; i < r->arity; i++)
		for (int j = i + 1; j < r->arity; j++) {
			int32_t scope[] = {r->scope[i], r->scope[j]};
			const struct gpube_xcsp_domain *a = &r->domains[r->domain_of[scope[0]]],
						       *b = &r->domains[r->domain_of[scope[1]]];
			int64_t n = gpube__mul_size(a->n, b->n);
			double *costs;

			if (n > GPUBE_EXPAND_CELLS)
				return gpube__in_fail(r->in, GPUBE_ERANGE,
					"two variables have more than the %lld tuples that are "
					"expanded",
					(long long)GPUBE_EXPAND_CELLS);
			if (gpube__charge_expanded(r->in, n, r->constraint))
				return r->in->status;
			costs = gpube__alloc(r->m->ctx, (uint64_t)n, sizeof(*costs));
			if (!costs)
				return no_memory(r);
			for (int64_t k = 0; k < n; k++)
				costs[k] = a->values[k / b->n].i == b->values[k % b->n].i ? INFINITY
											  : 0;
			if (gpube__reals_add(r->m, 2, scope, costs, r->constraint))
				return no_memory(r);
		}
	return GPUBE_OK;
}

int gpube__xcsp_constraint(struct gpube_xcsp *r)
{
	const int32_t *found;

	if (strcmp(r->reference, "global:allDifferent") == 0 ||
		strcmp(r->reference, "global:alldifferent") == 0)
		return add_all_different(r);
	if (strcmp(r->reference, "global:weightedSum") == 0 ||
		strcmp(r->reference, "global:weightedsum") == 0)
		return gpube__xcsp_weighted_sum(r);
	if (strncmp(r->reference, "global:", 7) == 0)
		return gpube__in_error(r->in, "constraint '%.60s' is not supported", r->reference);
	found = gpube__names_find(&r->names, GPUBE_XCSP_REFERENCES, r->reference);
	if (!found)
		return gpube__in_error(
			r->in, "relation or predicate '%.60s' is not known", r->reference);
	return *found % 2 ? add_predicate(r, &r->predicates[*found / 2])
			  : add_relation(r, &r->relations[*found / 2]);
}

void gpube__xcsp_clear(struct gpube_xcsp *r)
{
	struct gpube_ctx *ctx = r->m->ctx;

	for (int64_t k = 0; k < r->n_domains; k++)
		gpube__free(ctx, r->domains[k].values);
	for (int64_t k = 0; k < r->n_relations; k++) {
		gpube__free(ctx, r->relations[k].tuples);
		gpube__free(ctx, r->relations[k].costs);
	}
	for (int64_t k = 0; k < r->n_predicates; k++) {
		gpube__free(ctx, r->predicates[k].parameters);
		gpube__free(ctx, r->predicates[k].functional);
	}
	for (int64_t k = 0; k < r->n_strings; k++)
		gpube__free(ctx, r->strings[k]);
	gpube__names_clear(&r->names);
	gpube__free(ctx, r->strings);
	gpube__free(ctx, r->domains);
	gpube__free(ctx, r->domain_of);
	gpube__free(ctx, r->owner_of);
	gpube__free(ctx, r->relations);
	gpube__free(ctx, r->predicates);
	gpube__free(ctx, r->text);
	gpube__free(ctx, r->reference);
	gpube__free(ctx, r->constraint);
	gpube__free(ctx, r->parameters);
}

#else
typedef int gpube__no_expat; /* a file is not empty */
#endif
