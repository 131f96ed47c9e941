/* mbe_plan.c - which functions and messages meet in which mini-bucket. */
#include "gpube/ir/chains.h"
#include "gpube/ir/dense.h"
#include "gpube/options/options.h"
#include "gpube/relax/mbe/mbe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gpube__mbe_clear(struct gpube_mbe *mbe)
{
	GPUBE_FREE_ALL(mbe->ctx, mbe->order, mbe->position, mbe->first, mbe->minis, mbe->inputs,
		mbe->scopes);
	memset(mbe, 0, sizeof(*mbe));
}

/* An input of the bucket at work: its scope as positions, ascending, in the planner's pool. */
struct item {
	int32_t id, n; /* id: as mbe.inputs */
	int64_t at;
	int32_t mini; /* of this bucket, or -1 */
};

/* A mini-bucket that is being filled; its scope is a sorted list, for a bit set would be wide. */
struct mini {
	int32_t *scope;
	int64_t capacity;
	int32_t n;
	double cells; /* joined, of its message times the variable's domain */
	/* while minis are merged: its best partner before it; the one that it was merged into */
	double merit;
	int32_t partner, merged_into;
};

struct planner {
	struct gpube_mbe *mbe;
	int32_t z;
	double max_cells;
	enum gpube_partition partition;
	struct gpube_chains inputs; /* of each bucket */
	struct item *items;
	int64_t items_capacity;
	int32_t *pool;
	int64_t pool_used, pool_capacity;
	struct mini *minis;
	int64_t minis_capacity, n_minis_made;
	int32_t *merged;
	int64_t merged_capacity;
};

/* Largest scope first; equals in the order of the functions, so that a plan is reproducible. */
static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static int add_item(struct planner *p, int32_t k, int32_t id)
{
	struct gpube_mbe *mbe = p->mbe;
	const struct gpube_mini *from = id < 0 ? &mbe->minis[~id] : NULL;
	int32_t n = from ? from->n_scope : mbe->m->functions[id].arity;
	int32_t *to;

	if (gpube__grow(mbe->ctx, &p->items, &p->items_capacity, k + 1, sizeof(*p->items)) ||
		gpube__grow(
			mbe->ctx, &p->pool, &p->pool_capacity, p->pool_used + n, sizeof(*p->pool)))
		return GPUBE_ENOMEM;
	p->items[k] = (struct item){id, n, p->pool_used, -1};
	to = p->pool + p->pool_used;
	p->pool_used += n;
	for (int32_t j = 0; from && j < n; j++)
		to[j] = mbe->scopes[from->scope_at + j];
	if (!from)
		gpube__sorted_scope(to, mbe->m, id, mbe->position);
	return GPUBE_OK;
}

static double domain_at(const struct gpube_mbe *mbe, int32_t position)
{
	return mbe->m->vars[mbe->order[position]].domain;
}

/* The union of a mini-bucket's scope and another into p->merged; its length, and its cells. */
static int32_t join(const struct planner *p, const struct mini *mini, int32_t n_other,
	const int32_t *b, double *cells)
{
	const int32_t *a = mini->scope;
	int32_t i = 0, j = 0, n = 0;

	*cells = 1;
	while (i < mini->n || j < n_other) {
		int32_t q;

		if (j == n_other || (i < mini->n && a[i] <= b[j])) {
			q = a[i++];
			j += j < n_other && b[j] == q;
		} else {
			q = b[j++];
		}
		p->merged[n++] = q;
		*cells *= domain_at(p->mbe, q);
	}
	return n;
}

static int set_scope(struct planner *p, struct mini *mini, int32_t n, double cells)
{
	if (gpube__grow(p->mbe->ctx, &mini->scope, &mini->capacity, n, sizeof(*mini->scope)))
		return GPUBE_ENOMEM;
	memcpy(mini->scope, p->merged, (size_t)n * sizeof(*mini->scope));
	mini->n = n;
	mini->cells = cells;
	return GPUBE_OK;
}

static int new_mini(struct planner *p, int32_t n_minis)
{
	if (n_minis == p->n_minis_made) {
		if (gpube__grow(p->mbe->ctx, &p->minis, &p->minis_capacity, n_minis + 1,
			    sizeof(*p->minis)))
			return GPUBE_ENOMEM;
		memset(&p->minis[n_minis], 0, sizeof(*p->minis));
		p->n_minis_made++;
	}
	p->minis[n_minis].n = 0;
	return GPUBE_OK;
}

