/*
 * bep.c - toulbar2's .bep: photos that a satellite takes one after the other.
 *
 *   two lines of words
 *   N, and what else stands on the line
 *   N times: number x y duration earliest latest revenue
 *   N x N delays: of turning from photo i to photo j
 *
 * A photo's variable is when it begins, from 'earliest' to 'latest' less the duration, its last
 * value that it is not taken. Of two that are taken one begins when the other has ended and the
 * delay has passed. As in toulbar2 a photo that is not taken costs its revenue once for each other
 * photo, so that totals are N - 1 times the revenue that is lost.
 */
#include <stdio.h>

#include "formats/common/reading.h"
#include "formats/common/registry.h"

struct photo {
	bool read;
	int64_t earliest, n_times, duration, revenue; /* n_times: without the last value */
};

static int read_photo(struct gpube_in *in, struct photo *photos, int64_t n)
{
	int64_t number, latest, place;
	struct photo *p;

	if (gpube__in_int(in, &number, 1, n, "a photo's number"))
		return in->status;
	p = &photos[number - 1];
	if (p->read)
		return gpube__in_error(in, "photo %lld is twice", (long long)number);
	p->read = true;
	if (gpube__in_int(in, &place, INT32_MIN, INT32_MAX, "a place") ||
		gpube__in_int(in, &place, INT32_MIN, INT32_MAX, "a place") ||
		gpube__in_int(in, &p->duration, 0, INT32_MAX, "a duration") ||
		gpube__in_int(in, &p->earliest, INT32_MIN, INT32_MAX, "the earliest time") ||
		gpube__in_int(in, &latest, INT32_MIN, INT32_MAX, "the latest time") ||
		gpube__in_int(in, &p->revenue, 0, INT32_MAX, "a revenue"))
		return in->status;
	p->earliest = p->earliest < 0 ? 0 : p->earliest;
	p->n_times = latest - p->duration - p->earliest + 1;
	p->n_times = p->n_times < 0 ? 0 : p->n_times;
	return GPUBE_OK;
}

static int add_photo(struct gpube_model *m, struct gpube_in *in, const struct photo *p, int64_t n)
{
	const int64_t cells = p->n_times + 1;
	char name[16];
	int64_t *cost;
	int32_t var;
	int status;

	snprintf(name, sizeof(name), "t%d", m->n_vars + 1);
	if (gpube__add_var(m, in, &var, cells, name) || gpube__charge_expanded(in, cells, NULL))
		return in->status;
	cost = gpube__alloc_zero(m->ctx, (uint64_t)cells, sizeof(*cost));
	if (!cost)
		return in->status = GPUBE_ENOMEM;
	cost[p->n_times] = p->revenue * (n - 1);
	status = gpube_model_add_costs(m, 1, &var, cost);
	gpube__free(m->ctx, cost);
	return in->status = status;
}

/*
 * wait[0]: what has to pass from the first one's beginning to the second's, wait[1] the other way.
 */
static int add_pair(struct gpube_model *m, struct gpube_in *in, const struct photo *photos,
	const int32_t scope[2], const int64_t wait[2])
{
	const struct photo *p = &photos[scope[0]], *q = &photos[scope[1]];
	const int64_t rows = p->n_times + 1, columns = q->n_times + 1;
	int64_t *cost;
	int status;

	if (gpube__charge_expanded(in, gpube__mul_size(rows, columns), NULL))
		return in->status;
	if (gpube__stopped(m->ctx))
		return in->status = gpube__fail_stopped(m->ctx);
	cost = gpube__alloc_zero(m->ctx, (uint64_t)(rows * columns), sizeof(*cost));
	if (!cost)
		return in->status = GPUBE_ENOMEM;
	for (int64_t a = 0; a < p->n_times; a++)
		for (int64_t b = 0; b < q->n_times; b++) {
			const int64_t first = p->earliest + a, second = q->earliest + b;

			if (second < first + wait[0] && first < second + wait[1])
				cost[a * columns + b] = GPUBE_INF;
		}
	status = gpube_model_add_costs(m, 2, scope, cost);
	gpube__free(m->ctx, cost);
	return in->status = status;
}

static int read_delays(
	struct gpube_model *m, struct gpube_in *in, const struct photo *photos, int64_t n)
{
	int64_t *delay;
	int status = GPUBE_OK;

	if (gpube__in_charge(in, n * n, sizeof(*delay), "%lld photos", (long long)n))
		return in->status;
	delay = gpube__alloc(m->ctx, (uint64_t)n * (uint64_t)n, sizeof(*delay));
	if (!delay)
		return in->status = GPUBE_ENOMEM;
	for (int64_t k = 0; k < n * n && !status; k++)
		status = gpube__in_int(in, &delay[k], 0, INT32_MAX, "a delay");
	for (int32_t i = 0; i < n && !status; i++)
		for (int32_t j = i + 1; j < n && !status; j++) {
			const int32_t scope[] = {i, j};
			const int64_t wait[] = {photos[i].duration + delay[i * n + j],
				photos[j].duration + delay[j * n + i]};

			status = add_pair(m, in, photos, scope, wait);
		}
	gpube__free(m->ctx, delay);
	return status;
}

int gpube__bep_read(struct gpube_model *m, struct gpube_in *in)
{
	struct photo *photos;
	int64_t n;
	int status;

	gpube__in_skip_line(in);
	gpube__in_skip_line(in);
	if (gpube__in_int(in, &n, 0, 1 << 20, "a number of photos"))
		return in->status;
	gpube__in_skip_line(in);
	if (gpube__in_charge(in, n, sizeof(*photos), "%lld photos", (long long)n))
		return in->status;
	photos = gpube__alloc_zero(m->ctx, (uint64_t)n + 1, sizeof(*photos));
	status = photos ? GPUBE_OK : (in->status = GPUBE_ENOMEM);
	for (int64_t k = 0; k < n && !status; k++)
		status = read_photo(in, photos, n);
	for (int64_t k = 0; k < n && !status; k++)
		status = add_photo(m, in, &photos[k], n);
	if (!status)
		status = read_delays(m, in, photos, n);
	gpube__free(m->ctx, photos);
	return status ? status : gpube__in_end(in);
}
