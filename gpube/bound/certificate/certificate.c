/* certificate.c - relaxed problems and the certificate's tables and file: see certificate.h. */
#include "gpube/bound/certificate/certificate.h"

#include <stdlib.h>
#include <string.h>

#include "formats/io/io.h"
#include "gpube/ir/dense.h"

/* ---- the relaxed problem ----------------------------------------------------------------- */

/* In 128 bits, as all differences and sums here: what leaves 64 is refused before it is used. */
static __int128 minimised(const struct gpube_model *m, int64_t v)
{
	return m->direction == GPUBE_MINIMISE ? (__int128)v : -(__int128)v;
}

/* Over a function's finite cells, as the minimisation has them; 0 and 0 if there is none. */
static void range(const struct gpube_model *m, int32_t f, __int128 *min, __int128 *max)
{
	const struct gpube_table *t = gpube__table(m, f);
	const bool dflt = t->sparse && t->n != gpube__cells(m, t->arity, gpube__scope(m, f));
	bool any = false;

	*min = *max = 0;
	for (int64_t k = dflt ? -1 : 0; k < t->n; k++) {
		int64_t cost = k < 0 ? t->dflt.i : gpube__table_int(t, k);
		__int128 v = minimised(m, cost);

		if (cost == GPUBE_INF)
			continue;
		*min = any && *min < v ? *min : v;
		*max = any && *max > v ? *max : v;
		any = true;
	}
}

/* What the costs above the constant of the relaxed problem may add up to. */
#define MOST_ABOVE ((__int128)1 << 61)

/* Functions of the relaxed problem: an observation is one, too. */
static int64_t n_relaxed(const struct gpube_model *m)
{
	int64_t n = m->n_functions;

	for (int32_t i = 0; m->evidence && i < m->n_vars; i++)
		n += m->evidence[i] >= 0;
	return n;
}

/* The same, where the constant leaves less room below 2^63. */
static __int128 room_above(__int128 constant)
{
	const __int128 room = INT64_MAX - 2 - constant;

	return room < 0 ? 0 : room < MOST_ABOVE ? room : MOST_ABOVE;
}

/* A cap with which nothing below 'upper' is lost; *least: the sum of the functions' least costs. */
static __int128 needed_cap(__int128 *least, const struct gpube_model *m, int64_t upper)
{
	__int128 cap = 1;

	*least = minimised(m, m->constant);
	for (int32_t f = 0; f < m->n_functions; f++) {
		__int128 min, max;

		range(m, f, &min, &max);
		*least += min;
		if (upper == GPUBE_INF && max - min + 1 > cap)
			cap = max - min + 1;
	}
	return upper != GPUBE_INF && upper - *least > 1 ? upper - *least : cap;
}

int64_t gpube__cap_for(const struct gpube_model *m, int64_t upper)
{
	__int128 least, cap = needed_cap(&least, m, upper),
			most = room_above(least) / (n_relaxed(m) + 1);

	most = most < (int64_t)1 << 60 ? most : (int64_t)1 << 60;
	return (int64_t)(cap < most ? cap : most);
}

int64_t gpube__wide_cap_for(const struct gpube_model *m, int64_t upper)
{
	__int128 least, cap = needed_cap(&least, m, upper);

	return upper != GPUBE_INF && cap < GPUBE_INF - 1 ? (int64_t)cap : GPUBE_INF - 1;
}

/*
 * Adds what a function costs at least to *constant, and what it costs above that to the model, or
 * to that, too.
 */
static int relax_function(struct gpube_model *r, const struct gpube_model *m, int32_t f,
	int64_t cap, __int128 *constant)
{
	const int32_t *scope = gpube__scope(m, f);
	int arity = m->functions[f].arity, status;
	int64_t cells = gpube__cells(m, arity, scope), *costs;
	int32_t sorted[GPUBE__PROOF_DIMS];
	__int128 min, max;

	range(m, f, &min, &max);
	*constant += min;
	if (cells < 0 || cells > GPUBE__PROOF_CELLS || arity > GPUBE__PROOF_DIMS)
		return GPUBE_OK;
	status = gpube__dense_new(&costs, m, f, NULL);
	for (int64_t k = 0; k < cells && !status; k++) {
		__int128 above = minimised(m, costs[k]) - min;

		costs[k] = (int64_t)(costs[k] == GPUBE_INF || above > cap ? cap : above);
	}
	gpube__sorted_scope(sorted, m, f, NULL);
	if (!status && arity == 0)
		*constant += costs[0];
	else if (!status)
		status = gpube_model_add_costs(r, arity, sorted, costs);
	gpube__free(m->ctx, costs);
	return status;
}

