/* certificate_lists.c - the checker's lists, of functions and of others. See certificate_lists.h.
 */
#include "gpube/bound/certificate/certificate_lists.h"

#include <string.h>

#include "gpube/base/rows.h"

/* Of lists that are noted: one is as long as so many entries in any case, or so many times as long
 * as any before it. */
enum { FEW_ENTRIES = 1 << 14, GROWTH = 8 };
/* Entries of a list, also of one that becomes shorter with the next variable. */
#define MOST_ENTRIES ((int64_t)1 << 28)
/* ---- lists --------------------------------------------------------------------------------- */

void gpube__checking_clear_list(struct gpube_ctx *ctx, struct gpube__checked_list *a)
{
	GPUBE_FREE_ALL(ctx, a->set, a->key, a->cost);
	*a = (struct gpube__checked_list){0};
}

static int append(
	struct gpube_ctx *ctx, struct gpube__checked_list *a, gpube__word key, int64_t cost)
{
	int64_t keys = a->capacity;

	if (gpube__grow(ctx, &a->key, &keys, a->n + 1, sizeof(*a->key)) ||
		gpube__grow(ctx, &a->cost, &a->capacity, a->n + 1, sizeof(*a->cost)))
		return GPUBE_ENOMEM;
	a->key[a->n] = key;
	a->cost[a->n++] = cost;
	return GPUBE_OK;
}

/* One more variable, which none of its entries knows yet. Errors: EINVAL, ELIMIT */
static int add_variable(const struct gpube__checking *w, struct gpube__checked_list *a, int32_t var)
{
	if (gpube__bit(a->set, var))
		return gpube__fail(w->ctx, GPUBE_EINVAL,
			"variable %d is twice in a list of the certificate", var);
	if (a->arity == GPUBE__WORD || a->shift[a->arity] + w->bits[var] > GPUBE__WORD)
		return gpube__fail(w->ctx, GPUBE_ELIMIT,
			"a list of the certificate has too many variables: %d bits are all that it "
			"may have",
			GPUBE__WORD);
	gpube__bit_put(a->set, var);
	a->scope[a->arity] = var;
	a->shift[a->arity + 1] = (uint8_t)(a->shift[a->arity] + w->bits[var]);
	a->arity++;
	return GPUBE_OK;
}

/* Of a's words the variables of 'of' as they are in its words. */
static void find_pieces(const struct gpube__checking *w, struct gpube__pieces *p,
	const struct gpube__checked_list *a, const struct gpube__checked_list *of)
{
	p->n = 0;
	for (int32_t j = 0; j < of->arity; j++)
		for (int32_t k = 0; k < a->arity; k++)
			if (a->scope[k] == of->scope[j])
				gpube__piece(p, a->shift[k], of->shift[j], w->bits[of->scope[j]]);
}

/* The least of its costs into the constant; what is left costs less than is missing. */
static void settle(struct gpube__checking *w, struct gpube__checked_list *a)
{
	int64_t least = GPUBE__GONE;

	for (int64_t i = 0; i < a->n; i++)
		least = a->cost[i] < least ? a->cost[i] : least;
	if (least >= gpube__checking_left(w)) {
		w->constant = w->target;
		return;
	}
	w->constant += least;
	for (int64_t i = 0; i < a->n; i++)
		a->cost[i] -= least;
	gpube__checked_below(a, gpube__checking_left(w));
}

/* ---- of the functions ------------------------------------------------------------------------ */

static int add_function(
	struct gpube__checking *w, const struct gpube_model *relaxed, int32_t f, int shift)
{
	const struct gpube_table *t = gpube__table(relaxed, f);
	const int32_t *scope = gpube__scope(relaxed, f);
	struct gpube__checked_list *a = &w->lists[w->n_lists];
	int32_t value[GPUBE__PROOF_DIMS] = {0};
	gpube__word key = 0;
	int status = GPUBE_OK;

	if (t->arity == 0)
		return GPUBE_OK;
	w->n_lists++;
	a->set = gpube__alloc_zero(w->ctx, (uint64_t)w->words, sizeof(*a->set));
	if (!a->set)
		return GPUBE_ENOMEM;
	for (int k = 0; k < t->arity && !status; k++)
		status = add_variable(w, a, scope[k]);
	for (int64_t cell = 0; cell < t->n && !status; cell++) {
		const int64_t cost = gpube__table_int(t, cell);

		if (cost <= (w->target - 1) >> shift) /* so does that which is scaled */
			status = append(w->ctx, a, key, cost * ((int64_t)1 << shift));
		for (int k = t->arity - 1; k >= 0; k--) {
			key -= (gpube__word)value[k] << a->shift[k];
			value[k] = value[k] + 1 < w->domain[scope[k]] ? value[k] + 1 : 0;
			key += (gpube__word)value[k] << a->shift[k];
			if (value[k])
				break;
		}
		if (gpube__checking_stops(w, 1))
			return gpube__fail_stopped(w->ctx);
	}
	return status;
}

