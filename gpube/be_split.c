/* be_split.c - see be_split.h. */
#define _POSIX_C_SOURCE 200809L

#include "gpube/be_split.h"
#include "gpube/dense.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

/* Whose values are shared out: part i of n takes [domain * i / n, domain * (i + 1) / n). */
struct cut {
	int32_t var, n;
};

struct part {
	struct gpube_be_split *split;
	struct gpube_ctx *ctx;
	struct gpube_model *m;
	struct gpube_be be;
	struct gpube_working working;
	struct gpube_be_memory memory;
	struct gpube_be_times times;
	bool keep;
	int64_t optimum;
	int32_t *values;
	double opening, closing; /* seconds of its device */
	int status;
	pthread_t thread;
};

struct gpube_be_split {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	const int32_t *order;
	struct cut cuts[GPUBE_MAX_DEVICES];
	int n_cuts, n_parts, n_begun;
	struct part parts[GPUBE_MAX_DEVICES];
	double joined;
	gpube_open_fn *open;
	pthread_mutex_t lock;
	pthread_cond_t ended, opened; /* opened: all devices */
	int n_running, n_opening;
};

/* ---- which variables -------------------------------------------------------------------- */

/* Of bucket p's joined cells, what is left of them in the largest part. */
static void add_gains(double *gain, const struct gpube_be *be, const double *joined)
{
	memset(gain, 0, (size_t)be->n * sizeof(*gain));
	for (int32_t p = 0; p < be->n; p++) {
		const struct gpube_bucket *b = &be->buckets[p];

		gain[p] += joined[p];
		for (int32_t k = 0; k < b->n_scope; k++)
			gain[be->scopes[b->scope_at + k]] += joined[p];
	}
}

static double share(int32_t domain, int32_t n)
{
	return (double)((domain + n - 1) / n) / domain;
}

static void lessen(double *joined, const struct gpube_be *be, int32_t position, double by)
{
	for (int32_t p = 0; p < be->n; p++) {
		const struct gpube_bucket *b = &be->buckets[p];
		bool has = p == position;

		for (int32_t k = 0; k < b->n_scope && !has; k++)
			has = be->scopes[b->scope_at + k] == position;
		if (has)
			joined[p] *= by;
	}
}

static bool is_cut(const struct gpube_be_split *s, int32_t var)
{
	for (int k = 0; k < s->n_cuts; k++)
		if (s->cuts[k].var == var)
			return true;
	return false;
}

static int choose(struct gpube_be_split *s, const struct gpube_be *be)
{
	double *joined = gpube__alloc(be->ctx, (uint64_t)be->n, sizeof(*joined));
	double *gain = gpube__alloc(be->ctx, (uint64_t)be->n, sizeof(*gain));
	int32_t left = be->ctx->n_devices;

	if (!joined || !gain) {
		gpube__free(be->ctx, joined);
		gpube__free(be->ctx, gain);
		return GPUBE_ENOMEM;
	}
	for (int32_t p = 0; p < be->n; p++)
		joined[p] = be->buckets[p].joined;
	for (s->n_parts = 1; left > 1;) {
		int32_t best = -1, best_n = 1;
		double most = 0;

		add_gains(gain, be, joined);
		for (int32_t p = 0; p < be->n; p++) {
			int32_t domain = s->m->vars[be->buckets[p].var].domain;

			if (is_cut(s, be->buckets[p].var))
				continue;
			for (int32_t n = 2; n <= left && n <= domain; n++) {
				double saved = gain[p] * (1 - share(domain, n));

				if (left % n == 0 && saved > most) {
					most = saved;
					best = p;
					best_n = n;
				}
			}
		}
		if (best < 0)
			break;
		s->cuts[s->n_cuts++] = (struct cut){be->buckets[best].var, best_n};
		lessen(joined, be, best, share(s->m->vars[be->buckets[best].var].domain, best_n));
		s->n_parts *= best_n;
		left /= best_n;
	}
	gpube__free(be->ctx, joined);
	gpube__free(be->ctx, gain);
	return s->n_parts > 1 ? GPUBE_OK
			      : gpube__fail(be->ctx, GPUBE_EINVAL,
					"no variable whose values %d devices could share out",
					be->ctx->n_devices);
}

