/* mbe.c - the elimination of mini-buckets: see mbe.h. */
#include "gpube/ir/dense.h"
#include "gpube/relax/mbe/mbe.h"

#include <string.h>

#define ALIGN 256u /* of each working copy: what arenas and vector loads like */

#define MOST_CELLS 0x1p60

/* A contraction of one mini-bucket, and what it points to. */
struct gpube_mbe_job {
	struct gpube_operand *in; /* n_in, and one more for a shift */
	int64_t *sizes;
	int32_t *operand; /* dims of all operands, in one piece */
};

/* Cells as a run's tables hold them. */
static int64_t get(const struct gpube_mbe_run *r, const void *values, int64_t cell)
{
	return r->type == GPUBE_INT32 ? ((const int32_t *)values)[cell]
				      : ((const int64_t *)values)[cell];
}

/* A cost as the tables hold it. */
static int64_t working(const struct gpube_mbe_run *r, int64_t cost)
{
	return cost >= r->cutoff >> r->shift ? r->top : cost << r->shift;
}

static const struct gpube_ops *ops_at(const struct gpube_mbe_run *r, int32_t position)
{
	return r->side && r->side[position] ? r->device : r->ops;
}

/* Whose memory a message is. */
static const struct gpube_ops *ops_of(const struct gpube_mbe_run *r, int32_t mini)
{
	return r->lies[mini] ? r->device : r->ops;
}

static void free_message(struct gpube_mbe_run *r, int32_t mini)
{
	if (r->messages[mini])
		ops_of(r, mini)->free(r->mbe->ctx, r->messages[mini]);
	r->messages[mini] = NULL;
}

static int alloc_message(struct gpube_mbe_run *r, int32_t mini)
{
	const int32_t position = r->mbe->minis[mini].position;

	r->lies[mini] = r->side && r->side[position];
	r->messages[mini] = ops_of(r, mini)->alloc(
		r->mbe->ctx, (uint64_t)r->mbe->minis[mini].cells * gpube__type_size(r->type));
	return r->messages[mini] ? GPUBE_OK : GPUBE_ENOMEM;
}

/* Brings a message to the other side, where it stays. */
static int cross_over(struct gpube_mbe_run *r, int32_t mini)
{
	struct gpube_ctx *ctx = r->mbe->ctx;
	const uint64_t bytes = (uint64_t)r->mbe->minis[mini].cells * gpube__type_size(r->type);
	const bool up = !r->lies[mini];
	void *there = (up ? r->device : r->ops)->alloc(ctx, bytes);
	int status = there ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status)
		status = up ? r->device->upload(ctx, there, r->messages[mini], bytes)
			    : r->device->download(ctx, there, r->messages[mini], bytes);
	if (status) {
		if (there)
			(up ? r->device : r->ops)->free(ctx, there);
		return status;
	}
	free_message(r, mini);
	r->messages[mini] = there;
	r->lies[mini] = up;
	return GPUBE_OK;
}

static int32_t input_size(const struct gpube_mbe *mbe, int32_t id)
{
	return id >= 0 ? mbe->m->functions[id].arity : mbe->minis[~id].n_scope;
}

static void job_clear(struct gpube_ctx *ctx, struct gpube_mbe_job *j)
{
	GPUBE_FREE_ALL(ctx, j->in, j->sizes, j->operand);
}

static int job_init(struct gpube_mbe_run *r, const struct gpube_mini *mini, struct gpube_mbe_job *j)
{
	const struct gpube_mbe *mbe = r->mbe;
	struct gpube_ctx *ctx = mbe->ctx;
	int64_t n_dims = (int64_t)mini->n_scope + 1; /* of a shift, at most */

	for (int32_t k = 0; k < mini->n_in; k++)
		n_dims += input_size(mbe, mbe->inputs[mini->in_at + k]);
	j->in = gpube__alloc_zero(ctx, (uint64_t)mini->n_in + 1, sizeof(*j->in));
	j->sizes = gpube__alloc(ctx, (uint64_t)mini->n_scope + 1, sizeof(*j->sizes));
	j->operand = gpube__alloc(ctx, (uint64_t)n_dims, sizeof(*j->operand));
	if (!j->in || !j->sizes || !j->operand)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < mini->n_in; k++) {
		int32_t id = mbe->inputs[mini->in_at + k];

		if (id >= 0)
			continue;
		if (ops_of(r, ~id) != ops_at(r, mini->position)) {
			int status = cross_over(r, ~id);

			if (status)
				return status;
		}
		j->in[k].values = r->messages[~id];
	}
	return GPUBE_OK;
}

