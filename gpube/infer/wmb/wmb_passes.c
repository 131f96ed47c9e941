/*
 * wmb_passes.c - the bound of weighted mini-buckets made better by passes there and back: see
 * infer_bounds.h.
 *
 * The parts of all buckets are kept. A pass down gives what the bound believes of each part's
 * assignments: conditionals of its own variable, times what its message's receiver believes of the
 * others. In the next pass up the parts of a bucket are made to agree on these beliefs of what they
 * all have in common, by shifting costs between them, which changes no product; and parts whose own
 * variable is less certain get less of the weight. Beliefs only guide: every pass up is a bound,
 * whatever they are.
 *
 * Logarithms and errors are as in wmb.c.
 *
 * Source: Liu and Ihler, ICML 2011.
 */
#include "gpube/infer/wmb/wmb_passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beliefs of less are taken for that much, ln, and no shift is larger. */
#define LEAST_BELIEF (-60.0)
/* How fast weights follow certainty. */
#define WEIGHT_STEP       0.3
#define LEAST_STEP        0.02
#define LEAST_WEIGHT_STEP 0.005
#define WORSE             1e-6

/*
 * How many times as many cells the next parts have; seconds of a pass, where there is no end; and
 * that part of the memory.
 */
#define GROWTH       8
#define MOST_SECONDS 20
#define MEMORY_PART  4
/* Passes with parts of a size, unless the last few gain less than this, ln. */
enum { PASSES = 12, BETWEEN = 4 };
#define LEAST_GAIN 0.01

/* ---- costs --------------------------------------------------------------------------- */

static void passes_clear(struct wmb_passes *w)
{
	for (int32_t k = 0; k < w->n; k++) {
		GPUBE_FREE_ALL(w->ctx, w->parts[k].scope, w->parts[k].costs, w->parts[k].message,
			w->parts[k].back);
	}
	GPUBE_FREE_ALL(w->ctx, w->parts, w->first, w->function_part, w->cells);
}

/* Adds a function to its part's costs; one without variables to the constant. */
static int load(struct wmb_passes *w, int32_t function)
{
	const struct gpube__inferring *j = w->j;
	struct wmb_kept *p =
		w->function_part[function] < 0 ? NULL : &w->parts[w->function_part[function]];
	struct gpube_visit visit;
	int64_t stride = 1;
	double largest = 0;
	int status = gpube__visit_begin(&visit, j->m, function, &j->possible);
	double *t;
	int32_t scope[GPUBE_SUM_AXES];

	if (status)
		return status;
	for (int k = 0; k < visit.n; k++)
		scope[k] = j->position[visit.axis[k].var];
	qsort(scope, (size_t)visit.n, sizeof(*scope), gpube__compare_int32);
	for (int a = visit.n - 1; a >= 0; a--)
		for (int k = 0; k < visit.n; k++)
			if (j->position[visit.axis[k].var] == scope[a]) {
				visit.axis[k].to = stride;
				stride *= visit.axis[k].n;
			}
	t = gpube__alloc(w->ctx, (uint64_t)stride, sizeof(*t));
	if (t)
		do {
			t[visit.to] = log(gpube__visit_value(&visit)) + visit.power * log(2);
			largest =
				isfinite(t[visit.to]) ? fmax(largest, fabs(t[visit.to])) : largest;
		} while (gpube__visit_step(&visit));
	if (t && p) {
		gpube__wmb_walk(w->j, GPUBE__WMB_ADD_TO_LARGE, p->costs, p->arity, p->scope, t,
			NULL, visit.n, scope);
		p->largest += largest;
		p->error += GPUBE__WMB_UNIT * (largest + p->largest);
	} else if (t) {
		w->constant += t[0];
		w->constant_error += GPUBE__WMB_UNIT * (largest + fabs(w->constant));
	}
	gpube__free(w->ctx, t);
	gpube__free(w->ctx, visit.axis);
	return t ? GPUBE_OK : GPUBE_ENOMEM;
}

