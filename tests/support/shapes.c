/* shapes.c - see shapes.h. A test may abort: memory is taken with plain malloc. */
#include "tests/support/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/ops/index.h"

static void *take(uint64_t n, uint64_t size)
{
	/* rounded up to whole cache lines; +1: an empty array is not NULL */
	void *p = aligned_alloc(64, (size_t)((n * size + 64) / 64 * 64));

	if (!p)
		abort();
	return p;
}

uint64_t shape_in_bytes(const struct shape *s, int k)
{
	return (uint64_t)gpube__operand_cells(&s->c, k) * gpube__type_size(s->c.type);
}

uint64_t shape_out_bytes(const struct shape *s)
{
	return (uint64_t)s->out_cells * gpube__type_size(s->c.type);
}

/* Sizes and scopes are set: computes the rest and takes memory. */
static void finish(struct shape *s)
{
	struct gpube_contraction *c = &s->c;

	c->sizes = s->sizes;
	c->in = s->in;
	s->joined_cells = gpube__joined_cells(c);
	s->out_cells = 1;
	for (int d = 0; d < c->n_out; d++)
		s->out_cells *= s->sizes[d];
	s->bytes = (double)shape_out_bytes(s);
	for (int k = 0; k < c->n_in; k++) {
		s->in[k].values = take(shape_in_bytes(s, k), 1);
		s->bytes += (double)shape_in_bytes(s, k);
	}
	c->out = take(shape_out_bytes(s), 1);
	if (c->semiring == GPUBE_MIN_COUNT)
		c->out_counts = take((uint64_t)s->out_cells, 8);
}

void shape_free(struct shape *s)
{
	for (int k = 0; k < s->c.n_in; k++) {
		free((void *)s->in[k].values);
		free((void *)s->in[k].counts);
		free((void *)s->in[k].dims);
	}
	free(s->in);
	free(s->sizes);
	shape_twin_free(s);
}

void shape_twin(struct shape *s, const struct shape *from)
{
	*s = *from;
	s->c.out = take(shape_out_bytes(s), 1);
	if (from->c.out_counts)
		s->c.out_counts = take((uint64_t)s->out_cells, 8);
	if (from->c.out_arg)
		s->c.out_arg = take((uint64_t)s->out_cells, (uint64_t)s->c.arg_bytes);
}

void shape_twin_free(struct shape *s)
{
	free(s->c.out);
	free(s->c.out_counts);
	free(s->c.out_arg);
	memset(s, 0, sizeof(*s));
}

void shape_want_arg(struct shape *s)
{
	const int64_t n = s->joined_cells / s->out_cells;

	s->c.arg_bytes = n <= 256 ? 1 : n <= 65536 ? 2 : 4;
	s->c.out_arg = take((uint64_t)s->out_cells, (uint64_t)s->c.arg_bytes);
}

void shape_poison(struct shape *s)
{
	memset(s->c.out, 0xa5, shape_out_bytes(s));
	if (s->c.out_counts)
		memset(s->c.out_counts, 0xa5, (size_t)s->out_cells * 8);
	if (s->c.out_arg)
		memset(s->c.out_arg, 0xa5, (size_t)(s->out_cells * s->c.arg_bytes));
}

/* ---- values ---------------------------------------------------------------- */

static int64_t get(const struct shape *s, const void *values, int64_t at)
{
	return s->c.type == GPUBE_INT32 ? ((const int32_t *)values)[at]
					: ((const int64_t *)values)[at];
}

static void put(const struct shape *s, void *values, int64_t at, int64_t v)
{
	if (s->c.type == GPUBE_INT32)
		((int32_t *)values)[at] = (int32_t)v;
	else
		((int64_t *)values)[at] = v;
}

static void set_cut(struct shape *s, enum shape_fill fill, struct gpube_rng *r)
{
	const int64_t most = s->c.type == GPUBE_INT32 ? INT32_MAX : INT64_MAX;
	const int64_t limit = most / (s->c.n_in > 1 ? s->c.n_in : 1);

	switch (fill) {
	case SHAPE_LIMIT:
		s->c.top = s->c.threshold = limit;
		break;
	case SHAPE_SIGNED:
		s->c.top = limit;
		s->c.threshold = limit / 2;
		break;
	case SHAPE_SATURATE:
		s->c.top = 1 + (int64_t)gpube__rng_below(r, 400 * (uint64_t)(s->c.n_in + 1));
		s->c.threshold = gpube__rng_below(r, 2) ? s->c.top : (s->c.top + 1) / 2;
		break;
	default:
		s->c.top = limit < 1000000 ? limit : 1000000;
		s->c.threshold = s->c.top;
	}
}

