/*
 * auction_places.c - CATS' paths and matching: goods that are the edges of a map, or the hours of
 * airports. Written from the paper (Leyton-Brown, Pearson and Shoham, EC 2000), with the parameters
 * that CATS 2 takes by default.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csg/auction/auction_draw.h"

/* ---- a bid, of these and of the others ------------------------------------------------------- */

/* In thousandths, as its digits say; no bid is free. */
static int64_t thousandths(double price)
{
	char text[64];
	char *point;

	snprintf(text, sizeof(text), "%.3f", fmax(price, 0.001));
	point = text + strlen(text) - 4; /* whatever the locale calls it */
	memmove(point, point + 1, 4);
	return strtoll(text, NULL, 10);
}

bool csg__draw_bid(struct bid_drawing *d, const uint8_t *in, double price, int dummy, int *status)
{
	struct gpube__bids *b = &d->b;
	int64_t n = b->at[d->n_drawn];

	if (d->n_drawn == d->n_bids)
		return false;
	*status = gpube__grow(d->ctx, &b->good, &d->capacity, n + d->n_goods + 1, sizeof(*b->good));
	if (*status)
		return false;
	for (int g = 0; g < d->n_goods; g++)
		if (in[g])
			b->good[n++] = g;
	if (dummy >= 0)
		b->good[n++] = d->n_goods + dummy;
	b->price[d->n_drawn] = thousandths(price);
	b->at[++d->n_drawn] = n;
	return true;
}

/* ---- paths: a map ------------------------------------------------------------------------------
 */

#define CONNECTIONS      2 /* each city's nearest, which it is joined to at first */
#define EDGES_PER_CITY   3
#define BUILDING_PENALTY 1.7  /* an edge that is not there costs so much more than one that is */
#define SHIPPING_FACTOR  1.5  /* bidders pay up to so many times the distance */
#define MOST_PATHS       5    /* bids of one bidder */
#define MOST_STEPS       4096 /* of the search for them */

/* A way from a bidder's first city: 'from' is the step before, -1 at the beginning. */
struct step {
	int32_t from, city;
	double cost;
};

struct map {
	struct bid_drawing *d;
	int n, n_edges; /* cities */
	double *x, *y;
	int32_t *edge;         /* n * n: the good between two cities, -1: none */
	int32_t *at, *next_to; /* cities joined to c: next_to[at[c]] .. next_to[at[c + 1] - 1] */
	int32_t *by;           /* of a shortest path: the city before */
	double *cost;
	uint8_t *seen;
	struct step *step;
	struct open {
		double bound; /* the cost so far, and as the crow flies to the last city */
		int32_t step;
	} * heap;
	int n_steps, n_heap;
};

static double distance(const struct map *m, int a, int b)
{
	return hypot(m->x[a] - m->x[b], m->y[a] - m->y[b]);
}

static void add_edge(struct map *m, int a, int b)
{
	if (m->n_edges < m->d->n_goods)
		m->edge[a * m->n + b] = m->edge[b * m->n + a] = m->n_edges++;
}

/* The cheapest way between two cities is built as far as it is not there; false: it is. */
static bool build(struct map *m, int a, int b)
{
	const int before = m->n_edges;

	for (int i = 0; i < m->n; i++) {
		m->cost[i] = INFINITY;
		m->seen[i] = 0;
	}
	m->cost[a] = 0;
	for (int c = a; c != b;) {
		m->seen[c] = 1;
		for (int i = 0; i < m->n; i++) {
			const double more = distance(m, c, i) *
					    (m->edge[c * m->n + i] < 0 ? BUILDING_PENALTY : 1);

			if (!m->seen[i] && m->cost[c] + more < m->cost[i]) {
				m->cost[i] = m->cost[c] + more;
				m->by[i] = c;
			}
		}
		c = -1;
		for (int i = 0; i < m->n; i++)
			if (!m->seen[i] && (c < 0 || m->cost[i] < m->cost[c]))
				c = i;
	}
	for (; b != a; b = m->by[b])
		if (m->edge[b * m->n + m->by[b]] < 0)
			add_edge(m, b, m->by[b]);
	return m->n_edges > before;
}

/* Its nearest city but one. */
static int nearest(const struct map *m, int a, int but)
{
	int best = -1;

	for (int i = 0; i < m->n; i++)
		if (i != a && i != but && (best < 0 || distance(m, a, i) < distance(m, a, best)))
			best = i;
	return best;
}

