/* sweep.c - runs along the line, with ever more room for states. See sweep.h. */
#include "gpube/bound/sweep/sweep_states.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 10, GROWTH = 8, MARGIN = 4 };
/*
 * What is guessed is believed within LENIENCE: by how much a run may seem to take longer than there
 * is time for. States of a run before that is asked; those that two cores met in a second.
 */
enum { LENIENCE = 3, ENOUGH = 1 << 18 };
#define STATES_PER_SECOND 1e7
/*
 * So many times as many are tried where elimination has more cells than the line has states: of
 * rbm_22's 2^26.5 states (2^27.5 cells) a bound leaves 4 10^5.
 */
#define BOUNDED 20
/* Seconds of the search for a line. */
#define MOST_SEARCH 60.0
/* States of runs with little room, of those that are guessed. */
#define TRYING 0.25
/* Cells of a message of the bound: as many fit a core's cache. */
#define MESSAGE_BITS 12

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
	struct gpube_sweep_work work;
	struct gpube_sweep_states layers[2];
	bool fits;
	int64_t room;     /* of the next run; 0: none was made */
	double guess;     /* log2 of the states of all layers */
	double *layer;    /* the states that are guessed of each, by position */
	double needs;     /* seconds that the next run may take */
	int64_t n_states; /* of the last run, in all layers */
	int64_t limit,
		dropped; /* sums from 'limit' on are of no interest; the least that was dropped */
	uint64_t bytes;  /* of trails */
	struct gpube_turn turn;
	bool given_up;
	char by[40];
};

enum { TRAIL_BYTES = 4 + 1, SLOT_BYTES = 4 };

/* ---- a run --------------------------------------------------------------------------- */

/* States that the memory which is left has room for: a layer grows to twice its room, by doubling.
 */
static int64_t most_room(const struct gpube_sweep *s)
{
	double left = (double)s->b->ctx->memory_bytes - s->h->info.bytes - (double)s->bytes;

	return (int64_t)fmin(
		fmax(left / (8 * ((double)s->work.kernels->state_bytes + 2 * SLOT_BYTES)),
			FIRST_ROOM),
		1 << 30);
}

/* The total that a sum stands for; the bounder's limit if it is not below that. */
static int64_t total_of(const struct gpube_sweep *s, int64_t sum)
{
	return sum >= s->limit ? s->b->limit : gpube__heuristic_total(s->h, sum);
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

/*
 * How the states were reached is kept, by itself. What is open costs at least what was dropped, or
 * what the least state says.
 */
static int keep_trail(
	struct gpube_sweep *s, const struct gpube_sweep_states *states, int32_t position)
{
	struct trail *t = &s->trails[position];
	uint64_t n = (uint64_t)states->n;
	int64_t least;

	t->parent = gpube__alloc(s->b->ctx, n, sizeof(*t->parent));
	t->value = gpube__alloc(s->b->ctx, n, sizeof(*t->value));
	if (!t->parent || !t->value)
		return GPUBE_ENOMEM;
	least = gpube__sweep_read(&s->work, states, t->parent, t->value);
	s->bytes += n * TRAIL_BYTES;
	gpube__bounder_raise(s->b, total_of(s, least < s->dropped ? least : s->dropped), s->by);
	return GPUBE_OK;
}

/* The layer at 'position', from the one before. */
static int sweep_layer(struct gpube_sweep *s, struct gpube_sweep_states *to,
	const struct gpube_sweep_states *from, int32_t position)
{
	const int64_t room = s->room < most_room(s) ? s->room : most_room(s);
	struct gpube_sweep_layer l;
	int status = gpube__sweep_layer_init(
		&l, s->h, &s->keys, s->work.kernels, position, s->limit, from->n);

	if (!status)
		status = gpube__sweep_step(
			&s->work, to, from, &l, room, s->limit, &s->turn, &s->dropped);
	if (!status)
		status = keep_trail(s, to, position);
	gpube__sweep_layer_clear(s->b->ctx, &l);
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

/*
 * Whether a run is not to end in time: if layers to come are as much larger than guessed, or
 * smaller, as this one is. Mostly they are smaller, as the bound of what is left gets better.
 */
static bool takes_too_long(const struct gpube_sweep *s, int64_t n, int32_t position, double start)
{
	const double ratio = (double)n / fmax(s->layer[position], 1);
	double rest = 0;

	if (!isfinite(s->turn.seconds) || s->n_states < ENOUGH)
		return false;
	for (int32_t p = 0; p < position; p++)
		rest += fmin(ratio * s->layer[p], (double)s->room);
	return (gpube__turn_spent(&s->turn) - start) / (double)s->n_states * rest >
	       LENIENCE * gpube__turn_left(&s->turn);
}

static int sweep(struct gpube_sweep *s)
{
	struct gpube_bounder *b = s->b;
	struct gpube_sweep_states *states = s->layers, *next = s->layers + 1;
	const double start = gpube__turn_spent(&s->turn);
	int64_t left = b->limit == GPUBE_INF ? GPUBE_INF : b->limit - s->h->constant;
	int status;

	/* what is left may be below 0, which C shifts right alone */
	left = left > INT64_MIN >> s->h->info.shift ? left : INT64_MIN >> s->h->info.shift;
	s->limit = left < s->h->limit >> s->h->info.shift ? left * ((int64_t)1 << s->h->info.shift)
							  : s->h->limit;
	s->dropped = GPUBE_INF;
	s->n_states = 0;
	status =
		gpube__sweep_begin(&s->work, states, s->h->root < s->limit ? s->h->root : s->limit);
	snprintf(s->by, sizeof(s->by), "sweep, room for %lld", (long long)s->room);
	for (int32_t p = s->h->n - 1; p >= 0 && states->n > 0 && !status; p--) {
		struct gpube_sweep_states *before = states;

		status = sweep_layer(s, next, states, p);
		if (status)
			break;
		states = next;
		next = before;
		s->n_states += states->n;
		if (takes_too_long(s, states->n, p, start)) {
			s->given_up = true;
			status = gpube__fail_stopped(b->ctx);
		}
	}
	if (!status && states->n > 0)
		status = read_off(s);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "%s: %lld states%s", s->by, (long long)s->n_states,
		status && s->given_up   ? ", given up"
		: status                ? ", not ended"
		: s->dropped < s->limit ? ", others dropped"
					: ", none dropped");
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

/* Narrow where no sum passes int32: of limit and what is taken off, with the tables of no variable.
 */
static const struct gpube_sweep_kernels *kernels_for(const struct gpube_sweep *s)
{
	return gpube__sweep_kernels(
		s->keys.words, s->h->limit - gpube__sweep_taken_off(s->h) <= INT32_MAX);
}

static int prepare(struct gpube_sweep *s, double seconds)
{
	struct gpube_bounder *b = s->b;
	int32_t n = b->m->n_vars, *line = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*line));
	const double left = gpube__seconds_left(b->ctx);
	const double in_time = STATES_PER_SECOND * LENIENCE * seconds;
	const double hopeless =
		log2(fmax(in_time, fmin(BOUNDED * in_time, b->order_cost.joined_cells)));
	struct gpube_graph g = {0};
	int status = line ? gpube__graph_of_model(&g, b->m) : GPUBE_ENOMEM;

	s->layer = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*s->layer));
	if (!s->layer && !status)
		status = GPUBE_ENOMEM;
	for (int32_t p = 0; p < n && !status; p++)
		line[p] = b->order[n - 1 - p];
	if (!status)
		status = gpube__sweep_order(b->ctx, line, &s->guess, s->layer, b->m, &g, hopeless,
			fmin(fmin(seconds, left) / 4, MOST_SEARCH), b->opts->seed);
	gpube__graph_clear(b->ctx, &g);
	if (!status && s->guess > hopeless) {
		gpube__free(b->ctx, line);
		return GPUBE_OK;
	}
	if (!status)
		status = bound_rest(s, line, fmax(0.1, fmin(2, fmin(seconds, left) / 4)));
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
	status = gpube__sweep_keys_init(&s->keys, s->h, &s->fits);
	return status ? status : gpube__sweep_work_init(&s->work, b->ctx, kernels_for(s));
}

