/*
 * certificate_tree.c - a certificate's tree of splits, and that part of its file: see
 * certificate.h.
 */
#include <string.h>

#include "formats/io/io.h"
#include "gpube/bound/certificate/certificate.h"

enum { MOST_GRAIN = 40 };

void gpube__certificate_cut(struct gpube_certificate *c)
{
	struct gpube_proof_tree *t = &c->tree;

	for (int32_t k = 0; k < t->n_nodes; k++)
		gpube__free(c->ctx, t->nodes[k].values);
	for (int32_t k = 0; k < t->n_moves; k++)
		gpube__free(c->ctx, t->moves[k].values);
	t->n_nodes = t->n_moves = 0;
	t->grain = 0;
}

int gpube__certificate_node(struct gpube_certificate *c)
{
	struct gpube_proof_tree *t = &c->tree;

	if (t->n_nodes == INT32_MAX || gpube__grow(c->ctx, &t->nodes, &t->nodes_capacity,
					       (int64_t)t->n_nodes + 1, sizeof(*t->nodes)))
		return GPUBE_ENOMEM;
	t->nodes[t->n_nodes++] = (struct gpube_proof_node){.var = -1};
	return GPUBE_OK;
}

/* Whether 'to' has no variables but those of 'from'. */
static bool contains(const struct gpube_proof_table *from, const struct gpube_proof_table *to)
{
	int k = 0;

	for (int j = 0; j < to->arity; j++, k++) {
		while (k < from->arity && from->scope[k] < to->scope[j])
			k++;
		if (k == from->arity || from->scope[k] != to->scope[j])
			return false;
	}
	return true;
}

int gpube__certificate_move(struct gpube_certificate *c, int32_t from, int32_t to, int64_t **values)
{
	struct gpube_proof_tree *t = &c->tree;

	if (from < 0 || from >= c->n_tables || to < 0 || to >= c->n_tables || from == to ||
		!contains(&c->tables[from], &c->tables[to]))
		return gpube__fail(c->ctx, GPUBE_EINVAL,
			"a move of a certificate goes from table %d to table %d, which is none of "
			"its variables",
			from, to);
	if (t->n_moves == INT32_MAX || gpube__grow(c->ctx, &t->moves, &t->moves_capacity,
					       (int64_t)t->n_moves + 1, sizeof(*t->moves)))
		return GPUBE_ENOMEM;
	*values = gpube__alloc_zero(c->ctx, (uint64_t)c->tables[to].n, sizeof(**values));
	if (!*values)
		return GPUBE_ENOMEM;
	t->moves[t->n_moves++] = (struct gpube_proof_move){from, to, *values};
	t->nodes[t->n_nodes - 1].n_moves++;
	return GPUBE_OK;
}

int gpube__certificate_split(
	struct gpube_certificate *c, int32_t var, int32_t n_values, const int32_t *values)
{
	struct gpube_proof_node *n = &c->tree.nodes[c->tree.n_nodes - 1];

	n->values = gpube__alloc(c->ctx, (uint64_t)n_values, sizeof(*values));
	if (!n->values)
		return GPUBE_ENOMEM;
	memcpy(n->values, values, (size_t)n_values * sizeof(*values));
	n->var = var;
	n->n_values = n_values;
	return GPUBE_OK;
}

/* ---- the file ------------------------------------------------------------------------------ */

