/* on_device.c - see on_device.h. */
#include "tests/support/on_device.h"

#include "gpube/ops/index.h"

#include <stdlib.h>

static int copy(struct on_device *d, void *out, const void *from, uint64_t bytes)
{
	void *p = d->ops->alloc(d->ctx, bytes);
	int status = p ? d->ops->upload(d->ctx, p, from, bytes) : GPUBE_ENOMEM;

	*(void **)out = p;
	return status;
}

int on_device_new(struct on_device *d, struct gpube_ctx *ctx, const struct gpube_ops *ops,
	const struct shape *s)
{
	int status = 0;

	d->ops = ops;
	d->ctx = ctx;
	d->c = s->c;
	d->in = calloc((size_t)s->c.n_in + 1, sizeof(*d->in));
	if (!d->in)
		abort();
	d->c.in = d->in;
	d->c.out = d->c.out_counts = d->c.out_arg = NULL;
	for (int k = 0; k < s->c.n_in && status == 0; k++) {
		d->in[k] = s->in[k];
		d->in[k].counts = NULL;
		status = copy(d, &d->in[k].values, s->in[k].values, shape_in_bytes(s, k));
		if (status == 0 && s->in[k].counts)
			status = copy(d, &d->in[k].counts, s->in[k].counts,
				(uint64_t)gpube__operand_cells(&s->c, k) * 8);
	}
	if (status == 0)
		status = copy(d, &d->c.out, s->c.out, shape_out_bytes(s));
	if (status == 0 && s->c.out_counts)
		status = copy(d, &d->c.out_counts, s->c.out_counts, (uint64_t)s->out_cells * 8);
	if (status == 0 && s->c.out_arg)
		status = copy(
			d, &d->c.out_arg, s->c.out_arg, (uint64_t)(s->out_cells * s->c.arg_bytes));
	return status;
}

int on_device_fetch(const struct on_device *d, struct shape *s)
{
	int status = d->ops->download(d->ctx, s->c.out, d->c.out, shape_out_bytes(s));

	if (status == 0 && s->c.out_counts)
		status = d->ops->download(
			d->ctx, s->c.out_counts, d->c.out_counts, (uint64_t)s->out_cells * 8);
	if (status == 0 && s->c.out_arg)
		status = d->ops->download(d->ctx, s->c.out_arg, d->c.out_arg,
			(uint64_t)(s->out_cells * s->c.arg_bytes));
	return status;
}

void on_device_free(struct on_device *d)
{
	for (int k = 0; k < d->c.n_in; k++) {
		d->ops->free(d->ctx, (void *)d->in[k].values);
		d->ops->free(d->ctx, (void *)d->in[k].counts);
	}
	d->ops->free(d->ctx, d->c.out);
	d->ops->free(d->ctx, d->c.out_counts);
	d->ops->free(d->ctx, d->c.out_arg);
	free(d->in);
}
