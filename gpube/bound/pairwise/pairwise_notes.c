/*
 * pairwise_notes.c - what lists and cases do, noted for a certificate
 * (certificate/certificate.h): see pairwise_method.h.
 *
 * All that a list of simplified variables says one of the given variables says, too, so which lists
 * there were is noted, of given variables, how many sweeps followed, and the splits. That is done
 * again, by the certificate's rules and on the relaxed problem, before it is one: costs are not the
 * same to the last unit there, and a case may need more. Who took which case, when lists grew and
 * what a look ahead closed is in the notes, so nothing depends on threads from here on.
 */
#include <string.h>

#include "gpube/base/rows.h"
#include "gpube/bound/certificate/certificate.h"
#include "gpube/bound/pairwise/relation_cases.h"

/* ---- variables ---------------------------------------------------------------------------------
 */

/* The given variables of each simplified one, and the simplified one of each of m's. */
static int map_variables(struct gpube_pairwise_run *s)
{
	struct gpube_pairwise_notes *w = &s->notes;
	const struct gpube_simplified *from = &s->b->s;
	struct gpube__arrays *memory = &w->memory;
	const int32_t n = from->model->n_vars;

	memory->ctx = s->b->ctx;
	w->words = from->n_vars / 64 + 1;
	w->n_simple = n;
	w->of = gpube__array(memory, (uint64_t)from->n_vars + 1, sizeof(*w->of));
	w->of_at = gpube__array(memory, (uint64_t)n + 3, sizeof(*w->of_at));
	w->simple = gpube__array(memory, (uint64_t)n + 1, sizeof(*w->simple));
	w->set = gpube__array(memory, (uint64_t)w->words, sizeof(*w->set));
	w->order = gpube__array(memory, 2 * (uint64_t)from->n_vars + 1, sizeof(*w->order));
	if (memory->failed)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < from->n_vars; i++)
		if (from->var[i] >= 0)
			GPUBE_ROW_COUNT(w->of_at, from->var[i]);
	GPUBE_ROWS_BEGIN(w->of_at, n);
	for (int32_t i = 0; i < from->n_vars; i++)
		if (from->var[i] >= 0)
			w->of[GPUBE_ROW_PLACE(w->of_at, from->var[i])] = i;
	for (int32_t i = 0; i < n; i++)
		if (!s->lean || s->lean->var[i] >= 0)
			w->simple[s->lean ? s->lean->var[i] : i] = i;
	return GPUBE_OK;
}

static void begin_list(struct gpube_pairwise_notes *w)
{
	memset(w->set, 0, (size_t)w->words * sizeof(*w->set));
	w->n_order = 0;
}

/* The given variables of one of the simplified model, those that the list does not have yet. */
static void put_given(struct gpube_pairwise_notes *w, int32_t simple)
{
	for (int32_t k = w->of_at[simple]; k < w->of_at[simple + 1]; k++) {
		if (!gpube__bit(w->set, w->of[k]))
			w->order[w->n_order++] = w->of[k];
		gpube__bit_put(w->set, w->of[k]);
	}
}

static int note_list(struct gpube_pairwise_run *s, int32_t of, int32_t n_leaving)
{
	return gpube__certificate_list(
		s->b->told.notes, of, s->notes.n_order, n_leaving, s->notes.order);
}

/*
 * A list of each variable that stands for several, if it is within 'set', or that is NULL: it says
 * what of their values is possible, and the checker adds them together.
 */
static int note_joined(struct gpube_pairwise_run *s, int32_t of, const uint64_t *set)
{
	struct gpube_pairwise_notes *w = &s->notes;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < w->n_simple && !status; i++) {
		if (w->of_at[i + 1] - w->of_at[i] < 2)
			continue;
		begin_list(w);
		put_given(w, i);
		if (!set || gpube__bits_within(w->set, set, w->words))
			status = note_list(s, of, 0);
	}
	return status;
}

