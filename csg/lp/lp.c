/*
 * lp.c - method lp. The linear program of set partitioning over all 2^n - 1
 * coalitions has n rows: columns are priced by reading the values once against
 * the agents' duals w. Then everything is exact, in integers of 2^-k:
 *
 *  - the duals are rounded, and raised until w(S) >= v(S) for every S: their sum
 *    is an upper bound that any program can check in one pass;
 *  - a structure whose value is more than L has only coalitions S of slack
 *    w(S) - v(S) < sum of w - L; those are read out, and the structure of
 *    least total slack is found among them (cover.c).
 */
#include "csg/lp/lp.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "gpube/base/decimal.h"

#define MOST_LOW_BITS 11  /* agents whose weights lie in a table beside the values */
#define PIECES        16  /* blocks that a thread takes at once */
#define MOST_SCANS    200 /* of the whole table; then it does not converge */

/*
 * Processor seconds that a step of the search, a byte of a scan, a candidate take: limits are
 * counts, so that the same game has the same answer on a loaded machine. (Of 22 and 24 agents,
 * AVX-512; benchmarks/runs/csg-2c.)
 */
#define STEP_SECONDS CSG__STEP_SECONDS
#define BYTE_SECONDS 1.3e-10
#define SORT_SECONDS 1.3e-7
#define LOOK_SECONDS 2e-8 /* at a coalition that a scan has found */

/* ---- fixed point -------------------------------------------------------------------------- */

int64_t csg__to_fixed(const struct csg__lp *lp, int64_t value)
{
	const enum gpube_type type = lp->g->type;

	if (gpube__type_is_int(type))
		return value == INT64_MIN ? value : (int64_t)((uint64_t)value << lp->shift);
	if (gpube__coalition_real(type, value) == -INFINITY)
		return INT64_MIN;
	return llrint(ldexp(gpube__coalition_real(type, value), lp->shift));
}

int64_t csg__fixed(const struct csg__lp *lp, uint64_t s)
{
	return csg__to_fixed(lp, csg__value_int(lp->g, s));
}

int64_t csg__weight_of(const struct csg__lp *lp, uint64_t s)
{
	int64_t w = 0;

	for (; s; s &= s - 1)
		w += lp->dual[__builtin_ctzll(s)];
	return w;
}

bool csg__lp_shift(struct csg__lp *lp, const struct csg__range *range)
{
	double size = gpube__type_is_int(lp->g->type)
			      ? fmax((double)range->most, -(double)range->least)
			      : fmax(range->most_real, -range->least_real);
	int exponent;

	frexp(size, &exponent);
	lp->scale = size;
	lp->shift = size > 0 ? 56 - exponent : 0;
	if (size > DBL_MAX / 64) /* differences of sums have no room */
		return false;
	if (lp->shift > 900)
		lp->shift = 900;
	if (gpube__type_is_int(lp->g->type)) {
		lp->shift = lp->shift > 24 ? 24 : lp->shift;
		/* of 2^56 and more: no finer duals than values, and they are watched */
		if (lp->shift < 0 && size < 0x1p60)
			lp->shift = 0;
		return lp->shift >= 0;
	}
	return true;
}

/* ---- scans ----------------------------------------------------------------------------------- */

static void set_weights(struct csg__lp *lp, const double *w)
{
	memcpy(lp->w, w, (size_t)lp->g->n * sizeof(*w));
	lp->low[0] = 0;
	for (uint32_t s = 1; s < 1u << lp->low_bits; s++)
		lp->low[s] = lp->low[s & (s - 1)] + w[__builtin_ctz(s)];
	lp->size_w = 0;
	for (int i = 0; i < lp->g->n; i++)
		lp->size_w += fabs(w[i]);
}

static double high_weight(const struct csg__lp *lp, uint64_t block)
{
	double w = 0;

	for (; block; block &= block - 1)
		w += lp->w[lp->low_bits + __builtin_ctzll(block)];
	return w;
}

static const void *block_values(const struct csg__lp *lp, uint64_t block)
{
	return (const char *)lp->g->values +
	       (block << lp->low_bits) * gpube__type_size(lp->g->type);
}

/* Blocks in an order that mixes high and low agents, so that a beginning of it is a sample. */
static uint64_t mixed(const struct csg__lp *lp, uint64_t i)
{
	return (i * 0x9e3779b1u) & (((uint64_t)1 << lp->high_bits) - 1);
}

