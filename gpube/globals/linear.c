/* linear.c - see linear.h. */
#include "gpube/globals/linear.h"

#include <string.h>

#include "gpube/ir/tuples.h"
#include "gpube/globals/chain.h"

enum {
	FREE_STEPS = 1 << 12,  /* of a walk that is not charged for; and eight for each literal */
	CHAIN_STEPS = 1 << 20, /* more than these are taken where no chain does instead */
	MOST_STEPS = 1 << 24,
	FREE_TUPLES = 16,
	SMALL_TABLE = 1 << 10, /* cells of a table that is better than a chain */
};

/* ---- sums ---------------------------------------------------------------------------- */

void gpube__linear_begin(struct gpube_linear *l)
{
	l->stamp++;
	l->n = 0;
	l->n_gains = l->n_products = l->n_literals = 0;
}

void gpube__linear_clear(struct gpube_linear *l)
{
	struct gpube_ctx *ctx = l->m->ctx;

	GPUBE_FREE_ALL(ctx, l->scope, l->gains, l->tuple, l->domains, l->places, l->products,
		l->literals, l->seen);
}

static int add_place(struct gpube_linear *l, int32_t var)
{
	struct gpube_ctx *ctx = l->m->ctx;
	const int32_t domain = l->m->vars[var].domain;
	const int64_t n = (int64_t)l->n + 1;

	if (gpube__grow(ctx, &l->scope, &l->scope_capacity, n, sizeof(*l->scope)) ||
		gpube__grow(ctx, &l->tuple, &l->tuple_capacity, n, sizeof(*l->tuple)) ||
		gpube__grow(ctx, &l->domains, &l->domains_capacity, n, sizeof(*l->domains)) ||
		gpube__grow(ctx, &l->places, &l->places_capacity, n + 1, sizeof(*l->places)) ||
		gpube__grow(
			ctx, &l->gains, &l->gains_capacity, l->n_gains + domain, sizeof(*l->gains)))
		return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	l->seen[2 * var] = l->stamp;
	l->seen[2 * var + 1] = l->n;
	l->domains[l->n] = domain;
	l->places[l->n] = (struct gpube_linear_place){.first = l->n_gains};
	memset(l->gains + l->n_gains, 0, (size_t)domain * sizeof(*l->gains));
	l->n_gains += domain;
	l->scope[l->n++] = var;
	return GPUBE_OK;
}

int gpube__linear_place(struct gpube_linear *l, int32_t *place, int32_t var)
{
	const int64_t n = l->m->n_vars;

	if (gpube__grow(l->m->ctx, &l->seen, &l->seen_capacity, n, 2 * sizeof(*l->seen)))
		return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	for (; l->n_seen < n; l->n_seen++)
		l->seen[2 * l->n_seen] = 0;
	if (l->seen[2 * var] != l->stamp && add_place(l, var))
		return gpube__sink_status(&l->sink);
	*place = (int32_t)l->seen[2 * var + 1];
	return GPUBE_OK;
}

int gpube__linear_literal(struct gpube_linear *l, int32_t place, int32_t value)
{
	if (gpube__grow(l->m->ctx, &l->literals, &l->literals_capacity, l->n_literals + 1,
		    sizeof(*l->literals)))
		return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	l->literals[l->n_literals++] = (struct gpube_linear_literal){place, value};
	return GPUBE_OK;
}

int gpube__linear_product(struct gpube_linear *l, __int128 coefficient, int64_t first)
{
	struct gpube_linear_product p = {
		.coefficient = coefficient, .literals = first, .n = l->n_literals - first};

	if (gpube__grow(l->m->ctx, &l->products, &l->products_capacity, l->n_products + 2,
		    sizeof(*l->products)))
		return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	for (int64_t k = first; k < l->n_literals; k++)
		if (l->literals[k].place > p.last)
			p.last = l->literals[k].place;
	l->products[l->n_products++] = p;
	return GPUBE_OK;
}

/* ---- which sums are possible --------------------------------------------------------- */

