/*
 * certificate_parts.c - splits lists and removes values for the checker: see certificate_lists.h.
 */
#include <string.h>

#include "gpube/bound/certificate/certificate_lists.h"

static int32_t value_in(const struct gpube__checking *w, const struct gpube__checked_list *a,
	int32_t k, gpube__word key)
{
	return (int32_t)(key >> a->shift[k] & (((gpube__word)1 << w->bits[a->scope[k]]) - 1));
}

/* ---- values ---------------------------------------------------------------------------------- */

/*
 * Values of variable i, if it is in a list, are [at[i], at[i + 1]) of all; what all lists cost with
 * them, GPUBE__GONE from what is missing on.
 */
struct values {
	int64_t *at;
	int64_t *sum, *least;
};

static void clear_values(struct gpube_ctx *ctx, struct values *v)
{
	GPUBE_FREE_ALL(ctx, v->at, v->sum, v->least);
}

static void add_list(
	const struct gpube__checking *w, struct values *v, const struct gpube__checked_list *a)
{
	const int64_t missing = gpube__checking_left(w);

	for (int32_t k = 0; k < a->arity; k++) {
		const int32_t var = a->scope[k];
		int64_t *least = v->least + v->at[var];

		for (int32_t x = 0; x < w->domain[var]; x++)
			least[x] = GPUBE__GONE;
		for (int64_t i = 0; i < a->n; i++) {
			const int32_t x = value_in(w, a, k, a->key[i]);

			least[x] = a->cost[i] < least[x] ? a->cost[i] : least[x];
		}
		for (int32_t x = 0; x < w->domain[var]; x++) {
			int64_t *sum = &v->sum[v->at[var] + x];

			/* both are below 2^61 where they are added */
			if (*sum >= missing || least[x] >= missing)
				*sum = GPUBE__GONE;
			else
				*sum += least[x];
			*sum = *sum >= missing ? GPUBE__GONE : *sum;
		}
	}
}

static int place_values(const struct gpube__checking *w, struct values *v)
{
	v->at = gpube__alloc_zero(w->ctx, (uint64_t)w->n_vars + 1, sizeof(*v->at));
	if (!v->at)
		return GPUBE_ENOMEM;
	for (int32_t j = 0; j < w->n_lists; j++)
		for (int32_t k = 0; k < w->lists[j].arity; k++)
			v->at[w->lists[j].scope[k] + 1] = w->domain[w->lists[j].scope[k]];
	for (int32_t i = 0; i < w->n_vars; i++)
		v->at[i + 1] += v->at[i];
	return (uint64_t)v->at[w->n_vars] < w->ctx->memory_bytes / 8 / (2 * sizeof(*v->sum))
		       ? GPUBE_OK
		       : gpube__fail(w->ctx, GPUBE_ELIMIT,
				 "the certificate's variables have too many values");
}

static int find_values(const struct gpube__checking *w, struct values *v)
{
	int status;

	*v = (struct values){0};
	status = place_values(w, v);
	if (status)
		return status;
	v->sum = gpube__alloc_zero(w->ctx, (uint64_t)v->at[w->n_vars] + 1, sizeof(*v->sum));
	v->least = gpube__alloc(w->ctx, (uint64_t)v->at[w->n_vars] + 1, sizeof(*v->least));
	if (!v->sum || !v->least)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < w->n_lists; k++)
		add_list(w, v, &w->lists[k]);
	return GPUBE_OK;
}

/* Those of one value, in 'fixed'; false: a variable has none. */
static bool find_fixed(struct gpube__checking *w, const struct values *v)
{
	for (int32_t i = 0; i < w->n_vars; i++) {
		int32_t n = 0, value = 0;

		if (v->at[i] == v->at[i + 1]) /* in no list */
			continue;
		for (int32_t x = 0; x < w->domain[i]; x++)
			if (v->sum[v->at[i] + x] < GPUBE__GONE) {
				n++;
				value = x;
			}
		if (!n)
			return false;
		if (n == 1)
			w->fixed[i] = value;
	}
	return true;
}