/* ---- the bucket's functions, which go to the backend in one piece ---------------------- */

/* Cells of a working copy, -1: too many. */
static int64_t function_cells(const struct gpube_mbe_run *r, int32_t function)
{
	const struct gpube_model *m = r->mbe->m;

	return gpube__cells(m, m->functions[function].arity, gpube__scope(m, function));
}

static uint64_t copy_bytes(const struct gpube_mbe_run *r, int64_t cells)
{
	return ((uint64_t)cells * gpube__type_size(r->type) + ALIGN - 1) / ALIGN * ALIGN;
}

/* Bytes of all copies of the bucket; UINT64_MAX: more than any memory has. */
static uint64_t functions_bytes(const struct gpube_mbe_run *r, int32_t bucket)
{
	const struct gpube_mini *minis = &r->mbe->minis[r->mbe->first[bucket]];
	const uint64_t most = UINT64_MAX / 4;
	uint64_t bytes = 0;

	for (int32_t k = 0; k < r->n_jobs; k++)
		for (int32_t i = 0; i < minis[k].n_in; i++) {
			int32_t id = r->mbe->inputs[minis[k].in_at + i];
			int64_t cells = id < 0 ? 0 : function_cells(r, id);

			if (cells < 0 || (uint64_t)cells > most / 8 || bytes > most)
				return UINT64_MAX;
			bytes += copy_bytes(r, cells);
		}
	return bytes;
}

/* Writes a working copy: costs times 2^shift, 'top' where they reach the cutoff. */
static int write_function(const struct gpube_mbe_run *r, int32_t function, void *to)
{
	const int64_t cells = function_cells(r, function), most = r->cutoff >> r->shift;
	int status = gpube__dense_as(to, r->type, most, r->mbe->m, function, r->mbe->position);
	int32_t *narrow = to;
	int64_t *wide = to;

	if (status || r->top == most)
		return status;
	if (r->type == GPUBE_INT32)
		for (int64_t k = 0; k < cells; k++)
			narrow[k] = (int32_t)working(r, narrow[k]);
	else
		for (int64_t k = 0; k < cells; k++)
			wide[k] = working(r, wide[k]);
	return GPUBE_OK;
}

static int load_functions(struct gpube_mbe_run *r, int32_t bucket)
{
	const struct gpube_mbe *mbe = r->mbe;
	const struct gpube_mini *minis = &mbe->minis[mbe->first[bucket]];
	const uint64_t bytes = functions_bytes(r, bucket);
	uint64_t used = 0;
	char *staged;
	int status = GPUBE_OK;

	if (!bytes)
		return GPUBE_OK;
	staged = gpube__alloc(mbe->ctx, bytes, 1);
	r->functions = staged ? ops_at(r, bucket)->alloc(mbe->ctx, bytes) : NULL;
	if (!r->functions)
		status = GPUBE_ENOMEM;
	for (int32_t k = 0; k < r->n_jobs && !status; k++)
		for (int32_t i = 0; i < minis[k].n_in && !status; i++) {
			int32_t id = mbe->inputs[minis[k].in_at + i];

			if (id < 0)
				continue;
			r->jobs[k].in[i].values = (char *)r->functions + used;
			status = write_function(r, id, staged + used);
			used += copy_bytes(r, function_cells(r, id));
		}
	if (!status)
		status = ops_at(r, bucket)->upload(mbe->ctx, r->functions, staged, bytes);
	gpube__free(mbe->ctx, staged);
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
		r->dim_of[k < mini->n_scope ? mbe->scopes[mini->scope_at + k] : mini->position] =
			-1;
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
		for (int32_t i = 0; id < 0 && i < n; i++)
			j->operand[used + i] = mbe->scopes[mbe->minis[~id].scope_at + i];
		if (id >= 0) /* tables have their axes by position */
			gpube__sorted_scope(j->operand + used, mbe->m, id, mbe->position);
		for (used += n; n > 0; n--)
			j->operand[used - n] = r->dim_of[j->operand[used - n]];
	}
	if (shift) {
		struct gpube_operand *o = &j->in[mini->n_in];

		o->values = shift;
		o->n_dims = r->n_shared;
		o->dims = j->operand + used;
		for (int32_t i = 0; i < r->n_shared; i++)
			j->operand[used++] = r->dim_of[r->shared[i]];
	}
	*c = (struct gpube_contraction){.semiring = GPUBE_MIN_PLUS,
		.type = r->type,
		.n_out = n_out,
		.n_dims = mini->n_scope + 1,
		.sizes = j->sizes,
		.n_in = mini->n_in + (shift != NULL),
		.in = j->in,
		.top = r->top,
		.threshold = r->cutoff};
}

