/*
 * contract_single.c - one contraction on the CPU: picks the version, and makes
 * the outputs many when there are few.
 *
 * The tiles of contract_tile.h have their lanes along output dims. An output of
 * a few cells, each of many joined ones, gets some of the reduced dims (or a
 * piece of one) as further output dims; that partial output is small, and is
 * reduced here. What is split off depends on the contraction alone, so results
 * do not depend on the number of threads.
 */
#include "gpube/ops/contract/cpu/contract_job.h"
#include "gpube/ops/contract/cpu/contract_tile.h"
#include "gpube/ops/scratch.h"
#include "gpube/ops/semiring.h"

#define FEW_OUTPUTS 256
#define MANY_JOINED 16384

/* ---- running one shape ------------------------------------------------------------------- */

struct part {
	struct gpube__job job;
	int64_t cells; /* of the added output dims */
};

static int run_by_rows(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	void *scratch = gpube__scratch_take(ctx, gpube__rows_scratch(ctx, c), 1);
	int status;

	if (!scratch)
		return GPUBE_ENOMEM;
	status = gpube__rows_contract(ctx, c, scratch);
	gpube__scratch_give(ctx, scratch);
	return status ? gpube__fail_stopped(ctx) : GPUBE_OK;
}

/* ---- splitting ------------------------------------------------------------------------------ */

/*
 * The reduced dims from 'dim' on become output dims; of 'dim' itself only pieces
 * of 'piece' values, if that is less than its size.
 */
struct split {
	int dim;
	int64_t piece, cells;
};

static struct split choose_split(const struct gpube__shape *s)
{
	const int64_t joined = s->n_out_cells * s->n_reduced;
	int64_t target = joined / 256;
	struct split sp = {s->n_dims, 1, 1};

	target = target < 1024 ? 1024 : target > 65536 ? 65536 : target;
	target = target / s->n_out_cells;
	while (sp.dim > s->n_out && sp.cells * s->size[sp.dim - 1] <= target)
		sp.cells *= s->size[--sp.dim];
	if (sp.dim < s->n_dims)
		sp.piece = s->size[sp.dim];
	if (sp.cells * 4 <= target && sp.dim > s->n_out) {
		sp.dim--;
		sp.piece = target / sp.cells;
		sp.cells *= sp.piece;
	}
	return sp;
}

static void copy_dim(struct gpube__shape *to, int d, const struct gpube__shape *from, int e,
	int64_t size, int64_t times)
{
	to->size[d] = size;
	to->out_stride[d] = 0;
	to->arg_stride[d] = from->arg_stride[e] * times;
	for (int k = 0; k < from->n_in; k++)
		to->stride[k * to->ld + d] = from->stride[k * from->ld + e] * times;
}

/* The shape of a part: 'piece' values of the split dim, 'turns' times (0: once). */
static void make_shape(struct part *part, const struct gpube__shape *s, const struct split *sp,
	int64_t piece, int64_t turns, int64_t *stride)
{
	struct gpube__shape *f = &part->job.shape;
	int n = 0;

	f->n_in = s->n_in;
	f->ld = GPUBE_MAX_DIMS;
	f->stride = stride;
	f->repeat = 1;
	for (int d = 0; d < s->n_out; d++)
		copy_dim(f, n++, s, d, s->size[d], 1);
	copy_dim(f, n++, s, sp->dim, piece, 1);
	for (int d = sp->dim + 1; d < s->n_dims; d++)
		copy_dim(f, n++, s, d, s->size[d], 1);
	f->n_out = n;
	for (int d = s->n_out; d < sp->dim; d++)
		copy_dim(f, n++, s, d, s->size[d], 1);
	if (turns > 1)
		copy_dim(f, n++, s, sp->dim, turns, piece);
	f->n_dims = n;
	f->n_out_cells = f->n_reduced = 1;
	for (int d = n - 1; d >= 0; d--) {
		if (d < f->n_out) {
			f->out_stride[d] = f->n_out_cells;
			f->n_out_cells *= f->size[d];
		} else {
			f->n_reduced *= f->size[d];
		}
	}
	part->cells = f->n_out_cells / s->n_out_cells;
}

/* Argument of cell i among the added output dims. */
static int64_t arg_of(const struct part *part, int n_out, int64_t i)
{
	const struct gpube__shape *f = &part->job.shape;

	return gpube__offset(i, f->n_out - n_out, f->size + n_out, f->arg_stride + n_out);
}

static int64_t partial(const struct gpube_contraction *c, const struct part *part, int64_t at)
{
	return c->type == GPUBE_INT32 ? ((const int32_t *)part->job.out)[at]
				      : ((const int64_t *)part->job.out)[at];
}

