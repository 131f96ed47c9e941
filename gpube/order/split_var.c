/* split_var.c - see split_var.h. */
#include "gpube/order/split_var.h"

#include <math.h>

/*
 * How much smaller than their number says boxes may become: fixed variables make models fall apart.
 */
#define FALLS_APART 16

int gpube__split_var_candidates(int32_t to[GPUBE__SPLIT_VAR_CANDIDATES], double *weight, int32_t n)
{
	int found = 0;

	for (; found < GPUBE__SPLIT_VAR_CANDIDATES; found++) {
		int32_t best = -1;

		for (int32_t p = 0; p < n; p++)
			if (weight[p] > (best < 0 ? 0 : weight[best]))
				best = p;
		if (best < 0)
			break;
		weight[best] = 0;
		to[found] = best;
	}
	return found;
}

bool gpube__split_var_is_hopeless(double bytes, double limit, double most_parts)
{
	return bytes > limit * most_parts * FALLS_APART;
}

/* Each attempt takes time if there are many variables. */
static int try(const struct gpube_split_var_question *q, int32_t candidate, int32_t n,
	double *seconds, double *bytes)
{
	return gpube__stopped(q->ctx) ? gpube__fail_stopped(q->ctx)
				      : q->cost(q->arg, candidate, n, seconds, bytes);
}

/* The fewest ranges that still fit, if *n do; their time in *seconds. */
static int find_fewest(
	const struct gpube_split_var_question *q, int32_t candidate, int32_t *n, double *seconds)
{
	int32_t lo = 2, hi = *n;
	int status = GPUBE_OK;

	while (lo < hi && !status) {
		const int32_t mid = lo + (hi - lo) / 2;
		double s, bytes;

		status = try(q, candidate, mid, &s, &bytes);
		if (!status && bytes <= q->limit) {
			hi = mid;
			*seconds = s;
		} else {
			lo = mid + 1;
		}
	}
	*n = hi;
	return status;
}

int gpube__split_var_choose(
	struct gpube_split_var_answer *out, const struct gpube_split_var_question *q)
{
	double least = INFINITY;
	bool found = false;

	*out = (struct gpube_split_var_answer){.candidate = -1};
	for (int k = 0; k < q->n_candidates; k++) {
		const int32_t candidate = q->candidates[k];
		int32_t n = q->most(q->arg, candidate);
		double seconds, bytes, score;
		bool enough;
		int status;

		if (n < 2)
			continue;
		status = try(q, candidate, n, &seconds, &bytes);
		if (status)
			return status;
		enough = bytes <= q->limit;
		if (out->fits && !enough)
			continue;
		if (enough && !q->values)
			status = find_fewest(q, candidate, &n, &seconds);
		if (status)
			return status;
		score = log2(seconds) + (enough ? 0 : log2(bytes));
		if (!found || score < least || (enough && !out->fits)) {
			least = score;
			*out = (struct gpube_split_var_answer){candidate, n, enough};
			found = true;
		}
	}
	return found ? GPUBE_OK : GPUBE_ELIMIT;
}
