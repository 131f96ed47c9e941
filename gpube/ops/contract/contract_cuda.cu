/* contract_cuda.cu - contract: which kernels, a plan, its launch. Batches: contract_batch.cu. */
#include "gpube/ops/contract/contract_launch.cuh"

#define JOINED_AT_ONCE 2e12 /* some tenths of a second; then a stop is looked for */

gpube__box_function gpube__box_function_of(
	const struct gpube__box *b, const struct gpube_contraction *c)
{
	const bool arg = c->out_arg != NULL;

	return c->type == GPUBE_INT32 ? gpube__box_function_i32(b->kernel, arg)
				      : gpube__box_function_i64(b->kernel, arg);
}

/*
 * Lets a kernel have so many bytes of dynamic shared memory: past 48 KiB, with what it declares
 * itself, for which 16 are left here, it has to be told.
 */
static cudaError_t allow_shared(const void *kernel, uint32_t bytes)
{
	if (bytes <= 32u << 10)
		return cudaSuccess;
	return cudaFuncSetAttribute(
		kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
}

/* A contraction alone: the kernel's parameters are a plan and its tables. */
static int launch_alone(struct gpube_ctx *ctx, const void *kernel, uint32_t blocks,
	uint32_t threads, uint32_t shared_bytes, const void *plan, const void *io)
{
	void *parameters[] = {(void *)plan, (void *)io};

	GPUBE_ECUDA(ctx, allow_shared(kernel, shared_bytes));
	gpube__mark(ctx, 0);
	GPUBE_ECUDA(ctx, cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), parameters,
				 shared_bytes, gpube__device_of(ctx)->stream));
	gpube__mark(ctx, 1);
	return GPUBE_OK;
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

