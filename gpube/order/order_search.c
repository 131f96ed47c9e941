/*
 * order_search.c - the rounds of the search, on all threads.
 *
 * A few chains, each a local search of its own: in a round each works a fixed
 * number of operations; between rounds the orders are compared, and a chain
 * that is far behind begins again, from the best order of all or from a new
 * seed (a randomised greedy, a sweep, a dissection). Budgets grow from round to
 * round. Time is counted in operations: for a seed and a number of threads the
 * result is the same everywhere, unless a limit in seconds or a stop ends it.
 */
#include "gpube/order/order_parts.h"

#include <string.h>

#define SECONDS_PER_OPERATION 4e-9 /* measured, one core; only its order matters */
#define HOPELESS              1e3  /* times min-fill: local search will not mend that */
/* What a separator may be above the best order's largest table, before local search. */
#define SLACK_SHARE 1.05
#define SLACK       6.0 /* log2 of cells, added to it */
#define NARROW      64  /* log2 of cells */
/* of a chain's work: for windows, and in wide graphs for subtrees */
#define LEAST_SHARE 0.25
/*
 * in narrow graphs, where it gains most: six graphs in 0.7 s were 0.18 decades better than with
 * 0.05
 */
#define MUCH_ANNEALING   0.6
#define LITTLE_ANNEALING 0.1
/* times the log of the best seed: local search will not mend that, either */
#define FAR_OFF      1.3
#define FORGOTTEN    0.3 /* of what either has gained, from round to round */
#define LEAST_CHAINS 4
#define LEAST_BUDGET 10000
#define FIRST_BUDGET 500000
#define MOST_BUDGET  100000000
/* A search may take this much where the tables may take less: they come after it. */
#define LEAST_BYTES    0x1p26
#define MOST_IDLE      6     /* rounds without a gain, after which a chain does something else */
#define MOST_IDLE_WIDE 2     /* where windows hold little of a table */
#define IDLE_SHARE     0.125 /* of the elimination's time: without a gain */
#define DISSECT_WORK   200   /* of a dissection, for each try, vertex and edge, about */
#define DISSECT_PART   8     /* of what is left, for one dissection */
#define MOST_SECONDS   5.0   /* of operations, for what cannot be eliminated anyway */

/* The kinds of orders that a chain may begin from. */
enum seed_kind { SEED_GREEDY, SEED_DISSECTION, SEED_SWEEP, N_SEEDS };

/* The ways of local search, in the order in which a round takes them. */
enum way { SUBTREES, WINDOWS, ANNEALING, N_WAYS };

struct chain {
	struct gpube_tree *tree;
	struct gpube_greedy *greedy;
	struct gpube_seeder *seeder;
	struct gpube_dissector *dissector;
	struct gpube_subtree *subtree;
	int32_t *order, *seed_order; /* begin of the next round; room for a seed */
	int32_t *group;
	/* of each kind of seed, log2 of the best one's cells, and which gave the best */
	int64_t seed_work[N_SEEDS];
	double seed_log[N_SEEDS];
	int best_kind;
	uint64_t n_dissections; /* the first few */
	/* work that each may take: a subtree of a large graph is saved for in many rounds */
	int64_t credit[N_WAYS];
	struct gains {
		double gained, spent; /* log2 of the weight; work */
	} gains[N_WAYS];
	int lineage; /* which seed its order comes from */
	struct gpube_rng rng;
	bool reseed;
};

struct gpube_rounds {
	struct gpube_ctx *ctx;
	const struct gpube_graph *g;
	struct chain *chains;
	int n_chains, round;
	/* rounds since the best order was improved on, and since another seed's became the best */
	int idle, idle_seeds;
	int lineage, n_lineages;
	/* work of a chain in this round; that all may still do together, if that is known */
	int64_t budget, left;
	int32_t *best_order;
	double best_sum, best_largest;
	/*
	 * so that rounds go on where they ended: the next one's budget, seconds of operations, and
	 * when there was a gain
	 */
	int64_t most;
	double spent, gained_at, merit_then;
};

static bool is_wide(const struct gpube_rounds *s)
{
	return log2(s->best_largest) > NARROW;
}

