/* certify_sweep.c - see certify_sweep.h. */
#include "gpube/bound/certificate/certify_sweep.h"

#include <stdlib.h>
#include <string.h>

#define CELL int64_t
#include "gpube/relax/patches/patches_impl.h"

#define DEAD_FROM (GPUBE__PROOF_DEAD / 2)

/* ---- sweeps -------------------------------------------------------------------------------- */

/* The patch's cells become less by m. */
static void take(int64_t *restrict t, const int64_t *restrict m, const int32_t *restrict place,
	int32_t cells, int32_t n)
{
	for (int32_t k = 0; k < n; k++)
		for (int32_t i = 0; i < cells; i++) {
			int64_t *x = &t[place[i] + place[cells + k]];

			*x -= *x >= DEAD_FROM ? 0 : m[i];
		}
}

/*
 * m: what the member forces becomes what it gives away, all but its share; the most that any cell
 * changes by.
 */
static int64_t give(int64_t *restrict m, const int64_t *restrict own, const int64_t *restrict share,
	int32_t n, bool takes)
{
	int64_t most = 0;

	for (int32_t i = 0; i < n; i++) {
		m[i] = own[i] >= DEAD_FROM ? 0 : m[i] - (takes ? share[i] : 0);
		most = llabs(m[i]) > most ? llabs(m[i]) : most;
	}
	return most;
}

static void ask(const struct gpube__proof_plan *w, struct gpube__proof_state *s, int32_t k,
	enum gpube_patches_way way, int64_t least, int64_t *room, int64_t *moved)
{
	const struct gpube_patches *p = w->p;
	const struct gpube_separator *b = &p->separators[k];
	const int32_t n = b->n_cells, n_out = gpube__separator_n_out(b, way),
		      n_in = gpube__separator_n_in(b, way), parts = n_out > n_in ? n_out : n_in;
	int64_t *restrict share = room, *restrict own = s->cells + b->at, rise = GPUBE__PROOF_DEAD;

	memcpy(share, own, (size_t)n * sizeof(*share));
	for (int32_t j = 0; j < b->n_members; j++) {
		const struct gpube_patch_member *of = &p->members[b->member + j];
		int64_t *restrict m = room + (j + 1) * (int64_t)n;

		gpube__patch_force(
			m, s->cells + p->patches[of->patch].at, p->places + of->places, n, of->n);
		for (int32_t i = 0; i < n; i++)
			share[i] = share[i] >= DEAD_FROM ? share[i] : share[i] + m[i];
	}
	for (int32_t i = 0; i < n; i++)
		rise = share[i] < rise ? share[i] : rise;
	for (int32_t i = 0; i < n; i++) {
		const int64_t part = own[i] < DEAD_FROM && parts ? (share[i] - rise) / parts : 0;

		own[i] = own[i] < DEAD_FROM ? share[i] - part * n_out : own[i];
		share[i] = part;
	}
	s->time++;
	for (int32_t j = 0; j < b->n_members; j++) {
		const struct gpube_patch_member *of = &p->members[b->member + j];
		const struct gpube_patch *a = &p->patches[of->patch];
		int64_t *m = room + (j + 1) * (int64_t)n;

		if (give(m, own, share, n, gpube__patch_goes_on(a, k, way)) > least)
			gpube__proof_changed(w, s)[of->patch] = s->time;
		take(s->cells + a->at, m, p->places + of->places, n, of->n);
		for (int32_t i = 0; moved && i < n; i++)
			moved[w->moved_at[b->member + j] + i] += m[i];
	}
	gpube__proof_asked(w, s)[k] = s->time;
}

void gpube__proof_sweep(const struct gpube__proof_plan *w, struct gpube__proof_state *s,
	enum gpube_patches_way way, int64_t least, int64_t *room, int64_t *moved)
{
	for (int32_t i = 0; i < w->p->n_separators; i++) {
		const int32_t k = gpube__separator_at(w->p, i, way);

		if (gpube__separator_is_due(
			    w->p, k, way, gpube__proof_changed(w, s), gpube__proof_asked(w, s)))
			ask(w, s, k, way, least, room, moved);
	}
}