/* Puts an item into a mini-bucket. */
static int place(struct planner *p, struct item *item, int32_t mini)
{
	double cells;
	int32_t n = join(p, &p->minis[mini], item->n, p->pool + item->at, &cells);

	item->mini = mini;
	return set_scope(p, &p->minis[mini], n, cells);
}

/* Whether a join of n variables may be; one that is as large as what went in always may. */
static bool allowed(
	const struct planner *p, int32_t n, double cells, double domain, int32_t largest)
{
	return n == largest || (n <= p->z && cells / domain <= p->max_cells);
}

/* Item by item, each into a mini-bucket that is there already, if one takes it. */
static int partition_in_turn(struct planner *p, double domain, int32_t n_items, int32_t *n_minis)
{
	for (int32_t k = 0; k < n_items; k++) {
		struct item *item = &p->items[k];
		int32_t best = -1, n, best_growth = INT32_MAX;
		double cells;
		int status;

		for (int32_t j = 0; j < *n_minis; j++) {
			n = join(p, &p->minis[j], item->n, p->pool + item->at, &cells);
			if (!allowed(p, n, cells, domain, p->minis[j].n))
				continue;
			if (n - p->minis[j].n < best_growth) {
				best = j;
				best_growth = n - p->minis[j].n;
			}
			if (p->partition == GPUBE_PARTITION_FIRST)
				break;
		}
		if (best < 0) {
			status = new_mini(p, *n_minis);
			if (status)
				return status;
			best = (*n_minis)++;
		}
		status = place(p, item, best);
		if (status)
			return status;
	}
	return GPUBE_OK;
}

/*
 * What speaks against a merge: both sizes, then that of the join. INFINITY: it is not allowed.
 */
static double merit(const struct planner *p, double domain, int32_t a, int32_t b)
{
	const struct mini *x = &p->minis[a], *y = &p->minis[b];
	double cells;
	int32_t n = join(p, x, y->n, y->scope, &cells);

	if (!allowed(p, n, cells, domain, x->n > y->n ? x->n : y->n))
		return INFINITY;
	return (double)(x->n + y->n) * (p->mbe->n + 1.0) + n;
}

/* The best partner among the mini-buckets before it. */
static void find_partner(const struct planner *p, double domain, int32_t a)
{
	struct mini *mini = &p->minis[a];

	mini->merit = INFINITY;
	for (int32_t b = 0; b < a; b++) {
		const double m = p->minis[b].n ? merit(p, domain, a, b) : INFINITY;

		if (m < mini->merit) {
			mini->merit = m;
			mini->partner = b;
		}
	}
}

/* Merges two mini-buckets into the former; those that lost their partner find another one. */
static int merge(struct planner *p, double domain, int32_t n_minis, int32_t a, int32_t b)
{
	struct mini *into = &p->minis[b], *from = &p->minis[a];
	double cells;
	int32_t n = join(p, into, from->n, from->scope, &cells);
	int status = set_scope(p, into, n, cells);

	from->n = 0;
	from->merit = INFINITY;
	from->merged_into = b;
	find_partner(p, domain, b);
	for (int32_t k = b + 1; k < n_minis && !status; k++) {
		struct mini *mini = &p->minis[k];
		double m;

		if (!mini->n)
			continue;
		if (mini->partner == a || mini->partner == b) {
			find_partner(p, domain, k);
			continue;
		}
		m = merit(p, domain, k, b);
		if (m < mini->merit) {
			mini->merit = m;
			mini->partner = b;
		}
	}
	return status;
}

/*
 * The best pair first, and again: by scopes from the smallest joins up, so that many mini-buckets
 * grow together and none is filled first. With the largest scope first alone the bound of a torus
 * of 100 variables at z = 8 was 364.7 (log10) along an order where merging gives 346.2, of an
 * optimum of 332.9 (benchmarks/runs/bnb-2c).
 */
