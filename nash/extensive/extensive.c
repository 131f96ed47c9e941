/* extensive.c - how a game in extensive form is solved, and its equilibria as text. */
#include "nash/extensive/extensive.h"

#include <math.h>
#include <string.h>

#include "gpube/ir/games/game_tree.h"
#include "nash/extensive/sequences.h"

bool nash__takes_tree(const struct gpube_model *g, const struct gpube_opts *o)
{
	const bool normal = o->normal_form || o->pure || o->all_labels || o->keep_dominated ||
			    o->give || o->support_size ||
			    o->nash_method != GPUBE_NASH_METHOD_AUTO ||
			    o->backend == GPUBE_BACKEND_CUDA;

	return g->tree && !normal && g->tree->n_players == g->n_vars && g->tree->forgets < 0 &&
	       (g->n_vars <= 2 || g->tree->perfect);
}

/*
 * What a result is filled from.
 * of       by information set of the tree: its place in the result
 * first    by set of the result: its first probability
 * n        probabilities of a profile
 * capacity of the profiles
 */
struct report {
	struct gpube_ctx *ctx;
	const struct gpube_game_tree *tree;
	struct gpube_nash_tree *to;
	int32_t *of;
	int64_t *first, n, capacity;
	struct gpube__text text; /* of a profile */
};

/* ---- information sets ---------------------------------------------------------------------- */

static int add_set(struct report *p, struct gpube_nash_set *sets, int64_t k)
{
	const struct gpube_infoset *s = &p->tree->infosets[k];
	const char **names = gpube__alloc(p->ctx, (uint64_t)s->n_actions, sizeof(*names));

	if (!names)
		return GPUBE_ENOMEM;
	for (int32_t a = 0; a < s->n_actions; a++)
		names[a] = p->tree->actions[s->first + a].name;
	p->of[k] = p->to->n_sets;
	p->first[p->to->n_sets] = p->n;
	p->n += s->n_actions;
	sets[p->to->n_sets++] = (struct gpube_nash_set){.player = s->player,
		.number = s->number,
		.n_actions = s->n_actions,
		.name = s->name,
		.actions = names};
	return GPUBE_OK;
}

static int report_init(struct report *p, struct gpube_nash_result *r, const struct gpube_model *g)
{
	const struct gpube_game_tree *t = g->tree;
	const uint64_t n = (uint64_t)t->n_infosets + 1;
	struct gpube_nash_set *sets;
	int status = GPUBE_OK;

	*p = (struct report){.ctx = g->ctx, .tree = t, .text = {.ctx = g->ctx}};
	r->tree = p->to = gpube__alloc_zero(g->ctx, 1, sizeof(*r->tree));
	if (!p->to)
		return GPUBE_ENOMEM;
	p->to->n_players = t->n_players;
	p->to->sets = sets = gpube__alloc_zero(g->ctx, n, sizeof(*sets));
	p->of = gpube__alloc(g->ctx, n, sizeof(*p->of));
	p->first = gpube__alloc(g->ctx, n, sizeof(*p->first));
	if (!sets || !p->of || !p->first)
		return GPUBE_ENOMEM;
	for (int32_t player = 1; player <= t->n_players; player++)
		for (int64_t k = 0; k < t->n_infosets && !status; k++)
			if (t->infosets[k].player == player)
				status = add_set(p, sets, k);
	return status;
}

static void report_clear(struct report *p)
{
	gpube__free(p->ctx, p->of);
	gpube__free(p->ctx, p->first);
	gpube__free(p->ctx, p->text.bytes);
}

/* ---- profiles ------------------------------------------------------------------------------ */

/* Adds one of these numbers: the probabilities, then what each player gets. */
static int add_profile(struct report *p, const fmpq *numbers)
{
	const int64_t n = p->n + p->to->n_players;
	struct gpube_nash_behaviour *profiles = (void *)(uintptr_t)p->to->profiles;
	const char **list = NULL;

	for (int64_t k = 0; k < n; k++) {
		char *text = fmpq_get_str(NULL, 10, numbers + k);

		gpube__text_add(&p->text, text, strlen(text) + 1);
		flint_free(text);
	}
	if (!nash__room(p->ctx, 0) && !gpube__grow(p->ctx, &profiles, &p->capacity,
					      p->to->n_profiles + 1, sizeof(*profiles))) {
		p->to->profiles = profiles;
		list = nash__take_texts(&p->text, n, 1);
	}
	if (list)
		profiles[p->to->n_profiles++] = (struct gpube_nash_behaviour){list, list + p->n};
	return list ? GPUBE_OK : GPUBE_ENOMEM;
}

/* The behaviour of a plan; where it never comes to, that of the reply. */
static void put_behaviour(fmpq *numbers, const struct report *p, const struct nash_sequence_form *f,
	int q, const fmpz *plan)
{
	const struct nash_sequences *s = &f->of[q];

	for (int32_t h = 0; h < s->n_sets; h++) {
		fmpq *to = numbers + p->first[p->of[s->infoset[h]]];
		const fmpz *all = plan + s->after[h];

		for (int32_t k = s->first[h]; k < s->first[h + 1]; k++, to++)
			if (fmpz_is_zero(all))
				fmpq_set_si(to, k == f->reply[q].best[h], 1);
			else
				fmpq_set_fmpz_frac(to, plan + k, all);
	}
}