static double tree_merit(const struct gpube_tree *t)
{
	return gpube__order_merit(t->best_sum, t->best_largest);
}

/* ---- one chain in one round (no memory is taken: others do the same) ------------------- */

static int draw_greedy(struct chain *c, int32_t *order, const int32_t *group)
{
	static const double noise[] = {0.02, 0.1, 0.3, 0.7};
	static const struct gpube_greedy_rule rules[] = {
		{.by_fill = 1},
		{.by_size = 1},
		{.by_degree = 1},
		{.by_fill = 1, .by_degree = 1},
		{.by_size = 1, .by_domain = 1},
		{.by_fill = 1, .by_size = 1 / GPUBE_LOG_ONE},
	};
	/* after a separator other rules gain nothing */
	struct gpube_greedy_rule rule =
		rules[gpube__rng_below(&c->rng, group ? 2 : sizeof(rules) / sizeof(*rules))];

	rule.noise = noise[gpube__rng_below(&c->rng, group ? 2 : sizeof(noise) / sizeof(*noise))];
	rule.random = true;
	rule.group = group;
	return gpube__greedy_run(c->greedy, order, &rule, HOPELESS * c->tree->most_sum,
		HOPELESS * c->tree->most_cells, &c->rng, false);
}

/* Separators, and greedy elimination of what they leave: of small parts or of large ones. */
static int draw_dissection(struct chain *c, int32_t *order, double most_log, int64_t affordable)
{
	int32_t n = c->tree->g->n;
	const int32_t least[] = {30, 100, n / 16, n / 4};
	/* one of a large graph, above all the first, is long enough with few separators a part */
	const uint64_t most_tries = n > 50000 ? 1 : n > 10000 ? 3 : 5;
	const uint64_t n_logs =
		n > 4000 && c->n_dissections < most_tries ? ++c->n_dissections : most_tries;
	const double balance = 0.15 + 0.25 * gpube__rng_unit(&c->rng);
	struct gpube_dissection how = {.n_free = n,
		.balance = balance,
		.least = least[gpube__rng_below(&c->rng, 4)],
		.tries = 1 << gpube__rng_below(&c->rng, n_logs),
		.around = gpube__draw_around(&c->rng),
		.most_log = most_log};

	if (how.tries > affordable)
		how.tries = (int)affordable;
	if (!gpube__dissect(c->dissector, c->group, &how, &c->rng))
		return GPUBE_ELIMIT;
	return draw_greedy(c, order, c->group);
}

static bool draw_seed(
	struct chain *c, int32_t *order, int kind, double most_log, int64_t affordable)
{
	int32_t n = c->tree->g->n, first = -1;

	if (kind == SEED_GREEDY)
		return draw_greedy(c, order, NULL) == GPUBE_OK;
	if (kind == SEED_DISSECTION)
		return draw_dissection(c, order, most_log, affordable) == GPUBE_OK;
	if (gpube__rng_below(&c->rng, 3) == 0)
		first = (int32_t)gpube__rng_below(&c->rng, (uint64_t)n);
	gpube__sweep(c->seeder, order, first, gpube__rng_below(&c->rng, 4) == 0, &c->rng);
	return true;
}

static int64_t chain_work(const struct chain *c)
{
	return c->tree->work + c->seeder->work + gpube__greedy_work(c->greedy) +
	       gpube__dissector_work(c->dissector) + gpube__subtree_work(c->subtree);
}

static bool chain_over(const struct gpube_rounds *s, const struct chain *c)
{
	return gpube__order_over(s->ctx, c->tree->stop_at);
}

/*
 * How many tries a dissection may make, lest it takes longer than the elimination of a small model.
 */
static int64_t affordable_tries(const struct gpube_rounds *s)
{
	return s->left / DISSECT_PART / (DISSECT_WORK * (s->g->n + s->g->start[s->g->n]));
}

/*
 * All kinds get the same work, that of the best seed so far four times as much, one that is far off
 * a tenth.
 */
static double work_of_kind(const struct chain *c, int kind)
{
	const double best = c->seed_log[c->best_kind];

	if (kind == c->best_kind)
		return (double)c->seed_work[kind] / 4;
	return (double)c->seed_work[kind] * (c->seed_log[kind] > FAR_OFF * best ? 10 : 1);
}