int gpube__checking_init(struct gpube__checking *w, const struct gpube_model *relaxed, int shift)
{
	w->words = w->n_vars / 64 + 1;
	w->bits = gpube__alloc(w->ctx, (uint64_t)w->n_vars + 1, sizeof(*w->bits));
	w->lists = gpube__alloc_zero(w->ctx, (uint64_t)relaxed->n_functions + 1, sizeof(*w->lists));
	w->fixed = gpube__alloc(w->ctx, (uint64_t)w->n_vars + 1, sizeof(*w->fixed));
	if (!w->bits || !w->lists || !w->fixed)
		return GPUBE_ENOMEM;
	memset(w->fixed, 0xff, ((size_t)w->n_vars + 1) * sizeof(*w->fixed));
	for (int32_t i = 0; i < w->n_vars; i++)
		w->bits[i] = (uint8_t)gpube__value_bits(w->domain[i]);
	for (int32_t f = 0; f < relaxed->n_functions; f++) {
		const int status = add_function(w, relaxed, f, shift);

		if (status)
			return status;
	}
	return GPUBE_OK;
}

/* ---- new lists ------------------------------------------------------------------------------- */

struct joining {
	struct gpube__checking *w;
	struct gpube__checked_list *old; /* old: those before the stage */
	int32_t n_old;
	struct gpube__mask_set *index; /* their words */
	bool *taken;                   /* its costs are in a new list */
	int32_t *of, *of_at;           /* old lists of each variable */
	int32_t *within;
	struct gpube__pieces *pieces;
	int64_t most; /* entries of a list that is noted for the first time, which gets no more
			 variables then; 0: any number */
};

/* Whether the list has a variable of the scope. */
static bool has_one(const struct gpube__checked_list *a, const int32_t *scope, int32_t n)
{
	for (int32_t k = 0; k < n; k++)
		if (gpube__bit(a->set, scope[k]))
			return true;
	return false;
}

/*
 * Old lists that are within the list since it has its last n_new variables, those of more variables
 * first.
 */
static int32_t find_within(struct joining *j, const struct gpube__checked_list *a, int32_t n_new)
{
	const int32_t *added = a->scope + a->arity - n_new;
	int32_t n = 0;

	for (int32_t v = 0; v < n_new; v++)
		for (int32_t e = j->of_at[added[v]]; e < j->of_at[added[v] + 1]; e++) {
			const struct gpube__checked_list *old = &j->old[j->of[e]];
			int32_t k = n;

			/* it was found with that one */
			if (!gpube__bits_within(old->set, a->set, j->w->words) ||
				has_one(old, added, v))
				continue;
			for (; k > 0 && j->old[j->within[k - 1]].arity < old->arity; k--)
				j->within[k] = j->within[k - 1];
			j->within[k] = j->of[e];
			n++;
		}
	for (int32_t k = 0; k < n; k++)
		find_pieces(j->w, &j->pieces[k], a, &j->old[j->within[k]]);
	return n;
}

/* What the new variables of a list may be: words, at the place that they have in it. */
struct values {
	gpube__word *key;
	int64_t n;
};

/*
 * The old list of most variables, two or more, that has the next ones and no others; -1: there is
 * none.
 */
static int32_t next_old(const struct joining *j, const int32_t *scope, int32_t n)
{
	int32_t best = -1, most = 1;

	for (int32_t e = j->of_at[scope[0]]; e < j->of_at[scope[0] + 1]; e++) {
		const struct gpube__checked_list *old = &j->old[j->of[e]];
		int32_t k = 0;

		while (k < old->arity && k < n && gpube__bit(old->set, scope[k]))
			k++;
		if (k == old->arity && k > most) {
			most = k;
			best = j->of[e];
		}
	}
	return best;
}

/*
 * The next variables of the scope, and their values: those of an old list at once, if there is one
 * of them alone, since the values of its variables one by one would be many; otherwise one
 * variable.
 */