/* ---- eliminated variables
 * ------------------------------------------------------------------------ */

/* The checker's lists so far: sets of given variables; those of the last stage's. */
struct old {
	struct gpube_pairwise_run *s;
	uint64_t *sets, *last;
	int64_t n, capacity;
};

static uint64_t *set_of(const struct old *o, int64_t k)
{
	return o->sets + k * o->s->notes.words;
}

static int add_old(struct old *o, const uint64_t *set)
{
	const int32_t words = o->s->notes.words;

	if (gpube__grow(o->s->b->ctx, &o->sets, &o->capacity, (o->n + 1) * words, sizeof(*o->sets)))
		return GPUBE_ENOMEM;
	memcpy(set_of(o, o->n++), set, (size_t)words * sizeof(*set));
	return GPUBE_OK;
}

static int add_functions(struct old *o)
{
	const struct gpube_model *m = o->s->b->costs;
	struct gpube_pairwise_notes *w = &o->s->notes;
	int status = GPUBE_OK;

	for (int32_t f = 0; f < m->n_functions && !status; f++) {
		begin_list(w);
		for (int k = 0; k < m->functions[f].arity; k++)
			gpube__bit_put(w->set, gpube__scope(m, f)[k]);
		status = add_old(o, w->set);
	}
	return status;
}

/* Those within the set are no more. */
static void forget_old(struct old *o, const uint64_t *set)
{
	const int32_t words = o->s->notes.words;
	int64_t to = 0;

	for (int64_t k = 0; k < o->n; k++)
		if (!gpube__bits_within(set_of(o, k), set, words))
			memmove(set_of(o, to++), set_of(o, k), (size_t)words * sizeof(*set));
	o->n = to;
}

/* Whether the last variables of the list are in no other one. */
static bool may_leave(const struct old *o, int32_t n_staying)
{
	const struct gpube_pairwise_notes *w = &o->s->notes;

	for (int64_t j = 0; j < o->n; j++) {
		if (gpube__bits_within(set_of(o, j), w->set, w->words))
			continue;
		for (int32_t e = n_staying; e < w->n_order; e++)
			if (gpube__bit(set_of(o, j), w->order[e]))
				return false;
	}
	return true;
}

/* The next stage, if the last one has the variables that are eliminated: they need its lists. */
static int begin_step(struct old *o, int32_t n_staying)
{
	const struct gpube_pairwise_notes *w = &o->s->notes;
	bool needs = !o->last;
	int status = GPUBE_OK;

	if (!o->last)
		o->last = gpube__alloc(o->s->b->ctx, (uint64_t)w->words, sizeof(*o->last));
	if (!o->last)
		return GPUBE_ENOMEM;
	for (int32_t e = n_staying; e < w->n_order && !needs; e++)
		needs = gpube__bit(o->last, w->order[e]);
	if (needs) {
		memset(o->last, 0, (size_t)w->words * sizeof(*o->last));
		status = gpube__certificate_stage(o->s->b->told.notes, 0, 0);
	}
	for (int32_t k = 0; k < w->words; k++)
		o->last[k] |= w->set[k];
	return status;
}

/* Each variable that was eliminated leaves a list of its own, if no other has it. */
static int note_step(struct old *o, const struct gpube_lean_step *step)
{
	struct gpube_pairwise_notes *w = &o->s->notes;
	uint64_t *set = NULL;
	int32_t n_staying;
	bool leaves;
	int status;

	begin_list(w);
	for (int e = 0; e < step->arity; e++)
		put_given(w, step->scope[e]);
	n_staying = w->n_order;
	put_given(w, step->var);
	leaves = may_leave(o, n_staying);
	status = begin_step(o, n_staying);
	if (!status)
		status = note_list(o->s, 0, leaves ? w->n_order - n_staying : 0);
	forget_old(o, w->set);
	for (int32_t e = n_staying; e < w->n_order && leaves; e++)
		gpube__bit_drop(w->set, w->order[e]);
	if (!status)
		status = add_old(o, w->set);
	set = status ? NULL : set_of(o, o->n - 1);
	return status ? status : note_joined(o->s, 0, set);
}

