/* contract_cuda.cu - contract and contract_batch: which kernels, a plan, its launches. */
#include "gpube/ops/contract_box.cuh"
#include "gpube/ops/contract_direct.cuh"
#include "gpube/ops/contract_lanes.cuh"
#include "gpube/ops/contract_panel.cuh"
#include "gpube/ops/contract_presum.cuh"
#include "gpube/ops/contract_quads.cuh"
#include "gpube/ops/contract_strip.cuh"
#include "gpube/ops/contract_triangle.cuh"
#include "gpube/ops/contract_whole.cuh"

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

static struct gpube__box_device limits_of(const struct gpube__device *d)
{
	const struct gpube__box_device limits = {d->n_sms,
		(uint32_t)d->shared_bytes - GPUBE_BOX_STATIC_BYTES, (uint32_t)d->sm_shared_bytes,
		d->arch >= 90};

	return limits;
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
	GPUBE_ECUDA(ctx, allow_shared((const void *)f, shared_bytes));
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

static int launch_box(
	struct gpube_ctx *ctx, const struct gpube__box *b, const struct gpube_contraction *c)
{
	const gpube__box_function f = function_of(b, c);
	const uint64_t box_bytes = round_up(gpube__box_bytes(b));
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
	return status;
}

static gpube__direct_function direct_function_of(
	const struct gpube__direct *d, const struct gpube_contraction *c)
{
	return c->type == GPUBE_INT32 ? gpube__direct_function_i32(d->kernel)
				      : gpube__direct_function_f32(d->kernel);
}

static void fill_direct_io(struct gpube__direct_io *io, const struct gpube_contraction *c)
{
	io->out = c->out;
	for (int k = 0; k < c->n_in; k++)
		io->in[k] = c->in[k].values;
}

/* many NULL: the contraction c alone; otherwise n rows of its form. */
static int launch_direct(struct gpube_ctx *ctx, const struct gpube__direct *d,
	const struct gpube_contraction *c, const unsigned char *many, uint32_t io_bytes, uint32_t n)
{
	const uint32_t shared =
		(d->end_rv - N_DIRECT_PLACES) * d->threads * (uint32_t)sizeof(void *);
	const uint64_t blocks = (uint64_t)d->blocks * ((n + d->per_block - 1) / d->per_block);
	struct gpube__direct_io one;

	if (blocks > INT32_MAX)
		return gpube__fail(ctx, GPUBE_ELIMIT, "contract: too large a batch");
	memset(&one, 0, sizeof(one));
	fill_direct_io(&one, c);
	direct_function_of(d, c)<<<(unsigned)blocks, d->threads, shared,
		gpube__device_of(ctx)->stream>>>(*d, one, many, io_bytes, n);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return GPUBE_OK;
}

/* n rows of the form of c. taken: of the device, 0 */
static int launch_whole(struct gpube_ctx *ctx, const struct gpube__whole *d,
	const struct gpube_contraction *c, const unsigned char *rows, uint32_t row_bytes, uint32_t n,
	uint32_t *taken)
{
	const bool is_int = c->type == GPUBE_INT32;
	const gpube__whole_function by_copies =
		is_int ? gpube__whole_function_i32(d) : gpube__whole_function_f32(d);
	const gpube__bulk_function in_bulk =
		is_int ? gpube__bulk_function_i32(d) : gpube__bulk_function_f32(d);
	const uint32_t steps = (n + d->per_block - 1) / d->per_block;
	const uint32_t at_once = d->at_once * (uint32_t)gpube__device_of(ctx)->n_sms;
	const uint32_t blocks = steps < at_once ? steps : at_once;
	const cudaStream_t stream = gpube__device_of(ctx)->stream;

	GPUBE_ECUDA(ctx, allow_shared(in_bulk ? (const void *)in_bulk : (const void *)by_copies,
				 d->shared_bytes));
	if (in_bulk)
		in_bulk<<<blocks, d->threads, d->shared_bytes, stream>>>(
			*d, rows, row_bytes, n, taken);
	else
		by_copies<<<blocks, d->threads, d->shared_bytes, stream>>>(*d, rows, row_bytes, n);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return GPUBE_OK;
}

static int launch_panels(
	struct gpube_ctx *ctx, const struct gpube__panel *d, const struct gpube_contraction *c)
{
	const gpube__panel_function f = c->type == GPUBE_INT32
						? gpube__panel_function_i32(d->kernel)
						: gpube__panel_function_f32(d->kernel);
	struct gpube__panel_io io;

