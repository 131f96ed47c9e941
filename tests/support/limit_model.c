/* limit_model.c - see limit_model.h. */
#include "tests/support/limit_model.h"

#include "tests/support/test.h"

/* ---- drawing ------------------------------------------------------------------------------- */

wide near_limit(struct gpube_rng *rng)
{
	static const int bits[] = {31, 32, 53, 60, 61, 62, 62, 63, 63};
	wide v = (wide)1 << bits[gpube__rng_below(rng, 9)];
	wide by = (wide)gpube__rng_below(rng, 9) - 4;

	if (gpube__rng_below(rng, 4) == 0)
		by *= 1000;
	return (gpube__rng_below(rng, 2) ? -v : v) + by;
}

static wide small(struct gpube_rng *rng)
{
	return (wide)gpube__rng_below(rng, 21) - 10;
}

static void draw_function(struct limit_model *s, struct limit_function *f, struct gpube_rng *rng)
{
	const bool together = gpube__rng_below(rng, 3) > 0;
	const wide base = gpube__rng_below(rng, 3) ? near_limit(rng) : 0;

	f->arity = (int)gpube__rng_below(rng, (uint64_t)s->n_vars + 1);
	f->cells = 1;
	for (int32_t k = 0, i = 0; i < s->n_vars; i++)
		if ((int)gpube__rng_below(rng, (uint64_t)(s->n_vars - i)) < f->arity - k) {
			f->scope[k++] = i;
			f->cells *= s->domain[i];
		}
	f->sparse = f->arity && gpube__rng_below(rng, 4) == 0;
	for (int c = 0; c < f->cells; c++) {
		f->forbidden[c] = f->arity && gpube__rng_below(rng, 12) == 0;
		f->cost[c] = together                   ? base + small(rng)
			     : gpube__rng_below(rng, 4) ? small(rng)
							: near_limit(rng);
	}
	for (int c = 0; c < f->cells - 1 && f->sparse; c++)
		if (gpube__rng_below(rng, 2)) {
			f->cost[c] = f->cost[f->cells - 1];
			f->forbidden[c] = f->forbidden[f->cells - 1];
		}
}

static int cell_of(
	const struct limit_model *s, const struct limit_function *f, const int32_t *values)
{
	int cell = 0;

	for (int k = 0; k < f->arity; k++)
		cell = cell * s->domain[f->scope[k]] + values[f->scope[k]];
	return cell;
}

static bool contradicts(const struct limit_model *s, const int32_t *values)
{
	bool other = false;

	for (int i = 0; i < s->n_vars; i++)
		other |= s->observed[i] >= 0 && s->observed[i] != values[i];
	return other;
}

bool price(wide *cost, const struct limit_model *s, const int32_t *values)
{
	bool allowed = !contradicts(s, values);
	wide sum = 0;

	for (int k = 0; k < s->n_functions; k++) {
		int c = cell_of(s, &s->f[k], values);

		allowed &= !s->f[k].forbidden[c];
		sum += s->f[k].cost[c];
	}
	*cost = s->maximise ? -sum : sum;
	return allowed && (s->maximise ? sum > s->top : sum < s->top);
}

bool next_values(int32_t *values, const struct limit_model *s)
{
	for (int i = s->n_vars - 1; i >= 0; i--) {
		if (++values[i] < s->domain[i])
			return true;
		values[i] = 0;
	}
	return false;
}

/* ---- what is right -------------------------------------------------------------------------- */

bool fits(wide v)
{
	return v < INT64_MAX && v > -INT64_MAX;
}

/* By a table, whatever its total is. */
static bool is_forbidden(const struct limit_model *s, const int32_t *values)
{
	bool forbidden = contradicts(s, values);

	for (int k = 0; k < s->n_functions; k++)
		forbidden |= s->f[k].forbidden[cell_of(s, &s->f[k], values)];
	return forbidden;
}

static void enumerate(struct limit_model *s)
{
	int32_t values[MOST_VARS] = {0};
	wide cost;

	s->totals_fit = s->in_range;
	do {
		bool counts = price(&cost, s, values);

		s->totals_fit &= fits(cost) || is_forbidden(s, values);
		if (!counts)
			continue;
		if (!s->feasible || cost < s->best)
			s->n_optima = 0;
		if (!s->feasible || cost <= s->best) {
			s->best = cost;
			s->n_optima++;
		}
		if (!s->feasible || cost > s->dearest)
			s->dearest = cost;
		s->feasible = true;
	} while (next_values(values, s));
}

