/* counting.c - the search: a sum by cases of the parts that they leave. See counting.h. */
#include "gpube/infer/counting/counting_parts.h"

#include <math.h>

#define UNIT 0x1p-50
/* What the deepest variable's score loses; more or less took longer (benchmarks/runs/infer-2c). */
#define BY_DEPTH 10.0
enum { BETWEEN_LOOKS = 64 }; /* decisions */

/*
 * A part is counted as the sum over a decision's two cases. 'now' is the product of what is known
 * of the case at work: the parts from first_part on are to be counted still.
 */
struct frame {
	int32_t decision; /* a literal; -1: there is none, at the root */
	int32_t reason;   /* of its other case, once a conflict has ended this one; -1 */
	int32_t n_trail;
	bool second;
	struct gpube_count_part part;
	int64_t first_part, n_store;   /* before the case's parts */
	struct gpube_count first, now; /* first: the case that is done; 0 before */
};

struct gpube_counting {
	struct gpube_ctx *ctx;
	const struct gpube_formula *f;
	const int32_t *depth;
	struct gpube_clauses clauses;
	struct gpube_parts parts;
	struct frame *frame;
	int64_t n, capacity;
	int64_t *marks; /* of each frame: entries when its case began */
	int64_t marks_capacity;
	/* a clause that was learned, and implies something once its case is left; -1 */
	int32_t asserting;
	bool begun, done, hurried;
	struct gpube_count sum;
	double log_lower, log_upper, by_depth;
	int64_t n_decisions;
};

static const struct gpube_count zero = {{0, 0}, 0}, one = {{0.5, 1}, 0};

static struct frame *top(struct gpube_counting *c)
{
	return &c->frame[c->n - 1];
}

static int32_t level_of(const struct gpube_counting *c)
{
	return (int32_t)c->n - 1;
}

/* ---- cases --------------------------------------------------------------------------- */

/* What was learned when the case before was left. */
static void assert_learned(struct gpube_counting *c)
{
	const struct gpube_clauses *s = &c->clauses;
	const int32_t *l, clause = c->asserting;

	c->asserting = -1;
	if (clause < 0)
		return;
	l = s->arena + clause + CLAUSE_LITERALS;
	for (int32_t k = 1; k < s->arena[clause + CLAUSE_SIZE]; k++)
		if (s->value[l[k]] >= 0)
			return;
	if (s->value[l[0]] == 0)
		gpube__clauses_set(&c->clauses, l[0], clause, level_of(c));
}

/* The case that the top frame's decision is true. */
static int enter_case(struct gpube_counting *c)
{
	struct frame *f = top(c);
	struct gpube_clauses *s = &c->clauses;
	int32_t conflict;

	f->now = one;
	c->marks[c->n - 1] = c->parts.n_entries;
	if (f->decision >= 0)
		gpube__clauses_set(s, f->decision, f->second ? f->reason : -1, level_of(c));
	assert_learned(c);
	conflict = gpube__clauses_set_units(s, level_of(c));
	if (conflict < 0)
		conflict = gpube__clauses_propagate(s, level_of(c));
	if (conflict < 0)
		return s->status ? s->status : gpube__parts_split(&c->parts, f->part, &f->now);
	f->now = zero;
	gpube__clauses_learn(
		s, conflict, level_of(c), f->second ? -1 : f->decision, &c->asserting, &f->reason);
	return s->status;
}

static int push(struct gpube_counting *c, int32_t decision, struct gpube_count_part part)
{
	int status = gpube__grow(c->ctx, &c->frame, &c->capacity, c->n + 1, sizeof(*c->frame));

	if (!status)
		status = gpube__grow(
			c->ctx, &c->marks, &c->marks_capacity, c->n + 1, sizeof(*c->marks));
	if (status)
		return status;
	c->frame[c->n++] = (struct frame){.decision = decision,
		.reason = -1,
		.n_trail = c->clauses.n_trail,
		.part = part,
		.first_part = c->parts.n,
		.n_store = c->parts.n_store,
		.second = decision < 0,
		.first = zero};
	return enter_case(c);
}