int gpube__make_words(struct gpube_ctx *ctx, const unsigned char *plans, const uint32_t *offsets,
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

int gpube__launch_boxes(struct gpube_ctx *ctx, gpube__box_function f, uint32_t blocks,
	uint32_t threads, uint32_t shared_bytes, const unsigned char *plans, const uint32_t *words,
	const unsigned char *ios, uint32_t io_bytes, const struct gpube__box_work *work)
{
	GPUBE_ECUDA(ctx, allow_shared((const void *)f, shared_bytes));
	f<<<blocks, threads, shared_bytes, gpube__device_of(ctx)->stream>>>(
		plans, words, ios, io_bytes, work);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return GPUBE_OK;
}

void gpube__fill_io(
	struct gpube__box_io *io, const struct gpube__box *b, const struct gpube_contraction *c)
{
	for (int k = 0; k < b->n_in; k++)
		io->in[k] = c->in[b->order[k]].values;
	io->out = c->out;
	io->out_arg = c->out_arg;
}

static int launch_boxes(
	struct gpube_ctx *ctx, const struct gpube__cuda_plan *p, const struct gpube_contraction *c)
{
	const struct gpube__box *b = &p->box;
	const gpube__box_function f = gpube__box_function_of(b, c);
	const uint64_t box_bytes = gpube__round_up(gpube__box_bytes(b));
	uint32_t *words = (uint32_t *)gpube__lists(ctx, (uint64_t)b->n_words * 4);
	unsigned char *host, *device;
	void *out;
	int status;

	if (!f)
		return gpube__fail(ctx, GPUBE_EBUG, "contract: no kernel for a plan");
	host = words ? gpube__words(ctx, &out, box_bytes + 256 + sizeof(struct gpube__box_io))
		     : NULL;
	if (!host)
		return GPUBE_ENOMEM;
	device = (unsigned char *)out;
	memcpy(host, b, gpube__box_bytes(b));
	memset(host + box_bytes, 0, 256); /* the offset of the only plan */
	gpube__fill_io((struct gpube__box_io *)(host + box_bytes + 256), b, c);
	status = gpube__words_send(ctx, box_bytes + 256 + sizeof(struct gpube__box_io));
	if (status != GPUBE_OK)
		return status;
	gpube__mark(ctx, 0);
	status = gpube__make_words(
		ctx, device, (const uint32_t *)(device + box_bytes), 1, b->n_items, words);
	if (status == GPUBE_OK)
		status = gpube__launch_boxes(ctx, f, b->blocks, b->threads, b->shared_bytes, device,
			words, device + box_bytes + 256, 0, NULL);
	gpube__mark(ctx, 1);
	return status;
}

void gpube__fill_direct_io(struct gpube__direct_io *io, const struct gpube_contraction *c)
{
	io->out = c->out;
	for (int k = 0; k < c->n_in; k++)
		io->in[k] = c->in[k].values;
}

/* many NULL: the contraction c alone; otherwise n rows of its form. */
int gpube__launch_direct(struct gpube_ctx *ctx, const struct gpube__direct *d,
	const struct gpube_contraction *c, const unsigned char *many, uint32_t io_bytes, uint32_t n)
{
	const uint32_t shared =
		(d->end_rv - N_DIRECT_PLACES) * d->threads * (uint32_t)sizeof(void *);
	const uint64_t blocks = (uint64_t)d->blocks * ((n + d->per_block - 1) / d->per_block);
	struct gpube__direct_io one;

	if (blocks > INT32_MAX)
		return gpube__fail(ctx, GPUBE_ELIMIT, "contract: too large a batch");
	memset(&one, 0, sizeof(one));
	gpube__fill_direct_io(&one, c);
	gpube__direct_function_i32(
		d->kernel)<<<(unsigned)blocks, d->threads, shared, gpube__device_of(ctx)->stream>>>(
		*d, one, many, io_bytes, n);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return GPUBE_OK;
}

static int launch_strips(
	struct gpube_ctx *ctx, const struct gpube__cuda_plan *p, const struct gpube_contraction *c)
{
	const struct gpube__strip *d = &p->strip;
	const gpube__strip_function f = gpube__strip_function_i32(d);
	struct gpube__strip_io io;

	memset(&io, 0, sizeof(io));
	io.out = c->out;
	for (int k = 0; k < GPUBE_STRIP_OPS; k++)
		if (d->op[k].order >= 0)
			io.in[k] = c->in[d->op[k].order].values;
	return launch_alone(ctx, (const void *)f, d->blocks, d->threads, d->shared_bytes, d, &io);
}

static int launch_direct(
	struct gpube_ctx *ctx, const struct gpube__cuda_plan *p, const struct gpube_contraction *c)
{
	int status;

	gpube__mark(ctx, 0);
	status = gpube__launch_direct(ctx, &p->direct, c, NULL, 0, 1);
	gpube__mark(ctx, 1);
	return status;
}

static int launch_general(
	struct gpube_ctx *ctx, const struct gpube__cuda_plan *p, const struct gpube_contraction *c)
{
	(void)p;
	return gpube__contract_general(ctx, c);
}

#define LAUNCH(family) launch_##family
static const struct gpube__family families[GPUBE_N_FAMILIES] = GPUBE_FAMILIES(LAUNCH);

void gpube__planning_init(struct gpube__device *d)
{
	struct gpube__planning *g = &d->planning;

	g->families = families;
	g->only = GPUBE_BY_ANY;
	g->device.n_sms = d->n_sms;
	g->device.shared_bytes = (uint32_t)d->shared_bytes - GPUBE_BOX_STATIC_BYTES;
	g->device.sm_shared_bytes = (uint32_t)d->sm_shared_bytes;
	for (int k = 0; k < GPUBE_N_FAMILIES; k++)
		g->use[k].family = families[k].name;
}

static int launch_one(struct gpube_ctx *ctx, const struct gpube__cuda_plan *p,
	const struct gpube_contraction *c, double joined)
{
	int status;

	gpube__clock_by(ctx, p->by, 1);
	gpube__work(ctx, (int64_t)(gpube__contraction_ticks(c) / GPUBE_CARD_CORES));
	status = families[p->by].launch(ctx, p, c);
	if (status != GPUBE_OK || p->by == GPUBE_BY_GENERAL || joined < JOINED_AT_ONCE)
		return status;
	/* so long a launch is waited for, that the next one can still be stopped */
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(gpube__device_of(ctx)->stream));
	return GPUBE_OK;
}

int gpube__contract_check(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	const char *problem = gpube__contract_problem(c);

	if (problem)
		return gpube__fail(ctx, GPUBE_EINVAL, "contract: %s", problem);
	return gpube__stopped(ctx) ? gpube__fail_stopped(ctx) : GPUBE_OK;
}

int gpube__contract_cuda(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	static const struct gpube__cuda_plan as_it_is = {GPUBE_BY_GENERAL};
	int64_t stride[GPUBE_BOX_IN * GPUBE_MAX_DIMS];
	const struct gpube__cuda_plan *p;
	struct gpube__shape s;
	int status = gpube__contract_check(ctx, c);

	if (status != GPUBE_OK)
		return status;
	if (c->n_in > GPUBE_BOX_IN)
		return launch_one(ctx, &as_it_is, c, 0);
	gpube__shape_init(&s, c, stride, c->out_arg != NULL);
	status = gpube__cuda_plans_get(&p, &gpube__device_of(ctx)->planning, ctx, c, &s);
	return status != GPUBE_OK
		       ? status
		       : launch_one(ctx, p, c, (double)s.n_out_cells * (double)s.n_reduced);
}
