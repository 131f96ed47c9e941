/* mbe.c - the elimination of mini-buckets: see mbe.h. */
#include "gpube/dense.h"
#include "gpube/mbe.h"

#include <string.h>

/* A contraction of one mini-bucket, and what it points to. */
struct gpube_mbe_job {
	struct gpube_operand *in; /* n_in, and one more for a shift */
	int64_t *sizes;
	int32_t *operand; /* dims of all operands, in one piece */
	void **loaded;	  /* working copies of its functions, NULL for messages */
};

static int64_t get(const struct gpube_mbe_run *r, const void *values, int64_t cell)
{
	return r->type == GPUBE_INT32 ? ((const int32_t *)values)[cell]
				      : ((const int64_t *)values)[cell];
}

static void put(const struct gpube_mbe_run *r, void *values, int64_t cell, int64_t v)
{
	if (r->type == GPUBE_INT32)
		((int32_t *)values)[cell] = (int32_t)v;
	else
		((int64_t *)values)[cell] = v;
}

/* A cost as the tables hold it. */
static int64_t working(const struct gpube_mbe_run *r, int64_t cost)
{
	return cost >= r->limit >> r->shift ? r->cut : cost << r->shift;
}

static int load_function(struct gpube_mbe_run *r, int32_t function, void **out)
{
	const struct gpube_model *m = r->mbe->m;
	struct gpube_ctx *ctx = m->ctx;
	int64_t cells = gpube__cells(m, m->functions[function].arity, gpube__scope(m, function));
	size_t size = gpube__type_size(r->type);
	int64_t *wide = gpube__alloc(ctx, cells < 0 ? UINT64_MAX : (uint64_t)cells, sizeof(*wide));
	int status = wide ? gpube__dense(wide, m, function, r->mbe->position) : GPUBE_ENOMEM;

	if (status)
		goto out;
	for (int64_t k = 0; k < cells; k++) /* in place: a narrow cell never passes its wide one */
		put(r, wide, k, working(r, wide[k]));
	*out = r->ops->alloc(ctx, (uint64_t)cells * size);
	status = *out ? r->ops->upload(ctx, *out, wide, (uint64_t)cells * size) : GPUBE_ENOMEM;
out:
	gpube__free(ctx, wide);
	return status;
}

static int32_t input_size(const struct gpube_mbe *mbe, int32_t id)
{
	return id >= 0 ? mbe->m->functions[id].arity : mbe->minis[~id].n_scope;
}

static void job_clear(struct gpube_mbe_run *r, const struct gpube_mini *mini, struct gpube_mbe_job *j)
{
	for (int32_t k = 0; j->loaded && k < mini->n_in; k++)
		if (j->loaded[k])
			r->ops->free(r->mbe->ctx, j->loaded[k]);
	gpube__free(r->mbe->ctx, j->in);
	gpube__free(r->mbe->ctx, j->sizes);
	gpube__free(r->mbe->ctx, j->operand);
	gpube__free(r->mbe->ctx, j->loaded);
	memset(j, 0, sizeof(*j));
}

static int job_init(struct gpube_mbe_run *r, const struct gpube_mini *mini, struct gpube_mbe_job *j)
{
	const struct gpube_mbe *mbe = r->mbe;
	struct gpube_ctx *ctx = mbe->ctx;
	int64_t n_dims = (int64_t)mini->n_scope + 1; /* of a shift, at most */
	int status = GPUBE_OK;

	for (int32_t k = 0; k < mini->n_in; k++)
		n_dims += input_size(mbe, mbe->inputs[mini->in_at + k]);
	j->in = gpube__alloc_zero(ctx, (uint64_t)mini->n_in + 1, sizeof(*j->in));
	j->sizes = gpube__alloc(ctx, (uint64_t)mini->n_scope + 1, sizeof(*j->sizes));
	j->operand = gpube__alloc(ctx, (uint64_t)n_dims, sizeof(*j->operand));
	j->loaded = gpube__alloc_zero(ctx, (uint64_t)mini->n_in, sizeof(*j->loaded));
	if (!j->in || !j->sizes || !j->operand || !j->loaded)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < mini->n_in && !status; k++) {
		int32_t id = mbe->inputs[mini->in_at + k];

		if (id >= 0)
			status = load_function(r, id, &j->loaded[k]);
		j->in[k].values = id >= 0 ? j->loaded[k] : r->messages[~id];
	}
	return status;
}

