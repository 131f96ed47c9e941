/*
 * stream.cu - tables that the device's memory cannot hold: they lie in pinned
 * host memory, and a contraction that touches one is done in chunks
 * (stream_plan.h). While one chunk is worked on, the next one's rows come in
 * and the last one's results go out, on a stream of their own each.
 *
 * Designs weighed. (1) Managed memory: pages migrate at a fraction of the bus's
 * speed, and what is in use may be driven out. (2) Kernels that read the host's
 * memory in place: right for any layout, and kept for layouts that cannot be cut,
 * but a tile that is read twice crosses the bus twice. (3) Chunks of the output
 * with copies that run ahead: each byte crosses once. This one.
 */
#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/device/stream_plan.h"
}

struct gpube__spilled {
	char *at;
	uint64_t bytes;
	struct gpube__spilled *next;
};

enum { IN_BEGIN, IN_END, WORK_BEGIN, WORK_END, OUT_BEGIN, OUT_END, N_EVENTS };

/* Two chunks are under way: each has half of the buffer. */
struct slot {
	char *buffer;
	cudaEvent_t events[N_EVENTS];
	bool busy;
};

struct gpube__stream {
	cudaStream_t in, out;
	cudaEvent_t before;
	struct slot slots[2];
	char *buffer;
	uint64_t bytes;
	float in_ms, work_ms, out_ms; /* of the contraction under way */
};

/* ---- host memory ------------------------------------------------------------------------ */

void *gpube__spill_take(struct gpube_ctx *ctx, uint64_t bytes)
{
	struct gpube__device *d = gpube__device_of(ctx);
	struct gpube__spilled *s;
	char need[GPUBE_BYTES_TEXT];

	if (bytes > ctx->memory_bytes || d->spilled_bytes > ctx->memory_bytes - bytes) {
		gpube__fail(ctx, GPUBE_ENOMEM, "no room for a table of %s, on the device or the host",
			gpube__bytes_text(need, (double)bytes));
		return NULL;
	}
	s = (struct gpube__spilled *)gpube__alloc(ctx, 1, sizeof(*s));
	if (!s)
		return NULL;
	if (cudaMallocHost((void **)&s->at, bytes ? bytes : 1) != cudaSuccess) {
		gpube__fail(ctx, GPUBE_ENOMEM, "CUDA: no pinned memory for a table of %s: %s",
			gpube__bytes_text(need, (double)bytes),
			cudaGetErrorString(cudaGetLastError()));
		gpube__free(ctx, s);
		return NULL;
	}
	s->bytes = bytes;
	s->next = d->spilled;
	d->spilled = s;
	d->spilled_bytes += bytes;
	gpube__log(ctx, GPUBE_LOG_DETAIL, "a table of %s is kept in host memory",
		gpube__bytes_text(need, (double)bytes));
	return s->at;
}

bool gpube__spill_give(struct gpube_ctx *ctx, void *p)
{
	struct gpube__device *d = gpube__device_of(ctx);

	for (struct gpube__spilled **at = &d->spilled; *at; at = &(*at)->next) {
		struct gpube__spilled *s = *at;

		if (s->at != p)
			continue;
		*at = s->next;
		d->spilled_bytes -= s->bytes;
		cudaStreamSynchronize(d->stream); /* a kernel may still read it in place */
		cudaFreeHost(s->at);
		gpube__free(ctx, s);
		return true;
	}
	return false;
}

static bool spilled(const struct gpube__device *d, const void *p)
{
	const char *at = (const char *)p;

	for (const struct gpube__spilled *s = d->spilled; s && p; s = s->next)
		if (at >= s->at && at < s->at + s->bytes)
			return true;
	return false;
}

bool gpube__touches_spilled(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	const struct gpube__device *d = gpube__device_of(ctx);

	if (!d->spilled)
		return false;
	for (int k = 0; k < c->n_in; k++)
		if (spilled(d, c->in[k].values) || spilled(d, c->in[k].counts))
			return true;
	return spilled(d, c->out) || spilled(d, c->out_counts) || spilled(d, c->out_arg);
}

/* ---- the streams and the buffer ----------------------------------------------------------- */