/* Bytes of all that is kept, and of the largest bucket at work. */
static double bytes_of(struct wmb_passes *w)
{
	double cells = 0;

	w->n_cells = 0;
	for (int32_t b = 0; b < w->j->n; b++) {
		int64_t here = 0;

		for (int32_t r = w->first[b]; r < w->first[b + 1]; r++) {
			const struct wmb_kept *p = &w->parts[r];

			/* costs and messages; beliefs and their marginals */
			here += 2 * p->n + 2 * p->n;
			cells += (double)p->n + 2 * (double)p->n_message;
		}
		w->n_cells = here > w->n_cells ? here : w->n_cells;
	}
	return (cells + (double)w->n_cells) * sizeof(double);
}

static int passes_begin(struct wmb_passes *w, double most_bytes, bool *fits)
{
	int status = gpube__wmb_parts(w);

	*fits = !status && bytes_of(w) <= most_bytes;
	if (!*fits)
		return status;
	w->cells = gpube__alloc(w->ctx, (uint64_t)w->n_cells + 1, sizeof(*w->cells));
	if (!w->cells)
		return GPUBE_ENOMEM;
	for (int32_t r = 0; r < w->n; r++) {
		struct wmb_kept *p = &w->parts[r];

		p->costs = gpube__alloc_zero(w->ctx, (uint64_t)p->n, sizeof(*p->costs));
		p->message = gpube__alloc_zero(w->ctx, (uint64_t)p->n_message, sizeof(*p->message));
		p->back = gpube__alloc_zero(w->ctx, (uint64_t)p->n_message, sizeof(*p->back));
		if (!p->costs || !p->message || !p->back)
			return GPUBE_ENOMEM;
	}
	for (int32_t f = 0; f < w->j->m->n_functions && !status; f++)
		status = load(w, f);
	return status;
}

/* ---- up ------------------------------------------------------------------------------ */

/* Costs and the messages that came, to t. */
static void join(const struct wmb_passes *w, const struct wmb_kept *p, double *t, double *error,
	double *largest)
{
	int terms = 2;

	memcpy(t, p->costs, (size_t)p->n * sizeof(*t));
	*error = p->error;
	*largest = p->largest;
	for (int32_t c = p->first_child; c >= 0; c = w->parts[c].next_child) {
		const struct wmb_kept *from = &w->parts[c];

		gpube__wmb_walk(w->j, GPUBE__WMB_ADD_TO_LARGE, t, p->arity, p->scope, from->message,
			NULL, from->arity - 1, from->scope + 1);
		*error += from->message_error;
		*largest += from->message_largest;
		terms++;
	}
	*error += GPUBE__WMB_UNIT * terms * *largest;
}

/* What all parts of a bucket have in common. */
static int common_scope(const struct wmb_passes *w, int32_t b, int32_t *scope)
{
	int n = w->parts[w->first[b]].arity;

	memcpy(scope, w->parts[w->first[b]].scope, (size_t)n * sizeof(*scope));
	for (int32_t r = w->first[b] + 1; r < w->first[b + 1]; r++) {
		const struct wmb_kept *p = &w->parts[r];
		int kept = 0;

		for (int i = 0, k = 0; i < n; i++) {
			while (k < p->arity && p->scope[k] < scope[i])
				k++;
			if (k < p->arity && p->scope[k] == scope[i])
				scope[kept++] = scope[i];
		}
		n = kept;
	}
	return n;
}

