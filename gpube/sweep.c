/* sweep.c - runs along the line, with ever more room for states. See sweep.h. */
#include "gpube/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* log2 of the states that are guessed along a line to begin with, and along the best one: of more
 * there is no proof in a short time. */
#define HOPELESS   45
#define MOST_GUESS 28

enum { FIRST_ROOM = 1 << 10, GROWTH = 8 };
/* Cells of a message of the bound: as many fit a core's cache. */
#define MESSAGE_BITS 12

/* Of one layer. parent: the state of the layer before, from which 'value' leads here. */
struct states {
	int64_t n, capacity;
	uint64_t *key;
	int64_t *cost, *bound; /* of what is assigned; of all */
	uint32_t *parent;
	uint8_t *value;
	uint32_t *slot; /* a hash table of 2^slot_bits: index + 1, or 0 */
	int slot_bits;
};

/* How the kept states of a layer were reached. */
struct trail {
	uint32_t *parent;
	uint8_t *value;
};

struct gpube_sweep {
	struct gpube_bounder *b;
	struct gpube_heuristic *h;
	struct gpube_sweep_keys keys;
	struct trail *trails; /* by position */
	bool fits;
	int64_t room;     /* of the next run; 0: none was made */
	double guess;     /* log2 of the states of all layers */
	double needs;     /* seconds that the next run may take */
	int64_t n_states; /* of the last run, in all layers */
	int64_t limit,
		dropped; /* sums from 'limit' on are of no interest; the least that was dropped */
	uint64_t bytes;  /* of trails */
	double end;      /* of the run's time */
	char by[40];
};

/* ---- states ---------------------------------------------------------------------------------- */

enum { STATE_BYTES = 8 + 8 + 8 + 4 + 1, TRAIL_BYTES = 4 + 1, SLOT_BYTES = 4 };

static void states_clear(struct gpube_ctx *ctx, struct states *s)
{
	gpube__free(ctx, s->key);
	gpube__free(ctx, s->cost);
	gpube__free(ctx, s->bound);
	gpube__free(ctx, s->parent);
	gpube__free(ctx, s->value);
	gpube__free(ctx, s->slot);
	memset(s, 0, sizeof(*s));
}

static uint64_t hash(const struct states *s, uint64_t key)
{
	key *= 0x9e3779b97f4a7c15u;
	return (key ^ key >> 32) * 0x9e3779b97f4a7c15u >> (64 - s->slot_bits);
}

/* Where the key is, or would be. */
static uint64_t slot_of(const struct states *s, uint64_t key)
{
	uint64_t at = hash(s, key), last = ((uint64_t)1 << s->slot_bits) - 1;

	while (s->slot[at] && s->key[s->slot[at] - 1] != key)
		at = (at + 1) & last;
	return at;
}

static int rehash(struct gpube_ctx *ctx, struct states *s, int slot_bits)
{
	if (slot_bits != s->slot_bits) {
		gpube__free(ctx, s->slot);
		s->slot = gpube__alloc(ctx, (uint64_t)1 << slot_bits, sizeof(*s->slot));
		s->slot_bits = slot_bits;
		if (!s->slot)
			return GPUBE_ENOMEM;
	}
	memset(s->slot, 0, sizeof(*s->slot) << slot_bits);
	for (int64_t i = 0; i < s->n; i++)
		s->slot[slot_of(s, s->key[i])] = (uint32_t)i + 1;
	return GPUBE_OK;
}

static int states_grow(struct gpube_ctx *ctx, struct states *s)
{
	int64_t capacity = s->capacity ? 2 * s->capacity : FIRST_ROOM, c[5];
	int bits = s->slot_bits ? s->slot_bits + 1 : 11;

	for (int k = 0; k < 5; k++)
		c[k] = s->capacity;
	if (gpube__grow(ctx, &s->key, &c[0], capacity, sizeof(*s->key)) ||
		gpube__grow(ctx, &s->cost, &c[1], capacity, sizeof(*s->cost)) ||
		gpube__grow(ctx, &s->bound, &c[2], capacity, sizeof(*s->bound)) ||
		gpube__grow(ctx, &s->parent, &c[3], capacity, sizeof(*s->parent)) ||
		gpube__grow(ctx, &s->value, &c[4], capacity, sizeof(*s->value)))
		return GPUBE_ENOMEM;
	s->capacity = capacity;
	return rehash(ctx, s, bits);
}

static void put(struct states *s, int64_t at, uint64_t key, int64_t cost, int64_t bound,
	uint32_t parent, uint8_t value)
{
	s->key[at] = key;
	s->cost[at] = cost;
	s->bound[at] = bound;
	s->parent[at] = parent;
	s->value[at] = value;
}

