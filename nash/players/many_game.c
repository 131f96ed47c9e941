/* many_game.c - payoffs of all players as integers, strictly dominated actions taken out. */
#include <math.h>
#include <string.h>

#include "nash/exact.h"
#include "nash/players/players.h"

/* ---- dominance ----------------------------------------------------------------------------- */

/* Whether no action of a profile is gone. */
static bool is_left(const struct nash_players *p, const uint8_t *gone, int64_t profile)
{
	for (int32_t j = p->n - 1; j >= 0; profile /= p->m[j--])
		if (gone[p->first[j] + profile % p->m[j]])
			return false;
	return true;
}

/* Whether player i gets more by action 'by' than by 'action' in all profiles of what is left. */
static bool dominates(
	const struct nash_players *p, const uint8_t *gone, int32_t i, int32_t action, int32_t by)
{
	const int64_t inner = nash__product(p->m, i + 1, p->n);
	const int64_t step = inner * p->m[i];

	for (int64_t k = action * inner; k < p->profiles; k += step)
		for (int64_t x = k; x < k + inner; x++)
			if (is_left(p, gone, x) &&
				fmpz_cmp(p->pay[i] + x + (by - action) * inner, p->pay[i] + x) <= 0)
				return false;
	return true;
}

static bool remove_one(struct nash_players *p, uint8_t *gone, int32_t i, int32_t action)
{
	uint8_t *own = gone + p->first[i];

	for (int32_t by = 0; by < p->m[i]; by++)
		if (by != action && !own[by] && dominates(p, gone, i, action, by)) {
			own[action] = 1;
			p->removed[p->n_removed++] = (struct nash_dominated){i, action, by};
			return true;
		}
	return false;
}

static int remove_dominated(struct nash_players *p, uint8_t *gone)
{
	for (bool again = true; again;) {
		again = false;
		for (int32_t i = 0; i < p->n; i++)
			for (int32_t a = 0; a < p->m[i]; a++) {
				if (gpube__stopped(p->ctx))
					return gpube__fail_stopped(p->ctx);
				if (!gone[p->first[i] + a] && remove_one(p, gone, i, a))
					again = true;
			}
	}
	return GPUBE_OK;
}

/* Keeps the profiles of what is left, in front. */
static void shrink(struct nash_players *p, const uint8_t *gone)
{
	int64_t to = 0;
	int32_t total = 0;

	for (int64_t x = 0; x < p->profiles; x++) {
		const bool left = is_left(p, gone, x);

		for (int32_t i = 0; i < p->n && left; i++)
			fmpz_swap(p->pay[i] + to, p->pay[i] + x);
		to += left;
	}
	for (int32_t i = 0; i < p->n; i++) {
		const int32_t first = p->first[i], m = p->m[i];

		p->first[i] = total;
		p->m[i] = 0;
		for (int32_t a = 0; a < m; a++)
			if (!gone[first + a]) {
				p->map[total++] = a;
				p->m[i]++;
			}
	}
	p->total = total;
	p->profiles = nash__product(p->m, 0, p->n);
}

/* ---- the game ------------------------------------------------------------------------------ */

/* See struct nash_players; returns the power. fmpz_get_d() rounds towards zero. */
static slong scale(double *u, const fmpz *pay, int64_t n)
{
	const fmpz *least = pay;
	slong most = 0, e;
	fmpz_t x;

	for (int64_t k = 1; k < n; k++)
		if (fmpz_cmp(pay + k, least) < 0)
			least = pay + k;
	fmpz_init(x);
	for (int64_t k = 0; k < n; k++) {
		fmpz_sub(x, pay + k, least);
		e = (slong)fmpz_bits(x);
		most = e > most ? e : most;
	}
	for (int64_t k = 0; k < n; k++) {
		double d;

		fmpz_sub(x, pay + k, least);
		d = fmpz_get_d_2exp(&e, x);
		u[k] = fmpz_is_zero(x) || e - most < -1000 ? 0 : ldexp(d, (int)(e - most));
	}
	fmpz_clear(x);
	return most;
}

static int take_payoffs(struct nash_players *p)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < p->n && !status; i++) {
		p->pay[i] = gpube__array(&p->memory, (uint64_t)p->profiles, sizeof(**p->pay));
		if (!p->pay[i])
			return GPUBE_ENOMEM;
		status = nash__integers(p->ctx, p->pay[i], p->den + i, gpube__table(p->game, i));
	}
	return status;
}

static int make_doubles(struct nash_players *p)
{
	p->vertices[0] = 0;
	for (int32_t i = 0; i < p->n; i++) {
		p->vertices[i + 1] = p->vertices[i] + (int64_t)p->m[i] * p->m[i];
		p->u[i] = gpube__array(&p->memory, (uint64_t)p->profiles, sizeof(**p->u));
		if (!p->u[i])
			return GPUBE_ENOMEM;
		p->power[i] = scale(p->u[i], p->pay[i], p->profiles);
	}
	return nash__room(p->ctx, 0);
}

int nash__players_init(struct nash_players *p, const struct gpube_model *g, bool keep)
{
	struct gpube__arrays *to = &p->memory;
	const uint64_t n = (uint64_t)g->n_vars;
	uint64_t total = 0;
	uint8_t *gone;
	int status;

	*p = (struct nash_players){.ctx = g->ctx,
		.memory = {.ctx = g->ctx},
		.game = g,
		.n = g->n_vars,
		.profiles = gpube__profiles(g)};
	/* FLINT keeps memory for each thread that works on it */
	g->ctx->thread_end = flint_cleanup;
	for (int32_t i = 0; i < p->n; i++)
		total += (uint64_t)g->vars[i].domain;
	p->m = gpube__array(to, n, sizeof(*p->m));
	p->first = gpube__array(to, n, sizeof(*p->first));
	p->map = gpube__array(to, total, sizeof(*p->map));
	p->vertices = gpube__array(to, n + 1, sizeof(*p->vertices));
	p->removed = gpube__array(to, total, sizeof(*p->removed));
	p->pay = gpube__array(to, n, sizeof(*p->pay));
	p->den = gpube__array(to, n, sizeof(*p->den));
	p->u = gpube__array(to, n, sizeof(*p->u));
	p->power = gpube__array(to, n, sizeof(*p->power));
	gone = gpube__array(to, total, 1);
	for (int32_t i = 0; i < p->n && !to->failed; i++) {
		p->m[i] = g->vars[i].domain;
		p->first[i] = p->total;
		p->total += p->m[i];
	}
	status = to->failed ? GPUBE_ENOMEM : take_payoffs(p);
	if (!status && !keep)
		status = remove_dominated(p, gone);
	if (!status) {
		shrink(p, gone);
		status = make_doubles(p);
	}
	if (status)
		nash__players_clear(p);
	return status;
}

void nash__players_clear(struct nash_players *p)
{
	const int64_t cells = p->game ? gpube__profiles(p->game) : 0;

	for (int32_t i = 0; i < p->n && p->pay && p->den; i++) {
		for (int64_t k = 0; p->pay[i] && k < cells; k++)
			fmpz_clear(p->pay[i] + k);
		fmpz_clear(p->den + i);
	}
	gpube__arrays_clear(&p->memory);
	*p = (struct nash_players){0};
}