static void add_shortest_edge(struct map *m)
{
	int from = -1, to = -1;

	for (int a = 0; a < m->n; a++)
		for (int b = 0; b < a; b++)
			if (m->edge[a * m->n + b] < 0 &&
				(from < 0 || distance(m, a, b) < distance(m, from, to))) {
				from = a;
				to = b;
			}
	add_edge(m, from, to);
}

static int another_city(struct map *m, int a)
{
	const int b = csg__draw_below(m->d, m->n - 1);

	return b + (b >= a);
}

/* As many edges as there are goods. */
static void draw_map(struct map *m)
{
	for (int i = 0; i < m->n; i++) {
		m->x[i] = csg__draw_unit(m->d);
		m->y[i] = csg__draw_unit(m->d);
	}
	for (int i = 0; i < m->n * m->n; i++)
		m->edge[i] = -1;
	for (int i = 0; i < m->n; i++) {
		int but = -1;

		for (int k = 0; k < CONNECTIONS; k++) {
			but = nearest(m, i, but);
			build(m, i, but);
		}
	}
	for (int vain = 0; m->n_edges < m->d->n_goods && vain <= m->n;) {
		const int a = csg__draw_below(m->d, m->n);

		vain = build(m, a, another_city(m, a)) ? 0 : vain + 1;
	}
	while (m->n_edges < m->d->n_goods) /* every way that pays is there */
		add_shortest_edge(m);
	m->at[0] = 0;
	for (int a = 0; a < m->n; a++) {
		m->at[a + 1] = m->at[a];
		for (int b = 0; b < m->n; b++)
			if (m->edge[a * m->n + b] >= 0)
				m->next_to[m->at[a + 1]++] = b;
	}
}

/* ---- paths: bids ------------------------------------------------------------- */

static bool before(const void *a, const void *b)
{
	return ((const struct open *)a)->bound < ((const struct open *)b)->bound;
}

static void push(struct map *m, int32_t from, int32_t city, double cost, double bound)
{
	m->step[m->n_steps] = (struct step){from, city, cost};
	m->heap[m->n_heap++] = (struct open){bound, m->n_steps++};
	gpube__heap_push(m->heap, m->n_heap, sizeof(*m->heap), before);
}

static int32_t pop(struct map *m)
{
	gpube__heap_take(m->heap, m->n_heap, 0, sizeof(*m->heap), before);
	return m->heap[--m->n_heap].step;
}

static bool is_on_way(const struct map *m, int32_t at, int city)
{
	for (; at >= 0; at = m->step[at].from)
		if (m->step[at].city == city)
			return true;
	return false;
}

/* The ways further on that the bidder can pay. */
static void go_on(struct map *m, int32_t at, int to, double budget)
{
	const int here = m->step[at].city;

	for (int32_t k = m->at[here]; k < m->at[here + 1] && m->n_steps < MOST_STEPS; k++) {
		const int city = m->next_to[k];
		const double cost = m->step[at].cost + distance(m, here, city);
		const double bound = cost + distance(m, city, to);

		if (bound < budget && !is_on_way(m, at, city))
			push(m, at, city, cost, bound);
	}
}

/* The cheapest ways between two cities come first; what the bidder spares is the price. */
static int draw_shipper(struct map *m, uint8_t *in)
{
	struct bid_drawing *d = m->d;
	const int from = csg__draw_below(d, m->n), to = another_city(m, from);
	const double straight = distance(m, from, to);
	const double budget = straight * (1 + (SHIPPING_FACTOR - 1) * csg__draw_unit(d));
	int status = GPUBE_OK, n_paths = 0;

	m->n_steps = m->n_heap = 0;
	push(m, -1, from, 0, straight);
	while (m->n_heap && n_paths < MOST_PATHS && !status) {
		const int32_t at = pop(m);

		if (m->step[at].city != to) {
			go_on(m, at, to, budget);
			continue;
		}
		memset(in, 0, (size_t)d->n_goods);
		for (int32_t k = at; m->step[k].from >= 0; k = m->step[k].from)
			in[m->edge[m->step[k].city * m->n + m->step[m->step[k].from].city]] = 1;
		n_paths++;
		if (!csg__draw_bid(d, in, CSG__MOST_PRICE * (budget - m->step[at].cost),
			    d->n_dummies, &status))
			break;
	}
	d->n_dummies += n_paths > 0;
	return status;
}

