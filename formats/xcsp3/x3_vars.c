/* x3_vars.c - XCSP3: variables and arrays of them. See x3.h. */
#include <stdio.h>
#include <string.h>

#include "formats/common/reading.h"
#include "formats/xcsp3/x3.h"

/* ---- variables ------------------------------------------------------------------------- */

static int keep_name(struct gpube_x3 *r, enum gpube_x3_space space, const char *name, int32_t value)
{
	if (gpube__x3_known(r, GPUBE_X3_SYMBOLS, name) >= 0 ||
		gpube__x3_known(r, GPUBE_X3_NAMED, name) >= 0 ||
		gpube__x3_known(r, GPUBE_X3_ARRAYS, name) >= 0)
		return gpube__in_error(r->in, "the name '%.60s' is there twice", name);
	return gpube__x3_know(r, space, name, value);
}

/* Values that are not the indices themselves get their numbers as names. */
static int name_values(struct gpube_x3 *r, int32_t var)
{
	struct gpube_variable *v = &r->m->vars[var];
	const struct gpube_x3_domain *d = &r->domains[r->domain_of[var]];
	char text[32];

	if (!d->values && d->first == 0)
		return GPUBE_OK;
	for (int32_t k = 0; k < d->n; k++) {
		const int64_t value = gpube__x3_value(r, var, k);

		snprintf(text, sizeof(text), "%lld", (long long)value);
		if (gpube__name_value(v, r->in, k,
			    value < GPUBE_X3_SYMBOL ? text : r->symbols[value - GPUBE_X3_SYMBOL]))
			return r->in->status;
	}
	return GPUBE_OK;
}

static int set_domain(struct gpube_x3 *r, int32_t var, int32_t domain)
{
	if (gpube__grow(r->m->ctx, &r->domain_of, &r->domain_of_capacity, r->m->n_vars,
		    sizeof(*r->domain_of)))
		return gpube__x3_no_memory(r);
	r->domain_of[var] = domain;
	return GPUBE_OK;
}

int gpube__x3_add_var(struct gpube_x3 *r, int32_t *var, const char *name, int32_t domain)
{
	if (gpube__add_var(r->m, r->in, var, r->domains[domain].n, name) ||
		set_domain(r, *var, domain))
		return r->in->status;
	return name_values(r, *var);
}

int gpube__x3_hidden_as(struct gpube_x3 *r, const char *what, int32_t domain, int32_t *var)
{
	char name[64];

	/* the mark by which toulbar2 knows that a variable is not to be shown */
	snprintf(name, sizeof(name), "^%.30s_%d", what, r->n_hidden++);
	if (gpube__add_var(r->m, r->in, var, r->domains[domain].n, name) ||
		set_domain(r, *var, domain))
		return r->in->status;
	gpube__hide(r->m, *var);
	return GPUBE_OK;
}

int gpube__x3_hidden(
	struct gpube_x3 *r, const char *what, int64_t n, const int64_t *values, int32_t *var)
{
	struct gpube_x3_domain d = {.n = n, .first = values[0], .values = (int64_t *)values};
	int32_t domain;

	if (gpube__in_charge(r->in, n, sizeof(*values), "hidden variables") ||
		gpube__x3_add_domain(r, &d, &domain))
		return r->in->status;
	return gpube__x3_hidden_as(r, what, domain, var);
}

/* A number as a hidden variable of one value; the same for the same number. */
int gpube__x3_as_var(struct gpube_x3 *r, struct gpube_x3_term t, int32_t *var)
{
	char name[32];

	*var = t.var;
	if (t.var >= 0)
		return GPUBE_OK;
	snprintf(name, sizeof(name), "%lld", (long long)t.value);
	*var = gpube__x3_known(r, GPUBE_X3_NUMBERS, name);
	if (*var >= 0)
		return GPUBE_OK;
	return gpube__x3_hidden(r, name, 1, &t.value, var)
		       ? r->in->status
		       : gpube__x3_know(r, GPUBE_X3_NUMBERS, name, *var);
}

int gpube__x3_see(struct gpube_x3 *r)
{
	if (gpube__grow(r->m->ctx, &r->seen, &r->seen_capacity, r->m->n_vars, 2 * sizeof(*r->seen)))
		return gpube__x3_no_memory(r);
	for (; r->n_seen < r->m->n_vars; r->n_seen++)
		r->seen[2 * r->n_seen] = 0;
	return GPUBE_OK;
}

/* ---- elements -------------------------------------------------------------------------- */