static int next_kind(const struct chain *c, bool dissects)
{
	int next = 0;

	for (int k = 1; k < N_SEEDS; k++)
		if ((dissects || k != SEED_DISSECTION) &&
			work_of_kind(c, k) < work_of_kind(c, next))
			next = k;
	return next;
}

static void note_seed(struct chain *c, int kind, bool found, int64_t work)
{
	const double size = found ? log2(c->tree->sum) : INFINITY;

	c->seed_work[kind] += work;
	if (size < c->seed_log[kind])
		c->seed_log[kind] = size;
	if (c->seed_log[kind] < c->seed_log[c->best_kind])
		c->best_kind = kind;
}

/* The lightest of the seeds that most of a round's work gives, into c->order. */
static void chain_seed(struct gpube_rounds *s, struct chain *c)
{
	int64_t begin = chain_work(c), share = s->idle > 2 ? s->budget / 8 * 7 : s->budget / 2;
	const double most_log = SLACK_SHARE * log2(s->best_largest) + SLACK;
	const int64_t affordable = affordable_tries(s);
	double least = INFINITY;

	do {
		int kind = next_kind(c, affordable > 0);
		int64_t before = chain_work(c);
		bool found = draw_seed(c, c->seed_order, kind, most_log, affordable) &&
			     gpube__tree_set(c->tree, c->seed_order);

		note_seed(c, kind, found, chain_work(c) - before);
		if (!found || !(c->tree->total_weight < least || isinf(least)))
			continue;
		least = c->tree->total_weight;
		memcpy(c->order, c->seed_order, (size_t)s->g->n * sizeof(*c->order));
	} while (chain_work(c) - begin < share && !chain_over(s, c));
}

static double log_weight(const struct chain *c)
{
	return log2(c->tree->total_weight);
}

static void note_gain(struct gains *g, double gain, int64_t work)
{
	g->gained = (1 - FORGOTTEN) * g->gained + (gain > 0 && !isinf(gain) ? gain : 0);
	g->spent = (1 - FORGOTTEN) * g->spent + (double)work;
}

/*
 * What either way of local search gains for its work decides its share, but each keeps a least one.
 * Separators of a narrow graph fit into a window, and subtrees get none; where a table has hundreds
 * of variables, no window holds it.
 */
static void share_out(const struct gpube_rounds *s, const struct chain *c, double share[N_WAYS])
{
	const double little = 1e-9; /* a tenth of a bit in half a second */
	const bool wide = is_wide(s);
	const double least[N_WAYS] = {[WINDOWS] = LEAST_SHARE,
		[SUBTREES] = wide ? LEAST_SHARE : 0,
		[ANNEALING] = wide ? LITTLE_ANNEALING : MUCH_ANNEALING};
	double all = 0, left = 1;

	for (int k = 0; k < N_WAYS; k++) {
		share[k] = least[k] > 0 ? little + c->gains[k].gained / (1 + c->gains[k].spent) : 0;
		all += share[k];
		left -= least[k];
	}
	for (int k = 0; k < N_WAYS; k++)
		share[k] = least[k] + left * share[k] / all;
}

static void improve_by(struct chain *c, enum way way, double power, double heat, int64_t budget)
{
	const int64_t before = chain_work(c);
	const double log_before = log_weight(c);

	c->credit[way] += budget;
	if (way == SUBTREES)
		gpube__subtrees_improve(c->subtree, c->tree, &c->credit[way]);
	else if (way == ANNEALING)
		gpube__tree_anneal(c->tree, &c->credit[way]);
	else
		gpube__tree_improve(c->tree, power, heat, budget);
	note_gain(&c->gains[way], log_before - log_weight(c), chain_work(c) - before);
}

/* Local search from the tree's order, for so much work. */
static void improve(
	struct gpube_rounds *s, struct chain *c, double power, double heat, int64_t budget)
{
	double share[N_WAYS];

	share_out(s, c, share);
	for (int k = 0; k < N_WAYS; k++)
		improve_by(c, (enum way)k, power, heat, (int64_t)(share[k] * (double)budget));
}

