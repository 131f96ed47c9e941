/* contract_cuda.cu - contract and contract_batch: a plan, then two launches. */
#include "gpube/ops/contract_box.cuh"

#define MAX_IN_BATCH   4096 /* blocks of a contraction that still joins a batch's launch */
#define JOINED_AT_ONCE 2e12 /* some tenths of a second; then a stop is looked for */

static gpube__box_function function_of(
	const struct gpube__box *b, const struct gpube_contraction *c)
{
	const bool arg = c->out_arg != NULL;

	switch (c->type) {
	case GPUBE_INT32:
		return gpube__box_function_i32(b->kernel, arg);
	case GPUBE_INT64:
		return gpube__box_function_i64(b->kernel, arg);
	case GPUBE_FLOAT32:
		return gpube__box_function_f32(b->kernel, arg);
	default:
		return gpube__box_function_f64(b->kernel, arg);
	}
}

static bool plan(struct gpube__box *b, const struct gpube__device *d,
	const struct gpube_contraction *c, const struct gpube__shape *s, bool in_batch)
{
	const struct gpube__box_device limits = {
		d->n_sms, (uint32_t)d->shared_bytes - GPUBE_BOX_STATIC_BYTES,
		(uint32_t)d->sm_shared_bytes};

	return gpube__box_plan(b, &limits, c, s, in_batch);
}

/* Each plan's words in the context's room for them: launches the kernel that makes them. */
__global__ void __launch_bounds__(256) box_words(const unsigned char *__restrict__ plans,
	const uint32_t *__restrict__ offsets, uint32_t *__restrict__ words)
{
	const struct gpube__box *b = (const struct gpube__box *)(plans + offsets[blockIdx.y]);

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < b->n_items;
		i += gridDim.x * blockDim.x)
		gpube__box_prepare(b, i, words + b->first_word);
}

static int make_words(struct gpube_ctx *ctx, const unsigned char *plans, const uint32_t *offsets,
	uint32_t n, uint32_t most_items, uint32_t *words)
{
	const uint32_t blocks = (most_items + 255) / 256 < 1024 ? (most_items + 255) / 256 : 1024;

	for (uint32_t from = 0; from < n; from += 32768) {
		const dim3 grid(blocks, n - from < 32768 ? n - from : 32768);

		box_words<<<grid, 256, 0, gpube__device_of(ctx)->stream>>>(
			plans, offsets + from, words);
		GPUBE_ECUDA(ctx, cudaGetLastError());
	}
	return GPUBE_OK;
}

static int launch(struct gpube_ctx *ctx, gpube__box_function f, uint32_t blocks, uint32_t threads,
	uint32_t shared_bytes, const unsigned char *plans, const uint32_t *words,
	const unsigned char *ios, uint32_t io_bytes, const struct gpube__box_work *work)
{
	/* more than 48 KiB must be asked for */
	if (shared_bytes + GPUBE_BOX_STATIC_BYTES > 48u << 10)
		GPUBE_ECUDA(ctx, cudaFuncSetAttribute((const void *)f,
			cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes));
	f<<<blocks, threads, shared_bytes, gpube__device_of(ctx)->stream>>>(
		plans, words, ios, io_bytes, work);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return GPUBE_OK;
}

static void fill_io(
	struct gpube__box_io *io, const struct gpube__box *b, const struct gpube_contraction *c)
{
	for (int k = 0; k < b->n_in; k++)
		io->in[k] = c->in[b->order[k]].values;
	io->out = c->out;
	io->out_arg = c->out_arg;
}

static uint64_t round_up(uint64_t n)
{
	return (n + 255) / 256 * 256;
}

