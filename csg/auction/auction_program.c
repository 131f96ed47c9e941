/*
 * auction_program.c - see auction_program.h. MIP solvers know how to strengthen this form: its rows
 * are cliques of bids that exclude each other, where a row for each pair would hide them. Dummy
 * goods, by which CATS has bids exclude each other, are rows like others.
 *
 * An .mps has no place for the direction that all programs read: CBC passes OBJSENSE over, and GLPK
 * refuses it. So the objective is negated, which the first line says, by which gpube reads it back.
 */
#include "csg/auction/auction_program.h"

#include <string.h>

#include "csg/auction/bids.h"
#include "formats/io/io.h"
#include "formats/mip/mip.h"
#include "gpube/base/rows.h"

/* The bids of each good: bid[start[g]] … bid[start[g + 1] - 1], rising. */
struct bidders {
	int64_t *start;
	int32_t *bid;
};

static void bidders_clear(struct bidders *b, struct gpube_ctx *ctx)
{
	gpube__free(ctx, b->start);
	gpube__free(ctx, b->bid);
}

static int bidders_init(struct bidders *b, const struct csg_auction *a)
{
	const int64_t n = a->n_bids ? a->at[a->n_bids] : 0;

	b->start = gpube__alloc_zero(a->ctx, (uint64_t)a->n_goods + 2, sizeof(*b->start));
	b->bid = gpube__alloc(a->ctx, (uint64_t)n + 1, sizeof(*b->bid));
	if (!b->start || !b->bid)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < n; k++)
		GPUBE_ROW_COUNT(b->start, a->good[k]);
	GPUBE_ROWS_BEGIN(b->start, a->n_goods);
	for (int i = 0; i < a->n_bids; i++)
		for (int64_t k = a->at[i]; k < a->at[i + 1]; k++)
			b->bid[GPUBE_ROW_PLACE(b->start, a->good[k])] = i;
	return GPUBE_OK;
}

/* ---- writing --------------------------------------------------------------------------- */

struct writer {
	const struct csg_auction *a;
	struct bidders of;
	struct gpube_out out;
	int n_line; /* terms on the line so far */
};

static void write_bid(struct writer *w, int bid)
{
	gpube__out_text(&w->out, "bid");
	gpube__out_int(&w->out, w->a->id[bid]);
}

static void write_good(struct writer *w, int good)
{
	const bool real = good < w->a->n_real;

	gpube__out_printf(
		&w->out, "%s%d", real ? "good" : "dummy", real ? good : good - w->a->n_real);
}

static bool is_empty(const struct writer *w, int good)
{
	return w->of.start[good] == w->of.start[good + 1];
}

/* A term's place: few to a line, which some programs read no more than 255 bytes of. */
static void begin_term(struct writer *w)
{
	if (w->n_line && w->n_line % 8 == 0)
		gpube__out_text(&w->out, "\n ");
	w->n_line++;
}

static void write_lp(struct writer *w)
{
	const struct csg_auction *a = w->a;

	gpube__out_printf(&w->out, "\\ an auction of %d goods: one bid at most wins each of them\n",
		a->n_real);
	gpube__out_text(&w->out, "Maximize\n revenue:");
	for (int b = 0; b < a->n_bids; b++) {
		begin_term(w);
		gpube__out_text(&w->out, a->price[b] < 0 ? " - " : " + ");
		gpube__out_decimal(&w->out, a->price[b] < 0 ? -a->price[b] : a->price[b], a->scale);
		gpube__out_text(&w->out, " ");
		write_bid(w, b);
	}
	gpube__out_text(&w->out, "\nSubject To\n");
	for (int g = 0; g < a->n_goods && !w->out.status; g++) {
		if (is_empty(w, g))
			continue;
		gpube__out_text(&w->out, " ");
		write_good(w, g);
		gpube__out_text(&w->out, ":");
		w->n_line = 0;
		for (int64_t k = w->of.start[g]; k < w->of.start[g + 1]; k++) {
			begin_term(w);
			gpube__out_text(&w->out, k > w->of.start[g] ? " + " : " ");
			write_bid(w, w->of.bid[k]);
		}
		gpube__out_text(&w->out, " <= 1\n");
	}
	gpube__out_text(&w->out, "Binary\n");
	w->n_line = 0;
	for (int b = 0; b < a->n_bids; b++) {
		begin_term(w);
		gpube__out_text(&w->out, " ");
		write_bid(w, b);
	}
	gpube__out_text(&w->out, a->n_bids ? "\nEnd\n" : "End\n");
}

/* Two entries to a line. */
static void write_column(struct writer *w, int b)
{
	const struct csg_auction *a = w->a;

	gpube__out_text(&w->out, " ");
	write_bid(w, b);
	gpube__out_text(&w->out, " revenue ");
	gpube__out_decimal(&w->out, -a->price[b], a->scale);
	for (int64_t k = a->at[b]; k < a->at[b + 1]; k++) {
		if ((k - a->at[b]) % 2) {
			gpube__out_text(&w->out, "\n ");
			write_bid(w, b);
		}
		gpube__out_text(&w->out, " ");
		write_good(w, a->good[k]);
		gpube__out_text(&w->out, " 1");
	}
	gpube__out_text(&w->out, "\n");
}