static void scan_most(void *arg, int64_t item, int thread)
{
	struct csg__lp *lp = arg;
	const uint64_t to = (uint64_t)(item + 1) * PIECES;

	(void)thread;
	if (gpube__stopped(lp->g->ctx))
		__atomic_store_n(&lp->stopped, true, __ATOMIC_RELAXED);
	for (uint64_t i = (uint64_t)item * PIECES; i < to && i < lp->n_scan && !lp->stopped; i++) {
		const uint64_t block = mixed(lp, i);

		lp->most[i] = lp->kernel->most(
				      block_values(lp, block), lp->low, (size_t)1 << lp->low_bits) -
			      high_weight(lp, block);
	}
}

static double scan_seconds(const struct csg__lp *lp, uint64_t n_blocks)
{
	return (double)n_blocks * ldexp(gpube__type_size(lp->g->type), lp->low_bits) *
	       BYTE_SECONDS / lp->at_once;
}

static int scan(struct csg__lp *lp, uint64_t n_blocks, void (*fn)(void *, int64_t, int))
{
	lp->n_scan = n_blocks;
	gpube__parallel(lp->g->ctx, (int64_t)((n_blocks + PIECES - 1) / PIECES), fn, lp);
	if (lp->stopped)
		return gpube__fail_stopped(lp->g->ctx);
	lp->spent += scan_seconds(lp, n_blocks);
	if (n_blocks >> lp->high_bits)
		lp->r->n_scans++;
	return GPUBE_OK;
}

/* The first coalition of the block that exceeds its weight by most. */
static int add_column(struct csg__lp *lp, uint64_t i)
{
	const uint64_t block = mixed(lp, i);
	const double high = high_weight(lp, block);
	uint64_t s;

	if (!lp->kernel->over(block_values(lp, block), lp->low,
		    lp->most[i] + high - 1e-15 * (fabs(lp->most[i]) + lp->size_w),
		    (size_t)1 << lp->low_bits, lp->found))
		return GPUBE_OK;
	s = block << lp->low_bits | lp->found[0];
	if (s == 0 || csg__value(lp->g, s) == -INFINITY)
		return GPUBE_OK;
	lp->n_new++;
	return csg__master_add(&lp->master, s, csg__value(lp->g, s));
}

/* The columns of the blocks with most to gain, at most n_best of them. */
static int add_columns(struct csg__lp *lp, double tolerance, int n_best)
{
	uint64_t best[4 * GPUBE_MAX_AGENTS] = {0};
	int n = 0, status = GPUBE_OK;

	for (uint64_t i = 0; i < lp->n_scan; i++) {
		int k = n;

		if (!(lp->most[i] > tolerance) ||
			(n == n_best && lp->most[i] <= lp->most[best[n - 1]]))
			continue;
		if (n < n_best)
			n++;
		else
			k--;
		for (; k > 0 && lp->most[best[k - 1]] < lp->most[i]; k--)
			best[k] = best[k - 1];
		best[k] = i;
	}
	lp->n_new = 0;
	for (int k = 0; k < n && !status; k++)
		status = add_column(lp, best[k]);
	return status;
}

/* ---- duals -------------------------------------------------------------------------------------
 */

/* Whether there is time for what takes as many seconds more. */
static bool affords(const struct csg__lp *lp, double seconds)
{
	return !(lp->budget > 0 && lp->spent + seconds > lp->budget);
}

/*
 * Columns until none of the first n_blocks has more than 'tolerance' to gain.
 * False without a failure: it does not converge in the time it has.
 */
static int converge(struct csg__lp *lp, uint64_t n_blocks, double tolerance, bool *converged)
{
	int status;

	*converged = false;
	for (int k = 0; k < MOST_SCANS; k++) {
		if (!csg__master_solve(&lp->master))
			return GPUBE_OK;
		set_weights(lp, lp->master.w);
		status = scan(lp, n_blocks, scan_most);
		if (!status)
			status = add_columns(lp, tolerance, 2 * lp->g->n);
		if (status)
			return status;
		if (lp->n_new == 0) {
			*converged = true;
			return GPUBE_OK;
		}
		if (!affords(lp, scan_seconds(lp, n_blocks)))
			return GPUBE_OK;
	}
	return GPUBE_OK;
}

