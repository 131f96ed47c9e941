/*
 * many_search.c - all equilibria: regions by rounds. See players.h.
 *
 * A round takes the last regions of a stack, works on them on all threads, and puts back what is
 * left of them in their order. So nothing depends on the number of threads, and who is stopped
 * after as much work has the same. Small regions wait for the large ones: those around a singular
 * solution are many, and may never end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nash/exact.h"
#include "nash/players/players.h"

/* Regions of a round, and those that a support may take. */
enum { ROUND = 128, MOST_REGIONS = 1 << 12, FEW_REGIONS = 32, N_STACKS = 4 };

/* A solution is looked for where edges are so short; singular regions are given up, all are. */
static const double short_edge = 0.3, singular_edge = 0x1p-10, shortest_edge = 0x1p-20;

struct stack {
	unsigned char *regions;
	int64_t n, capacity;
};

/* What became of a region of a round. */
enum { CLOSED, DIVIDED, FOUND, OPEN };
struct outcome {
	int kind, n_children, status;
	bool regular; /* of a region that has just been decided */
	enum nash_open_reason why;
	char *proof; /* text of what became of it */
	struct nash_root root;
};

/*
 * taken  its regions so far; -1 - that: it has no isolated solutions
 * entry  its number in the list of open ones; -1: it is not there
 */
struct support {
	int64_t taken, entry;
};

/* regions: of the round, then two children of each */
struct run {
	struct nash_many *s;
	size_t bytes;
	struct stack stacks[N_STACKS];
	struct nash_work *works;
	int n_works;
	unsigned char *regions;
	struct outcome *outcomes;
	struct support *supports;
	int64_t n, n_supports, capacity_supports;
};

static struct nash_region *region_at(const struct run *u, int64_t k)
{
	return (struct nash_region *)(void *)(u->regions + k * (int64_t)u->bytes);
}

/* ---- one region ---------------------------------------------------------------------------- */

/* The solution that is the only one in the region, or NULL. */
static const struct nash_root *known(const struct nash_many *s, const struct nash_region *r)
{
	for (int64_t k = 0; k < s->n_roots; k++)
		if (nash__root_covers(&s->roots[k], s->p, r))
			return &s->roots[k];
	return NULL;
}

/* Systems of two players who mix are linear. */
static bool is_linear(const struct nash_players *p, const struct nash_region *r)
{
	int mixing = 0;

	for (int32_t i = 0; i < p->n; i++)
		mixing += nash__sizes(p, r)[i] > 1;
	return mixing <= 2;
}

/* Of a decided region: whether it is finished, with what came out. */
static bool settle(
	struct run *u, struct outcome *o, struct nash_work *w, const struct nash_region *r)
{
	const struct nash_players *p = w->p;
	const double width = nash__region_width(p, r);
	enum nash_enclosure what = NASH_NOT_YET;
	const int64_t taken = r->support < 0 ? 0 : u->supports[r->support].taken;

	o->kind = OPEN;
	if (r->support < 0)
		o->regular = nash__can_be_regular(w, nash__states(p, r));
	else if (taken >= MOST_REGIONS || taken < -FEW_REGIONS || width < shortest_edge) {
		o->why = taken < 0               ? NASH_OPEN_COMPONENT
			 : taken >= MOST_REGIONS ? NASH_OPEN_WORK
						 : NASH_OPEN_SINGULAR;
		return true;
	}
	if (taken >= 0 && (width <= short_edge || is_linear(p, r)) &&
		(r->support >= 0 || o->regular))
		o->status = nash__enclose(&o->root, &what, w, r, u->s->digits);
	o->why = NASH_OPEN_SINGULAR;
	if (what == NASH_ROOT)
		o->kind = FOUND;
	return o->status || what == NASH_ROOT || (what == NASH_SINGULAR && width < singular_edge);
}