static void judge(struct limit_model *s)
{
	wide constant = 0;

	s->in_range = fits(s->top);
	for (int k = 0; k < s->n_functions; k++) {
		for (int c = 0; c < s->f[k].cells; c++)
			s->in_range &= s->f[k].forbidden[c] || fits(s->f[k].cost[c]);
		constant += s->f[k].arity ? 0 : s->f[k].cost[0];
		s->in_range &= fits(constant);
	}
}

/* ---- writing -------------------------------------------------------------------------------- */

static void say(struct limit_model *s, const char *text)
{
	size_t n = strlen(text);

	assert_true(s->n + n < sizeof(s->text));
	memcpy(s->text + s->n, text, n + 1);
	s->n += n;
}

/* With all its decimals, or, where the last are 0, with fewer. */
static void say_number(struct limit_model *s, wide v, struct gpube_rng *rng)
{
	char text[64], *end = text + sizeof(text) - 1, *p = end;
	unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
	int left = s->decimals;
	bool trim = gpube__rng_below(rng, 2);

	*p = 0;
	do {
		if (trim && left > 0 && u % 10 == 0) {
			u /= 10;
			left--;
			continue;
		}
		trim = false;
		*--p = (char)('0' + (int)(u % 10));
		u /= 10;
		if (--left == 0)
			*--p = '.';
	} while (u || left >= 0);
	if (v < 0)
		*--p = '-';
	say(s, p);
}

static void say_cell(
	struct limit_model *s, const struct limit_function *f, int c, struct gpube_rng *rng)
{
	if (f->forbidden[c])
		say(s, "inf");
	else
		say_number(s, f->cost[c], rng);
}

static void say_dense(struct limit_model *s, const struct limit_function *f, struct gpube_rng *rng)
{
	say(s, "costs:[");
	for (int c = 0; c < f->cells; c++) {
		say(s, c ? "," : "");
		say_cell(s, f, c, rng);
	}
}

static void say_sparse(struct limit_model *s, const struct limit_function *f, struct gpube_rng *rng)
{
	const int last = f->cells - 1;
	bool first = true;

	say(s, "defaultcost:");
	say_cell(s, f, last, rng);
	say(s, ",costs:[");
	for (int c = 0; c < f->cells; c++) {
		int32_t value[MOST_VARS];
		int rest = c;

		if (f->cost[c] == f->cost[last] && f->forbidden[c] == f->forbidden[last])
			continue;
		for (int k = f->arity - 1; k >= 0; rest /= s->domain[f->scope[k--]])
			value[k] = rest % s->domain[f->scope[k]];
		for (int k = 0; k < f->arity; k++) {
			char text[16];

			snprintf(text, sizeof(text), "%s%d,", first ? "" : ",", (int)value[k]);
			say(s, text);
			first = true;
		}
		say_cell(s, f, c, rng);
		first = false;
	}
}

static void say_model(struct limit_model *s, struct gpube_rng *rng)
{
	char text[64];

	say(s, "{problem:{name:p");
	say(s, s->maximise ? ",mustbe:\">" : ",mustbe:\"<");
	say_number(s, s->top, rng);
	say(s, "\"},variables:{");
	for (int i = 0; i < s->n_vars; i++) {
		snprintf(text, sizeof(text), "%sx%d:%d", i ? "," : "", i, (int)s->domain[i]);
		say(s, text);
	}
	say(s, "},functions:{");
	for (int k = 0; k < s->n_functions; k++) {
		const struct limit_function *f = &s->f[k];

		snprintf(text, sizeof(text), "%sf%d:{scope:[", k ? "," : "", k);
		say(s, text);
		for (int j = 0; j < f->arity; j++) {
			snprintf(text, sizeof(text), "%sx%d", j ? "," : "", (int)f->scope[j]);
			say(s, text);
		}
		say(s, "],");
		if (f->sparse)
			say_sparse(s, f, rng);
		else
			say_dense(s, f, rng);
		say(s, "]}\n");
	}
	say(s, "}}\n");
}