/* Samples first: most columns of the optimum's neighbourhood are found without a full scan. */
static int find_duals(struct csg__lp *lp, bool *converged)
{
	const uint64_t all = (uint64_t)1 << lp->high_bits;
	const double tolerance = lp->scale * 1e-9;
	int status = GPUBE_OK;

	*converged = true;
	for (int sample = 6; sample > 0 && !status && *converged; sample -= 3)
		if (all >> sample >= 64)
			status = converge(lp, all >> sample, tolerance, converged);
	if (!status && *converged)
		status = converge(lp, all, tolerance, converged);
	lp->r->n_columns = lp->master.n_columns;
	return status;
}

/* ---- exact slacks -------------------------------------------------------------------- */

/* The exact weights of what lp->low has in double. */
static void table_duals(struct csg__lp *lp)
{
	lp->low_dual[0] = 0;
	for (uint32_t s = 1; s < 1u << lp->low_bits; s++)
		lp->low_dual[s] = lp->low_dual[s & (s - 1)] + lp->dual[__builtin_ctz(s)];
}

/* Of those of block b that are 'at', the ones of slack <= within; returns how many. */
static size_t keep_within(
	const struct csg__lp *lp, uint64_t b, uint32_t *at, size_t n, int64_t *slack)
{
	const int64_t high = csg__weight_of(lp, b << lp->low_bits), within = lp->within;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t s = b << lp->low_bits | at[i];
		const int64_t v = csg__fixed(lp, s);

		if (s == 0 || v == INT64_MIN)
			continue;
		slack[k] = high + lp->low_dual[at[i]] - v;
		at[k] = at[i];
		k += slack[k] <= within;
	}
	return k;
}

/*
 * Candidates of slack <= within, a superset by rounding, then exactly; negative slacks too.
 * Where they are too many nearly all are, so that threads meet once a block, not once for each.
 */
static void scan_over(void *arg, int64_t item, int thread)
{
	struct csg__lp *lp = arg;
	const uint64_t to = (uint64_t)(item + 1) * PIECES;
	uint32_t at[1 << MOST_LOW_BITS];
	int64_t slack[1 << MOST_LOW_BITS], n_over = 0;

	(void)thread;
	if (gpube__stopped(lp->g->ctx))
		__atomic_store_n(&lp->stopped, true, __ATOMIC_RELAXED);
	for (uint64_t b = (uint64_t)item * PIECES; b < to && b < lp->n_scan; b++) {
		int64_t first;
		size_t n;

		if (__atomic_load_n(&lp->full, __ATOMIC_RELAXED) || lp->stopped)
			break;
		n = lp->kernel->over(block_values(lp, b), lp->low, high_weight(lp, b) - lp->margin,
			(size_t)1 << lp->low_bits, at);
		n_over += (int64_t)n;
		n = keep_within(lp, b, at, n, slack);
		if (n == 0)
			continue;
		first = __atomic_fetch_add(&lp->n_candidates, (int64_t)n, __ATOMIC_RELAXED);
		if (first + (int64_t)n > lp->capacity)
			__atomic_store_n(&lp->full, true, __ATOMIC_RELAXED);
		for (size_t i = 0; i < n && first + (int64_t)i < lp->capacity; i++)
			lp->candidate[first + (int64_t)i] =
				(struct csg__candidate){b << lp->low_bits | at[i], slack[i]};
	}
	__atomic_fetch_add(&lp->n_over, n_over, __ATOMIC_RELAXED);
}

/* lp->full: there are more than fit; those there are, are some of them. */
static int collect(struct csg__lp *lp, int64_t within)
{
	double w[GPUBE_MAX_AGENTS];
	int status;

	for (int i = 0; i < lp->g->n; i++)
		w[i] = ldexp((double)lp->dual[i], -lp->shift);
	set_weights(lp, w);
	table_duals(lp);
	/* rounding: of weights, of sums of up to 40 of them, of the value, of the slack */
	lp->margin = ldexp((double)within, -lp->shift) + 0x1p-44 * (lp->size_w + lp->scale) +
		     ldexp(1, -lp->shift);
	lp->within = within;
	lp->n_candidates = 0;
	lp->n_over = 0;
	lp->full = false;
	status = scan(lp, (uint64_t)1 << lp->high_bits, scan_over);
	lp->spent += (double)lp->n_over * LOOK_SECONDS / lp->at_once;
	if (lp->n_candidates > lp->capacity)
		lp->n_candidates = lp->capacity;
	return status;
}