static void measure_gains(struct gpube_linear *l, int32_t i)
{
	struct gpube_linear_place *p = &l->places[i];
	__int128 least = l->gains[p->first], most = least;

	for (int32_t v = 1; v < l->domains[i]; v++) {
		const __int128 gain = l->gains[p->first + v];

		least = gain < least ? gain : least;
		most = gain > most ? gain : most;
	}
	p->least = p[1].least + least;
	p->most = p[1].most + most;
	p->steps = 1;
}

/* The products by the place where they end, and the sums that each place leaves possible. */
static int prepare(struct gpube_linear *l)
{
	struct gpube_linear_product *sorted = NULL;
	int64_t at = 0;

	if (gpube__grow(l->m->ctx, &l->places, &l->places_capacity, (int64_t)l->n + 1,
		    sizeof(*l->places)))
		return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	if (l->n_products) {
		sorted = gpube__alloc(l->m->ctx, (uint64_t)l->n_products + 1, sizeof(*sorted));
		if (!sorted)
			return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	}
	l->places[l->n] = (struct gpube_linear_place){0};
	for (int64_t k = 0; k < l->n_products; k++)
		l->places[l->products[k].last].products++;
	for (int32_t i = 0; i <= l->n; i++) {
		const int64_t n = l->places[i].products;

		l->places[i].products = at;
		at += n;
	}
	/* each goes where its place begins, which moves on; the ends are moved back below */
	for (int64_t k = 0; k < l->n_products; k++)
		sorted[l->places[l->products[k].last].products++] = l->products[k];
	for (int32_t i = l->n; i > 0; i--)
		l->places[i].products = l->places[i - 1].products;
	l->places[0].products = 0;
	for (int32_t i = l->n - 1; i >= 0; i--) {
		struct gpube_linear_place *p = &l->places[i];

		measure_gains(l, i);
		for (int64_t k = p->products; k < p[1].products; k++) {
			*(sorted[k].coefficient < 0 ? &p->least : &p->most) +=
				sorted[k].coefficient;
			p->steps += sorted[k].n;
		}
	}
	if (sorted)
		memcpy(l->products, sorted, (size_t)l->n_products * sizeof(*sorted));
	gpube__free(l->m->ctx, sorted);
	return GPUBE_OK;
}

/* May a sum between these be one of an allowed tuple, or of a forbidden one? */
static bool may_be(const struct gpube_linear *l, bool allowed, __int128 least, __int128 most)
{
	switch (l->relation) {
	case GPUBE_AT_LEAST:
		return allowed ? most >= l->right : least < l->right;
	case GPUBE_AT_MOST:
		return allowed ? least <= l->right : most > l->right;
	default:
		return allowed ? least <= l->right && most >= l->right
			       : least != l->right || most != l->right;
	}
}

/* ---- tuples -------------------------------------------------------------------------- */

/* What place i adds to the sum with the tuple's values up to there. */
static __int128 gain_at(const struct gpube_linear *l, int32_t i)
{
	__int128 gain = l->gains[l->places[i].first + l->tuple[i]];

	for (int64_t k = l->places[i].products; k < l->places[i + 1].products; k++) {
		const struct gpube_linear_product *p = &l->products[k];
		const struct gpube_linear_literal *literal = l->literals + p->literals;
		bool all = true;

		for (int64_t j = 0; j < p->n && all; j++)
			all = l->tuple[literal[j].place] == literal[j].value;
		gain += all ? p->coefficient : 0;
	}
	return gain;
}

/*
 * Walks through the allowed or the forbidden tuples in order, in 'steps' steps.
 * t  what they are pushed to, with 'cost'; NULL: they are only counted
 * n  out: how many there are; -1: more than so many steps find
 */
