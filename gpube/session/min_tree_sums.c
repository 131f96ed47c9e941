/* min_tree_sums.c - the messages, up and down: see min_tree.h. */
#include "gpube/session/min_tree.h"

#include <string.h>

/* Places 0, 1, 2 ... of a scope. */
static const int32_t *places(void)
{
	static const int32_t all[GPUBE_MAX_DIMS + 1] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
		13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
		34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54,
		55, 56, 57, 58, 59, 60, 61, 62, 63, 64};

	return all;
}

int gpube__min_inputs(struct gpube_min_tree *t, int32_t b, struct gpube_min_choice which)
{
	const struct gpube_min_bucket *x = &t->buckets[b];
	struct gpube_min_input *in = t->inputs;
	int n = 0;

	for (int32_t f = x->function; f >= 0; f = t->functions[f].next)
		in[n++] = (struct gpube_min_input){
			t->functions[f].cells, t->m->functions[f].arity, t->functions[f].axis};
	for (int32_t c = x->child; c >= 0; c = t->buckets[c].sibling)
		if (c != which.but)
			in[n++] = (struct gpube_min_input){
				t->buckets[c].up, t->buckets[c].n_scope - 1, t->buckets[c].axis};
	if (which.down && x->parent >= 0)
		in[n++] = (struct gpube_min_input){x->down, x->n_scope - 1, places() + 1};
	if (which.unary)
		in[n++] = (struct gpube_min_input){x->unary, 1, places()};
	return n;
}

/* out: over 'n_out' places of a bucket, the least of the sum of its inputs. */
static int contract(struct gpube_min_tree *t, int32_t b, void *out, int n_out,
	const int32_t *out_places, struct gpube_min_choice which)
{
	const struct gpube_min_bucket *x = &t->buckets[b];
	struct gpube_contraction c = {.semiring = GPUBE_MIN_PLUS,
		.type = t->type,
		.n_out = n_out,
		.n_dims = x->n_scope,
		.n_in = gpube__min_inputs(t, b, which),
		.in = t->operands,
		.top = t->top,
		.threshold = t->top,
		.out = out};
	int32_t dim[GPUBE_MAX_DIMS], n = n_out;
	int64_t sizes[GPUBE_MAX_DIMS], cells = 1;

	if (gpube__stopped(t->ctx))
		return gpube__fail_stopped(t->ctx);
	for (int k = 0; k < x->n_scope; k++)
		dim[k] = -1;
	for (int k = 0; k < n_out; k++)
		dim[out_places[k]] = k;
	for (int k = 0; k < x->n_scope; k++) {
		dim[k] = dim[k] < 0 ? n++ : dim[k];
		sizes[dim[k]] = gpube__min_domain(t, x->scope[k]);
	}
	c.sizes = sizes;
	for (int i = 0; i < c.n_in; i++) {
		int32_t *dims = t->dims + (int64_t)i * GPUBE_MAX_DIMS;

		for (int k = 0; k < t->inputs[i].n_axes; k++)
			dims[k] = dim[t->inputs[i].axis[k]];
		t->operands[i] = (struct gpube_operand){
			.values = t->inputs[i].cells, .n_dims = t->inputs[i].n_axes, .dims = dims};
	}
	if (c.n_in)
		return t->ops->contract(t->ctx, &c);
	for (int k = 0; k < n_out; k++)
		cells *= sizes[k];
	memset(out, 0, (size_t)cells * gpube__type_size(t->type));
	return GPUBE_OK;
}

/* A slice of a table at a value of the bucket's own variable, without that axis. */
static struct gpube_operand slice(
	const struct gpube_min_tree *t, int32_t b, int input, int32_t value, int32_t *dims)
{
	const struct gpube_min_input *in = &t->inputs[input];
	const bool has_own = in->n_axes > 0 && in->axis[0] == 0;
	int64_t cells = 1;

	for (int k = has_own; k < in->n_axes; k++) {
		dims[k - has_own] = in->axis[k] - 1;
		cells *= gpube__min_domain(t, t->buckets[b].scope[in->axis[k]]);
	}
	return (struct gpube_operand){
		.values = (const char *)in->cells +
			  (has_own ? (size_t)(cells * value) * gpube__type_size(t->type) : 0),
		.n_dims = in->n_axes - has_own,
		.dims = dims};
}

int gpube__min_best(struct gpube_min_tree *t, int32_t b, int32_t value,
	struct gpube_min_choice which, uint32_t *best)
{
	const struct gpube_min_bucket *x = &t->buckets[b];
	int64_t sizes[GPUBE_MAX_DIMS];
	struct gpube_contraction c = {.semiring = GPUBE_MIN_PLUS,
		.type = t->type,
		.n_dims = x->n_scope - 1,
		.sizes = sizes,
		.n_in = gpube__min_inputs(t, b, which),
		.in = t->operands,
		.top = t->top,
		.threshold = t->top,
		.out = t->cells,
		.out_arg = best,
		.arg_bytes = sizeof(*best)};

	for (int k = 1; k < x->n_scope; k++)
		sizes[k - 1] = gpube__min_domain(t, x->scope[k]);
	for (int i = 0; i < c.n_in; i++)
		t->operands[i] = slice(t, b, i, value, t->dims + (int64_t)i * GPUBE_MAX_DIMS);
	return t->ops->contract(t->ctx, &c);
}

int gpube__min_up(struct gpube_min_tree *t)
{
	const struct gpube_min_choice all = {.but = -1, .unary = true};
	int status = GPUBE_OK;

	for (int32_t p = 0; p < t->n && !status; p++) {
		struct gpube_min_bucket *x = &t->buckets[p];

		if (x->up_known)
			continue;
		status = contract(t, p, x->up, x->n_scope - 1, places() + 1, all);
		x->up_known = !status;
	}
	return status;
}

/* The message down to a bucket, whose parent has its own. */
static int go_down(struct gpube_min_tree *t, int32_t b)
{
	struct gpube_min_bucket *x = &t->buckets[b];
	int status;

	if (!x->down)
		x->down = t->ops->alloc(t->ctx, (uint64_t)x->message * gpube__type_size(t->type));
	if (!x->down)
		return GPUBE_ENOMEM;
	status = contract(t, x->parent, x->down, x->n_scope - 1, x->axis,
		(struct gpube_min_choice){.but = b, .down = true, .unary = true});
	x->down_known = !status;
	return status;
}

int gpube__min_own(struct gpube_min_tree *t, int32_t b)
{
	struct gpube_min_bucket *x = &t->buckets[b];
	int status = GPUBE_OK;

	if (x->own_known)
		return GPUBE_OK;
	/* from the last bucket above whose message is known; there are no more than n ways */
	while (!status && x->parent >= 0 && !x->down_known) {
		int32_t c = b;

		while (t->buckets[t->buckets[c].parent].parent >= 0 &&
			!t->buckets[t->buckets[c].parent].down_known)
			c = t->buckets[c].parent;
		status = go_down(t, c);
	}
	if (!status)
		status = contract(t, b, t->cells, 1, places(),
			(struct gpube_min_choice){.but = -1, .down = true});
	for (int32_t a = 0; a < gpube__min_domain(t, b) && !status; a++) {
		const int64_t v = gpube__min_cell(t, t->cells, a);

		x->own[a] = v >= t->top ? GPUBE_INF : v;
	}
	x->own_known = !status;
	return status;
}
