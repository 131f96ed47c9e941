/*
 * auction_program.c - see auction_program.h. MIP solvers know how to strengthen this form: its rows
 * are cliques of bids that exclude each other, where a row for each pair would hide them. Dummy
 * goods, by which CATS has bids exclude each other, are rows like others.
 *
 * An .mps has no place for the direction that all programs read: CBC passes OBJSENSE over, and GLPK
 * refuses it. So the objective is negated, which the first line says, by which gpube reads it back.
 */
#include "formats/coalitions/auction_program.h"

#include "formats/mip/mip.h"
#include "gpube/forms/model_as.h"
#include "gpube/ir/bids.h"

/* ---- writing --------------------------------------------------------------------------- */

struct writer {
	const struct gpube__bids *a;
	struct gpube__bidders of;
	struct gpube_out *out;
	int n_line; /* terms on the line so far */
};

static void write_bid(struct writer *w, int bid)
{
	gpube__out_text(w->out, "bid");
	gpube__out_int(w->out, w->a->id[bid]);
}

static void write_good(struct writer *w, int good)
{
	const bool real = good < w->a->n_real;

	gpube__out_printf(
		w->out, "%s%d", real ? "good" : "dummy", real ? good : good - w->a->n_real);
}

static bool is_empty(const struct writer *w, int good)
{
	return w->of.start[good] == w->of.start[good + 1];
}

/* A term's place: few to a line, which some programs read no more than 255 bytes of. */
static void begin_term(struct writer *w)
{
	if (w->n_line && w->n_line % 8 == 0)
		gpube__out_text(w->out, "\n ");
	w->n_line++;
}

static void write_lp(struct writer *w)
{
	const struct gpube__bids *a = w->a;

	gpube__out_printf(w->out, "\\ an auction of %d goods: one bid at most wins each of them\n",
		a->n_real);
	gpube__out_text(w->out, "Maximize\n revenue:");
	for (int b = 0; b < a->n_bids; b++) {
		begin_term(w);
		gpube__out_text(w->out, a->price[b] < 0 ? " - " : " + ");
		gpube__out_decimal(w->out, a->price[b] < 0 ? -a->price[b] : a->price[b], a->scale);
		gpube__out_text(w->out, " ");
		write_bid(w, b);
	}
	gpube__out_text(w->out, "\nSubject To\n");
	for (int g = 0; g < a->n_goods && !w->out->status; g++) {
		if (is_empty(w, g))
			continue;
		gpube__out_text(w->out, " ");
		write_good(w, g);
		gpube__out_text(w->out, ":");
		w->n_line = 0;
		for (int64_t k = w->of.start[g]; k < w->of.start[g + 1]; k++) {
			begin_term(w);
			gpube__out_text(w->out, k > w->of.start[g] ? " + " : " ");
			write_bid(w, w->of.bid[k]);
		}
		gpube__out_text(w->out, " <= 1\n");
	}
	gpube__out_text(w->out, "Binary\n");
	w->n_line = 0;
	for (int b = 0; b < a->n_bids; b++) {
		begin_term(w);
		gpube__out_text(w->out, " ");
		write_bid(w, b);
	}
	gpube__out_text(w->out, a->n_bids ? "\nEnd\n" : "End\n");
}

/* Two entries to a line. */
static void write_column(struct writer *w, int b)
{
	const struct gpube__bids *a = w->a;

	gpube__out_text(w->out, " ");
	write_bid(w, b);
	gpube__out_text(w->out, " revenue ");
	gpube__out_decimal(w->out, -a->price[b], a->scale);
	for (int64_t k = a->at[b]; k < a->at[b + 1]; k++) {
		if ((k - a->at[b]) % 2) {
			gpube__out_text(w->out, "\n ");
			write_bid(w, b);
		}
		gpube__out_text(w->out, " ");
		write_good(w, a->good[k]);
		gpube__out_text(w->out, " 1");
	}
	gpube__out_text(w->out, "\n");
}

/* A line for each good that a bid wants. */
static void write_rows(struct writer *w, const char *before, const char *after)
{
	for (int g = 0; g < w->a->n_goods && !w->out->status; g++) {
		if (is_empty(w, g))
			continue;
		gpube__out_text(w->out, before);
		write_good(w, g);
		gpube__out_text(w->out, after);
	}
}

static void write_mps(struct writer *w)
{
	const struct gpube__bids *a = w->a;

	gpube__out_text(w->out, GPUBE__MPS_NEGATED "NAME auction\nROWS\n N revenue\n");
	write_rows(w, " L ", "\n");
	gpube__out_text(w->out, "COLUMNS\n");
	if (a->n_bids)
		gpube__out_text(w->out, " first 'MARKER' 'INTORG'\n");
	for (int b = 0; b < a->n_bids && !w->out->status; b++)
		write_column(w, b);
	if (a->n_bids)
		gpube__out_text(w->out, " last 'MARKER' 'INTEND'\n");
	gpube__out_text(w->out, "RHS\n");
	write_rows(w, " rhs ", " 1\n");
	gpube__out_text(w->out, "BOUNDS\n");
	for (int b = 0; b < a->n_bids && !w->out->status; b++) {
		gpube__out_text(w->out, " UP bound ");
		write_bid(w, b);
		gpube__out_text(w->out, " 1\n");
	}
	gpube__out_text(w->out, "ENDATA\n");
}

/* Programs that work in doubles. */
static void warn_of_size(const struct gpube__bids *a, const char *path)
{
	for (int b = 0; b < a->n_bids; b++)
		if (a->price[b] > (int64_t)1 << 53 || a->price[b] < -((int64_t)1 << 53)) {
			gpube__log(a->ctx, GPUBE_LOG_NOTE,
				"%s: prices have more than 15 digits: programs that read them as "
				"doubles round them",
				path);
			return;
		}
}

int gpube__auction_write(const struct gpube_model *m, struct gpube_out *out, bool lp)
{
	struct gpube__bids a;
	struct writer w = {.a = &a, .out = out};
	int status = gpube__bids_init(&a, m);

	if (status)
		return status;
	status = gpube__bidders_init(&w.of, &a);
	if (!status) {
		warn_of_size(&a, out->path);
		if (lp)
			write_lp(&w);
		else
			write_mps(&w);
		if (!out->status && !lp)
			gpube__log(m->ctx, GPUBE_LOG_NOTE,
				"%s: the revenue is maximised: written negated, to be minimised",
				out->path);
		status = out->status;
	}
	gpube__bidders_clear(&w.of, m->ctx);
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