static int walk(struct gpube_linear *l, bool allowed, int64_t steps, struct gpube_tuples *t,
	int64_t cost, int64_t *n)
{
	enum { LOOK_STEPS = 1 << 16 };
	int64_t left = steps, look = LOOK_STEPS;
	int32_t k = 0;

	*n = 0;
	l->tuple[0] = -1;
	l->places[0].sum = 0;
	while (k >= 0) {
		const struct gpube_linear_place *next_place = &l->places[k + 1];
		__int128 sum;

		left -= l->places[k].steps;
		look -= l->places[k].steps;
		if (left < 0) {
			*n = -1;
			return GPUBE_OK;
		}
		if (look < 0 && gpube__stopped(l->m->ctx))
			return gpube__sink_pass(&l->sink, gpube__fail_stopped(l->m->ctx));
		look = look < 0 ? LOOK_STEPS : look;
		if (++l->tuple[k] == l->domains[k]) {
			k--;
			continue;
		}
		sum = l->places[k].sum + gain_at(l, k);
		if (!may_be(l, allowed, sum + next_place->least, sum + next_place->most))
			continue;
		if (k + 1 < l->n) {
			l->tuple[++k] = -1;
			l->places[k].sum = sum;
			continue;
		}
		++*n;
		if (t && gpube__tuples_push(t, l->tuple, cost, 0))
			return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	}
	return GPUBE_OK;
}

/* Which tuples to list, how many there are (-1: too many), and the steps that list them. */
struct listing {
	bool allowed;
	int64_t n, steps;
};

static int choose_listing(struct gpube_linear *l, struct listing *list, int64_t most_steps)
{
	int64_t n[2], paid = FREE_STEPS + 8 * ((int64_t)l->n + l->n_gains + l->n_literals);

	list->n = -1;
	for (list->steps = paid; list->steps <= most_steps || list->steps == paid;
		list->steps *= 4) {
		/* a walk is paid for by the memory that its tuples might take */
		if (list->steps > paid && gpube__charge(&l->sink, list->steps, sizeof(int32_t),
						  "constraints that are expanded"))
			return gpube__sink_status(&l->sink);
		if (walk(l, false, list->steps, NULL, 0, &n[0]) ||
			walk(l, true, list->steps, NULL, 0, &n[1]))
			return gpube__sink_status(&l->sink);
		if (n[0] < 0 && n[1] < 0)
			continue;
		list->allowed = n[0] < 0 || (n[1] >= 0 && n[1] < n[0]);
		list->n = n[list->allowed];
		if (list->n <= FREE_TUPLES)
			return GPUBE_OK;
		return gpube__charge(&l->sink, list->n,
			((int64_t)l->n + 4) * (int64_t)sizeof(int32_t),
			"constraints that are expanded");
	}
	return GPUBE_OK;
}

static int add_tuples(struct gpube_linear *l, struct gpube_tuples *t)
{
	struct gpube_table table;
	int64_t twice;
	int status = gpube__tuples_finish(t, &table, &twice);

	if (!status)
		status = gpube__add_table_over(l->m, l->scope, &table, NULL);
	return gpube__sink_pass(&l->sink, status);
}

static int add_listing(struct gpube_linear *l, const struct listing *list, int64_t cost)
{
	struct gpube_tuples t;
	int64_t n;

	if (gpube__tuples_init(&t, l->m->ctx, l->n, l->domains, list->allowed ? cost : 0))
		return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	if (walk(l, list->allowed, list->steps, &t, list->allowed ? 0 : cost, &n)) {
		gpube__tuples_clear(&t);
		return gpube__sink_status(&l->sink);
	}
	return add_tuples(l, &t);
}

/* ---- at most one ------------------------------------------------------------------------- */

enum { LEAST_WIDE = 4, MOST_WIDE = 1 << 11 };

/* The value of place i with the smaller gain, where the relation bounds sums from above. */
static int32_t low_value(const struct gpube_linear *l, int32_t i)
{
	const __int128 *gains = l->gains + l->places[i].first;

	return (l->relation == GPUBE_AT_MOST) == (gains[0] < gains[1]) ? 0 : 1;
}

/*
 * Of many variables of two values, may one at most have the higher gain? That is told without a
 * walk, which takes as many steps for each tuple as there are variables.
 */