/* The same as a .wcsp, in which a cost that reaches top is forbidden, as its total is. */
static void say_wcsp(struct limit_model *s, struct gpube_rng *rng)
{
	char text[64];

	snprintf(text, sizeof(text), "p %d %d %d ", s->n_vars, MOST_DOMAIN, s->n_functions);
	say(s, text);
	say_number(s, s->top, rng);
	say(s, "\n");
	for (int i = 0; i < s->n_vars; i++) {
		snprintf(text, sizeof(text), "%d ", (int)s->domain[i]);
		say(s, text);
	}
	for (int k = 0; k < s->n_functions; k++) {
		const struct limit_function *f = &s->f[k];

		snprintf(text, sizeof(text), "\n%d ", f->arity);
		say(s, text);
		for (int j = 0; j < f->arity; j++) {
			snprintf(text, sizeof(text), "%d ", (int)f->scope[j]);
			say(s, text);
		}
		if (f->arity == 0) {
			say_number(s, f->cost[0], rng);
			say(s, " 0");
			continue;
		}
		snprintf(text, sizeof(text), "0 %d", f->cells);
		say(s, text);
		for (int c = 0; c < f->cells; c++) {
			int32_t value[MOST_VARS];
			int rest = c;

			for (int j = f->arity - 1; j >= 0; rest /= s->domain[f->scope[j--]])
				value[j] = rest % s->domain[f->scope[j]];
			say(s, "\n");
			for (int j = 0; j < f->arity; j++) {
				snprintf(text, sizeof(text), "%d ", (int)value[j]);
				say(s, text);
			}
			say_number(s, f->forbidden[c] ? s->top : f->cost[c], rng);
		}
	}
	say(s, "\n");
}

/* Nothing negative, and the numbers as near to the limits as they were. */
static void make_plain(struct limit_model *s)
{
	s->maximise = false;
	s->decimals = 0;
	s->top = s->top < 0 ? -s->top : s->top;
	for (int k = 0; k < s->n_functions; k++)
		for (int c = 0; c < s->f[k].cells; c++)
			if (s->f[k].cost[c] < 0)
				s->f[k].cost[c] = -s->f[k].cost[c];
}

void draw_limits(struct limit_model *s, uint64_t seed)
{
	struct gpube_rng rng;
	int32_t values[MOST_VARS];

	memset(s, 0, sizeof(*s));
	s->seed = seed;
	gpube__rng_init(&rng, seed);
	s->n_vars = 1 + (int)gpube__rng_below(&rng, MOST_VARS);
	s->n_functions = 1 + (int)gpube__rng_below(&rng, MOST_FUNCTIONS);
	s->maximise = gpube__rng_below(&rng, 2);
	s->decimals = gpube__rng_below(&rng, 3) ? 0 : (int)gpube__rng_below(&rng, 19);
	for (int i = 0; i < s->n_vars; i++) {
		s->domain[i] = 1 + (int32_t)gpube__rng_below(&rng, MOST_DOMAIN);
		s->observed[i] = -1;
	}
	for (int k = 0; k < s->n_functions; k++)
		draw_function(s, &s->f[k], &rng);
	for (int i = 0; i < s->n_vars; i++)
		values[i] = (int32_t)gpube__rng_below(&rng, (uint64_t)s->domain[i]);
	if (gpube__rng_below(&rng, 3)) {
		(void)price(&s->top, s, values);
		s->top = (s->maximise ? -s->top : s->top) + small(&rng) / 2;
		if (gpube__rng_below(&rng, 4) == 0)
			s->top = near_limit(&rng);
	} else {
		s->top = s->maximise ? -INT64_MAX + 1 : INT64_MAX - 1;
	}
	s->plain = gpube__rng_below(&rng, 4) == 0;
	for (int i = 0; i < s->n_vars; i++)
		if (seed % 3 == 0 && gpube__rng_below(&rng, 3) == 0)
			s->observed[i] = (int32_t)gpube__rng_below(&rng, (uint64_t)s->domain[i]);
	if (s->plain) {
		make_plain(s);
		say_wcsp(s, &rng);
	} else {
		say_model(s, &rng);
	}
	judge(s);
	enumerate(s);
}