void gpube__stream_close(struct gpube_ctx *ctx)
{
	struct gpube__device *d = gpube__device_of(ctx);
	struct gpube__stream *s = d->streaming;

	while (d->spilled)
		gpube__spill_give(ctx, d->spilled->at);
	if (!s)
		return;
	for (int k = 0; k < 2; k++)
		for (int e = 0; e < N_EVENTS; e++)
			if (s->slots[k].events[e])
				cudaEventDestroy(s->slots[k].events[e]);
	if (s->before)
		cudaEventDestroy(s->before);
	if (s->in)
		cudaStreamDestroy(s->in);
	if (s->out)
		cudaStreamDestroy(s->out);
	gpube__arena_give(d->arena, ctx, s->buffer);
	gpube__free(ctx, s);
	d->streaming = NULL;
}

static int stream_open(struct gpube_ctx *ctx, struct gpube__stream *s)
{
	GPUBE_ECUDA(ctx, cudaStreamCreateWithFlags(&s->in, cudaStreamNonBlocking));
	GPUBE_ECUDA(ctx, cudaStreamCreateWithFlags(&s->out, cudaStreamNonBlocking));
	GPUBE_ECUDA(ctx, cudaEventCreateWithFlags(&s->before, cudaEventDisableTiming));
	for (int k = 0; k < 2; k++)
		for (int e = 0; e < N_EVENTS; e++)
			GPUBE_ECUDA(ctx, cudaEventCreate(&s->slots[k].events[e]));
	return GPUBE_OK;
}

int gpube__stream_reserve(struct gpube_ctx *ctx, uint64_t bytes)
{
	struct gpube__device *d = gpube__device_of(ctx);
	int status = GPUBE_OK;

	if (d->streaming && d->streaming->bytes >= bytes)
		return GPUBE_OK;
	if (!d->streaming) {
		d->streaming = (struct gpube__stream *)gpube__alloc_zero(ctx, 1, sizeof(*d->streaming));
		if (!d->streaming)
			return GPUBE_ENOMEM;
		status = stream_open(ctx, d->streaming);
		if (status != GPUBE_OK)
			return status;
	}
	gpube__arena_give(d->arena, ctx, d->streaming->buffer);
	d->streaming->buffer = (char *)gpube__arena_take(d->arena, ctx, bytes);
	d->streaming->bytes = d->streaming->buffer ? bytes : 0;
	return d->streaming->buffer ? GPUBE_OK : GPUBE_ENOMEM;
}

/* ---- one contraction ---------------------------------------------------------------------- */

/* Rows to rows; a pitch that a strided copy cannot take goes row by row. */
static cudaError_t copy_rows(char *to, const void *from, const struct gpube__slice *s, size_t size,
	cudaStream_t stream)
{
	const char *at = (const char *)from + (size_t)s->first * size;
	const size_t row = (size_t)s->row * size, pitch = (size_t)s->pitch * size;
	cudaError_t error = cudaSuccess;

	if (s->rows > 1 && pitch < (size_t)INT32_MAX)
		return cudaMemcpy2DAsync(
			to, row, at, pitch, row, (size_t)s->rows, cudaMemcpyDefault, stream);
	for (int64_t r = 0; r < s->rows && error == cudaSuccess; r++)
		error = cudaMemcpyAsync(to + (size_t)r * row, at + (size_t)r * pitch, row,
			cudaMemcpyDefault, stream);
	return error;
}

/* A chunk's outputs: where the kernel writes them, and where they belong. */
struct landing {
	const char *made;
	char *to;
	uint64_t bytes;
};

/* Of one output table: in place on the device, or in the slot, from where it goes home. */
static void *land(const struct gpube__device *d, struct landing *l, int *n, char **room,
	void *table, int64_t first, int64_t cells, size_t size)
{
	char *to = (char *)table + (size_t)first * size;

	if (!table || !spilled(d, table))
		return table ? to : NULL;
	l[*n].made = *room;
	l[*n].to = to;
	l[*n].bytes = (uint64_t)cells * size;
	*room += gpube__stream_bytes(cells, size);
	return (void *)l[(*n)++].made;
}

/* Room for one operand of all chunks or of this one, and its copy. */
static int bring(struct gpube_ctx *ctx, char **room, const void **values, const void *from,
	const struct gpube__slice *s, size_t size)
{
	GPUBE_ECUDA(ctx, copy_rows(*room, from, s, size, gpube__device_of(ctx)->streaming->in));
	*values = *room;
	*room += gpube__stream_bytes(s->rows * s->row, size);
	return GPUBE_OK;
}