static int partition_by_merging(struct planner *p, double domain, int32_t n_items, int32_t *n_minis)
{
	int32_t last = 0;

	for (int32_t k = 0; k < n_items; k++) {
		int status = new_mini(p, k);

		if (!status)
			status = place(p, &p->items[k], k);
		if (status)
			return status;
		p->minis[k].merged_into = -1;
		p->minis[k].partner = -1;
		find_partner(p, domain, k);
	}
	for (;;) {
		int32_t best = -1;
		int status;

		for (int32_t k = 0; k < n_items; k++)
			if (p->minis[k].n && p->minis[k].merit < INFINITY &&
				(best < 0 || p->minis[k].merit < p->minis[best].merit))
				best = k;
		if (best < 0)
			break;
		status = merge(p, domain, n_items, best, p->minis[best].partner);
		if (status)
			return status;
	}
	/* minis are merged into earlier ones, which are numbered in turn */
	for (int32_t k = 0; k < n_items; k++) {
		struct mini *mini = &p->minis[k];

		p->items[k].mini =
			mini->merged_into < 0 ? last++ : p->items[mini->merged_into].mini;
		if (mini->merged_into < 0) {
			struct mini gone = p->minis[last - 1];

			p->minis[last - 1] = *mini;
			*mini = gone;
		}
	}
	*n_minis = last;
	return GPUBE_OK;
}

/* Puts every item into a mini-bucket; *n_minis: how many there are. */
static int partition(struct planner *p, int32_t bucket, int32_t n_items, int32_t *n_minis)
{
	const double domain = domain_at(p->mbe, bucket);

	*n_minis = 0;
	if (gpube__grow(p->mbe->ctx, &p->merged, &p->merged_capacity, (int64_t)p->mbe->n + 1,
		    sizeof(*p->merged)))
		return GPUBE_ENOMEM;
	return p->partition == GPUBE_PARTITION_MERGE
		       ? partition_by_merging(p, domain, n_items, n_minis)
		       : partition_in_turn(p, domain, n_items, n_minis);
}

static int add_mini(struct planner *p, int32_t bucket, int32_t number, int32_t n_items)
{
	struct gpube_mbe *mbe = p->mbe;
	const struct mini *from = &p->minis[number];
	struct gpube_mini *mini;

	if (gpube__grow(mbe->ctx, &mbe->minis, &mbe->minis_capacity, (int64_t)mbe->n_minis + 1,
		    sizeof(*mbe->minis)) ||
		gpube__grow(mbe->ctx, &mbe->scopes, &mbe->scopes_capacity, mbe->n_scopes + from->n,
			sizeof(*mbe->scopes)) ||
		gpube__grow(mbe->ctx, &mbe->inputs, &mbe->inputs_capacity, mbe->n_inputs + n_items,
			sizeof(*mbe->inputs)))
		return GPUBE_ENOMEM;
	mini = &mbe->minis[mbe->n_minis];
	*mini = (struct gpube_mini){.position = bucket,
		.in_at = mbe->n_inputs,
		.scope_at = mbe->n_scopes,
		.consumer = -1,
		.cells = 1};
	for (int32_t k = 0; k < n_items; k++)
		if (p->items[k].mini == number) {
			mbe->inputs[mbe->n_inputs++] = p->items[k].id;
			mini->n_in++;
		}
	for (int32_t k = 0; k < from->n; k++)
		if (from->scope[k] != bucket) {
			mbe->scopes[mbe->n_scopes++] = from->scope[k];
			mini->n_scope++;
			if (mini->cells >= 0)
				mini->cells = gpube__mul_size(mini->cells,
					mbe->m->vars[mbe->order[from->scope[k]]].domain);
		}
	if (mini->cells < 0 || mini->cells > INT64_MAX / 2 || from->cells >= 0x1p62)
		return gpube__fail(mbe->ctx, GPUBE_ELIMIT,
			"a bucket over %d variables has more than 2^62 cells: a smaller z splits "
			"it",
			from->n);
	if (mini->n_scope)
		mini->consumer = mbe->scopes[mini->scope_at];
	if (mini->n_in > mbe->most_inputs)
		mbe->most_inputs = mini->n_in;
	if (from->n > mbe->largest_joined)
		mbe->largest_joined = from->n;
	mbe->joined_cells += from->cells;
	mbe->message_cells += (double)mini->cells;
	mbe->largest_message = fmax(mbe->largest_message, (double)mini->cells);
	mbe->n_minis++;
	return mini->consumer < 0
		       ? GPUBE_OK
		       : gpube__chains_push(&p->inputs, mini->consumer, ~(mbe->n_minis - 1));
}

