/* cfn_read.c - toulbar2's .cfn to a model. See cfn.h. */
#include <string.h>

#include "formats/cfn/cfn.h"
#include "formats/io/digits.h"
#include "formats/common/reading.h"
#include "formats/common/registry.h"

/* ---- header ------------------------------------------------------------------------ */

/*
 * 2^63 - 1 units, whatever their decimals, where nothing can reach it: what gpube writes where
 * there is no bound.
 */
static bool is_no_bound(const char *text)
{
	char digits[24];
	size_t n = 0;

	if ((text[1] == '-') != (text[0] == '>'))
		return false;
	for (const char *p = text + 1 + (text[1] == '-'); *p && n < sizeof(digits) - 1; p++)
		if (*p != '.')
			digits[n++] = *p;
	digits[n] = 0;
	return strcmp(digits, "9223372036854775807") == 0;
}

static int read_bound(struct gpube_cfn_reader *r)
{
	struct gpube_model *m = r->m;
	const char *text = r->token.text, *point;
	int64_t bound;
	bool fits;
	int scale;

	if (gpube__cfn_require(r, GPUBE_CFN_WORD, "the bound: < or > and a decimal"))
		return r->in->status;
	if ((text[0] != '<' && text[0] != '>') || !gpube__decimal(text + 1, &bound, &scale, &fits))
		return gpube__cfn_expected(r, "the bound: < or > and a decimal");
	point = strpbrk(text, ".eE");
	m->scale = !point ? 0 : strpbrk(point, "eE") ? scale : (int)strlen(point + 1);
	m->direction = text[0] == '<' ? GPUBE_MINIMISE : GPUBE_MAXIMISE;
	if (is_no_bound(text) && m->scale <= 18) {
		m->top = m->direction == GPUBE_MINIMISE ? GPUBE_INF : -GPUBE_INF;
		return GPUBE_OK;
	}
	if (!fits || m->scale > 18 || !gpube__scaled(&bound, m->scale - scale))
		return gpube__in_fail(
			r->in, GPUBE_ERANGE, "bound '%.40s' does not fit 64 bits", text);
	m->top = bound;
	return GPUBE_OK;
}

static int read_header(struct gpube_cfn_reader *r)
{
	if (gpube__cfn_open_bracket(r, "'{'") || gpube__cfn_advance(r))
		return r->in->status;
	r->tags = gpube__cfn_is_tag(r, "problem", 7);
	if (r->tags && gpube__cfn_advance(r))
		return r->in->status;
	if (gpube__cfn_require(r, GPUBE_CFN_OPEN, "'{' of the problem") ||
		gpube__cfn_pass_tag(r, "name", 4) || gpube__cfn_advance(r))
		return r->in->status;
	if (r->token.kind != GPUBE_CFN_WORD)
		return gpube__cfn_expected(r, "the problem's name");
	r->m->name = gpube__strdup(r->m->ctx, r->token.text);
	if (!r->m->name)
		return gpube__cfn_fail(r, GPUBE_ENOMEM);
	if (gpube__cfn_pass_tag(r, "mustbe", 6) || gpube__cfn_advance(r) || read_bound(r))
		return r->in->status;
	return gpube__cfn_close_bracket(r, "'}' of the problem");
}

/* ---- variables --------------------------------------------------------------------- */

static int add_value_names(struct gpube_cfn_reader *r, int32_t var, char **names, int64_t n)
{
	struct gpube_variable *x = &r->m->vars[var];

	x->value_names = gpube__alloc_zero(r->m->ctx, (uint64_t)n, sizeof(*names));
	if (!x->value_names)
		return gpube__cfn_fail(r, GPUBE_ENOMEM);
	for (int64_t k = 0; k < n; k++) {
		x->value_names[k] = names[k]; /* owned by the model from here on */
		names[k] = NULL;
	}
	for (int64_t k = 0; k < n; k++) {
		if (gpube__names_find(&r->names, var, x->value_names[k]))
			return gpube__in_error(
				r->in, "value '%.40s' is twice in a domain", x->value_names[k]);
		if (gpube__names_add(&r->names, var, x->value_names[k], (int32_t)k))
			return gpube__cfn_fail(r, GPUBE_ENOMEM);
	}
	return GPUBE_OK;
}