/* What becomes of a region; the text of it if there is a proof. */
static char *decide(struct run *u, struct outcome *o, struct nash_work *w, struct nash_region *r,
	struct nash_region *children[2])
{
	const bool tell = u->s->proof;
	const struct nash_root *root;
	bool decided;
	int32_t how[3];

	if (!nash__region_reduce(r, w))
		return tell ? nash__proof_word(w, "empty", 0) : NULL;
	decided = nash__region_decided(w->p, r);
	root = decided ? known(u->s, r) : NULL;
	if (root)
		return tell ? nash__proof_word(w, "inside", root->box) : NULL;
	if (nash__excluded(w, r))
		return tell ? nash__proof_excluded(w, r) : NULL;
	if (decided && settle(u, o, w, r))
		return tell ? nash__proof_word(w, o->kind == FOUND ? "inside" : "open", r->node)
			    : NULL;
	o->kind = DIVIDED;
	o->n_children = nash__divide(children, w, r, how);
	return tell ? nash__proof_divided(w, how) : NULL;
}

static void work_on(void *arg, int64_t item, int thread)
{
	struct run *u = arg;
	struct nash_region *children[2] = {
		region_at(u, ROUND + 2 * item), region_at(u, ROUND + 2 * item + 1)};
	struct outcome *o = &u->outcomes[item];

	*o = (struct outcome){.kind = CLOSED};
	if (gpube__stopped(u->s->p->ctx)) {
		o->status = GPUBE_ESTOP;
		return;
	}
	o->proof = decide(u, o, &u->works[thread], region_at(u, item), children);
	if (u->s->proof && !o->proof && !o->status)
		o->status = GPUBE_ENOMEM;
}

/* ---- what is found ------------------------------------------------------------------------- */

int nash__many_add(struct nash_many *s, struct nash_root *root)
{
	int status;

	for (int64_t k = 0; k < s->n_roots; k++)
		if (nash__root_same(&s->roots[k], root, s->p)) {
			nash__root_clear(root, s->p);
			return GPUBE_OK;
		}
	status = gpube__grow(
		s->p->ctx, &s->roots, &s->capacity_roots, s->n_roots + 1, sizeof(*s->roots));
	if (status) {
		nash__root_clear(root, s->p);
		return status;
	}
	s->n_equilibria += root->verdict == NASH_IS_EQUILIBRIUM;
	s->roots[s->n_roots++] = *root;
	return GPUBE_OK;
}

/* A new entry for what is open; its block may be missing. */
static int new_open(struct nash_many *s, const struct nash_region *r, enum nash_open_reason why)
{
	const struct nash_players *p = s->p;
	const uint64_t total = (uint64_t)p->total;
	struct nash_open *o;
	int status =
		gpube__grow(p->ctx, &s->open, &s->capacity_open, s->n_open + 1, sizeof(*s->open));

	if (status)
		return status;
	o = &s->open[s->n_open++];
	*o = (struct nash_open){.reason = why};
	o->lower = gpube__alloc_zero(p->ctx, total, 2 * sizeof(double) + 1);
	if (!o->lower)
		return GPUBE_ENOMEM;
	o->upper = o->lower + total;
	o->states = memcpy(o->upper + total, nash__states(p, r), total);
	for (int32_t k = 0; k < p->total; k++)
		o->lower[k] = 1;
	return GPUBE_OK;
}

/* The region is open: one of its support's, which has one entry. */
static int add_open(struct run *u, const struct nash_region *r, enum nash_open_reason why)
{
	struct nash_many *s = u->s;
	const struct nash_players *p = s->p;
	int64_t *entry = r->support < 0 ? NULL : &u->supports[r->support].entry;
	struct nash_open *o;

	if (!entry || *entry < 0) {
		const int status = new_open(s, r, why);

		if (status)
			return status;
		if (entry)
			*entry = s->n_open - 1;
	}
	o = &s->open[entry ? *entry : s->n_open - 1];
	o->regions++;
	for (int32_t i = 0; i < p->n; i++)
		for (int32_t k = 0; k < nash__sizes(p, r)[i]; k++)
			for (int32_t a = 0; a < p->m[i]; a++) {
				const double x = nash__vertex(p, r, i, k)[a];
				const int32_t at = p->first[i] + a;

				o->lower[at] = fmin(o->lower[at], x);
				o->upper[at] = fmax(o->upper[at], x);
			}
	return GPUBE_OK;
}

