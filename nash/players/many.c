/* many.c - gpube_nash() of a game that has not two players: what was found, as texts. */
#include "nash/players/many.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nash/exact.h"
#include "nash/players/players.h"
#include "nash/pure.h"

/* ---- texts --------------------------------------------------------------------------------- */

/* A number of an equilibrium, whose hi is as its lo: empty. */
static void put(struct gpube__text *t, const char *text)
{
	gpube__text_add(t, text, strlen(text) + 1);
	gpube__text_add(t, "", 1);
}

/* An equilibrium of the texts that were put. */
static int add_profile(struct gpube_nash_result *r, struct gpube__text *t,
	const struct gpube_model *g, int64_t *capacity)
{
	int64_t n = g->n_vars;
	const char **texts;

	for (int32_t p = 0; p < g->n_vars; p++)
		n += g->vars[p].domain;
	if (gpube__grow(t->ctx, &r->profiles, capacity, r->n_profiles + 1, sizeof(*r->profiles)))
		return GPUBE_ENOMEM;
	texts = nash__take_texts(t, n, 2);
	if (!texts)
		return GPUBE_ENOMEM;
	r->profiles[r->n_profiles++] = (struct gpube_nash_profile){.lo = texts, .hi = texts + n};
	return GPUBE_OK;
}

static void put_pure(struct gpube__text *t, const struct gpube_model *g, int64_t profile)
{
	for (int32_t p = 0; p < g->n_vars; p++)
		for (int32_t a = 0; a < g->vars[p].domain; a++)
			put(t, gpube__action_of(g, profile, p) == a ? "1" : "0");
	for (int32_t p = 0; p < g->n_vars; p++) {
		const struct gpube_rational v = gpube__table_rational(gpube__table(g, p), profile);

		gpube__text_printf(
			t, v.den == 1 ? "%lld" : "%lld/%lld", (long long)v.num, (long long)v.den);
		put(t, "");
	}
}

static int pure(struct gpube_nash_result *r, const struct gpube_model *g, int64_t max)
{
	int64_t *profiles = NULL, n = 0, capacity = 0;
	struct gpube__text t = {.ctx = g->ctx};
	int status = nash__pure_profiles(&profiles, &n, g);

	r->method = "pure";
	r->answer = GPUBE_NASH_ANSWER_SOME;
	for (int64_t k = 0; k < n && (!max || k < max) && !status; k++) {
		put_pure(&t, g, profiles[k]);
		status = add_profile(r, &t, g, &capacity);
	}
	gpube__free(g->ctx, profiles);
	gpube__free(g->ctx, t.bytes);
	return status;
}

/* ---- sizes ------------------------------------------------------------------------------- */

/*
 * The linear programs' rows, squared, are what a thread keeps; and all profiles. MOST_READ: before
 * what is strictly dominated is taken out.
 */
enum { MOST_ROWS = 2500, MOST_PROFILES = 1 << 20, MOST_READ = 1 << 24 };

static int refuse_profiles(struct gpube_ctx *ctx, double profiles)
{
	return gpube__fail(ctx, GPUBE_ERANGE,
		"%.15g profiles are too many for mixed equilibria of several players; pure ones "
		"are found",
		profiles);
}

/* x / 10^digits without zeros at its end. */
static void put_decimal(struct gpube__text *t, const fmpz *x, int digits)
{
	char *all = fmpz_get_str(NULL, 10, x), *number = all + (*all == '-');
	const size_t n = strlen(number), whole = n > (size_t)digits ? n - (size_t)digits : 0;
	size_t end = n;

	while (end > whole && number[end - 1] == '0')
		end--;
	gpube__text_add(t, all, (size_t)(number - all));
	gpube__text_add(t, whole ? number : "0", whole ? whole : 1);
	if (end > whole)
		gpube__text_add(t, ".", 1);
	for (size_t k = n; k < (size_t)digits && end; k++)
		gpube__text_add(t, "0", 1);
	gpube__text_add(t, number + whole, end - whole);
	gpube__text_add(t, "", 1);
	flint_free(all);
}

/* Solutions are told apart by so many decimals, however many are asked for. */
enum { FEWEST_DIGITS = 12 };