/* ln of what a part believes of the common variables, to l; -INFINITY only where its table is. */
static void believe(const struct wmb_passes *w, const struct wmb_kept *p, const double *t,
	double *belief, double *most, double *l, int n, const int32_t *scope, int64_t n_common)
{
	const int64_t domain = p->n / p->n_message;
	double top = -INFINITY, sum = 0;

	for (int64_t x = 0; x < domain; x++)
		for (int64_t i = 0; i < p->n_message; i++)
			belief[x * p->n_message + i] =
				t[x * p->n_message + i] / p->weight + p->back[i];
	for (int64_t i = 0; i < n_common; i++) {
		most[i] = -INFINITY;
		l[i] = 0;
	}
	gpube__wmb_walk(
		w->j, GPUBE__WMB_MOST_TO_SMALL, belief, p->arity, p->scope, most, NULL, n, scope);
	gpube__wmb_walk(w->j, GPUBE__WMB_SUM_EXP, belief, p->arity, p->scope, l, most, n, scope);
	for (int64_t i = 0; i < n_common; i++) {
		l[i] = most[i] == -INFINITY ? most[i] : most[i] + log(l[i]);
		top = fmax(top, l[i]);
	}
	for (int64_t i = 0; i < n_common; i++)
		sum += top == -INFINITY ? 0 : exp(l[i] - top);
	for (int64_t i = 0; i < n_common && top > -INFINITY; i++)
		l[i] = l[i] == -INFINITY ? l[i] : fmax(l[i] - top - log(sum), LEAST_BELIEF);
}

/*
 * The parts of a bucket agree on what they have in common: each gets its weight times how far it is
 * from the weighted mean of all. The first takes what the others get, so that nothing is added in
 * all but roundings.
 */
static void agree(struct wmb_passes *w, int32_t b, double **t, double *room)
{
	const int32_t first = w->first[b], n_parts = w->first[b + 1] - first;
	int32_t scope[GPUBE_SUM_AXES];
	const int n = common_scope(w, b, scope);
	const int64_t n_common = (int64_t)gpube__wmb_cells(w->j, n, scope);
	int64_t largest = 0;
	double *l, *mean, *most, all = 0;

	/*
	 * beliefs of a part, then those of all of what they have in common, their mean, and the
	 * maxima of one
	 */
	for (int32_t r = 0; r < n_parts; r++)
		largest = w->parts[first + r].n > largest ? w->parts[first + r].n : largest;
	l = room + largest;
	mean = l + n_parts * n_common;
	most = mean + n_common;
	for (int64_t i = 0; i < n_common; i++)
		mean[i] = 0;
	for (int32_t r = 0; r < n_parts; r++) {
		const struct wmb_kept *p = &w->parts[first + r];

		believe(w, p, t[r], room, most, l + r * n_common, n, scope, n_common);
		for (int64_t i = 0; i < n_common; i++)
			mean[i] += p->weight * l[r * n_common + i];
	}
	for (int64_t i = 0; i < n_common; i++) {
		double rest = 0;

		for (int32_t r = n_parts - 1; r >= 0; r--) {
			double shift = w->step * w->parts[first + r].weight *
				       (mean[i] - l[r * n_common + i]);

			if (mean[i] == -INFINITY)
				shift = -INFINITY;
			else if (r == 0)
				shift = -rest;
			else
				rest += shift;
			l[r * n_common + i] = shift;
			all = isfinite(shift) ? fmax(all, fabs(shift)) : all;
		}
	}
	for (int32_t r = 0; r < n_parts; r++) {
		struct wmb_kept *p = &w->parts[first + r];

		gpube__wmb_walk(w->j, GPUBE__WMB_ADD_TO_LARGE, p->costs, p->arity, p->scope,
			l + r * n_common, NULL, n, scope);
		p->largest = 0;
		for (int64_t i = 0; i < p->n; i++)
			p->largest = isfinite(p->costs[i]) ? fmax(p->largest, fabs(p->costs[i]))
							   : p->largest;
		p->error += GPUBE__WMB_UNIT * (4 * p->largest + (n_parts + 2) * all);
	}
}

static void send(struct wmb_kept *p, const double *t, int64_t domain, double error, double largest)
{
	gpube__wmb_sum_out(p->message, 0, p->n_message, t, p->n_message, domain, p->weight);
	p->message_largest = largest + log((double)domain);
	p->message_error = error + GPUBE__WMB_UNIT * (4 * largest + (double)domain + 8);
}