static int note_lean(struct gpube_pairwise_run *s)
{
	struct old o = {.s = s};
	int status = s->lean ? add_functions(&o) : GPUBE_OK;

	for (int64_t k = 0; s->lean && k < s->lean->n_steps && !status; k++)
		status = note_step(&o, &s->lean->steps[k]);
	gpube__free(s->b->ctx, o.sets);
	gpube__free(s->b->ctx, o.last);
	return status;
}

/* ---- the calls ----------------------------------------------------------------------------------
 */

int gpube__notes_begin(struct gpube_pairwise_run *s)
{
	struct gpube_certificate *c = s->b->told.notes;
	int status;

	if (!c || c->stages.n)
		return GPUBE_OK;
	status = map_variables(s);
	if (!status)
		status = gpube__certificate_case(c);
	if (!status)
		status = gpube__certificate_stage(c, 0, 0);
	if (!status)
		status = note_joined(s, 0, NULL);
	if (!status)
		status = note_lean(s);
	return status ? status : gpube__notes_relations(s, 0, s->relations);
}

int gpube__notes_relations(
	struct gpube_pairwise_run *s, int32_t of, const struct gpube_relations *l)
{
	int status;

	if (!s->b->told.notes)
		return GPUBE_OK;
	status = gpube__certificate_stage(s->b->told.notes, of, 0);
	for (int32_t k = 0; k < l->n_relations && !status; k++) {
		begin_list(&s->notes);
		for (int32_t v = 0; v < l->relations[k].arity; v++)
			put_given(&s->notes, s->notes.simple[l->relations[k].order[v]]);
		status = note_list(s, of, 0);
	}
	return status ? status : note_joined(s, of, NULL);
}

int gpube__notes_sweeps(struct gpube_pairwise_run *s, int32_t of, int32_t n)
{
	struct gpube_certificate *c = s->b->told.notes;
	int status = GPUBE_OK;

	if (!c)
		return GPUBE_OK;
	if (!c->stages.cases[of].n_stages)
		status = gpube__certificate_stage(c, of, 0);
	if (!status)
		c->stages.cases[of].stages[c->stages.cases[of].n_stages - 1].n_sweeps += n;
	return status;
}

int gpube__notes_split(
	struct gpube_pairwise_run *s, int32_t of, int32_t var, int32_t value, int32_t child[2])
{
	struct gpube_pairwise_notes *w = &s->notes;
	const struct gpube_simplified *from = &s->b->s;
	int status;

	child[0] = child[1] = 0;
	if (!s->b->told.notes)
		return GPUBE_OK;
	begin_list(w);
	put_given(w, w->simple[var]);
	for (int32_t k = 0; k < w->n_order; k++) {
		const int32_t *values = from->values[w->order[k]];

		w->order[w->n_order + k] = values ? values[value] : value;
	}
	status = gpube__certificate_part(s->b->told.notes, of, w->n_order, w->order);
	for (int k = 0; k < 2 && !status; k++)
		child[k] = s->b->told.notes->stages.cases[of].child[k];
	return status;
}

void gpube__notes_end(struct gpube_pairwise_run *s)
{
	struct gpube_certificate *c = s ? s->b->told.notes : NULL;
	const struct gpube_relation_cases *cases = s ? s->cases : NULL;

	if (!c || !c->stages.n)
		return;
	if (s->relations && !s->branches)
		c->stages.cases[0].open = s->relations->state.constant <
					  gpube__relations_target(s->shift, s->m, s->b->cutoff);
	for (int64_t k = 0; cases && k < cases->open.n; k++) {
		const struct gpube_relations *l = cases->open.nodes[k].payload;

		c->stages.cases[l->noted].open = cases->open.nodes[k].bound < cases->target;
	}
}
