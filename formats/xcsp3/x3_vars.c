/* x3_vars.c - XCSP3: variables, arrays of them, and their domains. See x3.h. */
#ifdef GPUBE_HAVE_EXPAT

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/reading.h"
#include "formats/xcsp3/x3.h"

/* Domains among which an equal one is looked for. */
enum { LOOKED_BACK = 16 };

/* ---- domains --------------------------------------------------------------------------- */

int64_t gpube__x3_value(const struct gpube_x3 *r, int32_t var, int32_t index)
{
	const struct gpube_x3_domain *d = &r->domains[r->domain_of[var]];

	return d->values ? d->values[index] : d->first + index;
}

int32_t gpube__x3_index(const struct gpube_x3 *r, int32_t var, int64_t value)
{
	const struct gpube_x3_domain *d = &r->domains[r->domain_of[var]];
	int64_t low = 0, high = d->n;

	if (!d->values)
		return value >= d->first && value - d->first < d->n ? (int32_t)(value - d->first) : -1;
	while (low < high) {
		const int64_t mid = (low + high) / 2;

		if (d->values[mid] < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low < d->n && d->values[low] == value ? (int32_t)low : -1;
}

struct gpube_x3_interval gpube__x3_range(const struct gpube_x3 *r, int32_t var)
{
	const int32_t n = r->m->vars[var].domain;

	return (struct gpube_x3_interval){gpube__x3_value(r, var, 0), gpube__x3_value(r, var, n - 1)};
}

bool gpube__x3_same_domain(const struct gpube_x3_domain *a, const struct gpube_x3_domain *b)
{
	if (a->n != b->n || !a->values != !b->values)
		return false;
	return a->values ? memcmp(a->values, b->values, (size_t)a->n * sizeof(*a->values)) == 0
			 : a->first == b->first;
}

static int add_domain(struct gpube_x3 *r, const struct gpube_x3_domain *d, int32_t *index)
{
	struct gpube_x3_domain copy = *d;

	if (d->values && d->n && d->values[d->n - 1] - d->values[0] == d->n - 1) {
		copy.first = d->values[0];
		copy.values = NULL;
	}
	/* variables of one domain share tables, and many files say it again for each */
	for (int64_t k = r->n_domains; k-- > 0 && k + LOOKED_BACK >= r->n_domains;)
		if (gpube__x3_same_domain(&r->domains[k], &copy)) {
			*index = (int32_t)k;
			return GPUBE_OK;
		}
	if (gpube__grow(r->m->ctx, &r->domains, &r->domains_capacity, r->n_domains + 1,
		    sizeof(*r->domains)))
		return gpube__x3_no_memory(r);
	if (copy.values) {
		copy.values = gpube__alloc(r->m->ctx, (uint64_t)d->n, sizeof(*copy.values));
		if (!copy.values)
			return gpube__x3_no_memory(r);
		memcpy(copy.values, d->values, (size_t)d->n * sizeof(*copy.values));
	}
	*index = (int32_t)r->n_domains;
	r->domains[r->n_domains++] = copy;
	return GPUBE_OK;
}

static int compare_values(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t gpube__x3_unique(int64_t *values, int64_t n)
{
	int64_t left = 0;

	if (n == 0)
		return 0;
	qsort(values, (size_t)n, sizeof(*values), compare_values);
	for (int64_t k = 0; k < n; k++)
		if (k == 0 || values[k] != values[k - 1])
			values[left++] = values[k];
	return left;
}

bool gpube__x3_has(const int64_t *values, int64_t n, int64_t value)
{
	return n && bsearch(&value, values, (size_t)n, sizeof(*values), compare_values) != NULL;
}

bool gpube__x3_symbolic(const struct gpube_x3 *r, int32_t var)
{
	return r->n_symbols && gpube__x3_value(r, var, 0) >= GPUBE_X3_SYMBOL;
}

/* "0 1 4..9", or "red green" */
static int read_domain(struct gpube_x3 *r, const char *text, int32_t *index)
{
	struct gpube_x3_interval *set;
	struct gpube_x3_domain d = {0};
	int64_t n, at = 0;

	if (r->symbolic && gpube__x3_symbols(r, text, &d))
		return r->in->status;
	if (r->symbolic) {
		d.n = gpube__x3_unique(d.values, d.n);
		return add_domain(r, &d, index);
	}
	if (gpube__x3_intervals(r, text, &set, &n))
		return r->in->status;
	if (n == 0)
		return gpube__in_error(r->in, "a domain without values");
	d.first = set[0].low;
	for (int64_t k = 0; k < n; k++) {
		const int64_t span = set[k].high - set[k].low;

		if (span >= INT32_MAX || (d.n += span + 1) > INT32_MAX)
			return gpube__in_error(r->in, "a domain of 2^31 values or more");
	}
	if (n > 1) {
		if (gpube__in_charge(r->in, d.n, 3 * sizeof(*d.values), "a domain of %lld values",
			    (long long)d.n))
			return r->in->status;
		d.values = gpube__x3_temp(r, d.n, sizeof(*d.values));
		if (!d.values)
			return r->in->status;
		for (int64_t k = 0; k < n; k++)
			for (int64_t v = set[k].low; v <= set[k].high; v++)
				d.values[at++] = v;
		d.n = gpube__x3_unique(d.values, d.n);
	}
	return add_domain(r, &d, index);
}

/* ---- variables ------------------------------------------------------------------------- */

static int keep_name(struct gpube_x3 *r, enum gpube_x3_space space, const char *name, int32_t value)
{
	if (gpube__x3_known(r, GPUBE_X3_SYMBOLS, name) >= 0 || gpube__x3_known(r, GPUBE_X3_NAMED, name) >= 0 || gpube__x3_known(r, GPUBE_X3_ARRAYS, name) >= 0)
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
	v->value_names = gpube__alloc_zero(r->m->ctx, (uint64_t)d->n, sizeof(*v->value_names));
	if (!v->value_names)
		return gpube__x3_no_memory(r);
	for (int32_t k = 0; k < d->n; k++) {
		const int64_t value = gpube__x3_value(r, var, k);

		snprintf(text, sizeof(text), "%lld", (long long)value);
		if (gpube__name_value(v, r->in, k, value < GPUBE_X3_SYMBOL ? text : r->symbols[value - GPUBE_X3_SYMBOL]))
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

static int add_var(struct gpube_x3 *r, int32_t *var, const char *name, int32_t domain)
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
	if (gpube__add_var(r->m, r->in, var, r->domains[domain].n, name) || set_domain(r, *var, domain))
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
		add_domain(r, &d, &domain))
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

/* ---- names of one and of several -------------------------------------------------------- */

/* What stands in brackets: low > high, all. */
struct slice {
	struct gpube_x3_interval in[GPUBE_X3_DIMENSIONS];
	bool open[GPUBE_X3_DIMENSIONS]; /* is a range, or all */
	int n;
};

static int read_index(struct gpube_x3 *r, const char **p, const char *end, int64_t *v)
{
	const char *digit = *p + (*p < end && **p == '-');
	const bool negative = digit > *p;
	int64_t n = 0;

	if (digit == end || *digit < '0' || *digit > '9')
		return gpube__in_error(r->in, "expected an index, found '%.*s'",
			end - *p > 20 ? 20 : (int)(end - *p), *p);
	for (; digit < end && *digit >= '0' && *digit <= '9'; digit++)
		n = n < INT32_MAX ? 10 * n + *digit - '0' : n;
	*p = digit;
	*v = negative ? -n : n;
	return GPUBE_OK;
}

/* "[3][][1..2]" */
static int read_slice(struct gpube_x3 *r, const char *p, const char *end, struct slice *s)
{
	for (s->n = 0; p < end; s->n++) {
		struct gpube_x3_interval *in = &s->in[s->n];

		if (s->n == GPUBE_X3_DIMENSIONS)
			return gpube__in_error(r->in, "an array of more than %d dimensions",
				GPUBE_X3_DIMENSIONS);
		if (*p != '[')
			return gpube__in_error(r->in, "expected '[', found '%c'", *p);
		p++;
		*in = (struct gpube_x3_interval){0, -1};
		s->open[s->n] = true;
		if (p < end && *p != ']') {
			if (read_index(r, &p, end, &in->low))
				return r->in->status;
			in->high = in->low;
			s->open[s->n] = end - p > 2 && p[0] == '.';
			if (end - p > 2 && p[0] == '.' && p[1] == '.') {
				p += 2;
				if (read_index(r, &p, end, &in->high))
					return r->in->status;
				if (in->high < in->low)
					return gpube__in_error(r->in, "an empty range of indices");
			}
		}
		if (p == end || *p != ']')
			return gpube__in_error(r->in, "expected ']' behind an index");
		p++;
	}
	return GPUBE_OK;
}

/* Calls take() with the place of each element of the slice. */
static int walk_slice(struct gpube_x3 *r, const struct gpube_x3_array *a, struct slice *s,
	int (*take)(struct gpube_x3 *r, void *arg, int64_t place), void *arg, int64_t size[2])
{
	int64_t at[GPUBE_X3_DIMENSIONS], place;
	int k, open = 0;

	if (s->n != a->n_dims)
		return gpube__in_error(r->in, "array '%.60s' has %d dimension%s, not %d", a->name,
			a->n_dims, gpube__plural(a->n_dims), s->n);
	for (k = 0; k < s->n; k++) {
		struct gpube_x3_interval *in = &s->in[k];

		if (in->high < in->low) {
			in->low = 0;
			in->high = a->size[k] - 1;
		} else {
			in->low -= a->start;
			in->high -= a->start;
		}
		if (in->low < 0 || in->high >= a->size[k])
			return gpube__in_error(r->in, "array '%.60s' has no index %lld", a->name,
				(long long)((in->low < 0 ? in->low : in->high) + a->start));
		at[k] = in->low;
		if (s->open[k] && size) {
			size[0] = size[1];
			size[1] = in->high - in->low + 1;
			open++;
		}
	}
	if (size && open < 2)
		size[0] = open ? 1 : 0;
	do {
		place = 0;
		for (k = 0; k < s->n; k++)
			place = place * a->size[k] + at[k];
		if (take(r, arg, place))
			return r->in->status;
		for (k = s->n - 1; k >= 0; k--) {
			if (++at[k] <= s->in[k].high)
				break;
			at[k] = s->in[k].low;
		}
	} while (k >= 0);
	return GPUBE_OK;
}

struct taking {
	const struct gpube_x3_array *array;
	int (*take)(struct gpube_x3 *r, void *arg, int32_t var);
	void *arg;
};

static int take_place(struct gpube_x3 *r, void *arg, int64_t place)
{
	struct taking *t = arg;
	const int32_t var = t->array->vars[place];

	/* no list gets longer by these, but "x[]" walks past all of them */
	if (var < 0)
		return gpube__in_charge(r->in, 1, 3 * sizeof(struct gpube_x3_term), "lists of variables");
	r->met_symbol |= gpube__x3_symbolic(r, var);
	return t->take(r, t->arg, var);
}

/* Finds a name that ends at n bytes; -1: there is none. */
static int32_t find_name(const struct gpube_x3 *r, enum gpube_x3_space space, const char *name, size_t n)
{
	char copy[256];

	if (n >= sizeof(copy))
		return -1;
	memcpy(copy, name, n);
	copy[n] = 0;
	return gpube__x3_known(r, space, copy);
}

static int not_known(struct gpube_x3 *r, const char *name, size_t n)
{
	return gpube__in_error(
		r->in, "variable '%.*s' is not known", n > 60 ? 60 : (int)n, name);
}

int gpube__x3_refer(struct gpube_x3 *r, const char *name, size_t n,
	int (*take)(struct gpube_x3 *r, void *arg, int32_t var), void *arg, int64_t size[2])
{
	const char *bracket = memchr(name, '[', n);
	const size_t base = bracket ? (size_t)(bracket - name) : n;
	const int32_t found = find_name(r, bracket ? GPUBE_X3_ARRAYS : GPUBE_X3_NAMED, name, base);
	struct taking t = {.take = take, .arg = arg};
	struct slice s;

	if (found < 0)
		return not_known(r, name, n);
	if (!bracket) {
		r->met_symbol |= gpube__x3_symbolic(r, found);
		return take(r, arg, found);
	}
	t.array = &r->arrays[found];
	if (read_slice(r, bracket, name + n, &s))
		return r->in->status;
	return walk_slice(r, t.array, &s, take_place, &t, size);
}

static int take_one(struct gpube_x3 *r, void *arg, int32_t var)
{
	int32_t *one = arg;

	(void)r;
	*one = *one == -1 ? var : -2;
	return GPUBE_OK;
}

int32_t gpube__x3_find(struct gpube_x3 *r, const char *name, size_t n)
{
	int32_t var = -1;

	if (gpube__x3_refer(r, name, n, take_one, &var, NULL))
		return -1;
	if (var >= 0)
		return var;
	gpube__in_error(r->in, "'%.*s' is not one variable", n > 60 ? 60 : (int)n, name);
	return -1;
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
	} else if (read_domain(r, text_of(node), &domain)) {
		return r->in->status;
	}
	if (add_var(r, &var, id, domain))
		return r->in->status;
	return keep_name(r, GPUBE_X3_NAMED, id, var);
}

/* "[3][4]" */
static int read_size(struct gpube_x3 *r, const char *text, struct gpube_x3_array *a)
{
	struct slice s;

	if (read_slice(r, text, text + strlen(text), &s))
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

static int read_domains(struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_array *a,
	struct places *p)
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
		if (read_domain(r, text_of(d), &p->domain))
			return r->in->status;
		if (strcmp(to, "others") == 0) {
			others = true;
			for (int64_t k = 0; k < a->n; k++)
				p->domains[k] = p->domains[k] < 0 ? p->domain : p->domains[k];
			continue;
		}
		while ((word = gpube__x3_word(r, &to, &n)) && n) {
			const char *bracket = memchr(word, '[', n);
			struct slice s;

			if (!bracket || (size_t)(bracket - word) != strlen(a->name) ||
				memcmp(word, a->name, strlen(a->name)) != 0)
				return gpube__in_error(r->in, "expected elements of '%.40s', found '%.*s'",
					a->name, n > 40 ? 40 : (int)n, word);
			if (read_slice(r, bracket, word + n, &s) ||
				walk_slice(r, a, &s, take_domain, p, NULL))
				return r->in->status;
		}
	}
	return r->in->status;
}

/* As another array, or as one variable. */
static int copy_domains(
	struct gpube_x3 *r, const char *as, const struct gpube_x3_array *a, struct places *p)
{
	const int32_t found = find_name(r, GPUBE_X3_ARRAYS, as, strlen(as));
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
					"array '%.40s' is as '%.40s', which has other sizes and domains that differ",
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
				GPUBE_VARIABLE_BYTES + r->domains[p->domains[k]].n * GPUBE_VALUE_BYTES,
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
		if (add_var(r, &a->vars[k], name, p->domains[k]))
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
	else if (!read_domain(r, text_of(node), &p.domain))
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
		return gpube__in_error(r->in, "<%s> needs a name as its attribute 'id'", node->name);
	if (strlen(id) > 200)
		return gpube__in_error(r->in, "a name of more than 200 bytes");
	if (check_type(r, node))
		return r->in->status;
	return array ? read_array(r, node, id) : read_var(r, node, id);
}

#else
typedef int gpube__no_expat_x3_vars; /* a file is not empty */
#endif
