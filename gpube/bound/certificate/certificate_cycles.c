/* certificate_cycles.c - a certificate's cycles, and that part of its file: see certificate.h. */
#include <string.h>

#include "formats/io/io.h"
#include "gpube/bound/certificate/certificate.h"

void gpube__cycles_clear(struct gpube_certificate *c)
{
	struct gpube_proof_cycles *x = &c->cycles;

	GPUBE_FREE_ALL(c->ctx, x->rows, x->edges, x->prices, x->steps, x->nodes);
	*x = (struct gpube_proof_cycles){0};
}

int gpube__cycles_edge(struct gpube_certificate *c, int32_t edge)
{
	struct gpube_proof_cycles *x = &c->cycles;

	if (gpube__grow(c->ctx, &x->edges, &x->edge_room, x->n_edges + 1, sizeof(*x->edges)))
		return GPUBE_ENOMEM;
	x->edges[x->n_edges++] = edge;
	return GPUBE_OK;
}

int gpube__cycles_row(struct gpube_certificate *c, int32_t n_odd)
{
	struct gpube_proof_cycles *x = &c->cycles;
	const struct gpube_proof_row *last = x->n_rows ? &x->rows[x->n_rows - 1] : NULL;
	const int64_t at = last ? last->at + last->n : 0;

	if (gpube__grow(c->ctx, &x->rows, &x->row_room, (int64_t)x->n_rows + 1, sizeof(*x->rows)))
		return GPUBE_ENOMEM;
	x->rows[x->n_rows++] = (struct gpube_proof_row){(int32_t)(x->n_edges - at), n_odd, at};
	return GPUBE_OK;
}

int gpube__cycles_price(struct gpube_certificate *c, int32_t row, int64_t price)
{
	struct gpube_proof_cycles *x = &c->cycles;

	if (gpube__grow(c->ctx, &x->prices, &x->price_room, x->n_prices + 1, sizeof(*x->prices)))
		return GPUBE_ENOMEM;
	x->prices[x->n_prices++] = (struct gpube_proof_price){row, price};
	return GPUBE_OK;
}

int gpube__cycles_step(struct gpube_certificate *c, int32_t of)
{
	struct gpube_proof_cycles *x = &c->cycles;
	const struct gpube_proof_step *last = x->n_steps ? &x->steps[x->n_steps - 1] : NULL;
	const int64_t at = last ? last->at + last->n : 0;
	struct gpube_proof_node *node = &x->nodes[of];

	if (gpube__grow(c->ctx, &x->steps, &x->step_room, x->n_steps + 1, sizeof(*x->steps)))
		return GPUBE_ENOMEM;
	node->step = node->n_steps ? node->step : x->n_steps;
	node->n_steps++;
	x->steps[x->n_steps++] = (struct gpube_proof_step){(int32_t)(x->n_prices - at), at};
	return GPUBE_OK;
}

int gpube__cycles_node(struct gpube_certificate *c)
{
	struct gpube_proof_cycles *x = &c->cycles;

	if (x->n == INT32_MAX ||
		gpube__grow(c->ctx, &x->nodes, &x->node_room, (int64_t)x->n + 1, sizeof(*x->nodes)))
		return GPUBE_ENOMEM;
	x->nodes[x->n++] = (struct gpube_proof_node){.edge = -1};
	return GPUBE_OK;
}

