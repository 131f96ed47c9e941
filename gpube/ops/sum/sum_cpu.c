/*
 * sum_cpu.c - sums of products on all threads: see sum.h.
 *
 * The last axes make a panel of some hundred cells, which is worked on in the cache: the products
 * of its cells are made table by table, then added to the outputs. Before them come the axes that
 * every output has; each of their cells is an item, with output cells of its own, so that threads
 * never meet and sums have one order. Within an item run the other axes, those that are summed
 * over.
 *
 * Doubles can be too small for a product. The processor notes it, at no cost, and then the job is
 * done again with a power for each cell.
 */
#include "gpube/ops/sum/sum_axes.h"
#include "gpube/ops/sum/sum_panel.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum {
	SMALL_WORK = 1 << 15, /* multiplications that one thread does by itself */
	CHUNKS_PER_THREAD = 16,
	BETWEEN_LOOKS = 256, /* for a stop: panels of an item */
};

/* How a table lies in a panel. */
enum lie { LIE_ONE, LIE_STRAIGHT, LIE_MIXED };

struct operand {
	const struct gpube_sum_operand *o;
	enum lie lie;
	int32_t *at; /* MIXED: of each cell of the panel */
	struct gpube_sum_places places;
	/* of an output; n_folds is 0 where the places do not follow each other */
	struct gpube_sum_folds folds;
};

/* In a cache line of its own. */
struct extremes {
	double most, least, unused[6];
};

struct run {
	struct gpube_ctx *ctx;
	struct gpube_sum_job *job;
	const struct gpube_sum_loops *loops;
	struct gpube_sum_axes items, rest, panel;
	struct operand *operand; /* inputs first, then outputs */
	struct gpube_sum_segments segments;
	int n_operands;
	int64_t chunk; /* items */
	double *buf;   /* a panel for each thread, with weights several */
	int64_t buf_cells;
	struct gpube_sum_operand weights; /* the last operand, where there are any */
	int64_t *begin;                   /* offsets for each thread: of an item, and within it */
	double by;                        /* so that products of the inputs are at most 1 */
	bool apart;
	/* the one output has all axes of the panel: what comes first is not added, but stored */
	bool stores;
	struct extremes *extremes;              /* of what each thread stores */
	bool lost, past, out_of_range, stopped; /* set by any thread */
};

/* Odometer over axes, the last one fastest, which moves offsets with it. */
static bool step(const struct run *r, const struct gpube_sum_axes *x, int64_t *count, int64_t *at)
{
	for (int k = x->n - 1; k >= 0; k--) {
		const int a = x->axis[k];
		const bool carry = ++count[k] == r->job->dim[a];
		const int64_t by = carry ? r->job->dim[a] - 1 : 1;

		if (carry)
			count[k] = 0;
		for (int i = 0; i < r->n_operands; i++)
			at[i] += carry ? -by * r->operand[i].o->stride[a]
				       : r->operand[i].o->stride[a];
		if (!carry)
			return true;
	}
	return false;
}

static int64_t in_panel(const struct operand *o, int64_t i)
{
	return o->lie == LIE_ONE ? 0 : o->lie == LIE_STRAIGHT ? i : o->at[i];
}

/* A panel's products with powers of their own, cell by cell. */
static void panel_apart(struct run *r, const int64_t *at)
{
	const struct gpube_sum_job *job = r->job;

	for (int64_t i = 0; i < r->panel.cells; i++) {
		struct gpube_wide v = {0.5, 1};

		for (int k = 0; k < job->n_in && v.m != 0; k++)
			v = gpube__wide_mul(v, gpube__sum_cell_here(job->in[k].table,
						       at[k] + in_panel(&r->operand[k], i)));
		for (int j = 0; j < job->n_out && v.m != 0; j++) {
			const int k = job->n_in + j;

			if (!gpube__sum_add(
				    job->out[j].table, at[k] + in_panel(&r->operand[k], i), v))
				__atomic_store_n(&r->out_of_range, true, __ATOMIC_RELAXED);
		}
	}
}

