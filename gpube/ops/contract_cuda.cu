/* contract_cuda.cu - contract and contract_batch: a plan, then a launch. */
#include "gpube/ops/contract_plan.cuh"

#define MAX_IN_BATCH   4096 /* blocks of a contraction that still joins a batch's launch */
#define JOINED_AT_ONCE 2e12 /* some tenths of a second; then a stop is looked for */

static struct gpube__tile_kernels kernels_of(
        const struct gpube__tile_plan *p, enum gpube_type type, bool arg)
{
	switch (type) {
	case GPUBE_INT32:
		return gpube__tile_kernels_i32(p->big, arg, p->lanes, p->c);
	case GPUBE_INT64:
		return gpube__tile_kernels_i64(p->big, arg, p->lanes, p->c);
	case GPUBE_FLOAT32:
		return gpube__tile_kernels_f32(p->big, arg, p->lanes, p->c);
	default:
		return gpube__tile_kernels_f64(p->big, arg, p->lanes, p->c);
	}
}

/* More than 48 KiB must be asked for; batches have some KiB besides. */
static int allow_shared(struct gpube_ctx *ctx, const void *kernel, uint32_t bytes)
{
	if (bytes > 36u << 10)
		GPUBE_ECUDA(ctx, cudaFuncSetAttribute(kernel,
		                         cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
	return GPUBE_OK;
}

static int launch_one(struct gpube_ctx *ctx, const struct gpube__tile_plan *p,
        const struct gpube_contraction *c, double joined)
{
	const struct gpube__tile_kernels k = kernels_of(p, c->type, c->out_arg != NULL);
	struct gpube__tile_io io;
	int status;

	if (!k.one)
		return gpube__fail(ctx, GPUBE_EBUG, "contract: no kernel for a plan");
	status = allow_shared(ctx, (const void *)k.one, p->shared_bytes);
	if (status != GPUBE_OK)
		return status;
	gpube__tile_io(&io, p, c);
	gpube__mark(ctx, 0);
	k.one<<<p->blocks, p->threads, p->shared_bytes, gpube__device_of(ctx)->stream>>>(
	        p->tile, io);
	gpube__mark(ctx, 1);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	if (joined < JOINED_AT_ONCE)
		return GPUBE_OK;
	/* so long a launch is waited for, that the next one can still be stopped */
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(gpube__device_of(ctx)->stream));
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
	int64_t stride[GPUBE_TILE_IN * GPUBE_MAX_DIMS];
	struct gpube__tile_plan plan;
	struct gpube__shape s;
	bool done = false;
	int status = check(ctx, c);

	if (status == GPUBE_OK && gpube__touches_spilled(ctx, c))
		status = gpube__contract_streamed(ctx, c, &done);
	if (status != GPUBE_OK || done)
		return status;
	if (c->n_in > GPUBE_TILE_IN)
		return gpube__contract_general(ctx, c);
	gpube__shape_init(&s, c, stride, c->out_arg != NULL);
	if (!gpube__tile_plan(&plan, gpube__device_of(ctx), c, &s, false))
		return gpube__contract_general(ctx, c);
	return launch_one(ctx, &plan, c, (double)s.n_out_cells * (double)s.n_reduced);
}

/* ---- batches -------------------------------------------------------------------------- */

/* Contractions of a batch that one launch does, and the forms among them. */
struct group {
	gpube__tile_batch_kernel kernel;
	uint32_t threads, shared_bytes, n_blocks;
};

#define MAX_GROUPS 24
#define N_RECENT   8 /* forms that a contraction is compared with */

struct batch {
	const struct gpube_contraction *c;
	struct group groups[MAX_GROUPS];
	int n_groups;
	struct gpube__tile_plan *plans; /* one a form */
	int64_t n_plans, plan_capacity;
	int64_t *plan_contraction; /* a contraction of the form */
	int64_t plan_contraction_capacity;
	int32_t *plan_group; /* -1: not in the batch's launches */
	int64_t plan_group_capacity;
	int32_t *plan_of; /* by contraction */
	int max_in;       /* operands of any planned contraction */
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
        struct batch *b, const struct gpube__tile_plan *p, const struct gpube_contraction *c)
{
	const struct gpube__tile_kernels k = kernels_of(p, c->type, c->out_arg != NULL);
	int g = 0;

	if (!k.batch || p->blocks > MAX_IN_BATCH)
		return -1;
	while (g < b->n_groups && b->groups[g].kernel != k.batch)
		g++;
	if (g == MAX_GROUPS)
		return -1;
	if (g == b->n_groups) {
		memset(&b->groups[g], 0, sizeof(b->groups[g]));
		b->groups[b->n_groups++].kernel = k.batch;
	}
	if (b->groups[g].threads < p->threads)
		b->groups[g].threads = p->threads;
	if (b->groups[g].shared_bytes < p->shared_bytes)
		b->groups[g].shared_bytes = p->shared_bytes;
	return g;
}

/* The plan of contraction i: a recent one of the same form, or a new one. */
static int plan_batch_one(struct gpube_ctx *ctx, struct batch *b, int64_t i)
{
	const struct gpube_contraction *c = &b->c[i];
	int64_t stride[GPUBE_TILE_IN * GPUBE_MAX_DIMS];
	struct gpube__shape s;
	int64_t n = b->n_plans;

	for (int64_t p = n - 1; p >= 0 && p >= n - N_RECENT; p--)
		if (same_form(c, &b->c[b->plan_contraction[p]])) {
			b->plan_of[i] = (int32_t)p;
			return GPUBE_OK;
		}
	if (gpube__grow(ctx, &b->plans, &b->plan_capacity, n + 1, sizeof(*b->plans)) ||
	        gpube__grow(ctx, &b->plan_contraction, &b->plan_contraction_capacity, n + 1,
	                sizeof(*b->plan_contraction)) ||
	        gpube__grow(ctx, &b->plan_group, &b->plan_group_capacity, n + 1,
	                sizeof(*b->plan_group)))
		return GPUBE_ENOMEM;
	b->plan_contraction[n] = i;
	b->plan_group[n] = -1;
	b->plan_of[i] = (int32_t)n;
	b->n_plans++;
	if (c->n_in > GPUBE_TILE_IN)
		return GPUBE_OK;
	gpube__shape_init(&s, c, stride, c->out_arg != NULL);
	if (gpube__tile_plan(&b->plans[n], gpube__device_of(ctx), c, &s, true))
		b->plan_group[n] = find_group(b, &b->plans[n], c);
	if (b->plan_group[n] >= 0 && b->max_in < s.n_in)
		b->max_in = s.n_in;
	return GPUBE_OK;
}

/* Blocks of the contractions of group g, in the descriptor's third part. */
static uint32_t fill_blocks(const struct batch *b, int64_t n, int g, struct gpube__tile_block *to)
{
	uint32_t at = 0;

	for (int64_t i = 0; i < n; i++) {
		const int32_t p = b->plan_of[i];

		if (b->plan_group[p] != g)
			continue;
		for (uint32_t k = 0; k < b->plans[p].blocks; k++, at++)
			if (to) {
				to[at].tile = (uint32_t)p;
				to[at].io = (uint32_t)i;
				to[at].block = k;
			}
	}
	return at;
}

static int launch_batch(struct gpube_ctx *ctx, struct batch *b, int64_t n)
{
	const uint64_t tile_bytes =
	        ((uint64_t)b->n_plans * sizeof(struct gpube__tile) + 255) / 256 * 256;
	const uint32_t row_bytes = (uint32_t)(offsetof(struct gpube__tile_io, in) +
	                                      (uint64_t)b->max_in * sizeof(void *));
	const uint64_t io_bytes = ((uint64_t)n * row_bytes + 255) / 256 * 256;
	uint64_t block_bytes = 0, at;
	unsigned char *host, *device;
	void *words;
	int status;

	for (int g = 0; g < b->n_groups; g++) {
		b->groups[g].n_blocks = fill_blocks(b, n, g, NULL);
		block_bytes += (uint64_t)b->groups[g].n_blocks * sizeof(struct gpube__tile_block);
	}
	if (!block_bytes)
		return GPUBE_OK;
	host = gpube__words(ctx, &words, tile_bytes + io_bytes + block_bytes);
	if (!host)
		return GPUBE_ENOMEM;
	device = (unsigned char *)words;
	for (int64_t p = 0; p < b->n_plans; p++)
		memcpy(host + (uint64_t)p * sizeof(struct gpube__tile), &b->plans[p].tile,
		        sizeof(struct gpube__tile));
	for (int64_t i = 0; i < n; i++)
		if (b->plan_group[b->plan_of[i]] >= 0)
			gpube__tile_io((struct gpube__tile_io *)(host + tile_bytes +
			                                         (uint64_t)i * row_bytes),
			        &b->plans[b->plan_of[i]], &b->c[i]);
	at = tile_bytes + io_bytes;
	for (int g = 0; g < b->n_groups; g++)
		at += (uint64_t)fill_blocks(b, n, g, (struct gpube__tile_block *)(host + at)) *
		      sizeof(struct gpube__tile_block);
	status = gpube__words_send(ctx, at);
	at = tile_bytes + io_bytes;
	gpube__mark(ctx, 0);
	for (int g = 0; g < b->n_groups && status == GPUBE_OK; g++) {
		const struct group *group = &b->groups[g];

		if (!group->n_blocks)
			continue;
		status = allow_shared(ctx, (const void *)group->kernel, group->shared_bytes);
		if (status != GPUBE_OK)
			return status;
		group->kernel<<<group->n_blocks, group->threads, group->shared_bytes,
		        gpube__device_of(ctx)->stream>>>((const struct gpube__tile *)device,
		        device + tile_bytes, row_bytes,
		        (const struct gpube__tile_block *)(device + at));
		GPUBE_ECUDA(ctx, cudaGetLastError());
		at += (uint64_t)group->n_blocks * sizeof(struct gpube__tile_block);
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
	return status;
}