void gpube__proof_move(const struct gpube__proof_plan *w, struct gpube__proof_state *s,
	const struct gpube_patch_member *of, const int64_t *moved)
{
	const struct gpube_separator *b = &w->p->separators[of->separator];
	int64_t *own = s->cells + b->at;

	take(s->cells + w->p->patches[of->patch].at, moved, w->p->places + of->places, b->n_cells,
		of->n);
	for (int32_t i = 0; i < b->n_cells; i++)
		own[i] += own[i] < DEAD_FROM ? moved[i] : 0;
}

/* ---- values -------------------------------------------------------------------------------- */

static bool has(int arity, const int32_t *scope, int32_t var)
{
	for (int k = 0; k < arity; k++)
		if (scope[k] == var)
			return true;
	return false;
}

static void kill(const struct gpube_patches *p, int64_t *cells, int32_t n, int32_t step,
	int32_t var, const uint8_t *keep)
{
	for (int32_t c = 0; c < n; c++)
		if (!keep[c / step % p->domain[var]])
			cells[c] = GPUBE__PROOF_DEAD;
}

void gpube__proof_keep(const struct gpube__proof_plan *w, struct gpube__proof_state *s, int32_t var,
	const uint8_t *keep)
{
	const struct gpube_patches *p = w->p;
	uint8_t *live = gpube__proof_live(w, s) + w->value_at[var];

	s->time++;
	for (int32_t a = 0; a < p->domain[var]; a++)
		live[a] &= keep[a];
	for (int32_t j = p->of_at[var]; j < p->of_at[var + 1]; j++) {
		const struct gpube_patch *a = &p->patches[p->of[j]];

		gpube__proof_changed(w, s)[p->of[j]] = s->time;
		kill(p, s->cells + a->at, a->n_cells,
			gpube__patches_step(p, a->arity, a->scope, var), var, keep);
		for (int32_t i = 0; i < a->n_members; i++) {
			const struct gpube_separator *b =
				&p->separators[p->members[p->member_of[a->member + i]].separator];

			if (has(b->arity, b->scope, var))
				kill(p, s->cells + b->at, b->n_cells,
					gpube__patches_step(p, b->arity, b->scope, var), var, keep);
		}
	}
}

static int64_t least_cell(const int64_t *cells, int32_t n)
{
	int64_t least = cells[0];

	for (int32_t c = 1; c < n; c++)
		least = cells[c] < least ? cells[c] : least;
	return least;
}

int64_t gpube__proof_bound(
	const struct gpube__proof_plan *w, const struct gpube__proof_state *s, int64_t *least)
{
	const struct gpube_patches *p = w->p;
	int64_t sum = 0;

	for (int32_t k = 0; k < p->n_patches; k++) {
		least[k] = least_cell(s->cells + p->patches[k].at, p->patches[k].n_cells);
		sum += least[k];
	}
	for (int32_t k = 0; k < p->n_separators; k++)
		sum += least_cell(s->cells + p->separators[k].at, p->separators[k].n_cells);
	return sum;
}

void gpube__proof_forced(const struct gpube__proof_plan *w, const struct gpube__proof_state *s,
	const int64_t *least, int32_t var, int64_t *forced)
{
	const struct gpube_patches *p = w->p;
	const int32_t domain = p->domain[var];

	for (int32_t a = 0; a < domain; a++)
		forced[a] = 0;
	for (int32_t j = p->of_at[var]; j < p->of_at[var + 1]; j++) {
		const struct gpube_patch *a = &p->patches[p->of[j]];
		const int32_t step = gpube__patches_step(p, a->arity, a->scope, var);
		const int64_t *t = s->cells + a->at;

		for (int32_t x = 0; x < domain; x++) {
			const int64_t own = gpube__patch_least(
				t, a->n_cells, step, domain, x, GPUBE__PROOF_DEAD);

			forced[x] = own >= DEAD_FROM || forced[x] >= DEAD_FROM
					    ? GPUBE__PROOF_DEAD
					    : forced[x] + own - least[p->of[j]];
		}
	}
}