static int finish(struct gpube_ctx *ctx, struct gpube__stream *s, struct slot *slot)
{
	float in = 0, work = 0, out = 0;

	if (!slot->busy)
		return GPUBE_OK;
	slot->busy = false;
	GPUBE_ECUDA(ctx, cudaEventSynchronize(slot->events[OUT_END]));
	GPUBE_ECUDA(ctx, cudaEventElapsedTime(&in, slot->events[IN_BEGIN], slot->events[IN_END]));
	GPUBE_ECUDA(
		ctx, cudaEventElapsedTime(&work, slot->events[WORK_BEGIN], slot->events[WORK_END]));
	GPUBE_ECUDA(
		ctx, cudaEventElapsedTime(&out, slot->events[OUT_BEGIN], slot->events[OUT_END]));
	s->in_ms += in;
	s->work_ms += work;
	s->out_ms += out;
	return GPUBE_OK;
}

struct job {
	const struct gpube_contraction *c;
	struct gpube__stream_plan plan;
	struct gpube_operand *in; /* of c with what every chunk needs whole on the device */
	struct gpube_operand *chunk_in;
	int32_t *chunk_dims;
};

static int run_chunk(struct gpube_ctx *ctx, struct job *j, struct slot *slot, int64_t chunk)
{
	struct gpube__device *d = gpube__device_of(ctx);
	struct gpube__stream *s = d->streaming;
	const size_t size = gpube__type_size(j->c->type);
	struct gpube_contraction whole = *j->c, part;
	int64_t sizes[GPUBE_MAX_DIMS], first, cells;
	struct landing landing[3];
	char *room = slot->buffer;
	int n = 0, status;

	whole.in = j->in;
	gpube__stream_chunk(&part, sizes, j->chunk_in, j->chunk_dims, &whole, &j->plan, chunk);
	GPUBE_ECUDA(ctx, cudaEventRecord(slot->events[IN_BEGIN], s->in));
	for (int k = 0; k < j->c->n_in; k++) {
		struct gpube__slice slice;

		gpube__stream_slice(&slice, &whole, k, &j->plan, chunk);
		if (slice.whole)
			continue;
		status = bring(ctx, &room, &j->chunk_in[k].values, j->in[k].values, &slice, size);
		if (status == GPUBE_OK && j->in[k].counts)
			status = bring(ctx, &room, (const void **)&j->chunk_in[k].counts,
				j->in[k].counts, &slice, sizeof(uint64_t));
		if (status != GPUBE_OK)
			return status;
	}
	GPUBE_ECUDA(ctx, cudaEventRecord(slot->events[IN_END], s->in));
	cells = gpube__stream_out(&first, &whole, &j->plan, chunk);
	part.out = land(d, landing, &n, &room, j->c->out, first, cells, size);
	part.out_counts = (uint64_t *)land(
		d, landing, &n, &room, j->c->out_counts, first, cells, sizeof(uint64_t));
	part.out_arg = land(
		d, landing, &n, &room, j->c->out_arg, first, cells, (size_t)j->c->arg_bytes);
	GPUBE_ECUDA(ctx, cudaStreamWaitEvent(d->stream, slot->events[IN_END], 0));
	GPUBE_ECUDA(ctx, cudaEventRecord(slot->events[WORK_BEGIN], d->stream));
	status = gpube__contract_cuda(ctx, &part);
	if (status != GPUBE_OK)
		return status;
	GPUBE_ECUDA(ctx, cudaEventRecord(slot->events[WORK_END], d->stream));
	GPUBE_ECUDA(ctx, cudaStreamWaitEvent(s->out, slot->events[WORK_END], 0));
	GPUBE_ECUDA(ctx, cudaEventRecord(slot->events[OUT_BEGIN], s->out));
	for (int k = 0; k < n; k++)
		GPUBE_ECUDA(ctx, cudaMemcpyAsync(landing[k].to, landing[k].made, landing[k].bytes,
			cudaMemcpyDefault, s->out));
	GPUBE_ECUDA(ctx, cudaEventRecord(slot->events[OUT_END], s->out));
	slot->busy = true;
	return GPUBE_OK;
}