static int fill_bucket(struct planner *p, int32_t bucket)
{
	int32_t n_items = 0, n_minis = 0, first = p->mbe->n_minis;
	int status = GPUBE_OK;

	p->pool_used = 0;
	p->mbe->first[bucket] = first;
	for (int32_t k = p->inputs.head[bucket]; k >= 0 && !status; k = p->inputs.links[k].next)
		status = add_item(p, n_items++, p->inputs.links[k].id);
	if (status)
		return status;
	if (p->partition == GPUBE_PARTITION_SCOPE && n_items)
		qsort(p->items, (size_t)n_items, sizeof(*p->items), compare_items);
	status = partition(p, bucket, n_items, &n_minis);
	if (!status && n_minis == 0) { /* a variable in no function: its message is the scalar 0 */
		n_minis = 1;
		status = new_mini(p, 0);
		if (!status) {
			p->merged[0] = bucket;
			status = set_scope(p, &p->minis[0], 1, domain_at(p->mbe, bucket));
		}
	}
	for (int32_t j = 0; j < n_minis && !status; j++)
		status = add_mini(p, bucket, j, n_items);
	p->mbe->n_split += n_minis > 1;
	return status;
}

int gpube__mbe_init(struct gpube_mbe *mbe, const struct gpube_model *m, const int32_t *order,
	int32_t z, double max_cells, enum gpube_partition how)
{
	struct gpube_ctx *ctx = m->ctx;
	struct planner p = {
		.mbe = mbe, .z = z, .max_cells = max_cells, .partition = how, .inputs.ctx = ctx};
	uint64_t n = (uint64_t)m->n_vars;
	int status = GPUBE_ENOMEM;

	memset(mbe, 0, sizeof(*mbe));
	mbe->ctx = ctx;
	mbe->m = m;
	mbe->n = m->n_vars;
	mbe->order = gpube__alloc(ctx, n, sizeof(*mbe->order));
	mbe->position = gpube__alloc(ctx, n, sizeof(*mbe->position));
	mbe->first = gpube__alloc_zero(ctx, n + 1, sizeof(*mbe->first));
	if (!mbe->order || !mbe->position || !mbe->first ||
		gpube__grow(ctx, &p.merged, &p.merged_capacity, (int64_t)n + 1, sizeof(*p.merged)))
		goto out;
	for (int32_t k = 0; k < mbe->n; k++) {
		mbe->order[k] = order[k];
		mbe->position[order[k]] = k;
	}
	status = gpube__chains_init(&p.inputs, m, mbe->position);
	for (int32_t k = 0; k < mbe->n && !status; k++)
		status = fill_bucket(&p, k);
	mbe->first[mbe->n] = mbe->n_minis;
out:
	for (int64_t k = 0; k < p.n_minis_made; k++)
		gpube__free(ctx, p.minis[k].scope);
	gpube__free(ctx, p.minis);
	gpube__chains_clear(&p.inputs);
	GPUBE_FREE_ALL(ctx, p.items, p.pool, p.merged);
	if (status)
		gpube__mbe_clear(mbe);
	return status;
}

void gpube__mbe_memory(double *keep_bytes, double *free_bytes, const struct gpube_mbe *mbe)
{
	double kept = 0, alive = 0;

	*keep_bytes = *free_bytes = 0;
	for (int32_t p = 0; p < mbe->n; p++) {
		double loaded = 0, freed = 0;

		for (int32_t k = mbe->first[p]; k < mbe->first[p + 1]; k++) {
			const struct gpube_mini *mini = &mbe->minis[k];

			kept += (double)mini->cells * 8;
			alive += (double)mini->cells * 8;
			for (int32_t j = 0; j < mini->n_in; j++) {
				int32_t id = mbe->inputs[mini->in_at + j];

				if (id < 0) {
					freed += (double)mbe->minis[~id].cells * 8;
				} else { /* a working copy, and the host's two on the way to it */
					int64_t cells =
						gpube__cells(mbe->m, mbe->m->functions[id].arity,
							gpube__scope(mbe->m, id));

					loaded += 24 * (cells < 0 ? INFINITY : (double)cells);
				}
			}
		}
		*keep_bytes = fmax(*keep_bytes, kept + loaded);
		*free_bytes = fmax(*free_bytes, alive + loaded);
		alive -= freed;
	}
}
