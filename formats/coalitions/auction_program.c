/*
 * auction_program.c - see auction_program.h. MIP solvers know how to strengthen this form: its rows
 * are cliques of bids that exclude each other, where a row for each pair would hide them. Dummy
 * goods, by which CATS has bids exclude each other, are rows like others.
 *
 * An .mps has no place for the direction that all programs read: CBC passes OBJSENSE over, and GLPK
 * refuses it. So the objective is negated (formats/mip), which the first line says, by which gpube
 * reads it back.
 */
#include "formats/coalitions/auction_program.h"

#include "formats/mip/mip.h"
#include "gpube/forms/model_as.h"
#include "gpube/ir/bids.h"

/* A column a bid, a row a good, of whose bids one wins at most: its value is the good. */
static int fill(struct gpube_mip *p, const struct gpube__bids *a, const struct gpube__bidders *of)
{
	const uint64_t columns = (uint64_t)a->n_bids + 1, rows = (uint64_t)a->n_goods + 1,
		       entries = (uint64_t)of->start[a->n_goods] + 1;

	p->n_columns = a->n_bids;
	p->var = gpube__alloc_zero(p->ctx, columns, sizeof(*p->var));
	p->value = gpube__alloc(p->ctx, rows, sizeof(*p->value));
	p->cost = gpube__alloc(p->ctx, columns, sizeof(*p->cost));
	p->sense = gpube__alloc(p->ctx, rows, sizeof(*p->sense));
	p->rhs = gpube__alloc(p->ctx, rows, sizeof(*p->rhs));
	p->at = gpube__alloc_zero(p->ctx, rows, sizeof(*p->at));
	p->column = gpube__alloc(p->ctx, entries, sizeof(*p->column));
	p->factor = gpube__alloc(p->ctx, entries, sizeof(*p->factor));
	if (!p->var || !p->value || !p->cost || !p->sense || !p->rhs || !p->at || !p->column ||
		!p->factor)
		return GPUBE_ENOMEM;
	for (int b = 0; b < a->n_bids; b++)
		p->cost[b] = -a->price[b];
	for (int g = 0; g < a->n_goods; g++) {
		if (of->start[g] == of->start[g + 1])
			continue;
		p->value[p->n_rows] = g;
		p->sense[p->n_rows] = GPUBE_AT_MOST;
		p->rhs[p->n_rows] = 1;
		p->at[++p->n_rows] = of->start[g + 1];
	}
	for (int64_t k = 0; k < of->start[a->n_goods]; k++) {
		p->column[k] = of->bid[k];
		p->factor[k] = 1;
	}
	return GPUBE_OK;
}

int gpube__auction_write(const struct gpube_model *m, struct gpube_out *out, bool lp)
{
	struct gpube__bids a;
	struct gpube__bidders of;
	const struct gpube_mip_words words = {
		.lp = "\\ an auction: one bid at most wins each good\n",
		.mps = GPUBE__MPS_NEGATED,
		.name_column = gpube__bid_name,
		.name_row = gpube__good_name,
		.arg = &a,
	};
	struct gpube_mip p = {.ctx = m->ctx, .m = m, .words = &words, .top_row = -1};
	int status = gpube__bids_init(&a, m);

	if (status)
		return status;
	status = gpube__bidders_init(&of, &a);
	if (!status)
		status = fill(&p, &a, &of);
	if (!status)
		status = gpube__mip_write(&p, out, lp);
	gpube__mip_clear(&p);
	gpube__bidders_clear(&of, m->ctx);
	gpube__bids_clear(&a);
	return status;
}

int gpube__auction_check(const struct gpube_model *m, const struct gpube_model *again)
{
	struct gpube_model *made = NULL;
	struct gpube__bids a, b;
	bool same = false;
	int status =
		again->kind == GPUBE_COALITIONS ? GPUBE_OK : gpube__auction_of_costs(&made, again);

	if (status)
		return status;
	status = gpube__bids_init(&a, m);
	if (!status) {
		status = gpube__bids_init(&b, made ? made : again);
		if (!status)
			status = gpube__bids_same(&same, &a, &b);
		gpube__bids_clear(&b);
	}
	gpube__bids_clear(&a);
	gpube_model_free(made);
	return status || same
		       ? status
		       : gpube__fail(m->ctx, GPUBE_EBUG, "it is another auction when read back");
}