static int add_next(struct joining *j, struct gpube__checked_list *a, const int32_t *scope,
	int32_t n, struct values *v, int32_t *n_new)
{
	struct gpube__checking *w = j->w;
	const int shift = a->shift[a->arity];
	const int32_t best = next_old(j, scope, n);
	const struct gpube__checked_list *old = best < 0 ? NULL : &j->old[best];
	struct gpube__pieces p = {0};
	int status = GPUBE_OK;

	*n_new = old ? old->arity : 1;
	v->n = old ? old->n : w->domain[scope[0]];
	if ((uint64_t)v->n > w->ctx->memory_bytes / 8 / sizeof(*v->key))
		return gpube__fail(
			w->ctx, GPUBE_ELIMIT, "a variable of the certificate has too many values");
	v->key = gpube__alloc(w->ctx, (uint64_t)v->n + 1, sizeof(*v->key));
	if (!v->key)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < *n_new && !status; k++)
		status = add_variable(w, a, scope[k]);
	if (status)
		return status;
	for (int32_t k = 0; k < *n_new && old; k++)
		for (int32_t e = 0; e < old->arity; e++)
			if (old->scope[e] == scope[k])
				gpube__piece(&p, old->shift[e], a->shift[a->arity - *n_new + k],
					w->bits[scope[k]]);
	for (int64_t x = 0; x < v->n; x++)
		v->key[x] = old ? gpube__part(&p, old->key[x]) : x ? (gpube__word)x << shift : 0;
	return GPUBE_OK;
}

/*
 * The entries with the next variables. 'own' is what they cost of old lists that no new one has
 * taken before; those are all within, which say what is possible.
 */
static int extend(struct joining *j, struct gpube__checked_list *a, struct gpube__checked_list *own,
	const struct values *v, int32_t n_new, bool *fits)
{
	struct gpube__checking *w = j->w;
	const int64_t missing = gpube__checking_left(w);
	struct gpube__checked_list total = {0}, part = {0};
	const uint64_t most = w->ctx->memory_bytes / 8 / (2 * (sizeof(*a->key) + sizeof(*a->cost)));
	const int32_t n_within = find_within(j, a, n_new);
	int status = GPUBE_OK;

	*fits = true;
	for (int64_t i = 0; i < a->n && !status && *fits; i++) {
		for (int64_t x = 0; x < v->n && !status; x++) {
			const gpube__word key = a->key[i] | v->key[x];
			int64_t sum = a->cost[i], mine = own->cost[i];

			for (int32_t k = 0; k < n_within && sum < missing; k++) {
				const int32_t of = j->within[k];
				const int64_t at = gpube__word_find(
					&j->index[of], gpube__part(&j->pieces[k], key));
				const int64_t more = at < 0 ? missing : j->old[of].cost[at];

				sum = more >= missing ? missing : sum + more;
				mine += j->taken[of] || sum >= missing ? 0 : more;
			}
			if (sum >= missing)
				continue;
			status = append(w->ctx, &total, key, sum);
			if (!status)
				status = append(w->ctx, &part, key, mine);
		}
		if (!status && (total.n > MOST_ENTRIES || (uint64_t)total.n > most))
			status = gpube__fail(
				w->ctx, GPUBE_ELIMIT, "a list of the certificate is too long");
		if (!status && gpube__checking_stops(w, v->n * (n_within + 1)))
			status = gpube__fail_stopped(w->ctx);
		*fits = !j->most || total.n <= j->most || a->arity == n_new;
	}
	if (!*fits) {
		gpube__checking_clear_list(w->ctx, &total);
		gpube__checking_clear_list(w->ctx, &part);
		return status;
	}
	GPUBE_FREE_ALL(w->ctx, a->key, a->cost, own->key, own->cost);
	a->key = total.key;
	a->cost = total.cost;
	a->n = total.n;
	a->capacity = total.capacity;
	*own = part;
	return status;
}

/* Of equal words without the leaving variables, which are the highest, the least cost. */
static int leave(struct gpube__checking *w, struct gpube__checked_list *a, int32_t n_leaving)
{
	struct gpube__mask_set left = {.words = 2};
	int status = GPUBE_OK;

	a->arity -= n_leaving;
	for (int32_t k = 0; k < n_leaving; k++)
		gpube__bit_drop(a->set, a->scope[a->arity + k]);
	for (int64_t i = 0; i < a->n && !status; i++) {
		const int bits = a->shift[a->arity];
		const gpube__word key =
			bits < GPUBE__WORD ? a->key[i] & (((gpube__word)1 << bits) - 1) : a->key[i];
		const int64_t n = left.n;
		int64_t at;

		status = gpube__word_add(&left, w->ctx, key, &at);
		if (!status && (at == n || a->cost[i] < a->cost[at])) {
			a->key[at] = key;
			a->cost[at] = a->cost[i];
		}
	}
	a->n = left.n;
	gpube__mask_set_clear(&left, w->ctx);
	return status;
}

