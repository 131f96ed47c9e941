/* solver_known.c - proved bounds and assignments that are kept: see solver_state.h. */
#include <string.h>

#include "gpube/session/solver_state.h"

static void drop(struct gpube_solver *s, int k)
{
	gpube__free(s->ctx, s->proofs[k].fixed);
	s->proofs[k] = s->proofs[--s->n_proofs];
}

void gpube__solver_forget(struct gpube_solver *s)
{
	while (s->n_proofs)
		drop(s, s->n_proofs - 1);
}

void gpube__solver_shift(struct gpube_solver *s, int64_t least)
{
	if (least == -GPUBE_INF)
		gpube__solver_forget(s);
	for (int k = 0; k < s->n_proofs; k++) {
		struct gpube_proof *p = &s->proofs[k];
		const __int128 lower = (__int128)p->lower + least;

		if (p->lower == GPUBE_INF || least == GPUBE_INF)
			p->lower = GPUBE_INF;
		else if (lower <= -GPUBE_INF)
			p->lower = -GPUBE_INF + 1;
		else
			p->lower = lower < GPUBE_INF ? (int64_t)lower : GPUBE_INF - 1;
	}
}

/* Whether all that the proof needs is fixed. */
static bool holds(const struct gpube_solver *s, const struct gpube_proof *p)
{
	for (int32_t k = 0; k < p->n; k++)
		if (s->fixed[p->fixed[k].var] != p->fixed[k].value)
			return false;
	return true;
}

/* Whether q says nothing that p, which needs no more, does not. */
static bool covers(const struct gpube_proof *p, const struct gpube_proof *q)
{
	int32_t at = 0;

	if (p->lower < q->lower || p->n > q->n)
		return false;
	for (int32_t k = 0; k < p->n; k++) {
		while (at < q->n && q->fixed[at].var < p->fixed[k].var)
			at++;
		if (at == q->n || q->fixed[at].var != p->fixed[k].var ||
			q->fixed[at].value != p->fixed[k].value)
			return false;
	}
	return true;
}

void gpube__solver_add_proof(struct gpube_solver *s, int64_t lower)
{
	struct gpube_proof p = {.lower = lower};
	int k;

	if (lower == -GPUBE_INF)
		return;
	for (int32_t i = 0; i < s->costs->n_vars; i++)
		p.n += s->fixed[i] >= 0;
	p.fixed = gpube__alloc(s->ctx, (uint64_t)p.n, sizeof(*p.fixed));
	if (!p.fixed)
		return;
	p.n = 0;
	for (int32_t i = 0; i < s->costs->n_vars; i++)
		if (s->fixed[i] >= 0)
			p.fixed[p.n++] = (struct gpube_fixing){i, s->fixed[i]};
	for (k = 0; k < s->n_proofs; k++)
		if (covers(&s->proofs[k], &p)) {
			gpube__free(s->ctx, p.fixed);
			return;
		}
	for (k = s->n_proofs - 1; k >= 0; k--)
		if (covers(&p, &s->proofs[k]))
			drop(s, k);
	if (s->n_proofs == GPUBE__MOST_PROOFS) { /* the first one stays */
		s->next_proof = 1 + s->next_proof % (GPUBE__MOST_PROOFS - 1);
		drop(s, s->next_proof);
	}
	s->proofs[s->n_proofs++] = p;
	for (k = 1; k < s->n_proofs; k++)
		if (s->proofs[k].n < s->proofs[0].n) {
			const struct gpube_proof first = s->proofs[0];

			s->proofs[0] = s->proofs[k];
			s->proofs[k] = first;
		}
}

int64_t gpube__solver_lower(const struct gpube_solver *s)
{
	int64_t lower = -GPUBE_INF;

	for (int k = 0; k < s->n_proofs; k++)
		if (s->proofs[k].lower > lower && holds(s, &s->proofs[k]))
			lower = s->proofs[k].lower;
	return lower;
}

void gpube__solver_add_candidate(struct gpube_solver *s, const int32_t *values)
{
	const int32_t n = s->costs->n_vars;
	struct gpube_candidate c = {.n = n}, *to;

	for (int k = 0; k < s->n_candidates; k++)
		if (s->candidates[k].n == n && (n == 0 || !memcmp(s->candidates[k].values, values,
								  (size_t)n * sizeof(*values))))
			return;
	c.values = gpube__alloc(s->ctx, (uint64_t)n, sizeof(*c.values));
	if (!c.values)
		return;
	if (n)
		memcpy(c.values, values, (size_t)n * sizeof(*values));
	if (s->n_candidates < GPUBE__MOST_CANDIDATES) {
		s->candidates[s->n_candidates++] = c;
		return;
	}
	to = &s->candidates[s->next_candidate];
	s->next_candidate = (s->next_candidate + 1) % GPUBE__MOST_CANDIDATES;
	gpube__free(s->ctx, to->values);
	*to = c;
}

/* Variables that are new get their first value, hidden ones what follows from the others. */
static int extend(struct gpube_candidate *c, const struct gpube_model *m)
{
	int32_t *values;

	if (c->n == m->n_vars)
		return GPUBE_OK;
	values = gpube__realloc(m->ctx, c->values, (uint64_t)m->n_vars, sizeof(*values));
	if (!values)
		return GPUBE_ENOMEM;
	for (int32_t i = c->n; i < m->n_vars; i++)
		values[i] = 0;
	c->values = values;
	c->n = m->n_vars;
	return m->n_hidden ? gpube_model_complete(values, m) : GPUBE_OK;
}

static bool agrees(const struct gpube_solver *s, const struct gpube_candidate *c)
{
	for (int32_t i = 0; i < c->n; i++)
		if (s->fixed[i] >= 0 && s->fixed[i] != c->values[i])
			return false;
	return true;
}

int gpube__solver_best(const int32_t **values, int64_t *cost, struct gpube_solver *s,
	const struct gpube_model *view)
{
	*values = NULL;
	*cost = GPUBE_INF;
	for (int k = 0; k < s->n_candidates; k++) {
		struct gpube_candidate *c = &s->candidates[k];
		int64_t now;
		int status = extend(c, view);

		if (status)
			return status;
		if (!agrees(s, c))
			continue;
		status = gpube_model_cost(&now, view, c->values);
		if (status == GPUBE_ENOMEM)
			return status;
		now = status ? GPUBE_INF : gpube__solver_minimised(s, now);
		if (now == GPUBE_INF || now >= *cost)
			continue;
		*cost = now;
		*values = c->values;
	}
	return GPUBE_OK;
}
