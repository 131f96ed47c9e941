/*
 * certificate_sweeps.c - the checker's separators, and sweeps over them. See certificate_lists.h.
 */
#include <stdlib.h>
#include <string.h>

#include "gpube/bound/certificate/certificate_lists.h"

/* Different sets of variables that two lists have in common. */
enum { MOST_SEPARATORS = 1 << 20 };

/* ---- separators ------------------------------------------------------------------------------ */

void gpube__checking_unite(struct gpube__checking *w)
{
	const int64_t missing = gpube__checking_left(w);

	for (int64_t k = 0; k < w->n_separators; k++) {
		const struct gpube__checked_separator *b = &w->separators[k];
		const struct gpube__checked_member *of = w->members ? &w->members[b->member] : NULL;

		for (int64_t i = 0; b->own && of && of->cell && i < w->lists[of->list].n; i++) {
			int64_t *cost = &w->lists[of->list].cost[i];
			const int64_t more = b->own[of->cell[i]];

			/*
			 * each of many separators may have nearly as much as is missing: their sum
			 * would leave 64 bits
			 */
			*cost = *cost >= missing || more >= missing || *cost + more >= missing
					? GPUBE__GONE
					: *cost + more;
		}
		gpube__free(w->ctx, b->own);
	}
	for (int64_t k = 0; k < w->n_members && w->members; k++)
		gpube__free(w->ctx, w->members[k].cell);
	gpube__mask_set_clear(&w->sets, w->ctx);
	GPUBE_FREE_ALL(w->ctx, w->separators, w->members, w->room);
	w->sets = (struct gpube__mask_set){0};
	w->room = NULL;
	w->separators = NULL;
	w->members = NULL;
	w->n_separators = w->n_members = 0;
	/* what is not possible is in no list from now on */
	for (int32_t k = 0; k < w->n_lists; k++)
		gpube__checked_below(&w->lists[k], missing);
}

static int32_t last_of(const uint64_t *set, int32_t words)
{
	int32_t k = words - 1;

	while (!set[k])
		k--;
	return 64 * k + 63 - __builtin_clzll(set[k]);
}

/*
 * By the last variable, of these the larger ones first, of these the one that first has a smaller
 * variable.
 */
static int by_place(const void *x, const void *y)
{
	const struct gpube__checked_separator *a = x, *b = y;

	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	for (int32_t k = 0; k <= a->last / 64; k++)
		if (a->set[k] != b->set[k])
			return (a->set[k] ^ b->set[k]) & -(a->set[k] ^ b->set[k]) & a->set[k] ? -1
											      : 1;
	return 0;
}

static int note(struct gpube__checking *w, const uint64_t *set)
{
	const int status = gpube__mask_set_add(&w->sets, w->ctx, set, NULL);

	return status || w->sets.n <= MOST_SEPARATORS
		       ? status
		       : gpube__fail(w->ctx, GPUBE_ELIMIT,
				 "the certificate's lists have too many variables in common");
}

/*
 * Into 'set': the variables that are in all lists that have the variable, and in no other; how many
 * lists these are.
 */
static int32_t find_class(const struct gpube__checking *w, int32_t var, uint64_t *set)
{
	int32_t n = 0;

	for (int32_t k = 0; k < w->n_lists; k++) {
		const uint64_t *has = w->lists[k].set;

		if (gpube__bit(has, var) && !n++)
			memcpy(set, has, (size_t)w->words * sizeof(*set));
	}
	for (int32_t k = 0; k < w->n_lists && n; k++)
		for (int32_t e = 0; e < w->words; e++)
			set[e] &= gpube__bit(w->lists[k].set, var) ? w->lists[k].set[e]
								   : ~w->lists[k].set[e];
	return n;
}

/*
 * Two or more variables that two lists have in common, and those of the same lists, if these are
 * several.
 */
static int find_sets(struct gpube__checking *w)
{
	uint64_t *set = gpube__alloc_zero(w->ctx, (uint64_t)w->words, sizeof(*set));
	int status = set ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t k = 0; k < w->n_lists && !status; k++)
		for (int32_t j = 0; j < k && !status; j++) {
			for (int32_t e = 0; e < w->words; e++)
				set[e] = w->lists[k].set[e] & w->lists[j].set[e];
			if (gpube__bits_count(set, w->words) > 1)
				status = note(w, set);
			if (!status && gpube__checking_stops(w, w->words))
				status = gpube__fail_stopped(w->ctx);
		}
	for (int32_t i = 0; i < w->n_vars && !status; i++) {
		if (find_class(w, i, set) > 1)
			status = note(w, set);
		if (!status && gpube__checking_stops(w, (int64_t)w->n_lists * w->words))
			status = gpube__fail_stopped(w->ctx);
	}
	gpube__free(w->ctx, set);
	return status;
}