static int relax_observation(
	struct gpube_model *r, const struct gpube_model *m, int32_t i, int64_t cap)
{
	int64_t *costs = gpube__alloc(m->ctx, (uint64_t)m->vars[i].domain, sizeof(*costs));
	int status;

	for (int32_t a = 0; costs && a < m->vars[i].domain; a++)
		costs[a] = a == m->evidence[i] ? 0 : cap;
	status = costs ? gpube_model_add_costs(r, 1, &i, costs) : GPUBE_ENOMEM;
	gpube__free(m->ctx, costs);
	return status;
}

int gpube__relaxed_above(
	struct gpube_model **out, __int128 *constant, const struct gpube_model *m, int64_t cap)
{
	struct gpube_model *r = NULL;
	int status;

	*out = NULL;
	*constant = minimised(m, m->constant);
	status = gpube_model_new(&r, m->ctx, GPUBE_COSTS);
	for (int32_t i = 0; i < m->n_vars && !status; i++)
		status = gpube_model_add_var(r, NULL, m->vars[i].domain, NULL);
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		status = relax_function(r, m, f, cap, constant);
	for (int32_t i = 0; i < m->n_vars && !status; i++)
		if (m->evidence && m->evidence[i] >= 0)
			status = relax_observation(r, m, i, cap);
	if (status) {
		gpube_model_free(r);
		return status;
	}
	r->scale = m->scale;
	*out = r;
	return GPUBE_OK;
}

int gpube__relaxed(struct gpube_model **out, const struct gpube_model *m, int64_t cap)
{
	__int128 constant;
	int status = gpube__relaxed_above(out, &constant, m, cap);

	if (status)
		return status;
	if (constant <= -INT64_MAX || constant >= INT64_MAX ||
		(__int128)cap * n_relaxed(m) > room_above(constant)) {
		gpube_model_free(*out);
		*out = NULL;
		return gpube__fail(m->ctx, GPUBE_ERANGE, "costs are too large for a certificate");
	}
	(*out)->constant = (int64_t)constant;
	return GPUBE_OK;
}

/* ---- tables --------------------------------------------------------------------------------- */

void gpube__certificate_restart(struct gpube_certificate *c)
{
	for (int32_t t = 0; t < c->n_tables; t++) {
		gpube__free(c->ctx, c->tables[t].scope);
		gpube__free(c->ctx, c->tables[t].values);
	}
	c->n_tables = c->n_blocks = 0;
	gpube__free(c->ctx, c->order);
	c->order = NULL;
	gpube__certificate_unstage(c);
	gpube__cycles_clear(c);
}

void gpube__certificate_clear(struct gpube_certificate *c)
{
	gpube__certificate_restart(c);
	GPUBE_FREE_ALL(c->ctx, c->tables, c->first, c->domain, c->stages.cases);
	memset(c, 0, sizeof(*c));
}

int gpube__certificate_block(struct gpube_certificate *c)
{
	if (gpube__grow(c->ctx, &c->first, &c->first_capacity, (int64_t)c->n_blocks + 2,
		    sizeof(*c->first)))
		return GPUBE_ENOMEM;
	c->first[c->n_blocks++] = c->n_tables;
	c->first[c->n_blocks] = c->n_tables;
	return GPUBE_OK;
}

int gpube__certificate_table(
	struct gpube_certificate *c, int arity, const int32_t *scope, int64_t **values)
{
	struct gpube_proof_table *t;
	int64_t cells = 1;