/*
 * Lays out a contraction of a mini: 'out' positions stay, the others of the
 * joined scope are reduced. The shift, if any, is the last operand.
 */
static void lay_out(struct gpube_mbe_run *r, const struct gpube_mini *mini, struct gpube_mbe_job *j,
	struct gpube_contraction *c, const int32_t *out, int32_t n_out, const void *shift)
{
	const struct gpube_mbe *mbe = r->mbe;
	int32_t dim = 0, used = 0;

	for (int32_t k = 0; k <= mini->n_scope; k++)
		r->dim_of[k < mini->n_scope ? mbe->scopes[mini->scope_at + k] : mini->position] = -1;
	for (int32_t k = 0; k < n_out; k++)
		r->dim_of[out[k]] = dim++;
	for (int32_t k = 0; k <= mini->n_scope; k++) {
		int32_t q = k < mini->n_scope ? mbe->scopes[mini->scope_at + k] : mini->position;

		if (r->dim_of[q] < 0)
			r->dim_of[q] = dim++;
		j->sizes[r->dim_of[q]] = mbe->m->vars[mbe->order[q]].domain;
	}
	for (int32_t k = 0; k < mini->n_in; k++) {
		int32_t id = mbe->inputs[mini->in_at + k], n = input_size(mbe, id);

		j->in[k].n_dims = n;
		j->in[k].dims = j->operand + used;
		for (int32_t i = 0; i < n; i++)
			j->operand[used++] = id < 0 ? mbe->scopes[mbe->minis[~id].scope_at + i]
						    : mbe->position[gpube__scope(mbe->m, id)[i]];
		if (id >= 0 && n > 1) /* tables have their axes by position */
			for (int32_t a = used - n + 1; a < used; a++)
				for (int32_t b = a; b > used - n && j->operand[b - 1] > j->operand[b]; b--) {
					int32_t q = j->operand[b];

					j->operand[b] = j->operand[b - 1];
					j->operand[b - 1] = q;
				}
		for (int32_t i = used - n; i < used; i++)
			j->operand[i] = r->dim_of[j->operand[i]];
	}
	if (shift) {
		struct gpube_operand *o = &j->in[mini->n_in];

		o->values = shift;
		o->n_dims = r->n_shared;
		o->dims = j->operand + used;
		for (int32_t i = 0; i < r->n_shared; i++)
			j->operand[used++] = r->dim_of[r->shared[i]];
	}
	*c = (struct gpube_contraction){.semiring = GPUBE_MIN_PLUS, .type = r->type,
		.n_out = n_out, .n_dims = mini->n_scope + 1, .sizes = j->sizes,
		.n_in = mini->n_in + (shift != NULL), .in = j->in, .cut = r->cut,
		.threshold = r->limit};
}

/* ---- matching -------------------------------------------------------------------- */

/* Positions that all minis of the bucket have, its own last. */
static void find_shared(struct gpube_mbe_run *r, int32_t bucket)
{
	const struct gpube_mbe *mbe = r->mbe;
	const struct gpube_mini *mini = &mbe->minis[mbe->first[bucket]];

	r->n_shared = 0;
	r->shared_cells = mbe->m->vars[mbe->order[bucket]].domain;
	for (int32_t k = 0; k < mini->n_scope; k++) {
		int32_t q = mbe->scopes[mini->scope_at + k];
		bool in_all = true;

		for (int32_t i = 1; i < r->n_jobs && in_all; i++) {
			const int32_t *scope = mbe->scopes + mini[i].scope_at;

			in_all = false;
			for (int32_t j = 0; j < mini[i].n_scope && !in_all; j++)
				in_all = scope[j] == q;
		}
		if (in_all) {
			r->shared[r->n_shared++] = q;
			r->shared_cells *= mbe->m->vars[mbe->order[q]].domain;
		}
	}
	r->shared[r->n_shared++] = bucket;
}

/*
 * Makes shifts out of the min-marginals: to the average of all. What one
 * mini-bucket forbids is forbidden in all.
 */