/* ---- matching -------------------------------------------------------------------- */

/*
 * Positions that all minis of the bucket have, ascending, its own last, and their cells. Returns
 * how many. shared: room for n, or NULL
 */
static int32_t shared_of(
	const struct gpube_mbe *mbe, int32_t bucket, int32_t *shared, double *cells)
{
	const struct gpube_mini *mini = &mbe->minis[mbe->first[bucket]];
	int32_t n_minis = mbe->first[bucket + 1] - mbe->first[bucket], n = 0;

	*cells = mbe->m->vars[mbe->order[bucket]].domain;
	for (int32_t k = 0; k < mini->n_scope; k++) {
		int32_t q = mbe->scopes[mini->scope_at + k];
		bool in_all = true;

		for (int32_t i = 1; i < n_minis && in_all; i++) {
			const int32_t *scope = mbe->scopes + mini[i].scope_at;

			in_all = false;
			for (int32_t j = 0; j < mini[i].n_scope && !in_all; j++)
				in_all = scope[j] == q;
		}
		if (!in_all)
			continue;
		if (shared)
			shared[n] = q;
		n++;
		*cells *= mbe->m->vars[mbe->order[q]].domain;
	}
	if (shared)
		shared[n] = bucket;
	return n + 1;
}

double gpube__mbe_shared_cells(const struct gpube_mbe *mbe, int32_t position)
{
	double cells = 0;

	if (mbe->first[position + 1] - mbe->first[position] > 1)
		(void)shared_of(mbe, position, NULL, &cells);
	return cells;
}

static int match_moments(struct gpube_mbe_run *r, int32_t bucket)
{
	const struct gpube_mini *minis = &r->mbe->minis[r->mbe->first[bucket]];
	const struct gpube_ops *ops = ops_at(r, bucket);
	struct gpube_ctx *ctx = r->mbe->ctx;
	struct gpube_match match = {.type = r->type,
		.n = r->n_jobs,
		.tables = r->marginals,
		.limit = r->cutoff,
		.top = r->top};
	double cells;
	int status = GPUBE_OK;

	r->n_shared = shared_of(r->mbe, bucket, r->shared, &cells);
	if (cells > MOST_CELLS)
		return gpube__fail(ctx, GPUBE_ENOMEM, "out of memory");
	match.cells = (int64_t)cells;
	for (int32_t k = 0; k < r->n_jobs && !status; k++) {
		r->marginals[k] =
			ops->alloc(ctx, (uint64_t)match.cells * gpube__type_size(r->type));
		lay_out(r, &minis[k], &r->jobs[k], &r->contractions[k], r->shared, r->n_shared,
			NULL);
		r->contractions[k].out = r->marginals[k];
		if (!r->marginals[k])
			status = GPUBE_ENOMEM;
	}
	if (!status)
		status = ops->contract_batch(ctx, r->n_jobs, r->contractions);
	return status ? status : ops->match(ctx, &match);
}