static void run_chain(void *arg, int64_t i, int thread)
{
	static const double powers[] = {1, 1.5, 2, 1.25}, heats[] = {0.02, 0.05, 0, 0.01};
	struct gpube_rounds *s = arg;
	struct chain *c = &s->chains[i];

	(void)thread;
	c->tree->power = powers[i % 4];
	if (c->reseed)
		chain_seed(s, c);
	if (gpube__tree_set(c->tree, c->order))
		improve(s, c, powers[i % 4], heats[(s->round + i) % 4],
			c->reseed ? s->budget / 4 : s->budget);
	c->reseed = false;
}

/* ---- between rounds ------------------------------------------------------------------------ */

/*
 * Of four chains one seeks new beginnings and one the best order's improvement. The others do what
 * leads further: one seeks while beginnings become the best, both where nothing is gained any more.
 */
static bool seeks(const struct gpube_rounds *s, int chain)
{
	if (s->n_chains == 1 || chain % 4 == 1)
		return true;
	if (chain % 4 == 3 && s->idle_seeds < MOST_IDLE)
		return true;
	return chain % 4 != 0 && s->idle > (is_wide(s) ? MOST_IDLE_WIDE : MOST_IDLE);
}

static void search_compare(struct gpube_rounds *s)
{
	size_t bytes = (size_t)s->g->n * sizeof(*s->best_order);
	double least = gpube__order_merit(s->best_sum, s->best_largest);

	s->idle++;
	s->idle_seeds++;
	for (int i = 0; i < s->n_chains; i++) {
		const struct gpube_tree *t = s->chains[i].tree;

		if (tree_merit(t) < gpube__order_merit(s->best_sum, s->best_largest)) {
			memcpy(s->best_order, t->best_order, bytes);
			s->best_sum = t->best_sum;
			s->best_largest = t->best_largest;
			s->idle_seeds = s->chains[i].lineage == s->lineage ? s->idle_seeds : 0;
			s->lineage = s->chains[i].lineage;
		}
	}
	if (gpube__order_merit(s->best_sum, s->best_largest) < 0.99 * least)
		s->idle = 0;
	least = gpube__order_merit(s->best_sum, s->best_largest);
	for (int i = 0; i < s->n_chains; i++) {
		struct chain *c = &s->chains[i];
		uint64_t luck = gpube__rng_below(&c->rng, 8);
		bool seeker = seeks(s, i);

		if (luck < (!seeker ? 1 : s->idle > 0 ? 6 : 4)) {
			c->reseed = luck > 0 || i > 0;
		} else if (tree_merit(c->tree) < (seeker ? 100 : 1.5) * least) {
			memcpy(c->order, c->tree->best_order, bytes);
			continue;
		}
		memcpy(c->order, s->best_order, bytes);
		c->lineage = c->reseed ? ++s->n_lineages : s->lineage;
	}
}

static bool worth_going_on(double spent, double predicted, double gained_at)
{
	if (spent >= predicted || spent >= MOST_SECONDS ||
		spent - gained_at > IDLE_SHARE * predicted)
		return false;
	return spent < 1 || gained_at > spent / 2;
}

static void show(const struct gpube_rounds *s)
{
	if (isinf(s->best_sum))
		gpube__progress(s->ctx, -1, "order: more than 10^308 joined cells");
	else
		gpube__progress(s->ctx, -1, "order: 10^%.2f joined cells", log10(s->best_sum));
}

bool gpube__rounds_pay(int64_t work, double joined_cells, double cells_per_second)
{
	const double spent = (double)work * SECONDS_PER_OPERATION;

	return worth_going_on(spent, joined_cells / cells_per_second, spent);
}

/* Takes the budget of a round that is to pay down to what may pay; false: none does. */
static bool cut_budget(struct gpube_rounds *s, int threads, double cells_per_second)
{
	const double per_budget = SECONDS_PER_OPERATION * s->n_chains / threads;
	const double predicted = s->best_sum / cells_per_second, left = predicted - s->spent;

	if (!worth_going_on(s->spent, predicted, s->gained_at))
		return false;
	if ((double)s->budget * per_budget > left)
		s->budget = (int64_t)(left / per_budget);
	s->left = (int64_t)(fmin(left, MOST_SECONDS) * threads / SECONDS_PER_OPERATION);
	return s->budget >= LEAST_BUDGET;
}

