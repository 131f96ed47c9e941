/* sweep_states.c - from one layer to the next on all threads. See sweep_states.h. */
#include "gpube/bound/sweep/sweep_states.h"

#include <string.h>

/*
 * States that one part may meet, and a round; of the least room for states, parts are smaller.
 * States of a shard: as many as a core's own cache holds with their hash table.
 */
enum { PART = 8192, LEAST_PART = 256, ROUND_PARTS = 64, SHARD_STATES = 8192 };

int gpube__sweep_work_init(struct gpube_sweep_work *w, struct gpube_ctx *ctx,
	const struct gpube_sweep_kernels *kernels)
{
	const uint64_t round = (uint64_t)ROUND_PARTS * PART;

	*w = (struct gpube_sweep_work){.ctx = ctx, .kernels = kernels, .n_threads = ctx->n_threads};
	w->parts = gpube__alloc(ctx, ROUND_PARTS, sizeof(*w->parts));
	w->out = gpube__alloc(ctx, round, kernels->state_bytes);
	w->scratch = gpube__alloc_zero(ctx, (uint64_t)w->n_threads, sizeof(*w->scratch));
	if (!w->parts || !w->out || !w->scratch)
		return GPUBE_ENOMEM;
	for (int k = 0; k < w->n_threads; k++) {
		w->scratch[k].met = gpube__alloc(ctx, PART, kernels->state_bytes);
		w->scratch[k].shard = gpube__alloc(ctx, PART, 1);
		if (!w->scratch[k].met || !w->scratch[k].shard)
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

void gpube__sweep_work_clear(struct gpube_sweep_work *w)
{
	for (int k = 0; w->scratch && k < w->n_threads; k++) {
		gpube__free(w->ctx, w->scratch[k].met);
		gpube__free(w->ctx, w->scratch[k].shard);
		gpube__free(w->ctx, w->scratch[k].index);
	}
	gpube__free(w->ctx, w->scratch);
	gpube__free(w->ctx, w->parts);
	gpube__free(w->ctx, w->out);
	gpube__free(w->ctx, w->bounds);
	*w = (struct gpube_sweep_work){0};
}

void gpube__sweep_states_clear(struct gpube_ctx *ctx, struct gpube_sweep_states *s)
{
	for (int k = 0; k < GPUBE__SWEEP_SHARDS; k++) {
		gpube__free(ctx, s->shard[k].states);
		gpube__free(ctx, s->shard[k].slot);
	}
	memset(s, 0, sizeof(*s));
}

/* Makes room for more states, and a hash table that is at most half full. */
static int make_room(struct gpube_sweep_work *w, struct gpube_sweep_shard *s, int64_t more)
{
	int64_t need = s->n + more;
	int bits = s->slot_bits > 4 ? s->slot_bits : 4;

	if (gpube__grow(w->ctx, &s->states, &s->capacity, need, w->kernels->state_bytes))
		return GPUBE_ENOMEM;
	while ((int64_t)1 << bits < 2 * need)
		bits++;
	if ((int64_t)1 << bits > s->slots_capacity) {
		gpube__free(w->ctx, s->slot);
		s->slots_capacity = 0;
		s->slot = gpube__alloc(w->ctx, (uint64_t)1 << bits, sizeof(*s->slot));
		if (!s->slot)
			return GPUBE_ENOMEM;
		s->slots_capacity = (int64_t)1 << bits;
	}
	s->stale |= bits != s->slot_bits;
	s->slot_bits = bits;
	return GPUBE_OK;
}

/* No states, in as many shards as a layer of so many is likely to want. */
static void empty(struct gpube_sweep_states *s, int64_t likely)
{
	s->n = 0;
	s->shard_bits = 0;
	while (s->shard_bits < GPUBE__SWEEP_SHARD_BITS && likely >> s->shard_bits > SHARD_STATES)
		s->shard_bits++;
	for (int k = 0; k < 1 << s->shard_bits; k++) {
		struct gpube_sweep_shard *shard = &s->shard[k];

		shard->n = 0;
		shard->slot_bits = 0;
		while ((int64_t)1 << shard->slot_bits < likely >> s->shard_bits)
			shard->slot_bits++;
		shard->stale = true;
		if ((int64_t)1 << shard->slot_bits > shard->slots_capacity)
			shard->slot_bits = 0; /* grows */
	}
}

int gpube__sweep_begin(struct gpube_sweep_work *w, struct gpube_sweep_states *s, int64_t bound)
{
	int status;

	empty(s, 1);
	status = make_room(w, &s->shard[0], 1);
	if (status)
		return status;
	w->kernels->begin(s->shard[0].states, bound);
	s->n = s->shard[0].n = 1;
	s->shard[0].first = 0;
	return GPUBE_OK;
}

/* The kth smallest of n, k < n; reorders v. */
static int64_t kth(int64_t *v, int64_t n, int64_t k)
{
	int64_t low = 0, high = n - 1;

	while (low < high) {
		int64_t pivot = v[low + (high - low) / 2], i = low - 1, j = high + 1;

		for (;;) {
			do
				i++;
			while (v[i] < pivot);
			do
				j--;
			while (v[j] > pivot);
			if (i >= j)
				break;
			int64_t t = v[i];

			v[i] = v[j];
			v[j] = t;
		}
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return v[k];
}

/* ---- rounds -------------------------------------------------------------------------- */

struct round {
	struct gpube_sweep_work *w;
	struct gpube_sweep_step t;
	struct gpube_sweep_states *to;
};

static void expand_item(void *arg, int64_t item, int thread)
{
	struct round *r = arg;

	r->w->kernels->expand(&r->t, &r->t.parts[item], &r->w->scratch[thread]);
}

static void take_in_item(void *arg, int64_t item, int thread)
{
	struct round *r = arg;

	(void)thread;
	r->w->kernels->take_in(&r->t, &r->to->shard[item], (int)item);
}

/* Parts of the states from number *at of shard *shard on, which go on; each may meet 'most'. */
static void share_out(struct round *r, const struct gpube_sweep_states *from, int *shard,
	int64_t *at, int64_t most, int n_parts)
{
	const int32_t n_values = r->t.l->n_values;
	const int64_t each = most / n_values > 0 ? most / n_values : 1;
	int64_t room = 0;

	r->t.n_parts = 0;
	while (r->t.n_parts < n_parts && *shard < 1 << from->shard_bits) {
		const struct gpube_sweep_shard *s = &from->shard[*shard];
		struct gpube_sweep_part *p = &r->t.parts[r->t.n_parts];

		if (*at == s->n) {
			++*shard;
			*at = 0;
			continue;
		}
		p->from = s;
		p->first = *at;
		p->end = *at = s->n - *at < each ? s->n : *at + each;
		p->out = (char *)r->w->out + (uint64_t)room * r->w->kernels->state_bytes;
		p->dropped = GPUBE_INF;
		room += (p->end - p->first) * n_values;
		r->t.n_parts++;
	}
}

/* What the parts of a round meet becomes states. */
static int meet(struct round *r, int64_t *dropped)
{
	struct gpube_sweep_states *to = r->to;
	const int n_shards = 1 << to->shard_bits;

	gpube__parallel(r->w->ctx, r->t.n_parts, expand_item, r);
	for (int k = 0; k < r->t.n_parts; k++)
		*dropped = r->t.parts[k].dropped < *dropped ? r->t.parts[k].dropped : *dropped;
	for (int s = 0; s < n_shards; s++) {
		int64_t more = 0;

		for (int k = 0; k < r->t.n_parts; k++)
			more += r->t.parts[k].at[s + 1] - r->t.parts[k].at[s];
		if (make_room(r->w, &to->shard[s], more))
			return GPUBE_ENOMEM;
	}
	gpube__parallel(r->w->ctx, n_shards, take_in_item, r);
	to->n = 0;
	for (int s = 0; s < n_shards; s++) {
		to->shard[s].first = to->n;
		to->n += to->shard[s].n;
	}
	return GPUBE_OK;
}

/* ---- dropping ------------------------------------------------------------------------ */

/* Reading of all shards, and what to keep of each. */
struct reading {
	struct gpube_sweep_work *w;
	struct gpube_sweep_states *s;
	int64_t *bounds;
	uint32_t *parent;
	uint8_t *value;
	int64_t least[GPUBE__SWEEP_SHARDS];
	int64_t from, equal[GPUBE__SWEEP_SHARDS]; /* how many of this bound stay */
};

static void read_item(void *arg, int64_t item, int thread)
{
	struct reading *r = arg;
	const struct gpube_sweep_shard *s = &r->s->shard[item];

	(void)thread;
	r->least[item] = r->w->kernels->read(s, r->bounds ? r->bounds + s->first : NULL,
		r->parent ? r->parent + s->first : NULL, r->value ? r->value + s->first : NULL);
}

static void keep_item(void *arg, int64_t item, int thread)
{
	struct reading *r = arg;

	(void)thread;
	r->w->kernels->keep(&r->s->shard[item], r->from, r->equal[item]);
}

/*
 * Keeps at most 'room' states, those of the least bounds.
 * dropped  in and out: the least bound that was
 * from     out: bounds from here on need not be added
 */
static int drop(struct gpube_sweep_work *w, struct gpube_sweep_states *s, int64_t room,
	int64_t *dropped, int64_t *from)
{
	struct reading r = {.w = w, .s = s};
	const int n_shards = 1 << s->shard_bits;
	int64_t equal = room;

	if (s->n <= room)
		return GPUBE_OK;
	if (gpube__grow(w->ctx, &w->bounds, &w->bounds_capacity, s->n, sizeof(*w->bounds)))
		return GPUBE_ENOMEM;
	r.bounds = w->bounds;
	gpube__parallel(w->ctx, n_shards, read_item, &r);
	r.from = *from = kth(w->bounds, s->n, room);
	*dropped = *from < *dropped ? *from : *dropped;
	gpube__parallel(w->ctx, n_shards, read_item, &r); /* as they lie, once more */
	for (int64_t i = 0; i < s->n; i++)
		equal -= w->bounds[i] < *from;
	for (int k = 0; k < n_shards; k++) {
		const struct gpube_sweep_shard *shard = &s->shard[k];
		int64_t at = 0;

		for (int64_t i = shard->first; i < shard->first + shard->n; i++)
			at += w->bounds[i] == *from;
		r.equal[k] = at < equal ? at : equal;
		equal -= r.equal[k];
	}
	gpube__parallel(w->ctx, n_shards, keep_item, &r);
	s->n = 0;
	for (int k = 0; k < n_shards; k++) {
		s->shard[k].first = s->n;
		s->n += s->shard[k].n;
	}
	return GPUBE_OK;
}

int64_t gpube__sweep_read(struct gpube_sweep_work *w, const struct gpube_sweep_states *s,
	uint32_t *parent, uint8_t *value)
{
	struct reading r = {
		.w = w, .s = (struct gpube_sweep_states *)s, .parent = parent, .value = value};
	int64_t least = GPUBE_INF;

	gpube__parallel(w->ctx, 1 << s->shard_bits, read_item, &r);
	for (int k = 0; k < 1 << s->shard_bits; k++)
		least = r.least[k] < least ? r.least[k] : least;
	return least;
}

/* ---- the step ------------------------------------------------------------------------ */

static int make_indices(struct gpube_sweep_work *w, int64_t n)
{
	for (int k = 0; k < w->n_threads && n > w->n_indices; k++) {
		gpube__free(w->ctx, w->scratch[k].index);
		w->scratch[k].index =
			gpube__alloc(w->ctx, (uint64_t)n, sizeof(*w->scratch[k].index));
		if (!w->scratch[k].index) {
			w->n_indices = 0;
			return GPUBE_ENOMEM;
		}
	}
	w->n_indices = n > w->n_indices ? n : w->n_indices;
	return GPUBE_OK;
}

int gpube__sweep_step(struct gpube_sweep_work *w, struct gpube_sweep_states *to,
	const struct gpube_sweep_states *from, const struct gpube_sweep_layer *l, int64_t room,
	int64_t limit, const struct gpube_turn *turn, int64_t *dropped)
{
	struct round r = {
		.w = w, .to = to, .t = {.l = l, .limit = limit, .most = limit, .parts = w->parts}};
	const int64_t part = room / 4 < LEAST_PART ? LEAST_PART : room / 4 < PART ? room / 4 : PART;
	const int n_parts = room / part < ROUND_PARTS ? (int)(room / part) : ROUND_PARTS;
	int64_t at = 0;
	int shard = 0, status = make_indices(w, l->n_tables);

	empty(to, from->n);
	r.t.shard_bits = to->shard_bits;
	while (!status && shard < 1 << from->shard_bits) {
		if (gpube__stopped(w->ctx) || gpube__turn_left(turn) <= 0)
			return gpube__fail_stopped(w->ctx);
		share_out(&r, from, &shard, &at, part, n_parts);
		status = meet(&r, dropped);
		if (!status && to->n >= 2 * room)
			status = drop(w, to, room, dropped, &r.t.most);
	}
	return status ? status : drop(w, to, room, dropped, &r.t.most);
}