/* What is too long with its last variables gets none, and has no others. */
static void end_list(struct gpube_proof_list *of, struct gpube__checked_list *a, int32_t n_new)
{
	for (int32_t e = a->arity - n_new; e < a->arity; e++)
		gpube__bit_drop(a->set, a->scope[e]);
	a->arity -= n_new;
	of->arity = a->arity;
	of->n_leaving = -1; /* as long as it is made */
}

static int join(struct joining *j, struct gpube_proof_list *of, struct gpube__checked_list *a)
{
	struct gpube__checking *w = j->w;
	struct gpube__checked_list own = {0};
	bool fits;
	int status = append(w->ctx, a, 0, 0);

	if (!status)
		status = append(w->ctx, &own, 0, 0);
	a->set = gpube__alloc_zero(w->ctx, (uint64_t)w->words, sizeof(*a->set));
	if (!a->set)
		status = GPUBE_ENOMEM;
	for (int32_t k = 0, n_new = 0; k < of->arity && !status; k += n_new) {
		struct values v = {0};

		status = add_next(j, a, of->scope + k, of->arity - k, &v, &n_new);
		if (!status)
			status = extend(j, a, &own, &v, n_new, &fits);
		if (!status && !fits)
			end_list(of, a, n_new);
		gpube__free(w->ctx, v.key);
	}
	for (int64_t i = 0; i < a->n && !status; i++)
		a->cost[i] = own.cost[i];
	for (int32_t k = 0; k < j->n_old && !status; k++)
		j->taken[k] |= gpube__bits_within(j->old[k].set, a->set, w->words);
	gpube__checking_clear_list(w->ctx, &own);
	return status;
}

/* That what leaves a list is in no other. */
static int check_leaving(
	const struct gpube__checking *w, const struct gpube_proof_list *of, int32_t n)
{
	for (int32_t k = 0; k < n; k++)
		for (int32_t e = of[k].arity - of[k].n_leaving; e < of[k].arity; e++)
			for (int32_t i = 0; i < w->n_lists; i++)
				if (i != k && gpube__bit(w->lists[i].set, of[k].scope[e]))
					return gpube__fail(w->ctx, GPUBE_EINVAL,
						"variable %d leaves a list of the certificate, and "
						"is in another",
						of[k].scope[e]);
	return GPUBE_OK;
}

static int index_old(struct joining *j)
{
	struct gpube__checking *w = j->w;
	int64_t total = 0;
	int status = GPUBE_OK;

	j->index = gpube__alloc_zero(w->ctx, (uint64_t)j->n_old + 1, sizeof(*j->index));
	j->taken = gpube__alloc_zero(w->ctx, (uint64_t)j->n_old + 1, sizeof(*j->taken));
	j->within = gpube__alloc(w->ctx, (uint64_t)j->n_old + 1, sizeof(*j->within));
	j->pieces = gpube__alloc(w->ctx, (uint64_t)j->n_old + 1, sizeof(*j->pieces));
	j->of_at = gpube__alloc_zero(w->ctx, (uint64_t)w->n_vars + 3, sizeof(*j->of_at));
	for (int32_t k = 0; k < j->n_old; k++)
		total += j->old[k].arity;
	j->of = gpube__alloc(w->ctx, (uint64_t)total + 1, sizeof(*j->of));
	if (!j->index || !j->taken || !j->within || !j->pieces || !j->of_at || !j->of)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < j->n_old; k++)
		for (int32_t v = 0; v < j->old[k].arity; v++)
			GPUBE_ROW_COUNT(j->of_at, j->old[k].scope[v]);
	GPUBE_ROWS_BEGIN(j->of_at, w->n_vars);
	for (int32_t k = 0; k < j->n_old && !status; k++) {
		const struct gpube__checked_list *a = &j->old[k];

		for (int32_t v = 0; v < a->arity; v++)
			j->of[GPUBE_ROW_PLACE(j->of_at, a->scope[v])] = k;
		j->index[k].words = 2;
		for (int64_t i = 0, at; i < a->n && !status; i++)
			status = gpube__word_add(&j->index[k], w->ctx, a->key[i], &at);
		if (!status && j->index[k].n != a->n) /* so that numbers are those of entries */
			status = gpube__fail(w->ctx, GPUBE_EBUG, "a list has an entry twice");
	}
	return status;
}