/* A panel's products to an output that has some of its axes. Behind them is room for as many. */
static void add_mixed(const struct run *r, const struct operand *o, double *out, double *buf)
{
	const struct gpube_sum_folds *x = &o->folds;
	int64_t n = r->panel.cells;
	const double *from = buf;

	if (x->n_folds == 0) {
		r->loops->scatter(out, o->at, buf, n);
		return;
	}
	for (int k = 0; k < x->n_folds; k++, from = buf + r->panel.cells)
		n = r->loops->fold(buf + r->panel.cells, from, n, x->n[k], x->inner[k]);
	r->loops->add(out, from, n);
}

/* The same in doubles. first: nothing has been added to the output, which stores */
static void panel_plain(struct run *r, const int64_t *at, double *buf, bool first)
{
	const struct gpube_sum_job *job = r->job;
	const struct gpube_sum_loops *l = r->loops;
	const int64_t n = r->panel.cells;
	const struct operand *first_out = &r->operand[job->n_in];
	const bool fuse = job->n_out == 1 && first_out->lie != LIE_MIXED && !first;
	const double *last = NULL; /* to be multiplied when it is added */
	double one = r->by, sum;
	bool begun = false;

	for (int k = 0; k < job->n_in; k++)
		if (r->operand[k].lie == LIE_ONE)
			one *= job->in[k].table->cells[at[k]];
	if (first)
		buf = job->out[0].table->cells + at[job->n_in];
	if (one == 0 && first)
		memset(buf, 0, (size_t)n * sizeof(*buf));
	if (one == 0)
		return;
	for (int k = 0; k < job->n_in; k++) {
		const struct operand *o = &r->operand[k];
		const double *p = job->in[k].table->cells + at[k];

		if (o->lie == LIE_ONE)
			continue;
		if (!begun)
			l->set(buf, one, p, &o->places, n);
		else if (fuse && !last && o->lie == LIE_STRAIGHT)
			last = p;
		else
			l->multiply(buf, p, &o->places, n);
		begun = true;
	}
	for (int64_t i = 0; i < n && !begun; i++)
		buf[i] = one;
	if (first)
		return;
	if (last) {
		double *out = job->out[0].table->cells + at[job->n_in];

		if (first_out->lie == LIE_ONE)
			*out += l->total_product(buf, last, n);
		else
			l->add_product(out, buf, last, n);
		return;
	}
	sum = -1;
	for (int j = 0; j < job->n_out; j++) {
		const struct operand *o = &r->operand[job->n_in + j];
		double *out = job->out[j].table->cells + at[job->n_in + j];

		if (o->lie == LIE_STRAIGHT)
			l->add(out, buf, n);
		else if (o->lie == LIE_MIXED)
			add_mixed(r, o, out, buf);
		if (o->lie != LIE_ONE)
			continue;
		sum = sum < 0 ? l->total(buf, n) : sum;
		*out += sum;
	}
}

/* The panel's products for each value of the first axis, whose sums the weights are divided by. */
static void panel_posterior(struct run *r, const int64_t *at, double *buf)
{
	const struct gpube_sum_job *job = r->job;
	const struct gpube_sum_loops *l = r->loops;
	const struct gpube_sum_operand *out = &job->out[0];
	const int64_t n = r->panel.cells, n_values = job->dim[0];
	double *sums = buf + n_values * n;

	memset(sums, 0, (size_t)n * sizeof(*sums));
	for (int64_t x = 0; x < n_values; x++, buf += n) {
		double one = r->by;
		bool begun = false;

		for (int k = 0; k < job->n_in; k++)
			if (r->operand[k].lie == LIE_ONE)
				one *= job->in[k].table->cells[at[k] + x * job->in[k].stride[0]];
		for (int k = 0; k < job->n_in; k++) {
			const double *p =
				job->in[k].table->cells + at[k] + x * job->in[k].stride[0];

			if (r->operand[k].lie == LIE_ONE)
				continue;
			if (begun)
				l->multiply(buf, p, &r->operand[k].places, n);
			else
				l->set(buf, one, p, &r->operand[k].places, n);
			begun = true;
		}
		for (int64_t i = 0; i < n && !begun; i++)
			buf[i] = one;
		l->add(sums, buf, n);
	}
	l->divide(sums, job->weights->cells + at[job->n_in + 1], sums, n);
	buf = sums - n_values * n;
	for (int64_t x = 0; x < n_values; x++, buf += n)
		out->table->cells[at[job->n_in] + x * out->stride[0]] +=
			l->total_product(buf, sums, n);
}

