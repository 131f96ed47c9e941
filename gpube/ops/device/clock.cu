/*
 * clock.cu - how long kernels and copies take. A pair of events stands around the
 * kernels of each contraction; it is read when its place in the ring is needed again, or when
 * all is settled, so that nothing waits for a time. Recording a pair takes about two microseconds
 * of the host, beside the 20 of a launch with its descriptors.
 */
#include "gpube/ops/device/device.cuh"

enum { N_PAIRS = 256 };

struct pair {
	cudaEvent_t events[2];
	bool under_way;
	double *to[2]; /* NULL: nowhere */
};

struct gpube__clock {
	struct pair pairs[N_PAIRS];
	int next;
	double *to[2]; /* the caller's seconds, and the family's */
	double copying;
};

int gpube__clock_open(struct gpube_ctx *ctx)
{
	struct gpube__clock *c =
		(struct gpube__clock *)gpube__alloc_zero(ctx, 1, sizeof(struct gpube__clock));

	gpube__device_of(ctx)->clock = c;
	if (!c)
		return GPUBE_ENOMEM;
	for (int k = 0; k < N_PAIRS; k++)
		for (int e = 0; e < 2; e++)
			GPUBE_ECUDA(ctx, cudaEventCreate(&c->pairs[k].events[e]));
	return GPUBE_OK;
}

void gpube__clock_free(struct gpube_ctx *ctx, struct gpube__clock *c)
{
	for (int k = 0; c && k < N_PAIRS; k++)
		for (int e = 0; e < 2; e++)
			if (c->pairs[k].events[e])
				cudaEventDestroy(c->pairs[k].events[e]);
	gpube__free(ctx, c);
}

static int read_pair(struct gpube_ctx *ctx, struct pair *p)
{
	float ms = 0;

	if (!p->under_way)
		return GPUBE_OK;
	p->under_way = false;
	GPUBE_ECUDA(ctx, cudaEventSynchronize(p->events[1]));
	GPUBE_ECUDA(ctx, cudaEventElapsedTime(&ms, p->events[0], p->events[1]));
	for (int k = 0; k < 2; k++)
		if (p->to[k])
			*p->to[k] += ms * 1e-3;
	return GPUBE_OK;
}

void gpube__clock_to(struct gpube_ctx *ctx, double *seconds)
{
	gpube__device_of(ctx)->clock->to[0] = seconds;
}

void gpube__clock_by(struct gpube_ctx *ctx, enum gpube__by by, int64_t launches)
{
	struct gpube__device *d = gpube__device_of(ctx);

	d->clock->to[1] = &d->planning.use[by].kernel;
	d->planning.use[by].launches += launches;
}

/* A failure here is the stream's: whatever is asked of it next reports it. */
void gpube__mark(struct gpube_ctx *ctx, int which)
{
	struct gpube__device *d = gpube__device_of(ctx);
	struct gpube__clock *c = d->clock;
	struct pair *p = &c->pairs[c->next];

	if (d->marks[which])
		cudaEventRecord(d->marks[which], d->stream);
	if (!c->to[0] && !c->to[1])
		return;
	if (which == 0)
		read_pair(ctx, p);
	cudaEventRecord(p->events[which], d->stream);
	if (which == 0)
		return;
	memcpy(p->to, c->to, sizeof(p->to));
	p->under_way = true;
	c->to[1] = NULL; /* what comes next tells its own */
	c->next = (c->next + 1) % N_PAIRS;
}

int gpube__clock_settle(struct gpube_ctx *ctx, double *copying)
{
	struct gpube__device *d = gpube__device_of(ctx);
	int status = GPUBE_OK;

	for (int k = 0; k < N_PAIRS; k++) {
		const int s = read_pair(ctx, &d->clock->pairs[k]);

		status = status != GPUBE_OK ? status : s;
	}
	if (copying)
		*copying = d->clock->copying;
	if (status != GPUBE_OK)
		return status;
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(d->stream));
	return GPUBE_OK;
}

double gpube__copy_begin(struct gpube_ctx *ctx)
{
	/* its failure is the copy's, too */
	(void)cudaStreamSynchronize(gpube__device_of(ctx)->stream);
	return gpube__now();
}

void gpube__copied(struct gpube_ctx *ctx, double begin)
{
	gpube__device_of(ctx)->clock->copying += gpube__now() - begin;
}

int gpube__copy_end(struct gpube_ctx *ctx, double begin)
{
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(gpube__device_of(ctx)->stream));
	gpube__copied(ctx, begin);
	return GPUBE_OK;
}