/* ---- one bucket --------------------------------------------------------------------- */

static void end_bucket(struct gpube_mbe_run *r, int32_t bucket)
{
	const struct gpube_mbe *mbe = r->mbe;
	const struct gpube_ops *ops = ops_at(r, bucket);
	struct gpube_ctx *ctx = mbe->ctx;

	for (int32_t k = 0; k < r->n_jobs; k++) {
		const struct gpube_mini *mini = &mbe->minis[mbe->first[bucket] + k];

		if (r->jobs)
			job_clear(ctx, &r->jobs[k]);
		if (r->marginals && r->marginals[k])
			ops->free(ctx, r->marginals[k]);
		for (int32_t i = 0; !r->keep && i < mini->n_in; i++) {
			int32_t id = mbe->inputs[mini->in_at + i];

			if (id < 0)
				free_message(r, ~id);
		}
	}
	if (r->functions)
		ops->free(ctx, r->functions);
	GPUBE_FREE_ALL(ctx, r->jobs, r->contractions, r->marginals);
	r->functions = NULL;
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
	if (!status)
		status = load_functions(r, bucket);
	if (!status && r->match && r->n_jobs > 1)
		status = match_moments(r, bucket);
	for (int32_t k = 0; k < r->n_jobs && !status; k++) {
		status = alloc_message(r, mbe->first[bucket] + k);
		lay_out(r, &minis[k], &r->jobs[k], &r->contractions[k],
			mbe->scopes + minis[k].scope_at, minis[k].n_scope, r->marginals[k]);
		r->contractions[k].out = r->messages[mbe->first[bucket] + k];
	}
	if (!status)
		status = ops_at(r, bucket)->contract_batch(ctx, r->n_jobs, r->contractions);
	end_bucket(r, bucket);
	return status;
}

int gpube__mbe_add_scalars(struct gpube_mbe_run *r, int32_t bucket, int64_t *total)
{
	enum { AT_ONCE = 64 };
	const struct gpube_mbe *mbe = r->mbe;
	struct gpube_cells scalars[AT_ONCE];
	int64_t words[AT_ONCE];
	int n = 0;

	for (int32_t k = mbe->first[bucket]; k < mbe->first[bucket + 1]; k++) {
		int status;

		if (mbe->minis[k].consumer < 0)
			scalars[n++] = (struct gpube_cells){r->messages[k], 0, 1, 1};
		if (n == 0 || (n < AT_ONCE && k + 1 < mbe->first[bucket + 1]))
			continue;
		status = ops_at(r, bucket)->gather(
			mbe->ctx, words, n, scalars, gpube__type_size(r->type));
		if (status)
			return status;
		while (n > 0) {
			*total += get(r, words, --n);
			if (*total > r->cutoff)
				*total = r->cutoff;
		}
	}
	return GPUBE_OK;
}

/* ---- the assignment that messages lead to, a bucket at a time -------------------------------- */

/* What a message that the bucket at a position took in says of each of its values. */
static struct gpube_cells message_cells(
	const struct gpube_mbe_run *r, int32_t mini, int32_t position, const int32_t *values)
{
	const struct gpube_mbe *mbe = r->mbe;
	const struct gpube_mini *from = &mbe->minis[mini];
	struct gpube_cells cells = {
		.values = r->messages[mini], .n = mbe->m->vars[mbe->order[position]].domain};

	for (int32_t k = 0; k < from->n_scope; k++) {
		int32_t q = mbe->scopes[from->scope_at + k], var = mbe->order[q];
		int64_t domain = mbe->m->vars[var].domain;

		cells.first = cells.first * domain + (q == position ? 0 : values[var]);
		cells.stride = q == position ? 1 : cells.stride * domain;
	}
	return cells;
}