static bool is_at_most_one(const struct gpube_linear *l)
{
	__int128 slack, least[2] = {0, 0}; /* of all steps from the low value to the other one */

	if (l->relation == GPUBE_EXACTLY || l->n_products || l->n < LEAST_WIDE || l->n > MOST_WIDE)
		return false;
	slack = l->relation == GPUBE_AT_MOST ? l->right - l->places[0].least
					     : l->places[0].most - l->right;
	for (int32_t i = 0; i < l->n; i++) {
		const __int128 *gains = l->gains + l->places[i].first;
		__int128 more;

		if (l->domains[i] != 2)
			return false;
		more = gains[0] < gains[1] ? gains[1] - gains[0] : gains[0] - gains[1];
		if (more == 0 || more > slack)
			return false;
		if (i == 0 || more < least[0]) {
			least[1] = i ? least[0] : more;
			least[0] = more;
		} else if (i == 1 || more < least[1]) {
			least[1] = more;
		}
	}
	return slack >= 0 && least[0] + least[1] > slack;
}

/* The tuples that allow it, as a walk would list them. */
static int push_at_most_one(struct gpube_linear *l, struct gpube_tuples *t)
{
	int status;

	for (int32_t i = 0; i < l->n; i++)
		l->tuple[i] = low_value(l, i);
	status = gpube__tuples_push(t, l->tuple, 0, 0);
	for (int32_t i = 0; i < l->n && !status; i++) {
		l->tuple[i] ^= 1;
		status = gpube__tuples_push(t, l->tuple, 0, 0);
		l->tuple[i] ^= 1;
	}
	return status;
}

static int add_at_most_one(struct gpube_linear *l, int64_t cost)
{
	struct gpube_tuples t;

	if (gpube__charge(&l->sink, (int64_t)l->n + 1,
		    ((int64_t)l->n + 4) * (int64_t)sizeof(int32_t),
		    "constraints that are expanded"))
		return gpube__sink_status(&l->sink);
	if (gpube__tuples_init(&t, l->m->ctx, l->n, l->domains, cost))
		return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	if (push_at_most_one(l, &t)) {
		gpube__tuples_clear(&t);
		return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	}
	return add_tuples(l, &t);
}

/* ---- chains -------------------------------------------------------------------------- */

/* Sums whose constraint holds, or does not, whatever comes: one state each. */
enum { HOLDS, FAILS };

struct chain {
	struct gpube_machine machine; /* the first: it is cast */
	const struct gpube_linear *linear;
	int64_t cost;
};

/* The state is whether it is decided, and the sum so far. */
static __int128 step(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	const struct chain *c = (const struct chain *)m;
	const struct gpube_linear *l = c->linear;
	const struct gpube_linear_place *rest = &l->places[k + 1];

	if (state[0])
		return 0;
	state[1] += (int64_t)l->gains[l->places[k].first + value];
	if (!l->per_unit && !may_be(l, true, state[1] + rest->least, state[1] + rest->most)) {
		state[0] = 1 + FAILS;
		state[1] = 0;
		return c->cost == GPUBE_INF ? GPUBE_FORBID : c->cost;
	}
	if (!may_be(l, false, state[1] + rest->least, state[1] + rest->most)) {
		state[0] = 1 + HOLDS;
		state[1] = 0;
	}
	return 0;
}

/* What a sum costs for each unit that is missing or too much. */
static __int128 price(const struct gpube_linear *l, __int128 sum, int64_t cost)
{
	const __int128 more = sum - l->right;

	if (more < 0 ? l->relation == GPUBE_AT_MOST : l->relation == GPUBE_AT_LEAST)
		return 0;
	return gpube__cost_times(cost, more < 0 ? -more : more);
}

/* Every sum is decided by the last variable, but where units are counted. */
static __int128 end(struct gpube_machine *m, const int64_t *state)
{
	const struct chain *c = (const struct chain *)m;

	return c->linear->per_unit && !state[0] ? price(c->linear, state[1], c->cost) : 0;
}