/* The best partial cell of output s; of equal ones the one with the first argument. */
static void reduce_best(
	const struct gpube_contraction *c, const struct part *parts, int64_t s, int n_out)
{
	int64_t best = 0, best_arg = -1;

	for (const struct part *p = parts; p < parts + 2; p++)
		for (int64_t i = 0; i < p->cells; i++) {
			const int64_t at = s * p->cells + i, v = partial(c, p, at);
			int64_t arg = 0;

			if (best_arg >= 0 && v > best)
				continue;
			if (p->job.args)
				arg = p->job.args[at] + arg_of(p, n_out, i);
			if (best_arg < 0 || v < best || arg < best_arg) {
				best = v;
				best_arg = arg;
			}
		}
	if (c->out_arg)
		gpube__store_arg(c->out_arg, c->arg_bytes, s, best_arg);
	best = gpube__top_min(best, c->top, c->threshold);
	if (c->type == GPUBE_INT32)
		((int32_t *)c->out)[s] = (int32_t)best;
	else
		((int64_t *)c->out)[s] = best;
}

static int run_split(struct gpube_ctx *ctx, const struct gpube_contraction *c,
	const struct gpube__shape *s, const char **values)
{
	const struct split sp = choose_split(s);
	const int64_t turns = s->size[sp.dim] / sp.piece, rest = s->size[sp.dim] % sp.piece;
	const uint64_t n_in = (uint64_t)s->n_in, row = GPUBE_MAX_DIMS;
	int64_t *stride = gpube__scratch_take(ctx, 2 * n_in * row + n_in, sizeof(*stride));
	const char **rest_values = stride ? (const char **)(stride + 2 * n_in * row) : NULL;
	const struct gpube__job job = {.ctx = ctx, .c = c, .values = values};
	struct part parts[2] = {{.job = job}, {.job = job}};
	int status = stride ? GPUBE_OK : GPUBE_ENOMEM;

	if (status)
		return status;
	make_shape(&parts[0], s, &sp, sp.piece, turns, stride);
	if (rest) {
		const int64_t from = turns * sp.piece;

		make_shape(&parts[1], s, &sp, rest, 0, stride + n_in * row);
		parts[1].job.values = rest_values;
		parts[1].job.arg_base = from * s->arg_stride[sp.dim];
		for (int k = 0; k < s->n_in; k++)
			rest_values[k] = values[k] + from * s->stride[k * s->ld + sp.dim] *
							     (int64_t)gpube__type_size(c->type);
	}
	for (int i = 0; i < 2 && parts[i].cells && !status; i++) {
		struct gpube__job *part = &parts[i].job;
		const uint64_t cells = (uint64_t)part->shape.n_out_cells;

		part->out = gpube__scratch_take(ctx, cells, 8);
		part->args = c->out_arg ? gpube__scratch_take(ctx, cells, 8) : NULL;
		status = GPUBE_ENOMEM;
		if (part->out && (part->args || !c->out_arg))
			status = gpube__run_job(part);
	}
	for (int64_t i = 0; i < s->n_out_cells && !status; i++)
		reduce_best(c, parts, i, s->n_out);
	for (int i = 0; i < 2; i++) {
		gpube__scratch_give(ctx, parts[i].job.out);
		gpube__scratch_give(ctx, parts[i].job.args);
	}
	gpube__scratch_give(ctx, stride);
	return status;
}

int gpube__cpu_contract(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	const uint64_t n_in = (uint64_t)c->n_in;
	struct gpube__job job = {.ctx = ctx, .c = c};
	const struct gpube__shape *s = &job.shape;
	int64_t *stride;
	int status;

	if (c->semiring == GPUBE_MIN_COUNT)
		return run_by_rows(ctx, c);
	stride = gpube__scratch_take(ctx, n_in * (GPUBE_MAX_DIMS + 1), sizeof(*stride));
	if (!stride)
		return GPUBE_ENOMEM;
	job.values = (const char **)(stride + n_in * GPUBE_MAX_DIMS);
	for (int k = 0; k < c->n_in; k++)
		job.values[k] = c->in[k].values;
	gpube__shape_init(&job.shape, c, stride, c->out_arg != NULL);
	if (s->n_out_cells <= FEW_OUTPUTS && s->n_reduced >= MANY_JOINED / s->n_out_cells &&
		s->n_reduced >= 64)
		status = run_split(ctx, c, s, job.values);
	else
		status = gpube__run_job(&job);
	gpube__scratch_give(ctx, stride);
	return status == GPUBE_ERANGE ? run_by_rows(ctx, c) : status;
}
