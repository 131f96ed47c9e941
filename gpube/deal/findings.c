/* findings.c - see findings.h. */
#include "gpube/deal/findings.h"

#include <string.h>

#include "gpube/ir/model.h"
#include "gpube/options/options.h"

/* Between two letters of a rank other than rank 0, unless one ends the run. */
#define TOLD_SECONDS 0.1

/* A total as that of a minimum, and back; totals of potentials are -ln, which is one. */
static int64_t turned(const struct gpube__findings *f, int64_t total)
{
	return f->m->direction == GPUBE_MAXIMISE && f->m->kind == GPUBE_COSTS ? -total : total;
}

int gpube__findings_open(
	struct gpube__findings *f, const struct gpube_model *m, const struct gpube_opts *opts)
{
	const uint64_t n = (uint64_t)m->n_vars + 1;

	*f = (struct gpube__findings){.m = m, .scale = -1, .bound = INT64_MIN, .cost = GPUBE_INF};
	f->cutoff = opts->has_cutoff && turned(f, opts->cutoff) < turned(f, m->top)
			    ? turned(f, opts->cutoff)
			    : turned(f, m->top);
	pthread_mutex_init(&f->lock, NULL);
	f->values = gpube__alloc_zero(m->ctx, n, sizeof(*f->values));
	f->learned = gpube__alloc_zero(m->ctx, n, sizeof(*f->learned));
	return f->values && f->learned ? GPUBE_OK : GPUBE_ENOMEM;
}

void gpube__findings_close(struct gpube__findings *f)
{
	if (!f->m)
		return;
	GPUBE_FREE_ALL(f->m->ctx, f->values, f->learned);
	pthread_mutex_destroy(&f->lock);
}

/* Needs the lock. Takes what is better; values: of the cost, or NULL. */
static void take(struct gpube__findings *f, int64_t bound, int64_t cost, const int32_t *values)
{
	if (bound > f->bound) {
		f->bound = bound;
		f->n++;
	}
	if (values && cost < f->cost) {
		f->cost = cost;
		memcpy(f->values, values, (size_t)f->m->n_vars * sizeof(*values));
		f->n_found++;
		f->n++;
	}
}

void gpube__findings_improved(
	struct gpube__findings *f, int64_t bound, int64_t cost, const int32_t *values)
{
	pthread_mutex_lock(&f->lock);
	if (f->scale >= 0)
		take(f, turned(f, bound), turned(f, cost), values);
	pthread_mutex_unlock(&f->lock);
}

bool gpube__findings_learn(struct gpube__findings *f, bool all, struct gpube__learned *to)
{
	bool any;

	pthread_mutex_lock(&f->lock);
	f->listens = true;
	if (f->scale != to->scale) { /* the run has begun anew, with fewer decimals */
		if (f->scale >= 0) {
			f->bound = INT64_MIN;
			f->cost = GPUBE_INF;
		}
		f->scale = to->scale;
	}
	any = f->n > 0 && (all || f->n != f->n_learned);
	f->n_learned = f->n;
	to->proved = f->bound > INT64_MIN;
	to->bound = to->proved ? turned(f, f->bound) : 0;
	to->values = f->cost < GPUBE_INF ? f->learned : NULL;
	if (any && to->values)
		memcpy(f->learned, f->values, (size_t)f->m->n_vars * sizeof(*f->learned));
	pthread_mutex_unlock(&f->lock);
	return any;
}

/* Needs the lock. */
static bool is_proved(const struct gpube__findings *f)
{
	return f->bound >= (f->cost < f->cutoff ? f->cost : f->cutoff);
}

/* Needs the lock. Whether something is to be told now, which counts as told then. */
static bool is_to_tell(struct gpube__findings *f, bool leads, bool at_once)
{
	const int64_t n = leads ? f->n_found : f->n;
	const bool any = n != f->n_told &&
			 (at_once || is_proved(f) || gpube__now() - f->told_at >= TOLD_SECONDS);

	f->n_told = any ? n : f->n_told;
	f->told_at = any ? gpube__now() : f->told_at;
	return any;
}

int gpube__findings_send(
	struct gpube__findings *f, struct dcop_world *world, int32_t kind, bool at_once)
{
	struct gpube__bytes values = {.ctx = world->ctx};
	struct gpube_letter letter = {.kind = kind};
	const int n = world->rank ? 1 : world->n_ranks;
	bool any;
	int status = GPUBE_OK;

	pthread_mutex_lock(&f->lock);
	any = is_to_tell(f, world->rank == 0, at_once);
	letter.task = f->scale;
	letter.a = f->bound;
	letter.b = f->cost;
	if (any && f->cost < GPUBE_INF)
		gpube__put_all(&values, f->values, f->m->n_vars);
	pthread_mutex_unlock(&f->lock);
	for (int to = world->rank == 0; to < n && any && !status; to++)
		status = gpube__letter_send_bytes(world, to, letter, &values);
	gpube__bytes_clear(&values);
	return status;
}

int gpube__findings_read(
	struct gpube__findings *f, const struct gpube_letter *l, struct gpube__bytes *bytes)
{
	const int32_t n = f->m->n_vars;
	int32_t *values = gpube__alloc_zero(bytes->ctx, (uint64_t)n + 1, sizeof(*values));
	const bool found = l->b < GPUBE_INF;

	if (!values)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < n && found; i++)
		values[i] = (int32_t)gpube__get(bytes, 0, (int64_t)f->m->vars[i].domain - 1);
	pthread_mutex_lock(&f->lock);
	if (f->scale < 0)
		f->scale = l->task;
	if (!bytes->status && f->scale == l->task)
		take(f, l->a, l->b, found ? values : NULL);
	pthread_mutex_unlock(&f->lock);
	gpube__free(bytes->ctx, values);
	return bytes->status;
}

bool gpube__findings_prove(struct gpube__findings *f)
{
	bool all;

	pthread_mutex_lock(&f->lock);
	all = f->listens && is_proved(f);
	pthread_mutex_unlock(&f->lock);
	return all;
}

bool gpube__findings_any(struct gpube__findings *f)
{
	bool any;

	pthread_mutex_lock(&f->lock);
	any = f->n != f->n_learned;
	pthread_mutex_unlock(&f->lock);
	return any;
}
