/* sum_card.c - the program's side of sums on a card: see sum_card.h. */
#include "gpube/ops/sum/sum_card.h"
#include "gpube/ops/sum/sum_walk.h"

#include <math.h>
#include <stdlib.h>

/* A table whose cells are at most so many powers of two off is as good as settled to a product. */
#define MOST_OFF 16
/*
 * Products of what is at least this to the largest lose nothing: MOST_OFF of all inputs included.
 */
#define SAFE_LEAST (-850)
/* Shares below this are nothing, so what is lost is nothing to a table that has larger ones. */
#define LEAST_SHARE  0x1p-200
#define LEAST_NORMAL 0x1p-1000

int gpube__sum_card_open(struct gpube_sum_card *card, struct gpube_ctx *ctx)
{
	int status;

	card->sum = gpube__sum_cuda(ctx, &status);
	if (card->sum)
		card->ops = gpube__ops_cuda(ctx, &status);
	return card->sum ? GPUBE_OK : status;
}

/* Memory of the card for a table, after moving others away if need be; false: there is none. */
static bool take(
	struct gpube_ctx *ctx, const struct gpube_sum_card *card, struct gpube_sum_table *t)
{
	const uint64_t bytes = (uint64_t)t->n * sizeof(double);

	t->on = card->ops;
	do
		t->card = bytes <= card->ops->memory(ctx) ? card->ops->alloc(ctx, bytes) : NULL;
	while (!t->card && card->make_room && card->make_room(card->arg, bytes));
	return t->card != NULL;
}

/* *done false: there is no room for it. */
static int send(struct gpube_ctx *ctx, const struct gpube_sum_card *card, struct gpube_sum_table *t,
	bool *done)
{
	int status;

	if (t->card)
		return GPUBE_OK;
	*done = take(ctx, card, t);
	if (!*done)
		return GPUBE_OK;
	status = abs(t->top) > MOST_OFF ? gpube__sum_settle(ctx, t) : GPUBE_OK;
	if (!status)
		status = card->ops->upload(ctx, t->card, t->cells, (uint64_t)t->n * sizeof(double));
	if (status)
		gpube__sum_leave_card(ctx, t);
	return status;
}

int gpube__sum_fetch(struct gpube_ctx *ctx, struct gpube_sum_table *t)
{
	int status = GPUBE_OK;

	if (!t->cells) {
		t->cells = gpube__sum_cells(ctx, t->n);
		if (!t->cells)
			return GPUBE_ENOMEM;
		status = t->on->download(ctx, t->cells, t->card, (uint64_t)t->n * sizeof(double));
		if (!status)
			status = gpube__sum_settle(ctx, t);
	}
	gpube__sum_leave_card(ctx, t);
	return status;
}

/* ---- one job as the card gets it ----------------------------------------------------- */

struct prepared {
	struct gpube_sum_merged merged;
	struct gpube_sum_task task;
	int n_tables; /* that were made here */
};

static double cells_of(const struct gpube_sum_job *job, const struct gpube_sum_operand *a,
	const struct gpube_sum_operand *b)
{
	double cells = 1;

	for (int x = 0; x < job->n_axes; x++)
		cells *= a->stride[x] || b->stride[x] ? (double)job->dim[x] : 1;
	return cells;
}

static int products(struct gpube_ctx *ctx, const struct gpube_sum_card *card, int64_t n,
	struct prepared *p, bool *done);

/* The two inputs whose product is smallest become one. */
static int multiply_two(struct gpube_ctx *ctx, const struct gpube_sum_card *card,
	struct gpube_sum_job *job, struct gpube_sum_table *t, bool *done)
{
	struct gpube_sum_operand in[2], out = {.table = t};
	struct prepared p = {.merged = {.job = {.n_in = 2, .in = in, .n_out = 1, .out = &out}}};
	struct gpube_sum_job *part = &p.merged.job;
	double least = INFINITY;
	int a = 0, b = 1, status;

	for (int i = 0; i < job->n_in; i++)
		for (int k = i + 1; k < job->n_in; k++) {
			const double cells = cells_of(job, &job->in[i], &job->in[k]);

			if (cells < least) {
				least = cells;
				a = i;
				b = k;
			}
		}
	t->n = 1;
	in[0].table = job->in[a].table;
	in[1].table = job->in[b].table;
	for (int x = 0; x < job->n_axes; x++) {
		if (!job->in[a].stride[x] && !job->in[b].stride[x])
			continue;
		part->dim[part->n_axes] = job->dim[x];
		in[0].stride[part->n_axes] = job->in[a].stride[x];
		in[1].stride[part->n_axes++] = job->in[b].stride[x];
	}
	for (int x = part->n_axes - 1; x >= 0; x--) {
		out.stride[x] = t->n;
		t->n *= part->dim[x];
	}
	status = products(ctx, card, 1, &p, done);
	if (status || !*done)
		return status;
	job->in[a].table = t;
	for (int x = job->n_axes - 1, i = part->n_axes - 1; x >= 0; x--)
		if (job->in[a].stride[x] || job->in[b].stride[x])
			job->in[a].stride[x] = out.stride[i--];
	job->in[b] = job->in[--job->n_in];
	return GPUBE_OK;
}