bool csg__lp_raise(struct csg__lp *lp, uint64_t s, int64_t value)
{
	const int64_t lack = value - csg__weight_of(lp, s);
	const int k = __builtin_popcountll(s);
	__int128 sum = 0;

	if (lack <= 0)
		return true;
	for (uint64_t a = s; a; a &= a - 1)
		lp->dual[__builtin_ctzll(a)] += (lack + k - 1) / k;
	for (int i = 0; i < lp->g->n; i++)
		sum += lp->dual[i] < 0 ? -(__int128)lp->dual[i] : lp->dual[i];
	return sum < (__int128)1 << 61;
}

/* Raises duals until no coalition has a negative slack; *exact false: it does not end. */
static int make_feasible(struct csg__lp *lp, bool *exact)
{
	*exact = false;
	for (int round = 0; round < 50; round++) {
		int status = collect(lp, -1);

		if (status)
			return status;
		if (lp->n_candidates == 0) {
			*exact = true;
			return GPUBE_OK;
		}
		csg__sort_candidates(lp->candidate, lp->n_candidates);
		for (int64_t i = 0; i < lp->n_candidates; i++) {
			const uint64_t s = lp->candidate[i].mask;

			if (!csg__lp_raise(lp, s, csg__fixed(lp, s)))
				return GPUBE_OK;
		}
	}
	return GPUBE_OK;
}

bool csg__lp_round(struct csg__lp *lp)
{
	double sum = 0;

	for (int i = 0; i < lp->g->n; i++) {
		const double w = ldexp(lp->master.w[i], lp->shift);

		sum += fabs(w);
		if (!(sum < 0x1p60))
			return false;
		lp->dual[i] = llrint(w);
	}
	return true;
}

/* ---- structures ---------------------------------------------------------------------- */

/* In the units of the game. */
static double worth(const struct csg__lp *lp, int64_t v)
{
	return v == INT64_MIN ? NAN : ldexp((double)v, -lp->shift) / gpube__ten_to(lp->g->scale);
}

void csg__lp_tell(const struct csg__lp *lp, int64_t upper)
{
	csg__log_bounds(lp->g->ctx, lp->start, worth(lp, lp->lower), worth(lp, upper), "lp");
}

/* The structure of least slack among the candidates, if it is better. */
static int search(struct csg__lp *lp, double steps, bool *complete)
{
	const int64_t most = csg__lp_better(lp);
	int64_t limit = most == INT64_MAX ? INT64_MAX : most + 1;
	const int64_t before = limit;
	int status;

	*complete = true;
	if (limit <= 0)
		return GPUBE_OK;
	status = csg__cover(lp->g->ctx, lp->g->n, lp->candidate, lp->n_candidates, &limit, NULL,
		lp->r->parts, &lp->r->n_parts, &steps, complete);
	lp->spent += steps * STEP_SECONDS;
	lp->r->n_nodes += (int64_t)steps;
	if (status || limit >= before)
		return status;
	lp->lower = lp->upper - limit;
	csg__lp_tell(lp, lp->upper);
	return GPUBE_OK;
}

static double steps_left(const struct csg__lp *lp)
{
	return lp->budget > 0 ? fmax(0, (lp->budget - lp->spent) / STEP_SECONDS) : 1e18;
}

/* A structure from the columns that the linear program has met. */
static int first_structure(struct csg__lp *lp)
{
	bool complete;

	if (lp->master.n_columns > lp->capacity)
		lp->master.n_columns = lp->capacity;
	lp->n_candidates = 0;
	for (int64_t c = 0; c < lp->master.n_columns; c++) {
		const uint64_t s = lp->master.mask[c];
		const int64_t v = csg__fixed(lp, s);

		if (v != INT64_MIN)
			lp->candidate[lp->n_candidates++] =
				(struct csg__candidate){s, csg__weight_of(lp, s) - v};
	}
	return search(lp, fmin(2e6, steps_left(lp)), &complete);
}

/*
 * Searches among the candidates of slack <= lp->within, those of least slack
 * first: what is found there closes the gap from the other side.
 */
static int search_widening(struct csg__lp *lp, bool *complete)
{
	const int64_t n = lp->n_candidates;
	int status = GPUBE_OK;

	*complete = false;
	if (!affords(lp, (double)n * SORT_SECONDS))
		return GPUBE_OK;
	csg__sort_candidates(lp->candidate, n);
	lp->spent += (double)n * SORT_SECONDS;
	for (int shift = 4; shift >= 0 && !status; shift -= 2) {
		const int64_t within = lp->within >> shift;

		if (shift && within >= csg__lp_better(lp))
			continue;
		for (lp->n_candidates = 0; lp->n_candidates < n; lp->n_candidates++)
			if (lp->candidate[lp->n_candidates].slack > within)
				break;
		status = search(lp, steps_left(lp), complete);
		if (!*complete || within >= csg__lp_better(lp))
			break;
	}
	return status;
}