/* Number k of a solution: its two texts. */
static void put_number(struct gpube__text *t, const struct nash_root *root, int32_t k, int digits)
{
	fmpz_t lo, hi, ten;

	if (root->exact) {
		char *text = fmpq_get_str(NULL, 10, root->exact + k);

		put(t, text);
		flint_free(text);
		return;
	}
	fmpz_init(lo);
	fmpz_init(hi);
	fmpz_init_set_ui(ten, 10);
	fmpz_pow_ui(ten, ten, digits < FEWEST_DIGITS ? (ulong)(FEWEST_DIGITS - digits) : 0);
	fmpz_fdiv_q(lo, root->lo + k, ten);
	fmpz_cdiv_q(hi, root->hi + k, ten);
	put_decimal(t, lo, digits);
	if (fmpz_equal(lo, hi))
		gpube__text_add(t, "", 1);
	else
		put_decimal(t, hi, digits);
	fmpz_clear(lo);
	fmpz_clear(hi);
	fmpz_clear(ten);
}

static void put_root(struct gpube__text *t, const struct nash_players *p,
	const struct nash_root *root, int digits)
{
	for (int32_t i = 0; i < p->n; i++) {
		int32_t at = p->first[i];

		for (int32_t a = 0; a < p->game->vars[i].domain; a++)
			if (at < p->first[i] + p->m[i] && p->map[at] == a) {
				put_number(t, root, at++, digits);
			} else {
				put(t, "0");
			}
	}
	for (int32_t i = 0; i < p->n; i++)
		put_number(t, root, p->total + i, digits);
}

/* Smaller supports first. */
static int compare_roots(const void *a, const void *b)
{
	const struct nash_root *r = a, *s = b;
	int order = 0;

	if (r->verdict != s->verdict)
		return r->verdict == NASH_IS_EQUILIBRIUM ? -1 : s->verdict == NASH_IS_EQUILIBRIUM;
	if (r->played != s->played)
		return r->played < s->played ? -1 : 1;
	for (int32_t k = 0; k < r->total && !order; k++)
		order = (int)r->states[k] - (int)s->states[k];
	for (int32_t k = 0; k < r->total && !order; k++)
		order = fmpz_cmp(s->lo + k, r->lo + k);
	return order;
}

static int report_roots(struct gpube_nash_result *r, struct nash_many *s, int digits)
{
	struct gpube__text t = {.ctx = s->p->ctx};
	int64_t capacity = 0;
	int status = GPUBE_OK;

	if (s->n_roots)
		qsort(s->roots, (size_t)s->n_roots, sizeof(*s->roots), compare_roots);
	for (int64_t k = 0; k < s->n_equilibria && (!s->max || k < s->max); k++) {
		const struct nash_root *root = &s->roots[k];

		put_root(&t, s->p, root, digits);
		status = nash__room(t.ctx, 0);
		if (!status)
			status = add_profile(r, &t, s->p->game, &capacity);
		if (status)
			break;
		r->profiles[k].tie = root->tie;
		r->profiles[k].index = root->tie ? 0 : root->index;
		r->index_sum += r->profiles[k].index;
		if (root->tie || !root->index)
			r->degenerate = 1;
	}
	gpube__free(t.ctx, t.bytes);
	return status;
}

/* ---- what is open -------------------------------------------------------------------------- */

/* Supports of these states, of which at least one action a player is played. */
static double count_supports(const struct nash_players *p, const uint8_t *states)
{
	double all = 1;

	for (int32_t i = 0; i < p->n; i++) {
		int either = 0, played = 0;

		for (int32_t a = p->first[i]; a < p->first[i] + p->m[i]; a++) {
			either += !states || states[a] == NASH_UNDECIDED;
			played += states && states[a] == NASH_IN;
		}
		all *= ldexp(1, either) - (played == 0);
	}
	return all;
}

static const char *const reasons[] = {
	[NASH_OPEN_TIME] = "not looked at",
	[NASH_OPEN_WORK] = "more regions than a support may take",
	[NASH_OPEN_SINGULAR] = "singular: a multiple solution or a component",
	[NASH_OPEN_COMPONENT] = "fewer equations than unknowns: a component, if any",
	[NASH_OPEN_TIE] = "an inequality of the only solution is too near to a tie",
};

/* An open support in the actions of the game as read, in one block. */
static int report_open(struct gpube_nash_open *to, const struct nash_players *p,
	const struct nash_open *open, uint64_t total)
{
	double *block = gpube__alloc_zero(p->ctx, 1, 2 * total * sizeof(double) + total + 1);
	char *states = (char *)(block + 2 * total);

	if (!block)
		return GPUBE_ENOMEM;
	*to = (struct gpube_nash_open){.lower = block,
		.upper = block + total,
		.states = states,
		.reason = reasons[open->reason],
		.regions = open->regions};
	memset(states, '0', total);
	for (int32_t i = 0, before = 0; i < p->n; before += p->game->vars[i++].domain)
		for (int32_t a = p->first[i]; a < p->first[i] + p->m[i]; a++) {
			states[before + p->map[a]] = "?10"[open->states[a]];
			block[before + p->map[a]] = open->lower[a];
			block[(int64_t)total + before + p->map[a]] = open->upper[a];
		}
	return GPUBE_OK;
}