/* Inputs become few, and are sent. */
static int prepare(struct gpube_ctx *ctx, struct prepared *p, const struct gpube_sum_card *card,
	const struct gpube_sum_job *job, bool *done)
{
	struct gpube_sum_job *to = &p->merged.job;
	int status;

	for (int k = 0; k < job->n_in; k++)
		*done = *done && !job->in[k].table->powers;
	*done = *done && job->n_in > 0;
	status = *done ? gpube__sum_merge(ctx, &p->merged, job) : GPUBE_OK;
	for (int k = 0; k < to->n_in && !status && *done; k++) {
		*done = !to->in[k].table->powers;
		if (*done)
			status = send(ctx, card, to->in[k].table, done);
	}
	/* merging has left room for what is made now: each new table stands for two */
	for (int k = 0; k < p->merged.n_tables && !status && *done && to->n_in > GPUBE_WALK_IN; k++)
		if (!p->merged.tables[k].n)
			status = multiply_two(ctx, card, to, &p->merged.tables[k], done);
	*done = *done && to->n_in <= GPUBE_WALK_IN;
	return status;
}

/* ---- launching them ------------------------------------------------------------------ */

/* Memory for the output, and how its products are to be made. */
static void begin(
	struct gpube_ctx *ctx, struct prepared *p, const struct gpube_sum_card *card, bool *done)
{
	struct gpube_sum_job *job = &p->merged.job;
	struct gpube_sum_table *out = job->out[0].table;
	int least = 0;

	*done = take(ctx, card, out);
	for (int k = 0; k < job->n_in; k++)
		least += job->in[k].table->least - job->in[k].table->top;
	p->task = (struct gpube_sum_task){
		.job = job, .by = ldexp(1, -gpube__sum_top(job)), .looks = least < SAFE_LEAST};
}

/* What was found makes a table of the output, unless it is nothing for a card. */
static bool is_sound(const struct prepared *p)
{
	const struct gpube_sum_task *t = &p->task;

	const bool far_apart = t->least < LEAST_NORMAL || t->least < LEAST_NORMAL * t->most;

	if (t->most == 0)
		return !t->lost;
	if (!(t->most < INFINITY))
		return false;
	return (!t->lost && !far_apart) || (p->merged.job.shares && t->most >= LEAST_SHARE);
}

static void take_found(struct prepared *p)
{
	struct gpube_sum_job *job = &p->merged.job;
	struct gpube_sum_table *out = job->out[0].table;

	out->power = gpube__sum_power(job) + gpube__sum_top(job);
	out->top = p->task.most > 0 ? ilogb(p->task.most) + 1 : 0;
	out->least = p->task.least > 0 ? ilogb(p->task.least) + 1 : 0;
}

/* Tables that are far off are brought to scale, in place. */
static int rescale(
	struct gpube_ctx *ctx, const struct gpube_sum_card *card, struct gpube_sum_table *t)
{
	struct gpube_sum_operand in = {.table = t, .stride = {1}}, out = in;
	struct gpube_sum_job job = {
		.n_axes = 1, .dim = {t->n}, .n_in = 1, .in = &in, .n_out = 1, .out = &out};
	struct gpube_sum_task task = {.job = &job, .by = ldexp(1, -t->top)};
	int status;

	if (abs(t->top) <= MOST_OFF)
		return GPUBE_OK;
	status = card->sum->products(ctx, 1, &task);
	t->power += t->top;
	t->least -= t->top;
	t->top = 0;
	return status;
}

/* Jobs of few inputs, which are on the card. */
static int products(struct gpube_ctx *ctx, const struct gpube_sum_card *card, int64_t n,
	struct prepared *p, bool *done)
{
	struct gpube_sum_task *tasks = gpube__alloc(ctx, (uint64_t)n, sizeof(*tasks));
	int64_t begun;
	int status = tasks ? GPUBE_OK : GPUBE_ENOMEM;

	for (begun = 0; begun < n && !status && *done; begun++) {
		begin(ctx, &p[begun], card, done);
		tasks[begun] = p[begun].task;
	}
	if (!status && *done)
		status = card->sum->products(ctx, n, tasks);
	for (int64_t i = 0; i < n && !status && *done; i++) {
		p[i].task = tasks[i];
		*done = is_sound(&p[i]);
	}
	for (int64_t i = 0; i < n && !status && *done; i++) {
		take_found(&p[i]);
		status = rescale(ctx, card, p[i].merged.job.out[0].table);
	}
	for (int64_t i = 0; i < begun && (status || !*done); i++)
		gpube__sum_leave_card(ctx, p[i].merged.job.out[0].table);
	gpube__free(ctx, tasks);
	return status;
}

int gpube__sum_products_card(struct gpube_ctx *ctx, const struct gpube_sum_card *card, int64_t n,
	struct gpube_sum_job *jobs, bool *done)
{
	struct prepared *p = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*p));
	int status = p ? GPUBE_OK : GPUBE_ENOMEM;

	*done = true;
	for (int64_t i = 0; i < n && !status && *done; i++)
		status = gpube__stopped(ctx) ? gpube__fail_stopped(ctx)
					     : prepare(ctx, &p[i], card, &jobs[i], done);
	if (!status && *done)
		status = products(ctx, card, n, p, done);
	for (int64_t i = 0; i < n && !status && *done; i++)
		jobs[i].out[0].roundings += jobs[i].n_in - p[i].merged.job.n_in;
	for (int64_t i = 0; p && i < n; i++)
		gpube__sum_merged_clear(ctx, &p[i].merged);
	gpube__free(ctx, p);
	return status;
}