static void marginals_to_shifts(struct gpube_mbe_run *r, void *const *host)
{
	for (int64_t cell = 0; cell < r->shared_cells; cell++) {
		__int128 sum = 0;
		int64_t average, rest;
		bool forbidden = false;

		for (int32_t k = 0; k < r->n_jobs; k++) {
			int64_t v = get(r, host[k], cell);

			forbidden |= v >= r->limit;
			sum += v;
		}
		average = (int64_t)(sum / r->n_jobs);
		rest = (int64_t)(sum % r->n_jobs);
		for (int32_t k = 0; k < r->n_jobs; k++) {
			int64_t to = average + (k == 0 ? rest : 0);

			put(r, host[k], cell, forbidden ? r->cut : to - get(r, host[k], cell));
		}
	}
}

static int match_moments(struct gpube_mbe_run *r, int32_t bucket)
{
	const struct gpube_mbe *mbe = r->mbe;
	const struct gpube_mini *minis = &mbe->minis[mbe->first[bucket]];
	struct gpube_ctx *ctx = mbe->ctx;
	uint64_t bytes;
	void **host = gpube__alloc_zero(ctx, (uint64_t)r->n_jobs, sizeof(*host));
	int status = host ? GPUBE_OK : GPUBE_ENOMEM;

	find_shared(r, bucket);
	bytes = (uint64_t)r->shared_cells * gpube__type_size(r->type);
	for (int32_t k = 0; k < r->n_jobs && !status; k++) {
		r->marginals[k] = r->ops->alloc(ctx, bytes);
		host[k] = gpube__alloc(ctx, bytes, 1);
		lay_out(r, &minis[k], &r->jobs[k], &r->contractions[k], r->shared, r->n_shared, NULL);
		r->contractions[k].out = r->marginals[k];
		if (!r->marginals[k] || !host[k])
			status = GPUBE_ENOMEM;
	}
	if (!status)
		status = r->ops->contract_batch(ctx, r->n_jobs, r->contractions);
	for (int32_t k = 0; k < r->n_jobs && !status; k++)
		status = r->ops->download(ctx, host[k], r->marginals[k], bytes);
	if (!status)
		marginals_to_shifts(r, host);
	for (int32_t k = 0; k < r->n_jobs && !status; k++)
		status = r->ops->upload(ctx, r->marginals[k], host[k], bytes);
	for (int32_t k = 0; host && k < r->n_jobs; k++)
		gpube__free(ctx, host[k]);
	gpube__free(ctx, host);
	return status;
}

/* ---- one bucket --------------------------------------------------------------------- */

static void end_bucket(struct gpube_mbe_run *r, int32_t bucket)
{
	const struct gpube_mbe *mbe = r->mbe;
	struct gpube_ctx *ctx = mbe->ctx;

	for (int32_t k = 0; k < r->n_jobs; k++) {
		const struct gpube_mini *mini = &mbe->minis[mbe->first[bucket] + k];

		if (r->jobs)
			job_clear(r, mini, &r->jobs[k]);
		if (r->marginals && r->marginals[k])
			r->ops->free(ctx, r->marginals[k]);
		for (int32_t i = 0; !r->keep && i < mini->n_in; i++) {
			int32_t id = mbe->inputs[mini->in_at + i];

			if (id < 0 && r->messages[~id]) {
				r->ops->free(ctx, r->messages[~id]);
				r->messages[~id] = NULL;
			}
		}
	}
	gpube__free(ctx, r->jobs);
	gpube__free(ctx, r->contractions);
	gpube__free(ctx, r->marginals);
	r->jobs = NULL;
	r->contractions = NULL;
	r->marginals = NULL;
}

int gpube__mbe_eliminate(struct gpube_mbe_run *r, int32_t bucket)
{
	const struct gpube_mbe *mbe = r->mbe;
	const struct gpube_mini *minis = &mbe->minis[mbe->first[bucket]];
	struct gpube_ctx *ctx = mbe->ctx;
	uint64_t n = (uint64_t)(mbe->first[bucket + 1] - mbe->first[bucket]);
	int status = GPUBE_OK;

	r->n_jobs = (int32_t)n;
	r->jobs = gpube__alloc_zero(ctx, n, sizeof(*r->jobs));
	r->contractions = gpube__alloc_zero(ctx, n, sizeof(*r->contractions));
	r->marginals = gpube__alloc_zero(ctx, n, sizeof(*r->marginals));
	if (!r->jobs || !r->contractions || !r->marginals)
		status = GPUBE_ENOMEM;
	for (int32_t k = 0; k < r->n_jobs && !status; k++)
		status = job_init(r, &minis[k], &r->jobs[k]);
	if (!status && r->match && r->n_jobs > 1)
		status = match_moments(r, bucket);
	for (int32_t k = 0; k < r->n_jobs && !status; k++) {
		void **message = &r->messages[mbe->first[bucket] + k];

		*message = r->ops->alloc(
			ctx, (uint64_t)minis[k].cells * gpube__type_size(r->type));
		if (!*message)
			status = GPUBE_ENOMEM;
		lay_out(r, &minis[k], &r->jobs[k], &r->contractions[k],
			mbe->scopes + minis[k].scope_at, minis[k].n_scope, r->marginals[k]);
		r->contractions[k].out = *message;
	}
	if (!status)
		status = r->ops->contract_batch(ctx, r->n_jobs, r->contractions);
	end_bucket(r, bucket);
	return status;
}