/* Entries whose values are all left. */
static void sift(
	const struct gpube__checking *w, struct gpube__checked_list *a, const struct values *v)
{
	for (int64_t i = 0; i < a->n; i++)
		for (int32_t k = 0; k < a->arity; k++)
			if (v->sum[v->at[a->scope[k]] + value_in(w, a, k, a->key[i])] ==
				GPUBE__GONE)
				a->cost[i] = GPUBE__GONE;
	gpube__checked_below(a, GPUBE__GONE);
}

/* The list without its variables that are fixed, of which all entries have the same values. */
static void take_fixed(const struct gpube__checking *w, struct gpube__checked_list *a)
{
	struct gpube__pieces p = {0};
	int32_t to = 0;
	int shift = 0;

	for (int32_t k = 0; k < a->arity; k++) {
		const int32_t var = a->scope[k];

		if (w->fixed[var] >= 0) {
			gpube__bit_drop(a->set, var);
			continue;
		}
		gpube__piece(&p, a->shift[k], shift, w->bits[var]);
		a->scope[to] = var;
		a->shift[to++] = (uint8_t)shift;
		shift += w->bits[var];
	}
	if (to == a->arity)
		return;
	a->arity = to;
	a->shift[to] = (uint8_t)shift;
	for (int64_t i = 0; i < a->n; i++)
		a->key[i] = gpube__part(&p, a->key[i]);
}

int gpube__checking_narrow(struct gpube__checking *w)
{
	struct values v;
	int32_t to = 0;
	int status = find_values(w, &v);

	if (!status && !find_fixed(w, &v))
		w->constant = w->target;
	for (int32_t j = 0; j < w->n_lists && !status; j++) {
		struct gpube__checked_list *a = &w->lists[j];

		sift(w, a, &v);
		take_fixed(w, a);
		if (!a->n || (!a->arity && a->cost[0] >= gpube__checking_left(w)))
			w->constant = w->target;
		else if (!a->arity)
			w->constant += a->cost[0];
		if (!a->arity || gpube__checking_left(w) <= 0)
			gpube__checking_clear_list(w->ctx, a);
		else
			w->lists[to++] = *a;
	}
	if (!status)
		w->n_lists = to;
	clear_values(w->ctx, &v);
	return status;
}

int gpube__checking_choose(const struct gpube__checking *w, int32_t split[2], bool *any)
{
	struct values v;
	double best = -1;
	int status = find_values(w, &v);

	*any = false;
	for (int32_t i = 0; i < w->n_vars && !status; i++)
		for (int32_t x = 0; v.at[i] < v.at[i + 1] && x < w->domain[i]; x++) {
			int64_t others = GPUBE__GONE;
			double worth;

			for (int32_t y = 0; y < w->domain[i]; y++)
				if (y != x && v.sum[v.at[i] + y] < others)
					others = v.sum[v.at[i] + y];
			if (v.sum[v.at[i] + x] == GPUBE__GONE || others == GPUBE__GONE)
				continue;
			worth = (1 + (double)v.sum[v.at[i] + x]) * (1 + (double)others);
			if (worth <= best)
				continue;
			best = worth;
			split[0] = i;
			split[1] = x;
			*any = true;
		}
	clear_values(w->ctx, &v);
	return status;
}

/* ---- splits ---------------------------------------------------------------------------------- */

/* Of the split what is not decided: its number; -1: one of the variables has another value. */
static int32_t find_undecided(const struct gpube__checking *w, int32_t n, const int32_t *split,
	int32_t *var, int32_t *value)
{
	int32_t n_open = 0;

	for (int32_t k = 0; k < n; k++) {
		if (w->fixed[split[k]] >= 0 && w->fixed[split[k]] != split[n + k])
			return -1;
		var[n_open] = split[k];
		value[n_open] = split[n + k];
		n_open += w->fixed[split[k]] < 0;
	}
	return n_open;
}

/* Entries with all the values (some of the variables may be in the list), or without them (all
 * are). */