/* A domain given by its values' names, after its bracket. */
static int read_values(struct gpube_cfn_reader *r, const char *name)
{
	struct gpube_ctx *ctx = r->m->ctx;
	char **names = NULL;
	int64_t n = 0, capacity = 0;
	int32_t var;

	for (;;) {
		if (gpube__cfn_advance(r) || r->token.kind == GPUBE_CFN_CLOSE)
			break;
		if (gpube__cfn_require(r, GPUBE_CFN_WORD, "a value's name"))
			break;
		if (gpube__cfn_numeric(&r->token)) {
			gpube__in_error(r->in, "value '%.40s': a name cannot begin like a number",
				r->token.text);
			break;
		}
		if (n == INT32_MAX || gpube__grow(ctx, &names, &capacity, n + 1, sizeof(*names))) {
			gpube__cfn_fail(r, GPUBE_ENOMEM);
			break;
		}
		names[n] = gpube__strdup(ctx, r->token.text);
		if (!names[n]) {
			gpube__cfn_fail(r, GPUBE_ENOMEM);
			break;
		}
		n++;
	}
	if (!r->in->status && n == 0)
		gpube__in_error(r->in, "a domain without values");
	if (!r->in->status && !gpube__add_var(r->m, r->in, &var, n, name))
		add_value_names(r, var, names, n);
	for (int64_t k = 0; k < n; k++)
		gpube__free(ctx, names[k]);
	gpube__free(ctx, names);
	return r->in->status;
}

/* The domain whose first token is the current one. */
static int read_domain(struct gpube_cfn_reader *r, const char *name)
{
	int64_t domain;

	if (r->token.kind == GPUBE_CFN_OPEN)
		return read_values(r, name);
	if (gpube__cfn_to_int(r, &domain, -INT32_MAX, INT32_MAX, "a domain size"))
		return r->in->status;
	if (domain == 0)
		return gpube__in_error(r->in, "a domain without values");
	return gpube__add_var(r->m, r->in, NULL, domain < 0 ? -domain : domain, name);
}

static int read_variable(struct gpube_cfn_reader *r)
{
	struct gpube_model *m = r->m;
	char *name;

	if (r->token.kind == GPUBE_CFN_OPEN || gpube__cfn_numeric(&r->token))
		return read_domain(r, NULL);
	if (gpube__cfn_require(r, GPUBE_CFN_WORD, "a variable"))
		return r->in->status;
	if (gpube__names_find(&r->names, GPUBE_CFN_VARIABLES, r->token.text))
		return gpube__in_error(r->in, "variable '%.40s' is declared twice", r->token.text);
	name = gpube__strdup(m->ctx, r->token.text);
	if (!name)
		return gpube__cfn_fail(r, GPUBE_ENOMEM);
	if (!gpube__cfn_advance(r))
		read_domain(r, name);
	gpube__free(m->ctx, name);
	if (r->in->status)
		return r->in->status;
	if (m->vars[m->n_vars - 1].name[0] == '^') /* toulbar2's mark, too */
		gpube__hide(m, m->n_vars - 1);
	return gpube__cfn_fail(r, gpube__names_add(&r->names, GPUBE_CFN_VARIABLES,
					  m->vars[m->n_vars - 1].name, m->n_vars - 1));
}

/* { item item … } behind a tag; 'read' takes the token that an item begins with. */
static int read_items(struct gpube_cfn_reader *r, const char *tag, const char *bracket,
	int (*read)(struct gpube_cfn_reader *r))
{
	if (gpube__cfn_pass_tag(r, tag, strlen(tag)) || gpube__cfn_open_bracket(r, bracket))
		return r->in->status;
	while (!gpube__cfn_advance(r) && r->token.kind != GPUBE_CFN_CLOSE)
		if (read(r))
			break;
	return r->in->status;
}

static int read_variables(struct gpube_cfn_reader *r)
{
	if (read_items(r, "variables", "'{' of the variables", read_variable))
		return r->in->status;
	r->n_vars = r->m->n_vars;
	r->seen = gpube__alloc_zero(r->m->ctx, (uint64_t)r->n_vars + 1, sizeof(*r->seen));
	return r->seen ? GPUBE_OK : gpube__cfn_fail(r, GPUBE_ENOMEM);
}

/* ---- tables ------------------------------------------------------------------------ */

/* Gives a table to the model, with a function over the current scope. */
static int add_function(
	struct gpube_cfn_reader *r, int arity, const struct gpube_table *t, const char *name)
{
	int32_t index;

	if (gpube__cfn_fail(r, gpube__add_table(r->m, &index, t)))
		return r->in->status;
	return gpube__cfn_fail(r, gpube__add_function(r->m, arity, r->scope, index, name));
}