	memset(&io, 0, sizeof(io));
	io.out = c->out;
	for (uint32_t k = 0; k < d->n_ops; k++)
		io.in[k] = c->in[d->op[k].order].values;
	return launch_alone(
		ctx, (const void *)f, d->at_once, d->threads, d->shared_bytes, d, &io);
}

static int launch_strips(
	struct gpube_ctx *ctx, const struct gpube__strip *d, const struct gpube_contraction *c)
{
	const gpube__strip_function f = c->type == GPUBE_INT32 ? gpube__strip_function_i32(d)
								: gpube__strip_function_f32(d);
	struct gpube__strip_io io;

	memset(&io, 0, sizeof(io));
	io.out = c->out;
	for (int k = 0; k < GPUBE_STRIP_OPS; k++)
		if (d->op[k].order >= 0)
			io.in[k] = c->in[d->op[k].order].values;
	return launch_alone(
		ctx, (const void *)f, d->blocks, d->threads, d->shared_bytes, d, &io);
}

/* f: of the plan d, which begins with 'all' */
static int launch_product(struct gpube_ctx *ctx, const void *f, const void *d,
	const struct gpube__product *all, const struct gpube_contraction *c)
{
	const struct gpube__product_io io = {
		c->out, {c->in[all->order[0]].values, c->in[all->order[1]].values}};

	return launch_alone(ctx, f, all->at_once, all->threads, all->shared_bytes, d, &io);
}

static int launch_lanes(
	struct gpube_ctx *ctx, const struct gpube__lanes *d, const struct gpube_contraction *c)
{
	const gpube__lanes_function f = c->type == GPUBE_INT32 ? gpube__lanes_function_i32(d)
							       : gpube__lanes_function_f32(d);

	return launch_product(ctx, (const void *)f, d, &d->all, c);
}

static int launch_quads(
	struct gpube_ctx *ctx, const struct gpube__quads *d, const struct gpube_contraction *c)
{
	const gpube__quads_function f = c->type == GPUBE_INT32 ? gpube__quads_function_i32(d)
							       : gpube__quads_function_f32(d);

	return launch_product(ctx, (const void *)f, d, &d->all, c);
}

static int launch_triangle(
	struct gpube_ctx *ctx, const struct gpube__triangle *d, const struct gpube_contraction *c)
{
	const gpube__triangle_function f = c->type == GPUBE_INT32
						   ? gpube__triangle_function_i32(d)
						   : gpube__triangle_function_f32(d);
	struct gpube__triangle_io io;
	const int status = gpube__triangle_io(ctx, &io, d, c);

	if (status != GPUBE_OK)
		return status;
	return launch_alone(
		ctx, (const void *)f, d->at_once, d->threads, d->shared_bytes, d, &io);
}

static int launch_presum(
	struct gpube_ctx *ctx, const struct gpube__presum *d, const struct gpube_contraction *c)
{
	const gpube__presum_function f = gpube__presum_function_of(c->type, d->kernel);
	struct gpube__presum_io io;