static void keep_entries(const struct gpube__checking *w, struct gpube__checked_list *a, int32_t n,
	const int32_t *var, const int32_t *value, bool all)
{
	int32_t place[GPUBE__WORD], of[GPUBE__WORD], n_here = 0;

	for (int32_t k = 0; k < n; k++)
		for (int32_t e = 0; e < a->arity; e++)
			if (a->scope[e] == var[k]) {
				place[n_here] = e;
				of[n_here++] = value[k];
			}
	if (!n_here || (!all && n_here < n))
		return;
	for (int64_t i = 0; i < a->n; i++) {
		bool has = true;

		for (int32_t k = 0; k < n_here && has; k++)
			has = value_in(w, a, place[k], a->key[i]) == of[k];
		a->cost[i] = has == all ? a->cost[i] : GPUBE__GONE;
	}
	gpube__checked_below(a, GPUBE__GONE);
}

void gpube__checking_keep(struct gpube__checking *w, int32_t n, const int32_t *split, bool all)
{
	int32_t var[GPUBE__WORD], value[GPUBE__WORD];
	const int32_t n_open = find_undecided(w, n, split, var, value);

	if (n_open < 0 ? all : !n_open && !all)
		w->constant = w->target;
	for (int32_t j = 0; j < w->n_lists; j++) {
		if (n_open > 0)
			keep_entries(w, &w->lists[j], n_open, var, value, all);
		if (!w->lists[j].n)
			w->constant = w->target;
	}
}

/* ---- copies ---------------------------------------------------------------------------------- */

uint64_t gpube__checking_bytes(const struct gpube__checking *w)
{
	uint64_t bytes = (uint64_t)w->n_vars * (sizeof(*w->bits) + sizeof(*w->fixed));

	for (int32_t j = 0; j < w->n_lists; j++)
		bytes += sizeof(*w->lists) + (uint64_t)w->words * sizeof(*w->lists->set) +
			 (uint64_t)w->lists[j].n *
				 (sizeof(*w->lists->key) + sizeof(*w->lists->cost));
	return bytes;
}

static int copy_list(struct gpube__checking *w, struct gpube__checked_list *to,
	const struct gpube__checked_list *a)
{
	*to = *a;
	to->n = 0;
	to->capacity = a->n;
	to->set = gpube__alloc(w->ctx, (uint64_t)w->words, sizeof(*to->set));
	to->key = gpube__alloc(w->ctx, (uint64_t)a->n + 1, sizeof(*to->key));
	to->cost = gpube__alloc(w->ctx, (uint64_t)a->n + 1, sizeof(*to->cost));
	if (!to->set || !to->key || !to->cost)
		return GPUBE_ENOMEM;
	memcpy(to->set, a->set, (size_t)w->words * sizeof(*to->set));
	if (a->n) {
		memcpy(to->key, a->key, (size_t)a->n * sizeof(*to->key));
		memcpy(to->cost, a->cost, (size_t)a->n * sizeof(*to->cost));
	}
	to->n = a->n;
	return GPUBE_OK;
}

int gpube__checking_copy(struct gpube__checking *to, const struct gpube__checking *w)
{
	int status = GPUBE_OK;

	*to = *w;
	to->n_lists = 0;
	to->lists = gpube__alloc_zero(w->ctx, (uint64_t)w->n_lists + 1, sizeof(*to->lists));
	to->bits = gpube__alloc(w->ctx, (uint64_t)w->n_vars + 1, sizeof(*to->bits));
	to->fixed = gpube__alloc(w->ctx, (uint64_t)w->n_vars + 1, sizeof(*to->fixed));
	if (!to->lists || !to->bits || !to->fixed)
		return GPUBE_ENOMEM;
	memcpy(to->bits, w->bits, ((size_t)w->n_vars + 1) * sizeof(*to->bits));
	memcpy(to->fixed, w->fixed, ((size_t)w->n_vars + 1) * sizeof(*to->fixed));
	for (int32_t j = 0; j < w->n_lists && !status; j++)
		status = copy_list(to, &to->lists[to->n_lists++], &w->lists[j]);
	return status;
}