static void take_extremes(const struct run *r, const int64_t *at, struct extremes *x)
{
	double most, least;

	r->loops->extremes(
		r->job->out[0].table->cells + at[r->job->n_in], r->panel.cells, &most, &least);
	x->most = most > x->most ? most : x->most;
	x->least = least < x->least ? least : x->least;
}

static void item(struct run *r, int64_t *at, double *buf, struct extremes *x)
{
	int64_t count[GPUBE_SUM_AXES] = {0}, n = 0;
	bool stopped = false;

	do {
		if (r->apart)
			panel_apart(r, at);
		else if (r->job->weights)
			panel_posterior(r, at, buf);
		else if (r->segments.n)
			gpube__sum_segments_panel(
				&r->segments, r->job, at, r->by, r->stores && n == 0);
		else
			panel_plain(r, at, buf, r->stores && n == 0);
		stopped = ++n % BETWEEN_LOOKS == 0 && gpube__stopped(r->ctx);
	} while (!stopped && step(r, &r->rest, count, at));
	if (r->stores && !r->apart)
		take_extremes(r, at, x);
	if (stopped)
		__atomic_store_n(&r->stopped, true, __ATOMIC_RELAXED);
}

/*
 * Products too small for a normal double become 0, which is noted as underflow is: to make them
 * takes some processors a hundred times as long as others, and is_harmless() counts on neither.
 * Returns what holds for the thread otherwise.
 */
static unsigned flush_small(void)
{
#ifdef __SSE2__
	const unsigned was = _MM_GET_FLUSH_ZERO_MODE();

	_MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
	return was;
#else
	return 0;
#endif
}

static void keep_small(unsigned was)
{
#ifdef __SSE2__
	_MM_SET_FLUSH_ZERO_MODE(was);
#else
	(void)was;
#endif
}

static void chunk(void *arg, int64_t c, int thread)
{
	struct run *r = arg;
	int64_t *at = r->begin + (int64_t)thread * r->n_operands, count[GPUBE_SUM_AXES];
	int64_t first = c * r->chunk, left = first;
	double *buf = r->buf + thread * r->buf_cells;
	const int64_t end = first + r->chunk < r->items.cells ? first + r->chunk : r->items.cells;
	unsigned small;

	if (__atomic_load_n(&r->stopped, __ATOMIC_RELAXED))
		return;
	memset(at, 0, (size_t)r->n_operands * sizeof(*at));
	for (int k = r->items.n - 1; k >= 0; k--) {
		const int a = r->items.axis[k];

		count[k] = left % r->job->dim[a];
		left /= r->job->dim[a];
		for (int i = 0; i < r->n_operands; i++)
			at[i] += count[k] * r->operand[i].o->stride[a];
	}
	small = flush_small();
	feclearexcept(FE_UNDERFLOW | FE_OVERFLOW);
	for (; first < end && !__atomic_load_n(&r->stopped, __ATOMIC_RELAXED); first++) {
		item(r, at, buf, &r->extremes[thread]);
		step(r, &r->items, count, at);
		if (gpube__stopped(r->ctx))
			__atomic_store_n(&r->stopped, true, __ATOMIC_RELAXED);
	}
	keep_small(small);
	if (fetestexcept(FE_UNDERFLOW | FE_OVERFLOW))
		__atomic_store_n(&r->lost, true, __ATOMIC_RELAXED);
	if (fetestexcept(FE_OVERFLOW))
		__atomic_store_n(&r->past, true, __ATOMIC_RELAXED);
}

/* ---- the plan ------------------------------------------------------------------------------ */