	memset(&io, 0, sizeof(io));
	io.out = c->out;
	for (uint32_t k = 0; k < GPUBE_PRESUM_OPS; k++)
		if (k % GPUBE_PRESUM_TERMS < d->n_ops[k / GPUBE_PRESUM_TERMS])
			io.in[k] = c->in[d->op[k].order].values;
	return launch_alone(ctx, (const void *)f, d->blocks, d->threads, d->shared, d, &io);
}

static int launch_one(struct gpube_ctx *ctx, const struct gpube__cuda_plan *p,
	const struct gpube_contraction *c, double joined)
{
	const enum gpube__by by = p->by == GPUBE_BY_MERGED ? p->unmerged : p->by;
	int status;

	if (by == GPUBE_BY_GENERAL)
		return gpube__contract_general(ctx, c);
	if (by == GPUBE_BY_BOXES) {
		status = launch_box(ctx, &p->box, c);
	} else if (by == GPUBE_BY_PANELS) {
		status = launch_panels(ctx, &p->panel, c);
	} else if (by == GPUBE_BY_PRESUMS) {
		status = launch_presum(ctx, &p->presum, c);
	} else if (by == GPUBE_BY_TRIANGLES) {
		status = launch_triangle(ctx, &p->triangle, c);
	} else if (by == GPUBE_BY_STRIPS) {
		status = launch_strips(ctx, &p->strip, c);
	} else if (by == GPUBE_BY_LANES) {
		status = launch_lanes(ctx, &p->lanes, c);
	} else if (by == GPUBE_BY_QUADS) {
		status = launch_quads(ctx, &p->quads, c);
	} else {
		gpube__mark(ctx, 0);
		status = launch_direct(ctx, &p->direct, c, NULL, 0, 1);
		gpube__mark(ctx, 1);
	}
	if (status != GPUBE_OK || joined < JOINED_AT_ONCE)
		return status;
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

/* Whether wide reads and writes of all tables are aligned: a chunk of a streamed table may not be. */
static bool is_aligned(const struct gpube_contraction *c)
{
	uintptr_t all = (uintptr_t)c->out;

	for (int k = 0; k < c->n_in; k++)
		all |= (uintptr_t)c->in[k].values;
	return all % 16 == 0;
}

/* ---- operands that are added up first --------------------------------------------------- */

struct merging {
	struct gpube__merge merge;
	struct gpube__merged rest, part;
	void *made[GPUBE_MERGE_IN];
};

/* Memory for all tables that are to be made; false: there is none. */
static bool merging_take(
	struct gpube_ctx *ctx, struct merging *m, const struct gpube_contraction *c)
{
	struct gpube__arena *const arena = gpube__device_of(ctx)->arena;

	for (int which = 0; which < m->merge.n; which++) {
		const uint64_t bytes = (uint64_t)gpube__operand_cells(&m->rest.c, which) *
				       gpube__type_size(c->type);

		if (m->rest.in[which].values)
			continue;
		if (bytes <= gpube__arena_left(arena))
			m->made[which] = gpube__arena_take(arena, ctx, bytes);
		if (!m->made[which])
			return false;
		m->rest.in[which].values = m->made[which];
	}
	return true;
}

static int merging_run(struct gpube_ctx *ctx, struct merging *m, const struct gpube_contraction *c)
{
	int status = GPUBE_OK;

	for (int which = 0; which < m->merge.n && status == GPUBE_OK; which++) {
		if (!m->made[which])
			continue;
		gpube__merge_part(&m->part, &m->rest, c, &m->merge, which);
		m->part.c.out = m->made[which];
		status = gpube__contract_cuda(ctx, &m->part.c);
	}
	return status == GPUBE_OK ? gpube__contract_cuda(ctx, &m->rest.c) : status;
}

/* done: false, and nothing has begun, where there is no memory for the tables that are made. */
static int contract_merged(struct gpube_ctx *ctx, const struct gpube__merge *merge,
	const struct gpube_contraction *c, bool *done)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const enum gpube__path path = d->path;
	const cudaEvent_t marks[2] = {d->marks[0], d->marks[1]};
	struct merging *m = (struct merging *)gpube__alloc_zero(ctx, 1, sizeof(*m));
	int status = GPUBE_OK;

	*done = false;
	if (!m)
		return GPUBE_ENOMEM;
	m->merge = *merge;
	gpube__merge_rest(&m->rest, c, merge);
	if (merging_take(ctx, m, c)) {
		*done = true;
		/* marked as one */
		d->path = GPUBE_PATH_ANY;
		d->marks[0] = d->marks[1] = NULL;
		if (marks[0])
			cudaEventRecord(marks[0], d->stream);
		status = merging_run(ctx, m, c);
		if (marks[1])
			cudaEventRecord(marks[1], d->stream);
		d->path = path;
		d->marks[0] = marks[0];
		d->marks[1] = marks[1];
	}
	for (int which = 0; which < merge->n; which++)
		if (m->made[which])
			gpube__arena_give(d->arena, ctx, m->made[which]);
	gpube__free(ctx, m);
	return status;
}

int gpube__contract_cuda(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	int64_t stride[GPUBE_BOX_IN * GPUBE_MAX_DIMS];
	const struct gpube__device *d = gpube__device_of(ctx);
	const struct gpube__box_device limits = limits_of(d);
	const struct gpube__cuda_plan *p;
	struct gpube__shape s;
	bool done = false;
	int status = check(ctx, c);

	if (status == GPUBE_OK && gpube__touches_spilled(ctx, c))
		status = gpube__contract_streamed(ctx, c, &done);
	if (status != GPUBE_OK || done)
		return status;
	if (c->n_in > GPUBE_BOX_IN || !is_aligned(c))
		return gpube__contract_general(ctx, c);
	gpube__shape_init(&s, c, stride, c->out_arg != NULL);
	status = gpube__cuda_plans_get(&p, d->plans, ctx, d->path, &limits, c, &s);
	if (status == GPUBE_OK && p->by == GPUBE_BY_MERGED)
		status = contract_merged(ctx, &p->merge, c, &done);
	return status != GPUBE_OK || done
		       ? status
		       : launch_one(ctx, p, c, (double)s.n_out_cells * (double)s.n_reduced);
}

/* ---- batches -------------------------------------------------------------------------- */

/* Contractions of a batch that one launch does, and the forms among them. */
struct group {
	gpube__box_function function;
	uint32_t threads, shared_bytes, n_blocks;
};

#define MAX_GROUPS 24
#define N_RECENT   8  /* forms that a contraction is compared with */
#define COUNTER_BYTES 8 /* before the rows of a form: see contract_whole.cuh */
#define FEW_ALONE  4 /* a launch each takes less than sending what a common one is told */

/* The contractions of a batch that have one form. */
struct form {
	struct gpube__cuda_plan plan;
	int64_t first; /* a contraction of it */
	int64_t n;
	bool aligned;  /* all of them, see is_aligned() */
	int32_t group; /* boxes: -1: not in the batch's launches */
	uint32_t at;   /* boxes: bytes to the descriptor */
	uint64_t ios;  /* with rows: bytes to those of its contractions */
};

/* Whether the form has a launch of its own, with a row of addresses for each contraction. */
static bool has_rows(const struct form *f)
{
	return f->plan.by == GPUBE_BY_TILES || f->plan.by == GPUBE_BY_WHOLE;
}

struct batch {
	const struct gpube_contraction *c;
	struct group groups[MAX_GROUPS];
	int n_groups;
	struct form *forms;
	int64_t n_forms, form_capacity;
	int32_t *form_of; /* by contraction */
	int max_in;	  /* operands of any contraction */
	uint64_t n_words;
	uint32_t most_items;
};

static bool same_dims(const struct gpube_operand *a, const struct gpube_operand *b)
{
	if (a->n_dims != b->n_dims || a->dims == b->dims)
		return a->n_dims == b->n_dims;
	return a->dims && memcmp(a->dims, b->dims, (size_t)a->n_dims * sizeof(*a->dims)) == 0;
}

static bool same_form(const struct gpube_contraction *a, const struct gpube_contraction *b)
{
	if (a->semiring != b->semiring || a->type != b->type || a->n_out != b->n_out ||
	        a->n_dims != b->n_dims || a->n_in != b->n_in || a->cut != b->cut ||
	        a->threshold != b->threshold || !a->out_arg != !b->out_arg ||
	        (a->out_arg && a->arg_bytes != b->arg_bytes) ||
	        (a->sizes != b->sizes &&
			memcmp(a->sizes, b->sizes, (size_t)a->n_dims * sizeof(*a->sizes)) != 0))
		return false;
	for (int k = 0; k < a->n_in; k++)
		if (!same_dims(&a->in[k], &b->in[k]))
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

/* Whether nothing is wrong with a contraction whose form was checked. */
static bool has_tables(const struct gpube_contraction *c)
{
	bool all = c->out != NULL;

	if (c->semiring == GPUBE_MIN_COUNT) /* counts and their modulus are no part of the form */
		return !gpube__contract_problem(c);
	for (int k = 0; k < c->n_in; k++)
		all &= c->in[k].values != NULL;
	return all;
}

/* The form of contraction i: a recent one, or a new one, for which all of it is checked. */
static int find_form(struct gpube_ctx *ctx, struct batch *b, int64_t i)
{
	const int64_t n = b->n_forms;
	struct form *f;
	int status;

	for (int64_t k = n - 1; k >= 0 && k >= n - N_RECENT; k--)
		if (same_form(&b->c[i], &b->c[b->forms[k].first]) && has_tables(&b->c[i])) {
			b->form_of[i] = (int32_t)k;
			b->forms[k].n++;
			b->forms[k].aligned &= is_aligned(&b->c[i]);
			return GPUBE_OK;
		}
	status = check(ctx, &b->c[i]);
	if (status != GPUBE_OK)
		return status;
	if (gpube__grow(ctx, &b->forms, &b->form_capacity, n + 1, sizeof(*b->forms)))
		return GPUBE_ENOMEM;
	f = &b->forms[b->n_forms++];
	f->first = i;
	f->n = 1;
	f->aligned = is_aligned(&b->c[i]);
	f->group = -1;
	b->form_of[i] = (int32_t)n;
	if (b->max_in < b->c[i].n_in)
		b->max_in = b->c[i].n_in;
	return GPUBE_OK;
}

static void plan_form(const struct gpube__device *d, struct batch *b, struct form *f)
{
	const struct gpube_contraction *c = &b->c[f->first];
	const struct gpube__box_device limits = limits_of(d);
	int64_t stride[GPUBE_BOX_IN * GPUBE_MAX_DIMS];
	struct gpube__shape s;

	f->plan.by = GPUBE_BY_GENERAL;
	if (c->n_in > GPUBE_BOX_IN)
		return;
	gpube__shape_init(&s, c, stride, c->out_arg != NULL);
	gpube__cuda_plan_batch(&f->plan, d->path, &limits, c, &s, f->n, b->n_forms, f->aligned);
	if (f->plan.by != GPUBE_BY_BOXES)
		return;
	f->group = find_group(b, &f->plan.box, c);
	if (f->group < 0)
		return;
	if (b->most_items < f->plan.box.n_items)
		b->most_items = f->plan.box.n_items;
	f->plan.box.first_word = b->n_words;
	b->n_words += (f->plan.box.n_words + 1u) / 2 * 2;
}

/* Blocks of the contractions of group g; only counts them where to is NULL. */
static uint32_t fill_work(const struct batch *b, int64_t n, int g, struct gpube__box_work *to)
{
	uint32_t at = 0;

	for (int64_t i = 0; i < n; i++) {
		const struct form *f = &b->forms[b->form_of[i]];

		if (f->group != g)
			continue;
		for (uint32_t k = 0; k < f->plan.box.blocks; k++, at++)
			if (to)
				to[at] = (struct gpube__box_work){f->at, (uint32_t)i, k};
	}
	return at;
}

/* Where the parts of a batch's descriptor lie: plans, their offsets, tables, work. */
struct parts {
	uint64_t offsets, ios, work, end;
	uint32_t n_offsets, io_bytes, direct_io_bytes;
};

static struct parts lay_out(struct batch *b, int64_t n)
{
	struct parts at = {0, 0, 0, 0, 0, 0, 0};

	for (int64_t i = 0; i < b->n_forms; i++)
		if (b->forms[i].group >= 0) {
			b->forms[i].at = (uint32_t)at.offsets;
			at.offsets += round_up(gpube__box_bytes(&b->forms[i].plan.box));
			at.n_offsets++;
		}
	at.io_bytes = (uint32_t)(offsetof(struct gpube__box_io, in) +
		(uint64_t)b->max_in * sizeof(void *));
	at.direct_io_bytes = (uint32_t)(offsetof(struct gpube__direct_io, in) +
		(uint64_t)b->max_in * sizeof(void *));
	at.ios = at.offsets + round_up(at.n_offsets * sizeof(uint32_t));
	at.work = at.ios + (at.n_offsets ? round_up((uint64_t)n * at.io_bytes) : 0);
	at.end = at.work;
	for (int g = 0; g < b->n_groups; g++) {
		b->groups[g].n_blocks = fill_work(b, n, g, NULL);
		at.end += b->groups[g].n_blocks * sizeof(struct gpube__box_work);
	}
	for (int64_t i = 0; i < b->n_forms; i++)
		if (has_rows(&b->forms[i])) {
			at.end = round_up(at.end + COUNTER_BYTES);
			b->forms[i].ios = at.end;
			at.end += (uint64_t)b->forms[i].n * at.direct_io_bytes;
		}
	return at;
}

static void fill_parts(struct batch *b, int64_t n, const struct parts *at, unsigned char *to)
{
	uint32_t *offsets = (uint32_t *)(to + at->offsets);
	struct gpube__box_work *work = (struct gpube__box_work *)(to + at->work);

	for (int64_t i = 0; i < b->n_forms; i++) {
		const struct form *f = &b->forms[i];

		if (f->group < 0)
			continue;
		memcpy(to + f->at, &f->plan.box, gpube__box_bytes(&f->plan.box));
		*offsets++ = f->at;
	}
	for (int64_t i = 0; i < n; i++) {
		struct form *f = &b->forms[b->form_of[i]];

		if (f->group >= 0) {
			fill_io((struct gpube__box_io *)(to + at->ios + (uint64_t)i * at->io_bytes),
				&f->plan.box, &b->c[i]);
		} else if (has_rows(f)) {
			/* for now where the next row goes */
			fill_direct_io((struct gpube__direct_io *)(to + f->ios), &b->c[i]);
			f->ios += at->direct_io_bytes;
		}
	}
	for (int64_t i = 0; i < b->n_forms; i++)
		if (has_rows(&b->forms[i])) {
			b->forms[i].ios -= (uint64_t)b->forms[i].n * at->direct_io_bytes;
			memset(to + b->forms[i].ios - COUNTER_BYTES, 0, COUNTER_BYTES);
		}
	for (int g = 0; g < b->n_groups; g++)
		work += fill_work(b, n, g, work);
}

static int launch_groups(struct gpube_ctx *ctx, const struct batch *b, const struct parts *at,
	const unsigned char *device, uint32_t *words)
{
	const struct gpube__box_work *work = (const struct gpube__box_work *)(device + at->work);
	int status = make_words(ctx, device, (const uint32_t *)(device + at->offsets),
		at->n_offsets, b->most_items, words);

	for (int g = 0; g < b->n_groups && status == GPUBE_OK; g++) {
		const struct group *group = &b->groups[g];

		if (group->n_blocks)
			status = launch(ctx, group->function, group->n_blocks, group->threads,
				group->shared_bytes, device, words, device + at->ios, at->io_bytes,
				work);
		work += group->n_blocks;
	}
	return status;
}

static int launch_batch(struct gpube_ctx *ctx, struct batch *b, int64_t n)
{
	const struct parts at = lay_out(b, n);
	unsigned char *host, *device;
	uint32_t *words = NULL;
	void *out;
	int status;

	if (at.end == at.work)
		return GPUBE_OK;
	if (at.offsets > UINT32_MAX)
		return gpube__fail(ctx, GPUBE_ELIMIT, "contract: too many forms in a batch");
	if (b->n_words) {
		words = (uint32_t *)gpube__lists(ctx, b->n_words * 4);
		if (!words)
			return GPUBE_ENOMEM;
	}
	host = gpube__words(ctx, &out, at.end);
	if (!host)
		return GPUBE_ENOMEM;
	device = (unsigned char *)out;
	fill_parts(b, n, &at, host);
	status = gpube__words_send(ctx, at.end);
	gpube__mark(ctx, 0);
	if (status == GPUBE_OK && words)
		status = launch_groups(ctx, b, &at, device, words);
	for (int64_t i = 0; i < b->n_forms && status == GPUBE_OK; i++) {
		const struct form *f = &b->forms[i];

		if (f->plan.by == GPUBE_BY_TILES)
			status = launch_direct(ctx, &f->plan.direct, &b->c[f->first],
				device + f->ios, at.direct_io_bytes, (uint32_t)f->n);
		else if (f->plan.by == GPUBE_BY_WHOLE)
			status = launch_whole(ctx, &f->plan.whole, &b->c[f->first], device + f->ios,
				at.direct_io_bytes, (uint32_t)f->n,
				(uint32_t *)(device + f->ios - COUNTER_BYTES));
	}
	gpube__mark(ctx, 1);
	return status;
}

/* Each alone: so tables in host memory stream, and so few need no common descriptor. */
static int contract_each(struct gpube_ctx *ctx, int64_t n, const struct gpube_contraction *c)
{
	int status = GPUBE_OK;

	for (int64_t i = 0; i < n && status == GPUBE_OK; i++)
		status = gpube__contract_cuda(ctx, &c[i]);
	return status;
}

int gpube__contract_batch_cuda(struct gpube_ctx *ctx, int64_t n, const struct gpube_contraction *c)
{
	struct batch b;
	int status = GPUBE_OK;

	if (n <= FEW_ALONE)
		return contract_each(ctx, n, c);
	for (int64_t i = 0; i < n; i++)
		if (gpube__touches_spilled(ctx, &c[i]))
			return contract_each(ctx, n, c);
	if (n > INT32_MAX)
		return gpube__fail(ctx, GPUBE_ELIMIT, "contract: too large a batch");
	memset(&b, 0, sizeof(b));
	b.c = c;
	b.form_of = (int32_t *)gpube__alloc(ctx, (uint64_t)n, sizeof(*b.form_of));
	if (!b.form_of)
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < n && status == GPUBE_OK; i++)
		status = find_form(ctx, &b, i);
	for (int64_t i = 0; i < b.n_forms && status == GPUBE_OK; i++)
		plan_form(gpube__device_of(ctx), &b, &b.forms[i]);
	/* those that no common launch takes go alone */
	for (int64_t i = 0; i < n && status == GPUBE_OK; i++) {
		const struct form *f = &b.forms[b.form_of[i]];

		if (f->group < 0 && !has_rows(f))
			status = gpube__contract_cuda(ctx, &c[i]);
	}
	if (status == GPUBE_OK)
		status = launch_batch(ctx, &b, n);
	gpube__free(ctx, b.form_of);
	gpube__free(ctx, b.forms);
	return status;
}