/* A state, or a cheaper way to one that is there. Errors: ENOMEM */
static int add(struct gpube_ctx *ctx, struct states *s, uint64_t key, int64_t cost, int64_t bound,
	uint32_t parent, uint8_t value)
{
	uint64_t at = slot_of(s, key);
	int64_t i = (int64_t)s->slot[at] - 1;

	if (i < 0) {
		i = s->n++;
		s->slot[at] = (uint32_t)i + 1;
		put(s, i, key, cost, bound, parent, value);
		return s->n == s->capacity ? states_grow(ctx, s) : GPUBE_OK;
	}
	if (cost < s->cost[i])
		put(s, i, key, cost, bound, parent, value);
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

/*
 * Keeps at most 'room' states, those of the least bounds.
 * dropped  in and out: the least bound that was
 * from     out: bounds from here on need not be added
 */
static int drop(
	struct gpube_ctx *ctx, struct states *s, int64_t room, int64_t *dropped, int64_t *from)
{
	int64_t *bounds, kept = 0, equal;

	if (s->n <= room)
		return GPUBE_OK;
	bounds = gpube__alloc(ctx, (uint64_t)s->n, sizeof(*bounds));
	if (!bounds)
		return GPUBE_ENOMEM;
	memcpy(bounds, s->bound, (size_t)s->n * sizeof(*bounds));
	*from = kth(bounds, s->n, room);
	gpube__free(ctx, bounds);
	*dropped = *from < *dropped ? *from : *dropped;
	equal = room;
	for (int64_t i = 0; i < s->n; i++)
		equal -= s->bound[i] < *from;
	for (int64_t i = 0; i < s->n; i++) {
		if (s->bound[i] > *from || (s->bound[i] == *from && equal-- <= 0))
			continue;
		put(s, kept++, s->key[i], s->cost[i], s->bound[i], s->parent[i], s->value[i]);
	}
	s->n = kept;
	return rehash(ctx, s, s->slot_bits);
}

/* ---- a layer ------------------------------------------------------------------------- */

/* 'sum' and the tables at a key; GPUBE__H_DEAD: forbidden, or 'limit' is reached. */
static int64_t add_up(const struct gpube_sweep_table *t, int n, uint64_t key, int64_t sum)
{
	for (int k = 0; k < n; k++) {
		int64_t v = t[k].cells[gpube__sweep_gather(key, t[k].mask)];

		if (v > GPUBE__H_LIMIT)
			return GPUBE__H_DEAD;
		sum += v;
	}
	return sum;
}

/* A layer at work. from: the layer before */
struct step {
	struct gpube_sweep *s;
	const struct gpube_sweep_layer *l;
	struct states to;
	int64_t room, most; /* bounds from 'most' on are not kept */
};

/* What state i of 'from' leads to by value x. */
static int follow(struct step *t, const struct states *from, int64_t i, int32_t x)
{
	const struct gpube_sweep_layer *l = t->l;
	uint64_t key = from->key[i] | (uint64_t)x << l->shift;
	int64_t cost = add_up(l->tables, l->n_paid, key, from->cost[i] + l->paid), bound;
	int status;

	if (cost >= t->s->limit)
		return GPUBE_OK;
	bound = add_up(l->tables + l->n_paid, l->n_tables - l->n_paid, key, cost + l->owed);
	if (bound >= t->most) {
		if (bound < t->s->dropped)
			t->s->dropped = bound;
		return GPUBE_OK;
	}
	status = add(t->s->b->ctx, &t->to, key & l->keep, cost, bound, (uint32_t)i, (uint8_t)x);
	if (!status && t->to.n >= 2 * t->room)
		status = drop(t->s->b->ctx, &t->to, t->room, &t->s->dropped, &t->most);
	return status;
}

static int expand(struct step *t, const struct states *from)
{
	struct gpube_ctx *ctx = t->s->b->ctx;
	int status = states_grow(ctx, &t->to);

	for (int64_t i = 0; i < from->n && !status; i++) {
		if (i % 4096 == 0 && (gpube__stopped(ctx) || gpube__now() > t->s->end))
			return gpube__fail_stopped(ctx);
		for (int32_t x = 0; x < t->l->n_values && !status; x++)
			status = follow(t, from, i, x);
	}
	return status ? status : drop(ctx, &t->to, t->room, &t->s->dropped, &t->most);
}

/* ---- a run --------------------------------------------------------------------------- */

/* States that the memory which is left has room for: a layer grows to twice its room, by doubling.
 */
static int64_t most_room(const struct gpube_sweep *s)
{
	double left = (double)s->b->ctx->memory_bytes - s->h->info.bytes - (double)s->bytes;

	return (int64_t)fmin(
		fmax(left / (8 * (STATE_BYTES + 2 * SLOT_BYTES)), FIRST_ROOM), 1 << 30);
}

/* The total that a sum stands for; the bounder's limit if it is not below that. */
static int64_t total_of(const struct gpube_sweep *s, int64_t sum)
{
	return sum >= s->limit ? s->b->limit : gpube__heuristic_total(s->h, sum);
}

/* What is open costs at least what was dropped, or what the least state says. */
static void raise(struct gpube_sweep *s, const struct states *states)
{
	int64_t least = s->dropped;

	for (int64_t i = 0; i < states->n; i++)
		least = states->bound[i] < least ? states->bound[i] : least;
	gpube__bounder_raise(s->b, total_of(s, least), s->by);
}

static void forget_trails(struct gpube_sweep *s)
{
	for (int32_t p = 0; p < s->h->n; p++) {
		gpube__free(s->b->ctx, s->trails[p].parent);
		gpube__free(s->b->ctx, s->trails[p].value);
		s->trails[p] = (struct trail){0};
	}
	s->bytes = 0;
}

/* How the states were reached is kept, by itself. */
static int keep_trail(struct gpube_sweep *s, struct states *states, int32_t position)
{
	struct trail *t = &s->trails[position];
	uint64_t n = (uint64_t)states->n;

	t->parent = gpube__alloc(s->b->ctx, n, sizeof(*t->parent));
	t->value = gpube__alloc(s->b->ctx, n, sizeof(*t->value));
	if (!t->parent || !t->value)
		return GPUBE_ENOMEM;
	if (n) {
		memcpy(t->parent, states->parent, n * sizeof(*t->parent));
		memcpy(t->value, states->value, n * sizeof(*t->value));
	}
	s->bytes += n * TRAIL_BYTES;
	return GPUBE_OK;
}

/* The layer at 'position': *states is the one before, and becomes it. */
static int sweep_layer(struct gpube_sweep *s, struct states *states, int32_t position)
{
	struct gpube_ctx *ctx = s->b->ctx;
	struct gpube_sweep_layer l;
	struct step t = {.s = s, .l = &l, .room = s->room, .most = s->limit};
	int status = gpube__sweep_layer_init(&l, s->h, &s->keys, position);

	if (status)
		return status;
	t.room = t.room < most_room(s) ? t.room : most_room(s);
	status = expand(&t, states);
	if (!status)
		status = keep_trail(s, &t.to, position);
	gpube__sweep_layer_clear(ctx, &l);
	states_clear(ctx, states);
	*states = t.to;
	return status;
}

/* The assignment that the last state stands for. */
static int read_off(struct gpube_sweep *s)
{
	uint32_t i = 0;

	for (int32_t p = 0; p < s->h->n; p++) {
		const int32_t *value = s->h->value + s->h->value_at[p];
		int32_t a = 0;

		while (value[a] != s->trails[p].value[i])
			a++;
		s->b->tried[s->h->order[p]] = a;
		i = s->trails[p].parent[i];
	}
	return gpube__bounder_offer(s->b, s->b->tried, s->by);
}

static int sweep(struct gpube_sweep *s)
{
	struct gpube_bounder *b = s->b;
	struct states states = {0};
	int status = states_grow(b->ctx, &states);
	int64_t left = b->limit == GPUBE_INF ? GPUBE_INF : b->limit - s->h->constant;

	s->limit = left < s->h->limit >> s->h->info.shift ? left << s->h->info.shift : s->h->limit;
	s->dropped = GPUBE_INF;
	s->n_states = 0;
	snprintf(s->by, sizeof(s->by), "sweep, room for %lld", (long long)s->room);
	if (!status)
		status = add(b->ctx, &states, 0, 0, s->h->root, 0, 0);
	for (int32_t p = s->h->n - 1; p >= 0 && states.n > 0 && !status; p--) {
		status = sweep_layer(s, &states, p);
		s->n_states += states.n;
		if (!status)
			raise(s, &states);
	}
	if (!status && states.n > 0)
		status = read_off(s);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "%s: %lld states%s", s->by, (long long)s->n_states,
		status                  ? ", not ended"
		: s->dropped < s->limit ? ", others dropped"
					: ", none dropped");
	states_clear(b->ctx, &states);
	forget_trails(s);
	return status;
}