/* Where the cells of a panel are in a table. */
static int lay(struct run *r, struct operand *o)
{
	const struct gpube_sum_job *job = r->job;
	const struct gpube_sum_axes *x = &r->panel;
	int64_t straight = 1;
	bool one = true, in_order = true;

	o->places = (struct gpube_sum_places){.run = 1, .block = 1};
	for (int k = x->n - 1; k >= 0; k--) {
		const int64_t stride = o->o->stride[x->axis[k]];

		one = one && stride == 0;
		in_order = in_order && stride == straight;
		straight *= job->dim[x->axis[k]];
	}
	o->lie = one ? LIE_ONE : in_order ? LIE_STRAIGHT : LIE_MIXED;
	if (o->lie != LIE_MIXED)
		return GPUBE_OK;
	for (int k = x->n - 1; k >= 0 && o->o->stride[x->axis[k]] == 0; k--)
		o->places.run *= job->dim[x->axis[k]];
	for (int k = x->n - 1; k >= 0 && o->o->stride[x->axis[k]] == o->places.block; k--)
		o->places.block *= job->dim[x->axis[k]];
	o->at = gpube__alloc(r->ctx, (uint64_t)x->cells, sizeof(*o->at));
	if (!o->at)
		return GPUBE_ENOMEM;
	o->places.at = o->at;
	(void)gpube__sum_lay(o->at, x->cells, 1, job, o->o, x->axis, x->n);
	gpube__sum_find_folds(&o->folds, job, o->o, x->axis, x->n);
	return GPUBE_OK;
}

/*
 * Most additions on the way to a cell: so many cells go to it in a panel, one after the other at
 * most, then in so many panels. What is added up on its own before, all of a panel or its segments,
 * is added once.
 */
static double additions(const struct run *r, const struct operand *o, double panel, double panels)
{
	const bool segments = r->segments.n > 0 && o->o->stride[r->panel.axis[r->panel.n - 1]] == 0;
	const double run = segments ? (double)r->segments.cells : 1;

	if (!r->apart && !segments &&
		(o->lie == LIE_ONE || (o->lie == LIE_MIXED && o->folds.n_folds > 0)))
		return panel + 4 + panels;
	return r->apart || !segments ? panel * panels : run + panel / run * panels;
}

/*
 * Multiplications on the way to a cell, and additions. Twice as many with powers, which drop what
 * is negligible.
 */
static void count_roundings(struct run *r)
{
	struct gpube_sum_job *job = r->job;

	for (int j = 0; j < job->n_out; j++) {
		double panel = 1, panels = (double)r->rest.cells;

		for (int k = 0; k < r->panel.n; k++)
			if (job->out[j].stride[r->panel.axis[k]] == 0)
				panel *= (double)job->dim[r->panel.axis[k]];
		for (int k = 0; k < r->rest.n; k++)
			if (job->out[j].stride[r->rest.axis[k]] != 0)
				panels /= (double)job->dim[r->rest.axis[k]];
		job->out[j].roundings =
			job->n_in + additions(r, &r->operand[job->n_in + j], panel, panels);
		/*
		 * with weights all products once more, in the sums over the first axis, by which
		 * they are divided
		 */
		if (job->weights)
			job->out[j].roundings += job->n_in + (double)job->dim[0] + 2;
		if (job->apart)
			job->out[j].roundings *= 2;
	}
}

/* The weights have all axes but the first. */
static void lay_weights(struct run *r)
{
	int64_t stride = 1;

	r->weights.table = r->job->weights;
	for (int a = r->job->n_axes - 1; a > 0; a--) {
		r->weights.stride[a] = stride;
		stride *= r->job->dim[a];
	}
}