/* ---- models ------------------------------------------------------------------------------ */

static void range_of(
	const struct gpube_be_split *s, int part, int32_t var, int32_t *first, int32_t *end)
{
	int32_t domain = s->m->vars[var].domain;

	*first = 0;
	*end = domain;
	for (int k = 0; k < s->n_cuts; k++) {
		int32_t n = s->cuts[k].n, i = part % n;

		part /= n;
		if (s->cuts[k].var == var) {
			*first = (int32_t)((int64_t)domain * i / n);
			*end = (int32_t)((int64_t)domain * (i + 1) / n);
		}
	}
}

/* The cells of function f that a part has: dense, its scope in increasing order in 'scope'. */
static int slice(int64_t *out, const struct gpube_be_split *s, int part, int32_t f, int arity,
	const int32_t *scope, int64_t *whole)
{
	int32_t first[64], end[64], at[64];
	int64_t n = 0;
	int k, status = gpube__dense(whole, s->m, f, NULL);

	if (status)
		return status;
	for (k = 0; k < arity; k++) {
		range_of(s, part, scope[k], &first[k], &end[k]);
		at[k] = first[k];
	}
	do {
		int64_t cell = 0;

		for (k = 0; k < arity; k++)
			cell = cell * s->m->vars[scope[k]].domain + at[k];
		out[n++] = whole[cell];
		for (k = arity - 1; k >= 0 && ++at[k] == end[k]; k--)
			at[k] = first[k];
	} while (k >= 0);
	return GPUBE_OK;
}

static int add_slice(struct gpube_be_split *s, int part, int32_t f)
{
	const struct gpube_model *m = s->m;
	int arity = m->functions[f].arity;
	int64_t cells = gpube__cells(m, arity, gpube__scope(m, f));
	int64_t *whole, *out;
	int32_t scope[64];
	int status = GPUBE_ENOMEM;

	/* more dimensions have two values in no table that can be numbered; one-valued ones are few
	 */
	if (arity < 0 || arity > 64 || cells < 0)
		return gpube__fail(s->ctx, GPUBE_ELIMIT, "a table of %d variables", arity);
	whole = gpube__alloc(s->ctx, (uint64_t)cells, sizeof(*whole));
	out = gpube__alloc(s->ctx, (uint64_t)cells, sizeof(*out));
	for (int k = 0; k < arity; k++) {
		int32_t var = gpube__scope(m, f)[k];
		int j = k;

		for (; j > 0 && scope[j - 1] > var; j--)
			scope[j] = scope[j - 1];
		scope[j] = var;
	}
	if (whole && out)
		status = slice(out, s, part, f, arity, scope, whole);
	if (!status)
		status = gpube_model_add_costs(s->parts[part].m, arity, scope, out);
	gpube__free(s->ctx, whole);
	gpube__free(s->ctx, out);
	return status;
}

static int make_part(struct gpube_be_split *s, int i)
{
	struct part *p = &s->parts[i];
	const struct gpube_ctx *ctx = s->ctx;
	struct gpube_ctx_opts opts = {.sizeof_options = sizeof(opts),
		.n_threads = (ctx->n_threads + s->n_parts - 1) / s->n_parts,
		.memory_bytes = ctx->memory_bytes / (uint64_t)s->n_parts,
		.device_memory_bytes = ctx->device_memory_bytes,
		.n_devices = ctx->n_devices,
		.realloc_fn = ctx->realloc_fn,
		.realloc_arg = ctx->realloc_arg};
	int status;

	/* its own device in front: the backend opens that one, and sees how often it is listed */
	for (int k = 0; k < ctx->n_devices; k++)
		opts.devices[k] = ctx->devices[(i + k) % ctx->n_devices];
	p->split = s;
	status = gpube_ctx_new(&p->ctx, &opts);
	if (status)
		return gpube__fail(s->ctx, GPUBE_ENOMEM, "out of memory");
	p->ctx->deadline = ctx->deadline;
	status = gpube_model_new(&p->m, p->ctx, GPUBE_COSTS);
	for (int32_t v = 0; v < s->m->n_vars && !status; v++) {
		int32_t first, end;

		range_of(s, i, v, &first, &end);
		status = gpube_model_add_var(p->m, NULL, end - first, NULL);
	}
	for (int32_t f = 0; f < s->m->n_functions && !status; f++)
		status = add_slice(s, i, f);
	if (!status) {
		p->m->constant += s->m->constant;
		p->m->top = s->m->top;
		status = gpube__be_init(&p->be, p->m, s->order);
	}
	if (!status)
		status = gpube__be_working(&p->working, &p->be);
	if (status)
		return gpube__fail(s->ctx, status, "%s", gpube_error(p->ctx));
	gpube__be_memory(&p->memory, &p->be, p->working.type);
	p->values = gpube__alloc(s->ctx, (uint64_t)s->m->n_vars, sizeof(*p->values));
	p->times.buckets = gpube__alloc_zero(s->ctx, (uint64_t)p->be.n, sizeof(*p->times.buckets));
	return p->values && p->times.buckets ? GPUBE_OK : GPUBE_ENOMEM;
}

