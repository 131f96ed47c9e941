/* ip.c - methods ip and idp-ip: which subspaces are searched, and when; see ip.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "csg/ip/ip.h"

struct ip {
	struct csg__search *s;
	struct csg__dp d;
	struct csg__subspace_search q;
	struct csg__partitions p;
	union csg__sum most[GPUBE_MAX_AGENTS + 1]; /* of the table's values, by size */
	bool some[GPUBE_MAX_AGENTS + 1];           /* whether any of a size is allowed */
	bool real;
	int filled; /* idp's sizes up to this one; 1: none */
	int64_t n_searched;
};

/* ---- bounds ---------------------------------------------------------------------------------- */

static bool is_above(const struct ip *ip, union csg__sum a, union csg__sum b)
{
	return ip->real ? a.real > b.real : a.whole > b.whole;
}

/* Never less than the sum; no sums of whole numbers of disjoint coalitions pass their type. */
static union csg__sum add(const struct ip *ip, union csg__sum a, union csg__sum b)
{
	if (ip->real)
		a.real = nextafter(a.real + b.real, INFINITY);
	else
		a.whole += b.whole;
	return a;
}

static union csg__sum nothing(const struct ip *ip)
{
	union csg__sum zero = {0};

	if (ip->real)
		zero.real = 0;
	return zero;
}

/* Below every sum that may come up. */
static union csg__sum lowest(const struct ip *ip)
{
	union csg__sum low;

	if (ip->real)
		low.real = -INFINITY;
	else
		low.whole = ip->d.type == GPUBE_INT128 ? -((__int128)1 << 126) : INT64_MIN;
	return low;
}

/* Those that have a coalition size of which all are forbidden have no structure. */
static void bound_all(struct ip *ip)
{
	for (int64_t i = 0; i < ip->p.n; i++) {
		struct csg__partition *p = &ip->p.item[i];

		p->bound = nothing(ip);
		for (int k = p->n_parts - 1; k >= 0; k--) {
			p->done |= !ip->some[p->part[k]];
			if (!p->done)
				p->bound = add(ip, p->bound, ip->most[p->part[k]]);
		}
	}
}

/* The open one of the greatest bound; -1: none is above the best structure. */
static int64_t next_open(const struct ip *ip)
{
	int64_t next = -1;

	for (int64_t i = 0; i < ip->p.n; i++) {
		const struct csg__partition *p = &ip->p.item[i];

		if (!p->done && is_above(ip, p->bound, ip->q.best) &&
			(next < 0 || is_above(ip, p->bound, ip->p.item[next].bound)))
			next = i;
	}
	return next;
}

/* ---- one subspace ------------------------------------------------------------ */

/* With the table's greatest values as they are now; false: a size has no allowed coalition. */
static bool prepare(struct ip *ip, const struct csg__partition *p)
{
	struct csg__subspace_search *q = &ip->q;

	q->n_parts = p->n_parts;
	memcpy(q->part, p->part, p->n_parts);
	q->rest[q->n_parts] = nothing(ip);
	for (int k = q->n_parts - 1; k >= 0; k--) {
		if (!ip->some[q->part[k]])
			return false;
		q->rest[k] = add(ip, q->rest[k + 1], ip->most[q->part[k]]);
		q->run[k] = 1;
		if (k + 1 < q->n_parts && q->part[k + 1] == q->part[k])
			q->run[k] = (uint8_t)(q->run[k + 1] + 1);
	}
	return is_above(ip, q->rest[0], q->best);
}

/* True if it was searched to its end. What is found goes to the result at once. */
static bool search(struct ip *ip, int64_t i, double most_steps)
{
	struct csg__subspace_search *q = &ip->q;
	struct gpube_csg_result *r = ip->s->r;

	if (!prepare(ip, &ip->p.item[i]))
		return true;
	q->found = q->out_of_steps = false;
	q->most_steps = most_steps;
	q->next_look = 0;
	csg__subspace_search(q, ip->d.type);
	ip->n_searched++;
	if (q->found) {
		memcpy(r->parts, q->parts, (size_t)q->n_parts * sizeof(*r->parts));
		r->n_parts = q->n_parts;
		if (ip->d.best)
			r->n_parts = csg__dp_expand(&ip->d, r->parts, r->n_parts);
	}
	return !q->stopped && !q->out_of_steps;
}

/* ---- the methods -------------------------------------------------------------------------------
 */

/* As ip begins: all agents together, and all structures of two coalitions. */
static int search_pairs(struct ip *ip)
{
	for (int64_t i = 0; i < ip->p.n; i++) {
		struct csg__partition *p = &ip->p.item[i];

		if (p->n_parts > 2 || p->done)
			continue;
		if (!search(ip, i, INFINITY))
			return gpube__fail_stopped(ip->q.ctx);
		p->done = true;
	}
	return GPUBE_OK;
}