static const int64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
	1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
	1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000};

/* A cost with no more than 'scale' decimals and 18 digits in all; NULL: for the tokens to look at.
 */
static inline const char *quick_cost(const char *p, int scale, int64_t *cost)
{
	bool negative = *p == '-';
	uint64_t whole, part = 0;
	int n, k = 0;

	p = gpube__digits16(p + negative, &whole, &n);
	if (n == 0 || n + scale > 18)
		return NULL;
	if (*p == '.')
		p = gpube__digits16(p + 1, &part, &k);
	if (k > scale || (*p != ',' && *p != ' ' && *p != '\n' && *p != ']' && *p != '}'))
		return NULL;
	*cost = (int64_t)whole * ten[scale] + (int64_t)part * ten[scale - k];
	*cost = negative ? -*cost : *cost;
	return p;
}

/* Costs as they usually stand in a list, as many as there are in the window, up to 'most' in all.
 */
static int list_quickly(struct gpube_cfn_reader *r, struct gpube_values *v, int64_t most)
{
	enum { LISTED = 512 };
	struct gpube_in *in = r->in;
	int scale = r->m->scale, status = GPUBE_OK;
	int64_t cost[LISTED], n = 0;

	while (v->n + n < most && !status) {
		const char *p = in->p;
		int64_t line = in->line;

		for (; *p == ' ' || *p == ',' || *p == '\n'; p++)
			line += *p == '\n';
		p = quick_cost(p, scale, &cost[n]);
		if (!p)
			break;
		in->p = p;
		in->line = line;
		if (++n == LISTED) {
			status = gpube__values_append(r->m->ctx, v, cost, n);
			n = 0;
		}
	}
	return status ? status : gpube__values_append(r->m->ctx, v, cost, n);
}

/* A list of all costs, after its bracket. */
static int read_listing(struct gpube_cfn_reader *r, int arity, const char *name)
{
	struct gpube_ctx *ctx = r->m->ctx;
	int64_t cells = gpube__cells(r->m, arity, r->scope), cost;
	struct gpube_values v = {0};
	struct gpube_table t;

	if (gpube__in_given(r->in, cells, "costs"))
		return r->in->status;
	r->open = (struct gpube_cfn_open){.values = &v};
	while (!gpube__cfn_fail(r, list_quickly(r, &v, cells)) && !gpube__cfn_advance(r) &&
		r->token.kind != GPUBE_CFN_CLOSE && !gpube__cfn_to_cost(r, &cost)) {
		if (v.n == cells)
			gpube__in_error(r->in, "more than the %lld cost%s of the table",
				(long long)cells, gpube__plural((double)cells));
		else
			gpube__cfn_fail(r, gpube__values_push(ctx, &v, cost));
		if (r->in->status)
			break;
	}
	r->open = (struct gpube_cfn_open){0};
	if (!r->in->status && v.n != cells)
		gpube__in_error(r->in, "%lld cost%s where the table has %lld", (long long)v.n,
			gpube__plural((double)v.n), (long long)cells);
	if (r->in->status) {
		gpube__values_clear(ctx, &v);
		return r->in->status;
	}
	t = (struct gpube_table){.arity = arity, .type = v.type, .n = v.n, .values = v.values};
	return add_function(r, arity, &t, name);
}

/* One tuple, whose first token is the current one, and its cost. */
static int read_tuple(struct gpube_cfn_reader *r, struct gpube_tuples *t, int arity)
{
	int64_t v;

	for (int k = 0; k < arity; k++) {
		if (gpube__cfn_to_value(r, r->scope[k], &v))
			return r->in->status;
		r->tuple[k] = (int32_t)v;
		if (gpube__cfn_advance(r))
			return r->in->status;
	}
	if (gpube__cfn_to_cost(r, &v))
		return r->in->status;
	return gpube__cfn_fail(r, gpube__tuples_push(t, r->tuple, v, r->in->line));
}