int gpube__cycles_split(struct gpube_certificate *c, int32_t of, int32_t edge)
{
	struct gpube_proof_cycles *x = &c->cycles;

	for (int k = 0; k < 2; k++)
		if (gpube__cycles_node(c))
			return GPUBE_ENOMEM;
	x->nodes[of].edge = edge;
	x->nodes[of].child[0] = x->n - 2;
	x->nodes[of].child[1] = x->n - 1;
	return GPUBE_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_rows(struct gpube_out *out, const struct gpube_proof_cycles *x)
{
	gpube__out_printf(out, "rows %d\n", x->n_rows);
	for (const struct gpube_proof_row *r = x->rows; r < x->rows + x->n_rows; r++) {
		gpube__out_printf(out, "row %d %d", r->n, r->n_odd);
		for (int32_t k = 0; k < r->n; k++)
			gpube__out_printf(out, " %d", x->edges[r->at + k]);
		gpube__out_text(out, "\n");
	}
}

static void write_node(struct gpube_out *out, const struct gpube_proof_cycles *x,
	const struct gpube_proof_node *of)
{
	gpube__out_printf(out, "case %d\n", of->n_steps);
	for (int64_t s = of->step; s < of->step + of->n_steps; s++) {
		const struct gpube_proof_step *step = &x->steps[s];

		gpube__out_printf(out, "prices %d", step->n);
		for (int64_t k = step->at; k < step->at + step->n; k++)
			gpube__out_printf(
				out, " %d %lld", x->prices[k].row, (long long)x->prices[k].price);
		gpube__out_text(out, "\n");
	}
	if (of->edge < 0)
		gpube__out_text(out, "leaf\n");
	else
		gpube__out_printf(out, "split %d\n", of->edge);
}

/* Each node before its children, and the first child's before the second's. */
int gpube__certificate_write_cycles(struct gpube_out *out, const struct gpube_certificate *c)
{
	const struct gpube_proof_cycles *x = &c->cycles;
	int32_t *open = gpube__alloc(c->ctx, (uint64_t)x->n + 1, sizeof(*open)), n = 1;

	if (!open)
		return GPUBE_ENOMEM;
	gpube__out_printf(out, "limit %lld\n", (long long)x->limit);
	if (x->fixed < 0)
		gpube__out_text(out, "fixed 0\n");
	else
		gpube__out_printf(out, "fixed 1 %d\n", x->fixed);
	write_rows(out, x);
	for (open[0] = 0; n > 0;) {
		const struct gpube_proof_node *of = &x->nodes[open[--n]];

		write_node(out, x, of);
		if (of->edge >= 0) {
			open[n++] = of->child[1];
			open[n++] = of->child[0];
		}
	}
	gpube__free(c->ctx, open);
	return GPUBE_OK;
}

/* That edges are the problem's, and make closed walks, is checked with the rest. */
static void read_row(struct gpube_certificate *c, struct gpube_in *in)
{
	const int64_t n = gpube__certificate_member(in, "row", 1, INT32_MAX - 1);
	const int32_t n_odd = (int32_t)gpube__certificate_number(
		in, 1, n, "a number of edges that are not all cut");

	if (!in->status && n_odd % 2 == 0)
		(void)gpube__in_error(in, "%d edges are no odd number", n_odd);
	for (int64_t k = 0; k < n && !in->status; k++) {
		const int64_t edge = gpube__certificate_number(in, 0, INT32_MAX - 1, "an edge");

		if (!in->status)
			(void)gpube__certificate_tried(in, gpube__cycles_edge(c, (int32_t)edge));
	}
	if (!in->status)
		(void)gpube__certificate_tried(in, gpube__cycles_row(c, n_odd));
}

static void read_step(struct gpube_certificate *c, struct gpube_in *in, int32_t of)
{
	const int64_t n = gpube__certificate_member(in, "prices", 0, INT32_MAX - 1);

	for (int64_t k = 0; k < n && !in->status; k++) {
		const int64_t row = gpube__certificate_number(
				      in, 0, (int64_t)c->cycles.n_rows - 1, "a row"),
			      price = gpube__certificate_number(in, 0, INT64_MAX, "a price");

		if (!in->status)
			(void)gpube__certificate_tried(
				in, gpube__cycles_price(c, (int32_t)row, price));
	}
	if (!in->status)
		(void)gpube__certificate_tried(in, gpube__cycles_step(c, of));
}

/* A node with its split; whether it has one. */
static bool read_node(struct gpube_certificate *c, struct gpube_in *in, int32_t of)
{
	const int64_t n = gpube__certificate_member(in, "case", 0, INT32_MAX - 1);
	bool splits;

	for (int64_t k = 0; k < n && !in->status; k++)
		read_step(c, in, of);
	splits = gpube__certificate_word(in, "leaf", "split");
	if (splits) {
		const int64_t edge = gpube__certificate_number(in, 0, INT32_MAX - 1, "an edge");

		if (!in->status)
			(void)gpube__certificate_tried(
				in, gpube__cycles_split(c, of, (int32_t)edge));
	}
	return splits && !in->status;
}

/* Second children wait until all that is below the first ones was read. */
static void read_nodes(struct gpube_certificate *c, struct gpube_in *in)
{
	int32_t *open = NULL, at = 0;
	int64_t n = 0, capacity = 0;

	(void)gpube__certificate_tried(in, gpube__cycles_node(c));
	while (!in->status) {
		if (!read_node(c, in, at)) {
			if (!n)
				break;
			at = open[--n];
		} else if (!gpube__certificate_tried(in,
				   gpube__grow(c->ctx, &open, &capacity, n + 1, sizeof(*open)))) {
			open[n++] = c->cycles.nodes[at].child[1];
			at = c->cycles.nodes[at].child[0];
		}
	}
	gpube__free(c->ctx, open);
}

void gpube__certificate_read_cycles(struct gpube_certificate *c, struct gpube_in *in)
{
	struct gpube_proof_cycles *x = &c->cycles;
	int64_t n;

	if (c->shift < 1)
		(void)gpube__in_error(in, "the shift of cycles is from 1 to 40");
	x->limit = gpube__certificate_member(in, "limit", -INT64_MAX, INT64_MAX);
	x->fixed = -1;
	if (gpube__certificate_member(in, "fixed", 0, 1) && !in->status)
		x->fixed = (int32_t)gpube__certificate_number(
			in, 0, (int64_t)c->n_vars - 1, "a variable");
	n = gpube__certificate_member(in, "rows", 0, INT32_MAX - 1);
	for (int64_t r = 0; r < n && !in->status; r++)
		read_row(c, in);
	if (!in->status)
		read_nodes(c, in);
}