/* Takes the budget of a round down to the seconds of work that are left; false: too few. */
static bool cut_to_work(struct gpube_rounds *s, double seconds)
{
	const double most = seconds / SECONDS_PER_OPERATION / s->n_chains;

	if ((double)s->budget > most)
		s->budget = (int64_t)most;
	return s->budget >= LEAST_BUDGET;
}

static void run_round(struct gpube_rounds *s, int threads)
{
	int64_t work = 0;
	double now;

	for (int i = 0; i < s->n_chains; i++)
		work -= chain_work(&s->chains[i]);
	gpube__parallel(s->ctx, s->n_chains, run_chain, s);
	for (int i = 0; i < s->n_chains; i++)
		work += chain_work(&s->chains[i]);
	s->spent += (double)work * SECONDS_PER_OPERATION / threads;
	gpube__work_shared(
		s->ctx, s->n_chains, (int64_t)(1e9 * SECONDS_PER_OPERATION * (double)work));
	search_compare(s);
	show(s);
	now = gpube__order_merit(s->best_sum, s->best_largest);
	if (now < 0.99 * s->merit_then) {
		s->merit_then = now;
		s->gained_at = s->spent;
	}
}

static void chain_stop_at(struct chain *c, double stop_at)
{
	c->tree->stop_at = stop_at;
	gpube__greedy_stop_at(c->greedy, stop_at);
	gpube__seeder_stop_at(c->seeder, stop_at);
	gpube__dissector_stop_at(c->dissector, stop_at);
	gpube__subtree_stop_at(c->subtree, stop_at);
}

const int32_t *gpube__rounds_go(
	struct gpube_rounds *s, struct gpube_order_time time, double cells_per_second)
{
	const int threads = s->ctx->n_threads < s->n_chains ? s->ctx->n_threads : s->n_chains;
	const double stop_at = gpube__now() + time.most,
		     begin = gpube__worked(s->ctx); /* its chains count their own */

	for (int i = 0; i < s->n_chains; i++)
		chain_stop_at(&s->chains[i], stop_at);
	show(s);
	for (; !gpube__order_over(s->ctx, stop_at); s->most += s->most / 2, s->round++) {
		s->budget = s->most < MOST_BUDGET ? s->most : MOST_BUDGET;
		s->left = INT64_MAX;
		if (time.work > 0 && !cut_to_work(s, time.work - (gpube__worked(s->ctx) - begin)))
			break;
		if (time.pays && !cut_budget(s, threads, cells_per_second))
			break;
		run_round(s, threads);
	}
	return s->best_order;
}

/* ---- set up -------------------------------------------------------------------------------- */

static int chain_init(struct gpube_rounds *s, struct chain *c, const int32_t *order,
	int64_t pool_size, const struct gpube_order_cost *cost, uint64_t seed)
{
	uint64_t n = (uint64_t)s->g->n;

	gpube__rng_init(&c->rng, seed);
	c->order = gpube__alloc(s->ctx, n, sizeof(*c->order));
	c->seed_order = gpube__alloc(s->ctx, n, sizeof(*c->seed_order));
	c->group = gpube__alloc(s->ctx, n, sizeof(*c->group));
	if (!c->order || !c->seed_order || !c->group ||
		gpube__tree_new(&c->tree, s->ctx, s->g, pool_size) ||
		gpube__greedy_new(&c->greedy, s->ctx, s->g, true, s->chains[0].greedy) ||
		gpube__greedy_reserve(c->greedy, pool_size + 2 * s->g->start[n]) ||
		gpube__seeder_new(&c->seeder, s->ctx, s->g) ||
		gpube__dissector_new(&c->dissector, s->ctx, s->g) ||
		gpube__subtree_new(&c->subtree, s->ctx, s->g, c->greedy, pool_size))
		return GPUBE_ENOMEM;
	memcpy(c->order, order, (size_t)n * sizeof(*order));
	/* log2 in fixed point is off by less than this; the caller compares exact costs */
	c->tree->most_sum = cost->joined_cells * (1 + 1e-5);
	c->tree->most_cells = cost->largest_joined * (1 + 1e-5);
	gpube__rng_init(&c->tree->rng, ~seed);
	return GPUBE_OK;
}