/* Reads out all that the gap leaves; if they are too many, the best of them make it smaller. */
static int close_gap(struct csg__lp *lp, bool *proved)
{
	int64_t within = csg__lp_better(lp), last = -1;
	bool complete;
	const uint64_t all = (uint64_t)1 << lp->high_bits;
	int status;

	lp->n_candidates = 0;
	*proved = within < 0;
	for (int round = 0; !*proved && round < 40 && affords(lp, scan_seconds(lp, all)); round++) {
		status = collect(lp, within);
		if (status)
			return status;
		if (lp->full) {
			within = last < 0 ? within / 4 : last + (within - last) / 4;
			if (within <= last || within <= 0)
				return GPUBE_OK;
			continue;
		}
		lp->r->n_candidates = lp->n_candidates;
		status = search_widening(lp, &complete);
		if (status)
			return status;
		*proved = complete && within >= csg__lp_better(lp);
		if (*proved || !complete)
			return GPUBE_OK;
		last = within;
		within = within < INT64_MAX / 4 ? 4 * within + 1 : INT64_MAX;
		if (within > csg__lp_better(lp))
			within = csg__lp_better(lp);
	}
	return GPUBE_OK;
}

/* ---- the method ---------------------------------------------------------------------- */

void csg__lp_report(struct csg__lp *lp, bool proved)
{
	struct gpube_csg_result *r = lp->r;
	const double unit = ldexp(1, -lp->shift);
	double bound = nextafter(ldexp((double)lp->upper, -lp->shift), INFINITY);

	if (gpube__type_is_int(lp->g->type)) {
		bound = csg__not_below(lp->upper >> lp->shift);
		if (lp->upper >> lp->shift < r->upper_int)
			r->upper_int = lp->upper >> lp->shift;
	} else {
		bound = nextafter(bound + lp->g->n * unit / 2, INFINITY);
	}
	r->upper_bound = fmin(r->upper_bound, bound);
	r->error = proved && !gpube__type_is_int(lp->g->type) ? lp->g->n * unit : 0;
	r->method = GPUBE_CSG_LP;
	r->work = GPUBE_INT64;
	r->answer = proved ? GPUBE_CSG_OPTIMAL : GPUBE_CSG_BOUNDS;
}

/*
 * Where duals have led to no structure: any that there is. That there is none is proved if all
 * coalitions that are not forbidden could be tried, which are few where it is so.
 */
static int any_structure(struct csg__lp *lp)
{
	struct gpube_csg_result *r = lp->r;
	int64_t dual[GPUBE_MAX_AGENTS], limit = INT64_MAX;
	double steps = 1e18;
	bool complete = false;
	int status;

	memcpy(dual, lp->dual, sizeof(dual));
	memset(lp->dual, 0, sizeof(lp->dual));
	status = collect(lp, INT64_MAX);
	memcpy(lp->dual, dual, sizeof(dual));
	if (status || lp->full)
		return status;
	for (int64_t i = 0; i < lp->n_candidates; i++)
		lp->candidate[i].slack = 0;
	status = csg__cover(lp->g->ctx, lp->g->n, lp->candidate, lp->n_candidates, &limit, NULL,
		r->parts, &r->n_parts, &steps, &complete);
	r->n_nodes += (int64_t)steps;
	if (status)
		return status;
	if (limit == INT64_MAX) {
		r->answer = complete ? GPUBE_CSG_INFEASIBLE : r->answer;
		return GPUBE_OK;
	}
	lp->lower = 0;
	for (int k = 0; k < r->n_parts; k++)
		lp->lower += csg__fixed(lp, r->parts[k]);
	return GPUBE_OK;
}

/* *exact: the duals are an upper bound. */
static int set_duals(struct csg__lp *lp, bool *exact)
{
	bool converged;
	int status = find_duals(lp, &converged);

	*exact = false;
	if (status || !converged || !csg__lp_round(lp))
		return status;
	status = make_feasible(lp, exact);
	if (status || !*exact)
		return status;
	lp->upper = csg__weight_of(lp, csg__n_masks(lp->g) - 1);
	gpube__log(lp->g->ctx, GPUBE_LOG_DETAIL,
		"lp: bound %.12g after %lld scan%s, %lld column%s, %lld pivot%s",
		ldexp((double)lp->upper, -lp->shift), (long long)lp->r->n_scans,
		gpube__plural(lp->r->n_scans), (long long)lp->master.n_columns,
		gpube__plural(lp->master.n_columns), (long long)lp->master.n_pivots,
		gpube__plural(lp->master.n_pivots));
	csg__lp_tell(lp, lp->upper);
	return first_structure(lp);
}