static int prepare(struct run *r)
{
	struct gpube_sum_job *job = r->job;
	const int threads = r->ctx->n_threads;

	r->n_operands = job->n_in + job->n_out + (job->weights ? 1 : 0);
	gpube__sum_sort_axes(&r->items, &r->rest, &r->panel, job);
	lay_weights(r);
	r->buf_cells = r->panel.cells * (job->weights ? job->dim[0] + 1 : 2);
	r->operand = gpube__alloc_zero(r->ctx, (uint64_t)r->n_operands, sizeof(*r->operand));
	r->buf = gpube__alloc(r->ctx, (uint64_t)threads * (uint64_t)r->buf_cells, sizeof(*r->buf));
	r->begin = gpube__alloc(
		r->ctx, (uint64_t)threads * (uint64_t)r->n_operands, sizeof(*r->begin));
	r->extremes = gpube__alloc(r->ctx, (uint64_t)threads, sizeof(*r->extremes));
	if (!r->operand || !r->buf || !r->begin || !r->extremes)
		return GPUBE_ENOMEM;
	for (int k = 0; k < r->n_operands; k++) {
		r->operand[k].o = k < job->n_in                ? &job->in[k]
				  : k < job->n_in + job->n_out ? &job->out[k - job->n_in]
							       : &r->weights;
		if (lay(r, &r->operand[k]))
			return GPUBE_ENOMEM;
	}
	r->stores = job->n_out == 1 && !job->weights && r->operand[job->n_in].lie == LIE_STRAIGHT;
	return job->weights ? GPUBE_OK
			    : gpube__sum_segments_begin(
				      &r->segments, r->ctx, job, r->panel.axis, r->panel.n);
}

enum { CLEARED = 1 << 18 }; /* cells at once */

struct clearing {
	struct run *r;
	const struct gpube_sum_table *t;
};

static void clear_piece(void *arg, int64_t piece, int thread)
{
	const struct clearing *c = arg;
	const int64_t from = piece * CLEARED,
		      n = c->t->n - from < CLEARED ? c->t->n - from : CLEARED;

	(void)thread;
	if (gpube__stopped(c->r->ctx))
		__atomic_store_n(&c->r->stopped, true, __ATOMIC_RELAXED);
	else
		memset(c->t->cells + from, 0, (size_t)n * sizeof(*c->t->cells));
}

/*
 * To take pages of the system's may last longer than to sum to them: by all threads, which look for
 * a stop.
 */
static void clear(struct run *r, const struct gpube_sum_table *t)
{
	struct clearing c = {r, t};

	if (t->n <= CLEARED)
		clear_piece(&c, 0, 0);
	else
		gpube__parallel(r->ctx, (t->n + CLEARED - 1) / CLEARED, clear_piece, &c);
}

static int begin_outputs(struct run *r)
{
	struct gpube_sum_job *job = r->job;

	for (int j = 0; j < job->n_out; j++) {
		struct gpube_sum_table *t = job->out[j].table;

		t->power = job->weights
				   ? job->weights->power
				   : gpube__sum_power(job) + (r->apart ? 0 : gpube__sum_top(job));
		if (r->apart && gpube__sum_begin_apart(r->ctx, t))
			return GPUBE_ENOMEM;
		if (!r->apart && !r->stores)
			clear(r, t);
	}
	return GPUBE_OK;
}

static int pass(struct run *r)
{
	const double work = (double)r->items.cells * (double)r->rest.cells *
			    (double)r->panel.cells * r->n_operands;
	const int64_t parts =
		work < SMALL_WORK ? 1 : (int64_t)r->ctx->n_threads * CHUNKS_PER_THREAD;
	int64_t n_chunks;

	if (begin_outputs(r))
		return GPUBE_ENOMEM;
	for (int k = 0; k < r->ctx->n_threads; k++)
		r->extremes[k] = (struct extremes){.most = 0, .least = INFINITY};
	r->chunk = (r->items.cells + parts - 1) / parts;
	n_chunks = (r->items.cells + r->chunk - 1) / r->chunk;
	if (n_chunks == 1)
		chunk(r, 0, 0);
	else
		gpube__parallel(r->ctx, n_chunks, chunk, r);
	if (r->stopped)
		return gpube__fail_stopped(r->ctx);
	return r->out_of_range ? gpube__sum_fail_range(r->ctx) : GPUBE_OK;
}