static int list_separators(struct gpube__checking *w)
{
	int status;

	w->sets.words = w->words;
	status = find_sets(w);
	if (status)
		return status;
	w->separators = gpube__alloc_zero(w->ctx, (uint64_t)w->sets.n + 1, sizeof(*w->separators));
	if (!w->separators)
		return GPUBE_ENOMEM;
	w->n_separators = w->sets.n;
	for (int64_t k = 0; k < w->n_separators; k++) {
		uint64_t *set = w->sets.masks + k * w->words;

		w->separators[k] = (struct gpube__checked_separator){.set = set,
			.size = (int32_t)gpube__bits_count(set, w->words),
			.last = last_of(set, w->words)};
	}
	return gpube__sort(
		w->ctx, w->separators, (uint64_t)w->n_separators, sizeof(*w->separators), by_place);
}

/* The members' numbers, and a sweep's room, are to fit into a part of the memory each. */
static int check_size(const struct gpube__checking *w, double bytes)
{
	return bytes < (double)w->ctx->memory_bytes / 4
		       ? GPUBE_OK
		       : gpube__fail(w->ctx, GPUBE_ELIMIT,
				 "to sweep over the certificate's lists takes %.3g bytes or more, "
				 "over a fourth of the memory",
				 bytes);
}

static int list_members(struct gpube__checking *w)
{
	int64_t capacity = 0;
	double bytes = 0;
	int status = GPUBE_OK;

	for (int32_t j = 0; j < w->n_lists; j++)
		w->lists[j].first = w->lists[j].last = -1;
	for (int64_t k = 0; k < w->n_separators && !status; k++) {
		struct gpube__checked_separator *b = &w->separators[k];

		b->member = w->n_members;
		for (int32_t j = 0; j < w->n_lists; j++) {
			if (!gpube__bits_within(b->set, w->lists[j].set, w->words))
				continue;
			if (gpube__grow(w->ctx, &w->members, &capacity, w->n_members + 1,
				    sizeof(*w->members)))
				return GPUBE_ENOMEM;
			w->members[w->n_members++] =
				(struct gpube__checked_member){.list = j, .separator = (int32_t)k};
			w->lists[j].first = w->lists[j].first < 0 ? (int32_t)k : w->lists[j].first;
			w->lists[j].last = (int32_t)k;
			bytes += (double)sizeof(uint32_t) * (double)w->lists[j].n +
				 sizeof(*w->members);
		}
		b->n_members = (int32_t)(w->n_members - b->member);
		status = check_size(w, bytes);
		if (!status && gpube__checking_stops(w, w->n_lists))
			status = gpube__fail_stopped(w->ctx);
	}
	if (status)
		return status;
	for (int64_t e = 0; e < w->n_members; e++) {
		const struct gpube__checked_list *a = &w->lists[w->members[e].list];
		const int32_t k = w->members[e].separator;

		w->separators[k].n_after += a->last > k;
		w->separators[k].n_before += a->first < k;
	}
	return GPUBE_OK;
}

/* Numbers of what the members' entries have of the separator's variables; its own costs, none. */
static int find_cells(struct gpube__checking *w, struct gpube__checked_separator *b)
{
	struct gpube__mask_set cells = {.words = 2};
	int status = GPUBE_OK;

	for (int32_t e = 0; e < b->n_members && !status; e++) {
		struct gpube__checked_member *of = &w->members[b->member + e];
		const struct gpube__checked_list *a = &w->lists[of->list];
		struct gpube__pieces p = {0};
		int to = 0;

		for (int32_t i = 0; i <= b->last; i++)
			for (int32_t k = 0; k < a->arity && gpube__bit(b->set, i); k++)
				if (a->scope[k] == i) {
					gpube__piece(&p, a->shift[k], to, w->bits[i]);
					to += w->bits[i];
				}
		of->cell = gpube__alloc(w->ctx, (uint64_t)a->n + 1, sizeof(*of->cell));
		status = of->cell ? GPUBE_OK : GPUBE_ENOMEM;
		for (int64_t i = 0; i < a->n && !status; i++) {
			int64_t cell;

			status = gpube__word_add(&cells, w->ctx, gpube__part(&p, a->key[i]), &cell);
			of->cell[i] = (uint32_t)cell;
		}
		if (!status && gpube__checking_stops(w, a->n))
			status = gpube__fail_stopped(w->ctx);
	}
	b->n = cells.n;
	gpube__mask_set_clear(&cells, w->ctx);
	if (!status)
		b->own = gpube__alloc_zero(w->ctx, (uint64_t)b->n + 1, sizeof(*b->own));
	return status || b->own ? status : GPUBE_ENOMEM;
}

static int64_t room_of(const struct gpube__checking *w)
{
	int64_t most = 0;

	for (int64_t k = 0; k < w->n_separators; k++) {
		const int64_t room = (1 + (int64_t)w->separators[k].n_members) * w->separators[k].n;

		most = room > most ? room : most;
	}
	return most;
}

int gpube__checking_separate(struct gpube__checking *w)
{
	int status = list_separators(w);

	if (!status)
		status = list_members(w);
	for (int64_t k = 0; k < w->n_separators && !status; k++)
		status = find_cells(w, &w->separators[k]);
	if (!status)
		status = check_size(w, (double)sizeof(int64_t) * (double)room_of(w));
	if (!status)
		w->room = gpube__alloc(w->ctx, (uint64_t)room_of(w) + 1, sizeof(*w->room));
	return status || w->room ? status : GPUBE_ENOMEM;
}