static void fill_values(struct shape *s, int k, enum shape_fill fill, struct gpube_rng *r)
{
	const int64_t n = gpube__operand_cells(&s->c, k), top = s->c.top;
	const uint64_t forbid = fill == SHAPE_FORBIDDEN ? 9 : gpube__rng_below(r, 3);

	for (int64_t i = 0; i < n; i++) {
		int64_t v = (int64_t)gpube__rng_below(r, fill == SHAPE_TIES ? 3 : 1000);

		if (fill == SHAPE_SIGNED)
			v -= 500;
		else if (fill == SHAPE_LIMIT)
			v = (int64_t)(gpube__rng_next(r) % ((uint64_t)top + 1));
		v = v > top ? top : v;
		if (gpube__rng_below(r, 10) < forbid)
			v = top;
		put(s, (void *)s->in[k].values, i, v);
	}
}

static bool is_forbidden(const struct shape *s, const void *values, int64_t at)
{
	return get(s, values, at) == s->c.top;
}

static void fill_counts(struct shape *s, int k, struct gpube_rng *r)
{
	const int64_t n = gpube__operand_cells(&s->c, k);
	const bool large = gpube__rng_below(r, 3) == 0;
	uint64_t *counts = take((uint64_t)n, 8);

	for (int64_t i = 0; i < n; i++) {
		uint64_t x = 1 + gpube__rng_below(r, 4);

		if (large && gpube__rng_below(r, 4) == 0)
			x = UINT64_MAX >> gpube__rng_below(r, 50);
		if (s->c.modulus)
			x = gpube__rng_next(r) % s->c.modulus;
		counts[i] = is_forbidden(s, s->in[k].values, i) ? 0 : x;
	}
	s->in[k].counts = counts;
}

void shape_fill(struct shape *s, uint64_t seed, enum shape_fill fill, bool counts)
{
	static const uint64_t moduli[] = {0, 4294967291u, 2, 1000003};
	struct gpube_rng r;

	gpube__rng_init(&r, seed);
	set_cut(s, fill, &r);
	s->c.modulus = counts ? moduli[gpube__rng_below(&r, 4)] : 0;
	for (int k = 0; k < s->c.n_in; k++) {
		free((void *)s->in[k].counts); /* of an earlier fill */
		s->in[k].counts = NULL;
		fill_values(s, k, fill, &r);
		if (counts && gpube__rng_below(&r, 3))
			fill_counts(s, k, &r);
	}
}

/* ---- making shapes ----------------------------------------------------------- */

static void set_operand(struct shape *s, int k, const int32_t *dims, int n)
{
	int32_t *copy = take((uint64_t)n, sizeof(*copy));

	memcpy(copy, dims, (size_t)n * sizeof(*copy));
	s->in[k] = (struct gpube_operand){.n_dims = n, .dims = copy};
}

static void random_sizes(struct shape *s, struct gpube_rng *r, int64_t max_joined)
{
	static const int most[] = {2, 2, 4, 9, 20, 70, 300};
	const uint64_t top = (uint64_t)most[gpube__rng_below(r, 7)];
	int64_t joined = 1;

	for (int d = 0; d < s->c.n_dims; d++) {
		int64_t size = gpube__rng_below(r, 8) ? 2 + (int64_t)gpube__rng_below(r, top) : 1;

		if (size > max_joined / joined)
			size = max_joined / joined;
		s->sizes[d] = size;
		joined *= size;
	}
	/* the large ones come first above: put them anywhere */
	for (int d = s->c.n_dims - 1; d > 0; d--) {
		const int e = (int)gpube__rng_below(r, (uint64_t)d + 1);
		const int64_t t = s->sizes[d];

		s->sizes[d] = s->sizes[e];
		s->sizes[e] = t;
	}
}

/* Order of an operand's dims: as the joined table's, reversed, reduced first, last, or random. */
static void random_scope(struct shape *s, int k, struct gpube_rng *r, uint64_t density)
{
	const uint64_t order = gpube__rng_below(r, 5);
	int32_t dims[GPUBE_MAX_DIMS];
	int n = 0;

	for (int d = 0; d < s->c.n_dims; d++) {
		const int32_t dim = order == 2   ? (d + s->c.n_out) % s->c.n_dims
				    : order == 1 ? s->c.n_dims - 1 - d
						 : d;

		if (gpube__rng_below(r, 4) < density)
			dims[n++] = dim;
	}
	for (int i = n - 1; order == 4 && i > 0; i--) {
		const int j = (int)gpube__rng_below(r, (uint64_t)i + 1);
		const int32_t t = dims[i];

		dims[i] = dims[j];
		dims[j] = t;
	}
	set_operand(s, k, dims, n);
}

