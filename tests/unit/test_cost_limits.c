/*
 * Costs, sums and tops at the limits of every type: +-(2^31, 2^53, 2^60 to 2^63) and their
 * neighbours, with decimals, minimised and maximised. What each command concludes is compared with
 * an enumeration in 128 bits of the numbers that were written to the file; a refusal is right only
 * where a sum can leave the 64 bits that the algorithms have. One case a seed;
 * GPUBE_LIMIT_MODELS=20000 for more of them.
 */
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dcop/dcop.h"
#include "formats/formats.h"
#include "gpube/bound/certificate.h"
#include "gpube/bound/shifted.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"

typedef __int128 wide;

enum { N_MODELS = 300, MOST_VARS = 3, MOST_DOMAIN = 3, MOST_FUNCTIONS = 4, MOST_CELLS = 27 };

struct function {
	int arity;
	int32_t scope[MOST_VARS];
	int cells;
	bool sparse; /* the last cell's cost is the default */
	wide cost[MOST_CELLS];
	bool forbidden[MOST_CELLS];
};

/* A model as it is written: numbers in units of 10^-decimals. */
struct subject {
	uint64_t seed;
	int n_vars, n_functions, decimals;
	int32_t domain[MOST_VARS];
	bool maximise;
	bool plain; /* no decimals, nothing negative: a .wcsp */
	wide top;
	struct function f[MOST_FUNCTIONS];
	char text[1 << 14];
	size_t n;
	bool in_range; /* every number fits 64 bits, and the sum of those of no variables */
	bool may_refuse;
	bool feasible;
	wide best; /* of the minimisation */
	uint64_t n_optima;
};

/* ---- drawing ------------------------------------------------------------------------------- */

static wide near_limit(struct gpube_rng *rng)
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

static void draw_function(struct subject *s, struct function *f, struct gpube_rng *rng)
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
		f->cost[c] = together ? base + small(rng)
			     : gpube__rng_below(rng, 4) ? small(rng) : near_limit(rng);
	}
	for (int c = 0; c < f->cells - 1 && f->sparse; c++)
		if (gpube__rng_below(rng, 2)) {
			f->cost[c] = f->cost[f->cells - 1];
			f->forbidden[c] = f->forbidden[f->cells - 1];
		}
}

static int cell_of(const struct subject *s, const struct function *f, const int32_t *values)
{
	int cell = 0;

	for (int k = 0; k < f->arity; k++)
		cell = cell * s->domain[f->scope[k]] + values[f->scope[k]];
	return cell;
}

/* False: forbidden. 'cost' is of the minimisation. */
static bool price(wide *cost, const struct subject *s, const int32_t *values)
{
	bool allowed = true;
	wide sum = 0;

	for (int k = 0; k < s->n_functions; k++) {
		int c = cell_of(s, &s->f[k], values);

		allowed &= !s->f[k].forbidden[c];
		sum += s->f[k].cost[c];
	}
	*cost = s->maximise ? -sum : sum;
	return allowed && (s->maximise ? sum > s->top : sum < s->top);
}

static bool next(int32_t *values, const struct subject *s)
{
	for (int i = s->n_vars - 1; i >= 0; i--) {
		if (++values[i] < s->domain[i])
			return true;
		values[i] = 0;
	}
	return false;
}

/* ---- what is right -------------------------------------------------------------------------- */

static bool fits(wide v)
{
	return v < INT64_MAX && v > -INT64_MAX;
}

static void enumerate(struct subject *s)
{
	int32_t values[MOST_VARS] = {0};
	wide cost;

	do {
		if (!price(&cost, s, values))
			continue;
		if (!s->feasible || cost < s->best)
			s->n_optima = 0;
		if (!s->feasible || cost <= s->best) {
			s->best = cost;
			s->n_optima++;
		}
		s->feasible = true;
	} while (next(values, s));
}

/*
 * Whether a refusal is right: least or greatest costs add up to what leaves 64 bits, or so many
 * tables, each of which may stand for forbidden, do.
 */