/* ---- a sweep --------------------------------------------------------------------------------- */

/* What the list costs at least for each of the separator's cells. */
static void force(const struct gpube__checked_list *a, const uint32_t *restrict cell, int64_t n,
	int64_t *restrict forced)
{
	const int64_t *restrict cost = a->cost;

	for (int64_t i = 0; i < n; i++)
		forced[i] = GPUBE__GONE;
	for (int64_t i = 0; i < a->n; i++)
		if (cost[i] < forced[cell[i]])
			forced[cell[i]] = cost[i];
}

/* What the separator and all its members force; the least of it. */
static int64_t sum_up(const struct gpube__checking *w, const struct gpube__checked_separator *b,
	int64_t *restrict sum)
{
	const int64_t missing = gpube__checking_left(w);
	int64_t least = GPUBE__GONE;

	memcpy(sum, b->own, (size_t)b->n * sizeof(*sum));
	for (int32_t e = 0; e < b->n_members; e++) {
		const struct gpube__checked_member *of = &w->members[b->member + e];
		int64_t *restrict forced = sum + (e + 1) * b->n;

		force(&w->lists[of->list], of->cell, b->n, forced);
		for (int64_t i = 0; i < b->n; i++)
			sum[i] = sum[i] >= missing || forced[i] >= missing ||
						 sum[i] + forced[i] >= missing
					 ? GPUBE__GONE
					 : sum[i] + forced[i];
	}
	for (int64_t i = 0; i < b->n; i++)
		least = sum[i] < least ? sum[i] : least;
	return least;
}

/* The list's costs become more by what each cell gets, and less by what it forced. */
static void spread(struct gpube__checked_list *a, const uint32_t *restrict cell,
	const int64_t *restrict more, int64_t missing)
{
	int64_t *restrict cost = a->cost;

	for (int64_t i = 0; i < a->n; i++) {
		const int64_t by = more[cell[i]];

		cost[i] = cost[i] == GPUBE__GONE || by == GPUBE__GONE || cost[i] + by >= missing
				  ? GPUBE__GONE
				  : cost[i] + by;
	}
}

/*
 * All that the members force goes into the separator, its least into the constant, and shares of
 * the rest to those that come later.
 */
static void ask(struct gpube__checking *w, int64_t k, bool back, int64_t *restrict room)
{
	struct gpube__checked_separator *b = &w->separators[k];
	const int64_t rise = sum_up(w, b, room);
	const int32_t out = back ? b->n_before : b->n_after, in = back ? b->n_after : b->n_before,
		      parts = out > in ? out : in;
	int64_t missing;

	if (rise >= gpube__checking_left(w)) {
		w->constant = w->target;
		return;
	}
	w->constant += rise;
	missing = gpube__checking_left(w);
	for (int64_t i = 0; i < b->n; i++) {
		const int64_t rest = room[i] == GPUBE__GONE ? GPUBE__GONE : room[i] - rise;
		const int64_t part = parts && rest < missing ? rest / parts : 0;

		b->own[i] = rest >= missing ? GPUBE__GONE : rest - part * out;
		room[i] = rest >= missing ? GPUBE__GONE : part;
	}
	for (int32_t e = 0; e < b->n_members; e++) {
		const struct gpube__checked_member *of = &w->members[b->member + e];
		struct gpube__checked_list *a = &w->lists[of->list];
		const bool takes = back ? a->first < k : a->last > k;
		int64_t *restrict forced = room + (e + 1) * b->n;

		for (int64_t i = 0; i < b->n; i++)
			forced[i] = room[i] == GPUBE__GONE ? GPUBE__GONE
							   : (takes ? room[i] : 0) - forced[i];
		spread(a, of->cell, forced, missing);
	}
}

/* Entries that are possible no more go. */
static void shorten(struct gpube__checking *w)
{
	const int64_t missing = gpube__checking_left(w);

	for (int64_t e = 0; e < w->n_members; e++) {
		const struct gpube__checked_list *a = &w->lists[w->members[e].list];
		uint32_t *cell = w->members[e].cell;

		for (int64_t i = 0, to = 0; i < a->n; i++)
			if (a->cost[i] < missing)
				cell[to++] = cell[i];
	}
	for (int32_t j = 0; j < w->n_lists; j++)
		gpube__checked_below(&w->lists[j], missing);
}

int gpube__checking_sweep(struct gpube__checking *w)
{
	const bool back = w->n_sweeps++ % 2;

	for (int64_t i = 0; i < w->n_separators && gpube__checking_left(w) > 0; i++) {
		const int64_t k = back ? w->n_separators - 1 - i : i;
		int64_t work = w->separators[k].n;

		ask(w, k, back, w->room);
		for (int32_t e = 0; e < w->separators[k].n_members; e++)
			work += w->lists[w->members[w->separators[k].member + e].list].n;
		if (gpube__checking_stops(w, work))
			return gpube__fail_stopped(w->ctx);
	}
	if (gpube__checking_left(w) > 0)
		shorten(w);
	return GPUBE_OK;
}