static int launch_one(struct gpube_ctx *ctx, const struct gpube__box *b,
	const struct gpube_contraction *c, double joined)
{
	const gpube__box_function f = function_of(b, c);
	const uint64_t box_bytes = round_up(gpube__box_bytes(b));
	struct gpube__device *d = gpube__device_of(ctx);
	uint32_t *words = (uint32_t *)gpube__lists(ctx, (uint64_t)b->n_words * 4);
	unsigned char *host, *device;
	void *out;
	int status;

	if (!f)
		return gpube__fail(ctx, GPUBE_EBUG, "contract: no kernel for a plan");
	host = words ? gpube__words(ctx, &out, box_bytes + 256 + sizeof(struct gpube__box_io)) : NULL;
	if (!host)
		return GPUBE_ENOMEM;
	device = (unsigned char *)out;
	memcpy(host, b, gpube__box_bytes(b));
	memset(host + box_bytes, 0, 256); /* the offset of the only plan */
	fill_io((struct gpube__box_io *)(host + box_bytes + 256), b, c);
	status = gpube__words_send(ctx, box_bytes + 256 + sizeof(struct gpube__box_io));
	if (status != GPUBE_OK)
		return status;
	gpube__mark(ctx, 0);
	status = make_words(
		ctx, device, (const uint32_t *)(device + box_bytes), 1, b->n_items, words);
	if (status == GPUBE_OK)
		status = launch(ctx, f, b->blocks, b->threads, b->shared_bytes, device, words,
			device + box_bytes + 256, 0, NULL);
	gpube__mark(ctx, 1);
	if (status != GPUBE_OK || joined < JOINED_AT_ONCE)
		return status;
	/* so long a launch is waited for, that the next one can still be stopped */
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(d->stream));
	return GPUBE_OK;
}

static int check(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	const char *problem = gpube__contract_problem(c);

	if (problem)
		return gpube__fail(ctx, GPUBE_EINVAL, "contract: %s", problem);
	return gpube__stopped(ctx) ? gpube__fail_stopped(ctx) : GPUBE_OK;
}

int gpube__contract_cuda(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	int64_t stride[GPUBE_BOX_IN * GPUBE_MAX_DIMS];
	struct gpube__box box;
	struct gpube__shape s;
	bool done = false;
	int status = check(ctx, c);

	if (status == GPUBE_OK && gpube__touches_spilled(ctx, c))
		status = gpube__contract_streamed(ctx, c, &done);
	if (status != GPUBE_OK || done)
		return status;
	if (c->n_in > GPUBE_BOX_IN)
		return gpube__contract_general(ctx, c);
	gpube__shape_init(&s, c, stride, c->out_arg != NULL);
	if (!plan(&box, gpube__device_of(ctx), c, &s, false))
		return gpube__contract_general(ctx, c);
	return launch_one(ctx, &box, c, (double)s.n_out_cells * (double)s.n_reduced);
}

/* ---- batches -------------------------------------------------------------------------- */

/* Contractions of a batch that one launch does, and the forms among them. */
struct group {
	gpube__box_function function;
	uint32_t threads, shared_bytes, n_blocks;
};

#define MAX_GROUPS 24
#define N_RECENT   8 /* forms that a contraction is compared with */

struct batch {
	const struct gpube_contraction *c;
	struct group groups[MAX_GROUPS];
	int n_groups;
	struct gpube__box *plans; /* one a form */
	int64_t n_plans, plan_capacity;
	int64_t *plan_contraction; /* a contraction of the form */
	int64_t plan_contraction_capacity;
	int32_t *plan_group; /* -1: not in the batch's launches */
	int64_t plan_group_capacity;
	uint32_t *plan_at; /* bytes to its descriptor */
	int64_t plan_at_capacity;
	int32_t *plan_of; /* by contraction */
	int max_in;	  /* operands of any planned contraction */
	uint64_t n_words;
	uint32_t most_items;
};

static bool same_form(const struct gpube_contraction *a, const struct gpube_contraction *b)
{
	if (a->semiring != b->semiring || a->type != b->type || a->n_out != b->n_out ||
	        a->n_dims != b->n_dims || a->n_in != b->n_in || a->cut != b->cut ||
	        a->threshold != b->threshold || !a->out_arg != !b->out_arg ||
	        (a->out_arg && a->arg_bytes != b->arg_bytes) ||
	        memcmp(a->sizes, b->sizes, (size_t)a->n_dims * sizeof(*a->sizes)) != 0)
		return false;
	for (int k = 0; k < a->n_in; k++)
		if (a->in[k].n_dims != b->in[k].n_dims ||
		        (a->in[k].n_dims &&
		                memcmp(a->in[k].dims, b->in[k].dims,
		                        (size_t)a->in[k].n_dims * sizeof(*a->in[k].dims)) != 0))
			return false;
	return true;
}