static int run(struct csg__lp *lp)
{
	bool exact, proved = false;
	int status = set_duals(lp, &exact);

	/* (what has a limit of time goes on with another method) */
	if (!status && lp->lower == INT64_MIN && !(lp->budget > 0))
		status = any_structure(lp);
	if (status || !exact || lp->r->answer == GPUBE_CSG_INFEASIBLE)
		return status;
	if (!status && lp->lower != INT64_MIN)
		status = close_gap(lp, &proved);
	gpube__log(lp->g->ctx, GPUBE_LOG_DETAIL, "lp: %s, %lld candidate%s, %lld step%s",
		proved ? "proved" : "not proved", (long long)lp->r->n_candidates,
		gpube__plural(lp->r->n_candidates), (long long)lp->r->n_nodes,
		gpube__plural(lp->r->n_nodes));
	csg__lp_report(lp, proved);
	if (proved && lp->certificate) {
		status = csg__certify(lp, lp->certificate, lp->disposal);
		/* the result stands without its proof */
		if (status == GPUBE_EIO || status == GPUBE_ENOMEM || status == GPUBE_ESTOP) {
			lp->r->certificate_status = status;
			status = GPUBE_OK;
		}
	}
	return status;
}

static int allocate(struct csg__lp *lp)
{
	struct gpube_ctx *ctx = lp->g->ctx;
	double alone[GPUBE_MAX_AGENTS];

	lp->capacity = (int64_t)(csg__n_masks(lp->g) >> 6) + 20000;
	if (lp->capacity > 1 << 24)
		lp->capacity = 1 << 24;
	/* agents that must not be alone are, at a price, until better is known */
	for (int i = 0; i < lp->g->n; i++) {
		alone[i] = csg__value(lp->g, (uint64_t)1 << i);
		if (alone[i] == -INFINITY)
			alone[i] = -4 * (lp->scale + 1);
	}
	lp->low = gpube__alloc(ctx, (uint64_t)1 << lp->low_bits, sizeof(*lp->low));
	lp->low_dual = gpube__alloc(ctx, (uint64_t)1 << lp->low_bits, sizeof(*lp->low_dual));
	lp->found = gpube__alloc(ctx, (uint64_t)1 << lp->low_bits, sizeof(*lp->found));
	lp->most = gpube__alloc(ctx, (uint64_t)1 << lp->high_bits, sizeof(*lp->most));
	lp->candidate = gpube__alloc(ctx, (uint64_t)lp->capacity, sizeof(*lp->candidate));
	if (!lp->low || !lp->low_dual || !lp->found || !lp->most || !lp->candidate)
		return GPUBE_ENOMEM;
	return csg__master_init(&lp->master, ctx, lp->g->n, alone, lp->scale);
}

int csg__lp_run(struct csg__search *s, double seconds)
{
	struct gpube_ctx *ctx = s->g->ctx;
	struct csg__lp lp = {.g = s->g,
		.r = s->r,
		.budget = seconds,
		.lower = INT64_MIN,
		.at_once = csg__clock_threads(s),
		.start = gpube__now()};
	int status;

	gpube__progress(ctx, -1, "lp");
	s->r->method = GPUBE_CSG_LP;
	s->r->work = GPUBE_INT64;
	lp.low_bits = s->g->n < 3 + 6 ? (s->g->n < 3 ? s->g->n : 3) : s->g->n - 6;
	lp.low_bits = lp.low_bits > MOST_LOW_BITS ? MOST_LOW_BITS : lp.low_bits;
	lp.high_bits = s->g->n - lp.low_bits;
	lp.kernel = s->g->n < 3 ? &csg__scan_portable[s->g->type] : csg__scan_choose(s->g->type);
	lp.certificate = s->opts->certificate;
	lp.disposal = s->opts->free_disposal;
	if (!csg__lp_shift(&lp, s->range))
		return GPUBE_OK;
	status = allocate(&lp);
	if (!status)
		status = run(&lp);
	s->r->seconds_lp = gpube__now() - lp.start;
	csg__master_clear(&lp.master);
	GPUBE_FREE_ALL(ctx, lp.candidate, lp.most, lp.found, lp.low_dual, lp.low);
	return status;
}