	for (int k = 0; k < arity && cells >= 0; k++)
		cells = gpube__mul_size(cells, c->domain[scope[k]]);
	if (cells < 0 || cells > GPUBE__PROOF_CELLS || arity > GPUBE__PROOF_DIMS)
		return gpube__fail(c->ctx, GPUBE_ELIMIT, "a table of a certificate is too large");
	if (gpube__grow(c->ctx, &c->tables, &c->tables_capacity, (int64_t)c->n_tables + 1,
		    sizeof(*c->tables)))
		return GPUBE_ENOMEM;
	t = &c->tables[c->n_tables];
	*t = (struct gpube_proof_table){.arity = arity,
		.n = cells,
		.scope = gpube__alloc(c->ctx, (uint64_t)arity, sizeof(*t->scope)),
		.values = gpube__alloc_zero(c->ctx, (uint64_t)cells, sizeof(*t->values))};
	c->first[c->n_blocks] = ++c->n_tables;
	if (!t->scope || !t->values)
		return GPUBE_ENOMEM;
	if (arity)
		memcpy(t->scope, scope, (size_t)arity * sizeof(*scope));
	*values = t->values;
	return GPUBE_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_table(struct gpube_out *out, const struct gpube_proof_table *t)
{
	gpube__out_printf(out, "table %d", t->arity);
	for (int k = 0; k < t->arity; k++)
		gpube__out_printf(out, " %d", t->scope[k]);
	for (int64_t k = 0; k < t->n; k++) {
		gpube__out_text(out, k % 32 ? " " : "\n");
		gpube__out_int(out, t->values[k]);
	}
	gpube__out_text(out, "\n");
}

static void write_tables(struct gpube_out *out, const struct gpube_certificate *c)
{
	gpube__out_printf(out, "constant %lld\nblocks %d\n", (long long)c->constant, c->n_blocks);
	for (int32_t b = 0; b < c->n_blocks; b++) {
		gpube__out_printf(out, "block %d\n", c->first[b + 1] - c->first[b]);
		for (int32_t t = c->first[b]; t < c->first[b + 1]; t++)
			write_table(out, &c->tables[t]);
	}
	gpube__out_text(out, "order");
	for (int32_t i = 0; i < c->n_vars; i++)
		gpube__out_printf(out, " %d", c->order ? c->order[i] : i);
	gpube__out_text(out, "\n");
}

int gpube__certificate_write(const struct gpube_certificate *c, const char *path)
{
	struct gpube_out out;
	int status = gpube__out_open(&out, c->ctx, path), closed;

	if (status)
		return status;
	gpube__out_printf(&out, "gpube-proof 1\nform %s\nvariables %d",
		c->stages.n   ? "steps"
		: c->cycles.n ? "cycles"
			      : "tables",
		c->n_vars);
	for (int32_t i = 0; i < c->n_vars; i++)
		gpube__out_printf(&out, " %d", c->domain[i]);
	gpube__out_printf(&out, "\nfunctions %d\ndecimals %d\ncap %lld\nshift %d\n", c->n_functions,
		c->scale, (long long)c->cap, c->shift);
	gpube__out_printf(&out, "bound %lld\n", (long long)c->bound);
	if (c->stages.n)
		status = gpube__certificate_write_stages(&out, c);
	else if (c->cycles.n)
		status = gpube__certificate_write_cycles(&out, c);
	else
		write_tables(&out, c);
	closed = gpube__out_close(&out, !status);
	return status ? status : closed;
}

static void read_table(struct gpube_certificate *c, struct gpube_in *in)
{
	const int arity = (int)gpube__certificate_member(in, "table", 0, GPUBE__PROOF_DIMS);
	int32_t scope[GPUBE__PROOF_DIMS];
	int64_t *values;

	for (int k = 0; k < arity && !in->status; k++)
		scope[k] = (int32_t)gpube__certificate_number(
			in, k ? scope[k - 1] + 1 : 0, c->n_vars - 1, "a later variable");
	if (in->status ||
		gpube__certificate_tried(in, gpube__certificate_table(c, arity, scope, &values)))
		return;
	for (int64_t k = 0; k < c->tables[c->n_tables - 1].n && !in->status; k++)
		values[k] = gpube__certificate_number(in, -INT64_MAX, INT64_MAX, "a cost");
}

/* That no variable is there twice is checked with the rest. */
static void read_order(struct gpube_certificate *c, struct gpube_in *in)
{
	(void)gpube__certificate_word(in, "order", NULL);
	c->order = gpube__alloc_zero(c->ctx, (uint64_t)c->n_vars + 1, sizeof(*c->order));
	if (gpube__certificate_tried(in, c->order ? GPUBE_OK : GPUBE_ENOMEM))
		return;
	for (int32_t i = 0; i < c->n_vars && !in->status; i++)
		c->order[i] =
			(int32_t)gpube__certificate_number(in, 0, c->n_vars - 1, "a variable");
}

static void read_tables(struct gpube_certificate *c, struct gpube_in *in)
{
	int64_t n_blocks, n;

	c->constant = gpube__certificate_member(in, "constant", -INT64_MAX, INT64_MAX);
	n_blocks = gpube__certificate_member(in, "blocks", 0, INT32_MAX - 2);
	for (int64_t b = 0; b < n_blocks && !in->status; b++) {
		n = gpube__certificate_member(in, "block", 0, INT32_MAX - 2);
		(void)gpube__certificate_tried(in, gpube__certificate_block(c));
		for (int64_t t = 0; t < n && !in->status; t++)
			read_table(c, in);
	}
	if (!in->status)
		read_order(c, in);
}

typedef void read_fn(struct gpube_certificate *c, struct gpube_in *in);

/* The first words: who reads what is of the form. */
static read_fn *read_form(struct gpube_in *in)
{
	static const struct {
		const char *name;
		read_fn *read;
	} forms[] = {{"tables", read_tables}, {"steps", gpube__certificate_read_stages},
		{"cycles", gpube__certificate_read_cycles}};
	char token[256];

	if (gpube__certificate_word(in, "gpube-proof", "gpube-certificate"))
		(void)gpube__in_error(in,
			"this is a certificate of before gpube-proof 1, which is "
			"not read any more: make it again by gpube bound --certify");
	(void)gpube__certificate_number(in, 1, 1, "a version");
	(void)gpube__certificate_word(in, "form", NULL);
	if (gpube__in_token(in, token, "tables, steps or cycles"))
		return read_tables;
	for (size_t k = 0; k < sizeof(forms) / sizeof(*forms); k++)
		if (!strcmp(token, forms[k].name))
			return forms[k].read;
	(void)gpube__in_expected(in, "tables, steps or cycles", token);
	return read_tables;
}

static int read_all(struct gpube_certificate *c, struct gpube_in *in)
{
	read_fn *const read = read_form(in);
	const int64_t n = gpube__certificate_member(in, "variables", 0, INT32_MAX - 1);

	/* as they are met: a number in a file is no reason to take memory */
	for (int64_t capacity = 0; c->n_vars < n && !in->status; c->n_vars++)
		if (!gpube__certificate_tried(
			    in, gpube__grow(c->ctx, &c->domain, &capacity, (int64_t)c->n_vars + 1,
					sizeof(*c->domain))))
			c->domain[c->n_vars] = (int32_t)gpube__certificate_number(
				in, 1, INT32_MAX, "a domain size");
	c->n_functions = (int32_t)gpube__certificate_member(in, "functions", 0, INT32_MAX);
	c->scale = (int)gpube__certificate_member(in, "decimals", 0, 18);
	c->cap = gpube__certificate_member(in, "cap", 0, GPUBE_INF - 1);
	c->shift = (int)gpube__certificate_member(in, "shift", 0, 40);
	c->bound = gpube__certificate_member(in, "bound", -INT64_MAX, INT64_MAX);
	if (!in->status)
		read(c, in);
	return in->status ? in->status : gpube__in_end(in);
}

int gpube__certificate_read(struct gpube_certificate *c, struct gpube_ctx *ctx, const char *path)
{
	struct gpube_in in;
	int status;

	*c = (struct gpube_certificate){.ctx = ctx};
	status = gpube__in_open(&in, ctx, path);
	if (status)
		return status;
	status = read_all(c, &in);
	gpube__in_close(&in);
	if (status)
		gpube__certificate_clear(c);
	return status;
}