/* Open subspaces, each by what it is a split of; false: no more steps, or a stop. */
static bool search_open(struct ip *ip, double most_steps)
{
	int64_t i;

	while ((i = next_open(ip)) >= 0) {
		const int64_t whole =
			ip->filled > 1 ? csg__partitions_merge(&ip->p, i, &ip->d, ip->filled) : i;

		if (!search(ip, whole, most_steps))
			return false;
		if (ip->filled > 1)
			csg__partitions_reach(&ip->p, whole, &ip->d, ip->filled);
		ip->p.item[i].done = true;
		gpube__progress(ip->q.ctx, -1, "search");
	}
	return true;
}

static int fill(struct ip *ip, int size)
{
	const double start = gpube__now();
	int status = csg__dp_fill(&ip->d, size);

	if (status)
		return status;
	ip->filled = size;
	ip->s->r->seconds_splits += gpube__now() - start;
	ip->s->r->splits += csg__dp_splits(true, ip->d.n, size);
	gpube__progress(ip->q.ctx, (double)size / ip->d.n, "split");
	return csg__most_of_sizes(ip->most, ip->some, &ip->q, ip->d.type, size, size);
}

/*
 * Once the last size is filled, of three parts the two smallest are those of a split that idp has
 * made (together at most 2n/3, and the larger no more than what is left), so that what is still
 * open is merged to two, and searched in as many steps as idp takes to split all agents.
 */
static int run_both(struct ip *ip)
{
	bool done = false, last = ip->d.n < 3;

	while (!done && !last) {
		int status = fill(ip, ip->filled + 1);

		if (status)
			return status;
		last = ip->filled + 1 == ip->d.n || csg__dp_most(&ip->d, ip->filled + 1) == 0;
		done = search_open(ip, last ? INFINITY : ip->s->r->splits);
		if (ip->q.stopped)
			return gpube__fail_stopped(ip->q.ctx);
	}
	return GPUBE_OK;
}

/* ---- from the game to the result ---------------------------------------------------------------
 */

/* What is known of the upper bound: of what is open, and of the best structure. */
static void report_bound(const struct ip *ip)
{
	struct gpube_csg_result *r = ip->s->r;
	union csg__sum upper = ip->q.best;

	for (int64_t i = 0; i < ip->p.n; i++)
		if (!ip->p.item[i].done && is_above(ip, ip->p.item[i].bound, upper))
			upper = ip->p.item[i].bound;
	if (!is_above(ip, upper, lowest(ip)))
		return;
	if (ip->real) {
		r->upper_bound = fmin(r->upper_bound, upper.real);
	} else if (upper.whole < r->upper_int) {
		r->upper_int = (int64_t)upper.whole;
		r->upper_bound = csg__not_below(r->upper_int);
	}
}

static int begin(struct ip *ip)
{
	const struct csg__range *range = ip->s->range;
	struct csg__subspace_search *q = &ip->q;
	int status = csg__partitions_new(&ip->p, ip->d.ctx, ip->d.n);

	if (status)
		return status;
	if (ip->real)
		q->none.real = -DBL_MAX;
	else
		q->none.whole = ip->d.type == GPUBE_INT128 ? CSG__WIDE_FLOOR / 2 : range->least;
	q->ctx = ip->d.ctx;
	q->n = ip->d.n;
	q->table = ip->d.value;
	q->best = lowest(ip);
	if (ip->d.best) {
		memcpy(ip->d.best, ip->d.value, gpube__type_size(ip->d.type) << ip->d.n);
		q->table = ip->d.best;
	}
	status = csg__most_of_sizes(ip->most, ip->some, q, ip->d.type, 1, ip->d.n);
	if (!status)
		bound_all(ip);
	return status;
}

int csg__ip(struct csg__search *s)
{
	const bool both = s->opts->csg_method == GPUBE_CSG_IDP_IP;
	struct gpube_csg_result *r = s->r;
	struct ip ip = {.s = s, .filled = 1};
	bool bounded = false;
	int status = csg__dp_open(&ip.d, s, true, both);

	if (status)
		return status;
	ip.real = !gpube__type_is_int(ip.d.type);
	r->work = ip.d.type == GPUBE_FLOAT32 && !both ? GPUBE_FLOAT64 : ip.d.type;
	status = begin(&ip);
	bounded = !status;
	if (!status)
		status = search_pairs(&ip);
	if (!status && both)
		status = run_both(&ip);
	else if (!status && !search_open(&ip, INFINITY))
		status = gpube__fail_stopped(s->g->ctx);
	r->n_nodes = (int64_t)ip.q.steps;
	if (bounded)
		report_bound(&ip);
	if (!status)
		r->answer = r->n_parts ? GPUBE_CSG_OPTIMAL : GPUBE_CSG_INFEASIBLE;
	gpube__log(s->g->ctx, GPUBE_LOG_DETAIL,
		"%s: %lld subspace%s of %lld searched, splits of coalitions of up to %d agent%s",
		both ? "idp-ip" : "ip", (long long)ip.n_searched, gpube__plural(ip.n_searched),
		(long long)ip.p.n, ip.filled, gpube__plural(ip.filled));
	csg__partitions_clear(&ip.p, s->g->ctx);
	csg__dp_close(&ip.d);
	return status;
}