/* Which value of the last variable makes the sum exactly what it has to be. */
static int32_t last_value(struct gpube_machine *m, const int64_t *state)
{
	const struct gpube_linear *l = ((const struct chain *)m)->linear;
	const __int128 *gains = l->gains + l->places[l->n - 1].first, gain = l->right - state[1];
	int32_t low = 0, high = l->domains[l->n - 1];
	const bool rises = gains[0] < gains[high - 1];

	if (state[0])
		return -1;
	while (low < high) {
		const int32_t mid = (low + high) / 2;

		if (rises ? gains[mid] < gain : gains[mid] > gain)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->domains[l->n - 1] && gains[low] == gain ? low : -1;
}

/*
 * Is the last variable the rest of an exact sum? Then the chain ends in it: read like the others, a
 * total of a thousand values would be asked for each of them in a thousand states.
 */
static bool ends_in_last(const struct gpube_linear *l, int64_t cost)
{
	const int32_t last = l->n - 1;
	const __int128 *gains = l->gains + l->places[last].first;
	bool rises = true, falls = true;

	if (l->relation != GPUBE_EXACTLY || cost != GPUBE_INF || last < 1 || l->domains[last] < 2)
		return false;
	for (int32_t v = 1; v < l->domains[last] && (rises || falls); v++) {
		rises = rises && gains[v - 1] < gains[v];
		falls = falls && gains[v - 1] > gains[v];
	}
	return rises || falls;
}

/* 'fits': out: false where it is no chain, or too large a one, as 'text' says then. */
static int add_chain(bool *fits, struct gpube_linear *l, int64_t cost, char text[GPUBE_CHAIN_TEXT])
{
	static const struct gpube_keyword keyword = {.name = "sum"};
	struct gpube_call call = {.sink = l->sink,
		.keyword = &keyword,
		.m = l->m,
		.arity = l->n,
		.scope = l->scope,
		.hard_from = GPUBE_INF,
		.unit = 1};
	const struct gpube_eval eval = {.call = &call, .arity = l->n, .domains = l->domains};
	struct chain c = {.linear = l, .cost = cost};
	int64_t start[2] = {0, 0};
	int32_t *reads;
	int status;

	gpube__chain_text(text, 0, 0);
	*fits = l->n_products == 0 && l->places[0].least > -((__int128)1 << 62) &&
		l->places[0].most < (__int128)1 << 62;
	for (int32_t i = 0; i < l->n && *fits; i++)
		*fits = l->places[i].least > -((__int128)1 << 62) &&
			l->places[i].most < (__int128)1 << 62;
	if (!*fits)
		return GPUBE_OK;
	reads = gpube__alloc(l->m->ctx, (uint64_t)l->n, sizeof(*reads));
	if (!reads)
		return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	for (int32_t i = 0; i < l->n; i++)
		reads[i] = i;
	c.machine = (struct gpube_machine){.call = &call,
		.eval = &eval,
		.n = l->n,
		.reads = reads,
		.width = 2,
		.start = start,
		.sign = 1,
		.step = step,
		.end = end};
	if (ends_in_last(l, cost)) {
		c.machine.n--;
		c.machine.last = last_value;
		c.machine.last_var = l->scope[l->n - 1];
	}
	status = gpube__chain(fits, &c.machine);
	gpube__chain_text(text, c.machine.n_hidden, c.machine.n_cells);
	gpube__free(l->m->ctx, reads);
	return status;
}

/* ---- which --------------------------------------------------------------------------- */

/*
 * Elimination joins all variables of a table at once. Where those are too many cells a chain is
 * better, but for a clause and an at-most-one, which have rules of their own.
 */
static bool prefers_chain(const struct gpube_linear *l, const struct listing *list)
{
	const int64_t cells = gpube__cells(l->m, l->n, l->scope);

	return list->n < 0 || (list->n > (list->allowed ? (int64_t)l->n + 1 : 1) &&
				      (cells < 0 || cells > GPUBE_TABLE_CELLS));
}

/* What all tuples cost by their sums. */
static int push_prices(struct gpube_linear *l, struct gpube_values *v, int64_t cost)
{
	int status = GPUBE_OK;

	memset(l->tuple, 0, (size_t)l->n * sizeof(*l->tuple));
	do {
		__int128 sum = 0, c;

		for (int32_t i = 0; i < l->n; i++)
			sum += l->gains[l->places[i].first + l->tuple[i]];
		c = price(l, sum, cost);
		if (c >= GPUBE_INF || c <= -GPUBE_INF)
			return gpube__sink_fail(&l->sink, GPUBE_ERANGE,
				"a sum that is far off costs more than 2^63");
		status = gpube__values_push(l->m->ctx, v, (int64_t)c);
	} while (!status && gpube__tuple_next(l->tuple, l->domains, l->n));
	return status;
}

/* Of a constraint whose violation is priced by units: a table where it is small, or a chain. */
static int add_per_unit(struct gpube_linear *l, int64_t cost)
{
	const int64_t cells = gpube__cells(l->m, l->n, l->scope);
	struct gpube_values v = {0};
	int32_t table;
	bool fits = false;
	char text[GPUBE_CHAIN_TEXT];

	if (l->n == 0) {
		const __int128 c = price(l, 0, cost);
		const int64_t constant = (int64_t)c;

		return c >= GPUBE_INF || c <= -GPUBE_INF
			       ? gpube__sink_fail(&l->sink, GPUBE_ERANGE, "a cost passes 2^63")
			       : gpube__sink_pass(
					 &l->sink, gpube_model_add_costs(l->m, 0, NULL, &constant));
	}
	if ((cells < 0 || cells > SMALL_TABLE) && add_chain(&fits, l, cost, text))
		return gpube__sink_status(&l->sink);
	if (fits)
		return GPUBE_OK;
	if (cells < 0 || cells > GPUBE_TABLE_CELLS)
		return gpube__sink_fail(&l->sink, GPUBE_ERANGE,
			"a sum over %d variables has more than %lld tuples%s", l->n,
			(long long)GPUBE_TABLE_CELLS, text);
	if (gpube__charge_cells(&l->sink, cells, NULL))
		return gpube__sink_status(&l->sink);
	if (push_prices(l, &v, cost)) {
		gpube__values_clear(l->m->ctx, &v);
		return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	}
	if (gpube__add_dense(l->m, &table, l->n, &v) ||
		gpube__add_function(l->m, l->n, l->scope, table, NULL))
		return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
	return GPUBE_OK;
}

int gpube__linear_add(struct gpube_linear *l, int64_t cost)
{
	struct listing list;
	bool fits = false;
	char text[GPUBE_CHAIN_TEXT] = "";

	if (prepare(l))
		return gpube__sink_status(&l->sink);
	if (!may_be(l, false, l->places[0].least, l->places[0].most))
		return GPUBE_OK; /* it holds anyhow */
	if (l->per_unit)
		return add_per_unit(l, cost);
	if (!may_be(l, true, l->places[0].least, l->places[0].most)) {
		if (gpube_model_add_costs(l->m, 0, NULL, &cost))
			return gpube__sink_pass(&l->sink, GPUBE_ENOMEM);
		return GPUBE_OK;
	}
	if (is_at_most_one(l))
		return add_at_most_one(l, cost);
	if (choose_listing(l, &list, CHAIN_STEPS))
		return gpube__sink_status(&l->sink);
	if (prefers_chain(l, &list) && add_chain(&fits, l, cost, text))
		return gpube__sink_status(&l->sink);
	if (fits)
		return GPUBE_OK;
	if (list.n < 0 && choose_listing(l, &list, MOST_STEPS))
		return gpube__sink_status(&l->sink);
	if (list.n < 0)
		return gpube__sink_fail(&l->sink, GPUBE_ERANGE,
			"a constraint over %d variables with more allowed and more forbidden "
			"tuples than the %d that are expanded%s",
			l->n, MOST_STEPS, text);
	return add_listing(l, &list, cost);
}