/* The bound, ln. */
static int pass_up(struct wmb_passes *w, double *upper)
{
	double total = w->constant, error = w->constant_error;

	for (int32_t b = 0; b < w->j->n; b++) {
		const int32_t first = w->first[b], n = w->first[b + 1] - first;
		double *room = w->cells, **t;

		if (gpube__stopped(w->ctx))
			return gpube__fail_stopped(w->ctx);
		if (n == 0) {
			total += log((double)gpube__infer_domain(w->j, b));
			error += GPUBE__WMB_UNIT * (fabs(total) + 1);
			continue;
		}
		t = gpube__alloc(w->ctx, (uint64_t)n, sizeof(*t));
		if (!t)
			return GPUBE_ENOMEM;
		for (int32_t r = 0; r < n; r++) {
			t[r] = room;
			room += w->parts[first + r].n;
		}
		for (int turn = n > 1 ? 0 : 1; turn < 2; turn++) {
			for (int32_t r = 0; r < n; r++) {
				struct wmb_kept *p = &w->parts[first + r];
				double e, largest;

				join(w, p, t[r], &e, &largest);
				if (turn == 1)
					send(p, t[r], gpube__infer_domain(w->j, b), e, largest);
			}
			if (turn == 0)
				agree(w, b, t, room);
		}
		gpube__free(w->ctx, t);
		for (int32_t r = first; r < first + n; r++) {
			const struct wmb_kept *p = &w->parts[r];

			if (p->arity > 1)
				continue;
			total += p->message[0];
			error += p->message_error + GPUBE__WMB_UNIT * (fabs(total) + 1);
		}
	}
	*upper = total + error;
	return GPUBE_OK;
}

/* ---- down ---------------------------------------------------------------------------- */

/*
 * What a part believes, from what its message's receiver does, which 'back' has for now; and what
 * it sends on.
 */
static void pass_down_part(struct wmb_passes *w, struct wmb_kept *p, double *belief)
{
	const int64_t domain = p->n / p->n_message;
	const double by = 1 / p->weight;
	double error, largest;

	join(w, p, belief, &error, &largest);
	p->uncertainty = 0;
	for (int64_t x = 0; x < domain; x++)
		for (int64_t i = 0; i < p->n_message; i++) {
			double *v = &belief[x * p->n_message + i];
			const double l = *v == -INFINITY ? *v : (*v - p->message[i]) * by;
			const double share = gpube__wmb_quick_exp(l) * p->back[i];

			p->uncertainty -= share > 0 ? share * l : 0;
			*v = share;
		}
	for (int32_t c = p->first_child; c >= 0; c = w->parts[c].next_child) {
		struct wmb_kept *from = &w->parts[c];

		memset(from->back, 0, (size_t)from->n_message * sizeof(*from->back));
		gpube__wmb_walk(w->j, GPUBE__WMB_ADD_TO_SMALL, belief, p->arity, p->scope,
			from->back, NULL, from->arity - 1, from->scope + 1);
	}
	for (int64_t i = 0; i < p->n_message; i++)
		p->back[i] = p->message[i] == -INFINITY
				     ? 0
				     : fmax(log(p->back[i]), LEAST_BELIEF) - p->message[i] * by;
}

static void change_weights(struct wmb_passes *w, int32_t b)
{
	double mean = 0, all = 0;

	for (int32_t r = w->first[b]; r < w->first[b + 1]; r++)
		mean += w->parts[r].weight * w->parts[r].uncertainty;
	for (int32_t r = w->first[b]; r < w->first[b + 1]; r++) {
		struct wmb_kept *p = &w->parts[r];

		p->weight *= exp(fmin(fmax(w->weight_step * (mean - p->uncertainty), -1), 1));
		p->weight = fmax(p->weight, 1e-3);
		all += p->weight;
	}
	for (int32_t r = w->first[b]; r < w->first[b + 1]; r++)
		/* more than 1 in all is a bound, too */
		w->parts[r].weight *= (1 + GPUBE__WMB_UNIT) / all;
}

static int pass_down(struct wmb_passes *w)
{
	for (int32_t b = w->j->n - 1; b >= 0; b--) {
		if (gpube__stopped(w->ctx))
			return gpube__fail_stopped(w->ctx);
		for (int32_t r = w->first[b]; r < w->first[b + 1]; r++) {
			if (w->parts[r].to < 0)
				w->parts[r].back[0] = 1;
			pass_down_part(w, &w->parts[r], w->cells);
		}
	}
	for (int32_t b = 0; b < w->j->n; b++)
		if (w->first[b + 1] - w->first[b] > 1)
			change_weights(w, b);
	return GPUBE_OK;
}