/* What every chunk needs whole comes to the front of the buffer, the slots share the rest. */
static int prepare(struct gpube_ctx *ctx, struct job *j, const bool *is_spilled)
{
	struct gpube__device *d = gpube__device_of(ctx);
	struct gpube__stream *s = d->streaming;
	const size_t size = gpube__type_size(j->c->type);
	char *room = s->buffer;
	int status;

	/* what made these tables comes first */
	GPUBE_ECUDA(ctx, cudaEventRecord(s->before, d->stream));
	GPUBE_ECUDA(ctx, cudaStreamWaitEvent(s->in, s->before, 0));
	GPUBE_ECUDA(ctx, cudaStreamWaitEvent(s->out, s->before, 0));
	for (int k = 0; k < j->c->n_in; k++) {
		struct gpube__slice slice;

		j->in[k] = j->c->in[k];
		gpube__stream_slice(&slice, j->c, k, &j->plan, 0);
		if (!slice.whole || !is_spilled[k])
			continue;
		status = bring(ctx, &room, &j->in[k].values, j->c->in[k].values, &slice, size);
		if (status == GPUBE_OK && j->in[k].counts)
			status = bring(ctx, &room, (const void **)&j->in[k].counts,
				j->c->in[k].counts, &slice, sizeof(uint64_t));
		if (status != GPUBE_OK)
			return status;
	}
	s->slots[0].buffer = room;
	s->slots[1].buffer = room + j->plan.slot_bytes;
	s->in_ms = s->work_ms = s->out_ms = 0;
	return GPUBE_OK;
}

static int run_chunks(struct gpube_ctx *ctx, struct job *j, const bool *is_spilled)
{
	struct gpube__stream *s = gpube__device_of(ctx)->streaming;
	double start = gpube__now();
	int status = prepare(ctx, j, is_spilled);

	for (int64_t i = 0; i < j->plan.n_chunks && status == GPUBE_OK; i++) {
		status = finish(ctx, s, &s->slots[i & 1]);
		if (status == GPUBE_OK)
			status = run_chunk(ctx, j, &s->slots[i & 1], i);
	}
	/* also after a failure: nothing of it may still run when its tables are freed */
	for (int k = 0; k < 2; k++) {
		int late = finish(ctx, s, &s->slots[k]);

		status = status != GPUBE_OK ? status : late;
	}
	cudaStreamSynchronize(s->in);
	cudaStreamSynchronize(gpube__device_of(ctx)->stream);
	cudaStreamSynchronize(s->out);
	if (status == GPUBE_OK)
		gpube__log(ctx, GPUBE_LOG_DETAIL,
			"streamed in %lld chunks: %.4f s; in %.4f s, kernels %.4f s, out %.4f s",
			(long long)j->plan.n_chunks, gpube__now() - start, s->in_ms * 1e-3,
			s->work_ms * 1e-3, s->out_ms * 1e-3);
	return status;
}

int gpube__contract_streamed(struct gpube_ctx *ctx, const struct gpube_contraction *c, bool *done)
{
	struct gpube__device *d = gpube__device_of(ctx);
	struct job j;
	bool *is_spilled = NULL;
	uint64_t n_dims = 0;
	int status = GPUBE_ENOMEM;

	*done = false;
	memset(&j, 0, sizeof(j));
	j.c = c;
	for (int k = 0; k < c->n_in; k++)
		n_dims += (uint64_t)c->in[k].n_dims;
	is_spilled = (bool *)gpube__alloc_zero(ctx, (uint64_t)c->n_in, sizeof(*is_spilled));
	j.in = (struct gpube_operand *)gpube__alloc(ctx, (uint64_t)c->n_in, sizeof(*j.in));
	j.chunk_in = (struct gpube_operand *)gpube__alloc(ctx, (uint64_t)c->n_in, sizeof(*j.in));
	j.chunk_dims = (int32_t *)gpube__alloc(ctx, n_dims, sizeof(*j.chunk_dims));
	if (!is_spilled || !j.in || !j.chunk_in || !j.chunk_dims)
		goto out;
	for (int k = 0; k < c->n_in; k++)
		is_spilled[k] = spilled(d, c->in[k].values) || spilled(d, c->in[k].counts);
	status = GPUBE_OK;
	if (d->streaming && gpube__stream_plan(&j.plan, c, is_spilled,
			spilled(d, c->out) || spilled(d, c->out_counts) || spilled(d, c->out_arg),
			d->streaming->bytes)) {
		*done = true;
		status = run_chunks(ctx, &j, is_spilled);
	}
out:
	gpube__free(ctx, is_spilled);
	gpube__free(ctx, j.in);
	gpube__free(ctx, j.chunk_in);
	gpube__free(ctx, j.chunk_dims);
	return status;
}