/* Inputs of all minis of a bucket are neighbours: [*from, *to). Returns how many are messages. */
static int64_t inputs_of(const struct gpube_mbe *mbe, int32_t bucket, int64_t *from, int64_t *to)
{
	const struct gpube_mini *last = &mbe->minis[mbe->first[bucket + 1] - 1];
	int64_t n = 0;

	*from = mbe->minis[mbe->first[bucket]].in_at;
	*to = last->in_at + last->n_in;
	for (int64_t k = *from; k < *to; k++)
		n += mbe->inputs[k] < 0;
	return n;
}

/* The least sum over the functions and what was gathered of the messages. */
static int32_t best_value(
	const struct gpube_mbe_run *r, int32_t bucket, int32_t *values, const void *gathered)
{
	const struct gpube_mbe *mbe = r->mbe;
	const int32_t var = mbe->order[bucket], domain = mbe->m->vars[var].domain;
	int64_t from, to;
	int32_t at_best = 0;
	__int128 best = 0;

	inputs_of(mbe, bucket, &from, &to);
	for (int32_t x = 0; x < domain; x++) {
		int64_t cell = x;
		__int128 sum = 0;

		values[var] = x;
		for (int64_t k = from; k < to; k++) {
			int32_t id = mbe->inputs[k];

			if (id >= 0) {
				sum += working(r, gpube__function_cost(mbe->m, id, values));
			} else {
				sum += get(r, gathered, cell);
				cell += domain;
			}
		}
		if (x == 0 || sum < best) {
			best = sum;
			at_best = x;
		}
	}
	return at_best;
}

int gpube__mbe_choose(struct gpube_mbe_run *r, int32_t bucket, int32_t *values)
{
	const struct gpube_mbe *mbe = r->mbe;
	struct gpube_ctx *ctx = mbe->ctx;
	const int32_t var = mbe->order[bucket];
	const size_t size = gpube__type_size(r->type);
	const int64_t domain = mbe->m->vars[var].domain;
	int64_t from, to, n_messages = inputs_of(mbe, bucket, &from, &to), n = 0;
	struct gpube_cells *pieces = gpube__alloc(ctx, (uint64_t)n_messages, sizeof(*pieces));
	void *gathered = gpube__alloc(ctx, (uint64_t)n_messages * (uint64_t)domain, size);
	int status = pieces && gathered ? GPUBE_OK : GPUBE_ENOMEM;

	/* those of either side behind each other: best_value() only adds them up */
	for (int on_device = 0; on_device < 2 && !status; on_device++) {
		const int64_t first = n;

		for (int64_t k = from; k < to; k++)
			if (mbe->inputs[k] < 0 && r->lies[~mbe->inputs[k]] == on_device)
				pieces[n++] = message_cells(r, ~mbe->inputs[k], bucket, values);
		if (n > first)
			status = (on_device ? r->device : r->ops)
					 ->gather(ctx,
						 (char *)gathered + (size_t)(first * domain) * size,
						 n - first, pieces + first, size);
	}
	if (!status)
		values[var] = best_value(r, bucket, values, gathered);
	gpube__free(ctx, pieces);
	gpube__free(ctx, gathered);
	return status;
}

/* ---- the run -------------------------------------------------------------------------- */

/*
 * Sizes of numbers: all inputs of a contraction, and with matching a shift in
 * [-top, top], are at most top in size. Without matching top is the cutoff
 * itself. With it, top = 2 cutoff, so that a forbidden cell stays forbidden
 * under any shift; a partial sum of tables, which are all >= 0, that reaches
 * the cutoff means a total that does, whatever is shifted afterwards.
 */
static int choose_type(struct gpube_mbe_run *r, int64_t cutoff)
{
	__int128 most = ((__int128)r->mbe->most_inputs + 1) * (r->match ? 2 : 1) * cutoff;

	if (most > INT64_MAX)
		return gpube__fail(r->mbe->ctx, GPUBE_ERANGE,
			"costs are too large: a sum of %d tables may pass 2^63",
			r->mbe->most_inputs);
	r->type = most << (r->match ? 4 : 0) <= INT32_MAX ? GPUBE_INT32 : GPUBE_INT64;
	while (r->match && r->shift < 20 &&
		most << (r->shift + 1) <= (r->type == GPUBE_INT32 ? INT32_MAX : INT64_MAX))
		r->shift++;
	r->cutoff = cutoff << r->shift;
	r->top = r->match ? 2 * r->cutoff : r->cutoff;
	return GPUBE_OK;
}