/* ---- all ----------------------------------------------------------------------------- */

/* Steps are as large as they may be, unless a bound was worse than the one before. */
static void mind_steps(struct wmb_passes *w, double upper, double before)
{
	if (upper <= before + WORSE)
		return;
	w->step = fmax(w->step / 2, LEAST_STEP);
	w->weight_step = fmax(w->weight_step / 2, LEAST_WEIGHT_STEP);
}

/*
 * Whether larger parts gain more now: those of this size have had their passes, or gain nothing,
 * and there is time for such of larger ones.
 */
static bool is_time_to_grow(int n, double gain, double seconds, double until)
{
	const double larger = PASSES * GROWTH * seconds;

	if (gain > LEAST_GAIN && n < PASSES)
		return false;
	if (until == 0)
		return gain <= LEAST_GAIN || larger < MOST_SECONDS;
	return larger < until - gpube__now() || gain <= LEAST_GAIN;
}

static bool is_exact(const struct wmb_passes *w)
{
	for (int32_t b = 0; b < w->j->n; b++)
		if (w->first[b + 1] - w->first[b] > 1)
			return false;
	return true;
}

/*
 * Passes with parts of one size. *seconds: of one; *fits false: nothing was done; *exact: no bucket
 * is split; *gain: of all, ln
 */
static int passes_of(struct gpube__inferring *j, double most_cells, double until, double *seconds,
	bool *fits, bool *exact, double *gain)
{
	struct wmb_passes w = {.j = j,
		.ctx = j->ctx,
		.most_cells = most_cells,
		.step = 1,
		.weight_step = WEIGHT_STEP};
	double upper[BETWEEN] = {0}, first = INFINITY;
	int status = passes_begin(&w, (double)j->ctx->memory_bytes / MEMORY_PART, fits);

	*exact = !status && is_exact(&w);
	for (int n = 0; !status && *fits; n++) {
		const double start = gpube__now(), before = n ? upper[(n - 1) % BETWEEN] : INFINITY,
			     long_before = n < BETWEEN ? INFINITY : upper[n % BETWEEN];

		status = pass_up(&w, &upper[n % BETWEEN]);
		if (status)
			break;
		first = n ? first : upper[0];
		*gain = first - upper[n % BETWEEN];
		mind_steps(&w, upper[n % BETWEEN], before);
		j->log_upper = fmin(j->log_upper, upper[n % BETWEEN]);
		gpube__infer_tell_bounds(j, "weighted mini-buckets");
		if (*exact || j->log_upper <= j->log_lower)
			break;
		status = pass_down(&w);
		*seconds = gpube__now() - start;
		if (is_time_to_grow(n, long_before - upper[n % BETWEEN], *seconds, until))
			break;
	}
	passes_clear(&w);
	return status;
}

int gpube__wmb_passes(struct gpube__inferring *j, double cells, double until)
{
	const double deadline = j->ctx->deadline;
	double seconds = 0, growth = GROWTH, gain = 0;
	bool exact = false;
	int status = GPUBE_OK;

	if (until > 0)
		gpube__end_by(j->ctx, until);
	while (!status && !exact && growth > 1 && j->log_upper > j->log_lower) {
		bool fits;

		status = passes_of(j, cells, until, &seconds, &fits, &exact, &gain);
		if (status)
			break;
		/* as of symmetric models, where larger mini-buckets alone are quicker */
		if (fits && until > 0 && gain < LEAST_GAIN)
			break;
		/* the last size that fits may be less than the next one */
		growth = fits ? growth : growth / 2;
		cells = fits ? cells * growth : cells / 2;
		if (fits && (growth < GROWTH || (until > 0 ? growth * seconds > until - gpube__now()
							   : growth * seconds > MOST_SECONDS)))
			break;
	}
	j->ctx->deadline = deadline;
	return status == GPUBE_ESTOP ? GPUBE_OK : status;
}