static int report_supports(struct gpube_nash_result *r, const struct nash_many *s)
{
	const struct nash_players *p = s->p;
	uint64_t total = 0;
	int status = GPUBE_OK;

	r->n_supports = count_supports(p, NULL);
	for (int32_t i = 0; i < p->n; i++)
		total += (uint64_t)p->game->vars[i].domain;
	r->open = gpube__alloc_zero(p->ctx, (uint64_t)s->n_open, sizeof(*r->open));
	if (!r->open)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < s->n_open && !status; k++) {
		r->n_open_supports += count_supports(p, s->open[k].states);
		status = report_open(&r->open[k], p, &s->open[k], total);
		r->n_open += !status;
	}
	return status;
}

/* ---- the call ------------------------------------------------------------------------------ */

static int check_size(const struct nash_players *p)
{
	int64_t rows = 0;

	for (int32_t i = 0; i < p->n; i++)
		rows += (int64_t)p->m[i] * (p->m[i] - 1);
	if (rows <= MOST_ROWS && p->profiles <= MOST_PROFILES)
		return GPUBE_OK;
	return refuse_profiles(p->ctx, (double)p->profiles);
}

static int conclude(struct gpube_nash_result *r, const struct nash_many *s, int status)
{
	r->work = s->regions;
	r->answer = GPUBE_NASH_ANSWER_ALL;
	if (s->n_open && !status)
		r->reason = "supports are open";
	status = nash__conclude(r, s->p->ctx, status);
	if (status || r->answer != GPUBE_NASH_ANSWER_ALL)
		return status;
	if (r->degenerate < 0)
		r->degenerate = 0;
	if (!r->degenerate && r->index_sum != 1)
		return gpube__fail(s->p->ctx, GPUBE_EBUG,
			"internal error: the indices of the equilibria add up to %d, not 1; please "
			"report this",
			r->index_sum);
	return GPUBE_OK;
}

static int mixed(
	struct gpube_nash_result *r, const struct gpube_model *g, const struct gpube_opts *o)
{
	struct nash_players p;
	struct nash_many s = {.digits = o->digits < FEWEST_DIGITS ? FEWEST_DIGITS : o->digits,
		.max = o->one ? 1 : o->max};
	int status = nash__players_init(&p, g, o->keep_dominated), end;

	if (status)
		return status;
	s.p = &p;
	r->method = "regions";
	r->n_removed = p.n_removed;
	status = check_size(&p);
	if (!status && o->certificate && !(s.proof = nash__proof_new(g->ctx)))
		status = GPUBE_ENOMEM;
	if (!status) {
		end = o->one ? nash__many_one(&s) : GPUBE_OK;
		if (!end)
			end = s.n_equilibria ? GPUBE_ELIMIT : nash__many_run(&s);
		if (s.proof && end != GPUBE_ENOMEM)
			status = nash__proof_write(s.proof, &s, o->certificate);
		if (!status && (end == GPUBE_OK || end == GPUBE_ESTOP || end == GPUBE_ELIMIT))
			status = report_roots(r, &s, o->digits);
		if (!status)
			status = report_supports(r, &s);
		if (!status)
			status = conclude(r, &s, end);
	}
	nash__proof_free(s.proof);
	nash__many_clear(&s);
	nash__players_clear(&p);
	flint_cleanup();
	return status;
}

int nash__check_many(const struct gpube_model *g, const struct gpube_opts *o)
{
	double profiles = 1;

	if (o->nash_method != GPUBE_NASH_METHOD_AUTO || o->backend == GPUBE_BACKEND_CUDA ||
		o->give || o->all_labels)
		return gpube__fail(g->ctx, GPUBE_EINVAL,
			"a game of %d players: no method, backend, labels or streams", g->n_vars);
	if (o->certificate && (o->pure || o->one))
		return gpube__fail(g->ctx, GPUBE_EINVAL, "a certificate is of all equilibria");
	for (int32_t i = 0; i < g->n_vars; i++)
		profiles *= g->vars[i].domain;
	return o->pure || profiles <= MOST_READ ? GPUBE_OK : refuse_profiles(g->ctx, profiles);
}

int nash__solve_many(
	struct gpube_nash_result *r, const struct gpube_model *g, const struct gpube_opts *o)
{
	return o->pure ? pure(r, g, o->max) : mixed(r, g, o);
}