static int check_type(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *type = gpube__x3_attribute(node, "type");

	r->symbolic = type && strcmp(type, "symbolic") == 0;
	if (type && !r->symbolic && strcmp(type, "integer") != 0)
		return gpube__in_error(r->in, "variables of type '%.40s' are not read", type);
	return GPUBE_OK;
}

static const char *text_of(const struct gpube_x3_node *node)
{
	return node->text ? node->text : "";
}

static int read_var(struct gpube_x3 *r, struct gpube_x3_node *node, const char *id)
{
	const char *as = gpube__x3_attribute(node, "as");
	int32_t domain = -1, var, other;

	if (as) {
		other = gpube__x3_find(r, as, strlen(as));
		if (other < 0)
			return r->in->status;
		domain = r->domain_of[other];
	} else if (gpube__x3_read_domain(r, text_of(node), &domain)) {
		return r->in->status;
	}
	if (gpube__x3_add_var(r, &var, id, domain))
		return r->in->status;
	return keep_name(r, GPUBE_X3_NAMED, id, var);
}

/* "[3][4]" */
static int read_size(struct gpube_x3 *r, const char *text, struct gpube_x3_array *a)
{
	struct gpube_x3_slice s;

	if (gpube__x3_slice_read(r, text, text + strlen(text), &s))
		return r->in->status;
	a->n_dims = s.n;
	a->n = s.n ? 1 : 0;
	for (int k = 0; k < s.n; k++) {
		a->size[k] = s.in[k].low == s.in[k].high ? s.in[k].low : 0;
		if (a->size[k] < 1)
			return gpube__in_error(r->in, "expected sizes from 1, found '%.40s'", text);
		if (__builtin_mul_overflow(a->n, a->size[k], &a->n) || a->n > INT32_MAX)
			return gpube__in_error(
				r->in, "array '%.60s' of 2^31 variables or more", a->name);
	}
	return a->n ? GPUBE_OK : gpube__in_error(r->in, "array '%.60s' has no size", a->name);
}

/* The domain of each element, -1: it has none. */
struct places {
	int32_t *domains, domain;
};

static int take_domain(struct gpube_x3 *r, void *arg, int64_t place)
{
	struct places *p = arg;

	if (p->domains[place] >= 0)
		return gpube__in_error(r->in, "element %lld has two domains", (long long)place);
	p->domains[place] = p->domain;
	return GPUBE_OK;
}

static int read_domains(
	struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_array *a, struct places *p)
{
	bool others = false;

	for (struct gpube_x3_node *d = gpube__x3_child(node, "domain"); d; d = gpube__x3_next(d)) {
		const char *to = gpube__x3_attribute(d, "for"), *word;
		size_t n;

		r->in->line = d->line;
		if (!to)
			return gpube__in_error(r->in, "<domain> needs the attribute 'for'");
		if (others)
			return gpube__in_error(r->in, "a <domain> behind that for=\"others\"");
		if (gpube__x3_read_domain(r, text_of(d), &p->domain))
			return r->in->status;
		if (strcmp(to, "others") == 0) {
			others = true;
			for (int64_t k = 0; k < a->n; k++)
				p->domains[k] = p->domains[k] < 0 ? p->domain : p->domains[k];
			continue;
		}
		while ((word = gpube__x3_word(r, &to, &n)) && n) {
			const char *bracket = memchr(word, '[', n);
			struct gpube_x3_slice s;

			if (!bracket || (size_t)(bracket - word) != strlen(a->name) ||
				memcmp(word, a->name, strlen(a->name)) != 0)
				return gpube__in_error(r->in,
					"expected elements of '%.40s', found '%.*s'", a->name,
					n > 40 ? 40 : (int)n, word);
			if (gpube__x3_slice_read(r, bracket, word + n, &s) ||
				gpube__x3_slice_walk(r, a, &s, take_domain, p, NULL))
				return r->in->status;
		}
	}
	return r->in->status;
}

/* As another array, or as one variable. */
static int copy_domains(
	struct gpube_x3 *r, const char *as, const struct gpube_x3_array *a, struct places *p)
{
	const int32_t found = gpube__x3_named(r, GPUBE_X3_ARRAYS, as, strlen(as));
	const struct gpube_x3_array *other = found >= 0 ? &r->arrays[found] : NULL;
	int32_t var;