void gpube__split_free(struct gpube_be_split *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->n_parts; i++) {
		struct part *p = &s->parts[i];

		gpube__free(s->ctx, p->values);
		gpube__free(s->ctx, p->times.buckets);
		if (!p->ctx)
			continue;
		gpube__be_clear(&p->be);
		gpube_model_free(p->m);
		gpube_ctx_free(p->ctx);
	}
	pthread_cond_destroy(&s->ended);
	pthread_cond_destroy(&s->opened);
	pthread_mutex_destroy(&s->lock);
	gpube__free(s->ctx, s);
}

int gpube__split_new(struct gpube_be_split **out, const struct gpube_be *be, const int32_t *order)
{
	struct gpube_be_split *s = gpube__alloc_zero(be->ctx, 1, sizeof(*s));
	int status;

	*out = NULL;
	if (!s)
		return GPUBE_ENOMEM;
	s->ctx = be->ctx;
	s->m = be->m;
	s->order = order;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->ended, NULL);
	pthread_cond_init(&s->opened, NULL);
	status = choose(s, be);
	for (int i = 0; i < s->n_parts && !status; i++) {
		double joined = 0;

		status = make_part(s, i);
		for (int32_t p = 0; p < be->n && !status; p++)
			joined += s->parts[i].be.buckets[p].joined;
		s->joined = fmax(s->joined, joined);
	}
	if (status)
		gpube__split_free(s);
	else
		*out = s;
	return status;
}

int gpube__split_n(const struct gpube_be_split *s)
{
	return s->n_parts;
}

double gpube__split_joined(const struct gpube_be_split *s)
{
	return s->joined;
}

double gpube__split_bytes(const struct gpube_be_split *s)
{
	double most = 0;

	for (int i = 0; i < s->n_parts; i++)
		most = fmax(most, fmin(s->parts[i].memory.keep, s->parts[i].memory.args));
	return most;
}

/* ---- the run ------------------------------------------------------------------------------ */

/*
 * Opens the part's device, and waits until all are open: a driver that makes a device's context
 * holds up what others begin, which their kernels' times would count.
 */