/*
 * Room for the next run. When runs with little room have had their share, which find assignments
 * that leave fewer states below the limit, room for the largest layer, with a margin, as it is
 * guessed, so that runs in between, which would drop some, are left out.
 */
static void make_room(struct gpube_sweep *s, double seconds_of_last)
{
	double largest = 0;

	for (int32_t p = 0; p < s->h->n; p++)
		largest = fmax(largest, MARGIN * s->layer[p]);
	s->needs = GROWTH * seconds_of_last;
	s->room *= GROWTH;
	if (largest > (double)s->room && largest <= (double)most_room(s) &&
		(double)s->room * s->h->n > TRYING * exp2(s->guess)) {
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
		const double before = gpube__turn_spent(&s->turn);

		if (s->needs > gpube__turn_left(&s->turn))
			return GPUBE_OK;
		status = sweep(s);
		if (status == GPUBE_ESTOP && !gpube__stopped(b->ctx)) /* its own time is over */
			return GPUBE_OK;
		if (status || s->room >= most_room(s) || s->dropped >= s->limit)
			break;
		make_room(s, gpube__turn_spent(&s->turn) - before);
	}
	return status;
}

int gpube__bound_sweep(struct gpube_bounder *b, double seconds)
{
	struct gpube_sweep s = {.b = b, .turn = gpube__turn(b->ctx, seconds)};
	int status = seconds > 0 ? prepare(&s, seconds) : GPUBE_OK;

	if (!status && s.fits) /* the better the assignment, the fewer states are below it */
		status = gpube__bounder_search(
			b, b->upper < GPUBE_INF ? b->best : NULL, 100 * (int64_t)b->m->n_vars);
	if (!status && s.fits)
		status = run(&s);
	gpube__sweep_states_clear(b->ctx, &s.layers[0]);
	gpube__sweep_states_clear(b->ctx, &s.layers[1]);
	if (s.work.ctx)
		gpube__sweep_work_clear(&s.work);
	gpube__free(b->ctx, s.trails);
	gpube__free(b->ctx, s.layer);
	gpube__sweep_keys_clear(b->ctx, &s.keys);
	gpube_heuristic_free(s.h);
	return status;
}
