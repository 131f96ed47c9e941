/*
 * pairwise_method.c - an ascent on relations: what is kept, made, told and freed. See
 * pairwise_method.h.
 */
#include "gpube/bound/pairwise/pairwise_method.h"

#include <string.h>

#include "gpube/bound/pairwise/relation_cases.h"
#include "gpube/relax/scaling.h"

/* Cells of a table that an eliminated variable leaves; entries of the first joined relations. */
enum { SMALL_TABLE = 256 };
/* Entries that the first sweeps may read; more is not for sweeps of milliseconds. */
enum { MOST_SWEPT = 1 << 24 };
/*
 * When relations grow they may have so many times as many entries; where that joins no two of them,
 * they grow again, up to so many entries. Cases join them later, because variables that are fixed
 * leave shorter ones, and in the same time many cases of short relations close more than a few of
 * long ones do (runs/sweeps-h200).
 */
enum { GROWTH = 2, LARGEST = 2048 };

void gpube__pairwise_run_update_lower(
	struct gpube_pairwise_run *s, int64_t constant, const char *by)
{
	struct gpube_bounder *b = s->b;

	gpube__bounder_update_lower(b,
		constant >= gpube__pairwise_run_target(s)
			? b->cutoff
			: gpube__constant_of(s->m) + gpube__unscale(s->shift, constant),
		by);
}

double gpube__pairwise_run_worked(const struct gpube_pairwise_run *s)
{
	return s->worked + gpube__budget_spent(&s->turn);
}

int gpube__pairwise_run_report_incumbent(struct gpube_pairwise_run *s, const int32_t *values)
{
	if (s->lean)
		gpube__lean_extend(s->lean, s->whole, values);
	else
		memcpy(s->whole, values, (size_t)s->m->n_vars * sizeof(*values));
	return gpube__bounder_report_incumbent(s->b, s->whole, "pairwise-consistent subproblems");
}

int64_t gpube__pairwise_run_target(const struct gpube_pairwise_run *s)
{
	return gpube__relations_target(s->shift, s->m, s->b->cutoff);
}

void gpube__pairwise_run_know(const struct gpube_pairwise_run *s, int64_t *target)
{
	const int64_t now = gpube__pairwise_run_target(s);

	*target = now < *target ? now : *target;
}

bool gpube__pairwise_run_fits(const struct gpube_pairwise_run *s)
{
	return s->relations || s->cases;
}

/* ---- workers -------------------------------------------------------------------------------- */

void gpube__pairwise_workers_free(struct gpube_pairwise_run *s)
{
	struct gpube_ctx *ctx = s->b->ctx;

	for (int k = 0; s->workers && k < ctx->n_threads; k++) {
		struct gpube_pairwise_worker *w = &s->workers[k];

		GPUBE_FREE_ALL(ctx, w->child[0].state, w->child[1].state);
		gpube__relations_view_free(w->view);
		gpube__arrays_clear(&w->memory);
	}
	gpube__free(ctx, s->workers);
	s->workers = NULL;
}

static int make_worker(struct gpube_pairwise_run *s, struct gpube_pairwise_worker *w)
{
	const struct gpube_relations *l = s->relations;
	const uint64_t n = (uint64_t)l->n + 1;
	struct gpube__arrays *memory = &w->memory;

	w->s = s;
	memory->ctx = s->b->ctx;
	w->room = gpube__array(memory, (uint64_t)l->plan.room, sizeof(*w->room));
	w->forced = gpube__array(memory, (uint64_t)l->value_at[l->n] + 1, sizeof(*w->forced));
	w->keep = gpube__array(memory, (uint64_t)l->value_at[l->n] + 1, sizeof(*w->keep));
	for (int j = 0; j < 2; j++)
		w->child[j].values = gpube__array(memory, n, sizeof(int32_t));
	w->regret = gpube__array(memory, n, sizeof(*w->regret));
	w->sorted = gpube__array(memory, n, sizeof(*w->sorted));
	w->best = gpube__array(memory, n, sizeof(*w->best));
	return memory->failed ? GPUBE_ENOMEM : gpube__relations_view(&w->view, memory->ctx, l);
}

int gpube__pairwise_workers_new(struct gpube_pairwise_run *s)
{
	const int n = s->b->ctx->n_threads;
	int status = GPUBE_OK;

	s->workers = gpube__alloc_zero(s->b->ctx, (uint64_t)n, sizeof(*s->workers));
	for (int k = 0; k < n && s->workers && !status; k++)
		status = make_worker(s, &s->workers[k]);
	return s->workers ? status : GPUBE_ENOMEM;
}

/* ---- making and freeing -------------------------------------------------------------------- */

void gpube__pairwise_run_free(struct gpube_pairwise_run *s)
{
	struct gpube_ctx *ctx;

	if (!s)
		return;
	ctx = s->b->ctx;
	for (int64_t k = 0; k < s->open.n; k++)
		gpube__free(ctx, s->open.nodes[k].payload);
	gpube__frontier_clear(&s->open, ctx);
	gpube__pairwise_workers_free(s);
	gpube__arrays_clear(&s->notes.memory);
	gpube__free(ctx, s->whole);
	gpube__cases_free(s->cases);
	gpube__sweeper_close(&s->sweeper);
	gpube__relations_free(s->relations);
	gpube__lean_free(ctx, s->lean);
	gpube__free(ctx, s);
}