int gpube__mbe_run_init(struct gpube_mbe_run *r, const struct gpube_mbe *mbe,
	const struct gpube_ops *ops, int64_t cutoff, bool match, bool keep, bool *settled,
	int64_t *bound)
{
	struct gpube_ctx *ctx = mbe->ctx;
	int64_t constant = gpube__constant_of(mbe->m), span = gpube__cost_span(mbe->m);
	__int128 left = (__int128)cutoff - constant;
	int status;

	*r = (struct gpube_mbe_run){.mbe = mbe,
		.ops = ops,
		.keep = keep,
		.match = match && mbe->n_split > 0,
		.constant = constant,
		.given_cutoff = cutoff};
	if (cutoff == GPUBE_INF || left >= span) {
		left = span;
		r->given_cutoff = GPUBE_INF;
	}
	*settled = constant == GPUBE_INF || left <= 0;
	if (*settled) {
		*bound = constant == GPUBE_INF ? GPUBE_INF : cutoff;
		return GPUBE_OK;
	}
	status = choose_type(r, (int64_t)left);
	if (status)
		return status;
	r->messages = gpube__alloc_zero(ctx, (uint64_t)mbe->n_minis, sizeof(*r->messages));
	r->lies = gpube__alloc_zero(ctx, (uint64_t)mbe->n_minis, sizeof(*r->lies));
	r->dim_of = gpube__alloc(ctx, (uint64_t)mbe->n, sizeof(*r->dim_of));
	r->shared = gpube__alloc(ctx, (uint64_t)mbe->n, sizeof(*r->shared));
	if (r->messages && r->lies && r->dim_of && r->shared)
		return GPUBE_OK;
	gpube__mbe_run_clear(r);
	return GPUBE_ENOMEM;
}

void gpube__mbe_run_clear(struct gpube_mbe_run *r)
{
	struct gpube_ctx *ctx = r->mbe ? r->mbe->ctx : NULL;

	for (int32_t k = 0; r->mbe && r->messages && r->lies && k < r->mbe->n_minis; k++)
		free_message(r, k);
	if (ctx) {
		GPUBE_FREE_ALL(ctx, r->messages, r->side, r->lies, r->dim_of, r->shared);
	}
	memset(r, 0, sizeof(*r));
}

int64_t gpube__mbe_bound(const struct gpube_mbe_run *r, int64_t total)
{
	if (total >= r->cutoff)
		return r->given_cutoff;
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
			done += (double)mbe->minis[k].cells * mbe->m->vars[mbe->order[p]].domain;
		gpube__progress(mbe->ctx, done / (mbe->joined_cells + 1), "mini-buckets");
		if (!status)
			status = gpube__mbe_add_scalars(r, p, total);
	}
	for (int32_t p = mbe->n - 1; p >= 0 && values && !status; p--)
		status = gpube__mbe_choose(r, p, values);
	return status;
}

int gpube__mbe_run(int64_t *bound, int32_t *values, const struct gpube_mbe *mbe,
	enum gpube_backend how, int64_t cutoff, bool match, const char **name)
{
	struct gpube_mbe_run r;
	int64_t total;
	bool settled;
	int status = gpube__mbe_run_init(
		&r, mbe, gpube__ops_cpu(), cutoff, match, values != NULL, &settled, bound);

	if (name)
		*name = gpube__ops_cpu()->name;
	if (status || settled)
		return status;
	status = gpube__mbe_place(&r, how);
	if (name)
		*name = r.side ? "cpu+cuda" : r.ops->name;
	if (!status)
		status = run_all(&r, &total, values);
	if (!status)
		*bound = gpube__mbe_bound(&r, total);
	gpube__mbe_run_clear(&r);
	return status;
}