static void judge(struct subject *s)
{
	wide low = 0, high = 0, constant = 0;

	s->in_range = fits(s->top);
	for (int k = 0; k < s->n_functions; k++) {
		wide min = 0, max = 0;
		bool any = false;

		for (int c = 0; c < s->f[k].cells; c++) {
			wide v = s->f[k].cost[c];

			if (s->f[k].forbidden[c])
				continue;
			s->in_range &= fits(v);
			min = !any || v < min ? v : min;
			max = !any || v > max ? v : max;
			any = true;
		}
		constant += s->f[k].arity ? 0 : s->f[k].cost[0];
		s->in_range &= fits(constant);
		low += min;
		high += max;
	}
	s->may_refuse = !fits(low) || !fits(high) ||
			(high - low + 1) * (s->n_functions + 1) >= (wide)1 << 62;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void say(struct subject *s, const char *text)
{
	size_t n = strlen(text);

	assert_true(s->n + n < sizeof(s->text));
	memcpy(s->text + s->n, text, n + 1);
	s->n += n;
}

/* With all its decimals, or, where the last are 0, with fewer. */
static void say_number(struct subject *s, wide v, struct gpube_rng *rng)
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

static void say_cell(struct subject *s, const struct function *f, int c, struct gpube_rng *rng)
{
	if (f->forbidden[c])
		say(s, "inf");
	else
		say_number(s, f->cost[c], rng);
}

static void say_dense(struct subject *s, const struct function *f, struct gpube_rng *rng)
{
	say(s, "costs:[");
	for (int c = 0; c < f->cells; c++) {
		say(s, c ? "," : "");
		say_cell(s, f, c, rng);
	}
}

static void say_sparse(struct subject *s, const struct function *f, struct gpube_rng *rng)
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

static void say_model(struct subject *s, struct gpube_rng *rng)
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
		const struct function *f = &s->f[k];

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
static void say_wcsp(struct subject *s, struct gpube_rng *rng)
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
		const struct function *f = &s->f[k];

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
static void make_plain(struct subject *s)
{
	s->maximise = false;
	s->decimals = 0;
	s->top = s->top < 0 ? -s->top : s->top;
	for (int k = 0; k < s->n_functions; k++)
		for (int c = 0; c < s->f[k].cells; c++)
			if (s->f[k].cost[c] < 0)
				s->f[k].cost[c] = -s->f[k].cost[c];
}

static void draw(struct subject *s, uint64_t seed)
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
	for (int i = 0; i < s->n_vars; i++)
		s->domain[i] = 1 + (int32_t)gpube__rng_below(&rng, MOST_DOMAIN);
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
	if (s->plain) {
		make_plain(s);
		say_wcsp(s, &rng);
	} else {
		say_model(s, &rng);
	}
	judge(s);
	enumerate(s);
}

/* ---- what is checked ------------------------------------------------------------------------- */

#define CHECK(s, condition)                                                                        \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_msg("%s:%d: %s, of\n%s", __FILE__, __LINE__, #condition, (s)->text);  \
	} while (0)

/* True if it was done; a refusal is for the reason of range, and right. */
static bool done(const struct subject *s, int status, const char *what)
{
	if (status == 0)
		return true;
	if (status != GPUBE_ERANGE || !s->may_refuse)
		fail_msg("%s: %s, of\n%s", what, gpube_error(ctx), s->text);
	return false;
}

static wide minimised(const struct subject *s, int64_t cost)
{
	return s->maximise ? -(wide)cost : cost;
}

static void check_assignment(const struct subject *s, const int32_t *values, int64_t cost)
{
	wide real;

	CHECK(s, price(&real, s, values));
	CHECK(s, real == minimised(s, cost));
}

static void check_solve(const struct subject *s, const struct gpube_model *m, int k)
{
	struct gpube_solve_opts opts = {
		.sizeof_options = sizeof(opts), .no_simplify = k % 2, .count = k / 2};
	struct gpube_solution *found;
	char count[24];

	if (!done(s, gpube_solve(&found, m, &opts), "solve"))
		return;
	CHECK(s, found->answer == (s->feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE));
	if (s->feasible) {
		check_assignment(s, found->values, found->cost);
		CHECK(s, minimised(s, found->cost) == s->best);
		snprintf(count, sizeof(count), "%" PRIu64, s->n_optima);
		CHECK(s, !opts.count || !strcmp(found->count, count));
	}
	gpube_solution_free(found, ctx);
}