static void clear_joining(struct joining *j)
{
	struct gpube_ctx *ctx = j->w->ctx;

	for (int32_t k = 0; k < j->n_old; k++) {
		if (j->index)
			gpube__mask_set_clear(&j->index[k], ctx);
		gpube__checking_clear_list(ctx, &j->old[k]);
	}
	GPUBE_FREE_ALL(ctx, j->old, j->index, j->taken, j->within, j->pieces, j->of_at, j->of);
}

/* The lists without variables that have one value by now. Errors: ENOMEM */
static int find_open(const struct gpube__checking *w, const struct gpube_proof_list *of, int32_t n,
	struct gpube_proof_list **open)
{
	struct gpube_proof_list *to;
	int64_t total = 0;
	int32_t *scope;

	*open = NULL;
	for (int32_t k = 0; k < n; k++)
		total += of[k].arity;
	to = gpube__alloc(w->ctx, (uint64_t)n + 1, sizeof(*to));
	scope = gpube__alloc(w->ctx, (uint64_t)total + 1, sizeof(*scope));
	if (!to || !scope) {
		gpube__free(w->ctx, to);
		gpube__free(w->ctx, scope);
		return GPUBE_ENOMEM;
	}
	to[0].scope = scope;
	for (int32_t k = 0; k < n; k++) {
		to[k] = (struct gpube_proof_list){.scope = scope};
		for (int32_t e = 0; e < of[k].arity; e++)
			if (w->fixed[of[k].scope[e]] < 0) {
				*scope++ = of[k].scope[e];
				to[k].arity++;
				to[k].n_leaving += e >= of[k].arity - of[k].n_leaving;
			}
	}
	*open = to;
	return GPUBE_OK;
}

/* Entries that a list may have of one that is noted: some times as many as any before it. */
static int64_t most_entries(const struct gpube__checking *w)
{
	int64_t most = FEW_ENTRIES;

	for (int32_t k = 0; k < w->n_lists; k++)
		most = GROWTH * w->lists[k].n > most ? GROWTH * w->lists[k].n : most;
	return most;
}

static int make_lists(struct gpube__checking *w, struct gpube_proof_list *of, int32_t n, bool ends)
{
	struct joining j = {.w = w, .old = w->lists, .n_old = w->n_lists};
	const int64_t most = ends ? most_entries(w) : 0;
	int status;

	w->n_lists = 0;
	w->lists =
		gpube__alloc_zero(w->ctx, (uint64_t)j.n_old + (uint64_t)n + 1, sizeof(*w->lists));
	status = w->lists ? index_old(&j) : GPUBE_ENOMEM;
	for (int32_t k = 0; k < n && !status; k++) {
		j.most = of[k].n_leaving ? 0 : most;
		status = join(&j, &of[k], &w->lists[w->n_lists++]);
	}
	for (int32_t k = 0; k < j.n_old && !status; k++)
		if (!j.taken[k]) {
			w->lists[w->n_lists++] = j.old[k];
			j.old[k] = (struct gpube__checked_list){0};
		}
	clear_joining(&j);
	if (!status)
		status = check_leaving(w, of, n);
	for (int32_t k = 0; k < n && !status; k++)
		if (of[k].n_leaving > 0)
			status = leave(w, &w->lists[k], of[k].n_leaving);
	for (int32_t k = 0; k < w->n_lists && !status && gpube__checking_left(w) > 0; k++)
		settle(w, &w->lists[k]);
	return status;
}

int gpube__checking_make(struct gpube__checking *w, const struct gpube_proof_list *of, int32_t n,
	struct gpube_proof_list *ended)
{
	struct gpube_proof_list *open;
	int status = find_open(w, of, n, &open);

	if (status)
		return status;
	status = make_lists(w, open, n, ended != NULL);
	for (int32_t k = 0; k < n && ended && !status; k++)
		if (open[k].n_leaving < 0) {
			memcpy(ended[k].scope, open[k].scope,
				(size_t)open[k].arity * sizeof(*open[k].scope));
			ended[k].arity = open[k].arity;
		}
	gpube__free(w->ctx, open[0].scope);
	gpube__free(w->ctx, open);
	return status;
}

void gpube__checking_clear(struct gpube__checking *w)
{
	gpube__checking_unite(w);
	for (int32_t k = 0; k < w->n_lists; k++)
		gpube__checking_clear_list(w->ctx, &w->lists[k]);
	GPUBE_FREE_ALL(w->ctx, w->lists, w->bits, w->fixed);
	w->lists = NULL;
	w->bits = NULL;
	w->fixed = NULL;
	w->n_lists = 0;
}