int csg__draw_paths(struct bid_drawing *d, uint8_t *in)
{
	struct map m = {.d = d, .n = d->n_goods / EDGES_PER_CITY};
	uint64_t n;
	int status = GPUBE_OK;

	while (m.n * (m.n - 1) / 2 < d->n_goods || m.n <= CONNECTIONS)
		m.n++;
	n = (uint64_t)m.n;
	m.x = gpube__array(&d->arrays, n, sizeof(*m.x));
	m.y = gpube__array(&d->arrays, n, sizeof(*m.y));
	m.edge = gpube__array(&d->arrays, n * n, sizeof(*m.edge));
	m.at = gpube__array(&d->arrays, n + 1, sizeof(*m.at));
	m.next_to = gpube__array(&d->arrays, 2 * (uint64_t)d->n_goods, sizeof(*m.next_to));
	m.by = gpube__array(&d->arrays, n, sizeof(*m.by));
	m.cost = gpube__array(&d->arrays, n, sizeof(*m.cost));
	m.seen = gpube__array(&d->arrays, n, 1);
	m.step = gpube__array(&d->arrays, MOST_STEPS, sizeof(*m.step));
	m.heap = gpube__array(&d->arrays, MOST_STEPS, sizeof(*m.heap));
	if (d->arrays.failed)
		return GPUBE_ENOMEM;
	draw_map(&m);
	while (!status && d->n_drawn < d->n_bids)
		status =
			gpube__stopped(d->ctx) ? gpube__fail_stopped(d->ctx) : draw_shipper(&m, in);
	return status;
}

/* ---- matching: take-off and landing of a flight ------------------------------ */

#define AIRPORTS       4
#define LONGEST_FLIGHT 10 /* hours */
#define EARLY_TAKEOFF  1
#define LATE_TAKEOFF   2
#define LATE_LANDING   2
#define DEVIATION      0.5
#define DELAY_FACTOR   0.9
#define LATE_FACTOR    0.75

/* O'Hare, Reagan, Kennedy, LaGuardia; between the last two nobody flies. */
static const double airport[AIRPORTS][2] = {
	{-87.75, 41.98}, {-77.03, 38.85}, {-73.78, 40.65}, {-73.87, 40.77}};

static double flight(int a, int b)
{
	return hypot(airport[a][0] - airport[b][0], airport[a][1] - airport[b][1]);
}

static bool is_flown(int a, int b)
{
	return a != b && (a < 2 || b < 2);
}

static int more_of(int a, int b)
{
	return a > b ? a : b;
}

static int less_of(int a, int b)
{
	return a < b ? a : b;
}

/* A flight at its hours and others near them, each worth less the longer and the later it is. */
static int draw_flight(struct bid_drawing *d, uint8_t *in, const double *price, double longest)
{
	const int hours = d->n_goods / AIRPORTS;
	int from, to, length, start, last, status = GPUBE_OK;
	double worth;

	do {
		from = csg__draw_below(d, AIRPORTS);
		to = csg__draw_below(d, AIRPORTS);
	} while (!is_flown(from, to));
	length = (int)lrint(less_of(LONGEST_FLIGHT, hours - 1) * flight(from, to) / longest);
	start = csg__draw_below(d, hours - length);
	last = less_of(start + length + LATE_LANDING, hours - 1);
	worth = (1 - DEVIATION + 2 * DEVIATION * csg__draw_unit(d)) * (price[from] + price[to]);
	for (int off = more_of(0, start - EARLY_TAKEOFF);
		off <= less_of(hours - 1, start + LATE_TAKEOFF); off++)
		for (int land = off + length; land <= last; land++) {
			const int delay = land - off - length,
				  late = more_of(0, land - start - length);

			memset(in, 0, (size_t)d->n_goods);
			in[off * AIRPORTS + from] = in[land * AIRPORTS + to] = 1;
			if (!csg__draw_bid(d, in,
				    worth * pow(DELAY_FACTOR, delay) * pow(LATE_FACTOR, late),
				    d->n_dummies, &status))
				break;
		}
	d->n_dummies++;
	return status;
}

int csg__draw_matching(struct bid_drawing *d, uint8_t *in)
{
	double price[AIRPORTS], longest = 0;
	int status = GPUBE_OK;

	if (d->n_goods % AIRPORTS || d->n_goods < 2 * AIRPORTS)
		return gpube__fail(d->ctx, GPUBE_EINVAL,
			"matching: %d goods: expected a multiple of %d, the airports, from %d",
			d->n_goods, AIRPORTS, 2 * AIRPORTS);
	for (int a = 0; a < AIRPORTS; a++) {
		price[a] = CSG__MOST_PRICE * csg__draw_unit(d);
		for (int b = 0; b < a; b++)
			longest = fmax(longest, flight(a, b));
	}
	while (!status && d->n_drawn < d->n_bids)
		status = draw_flight(d, in, price, longest);
	return status;
}