/* ---- preparation --------------------------------------------------------------------- */

/* Variables of a message whose tables have about 2^MESSAGE_BITS cells. */
static int message_variables(const struct gpube_model *m)
{
	double bits = 0;

	for (int32_t i = 0; i < m->n_vars; i++)
		bits += log2(m->vars[i].domain);
	return (int)fmax(2, fmin(MESSAGE_BITS, MESSAGE_BITS * m->n_vars / (bits + 1e-9)));
}

/* The heuristic along a line; its limit is that of the bounder. */
static int bound_rest(struct gpube_sweep *s, const int32_t *line, double seconds)
{
	struct gpube_bounder *b = s->b;
	int32_t n = b->m->n_vars;
	int32_t *order = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*order));
	struct gpube_heuristic_opts opts = {.sizeof_options = sizeof(opts),
		.method = GPUBE_HEURISTIC_SHIFT,
		.ibound = message_variables(b->m),
		.shift_seconds = seconds,
		.cutoff = b->limit,
		.has_cutoff = b->limit != GPUBE_INF,
		.order_method = GPUBE_ORDER_GIVEN,
		.order = order,
		.no_simplify = 1,
		.backend = GPUBE_BACKEND_CPU};
	int status = order ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t p = 0; p < n && order; p++)
		order[p] = line[n - 1 - p];
	if (!status)
		status = gpube_heuristic_new(&s->h, b->m, &opts);
	gpube__free(b->ctx, order);
	return status;
}

