/* emulation.c - see emulation.h. */
#include "tests/support/emulate/emulation.h"

#include <string.h>

#include "tests/support/large.h"

void emulation_meet(struct emulation *e, const char *problem)
{
	if (!e->problem)
		e->problem = problem;
}

int64_t emulation_read(struct emulation *e, int k, int64_t at, uint32_t together)
{
	const struct gpube_contraction *c = &e->s->c;
	const void *v = c->in[k].values;

	if (at % (int64_t)together)
		emulation_meet(e, "a wide read that is not aligned");
	if (at < 0 || at + (int64_t)together > gpube__operand_cells(c, k)) {
		emulation_meet(e, "a cell outside of its table");
		return 0;
	}
	if (e->large)
		return large_value(k, at);
	return c->type == GPUBE_INT32 ? ((const int32_t *)v)[at] : ((const int64_t *)v)[at];
}

void emulation_empty(struct emulation *e, uint32_t n_words)
{
	if (n_words > e->n_words)
		emulation_meet(e, "a word outside of shared memory");
	else
		memset(e->written, 0, n_words * sizeof(*e->written));
}

void emulation_put(struct emulation *e, uint32_t to, int64_t v)
{
	if (to >= e->n_words) {
		emulation_meet(e, "a word outside of shared memory");
		return;
	}
	e->word[to] = v;
	e->written[to] = true;
}

void emulation_copy(
	struct emulation *e, int k, int64_t from, uint32_t to, uint32_t n, uint32_t step)
{
	if (step == 1 && to % n)
		emulation_meet(e, "a wide copy that is not aligned");
	for (uint32_t i = 0; i < n && !e->problem; i++) {
		const uint32_t at = to + i * step;

		if (at < e->n_words && e->written[at])
			emulation_meet(e, "two copies go to one place");
		/* aligned as a whole, read cell by cell */
		emulation_put(e, at, emulation_read(e, k, from + i, i ? 1 : n));
	}
}

int64_t emulation_get(struct emulation *e, uint32_t at)
{
	if (at < e->n_words && e->written[at])
		return e->word[at];
	emulation_meet(e, "a word is read that was not written");
	return 0;
}

void emulation_write(struct emulation *e, int64_t at, int64_t best, int64_t arg)
{
	const struct gpube_contraction *c = &e->s->c;

	if (at < 0 || at >= e->shape.n_out_cells) {
		emulation_meet(e, "a cell outside of the output");
		return;
	}
	best = best >= c->threshold ? c->top : best;
	e->last_cell = at > e->last_cell ? at : e->last_cell;
	if (e->large) {
		if (best != large_best(&e->shape, at))
			emulation_meet(e, "a cell that is wrong");
	} else if (c->type == GPUBE_INT32) {
		((int32_t *)c->out)[at] = (int32_t)best;
	} else {
		((int64_t *)c->out)[at] = best;
	}
	if (!e->large && c->out_arg)
		gpube__store_arg(c->out_arg, c->arg_bytes, at, arg);
}
