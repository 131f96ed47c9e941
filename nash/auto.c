/* auto.c - which method has a game, or which methods beside each other. See exact.h. */
#ifdef GPUBE_HAVE_FLINT
#include "nash/exact.h"

/*
 * Vertex enumeration is best where one polytope has few vertices, as in many degenerate games,
 * branch and bound elsewhere. Most games end within a short try of either. If not, and the
 * equilibria found are regular, the game hardly is degenerate and branch and bound has it. Of other
 * games nobody knows beforehand: they get both methods, beside each other.
 */
enum { FIRST_NODES = 200, MOST_NODES = 10000 };

/* Whether every equilibrium found so far is regular, and there is one. */
static int looks_regular(const struct nash_found *f, bool *regular)
{
	int sum, status = nash__index_sum(f, regular, &sum);

	*regular = *regular && f->n;
	return status;
}

/* A runner: a method with what it finds, on the race's context for it. */
struct entry {
	struct nash_problem p;
	struct nash_found f;
	int (*run)(struct nash_found *f, int64_t budget);
	int64_t budget;
};

static int run(struct gpube_ctx *ctx, void *arg)
{
	struct entry *e = arg;

	e->p.ctx = ctx;
	nash__found_init(&e->f, &e->p);
	return e->run(&e->f, e->budget);
}

/* What was found stays when the context is gone: its memory is the parent's. */
static void settle(struct entry *e, struct gpube_ctx *ctx)
{
	e->p.ctx = ctx;
	for (int q = 0; q < 2; q++)
		e->f.v[q].ctx = ctx;
}

/* Bases whose marks, dictionaries' steps and vertices take no more than half of the memory. */
static int64_t most_bases(const struct nash_problem *p)
{
	const int64_t actions = (int64_t)p->m + p->n;
	const int64_t bytes = 2 * (int64_t)sizeof(uint64_t) * (3 * (int64_t)p->words + 6) +
			      2 * (int64_t)sizeof(fmpz) * (actions + 2);

	return (int64_t)(p->ctx->memory_bytes / 2) / bytes;
}

int nash__race(struct nash_found *f, const char **method)
{
	static const char *const names[2] = {"ve", "eee"};
	const struct nash_problem *p = f->p;
	struct entry entries[2] = {
		{.p = *p, .run = nash__vertex_enumeration, .budget = most_bases(p)},
		{.p = *p, .run = nash__branch_and_bound, .budget = -1}};
	struct gpube__runner runners[2] = {{.fn = run, .arg = &entries[0], .most_threads = 1},
		{.fn = run, .arg = &entries[1]}};
	int first, status = gpube__race(p->ctx, runners, 2, &first);

	if (first >= 0)
		*method = names[first];
	for (int k = 0; k < 2; k++) {
		settle(&entries[k], p->ctx);
		/* the first has all; of a race that was stopped both have some */
		if (entries[k].f.p && (first == k || status == GPUBE_ESTOP)) {
			int merged = nash__found_merge(f, &entries[k].f);

			status = status ? status : merged;
		}
		nash__found_clear(&entries[k].f);
	}
	return status;
}

int nash__auto(struct nash_found *f, const char **method)
{
	int64_t bases = 0, nodes = FIRST_NODES;
	bool regular = false;
	int status;

	for (;;) {
		*method = "ve";
		status = nash__vertex_enumeration(f, bases);
		/* ELIMIT with equilibria as many as were asked for is an end, too */
		if (status != GPUBE_ELIMIT || (f->max && f->n >= f->max))
			return status;
		do {
			*method = "eee";
			status = nash__branch_and_bound(f, nodes);
			if (status != GPUBE_ELIMIT || (f->max && f->n >= f->max))
				return status;
			status = looks_regular(f, &regular);
			if (status)
				return status;
			if (regular)
				return nash__branch_and_bound(f, -1);
			/* so few nodes without any say little */
		} while (!f->n && nodes < MOST_NODES && (nodes *= 10));
		/* the first 'max' of them are to be the same ones every time: no race */
		if (!f->max)
			return nash__race(f, method);
		bases = bases ? 4 * bases : 1000;
		nodes *= 2;
	}
}
#else
typedef int nash_auto_needs_flint;
#endif