static int prepare(struct gpube_sweep *s, double seconds)
{
	struct gpube_bounder *b = s->b;
	int32_t n = b->m->n_vars, *line = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*line));
	struct gpube_graph g = {0};
	int status = line ? gpube__graph_of_model(&g, b->m) : GPUBE_ENOMEM;

	for (int32_t p = 0; p < n && !status; p++)
		line[p] = b->order[n - 1 - p];
	if (!status)
		status = gpube__sweep_order(b->ctx, line, &s->guess, b->m, &g,
			isfinite(seconds) ? HOPELESS : INFINITY, b->opts->seed);
	gpube__graph_clear(b->ctx, &g);
	if (!status && isfinite(seconds) && s->guess > MOST_GUESS) {
		gpube__free(b->ctx, line);
		return GPUBE_OK;
	}
	if (!status)
		status = bound_rest(s, line, fmax(0.1, fmin(2, seconds / 4)));
	gpube__free(b->ctx, line);
	/* tables that do not fit, or costs out of range: this is not the way */
	s->fits = !status;
	if (status)
		return status == GPUBE_ELIMIT || status == GPUBE_ERANGE ? GPUBE_OK : status;
	gpube__log(b->ctx, GPUBE_LOG_DETAIL,
		"sweep: 2^%.1f states guessed, bound of the rest %lld, i-bound %d", s->guess,
		(long long)s->h->info.bound, s->h->info.ibound);
	s->trails = gpube__alloc_zero(b->ctx, (uint64_t)n, sizeof(*s->trails));
	if (!s->trails)
		return GPUBE_ENOMEM;
	s->room = FIRST_ROOM;
	return gpube__sweep_keys_init(&s->keys, s->h, &s->fits);
}

/*
 * Room for the next run: for the largest layer where it is guessed to be small enough, a quarter of
 * all states, so that the runs in between, which would drop some of them, are left out.
 */
static void make_room(struct gpube_sweep *s, double seconds_of_last)
{
	double largest = exp2(s->guess) / 4;

	s->needs = GROWTH * seconds_of_last;
	s->room *= GROWTH;
	if (largest > (double)s->room && largest <= (double)most_room(s)) {
		s->needs = 0;
		s->room = (int64_t)largest;
	}
}

/* Runs until nothing is dropped, or the next run would take too long, or more memory. */
static int run(struct gpube_sweep *s)
{
	struct gpube_bounder *b = s->b;
	int status = GPUBE_OK;

	while (!gpube__bounder_done(b)) {
		double before = gpube__now();

		if (before + s->needs > s->end)
			return GPUBE_OK;
		status = sweep(s);
		if (status == GPUBE_ESTOP && !gpube__stopped(b->ctx)) /* its own time is over */
			return GPUBE_OK;
		if (status || s->room >= most_room(s) || s->dropped >= s->limit)
			break;
		make_room(s, gpube__now() - before);
	}
	return status;
}

int gpube__bound_sweep(struct gpube_bounder *b, double seconds)
{
	struct gpube_sweep s = {.b = b, .end = gpube__now() + seconds};
	int status = seconds > 0 ? prepare(&s, seconds) : GPUBE_OK;

	if (!status && s.fits)
		status = run(&s);
	gpube__free(b->ctx, s.trails);
	gpube__sweep_keys_clear(b->ctx, &s.keys);
	gpube_heuristic_free(s.h);
	return status;
}