/* Two plans, which are checked once more. */
static int add_plans(struct report *p, const struct nash_sequence_form *f, fmpz *const plan[2])
{
	fmpq *numbers;
	int status;

	if (!nash__is_equilibrium(f, plan))
		return gpube__fail(f->ctx, GPUBE_EBUG,
			"internal error: what was found is no equilibrium; please report this");
	numbers = _fmpq_vec_init((slong)(p->n + 2));
	for (int q = 0; q < 2; q++) {
		fmpq *worth = numbers + p->n + q;

		put_behaviour(numbers, p, f, q, plan[q]);
		fmpz_mul(fmpq_denref(worth), plan[1 - q], f->den + q);
		fmpz_set(fmpq_numref(worth), f->reply[q].worth);
		fmpq_canonicalise(worth);
		if (q && f->zero)
			fmpq_add(worth, worth, &f->sum);
	}
	status = add_profile(p, numbers);
	_fmpq_vec_clear(numbers, (slong)(p->n + 2));
	return status;
}

/* ---- the ways ------------------------------------------------------------------------------- */

static int induce(struct gpube_nash_result *r, struct report *p, const struct gpube_model *g)
{
	const int64_t n = p->n + p->to->n_players;
	int32_t *choice = gpube__alloc(g->ctx, (uint64_t)g->tree->n_infosets + 1, sizeof(*choice));
	fmpq *numbers;
	int status;

	if (!choice)
		return GPUBE_ENOMEM;
	r->method = "backward-induction";
	r->work = g->tree->n_nodes;
	numbers = _fmpq_vec_init((slong)n);
	status = nash__subgame_perfect(choice, numbers + p->n, g);
	for (int64_t k = 0; k < g->tree->n_infosets && !status; k++)
		if (g->tree->infosets[k].player)
			fmpq_one(numbers + p->first[p->of[k]] + choice[k]);
	if (!status)
		status = add_profile(p, numbers);
	_fmpq_vec_clear(numbers, (slong)n);
	gpube__free(g->ctx, choice);
	return status;
}

static int find_one(
	struct gpube_nash_result *r, struct report *p, const struct nash_sequence_form *f)
{
	fmpz *plan[2] = {_fmpz_vec_init(f->of[0].n), _fmpz_vec_init(f->of[1].n)};
	int status = GPUBE_ELIMIT;

	r->method = "linear-program";
	if (f->zero)
		status = nash__zero_sum(f, plan, &r->work);
	if (status == GPUBE_ELIMIT) {
		r->method = "lemke";
		status = nash__lemke(f, plan, &r->work);
	}
	if (!status)
		status = add_plans(p, f, plan);
	_fmpz_vec_clear(plan[0], f->of[0].n);
	_fmpz_vec_clear(plan[1], f->of[1].n);
	return status;
}

/* Sorted by player 1's plan as it was found, then player 2's; *cut: there are more than o->max. */
static int add_pairs(
	struct report *p, const struct nash_extremes *e, const struct gpube_opts *o, bool *cut)
{
	struct nash_patience patience = {.ctx = p->ctx,
		.seconds = o->timeout_seconds > 0 ? fmax(0.2, o->timeout_seconds / 10) : 2};
	int status = GPUBE_OK;

	*cut = false;
	for (int64_t a = 0; a < e->labels[0].n && !status; a++)
		for (int64_t b = 0; b < e->labels[1].n && !status; b++) {
			if (!nash__extremes_match(e, a, b))
				continue;
			if (nash__impatient(&patience))
				return gpube__fail_stopped(p->ctx);
			if (o->max && p->to->n_profiles == o->max) {
				*cut = true;
				return GPUBE_OK;
			}
			status = add_plans(
				p, e->form, (fmpz *const[]){e->plans[0][a], e->plans[1][b]});
		}
	return status;
}

static int find_all(struct gpube_nash_result *r, struct report *p,
	const struct nash_sequence_form *f, const struct gpube_opts *o)
{
	struct nash_extremes e = {.form = f};
	bool cut = false;
	int status, added = GPUBE_OK;

	r->method = "sequence-eee";
	status = nash__extremes_find(&e);
	r->work = e.work;
	/* what was found before a stop is checked and written for a while, as by strategies */
	if (!status || status == GPUBE_ESTOP)
		added = add_pairs(p, &e, o, &cut);
	if (!status && !added && cut)
		r->answer = GPUBE_NASH_ANSWER_SOME;
	nash__extremes_clear(&e);
	return status ? status : added;
}

/* A limit has a text that the caller is told. */
static int solve(
	struct gpube_nash_result *r, const struct gpube_model *g, const struct gpube_opts *o)
{
	struct nash_sequence_form f;
	struct report p;
	int status = report_init(&p, r, g);

	r->answer = o->one || g->n_vars > 2 ? GPUBE_NASH_ANSWER_SOME : GPUBE_NASH_ANSWER_ALL;
	if (!status && r->answer == GPUBE_NASH_ANSWER_SOME && g->tree->perfect) {
		status = induce(r, &p, g);
	} else if (!status) {
		r->method = "auto";
		status = nash__sequences_init(&f, g);
		if (!status)
			status = o->one ? find_one(r, &p, &f) : find_all(r, &p, &f, o);
		nash__sequences_clear(&f);
	}
	report_clear(&p);
	return status;
}

int nash__solve_extensive(
	struct gpube_nash_result *r, const struct gpube_model *g, const struct gpube_opts *o)
{
	const int status = solve(r, g, o);

	flint_cleanup();
	/* a limit is of the size, not of how many are wanted: no result */
	return status == GPUBE_ELIMIT ? status : nash__conclude(r, g->ctx, status);
}