static void chain_clear(struct gpube_ctx *ctx, struct chain *c)
{
	gpube__tree_free(c->tree);
	gpube__greedy_free(c->greedy);
	gpube__seeder_free(c->seeder, ctx);
	gpube__dissector_free(c->dissector);
	gpube__subtree_free(c->subtree);
	GPUBE_FREE_ALL(ctx, c->group, c->order, c->seed_order);
}

static int chains_init(struct gpube_rounds *s, const int32_t *order,
	const struct gpube_order_cost *cost, int64_t pool_size, uint64_t seed)
{
	int status = GPUBE_OK;

	for (int i = 0; i < s->n_chains && !status; i++) {
		status = chain_init(s, &s->chains[i], order, pool_size, cost,
			seed + (uint64_t)i * 0x9e3779b97f4a7c15u);
		s->chains[i].reseed = i > 0;
		s->chains[i].lineage = s->n_lineages = i;
		/* the first of each kind in another chain */
		for (int k = 0; k < N_SEEDS; k++)
			s->chains[i].seed_log[k] = INFINITY;
		for (int k = 0; k < N_SEEDS; k++)
			s->chains[i].seed_work[k] = 100 * ((k + N_SEEDS - i % N_SEEDS) % N_SEEDS);
	}
	return status;
}

int gpube__rounds_new(struct gpube_rounds **out, struct gpube_ctx *ctx, const int32_t *order,
	const struct gpube_order_cost *cost, const struct gpube_graph *g, uint64_t seed,
	int64_t messages, int64_t work)
{
	/* a sweep's messages are all about as large as the width */
	const int64_t pool_size = 2 * messages + (16 + cost->width) * (int64_t)g->n + 1024;
	const double chain_bytes =
		16.0 * (double)pool_size + 90.0 * (double)g->start[g->n] + 900.0 * g->n;
	const double room = fmax((double)ctx->memory_bytes / 4, LEAST_BYTES);
	struct gpube_rounds *s;
	int status = GPUBE_ENOMEM;

	*out = NULL;
	if (chain_bytes > room) {
		gpube__log(ctx, GPUBE_LOG_DETAIL,
			"no better order is searched for: that would take %.0f MiB of memory",
			chain_bytes / 0x1p20);
		return GPUBE_OK;
	}
	s = gpube__alloc_zero(ctx, 1, sizeof(*s));
	if (!s)
		return GPUBE_ENOMEM;
	s->ctx = ctx;
	s->g = g;
	s->best_sum = cost->joined_cells;
	s->best_largest = cost->largest_joined;
	s->most = FIRST_BUDGET;
	s->spent = s->gained_at = (double)work * SECONDS_PER_OPERATION;
	s->merit_then = gpube__order_merit(s->best_sum, s->best_largest);
	s->n_chains = ctx->n_threads > LEAST_CHAINS ? ctx->n_threads : LEAST_CHAINS;
	if (chain_bytes * s->n_chains > room)
		s->n_chains = (int)(room / chain_bytes);
	s->best_order = gpube__alloc(ctx, (uint64_t)g->n, sizeof(*s->best_order));
	s->chains = gpube__alloc_zero(ctx, (uint64_t)s->n_chains, sizeof(*s->chains));
	if (s->best_order && s->chains) {
		memcpy(s->best_order, order, (size_t)g->n * sizeof(*order));
		status = chains_init(s, order, cost, pool_size, seed);
	}
	if (status)
		gpube__rounds_free(s);
	else
		*out = s;
	return status;
}

void gpube__rounds_free(struct gpube_rounds *s)
{
	struct gpube_ctx *ctx;

	if (!s)
		return;
	ctx = s->ctx;
	for (int i = 0; s->chains && i < s->n_chains; i++)
		chain_clear(ctx, &s->chains[i]);
	GPUBE_FREE_ALL(ctx, s->chains, s->best_order, s);
}