static void check_bounds(const struct subject *s, const struct gpube_bounds *b,
	const struct gpube_bound_opts *opts)
{
	const wide cutoff = opts->has_cutoff ? minimised(s, opts->cutoff) : 0;
	const bool better = s->feasible && (!opts->has_cutoff || s->best < cutoff);

	if (b->answer == GPUBE_ANSWER_INFEASIBLE) {
		CHECK(s, !s->feasible);
		return;
	}
	if (b->values)
		check_assignment(s, b->values, b->cost);
	if (s->feasible)
		CHECK(s, minimised(s, b->bound) <= s->best);
	if (b->answer == GPUBE_ANSWER_OPTIMAL) {
		CHECK(s, s->feasible && b->values);
		CHECK(s, minimised(s, b->cost) == s->best);
	}
	CHECK(s, !b->closed || !better);
}

static struct gpube_bound_opts bound_opts(const struct subject *s, int k)
{
	struct gpube_bound_opts opts = {.sizeof_options = sizeof(opts),
		.method = (enum gpube_bound_method)(k % 8), .seed = s->seed,
		.no_simplify = k / 8 % 2, .no_eliminate = k / 16 % 2,
		.split = (enum gpube_split)(s->seed / 2 % 3)};
	wide cutoff = s->best + (wide)(s->seed / 7 % 5) - 2;
	struct gpube_rng rng;

	gpube__rng_init(&rng, s->seed + (uint64_t)k);
	if (s->seed % 7 == 0 || !s->feasible)
		cutoff = near_limit(&rng);
	if ((s->seed % 5 == 0 || s->seed % 7 == 0) && fits(cutoff)) {
		opts.has_cutoff = 1;
		opts.cutoff = (int64_t)(s->maximise ? -cutoff : cutoff);
	}
	return opts;
}

static void check_bound(const struct subject *s, const struct gpube_model *m, int k)
{
	struct gpube_bound_opts opts = bound_opts(s, k);
	struct gpube_bounds *b;

	if (!done(s, gpube_bound(&b, m, &opts), "bound"))
		return;
	check_bounds(s, b, &opts);
	gpube_bounds_free(b, ctx);
}

/* Every assignment costs the same, or is not below the limit and forbidden. */
static void compare(const struct subject *s, const struct gpube_model *to, bool strict, wide limit)
{
	int32_t values[MOST_VARS] = {0};
	wide cost, unit = 1;
	int64_t got;

	for (int k = s->decimals; k < to->scale; k++)
		unit *= 10;
	CHECK(s, to->n_vars == s->n_vars);
	do {
		bool allowed = price(&cost, s, values);

		if (!done(s, gpube_model_cost(&got, to, values), "price"))
			continue;
		if (got == GPUBE_INF)
			CHECK(s, !allowed || (strict && cost >= limit));
		else
			CHECK(s, allowed && (to->direction == GPUBE_MAXIMISE ? -(wide)got : got) ==
						cost * unit);
	} while (next(values, s));
}

static void check_shifted(const struct subject *s, const struct gpube_model *m, int k)
{
	struct gpube_bound_opts opts = bound_opts(s, k);
	struct gpube_shifted_opts shifting = {.whole = k % 2, .decimals = (int)(s->seed % 3),
		.max_arity = 2 + (int)(s->seed % 4), .max_cells = 1e6};
	wide limit = opts.has_cutoff ? minimised(s, opts.cutoff) : (wide)1 << 100;
	struct gpube_bounds *b;
	struct gpube_shifted shifted;

	if (opts.method == GPUBE_BOUND_MBE ||
		!done(s, gpube__bound_shifted(&b, &shifted, m, &opts, &shifting), "shift"))
		return;
	check_bounds(s, b, &opts);
	if (!shifting.whole && b->values && minimised(s, b->cost) < limit)
		limit = minimised(s, b->cost);
	if (done(s, gpube__shifted_restore(&shifted, !shifting.whole), "restore"))
		compare(s, shifted.model, !shifting.whole || opts.has_cutoff, limit);
	gpube__shifted_clear(&shifted);
	gpube_bounds_free(b, ctx);
}

