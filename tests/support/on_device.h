/* on_device.h - a shape of shapes.h in the memory of a backend, and its results back. */
#ifndef GPUBE_TESTS_ON_DEVICE_H
#define GPUBE_TESTS_ON_DEVICE_H

#include "tests/support/shapes.h"

struct on_device {
	const struct gpube_ops *ops;
	struct gpube_ctx *ctx;
	struct gpube_contraction c; /* sizes and dims are the shape's */
	struct gpube_operand *in;
};

/* Copies the inputs, and the outputs as they are, which is poison if they were poisoned. */
int on_device_new(struct on_device *d, struct gpube_ctx *ctx, const struct gpube_ops *ops,
	const struct shape *s);
/* Copies the outputs into the shape's. */
int on_device_fetch(const struct on_device *d, struct shape *s);
void on_device_free(struct on_device *d);

#endif