static const struct gpube_ops *open_with_others(struct part *p, int *status)
{
	struct gpube_be_split *s = p->split;
	const double start = gpube__now();
	const struct gpube_ops *ops = s->open(p->ctx, status);

	p->opening = gpube__now() - start;
	pthread_mutex_lock(&s->lock);
	s->n_opening--;
	pthread_cond_broadcast(&s->opened);
	while (s->n_opening > 0)
		pthread_cond_wait(&s->opened, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return ops;
}

static int run_part(struct part *p)
{
	int status = GPUBE_OK;
	const struct gpube_be_sides sides = {{open_with_others(p, &status), NULL}, NULL};
	const struct gpube_ops *ops = sides.ops[0];
	double bytes;

	if (!ops)
		return status;
	p->keep = gpube__be_keeps(&p->memory, p->ctx, ops);
	bytes = p->keep ? p->memory.keep : p->memory.args;
	if (bytes > (double)ops->memory(p->ctx))
		return gpube__fail(p->ctx, GPUBE_ELIMIT,
			"a share of the tables needs %.3g bytes, %.3g are allowed", bytes,
			(double)ops->memory(p->ctx));
	if (ops->expect)
		status = ops->expect(p->ctx, bytes);
	return status ? status
		      : gpube__be_run(&p->optimum, p->values, NULL, &p->be, &sides, &p->working, 0,
				p->keep, &p->times);
}

static void *work(void *arg)
{
	struct part *p = arg;
	int status = run_part(p);
	double start = gpube__now();

	/* a device is current to a thread: closed where it was opened */
	if (p->ctx->device_free)
		p->ctx->device_free(p->ctx);
	p->closing = gpube__now() - start;
	pthread_mutex_lock(&p->split->lock);
	p->status = status;
	p->split->n_running--;
	pthread_cond_signal(&p->split->ended);
	pthread_mutex_unlock(&p->split->lock);
	return NULL;
}

/* Until all have ended; a stop of the whole, or a part's failure, stops the others. */
static void wait_for_all(struct gpube_be_split *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->n_running > 0) {
		struct timespec until;
		bool stop = gpube__stopped(s->ctx);

		for (int i = 0; i < s->n_begun; i++)
			stop |= s->parts[i].status != GPUBE_OK;
		for (int i = 0; i < s->n_begun && stop; i++)
			gpube_ctx_stop(s->parts[i].ctx);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 20000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&s->ended, &s->lock, &until);
	}
	pthread_mutex_unlock(&s->lock);
	for (int i = 0; i < s->n_begun; i++)
		pthread_join(s->parts[i].thread, NULL);
}

/* The text of the failure that came first, not of the stops that followed from it. */
static int failure(struct gpube_be_split *s)
{
	const struct part *bad = NULL;

	if (gpube__stopped(s->ctx))
		return gpube__fail_stopped(s->ctx);
	for (int i = 0; i < s->n_parts; i++)
		if (s->parts[i].status && (!bad || bad->status == GPUBE_ESTOP))
			bad = &s->parts[i];
	return bad ? gpube__fail(s->ctx, bad->status, "device %d: %s", bad->ctx->devices[0],
			     gpube_error(bad->ctx))
		   : GPUBE_OK;
}

int gpube__split_run(int64_t *optimum, int32_t *values, struct gpube_be_split *s,
	gpube_open_fn *open, struct gpube_split_times *seconds)
{
	const struct part *best = &s->parts[0];
	int status = GPUBE_OK;

	s->open = open;
	s->n_running = s->n_opening = s->n_parts;
	for (s->n_begun = 0; s->n_begun < s->n_parts; s->n_begun++)
		if (pthread_create(
			    &s->parts[s->n_begun].thread, NULL, work, &s->parts[s->n_begun])) {
			status = gpube__fail(s->ctx, GPUBE_ENOMEM, "no thread for a device");
			break;
		}
	pthread_mutex_lock(&s->lock);
	s->n_running -= s->n_parts - s->n_begun;
	s->n_opening -= s->n_parts - s->n_begun;
	pthread_cond_broadcast(&s->opened);
	pthread_mutex_unlock(&s->lock);
	wait_for_all(s);
	if (!status)
		status = failure(s);
	if (status)
		return status;
	memset(seconds, 0, sizeof(*seconds));
	for (int i = 0; i < s->n_parts; i++) {
		const struct part *p = &s->parts[i];
		double contracting = 0;

		for (int32_t k = 0; k < p->be.n; k++)
			contracting += p->times.buckets[k];
		seconds->contracting = fmax(seconds->contracting, contracting);
		seconds->copying = fmax(seconds->copying, p->times.copying);
		seconds->assigning = fmax(seconds->assigning, p->times.assigning);
		if (p->optimum < best->optimum)
			best = p;
		gpube__log(s->ctx, GPUBE_LOG_DETAIL,
			"part %d of %d on device %d: %.3g bytes of tables, opened in %.3f s, kernels "
			"%.4f s, copies %.4f s, closed in %.3f s",
			i + 1, s->n_parts, p->ctx->devices[0],
			p->keep ? p->memory.keep : p->memory.args, p->opening, contracting,
			p->times.copying, p->closing);
	}
	*optimum = best->optimum;
	if (*optimum == GPUBE_INF)
		return GPUBE_OK;
	for (int32_t v = 0; v < s->m->n_vars; v++) {
		int32_t first, end;

		range_of(s, (int)(best - s->parts), v, &first, &end);
		values[v] = first + best->values[v];
	}
	return GPUBE_OK;
}