static int find_group(
	struct batch *b, const struct gpube__box *p, const struct gpube_contraction *c)
{
	const gpube__box_function f = function_of(p, c);
	int g = 0;

	if (!f || p->blocks > MAX_IN_BATCH)
		return -1;
	/* blocks of one size each: a smaller plan's threads would wait for nothing */
	while (g < b->n_groups &&
		(b->groups[g].function != f || b->groups[g].threads != p->threads))
		g++;
	if (g == MAX_GROUPS)
		return -1;
	if (g == b->n_groups) {
		memset(&b->groups[g], 0, sizeof(b->groups[g]));
		b->groups[g].threads = p->threads;
		b->groups[b->n_groups++].function = f;
	}
	if (b->groups[g].shared_bytes < p->shared_bytes)
		b->groups[g].shared_bytes = p->shared_bytes;
	return g;
}

/* The plan of contraction i: a recent one of the same form, or a new one. */
static int plan_batch_one(struct gpube_ctx *ctx, struct batch *b, int64_t i)
{
	const struct gpube_contraction *c = &b->c[i];
	int64_t stride[GPUBE_BOX_IN * GPUBE_MAX_DIMS];
	struct gpube__shape s;
	struct gpube__box *p;
	int64_t n = b->n_plans;

	for (int64_t k = n - 1; k >= 0 && k >= n - N_RECENT; k--)
		if (same_form(c, &b->c[b->plan_contraction[k]])) {
			b->plan_of[i] = (int32_t)k;
			return GPUBE_OK;
		}
	if (gpube__grow(ctx, &b->plans, &b->plan_capacity, n + 1, sizeof(*b->plans)) ||
		gpube__grow(ctx, &b->plan_contraction, &b->plan_contraction_capacity, n + 1,
			sizeof(*b->plan_contraction)) ||
		gpube__grow(ctx, &b->plan_group, &b->plan_group_capacity, n + 1,
			sizeof(*b->plan_group)) ||
		gpube__grow(ctx, &b->plan_at, &b->plan_at_capacity, n + 1, sizeof(*b->plan_at)))
		return GPUBE_ENOMEM;
	b->plan_contraction[n] = i;
	b->plan_group[n] = -1;
	b->plan_of[i] = (int32_t)n;
	b->n_plans++;
	if (c->n_in > GPUBE_BOX_IN)
		return GPUBE_OK;
	gpube__shape_init(&s, c, stride, c->out_arg != NULL);
	p = &b->plans[n];
	if (plan(p, gpube__device_of(ctx), c, &s, true))
		b->plan_group[n] = find_group(b, p, c);
	if (b->plan_group[n] < 0)
		return GPUBE_OK;
	if (b->max_in < s.n_in)
		b->max_in = s.n_in;
	if (b->most_items < p->n_items)
		b->most_items = p->n_items;
	p->first_word = b->n_words;
	b->n_words += (p->n_words + 1u) / 2 * 2;
	return GPUBE_OK;
}

/* Blocks of the contractions of group g; only counts them where to is NULL. */
static uint32_t fill_work(const struct batch *b, int64_t n, int g, struct gpube__box_work *to)
{
	uint32_t at = 0;

	for (int64_t i = 0; i < n; i++) {
		const int32_t p = b->plan_of[i];

		if (b->plan_group[p] != g)
			continue;
		for (uint32_t k = 0; k < b->plans[p].blocks; k++, at++)
			if (to)
				to[at] = (struct gpube__box_work){b->plan_at[p], (uint32_t)i, k};
	}
	return at;
}

/* Where the parts of a batch's descriptor lie: plans, their offsets, tables, work. */
struct parts {
	uint64_t offsets, ios, work, end;
	uint32_t n_offsets, io_bytes;
};

static struct parts lay_out(struct batch *b, int64_t n)
{
	struct parts at = {0, 0, 0, 0, 0, 0};