/* Sums of what was lost are nothing beside sums of this size. */
#define LEAST_SUM   0x1p-900
#define LEAST_SHARE 0x1p-200

/* Tops of all inputs of a job together; beyond that they are settled. */
#define MOST_TOP 400

/*
 * Of those above 0 alone: a product of some inputs may be smaller than that of all by so many
 * powers.
 */
static int rise(const struct gpube_sum_job *job)
{
	int all = 0;

	for (int k = 0; k < job->n_in; k++)
		all += job->in[k].table->top > 0 ? job->in[k].table->top : 0;
	return all;
}

/*
 * Whether what was lost matters. Products of inputs are below 1, so one that was too small for a
 * double is off by less than 2^-1022 before it rises, and all of a cell's together by less than
 * 2^-959.
 */
static bool is_harmless(const struct gpube_sum_job *job)
{
	const double risen = ldexp(1, rise(job));

	for (int j = 0; j < job->n_out; j++) {
		const struct gpube_sum_table *t = job->out[j].table;
		double least = INFINITY, most = 0;

		for (int64_t i = 0; i < t->n; i++) {
			least = t->cells[i] < least ? t->cells[i] : least;
			most = t->cells[i] > most ? t->cells[i] : most;
		}
		if (job->shares ? most < LEAST_SHARE * risen : least < LEAST_SUM * risen)
			return false;
	}
	return true;
}

/* What was stored has been looked at in the cache. */
static int measure(const struct run *r, struct gpube_sum_table *t)
{
	double most = 0, least = INFINITY;

	if (!r->stores || r->apart)
		return gpube__sum_measure(r->ctx, t, r->job->shares);
	for (int k = 0; k < r->ctx->n_threads; k++) {
		most = r->extremes[k].most > most ? r->extremes[k].most : most;
		least = r->extremes[k].least < least ? r->extremes[k].least : least;
	}
	return gpube__sum_measured(r->ctx, t, r->job->shares, most, least);
}

/*
 * Whether this machine tells at all that a product was lost: valgrind and emulators may keep no
 * exceptions.
 */
static bool tells(void)
{
	static int known; /* 1: it does; -1: it does not */
	int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
	volatile double small = 0x1p-1000;

	if (!answer) {
		feclearexcept(FE_UNDERFLOW);
		small *= small;
		answer = fetestexcept(FE_UNDERFLOW) ? 1 : -1;
		__atomic_store_n(&known, answer, __ATOMIC_RELAXED);
	}
	return answer > 0;
}

int gpube__sum_whole(struct gpube_ctx *ctx, struct gpube_sum_job *job)
{
	struct run r = {.ctx = ctx, .job = job, .loops = gpube__sum_loops()};
	int tops = 0, status = prepare(&r);

	job->apart = false;
	for (int k = 0; k < job->n_in; k++)
		r.apart = r.apart || job->in[k].table->powers;
	for (int k = 0; k < job->n_in && !status; k++) {
		tops += abs(job->in[k].table->top);
		if (tops > MOST_TOP)
			status = gpube__sum_settle(ctx, job->in[k].table);
	}
	r.lost = !tells();
	r.by = ldexp(1, -gpube__sum_top(job));
	if (job->weights && !status) {
		r.apart = r.apart || job->weights->powers;
		job->failed = r.apart;
		if (!job->failed)
			status = pass(&r);
		job->failed = job->failed || r.lost;
	} else if (!status) {
		status = pass(&r);
	}
	if (!status && !job->weights && r.lost && !r.apart && (r.past || !is_harmless(job))) {
		r.apart = true;
		status = pass(&r);
	}
	job->apart = r.apart;
	if (!status)
		count_roundings(&r);
	for (int j = 0; j < job->n_out && !status && !job->failed; j++)
		status = measure(&r, job->out[j].table);
	for (int k = 0; r.operand && k < r.n_operands; k++)
		gpube__free(ctx, r.operand[k].at);
	GPUBE_FREE_ALL(ctx, r.operand, r.buf, r.begin, r.extremes);
	gpube__sum_segments_clear(&r.segments, ctx);
	return status;
}