void gpube__certificate_write_tree(struct gpube_out *out, const struct gpube_certificate *c)
{
	const struct gpube_proof_tree *t = &c->tree;
	const struct gpube_proof_move *m = t->moves;

	gpube__out_printf(out, "grain %d\n", t->grain);
	for (int32_t k = 0; k < t->n_nodes; k++) {
		const struct gpube_proof_node *n = &t->nodes[k];

		gpube__out_printf(out, "node %d\n", n->n_moves);
		for (int32_t j = 0; j < n->n_moves; j++, m++) {
			gpube__out_printf(out, "%d %d", m->from, m->to);
			for (int64_t i = 0; i < c->tables[m->to].n; i++) {
				gpube__out_text(out, " ");
				gpube__out_int(out, m->values[i] / ((int64_t)1 << t->grain));
			}
			gpube__out_text(out, "\n");
		}
		gpube__out_printf(out, n->var < 0 ? "leaf" : "split %d %d", n->var, n->n_values);
		for (int32_t j = 0; j < n->n_values; j++)
			gpube__out_printf(out, " %d", n->values[j]);
		gpube__out_text(out, "\n");
	}
}

static int read_move(struct gpube_certificate *c, struct gpube_in *in)
{
	const int64_t most = INT64_MAX >> c->tree.grain;
	int64_t from = 0, to = 0, v = 0, *values = NULL;
	int status = gpube__in_int(in, &from, 0, c->n_tables - 1, "a table");

	if (!status)
		status = gpube__in_int(in, &to, 0, c->n_tables - 1, "a table");
	if (!status && (from == to || !contains(&c->tables[from], &c->tables[to])))
		status = gpube__in_fail(in, GPUBE_EPARSE,
			"table %d has variables that table %d has not, or is the same", (int)to,
			(int)from);
	if (!status)
		status = gpube__certificate_move(c, (int32_t)from, (int32_t)to, &values);
	for (int64_t k = 0; !status && k < c->tables[to].n; k++) {
		status = gpube__in_int(in, &v, -most, most, "a cost");
		values[k] = v * ((int64_t)1 << c->tree.grain);
	}
	return status;
}

static int read_split(struct gpube_certificate *c, struct gpube_in *in)
{
	int64_t var = 0, n = 0, v = -1;
	int32_t *values;
	int status = gpube__in_int(in, &var, 0, c->n_vars - 1, "a variable");

	if (!status)
		status = gpube__in_int(in, &n, 1, c->domain[var] - 1,
			"a number of values, of which some are left");
	if (status)
		return status;
	values = gpube__alloc(c->ctx, (uint64_t)n, sizeof(*values));
	if (!values)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < n && !status; k++) {
		status = gpube__in_int(in, &v, v + 1, c->domain[var] - 1, "a later value");
		values[k] = (int32_t)v;
	}
	if (!status)
		status = gpube__certificate_split(c, (int32_t)var, (int32_t)n, values);
	gpube__free(c->ctx, values);
	return status;
}

/* *open: nodes that are still to come, as far as is known. */
static int read_node(struct gpube_certificate *c, struct gpube_in *in, int64_t *open)
{
	char token[256];
	int64_t n = 0;
	int status = gpube__in_token(in, token, "node");

	if (!status && strcmp(token, "node"))
		status = gpube__in_expected(in, "node", token);
	if (!status)
		status = gpube__in_int(in, &n, 0, INT32_MAX - 1, "a number of moves");
	if (!status)
		status = gpube__certificate_node(c);
	for (int64_t k = 0; k < n && !status; k++)
		status = read_move(c, in);
	if (!status)
		status = gpube__in_token(in, token, "split or leaf");
	if (status)
		return status;
	if (!strcmp(token, "leaf")) {
		--*open;
		return GPUBE_OK;
	}
	++*open;
	return strcmp(token, "split") ? gpube__in_expected(in, "split or leaf", token)
				      : read_split(c, in);
}

int gpube__certificate_read_tree(struct gpube_certificate *c, struct gpube_in *in)
{
	int64_t open = 1, grain = 0;
	char token[256];
	int status = gpube__in_token(in, token, "grain");

	if (!status && strcmp(token, "grain"))
		status = gpube__in_expected(in, "grain", token);
	if (!status)
		status = gpube__in_int(in, &grain, 0, MOST_GRAIN, "a number");
	c->tree.grain = (int)grain;
	while (open && !status)
		status = read_node(c, in, &open);
	return status;
}