/* A line for each good that a bid wants. */
static void write_rows(struct writer *w, const char *before, const char *after)
{
	for (int g = 0; g < w->a->n_goods && !w->out.status; g++) {
		if (is_empty(w, g))
			continue;
		gpube__out_text(&w->out, before);
		write_good(w, g);
		gpube__out_text(&w->out, after);
	}
}

static void write_mps(struct writer *w)
{
	const struct csg_auction *a = w->a;

	gpube__out_text(&w->out, GPUBE__MPS_NEGATED "NAME auction\nROWS\n N revenue\n");
	write_rows(w, " L ", "\n");
	gpube__out_text(&w->out, "COLUMNS\n");
	if (a->n_bids)
		gpube__out_text(&w->out, " first 'MARKER' 'INTORG'\n");
	for (int b = 0; b < a->n_bids && !w->out.status; b++)
		write_column(w, b);
	if (a->n_bids)
		gpube__out_text(&w->out, " last 'MARKER' 'INTEND'\n");
	gpube__out_text(&w->out, "RHS\n");
	write_rows(w, " rhs ", " 1\n");
	gpube__out_text(&w->out, "BOUNDS\n");
	for (int b = 0; b < a->n_bids && !w->out.status; b++) {
		gpube__out_text(&w->out, " UP bound ");
		write_bid(w, b);
		gpube__out_text(&w->out, " 1\n");
	}
	gpube__out_text(&w->out, "ENDATA\n");
}

/* Programs that work in doubles. */
static void warn_of_size(const struct csg_auction *a, const char *path)
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

int csg__auction_write_program(const struct csg_auction *a, const char *path, bool lp)
{
	struct writer w = {.a = a};
	int status = bidders_init(&w.of, a);

	if (!status)
		status = gpube__out_open(&w.out, a->ctx, path);
	if (!status) {
		w.out.stops = true;
		warn_of_size(a, path);
		if (lp)
			write_lp(&w);
		else
			write_mps(&w);
		if (!w.out.status && !lp)
			gpube__log(a->ctx, GPUBE_LOG_NOTE,
				"%s: the revenue is maximised: written negated, to be minimised",
				path);
		status = gpube__out_close(&w.out, true);
	}
	bidders_clear(&w.of, a->ctx);
	return status;
}

/* ---- comparing -------------------------------------------------------------------------- */

/* Marks the bids that share a good with bid b, by b + 1; returns how many there are. */
static int mark_excluded(
	int32_t *mark, const struct csg_auction *a, const struct bidders *of, int b)
{
	int n = 0;

	for (int64_t k = a->at[b]; k < a->at[b + 1]; k++)
		for (int64_t j = of->start[a->good[k]]; j < of->start[a->good[k] + 1]; j++) {
			n += mark[of->bid[j]] != b + 1;
			mark[of->bid[j]] = b + 1;
		}
	return n;
}

static bool same_excluded(int32_t *marks[2], const struct csg_auction *const both[2],
	const struct bidders of[2], int b)
{
	const int n = mark_excluded(marks[0], both[0], &of[0], b);
	bool same = mark_excluded(marks[1], both[1], &of[1], b) == n;

	/* as many: the same, if those of the second are all among those of the first */
	for (int64_t k = both[1]->at[b]; k < both[1]->at[b + 1] && same; k++) {
		const int32_t g = both[1]->good[k];

		for (int64_t j = of[1].start[g]; j < of[1].start[g + 1] && same; j++)
			same = marks[0][of[1].bid[j]] == b + 1;
	}
	return same;
}

static bool same_bids(const struct csg_auction *a, const struct csg_auction *b)
{
	const size_t n = (size_t)a->n_bids;

	return a->n_bids == b->n_bids && a->scale == b->scale &&
	       (n == 0 || (!memcmp(a->id, b->id, n * sizeof(*a->id)) &&
				  !memcmp(a->price, b->price, n * sizeof(*a->price))));
}

int csg__auction_same(bool *same, const struct csg_auction *a, const struct csg_auction *b)
{
	const struct csg_auction *const both[] = {a, b};
	struct bidders of[2] = {{0}};
	int32_t *marks[2] = {NULL};
	int status = GPUBE_OK;

	*same = same_bids(a, b);
	for (int k = 0; k < 2 && *same && !status; k++) {
		marks[k] = gpube__alloc_zero(a->ctx, (uint64_t)a->n_bids + 1, sizeof(**marks));
		status = marks[k] ? bidders_init(&of[k], both[k]) : GPUBE_ENOMEM;
	}
	for (int i = 0; i < a->n_bids && *same && !status; i++) {
		*same = same_excluded(marks, both, of, i);
		if (i % 1024 == 1023 && gpube__stopped(a->ctx))
			status = gpube__fail_stopped(a->ctx);
	}
	for (int k = 0; k < 2; k++) {
		bidders_clear(&of[k], a->ctx);
		gpube__free(a->ctx, marks[k]);
	}
	return status;
}
