/*
 * x3_names.c - XCSP3: what a name stands for, one variable or the elements of an array. See x3.h.
 */
#include <string.h>

#include "formats/xcsp3/x3.h"

/* ---- slices -------------------------------------------------------------------------------- */

int gpube__x3_slice_read(
	struct gpube_x3 *r, const char *p, const char *end, struct gpube_x3_slice *s)
{
	for (s->n = 0; p < end; s->n++) {
		struct gpube_x3_interval *in = &s->in[s->n];

		if (s->n == GPUBE_X3_DIMENSIONS)
			return gpube__in_error(
				r->in, "an array of more than %d dimensions", GPUBE_X3_DIMENSIONS);
		if (*p != '[')
			return gpube__in_error(r->in, "expected '[', found '%c'", *p);
		p++;
		*in = (struct gpube_x3_interval){0, -1};
		s->open[s->n] = true;
		if (p < end && *p != ']') {
			const char *from = p;

			if (gpube__x3_range_at(r, &p, in, "an index"))
				return r->in->status;
			s->open[s->n] = memchr(from, '.', (size_t)(p - from)) != NULL;
		}
		if (p == end || *p != ']')
			return gpube__in_error(r->in, "expected ']' behind an index");
		p++;
	}
	return GPUBE_OK;
}

int gpube__x3_slice_walk(struct gpube_x3 *r, const struct gpube_x3_array *a,
	struct gpube_x3_slice *s, int (*take)(struct gpube_x3 *r, void *arg, int64_t place),
	void *arg, int64_t size[2])
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

/* ---- names -------------------------------------------------------------------------------- */

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
		return gpube__in_charge(
			r->in, 1, 3 * sizeof(struct gpube_x3_term), "lists of variables");
	r->met_symbol |= gpube__x3_symbolic(r, var);
	return t->take(r, t->arg, var);
}

static int not_known(struct gpube_x3 *r, const char *name, size_t n)
{
	return gpube__in_error(r->in, "variable '%.*s' is not known", n > 60 ? 60 : (int)n, name);
}

int gpube__x3_refer(struct gpube_x3 *r, const char *name, size_t n,
	int (*take)(struct gpube_x3 *r, void *arg, int32_t var), void *arg, int64_t size[2])
{
	const char *bracket = memchr(name, '[', n);
	const size_t base = bracket ? (size_t)(bracket - name) : n;
	const int32_t found =
		gpube__x3_named(r, bracket ? GPUBE_X3_ARRAYS : GPUBE_X3_NAMED, name, base);
	struct taking t = {.take = take, .arg = arg};
	struct gpube_x3_slice s;

	if (found < 0)
		return not_known(r, name, n);
	if (!bracket) {
		r->met_symbol |= gpube__x3_symbolic(r, found);
		return take(r, arg, found);
	}
	t.array = &r->arrays[found];
	if (gpube__x3_slice_read(r, bracket, name + n, &s))
		return r->in->status;
	return gpube__x3_slice_walk(r, t.array, &s, take_place, &t, size);
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