	if (other && other->n == a->n) {
		for (int64_t k = 0; k < a->n; k++)
			p->domains[k] = other->vars[k] < 0 ? -1 : r->domain_of[other->vars[k]];
		return GPUBE_OK;
	}
	if (other) {
		for (int64_t k = 1; k < other->n; k++)
			if (other->vars[k] < 0 || other->vars[0] < 0 ||
				r->domain_of[other->vars[k]] != r->domain_of[other->vars[0]])
				return gpube__in_error(r->in,
					"array '%.40s' is as '%.40s', which has other sizes and "
					"domains that differ",
					a->name, as);
		var = other->vars[0];
	} else {
		var = gpube__x3_find(r, as, strlen(as));
	}
	for (int64_t k = 0; k < a->n && var >= 0; k++)
		p->domains[k] = r->domain_of[var];
	return r->in->status;
}

static int add_elements(struct gpube_x3 *r, struct gpube_x3_array *a, const struct places *p)
{
	char name[256 + 12 * GPUBE_X3_DIMENSIONS];
	const uint64_t charged = r->in->charged;

	/* what its variables will be charged as, at once: a short name may stand for millions */
	for (int64_t k = 0; k < a->n; k++)
		if (p->domains[k] >= 0 &&
			gpube__in_charge(r->in, 1,
				GPUBE_VARIABLE_BYTES +
					r->domains[p->domains[k]].n * GPUBE_VALUE_BYTES,
				"array '%.60s' of %lld variables", a->name, (long long)a->n))
			return r->in->status;
	r->in->charged = charged;
	for (int64_t k = 0; k < a->n; k++) {
		int64_t at[GPUBE_X3_DIMENSIONS], rest = k;
		int length = snprintf(name, sizeof(name), "%s", a->name);

		if (p->domains[k] < 0)
			continue;
		for (int d = a->n_dims - 1; d >= 0; d--) {
			at[d] = rest % a->size[d] + a->start;
			rest /= a->size[d];
		}
		for (int d = 0; d < a->n_dims; d++)
			length += snprintf(name + length, sizeof(name) - (size_t)length, "[%lld]",
				(long long)at[d]);
		if (gpube__x3_add_var(r, &a->vars[k], name, p->domains[k]))
			return r->in->status;
	}
	return GPUBE_OK;
}

static int read_array(struct gpube_x3 *r, struct gpube_x3_node *node, const char *id)
{
	const char *size = gpube__x3_attribute(node, "size"), *as = gpube__x3_attribute(node, "as");
	struct gpube_x3_array a = {.name = (char *)id}, *kept;
	struct places p;

	if (!size)
		return gpube__in_error(r->in, "<array> needs the attribute 'size'");
	if (read_size(r, size, &a) || gpube__x3_start(r, node, &a.start))
		return r->in->status;
	if (gpube__in_charge(r->in, a.n, 3 * sizeof(*a.vars), "array '%.60s' of %lld variables", id,
		    (long long)a.n))
		return r->in->status;
	p.domains = gpube__x3_temp(r, a.n, sizeof(*p.domains));
	if (!p.domains)
		return r->in->status;
	memset(p.domains, 0xff, (size_t)a.n * sizeof(*p.domains));
	if (as)
		copy_domains(r, as, &a, &p);
	else if (node->child)
		read_domains(r, node, &a, &p);
	else if (!gpube__x3_read_domain(r, text_of(node), &p.domain))
		for (int64_t k = 0; k < a.n; k++)
			p.domains[k] = p.domain;
	if (r->in->status)
		return r->in->status;
	if (gpube__grow(r->m->ctx, &r->arrays, &r->arrays_capacity, r->n_arrays + 1,
		    sizeof(*r->arrays)) ||
		!(a.vars = gpube__alloc(r->m->ctx, (uint64_t)a.n, sizeof(*a.vars))))
		return gpube__x3_no_memory(r);
	memset(a.vars, 0xff, (size_t)a.n * sizeof(*a.vars));
	kept = &r->arrays[r->n_arrays++];
	*kept = a;
	if (keep_name(r, GPUBE_X3_ARRAYS, id, (int32_t)(r->n_arrays - 1)))
		return r->in->status;
	kept->name = r->strings[r->n_strings - 1];
	return add_elements(r, kept, &p);
}

int gpube__x3_variables(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *id = gpube__x3_attribute(node, "id");
	const bool array = gpube__x3_is(node, "array");

	if (!array && !gpube__x3_is(node, "var"))
		return gpube__in_error(r->in, "<%.40s> in <variables> is not read", node->name);
	if (!id || !*id || strpbrk(id, " \t\n\r[](){},%"))
		return gpube__in_error(
			r->in, "<%s> needs a name as its attribute 'id'", node->name);
	if (strlen(id) > 200)
		return gpube__in_error(r->in, "a name of more than 200 bytes");
	if (check_type(r, node))
		return r->in->status;
	return array ? read_array(r, node, id) : read_var(r, node, id);
}