	for (int64_t p = 0; p < b->n_plans; p++) {
		if (b->plan_group[p] < 0)
			continue;
		b->plan_at[p] = (uint32_t)at.offsets;
		at.offsets += round_up(gpube__box_bytes(&b->plans[p]));
		at.n_offsets++;
	}
	at.io_bytes = (uint32_t)(offsetof(struct gpube__box_io, in) +
		(uint64_t)b->max_in * sizeof(void *));
	at.ios = at.offsets + round_up(at.n_offsets * sizeof(uint32_t));
	at.work = at.ios + round_up((uint64_t)n * at.io_bytes);
	at.end = at.work;
	for (int g = 0; g < b->n_groups; g++) {
		b->groups[g].n_blocks = fill_work(b, n, g, NULL);
		at.end += b->groups[g].n_blocks * sizeof(struct gpube__box_work);
	}
	return at;
}

static void fill_parts(const struct batch *b, int64_t n, const struct parts *at, unsigned char *to)
{
	uint32_t *offsets = (uint32_t *)(to + at->offsets);
	struct gpube__box_work *work = (struct gpube__box_work *)(to + at->work);

	for (int64_t p = 0; p < b->n_plans; p++)
		if (b->plan_group[p] >= 0) {
			memcpy(to + b->plan_at[p], &b->plans[p], gpube__box_bytes(&b->plans[p]));
			*offsets++ = b->plan_at[p];
		}
	for (int64_t i = 0; i < n; i++)
		if (b->plan_group[b->plan_of[i]] >= 0)
			fill_io((struct gpube__box_io *)(to + at->ios + (uint64_t)i * at->io_bytes),
				&b->plans[b->plan_of[i]], &b->c[i]);
	for (int g = 0; g < b->n_groups; g++)
		work += fill_work(b, n, g, work);
}

static int launch_batch(struct gpube_ctx *ctx, struct batch *b, int64_t n)
{
	const struct parts at = lay_out(b, n);
	unsigned char *host, *device;
	const struct gpube__box_work *work;
	uint32_t *words;
	void *out;
	int status;

	if (at.end == at.work)
		return GPUBE_OK;
	if (at.offsets > UINT32_MAX)
		return gpube__fail(ctx, GPUBE_ELIMIT, "contract: too many forms in a batch");
	words = (uint32_t *)gpube__lists(ctx, b->n_words * 4);
	host = words ? gpube__words(ctx, &out, at.end) : NULL;
	if (!host)
		return GPUBE_ENOMEM;
	device = (unsigned char *)out;
	fill_parts(b, n, &at, host);
	status = gpube__words_send(ctx, at.end);
	gpube__mark(ctx, 0);
	if (status == GPUBE_OK)
		status = make_words(ctx, device, (const uint32_t *)(device + at.offsets),
			at.n_offsets, b->most_items, words);
	work = (const struct gpube__box_work *)(device + at.work);
	for (int g = 0; g < b->n_groups && status == GPUBE_OK; g++) {
		const struct group *group = &b->groups[g];

		if (group->n_blocks)
			status = launch(ctx, group->function, group->n_blocks, group->threads,
				group->shared_bytes, device, words, device + at.ios, at.io_bytes, work);
		work += group->n_blocks;
	}
	gpube__mark(ctx, 1);
	return status;
}

int gpube__contract_batch_cuda(struct gpube_ctx *ctx, int64_t n, const struct gpube_contraction *c)
{
	struct batch b;
	int status = GPUBE_OK;

	memset(&b, 0, sizeof(b));
	b.c = c;
	b.plan_of = (int32_t *)gpube__alloc(ctx, (uint64_t)n, sizeof(*b.plan_of));
	if (!b.plan_of)
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < n && status == GPUBE_OK; i++) {
		status = check(ctx, &c[i]);
		if (status == GPUBE_OK)
			status = plan_batch_one(ctx, &b, i);
	}
	/* those that no common launch takes go alone */
	for (int64_t i = 0; i < n && status == GPUBE_OK; i++)
		if (b.plan_group[b.plan_of[i]] < 0)
			status = gpube__contract_cuda(ctx, &c[i]);
	if (status == GPUBE_OK)
		status = launch_batch(ctx, &b, n);
	gpube__free(ctx, b.plan_of);
	gpube__free(ctx, b.plans);
	gpube__free(ctx, b.plan_contraction);
	gpube__free(ctx, b.plan_group);
	gpube__free(ctx, b.plan_at);
	return status;
}