static void check_certified(const struct subject *s, const struct gpube_model *m, int k)
{
	struct gpube_bound_opts opts = bound_opts(s, k);
	struct gpube_bounds *known = NULL;
	struct gpube_certificate c = {.ctx = ctx};
	int status;

	opts.has_cutoff = 0;
	if (opts.method == GPUBE_BOUND_MBE || gpube_bound(&known, m, &opts))
		return;
	status = gpube__bound_certified(&c, m, known, &opts);
	if (status) { /* which holds sums up to 2^61 */
		CHECK(s, status == GPUBE_ERANGE);
	} else {
		CHECK(s, gpube__certificate_check(&c, m) == 0);
		CHECK(s, !s->feasible || c.bound <= s->best);
	}
	gpube__certificate_clear(&c);
	gpube_bounds_free(known, ctx);
}

static void check_agents(const struct subject *s, const struct gpube_model *m, int k)
{
	struct dcop_opts opts = {
		.z = k % 3, .no_match = k / 3 % 2, .tree = {.root = -1, .seed = s->seed}};
	struct dcop_result *r;

	if (!done(s, dcop_solve(&r, m, &opts, NULL), "dpop"))
		return;
	if (r->answer == GPUBE_ANSWER_OPTIMAL)
		CHECK(s, s->feasible && minimised(s, r->cost) == s->best);
	if (r->answer == GPUBE_ANSWER_INFEASIBLE)
		CHECK(s, !s->feasible);
	else if (s->feasible)
		CHECK(s, minimised(s, r->bound) <= s->best);
	if (r->answer == GPUBE_ANSWER_OPTIMAL)
		check_assignment(s, r->values, r->cost);
	dcop_result_free(r, ctx);
}

/* What bounds the best completion from below, at every node of each assignment's path. */
static void check_heuristic(const struct subject *s, const struct gpube_model *m, int k)
{
	struct gpube_heuristic_opts opts = {.sizeof_options = sizeof(opts),
		.method = (enum gpube_heuristic_method)(k % 3), .ibound = k / 3 % 3,
		.no_simplify = k / 9 % 2};
	int32_t values[MOST_VARS] = {0};
	struct gpube_heuristic *h;
	wide cost;

	if (gpube_heuristic_new(&h, m, &opts)) { /* which holds sums up to 2^60 */
		CHECK(s, s->may_refuse || strstr(gpube_error(ctx), "too large"));
		return;
	}
	CHECK(s, !s->feasible || minimised(s, gpube_heuristic_info(h)->bound) <= s->best);
	do {
		bool allowed = price(&cost, s, values);

		for (int32_t depth = 0; depth <= s->n_vars; depth++) {
			int64_t bound = gpube_heuristic_bound(h, values, depth);

			if (bound == GPUBE_INF)
				CHECK(s, !allowed);
			else if (allowed)
				CHECK(s, minimised(s, bound) <= cost);
			if (depth == s->n_vars && allowed)
				CHECK(s, minimised(s, bound) == cost);
		}
	} while (next(values, s));
	gpube_heuristic_free(h);
}

/* Written and read again, where the format holds it. */
static void check_written(const struct subject *s, const struct gpube_model *m, int k)
{
	static const char *const names[] = {"to.cfn", "to.wcsp", "to.wcnf"};
	struct gpube_write_opts opts = {.sizeof_options = sizeof(opts), .check = k / 3 % 2};
	const char *path = in_dir(names[k % 3]);
	struct gpube_model *again = NULL;
	int status = gpube_write_with(m, path, &opts);

	if (status) {
		CHECK(s, status == GPUBE_ERANGE || status == GPUBE_EINVAL);
		return;
	}
	CHECK(s, gpube_read(&again, ctx, path, GPUBE_FORMAT_AUTO, "") == 0);
	if (k % 3 == 0)
		compare(s, again, false, 0);
	else if (k % 3 == 1) { /* integers: the unit is the model's */
		again->scale = m->scale;
		compare(s, again, false, 0);
	}
	gpube_model_free(again);
}