/*
 * Often in clauses that are open, and in conflicts; above all, where few variables hold much
 * together.
 */
static double score(const struct gpube_counting *c, int32_t var)
{
	const double *activity = c->clauses.activity + 2 * (int64_t)var;

	return (activity[0] + activity[1]) / c->clauses.step + c->parts.frequency[var] -
	       c->by_depth * c->depth[var];
}

static int decide(struct gpube_counting *c)
{
	const struct gpube_count_part part = c->parts.part[c->parts.n - 1];
	const int32_t *vars = c->parts.store + part.at;
	int32_t best = vars[0];
	double most = -INFINITY;

	c->asserting = -1;
	c->n_decisions++;
	gpube__clauses_tidy(&c->clauses);
	for (int32_t k = 0; k < part.n_vars; k++) {
		const double s = score(c, vars[k]);

		if (s > most) {
			most = s;
			best = vars[k];
		}
	}
	return push(c,
		2 * best + (c->clauses.activity[2 * best + 1] > c->clauses.activity[2 * best]),
		part);
}

/*
 * The top frame's case is known: the other one is entered, or the frame's sum goes to the one
 * below.
 */
static int end_case(struct gpube_counting *c)
{
	struct frame *f = top(c), below;
	const bool is_zero = f->now.v.m == 0, skip = c->hurried && !is_zero;
	int status = GPUBE_OK;

	if (is_zero)
		gpube__parts_forget(&c->parts, c->marks[c->n - 1]);
	c->parts.n = f->first_part;
	c->parts.n_store = f->n_store;
	if (!f->second && !skip) {
		gpube__clauses_undo(&c->clauses, f->n_trail);
		f->first = f->now;
		f->second = true;
		f->decision ^= 1;
		return enter_case(c);
	}
	c->sum = f->first.v.m == 0 ? f->now
		 : is_zero         ? f->first
				   : gpube__count_add(f->first, f->now);
	gpube__clauses_undo(&c->clauses, f->n_trail);
	below = *f;
	c->n--;
	if (c->n == 0)
		return GPUBE_OK;
	if (c->sum.v.m != 0 && !c->hurried)
		status = gpube__parts_remember(&c->parts, below.part, c->sum, c->marks, c->n);
	/* the part is the last one of the frame below */
	f = top(c);
	f->now = c->sum.v.m == 0 ? zero : gpube__count_mul(f->now, c->sum);
	c->parts.n--;
	return status;
}

static bool is_over(struct gpube_counting *c, double until)
{
	return c->n_decisions % BETWEEN_LOOKS == 0 &&
	       ((until > 0 && gpube__now() >= until) || (!c->hurried && gpube__stopped(c->ctx)));
}

static int go_on(struct gpube_counting *c, double until)
{
	int status = GPUBE_OK;

	while (c->n > 0 && !status) {
		const struct frame *f = top(c);

		if (f->now.v.m == 0 || c->parts.n == f->first_part)
			status = end_case(c);
		else if (is_over(c, until) && ++c->n_decisions)
			return GPUBE_OK;
		else
			status = decide(c);
	}
	return status;
}

/* ---- bounds -------------------------------------------------------------------------- */

static double log_of(struct gpube_count a, double side)
{
	const double v = gpube__wide_log10(a.v) * log(10);

	return a.v.m == 0 ? -INFINITY
			  : v + side * (gpube__infer_error(a.roundings) + 8 * UNIT * (fabs(v) + 1));
}