void nash__many_clear(struct nash_many *s)
{
	if (!s->p)
		return;
	for (int64_t k = 0; k < s->n_roots; k++)
		nash__root_clear(&s->roots[k], s->p);
	for (int64_t k = 0; k < s->n_open; k++)
		gpube__free(s->p->ctx, s->open[k].lower);
	gpube__free(s->p->ctx, s->roots);
	gpube__free(s->p->ctx, s->open);
	*s = (struct nash_many){0};
}

/* ---- rounds -------------------------------------------------------------------------------- */

static int push(struct run *u, const struct nash_region *r)
{
	const struct nash_players *p = u->s->p;
	const double width = r->support < 0 ? 1 : nash__region_width(p, r);
	const int at = r->support >= 0 && u->supports[r->support].taken < 0 ? 3
		       : width >= 0x1p-6                                    ? 0
		       : width >= singular_edge                             ? 1
									    : 2;
	struct stack *to = &u->stacks[at];
	const int status = gpube__grow(p->ctx, &to->regions, &to->capacity, to->n + 1, u->bytes);

	if (!status)
		memcpy(to->regions + to->n++ * (int64_t)u->bytes, r, u->bytes);
	return status;
}

/* The last regions of the first stack that has any; false: none is left. */
static bool take(struct run *u)
{
	for (int k = 0; k < N_STACKS; k++) {
		struct stack *from = &u->stacks[k];

		if (!from->n)
			continue;
		u->n = from->n < ROUND ? from->n : ROUND;
		from->n -= u->n;
		memcpy(u->regions, from->regions + from->n * (int64_t)u->bytes,
			(size_t)u->n * u->bytes);
		return true;
	}
	return false;
}

/* A region has just been decided: its support begins. */
static int begin_support(struct run *u, struct nash_region *r, bool regular)
{
	const int status = gpube__grow(u->s->p->ctx, &u->supports, &u->capacity_supports,
		u->n_supports + 1, sizeof(*u->supports));

	if (status)
		return status;
	u->supports[u->n_supports] = (struct support){regular ? 0 : -1, -1};
	r->support = u->n_supports++;
	return GPUBE_OK;
}

/* What became of a region goes to the proof, with its children from *first on. */
static int keep_node(struct run *u, struct outcome *o, int64_t node, int64_t *first)
{
	const int status = nash__proof_nodes(u->s->proof, first, o->n_children);

	if (!status) {
		nash__proof_set(u->s->proof, node, o->proof, *first, o->n_children);
		o->proof = NULL;
	}
	return status;
}

static int put_back(struct run *u, int64_t item)
{
	struct outcome *o = &u->outcomes[item];
	struct nash_region *r = region_at(u, item);
	const bool decided = nash__region_decided(u->s->p, r);
	int64_t first = 0;
	int status = o->status;

	if (status == GPUBE_ESTOP)
		return add_open(u, r, NASH_OPEN_TIME);
	if (!status && u->s->proof)
		status = keep_node(u, o, r->node, &first);
	if (!status && o->kind != CLOSED && decided && r->support < 0)
		status = begin_support(u, r, o->regular);
	if (!status && r->support >= 0 && o->kind == DIVIDED)
		u->supports[r->support].taken += u->supports[r->support].taken < 0 ? -1 : 1;
	if (!status && o->kind == OPEN)
		status = add_open(u, r, o->why);
	if (o->kind == FOUND) {
		o->root.box = r->node;
		if (!status && u->s->proof)
			status = nash__proof_box(u->s->proof, u->s->p, &o->root);
		if (!status && o->root.verdict == NASH_IS_OPEN)
			status = add_open(u, r, NASH_OPEN_TIE);
		if (!status)
			return nash__many_add(u->s, &o->root);
		nash__root_clear(&o->root, u->s->p);
	}
	for (int k = 0; k < o->n_children && !status; k++) {
		struct nash_region *child = region_at(u, ROUND + 2 * item + k);

		child->support = r->support;
		child->node = first + k;
		status = push(u, child);
	}
	return status;
}