int gpube__mbe_add_scalars(struct gpube_mbe_run *r, int32_t bucket, int64_t *total)
{
	const struct gpube_mbe *mbe = r->mbe;
	int64_t word;

	for (int32_t k = mbe->first[bucket]; k < mbe->first[bucket + 1]; k++) {
		int status;

		if (mbe->minis[k].consumer >= 0)
			continue;
		status = r->ops->download(
			mbe->ctx, &word, r->messages[k], gpube__type_size(r->type));
		if (status)
			return status;
		*total += get(r, &word, 0);
		if (*total > r->limit)
			*total = r->limit;
	}
	return GPUBE_OK;
}

/* ---- the assignment ----------------------------------------------------------------- */

static int message_at(struct gpube_mbe_run *r, int32_t mini, const int32_t *values, int64_t *out)
{
	const struct gpube_mbe *mbe = r->mbe;
	const struct gpube_mini *from = &mbe->minis[mini];
	size_t size = gpube__type_size(r->type);
	int64_t cell = 0, word;
	int status;

	for (int32_t k = 0; k < from->n_scope; k++) {
		int32_t var = mbe->order[mbe->scopes[from->scope_at + k]];

		cell = cell * mbe->m->vars[var].domain + values[var];
	}
	if (r->copies && r->copies[mini]) {
		*out = get(r, r->copies[mini], cell);
		return GPUBE_OK;
	}
	status = r->ops->download(
		mbe->ctx, &word, (const char *)r->messages[mini] + (size_t)cell * size, size);
	*out = get(r, &word, 0);
	return status;
}

int gpube__mbe_choose(struct gpube_mbe_run *r, int32_t bucket, int32_t *values)
{
	const struct gpube_mbe *mbe = r->mbe;
	int32_t var = mbe->order[bucket], best_value = 0;
	__int128 best = 0;

	for (int32_t x = 0; x < mbe->m->vars[var].domain; x++) {
		__int128 sum = 0;

		values[var] = x;
		for (int64_t k = mbe->minis[mbe->first[bucket]].in_at;
			k < (bucket + 1 < mbe->n ? mbe->minis[mbe->first[bucket + 1]].in_at
						 : mbe->n_inputs);
			k++) {
			int32_t id = mbe->inputs[k];
			int64_t v;
			int status = GPUBE_OK;

			if (id >= 0)
				v = working(r, gpube__function_cost(mbe->m, id, values));
			else
				status = message_at(r, ~id, values, &v);
			if (status)
				return status;
			sum += v;
		}
		if (x == 0 || sum < best) {
			best = sum;
			best_value = x;
		}
	}
	values[var] = best_value;
	return GPUBE_OK;
}

/* ---- the run -------------------------------------------------------------------------- */

/*
 * Sizes of numbers: all inputs of a contraction, and with matching a shift in
 * [-cut, cut], are at most cut in size. Without matching cut is the limit
 * itself. With it, cut = 2 limit, so that a forbidden cell stays forbidden
 * under any shift; a partial sum of tables, which are all >= 0, that reaches
 * the limit means a total that does, whatever is shifted afterwards.
 */
static int choose_type(struct gpube_mbe_run *r, int64_t limit)
{
	__int128 most = ((__int128)r->mbe->most_inputs + 1) * (r->match ? 2 : 1) * limit;

	if (most > INT64_MAX)
		return gpube__fail(r->mbe->ctx, GPUBE_ERANGE,
			"costs are too large: a sum of %d tables may pass 2^63",
			r->mbe->most_inputs);
	r->type = most << (r->match ? 4 : 0) <= INT32_MAX ? GPUBE_INT32 : GPUBE_INT64;
	while (r->match && r->shift < 20 &&
		most << (r->shift + 1) <= (r->type == GPUBE_INT32 ? INT32_MAX : INT64_MAX))
		r->shift++;
	r->limit = limit << r->shift;
	r->cut = r->match ? 2 * r->limit : r->limit;
	return GPUBE_OK;
}