static void at_the_limits(void **state)
{
	static struct subject s;
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	const char *path;
	struct gpube_model *m = NULL;
	int status, k = (int)(seed % 64);

	draw(&s, seed);
	path = in_dir(s.plain ? "from.wcsp" : "from.cfn");
	test_put(path, s.text, s.n);
	status = gpube_read(&m, ctx, path, s.plain ? GPUBE_FORMAT_WCSP : GPUBE_FORMAT_CFN, "");
	if (status) {
		if (s.in_range && !s.may_refuse)
			fail_msg("read: %s, of\n%s", gpube_error(ctx), s.text);
		return;
	}
	for (int d = m->scale; d < s.decimals; d++) { /* zeros that were not written */
		s.best /= 10;
		s.top /= 10;
		for (int j = 0; j < s.n_functions; j++)
			for (int c = 0; c < s.f[j].cells; c++)
				s.f[j].cost[c] /= 10;
	}
	s.decimals = m->scale;
	check_solve(&s, m, k % 4);
	for (int method = 0; method < 8; method++)
		check_bound(&s, m, 8 * k + method);
	check_shifted(&s, m, k);
	check_shifted(&s, m, k + 3);
	check_certified(&s, m, k);
	check_agents(&s, m, k);
	check_heuristic(&s, m, k);
	check_written(&s, m, k);
	check_written(&s, m, k + 1);
	gpube_model_free(m);
}

/* Models whose cells were cut off at 2^62 before it was known that this is harmless; NULL: no solution. */
static const struct given {
	const char *name, *optimum, *text;
} given[] = {
	{"cut from above, minimised", "-4611686018427383704",
		"{problem:{name:p,mustbe:\"<-4611686018427382904\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[-4611686018427388904,-4611686018427383404]},"
		"g:{scope:[a],costs:[5200,0]}}}"},
	{"cut from below, maximised", "4611686018427383704",
		"{problem:{name:p,mustbe:\">4611686018427382904\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[4611686018427388904,4611686018427383404]},"
		"g:{scope:[a],costs:[-5200,0]}}}"},
	{"a solution past the limit", "4611686018427387906",
		"{problem:{name:p,mustbe:\">4611686018427387905\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[-7,4611686018427387906]}}}"},
	{"none past the limit", NULL,
		"{problem:{name:p,mustbe:\">4611686018427387906\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[-7,4611686018427387906]}}}"},
	{"decimals, minimised", "-4700000000000000000",
		"{problem:{name:p,mustbe:\"<-4.610000000000000000\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[-5.000000000000000000,-4.620000000000000000]},"
		"g:{scope:[a],costs:[0.300000000000000000,0.000000000000000000]}}}"},
	{"decimals, maximised", "4700000000000000000",
		"{problem:{name:p,mustbe:\">4.500000000000000000\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[5.000000000000000000,4.600000000000000000]},"
		"g:{scope:[a],costs:[-0.300000000000000000,0.000000000000000000]}}}"},
};

static void known_model(void **state)
{
	const struct given *g = *state;
	const char *path = in_dir("given.cfn");
	struct gpube_solution *found;
	struct gpube_model *m;
	char optimum[32];

	test_put(path, g->text, strlen(g->text));
	assert_int_equal(gpube_read(&m, ctx, path, GPUBE_FORMAT_CFN, ""), 0);
	assert_int_equal(gpube_solve(&found, m, NULL), 0);
	assert_int_equal(
		found->answer, g->optimum ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	snprintf(optimum, sizeof(optimum), "%" PRId64, found->cost);
	if (g->optimum)
		assert_string_equal(optimum, g->optimum);
	gpube_solution_free(found, ctx);
	gpube_model_free(m);
}

static int setup(void **state)
{
	(void)state;
	test_make_dir(dir);
	return ctx_open(1, 0);
}

int main(void)
{
	const char *more = getenv("GPUBE_LIMIT_MODELS");
	struct cases c = {0};

	for (size_t k = 0; k < sizeof(given) / sizeof(*given); k++)
		add_case(&c, known_model, &given[k], "limits: %s", given[k].name);
	add_numbers(&c, at_the_limits, more ? strtoul(more, NULL, 10) : N_MODELS, "limits, seed");
	return run_cases(&c, "limits", setup, ctx_dir_teardown);
}