/* From the top frame down: what its part has at least and at most, and so the frame below. */
void gpube__counting_bounds(const struct gpube_counting *c, double *log_lower, double *log_upper)
{
	struct gpube_count least = zero, most = one;
	int64_t end = c->parts.n;

	*log_lower = c->log_lower;
	*log_upper = c->log_upper;
	if (!c->begun)
		return;
	for (int64_t k = c->n - 1; k >= 0; k--) {
		const struct frame *f = &c->frame[k];

		/* of the parts that are to be counted, that of the frame above has been */
		if (k == c->n - 1)
			least = c->parts.n == f->first_part ? f->now : zero;
		else
			least = end == f->first_part ? gpube__count_mul(f->now, least) : zero;
		most = gpube__count_mul(f->now, most);
		for (int64_t i = f->first_part; i < end; i++)
			most = gpube__count_mul(
				most, gpube__parts_most(&c->parts, c->parts.part[i], -1));
		least = gpube__count_add(least, f->first);
		most = gpube__count_add(most, f->first);
		if (!f->second)
			most = gpube__count_add(
				most, gpube__parts_most(&c->parts, f->part, f->decision ^ 1));
		end = f->first_part - 1;
	}
	if (c->n == 0) {
		least = c->sum;
		most = c->sum;
	}
	least = gpube__count_mul(least, (struct gpube_count){c->f->factor, c->f->factor_roundings});
	most = gpube__count_mul(most, (struct gpube_count){c->f->factor, c->f->factor_roundings});
	*log_lower = fmax(*log_lower, log_of(least, -1));
	/* what was ended in a hurry is no more than a lower bound */
	if (c->done || c->n > 0)
		*log_upper = fmin(*log_upper, log_of(most, 1));
}

static void take_bounds(struct gpube_counting *c)
{
	double lower, upper;

	gpube__counting_bounds(c, &lower, &upper);
	c->log_lower = lower;
	c->log_upper = upper;
}

/* ---- what others call ---------------------------------------------------------------- */

int gpube__counting_run(struct gpube_counting *c, double until, bool *done)
{
	int status = GPUBE_OK;

	*done = c->done;
	if (c->done)
		return GPUBE_OK;
	if (!c->begun) {
		const struct gpube_count_part whole = c->parts.part[--c->parts.n];

		c->begun = true;
		status = push(c, -1, whole);
	}
	if (!status)
		status = go_on(c, until);
	*done = c->done = !status && c->n == 0;
	take_bounds(c);
	return status;
}

int gpube__counting_hurry(struct gpube_counting *c, double until)
{
	int status;

	if (c->done || !c->begun)
		return GPUBE_OK;
	c->hurried = true;
	status = go_on(c, until);
	take_bounds(c);
	return status;
}

struct gpube_wide gpube__counting_sum(const struct gpube_counting *c, double *roundings)
{
	*roundings = c->sum.roundings + c->f->factor_roundings + 1;
	return gpube__wide_mul(c->sum.v, c->f->factor);
}

int64_t gpube__counting_decisions(const struct gpube_counting *c)
{
	return c->n_decisions;
}

void gpube__counting_free(struct gpube_counting *c)
{
	if (!c)
		return;
	gpube__clauses_clear(&c->clauses);
	gpube__parts_clear(&c->parts);
	GPUBE_FREE_ALL(c->ctx, c->frame, c->marks, c);
}

int gpube__counting_new(
	struct gpube_counting **out, const struct gpube_formula *f, const int32_t *depth)
{
	struct gpube_counting *c = gpube__alloc_zero(f->ctx, 1, sizeof(*c));
	int32_t deepest = 1;
	int status;

	*out = NULL;
	if (!c)
		return GPUBE_ENOMEM;
	c->ctx = f->ctx;
	c->f = f;
	c->depth = depth;
	c->asserting = -1;
	c->log_lower = -INFINITY;
	c->log_upper = INFINITY;
	for (int32_t v = 0; v < f->n; v++)
		deepest = depth[v] > deepest ? depth[v] : deepest;
	c->by_depth = BY_DEPTH / deepest;
	status = gpube__clauses_init(&c->clauses, f);
	if (!status)
		status = gpube__parts_init(&c->parts, f, &c->clauses);
	if (status)
		gpube__counting_free(c);
	else
		*out = c;
	return status;
}