/* ---- a card ---------------------------------------------------------------------------------- */

/*
 * It takes as long to open as so much work, so it waits for relations that suit it, and until the
 * method will have done as much by the end of its turn. Of its memory that is left, those who sweep
 * have one part in so many together; each such bytes at most.
 */
#define OPENING 0.4
enum { CARD_PART = 2 };
#define MOST_BYTES ((uint64_t)1 << 30)

void gpube__pairwise_run_ask_card(struct gpube_pairwise_run *s)
{
	const enum gpube_backend want = s->b->opts->backend;
	int status;

	if (s->asked || want == GPUBE_BACKEND_CPU ||
		(want == GPUBE_BACKEND_AUTO &&
			(!gpube__relations_suit_card(s->relations) ||
				gpube__pairwise_run_worked(s) + gpube__budget_left(&s->turn) <
					OPENING)))
		return;
	s->asked = true;
	s->card = gpube__sweep_cuda(s->b->ctx, &status);
	if (s->card)
		gpube__pairwise_run_open_card(s, &s->sweeper, s->b->ctx, 1);
	gpube__log(s->b->ctx, GPUBE_LOG_DETAIL, "pairwise: sweeps are the %s's",
		s->card ? "card" : "host");
}

void gpube__pairwise_run_open_card(
	struct gpube_pairwise_run *s, struct gpube_sweeper *w, struct gpube_ctx *ctx, int n)
{
	int status;
	const struct gpube_ops *ops = gpube__ops_cuda(s->b->ctx, &status);
	const uint64_t part = ops ? ops->memory(s->b->ctx) / CARD_PART / (uint64_t)n : 0;

	w->ctx = ctx;
	if (!ops || w->card)
		return;
	if (!gpube__sweeper_open(w, ctx, s->b->ctx, s->card, part < MOST_BYTES ? part : MOST_BYTES,
		    n, n > s->b->ctx->n_threads ? n / s->b->ctx->n_threads : 1))
		return;
	gpube__log(s->b->ctx, GPUBE_LOG_DETAIL, "pairwise: no card for sweeps: %s",
		gpube_error(s->b->ctx));
	s->card = NULL; /* others are not to ask again */
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* Where nothing was joined there are no more relations and no longer ones. */
static bool are_alike(const struct gpube_relations *l, const struct gpube_relations *old)
{
	return l->n_relations == old->n_relations && l->n_entries <= old->n_entries;
}

int gpube__pairwise_run_grow(struct gpube_pairwise_run *s, bool *any)
{
	const double start = gpube__now();
	struct gpube_relations *l = NULL;
	int64_t most = s->relations->most;
	int status;

	do { /* as long as no two of them fit into a larger one */
		gpube__relations_free(l);
		l = NULL;
		most *= GROWTH;
		status = gpube__relations_grow(&l, s->relations, s->m, most);
	} while (!status && l && most < LARGEST && are_alike(l, s->relations));
	*any = !status && l;
	s->all_grown |= !status && !l;
	if (!l)
		return status;
	s->grown = true;
	gpube__relations_free(s->relations);
	s->relations = l;
	gpube__log(s->b->ctx, GPUBE_LOG_DETAIL,
		"pairwise: sparse relations of up to %lld tuples: %d, %d separators, "
		"%lld tuples, %lld "
		"in sweeps; after %d sweeps, made in %.3f s",
		(long long)l->most, l->n_relations, l->plan.n_separators, (long long)l->n_entries,
		(long long)gpube__sweep_entries(&l->plan), s->n_sweeps, gpube__now() - start);
	return gpube__notes_relations(s, 0, l);
}

int gpube__pairwise_run_new(struct gpube_bounder *b)
{
	struct gpube_pairwise_run *s = b->state.pairwise = gpube__alloc_zero(b->ctx, 1, sizeof(*s));
	struct gpube_relations *l = NULL;
	int status;

	if (!s)
		return GPUBE_ENOMEM;
	s->b = b;
	s->made_below = b->cutoff;
	s->sweeper.ctx = b->ctx;
	s->open.most_bytes = (int64_t)(b->ctx->memory_bytes / 8);
	status = gpube__lean_new(&s->lean, b->m, SMALL_TABLE);
	if (status)
		return status;
	s->m = s->lean ? s->lean->model : b->m;
	s->whole = gpube__alloc(b->ctx, (uint64_t)b->m->n_vars + 1, sizeof(*s->whole));
	status = s->whole ? gpube__relations_new(&l, s->m, b->cutoff) : GPUBE_ENOMEM;
	if (!status && l)
		status = gpube__relations_grow(&s->relations, l, s->m, SMALL_TABLE);
	if (!status && s->relations && gpube__sweep_entries(&s->relations->plan) > MOST_SWEPT) {
		gpube__relations_free(s->relations);
		s->relations = NULL;
	}
	s->shift = l ? l->shift : 0;
	gpube__relations_free(l);
	return status;
}