static int round_of(struct run *u)
{
	struct nash_many *s = u->s;
	int status = GPUBE_OK;

	for (int64_t k = 0; k < u->n; k++)
		u->outcomes[k] = (struct outcome){.status = GPUBE_ESTOP};
	gpube__parallel(s->p->ctx, u->n, work_on, u);
	s->regions += u->n;
	for (int64_t k = 0; k < u->n; k++) {
		if (!status)
			status = put_back(u, k);
		else if (u->outcomes[k].kind == FOUND)
			nash__root_clear(&u->outcomes[k].root, s->p);
		gpube__free(s->p->ctx, u->outcomes[k].proof);
	}
	return status ? status : nash__room(s->p->ctx, 0);
}

static int run_init(struct run *u, struct nash_many *s)
{
	struct gpube_ctx *ctx = s->p->ctx;
	struct nash_region *whole;
	int status;

	*u = (struct run){.s = s, .bytes = nash__region_bytes(s->p)};
	u->works = gpube__alloc_zero(ctx, (uint64_t)ctx->n_threads, sizeof(*u->works));
	u->regions = gpube__alloc(ctx, 3 * ROUND, u->bytes);
	u->outcomes = gpube__alloc_zero(ctx, ROUND, sizeof(*u->outcomes));
	if (!u->works || !u->regions || !u->outcomes)
		return GPUBE_ENOMEM;
	for (status = GPUBE_OK; u->n_works < ctx->n_threads && !status;)
		status = nash__work_init(&u->works[u->n_works++], s->p);
	if (status)
		return status;
	whole = region_at(u, 0);
	nash__region_whole(whole, s->p);
	if (s->proof)
		status = nash__proof_nodes(s->proof, &whole->node, 1);
	return status ? status : push(u, whole);
}

static void run_clear(struct run *u)
{
	struct gpube_ctx *ctx = u->s->p->ctx;

	for (int k = 0; k < u->n_works; k++)
		nash__work_clear(&u->works[k]);
	for (int k = 0; k < N_STACKS; k++)
		gpube__free(ctx, u->stacks[k].regions);
	gpube__free(ctx, u->works);
	gpube__free(ctx, u->regions);
	gpube__free(ctx, u->outcomes);
	gpube__free(ctx, u->supports);
}

/* All that is left is open. */
static int leave_open(struct run *u)
{
	int status = GPUBE_OK;

	while (!status && take(u))
		for (int64_t k = 0; k < u->n && !status; k++)
			status = add_open(u, region_at(u, k), NASH_OPEN_TIME);
	return status;
}

int nash__many_run(struct nash_many *s)
{
	struct gpube_ctx *ctx = s->p->ctx;
	int status, end = GPUBE_OK;
	struct run u;

	status = run_init(&u, s);
	while (!status && take(&u)) {
		gpube__progress(ctx, -1, "regions of profiles");
		status = round_of(&u);
		if (!status && s->max && s->n_equilibria >= s->max)
			end = GPUBE_ELIMIT;
		else if (!status && gpube__stopped(ctx))
			end = GPUBE_ESTOP;
		if (end)
			break;
	}
	if (!status && end)
		status = leave_open(&u);
	gpube__log(ctx, GPUBE_LOG_DETAIL,
		"%lld regions, of %lld supports; their systems have %lld solutions, of which %lld "
		"are "
		"equilibria",
		(long long)s->regions, (long long)u.n_supports, (long long)s->n_roots,
		(long long)s->n_equilibria);
	run_clear(&u);
	return status ? status : end;
}