int gpube__mbe_run_init(struct gpube_mbe_run *r, const struct gpube_mbe *mbe,
	const struct gpube_ops *ops, int64_t limit, bool match, bool keep, bool *settled, int64_t *bound)
{
	struct gpube_ctx *ctx = mbe->ctx;
	int64_t constant = gpube__constant_of(mbe->m), span = gpube__cost_span(mbe->m);
	__int128 left = (__int128)limit - constant;
	int status;

	*r = (struct gpube_mbe_run){.mbe = mbe, .ops = ops, .keep = keep,
		.match = match && mbe->n_split > 0, .constant = constant, .given_limit = limit};
	if (limit == GPUBE_INF || left >= span) {
		left = span;
		r->given_limit = GPUBE_INF;
	}
	*settled = constant == GPUBE_INF || left <= 0;
	if (*settled) {
		*bound = constant == GPUBE_INF ? GPUBE_INF : limit;
		return GPUBE_OK;
	}
	status = choose_type(r, (int64_t)left);
	if (status)
		return status;
	r->messages = gpube__alloc_zero(ctx, (uint64_t)mbe->n_minis, sizeof(*r->messages));
	r->dim_of = gpube__alloc(ctx, (uint64_t)mbe->n, sizeof(*r->dim_of));
	r->shared = gpube__alloc(ctx, (uint64_t)mbe->n, sizeof(*r->shared));
	if (r->messages && r->dim_of && r->shared)
		return GPUBE_OK;
	gpube__mbe_run_clear(r);
	return GPUBE_ENOMEM;
}

void gpube__mbe_run_clear(struct gpube_mbe_run *r)
{
	struct gpube_ctx *ctx = r->mbe ? r->mbe->ctx : NULL;

	for (int32_t k = 0; r->mbe && r->messages && k < r->mbe->n_minis; k++)
		if (r->messages[k])
			r->ops->free(ctx, r->messages[k]);
	if (ctx) {
		gpube__free(ctx, r->messages);
		gpube__free(ctx, r->dim_of);
		gpube__free(ctx, r->shared);
	}
	memset(r, 0, sizeof(*r));
}

int64_t gpube__mbe_bound(const struct gpube_mbe_run *r, int64_t total)
{
	if (total >= r->limit)
		return r->given_limit;
	/* of integer costs: rounded up */
	return r->constant + ((total + ((int64_t)1 << r->shift) - 1) >> r->shift);
}

static int run_all(struct gpube_mbe_run *r, int64_t *total, int32_t *values)
{
	const struct gpube_mbe *mbe = r->mbe;
	double done = 0;
	int status = GPUBE_OK;

	*total = 0;
	for (int32_t p = 0; p < mbe->n && !status; p++) {
		if (gpube__stopped(mbe->ctx))
			return gpube__fail_stopped(mbe->ctx);
		status = gpube__mbe_eliminate(r, p);
		for (int32_t k = mbe->first[p]; k < mbe->first[p + 1]; k++)
			done += (double)mbe->minis[k].cells *
				mbe->m->vars[mbe->order[p]].domain;
		gpube__progress(mbe->ctx, done / (mbe->joined_cells + 1), "mini-buckets");
		if (!status)
			status = gpube__mbe_add_scalars(r, p, total);
	}
	for (int32_t p = mbe->n - 1; p >= 0 && values && !status; p--)
		status = gpube__mbe_choose(r, p, values);
	return status;
}

int gpube__mbe_run(int64_t *bound, int32_t *values, const struct gpube_mbe *mbe,
	const struct gpube_ops *ops, int64_t limit, bool match)
{
	struct gpube_mbe_run r;
	int64_t total;
	bool settled;
	int status = gpube__mbe_run_init(
		&r, mbe, ops, limit, match, values != NULL, &settled, bound);

	if (status || settled)
		return status;
	status = run_all(&r, &total, values);
	if (!status)
		*bound = gpube__mbe_bound(&r, total);
	gpube__mbe_run_clear(&r);
	return status;
}
