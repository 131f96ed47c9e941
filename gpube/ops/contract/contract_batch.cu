/* contract_batch.cu - contract_batch: forms, plans for each, common launches. */
#include "gpube/ops/contract/contract_launch.cuh"

#define MAX_IN_BATCH 4096 /* blocks of a contraction that still joins a batch's launch */

/* Contractions of a batch that one launch does, and the forms among them. */
struct group {
	gpube__box_function function;
	uint32_t threads, shared_bytes, n_blocks;
};

#define MAX_GROUPS 24
#define N_RECENT   8 /* forms that a contraction is compared with */
#define FEW_ALONE  4 /* a launch each takes less than sending what a common one is told */

/* The contractions of a batch that have one form. */
struct form {
	struct gpube__cuda_plan plan;
	int64_t first; /* a contraction of it */
	int64_t n;
	int32_t group; /* boxes: -1: not in the batch's launches */
	uint32_t at;   /* boxes: bytes to the descriptor */
	uint64_t ios;  /* with rows: bytes to those of its contractions */
};

/* Whether the form has a launch of its own, with a row of addresses for each contraction. */
static bool has_rows(const struct form *f)
{
	return f->plan.by == GPUBE_BY_DIRECT;
}

struct batch {
	const struct gpube_contraction *c;
	struct group groups[MAX_GROUPS];
	int n_groups;
	struct form *forms;
	int64_t n_forms, form_capacity;
	int32_t *form_of; /* by contraction */
	int max_in;       /* operands of any contraction */
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
		a->n_dims != b->n_dims || a->n_in != b->n_in || a->top != b->top ||
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
	const gpube__box_function f = gpube__box_function_of(p, c);
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
			return GPUBE_OK;
		}
	status = gpube__contract_check(ctx, &b->c[i]);
	if (status != GPUBE_OK)
		return status;
	if (gpube__grow(ctx, &b->forms, &b->form_capacity, n + 1, sizeof(*b->forms)))
		return GPUBE_ENOMEM;
	f = &b->forms[b->n_forms++];
	f->first = i;
	f->n = 1;
	f->group = -1;
	b->form_of[i] = (int32_t)n;
	if (b->max_in < b->c[i].n_in)
		b->max_in = b->c[i].n_in;
	return GPUBE_OK;
}

static void plan_form(struct gpube__device *d, struct batch *b, struct form *f)
{
	const struct gpube_contraction *c = &b->c[f->first];
	int64_t stride[GPUBE_BOX_IN * GPUBE_MAX_DIMS];
	struct gpube__shape s;

	f->plan.by = GPUBE_BY_GENERAL;
	if (c->n_in > GPUBE_BOX_IN)
		return;
	gpube__shape_init(&s, c, stride, c->out_arg != NULL);
	gpube__cuda_plan_batch(&f->plan, &d->planning, c, &s, f->n, b->n_forms);
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
			at.offsets += gpube__round_up(gpube__box_bytes(&b->forms[i].plan.box));
			at.n_offsets++;
		}
	at.io_bytes = (uint32_t)(offsetof(struct gpube__box_io, in) +
				 (uint64_t)b->max_in * sizeof(void *));
	at.direct_io_bytes = (uint32_t)(offsetof(struct gpube__direct_io, in) +
					(uint64_t)b->max_in * sizeof(void *));
	at.ios = at.offsets + gpube__round_up(at.n_offsets * sizeof(uint32_t));
	at.work = at.ios + (at.n_offsets ? gpube__round_up((uint64_t)n * at.io_bytes) : 0);
	at.end = at.work;
	for (int g = 0; g < b->n_groups; g++) {
		b->groups[g].n_blocks = fill_work(b, n, g, NULL);
		at.end += b->groups[g].n_blocks * sizeof(struct gpube__box_work);
	}
	for (int64_t i = 0; i < b->n_forms; i++)
		if (has_rows(&b->forms[i])) {
			at.end = gpube__round_up(at.end);
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
			gpube__fill_io(
				(struct gpube__box_io *)(to + at->ios + (uint64_t)i * at->io_bytes),
				&f->plan.box, &b->c[i]);
		} else if (has_rows(f)) {
			/* for now where the next row goes */
			gpube__fill_direct_io((struct gpube__direct_io *)(to + f->ios), &b->c[i]);
			f->ios += at->direct_io_bytes;
		}
	}
	for (int64_t i = 0; i < b->n_forms; i++)
		if (has_rows(&b->forms[i]))
			b->forms[i].ios -= (uint64_t)b->forms[i].n * at->direct_io_bytes;
	for (int g = 0; g < b->n_groups; g++)
		work += fill_work(b, n, g, work);
}

static int launch_groups(struct gpube_ctx *ctx, const struct batch *b, const struct parts *at,
	const unsigned char *device, uint32_t *words)
{
	const struct gpube__box_work *work = (const struct gpube__box_work *)(device + at->work);
	int status = gpube__make_words(ctx, device, (const uint32_t *)(device + at->offsets),
		at->n_offsets, b->most_items, words);

	for (int g = 0; g < b->n_groups && status == GPUBE_OK; g++) {
		const struct group *group = &b->groups[g];

		if (group->n_blocks)
			status = gpube__launch_boxes(ctx, group->function, group->n_blocks,
				group->threads, group->shared_bytes, device, words,
				device + at->ios, at->io_bytes, work);
		work += group->n_blocks;
	}
	return status;
}

static int launch_batch(struct gpube_ctx *ctx, struct batch *b, int64_t n)
{
	const struct parts at = lay_out(b, n);
	unsigned char *host, *device;
	uint32_t *words = NULL;
	int64_t n_rows = 0; /* forms that have them */
	void *out;
	int status;

	for (int64_t i = 0; i < b->n_forms; i++)
		n_rows += has_rows(&b->forms[i]);
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
	if (status == GPUBE_OK && words) {
		gpube__clock_by(ctx, GPUBE_BY_BOXES, b->n_groups);
		gpube__mark(ctx, 0);
		status = launch_groups(ctx, b, &at, device, words);
		gpube__mark(ctx, 1);
	}
	if (!n_rows)
		return status;
	gpube__clock_by(ctx, GPUBE_BY_DIRECT, n_rows);
	gpube__mark(ctx, 0);
	for (int64_t i = 0; i < b->n_forms && status == GPUBE_OK; i++) {
		const struct form *f = &b->forms[i];

		if (has_rows(f))
			status = gpube__launch_direct(ctx, &f->plan.direct, &b->c[f->first],
				device + f->ios, at.direct_io_bytes, (uint32_t)f->n);
	}
	gpube__mark(ctx, 1);
	return status;
}

int gpube__contract_batch_cuda(struct gpube_ctx *ctx, int64_t n, const struct gpube_contraction *c)
{
	struct batch b;
	double ticks = 0;
	int status = GPUBE_OK;

	if (n <= FEW_ALONE) {
		for (int64_t i = 0; i < n && status == GPUBE_OK; i++)
			status = gpube__contract_cuda(ctx, &c[i]);
		return status;
	}
	if (n > INT32_MAX)
		return gpube__fail(ctx, GPUBE_ELIMIT, "contract: too large a batch");
	for (int64_t i = 0; i < n; i++)
		ticks += gpube__contraction_ticks(&c[i]);
	gpube__work(ctx, (int64_t)(ticks / GPUBE_CARD_CORES));
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