static void describe(struct shape *s)
{
	size_t at = 0, room = sizeof(s->text);

#define SAY(...)                                                                                   \
	do {                                                                                       \
		if (at < room)                                                                     \
			at += (size_t)snprintf(s->text + at, room - at, __VA_ARGS__);              \
	} while (0)
	SAY("%s %s", s->c.semiring == GPUBE_MIN_COUNT ? "min-count" : "min-plus",
		s->c.type == GPUBE_INT32 ? "int32" : "int64");
	if (s->c.out_arg)
		SAY(" arg%d", s->c.arg_bytes);
	SAY(" out");
	for (int d = 0; d < s->c.n_dims; d++)
		SAY("%s %lld", d == s->c.n_out ? " over" : "", (long long)s->sizes[d]);
	for (int k = 0; k < s->c.n_in; k++) {
		SAY(" in(");
		for (int i = 0; i < s->in[k].n_dims; i++)
			SAY("%s%d", i ? " " : "", (int)s->in[k].dims[i]);
		SAY(")");
	}
#undef SAY
}

void shape_random(struct shape *s, uint64_t seed, int64_t max_joined)
{
	struct gpube_rng r;
	enum shape_fill fill;
	uint64_t density;

	memset(s, 0, sizeof(*s));
	gpube__rng_init(&r, seed);
	/* consecutive seeds go through all types and semirings */
	s->c.type = seed % 2 ? GPUBE_INT64 : GPUBE_INT32;
	s->c.semiring = seed / 2 % 4 == 3 ? GPUBE_MIN_COUNT : GPUBE_MIN_PLUS;
	s->c.n_dims = (int)gpube__rng_below(&r, gpube__rng_below(&r, 4) ? 7 : 16);
	s->c.n_out = (int)gpube__rng_below(&r, (uint64_t)s->c.n_dims + 1);
	if (gpube__rng_below(&r, 2) && s->c.n_dims > 0)
		s->c.n_out = s->c.n_dims - 1;
	s->c.n_in = (int)gpube__rng_below(&r, 7);
	s->sizes = take((uint64_t)s->c.n_dims, sizeof(*s->sizes));
	s->in = take((uint64_t)s->c.n_in, sizeof(*s->in));
	random_sizes(s, &r, max_joined);
	density = 1 + gpube__rng_below(&r, 3);
	for (int k = 0; k < s->c.n_in; k++)
		random_scope(s, k, &r, k == 0 && density < 3 ? density + 1 : density);
	finish(s);
	if (s->c.semiring == GPUBE_MIN_PLUS && gpube__rng_below(&r, 2)) {
		shape_want_arg(s);
		/* more bytes than needed are allowed */
		if (s->c.arg_bytes < 4 && gpube__rng_below(&r, 3) == 0) {
			free(s->c.out_arg);
			s->c.arg_bytes = 4;
			s->c.out_arg = take((uint64_t)s->out_cells, 4);
		}
	}
	fill = (enum shape_fill)gpube__rng_below(&r, SHAPE_N_FILLS);
	shape_fill(s, gpube__rng_next(&r), fill, s->c.semiring == GPUBE_MIN_COUNT);
	describe(s);
}

/* ---- text ---------------------------------------------------------------------- */

struct dim_name {
	char name[16];
	int64_t size;
	int32_t dim;
};

/* The next word of *p up to a blank or one of ":,"; false at a separator or the end. */
static bool word(const char **p, char *out, size_t room)
{
	size_t n = 0;

	*p += strspn(*p, " \t");
	while (**p && !strchr(" \t\n:,", **p)) {
		if (n + 1 < room)
			out[n++] = **p;
		++*p;
	}
	out[n] = 0;
	return n > 0;
}

static struct dim_name *find(struct dim_name *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i].name, name) == 0)
			return &names[i];
	return NULL;
}

static bool separator(const char **p, char c)
{
	*p += strspn(*p, " \t");
	if (**p != c)
		return false;
	++*p;
	return true;
}

static int parse_dims(struct dim_name *names, const char **p)
{
	char w[32];
	int n = 0;

	while (word(p, w, sizeof(w))) {
		char *eq = strchr(w, '=');

		if (!eq || n == GPUBE_MAX_DIMS)
			return -1;
		*eq = 0;
		snprintf(names[n].name, sizeof(names[n].name), "%.15s", w);
		names[n].size = atoll(eq + 1);
		names[n].dim = -1;
		if (names[n].size < 1)
			return -1;
		n++;
	}
	return n;
}

static const char *parse_operands(struct shape *s, struct dim_name *names, const char **p)
{
	char w[32];

	do {
		int32_t dims[GPUBE_MAX_DIMS];
		int n = 0;

		while (word(p, w, sizeof(w))) {
			const struct dim_name *d = find(names, s->c.n_dims, w);

			if (!d || n == GPUBE_MAX_DIMS)
				return "an operand has an unknown dim";
			dims[n++] = d->dim;
		}
		if (s->c.n_in == 64)
			return "too many operands";
		set_operand(s, s->c.n_in++, dims, n);
	} while (separator(p, ','));
	return NULL;
}