/* Tuples with a default for the others, after the bracket. */
static int read_tuples(struct gpube_cfn_reader *r, int arity, int64_t dflt, const char *name)
{
	struct gpube_tuples t;
	struct gpube_table table;
	int64_t twice;

	for (int k = 0; k < arity; k++)
		r->domains[k] = r->m->vars[r->scope[k]].domain;
	if (gpube__charge_dense(r->in, arity, r->domains))
		return r->in->status;
	if (gpube__tuples_init(&t, r->m->ctx, arity, r->domains, dflt))
		return gpube__cfn_fail(r, GPUBE_ENOMEM);
	r->open = (struct gpube_cfn_open){.tuples = &t};
	while (!gpube__cfn_advance(r) && r->token.kind != GPUBE_CFN_CLOSE &&
		!read_tuple(r, &t, arity))
		;
	r->open = (struct gpube_cfn_open){0};
	if (r->in->status) {
		gpube__tuples_clear(&t);
		return r->in->status;
	}
	if (gpube__tuples_finish(&t, &table, &twice))
		return gpube__cfn_fail(r, GPUBE_ENOMEM);
	if (twice) {
		r->in->line = twice;
		return gpube__in_error(r->in, "this tuple was given before");
	}
	return add_function(r, arity, &table, name);
}

/* A constant, after the bracket. */
static int read_constant(struct gpube_cfn_reader *r, bool has_default, int64_t dflt)
{
	struct gpube_model *m = r->m;
	int64_t cost = dflt;

	if (gpube__cfn_advance(r))
		return r->in->status;
	if (r->token.kind == GPUBE_CFN_CLOSE) {
		if (!has_default)
			return gpube__cfn_expected(r, "a cost");
	} else if (gpube__cfn_to_cost(r, &cost) ||
		   gpube__cfn_close_bracket(r, "']' after the cost of no variables")) {
		return r->in->status;
	}
	if (cost != GPUBE_INF) {
		if (__builtin_add_overflow(m->constant, cost, &m->constant) ||
			m->constant == GPUBE_INF || m->constant <= -GPUBE_INF)
			return gpube__in_fail(r->in, GPUBE_ERANGE, "the constant costs pass 2^63");
		return GPUBE_OK;
	}
	return gpube__cfn_fail(r, gpube_model_add_costs(m, 0, NULL, &cost)); /* infeasible */
}

/* ---- functions ----------------------------------------------------------------------- */

static int read_scope(struct gpube_cfn_reader *r, int *arity)
{
	struct gpube_model *m = r->m;
	int64_t v, n = 0;

	if (gpube__cfn_pass_tag(r, "scope", 5) || gpube__cfn_open_bracket(r, "'[' of a scope"))
		return r->in->status;
	for (;; n++) {
		if (gpube__cfn_advance(r))
			return r->in->status;
		if (r->token.kind == GPUBE_CFN_CLOSE)
			break;
		if (gpube__cfn_to_variable(r, &v))
			return r->in->status;
		for (int64_t k = 0; r->seen[v] && k < n; k++)
			if (r->scope[k] == v)
				return gpube__in_error(r->in,
					"variable '%.40s' is twice in a scope", r->token.text);
		if (gpube__grow(m->ctx, &r->scope, &r->scope_capacity, n + 1, sizeof(*r->scope)) ||
			gpube__grow(m->ctx, &r->domains, &r->domains_capacity, n + 1,
				sizeof(*r->domains)) ||
			gpube__grow(
				m->ctx, &r->tuple, &r->tuple_capacity, n + 1, sizeof(*r->tuple)))
			return gpube__cfn_fail(r, GPUBE_ENOMEM);
		r->scope[n] = (int32_t)v;
		r->seen[v] = 1;
	}
	for (int64_t k = 0; k < n; k++)
		r->seen[r->scope[k]] = 0;
	*arity = (int)n;
	return GPUBE_OK;
}

/* What the body of a function is, told by its first tokens. */
enum body { BODY_TABLE, BODY_REFERENCE, BODY_KEYWORD };

/* Stops at the bracket of a table, at the name of another function, or at a keyword. */
static int find_body(struct gpube_cfn_reader *r, enum body *body, bool *has_default, int64_t *dflt)
{
	if (gpube__cfn_advance(r))
		return r->in->status;
	*has_default =
		r->tags ? gpube__cfn_is_tag(r, "defaultcost", 11) : gpube__cfn_numeric(&r->token);
	if (*has_default) {
		if (r->tags && gpube__cfn_advance(r))
			return r->in->status;
		if (gpube__cfn_to_cost(r, dflt))
			return r->in->status;
		r->open = (struct gpube_cfn_open){.dflt = dflt};
		if (gpube__cfn_advance(r))
			return r->in->status;
	}
	*body = BODY_TABLE;
	if (r->tags && gpube__cfn_is_tag(r, "type", 4)) {
		*body = BODY_KEYWORD;
		return gpube__cfn_advance(r);
	}
	if (r->tags && !gpube__cfn_is_tag(r, "costs", 5))
		return gpube__cfn_expected(
			r, *has_default ? "'costs' or 'type'" : "'defaultcost', 'costs' or 'type'");
	if (r->tags && gpube__cfn_advance(r))
		return r->in->status;
	if (r->token.kind != GPUBE_CFN_OPEN)
		*body = r->tags ? BODY_REFERENCE : BODY_KEYWORD;
	return GPUBE_OK;
}