const char *shape_parse(
	struct shape *s, const char *text, enum gpube_semiring semiring, enum gpube_type type)
{
	struct dim_name names[GPUBE_MAX_DIMS];
	const char *p = text, *problem;
	char w[32];
	int n;

	memset(s, 0, sizeof(*s));
	s->c.semiring = semiring;
	s->c.type = type;
	s->batch = 1;
	n = parse_dims(names, &p);
	if (n < 0 || !separator(&p, ':'))
		return "dims are written a=4 b=5 :";
	s->c.n_dims = n;
	s->sizes = take((uint64_t)n, sizeof(*s->sizes));
	s->in = take(64, sizeof(*s->in));
	while (word(&p, w, sizeof(w))) {
		struct dim_name *d = find(names, n, w);

		if (!d || d->dim >= 0)
			return "the output has an unknown dim or one twice";
		s->sizes[s->c.n_out] = d->size;
		d->dim = s->c.n_out++;
	}
	for (int i = 0, to = s->c.n_out; i < n; i++)
		if (names[i].dim < 0) {
			s->sizes[to] = names[i].size;
			names[i].dim = to++;
		}
	if (separator(&p, ':') && (problem = parse_operands(s, names, &p)))
		return problem;
	if (separator(&p, ':'))
		s->batch = atoi(p);
	finish(s);
	describe(s);
	return NULL;
}

/* ---- comparing ------------------------------------------------------------------- */

/* The sum of the joined cell 'arg' of output cell 'out'. */
static int64_t cell_cost(const struct shape *s, int64_t out, int64_t arg)
{
	const struct gpube_contraction *c = &s->c;
	int64_t at[GPUBE_MAX_DIMS];
	int64_t sum = 0;

	for (int d = c->n_dims - 1; d >= c->n_out; d--, arg /= c->sizes[d + 1])
		at[d] = arg % c->sizes[d];
	for (int d = c->n_out - 1; d >= 0; d--, out /= c->sizes[d + 1])
		at[d] = out % c->sizes[d];
	for (int k = 0; k < c->n_in; k++) {
		int64_t cell = 0;

		for (int i = 0; i < c->in[k].n_dims; i++)
			cell = cell * c->sizes[c->in[k].dims[i]] + at[c->in[k].dims[i]];
		sum += get(s, c->in[k].values, cell);
	}
	return sum;
}

static int64_t arg_at(const struct gpube_contraction *c, int64_t i)
{
	if (c->arg_bytes == 1)
		return ((const uint8_t *)c->out_arg)[i];
	return c->arg_bytes == 2 ? ((const uint16_t *)c->out_arg)[i]
				 : ((const uint32_t *)c->out_arg)[i];
}

static const char *compare_arg(const struct shape *got, const struct shape *want, int64_t i)
{
	const int64_t g = arg_at(&got->c, i), w = arg_at(&want->c, i);

	if (g >= got->joined_cells / got->out_cells)
		return "an argument is out of range";
	return g == w || is_forbidden(want, want->c.out, i) ? NULL : "an argument differs";
}

const char *shape_compare(const struct shape *got, const struct shape *want)
{
	const char *problem;

	if (memcmp(got->c.out, want->c.out, shape_out_bytes(got)) != 0)
		return "a value differs";
	if (got->c.semiring == GPUBE_MIN_COUNT &&
		memcmp(got->c.out_counts, want->c.out_counts, (size_t)got->out_cells * 8) != 0)
		return "a count differs";
	for (int64_t i = 0; got->c.out_arg && i < got->out_cells; i++)
		if ((problem = compare_arg(got, want, i)))
			return problem;
	return NULL;
}

const char *shape_check_sample(const struct shape *s, int64_t n, uint64_t seed)
{
	const int64_t reduced = s->joined_cells / s->out_cells;
	struct gpube_rng r;

	gpube__rng_init(&r, seed);
	if (n > 2 + 4000000 / reduced)
		n = 2 + 4000000 / reduced;
	for (int64_t i = 0; i < n; i++) {
		const int64_t out = i == 0 ? 0
				    : i == 1
					    ? s->out_cells - 1
					    : (int64_t)gpube__rng_below(&r, (uint64_t)s->out_cells);
		int64_t best = INT64_MAX;

		for (int64_t x = 0; x < reduced; x++) {
			const int64_t v = cell_cost(s, out, x);

			best = v < best ? v : best;
		}
		if (get(s, s->c.out, out) != (best >= s->c.threshold ? s->c.top : best))
			return "a sampled value differs";
	}
	return NULL;
}