static int read_body(struct gpube_cfn_reader *r, int arity, const char *name, bool *is_table)
{
	enum body body = BODY_TABLE;
	bool has_default = false;
	int64_t dflt = 0;

	if (find_body(r, &body, &has_default, &dflt))
		return r->in->status;
	/* without tags, a name that nothing follows is another function's */
	if (body == BODY_KEYWORD && !r->tags && gpube__cfn_closes(gpube__cfn_peek(r->in)))
		body = BODY_REFERENCE;
	if (body == BODY_REFERENCE) {
		*is_table = false;
		if (has_default)
			return gpube__in_error(r->in, "a default cost with another's table");
		if (gpube__cfn_refer(r, arity, name))
			return r->in->status;
		return gpube__cfn_close_bracket(r, "'}' of the function");
	}
	*is_table = body == BODY_TABLE;
	if (body == BODY_KEYWORD && has_default)
		return gpube__in_error(r->in, "a default cost with a type");
	if (body == BODY_KEYWORD)
		gpube__cfn_read_call(r, arity, name);
	else if (arity == 0)
		read_constant(r, has_default, dflt);
	else if (has_default)
		read_tuples(r, arity, dflt, name);
	else
		read_listing(r, arity, name);
	return r->in->status ? r->in->status : gpube__cfn_close_bracket(r, "'}' of the function");
}

/* The function whose first token is the current one. */
static int read_function(struct gpube_cfn_reader *r)
{
	int32_t n_before = r->m->n_functions;
	char *name = NULL;
	bool is_table = true;
	int arity = 0;

	if (r->token.kind != GPUBE_CFN_OPEN) {
		if (gpube__cfn_require(r, GPUBE_CFN_WORD, "a function"))
			return r->in->status;
		name = gpube__strdup(r->m->ctx, r->token.text);
		if (!name)
			return gpube__cfn_fail(r, GPUBE_ENOMEM);
		if (!gpube__cfn_advance(r) && gpube__cfn_is_tag(r, "Unknown", 7))
			gpube__in_error(r->in, "'Unknown constraint!', which is what toulbar2 "
					       "writes for a function "
					       "that it cannot write");
		else
			gpube__cfn_require(r, GPUBE_CFN_OPEN, "'{' of the function");
	}
	if (!r->in->status && !read_scope(r, &arity))
		read_body(r, arity, name, &is_table);
	r->open = (struct gpube_cfn_open){0};
	if (!r->in->status && name)
		gpube__cfn_resolve(r, name, n_before, is_table);
	if (!r->in->status)
		gpube__cfn_place(r, r->place++);
	gpube__free(r->m->ctx, name);
	return r->in->status;
}

static int read_functions(struct gpube_cfn_reader *r)
{
	if (read_items(r, "functions", "'{' of the functions", read_function))
		return r->in->status;
	if (r->depth > 0)
		return gpube__cfn_close_bracket(r, "'}' of the problem")
			       ? r->in->status
			       : gpube__cfn_check_resolved(r);
	/* the last bracket of all is missing in files that toulbar2 reads */
	if (gpube__cfn_advance(r) || (r->token.kind == GPUBE_CFN_CLOSE && gpube__cfn_advance(r)))
		return r->in->status;
	return r->token.kind == GPUBE_CFN_END ? gpube__cfn_check_resolved(r)
					      : gpube__cfn_expected(r, "the end of the file");
}

static int read_problem(struct gpube_cfn_reader *r)
{
	if (!read_header(r) && !read_variables(r) && !read_functions(r) && !gpube__cfn_order(r))
		gpube__cfn_fail(r, gpube__cfn_mark(r->m));
	return r->in->status;
}

int gpube__cfn_read(struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_cfn_reader *r;

	if (!gpube__cfn_open(&r, m, in, 0)) {
		r->read_problem = read_problem;
		read_problem(r);
	}
	gpube__cfn_close(r);
	return in->status;
}
