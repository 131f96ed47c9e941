/* intension.c - keywords: parameters in, tables out. See intension.h. */
#include "gpube/globals/intension.h"

#include <stdio.h>
#include <string.h>

#include "gpube/ir/tuples.h"
#include "gpube/globals/chain.h"

/*
 * Keywords of toulbar2 whose functions do not expand to tables, or not with certainty:
 * of knapsackc the program, 1.4.0, has other solutions than its manual's example.
 */
static const char *const unsupported[] = {"knapsackc", "slinear", NULL};

const struct gpube_keyword *gpube__keyword(const char *name, bool *known)
{
	const struct gpube_keyword *k = gpube__keywords;

	while (k->name && strcmp(k->name, name) != 0)
		k++;
	if (known) {
		*known = k->name != NULL;
		for (int i = 0; unsupported[i] && !*known; i++)
			*known = strcmp(unsupported[i], name) == 0;
	}
	return k->name ? k : NULL;
}

void gpube__call_clear(struct gpube_call *call)
{
	gpube__free(call->sink.ctx, call->args);
	call->args = NULL;
	call->n_args = call->args_capacity = 0;
}

/* ---- parameters -------------------------------------------------------------------- */

static int push(struct gpube_call *call, int64_t v, bool cost)
{
	if (gpube__grow(call->sink.ctx, &call->args, &call->args_capacity, call->n_args + 1,
		    sizeof(*call->args)))
		return gpube__sink_pass(&call->sink, GPUBE_ENOMEM);
	call->args[call->n_args++] = (struct gpube_arg){v, cost};
	return GPUBE_OK;
}

/* A variable of the model becomes its position in the scope. */
static int to_position(struct gpube_call *call, int64_t *v)
{
	for (int k = 0; k < call->arity; k++)
		if (call->scope[k] == *v) {
			*v = k;
			return GPUBE_OK;
		}
	return gpube__sink_error(&call->sink, "%s: variable %lld is not in the scope",
		gpube__call_name(call), (long long)*v);
}

static int read_number(
	struct gpube_call *call, const struct gpube_source *s, char letter, int64_t *v)
{
	const int64_t n_vars = call->m->n_vars;
	const bool signs = letter == 'C' || s->any_sign;
	int status;

	switch (letter) {
	case 'c':
	case 'C':
		status = s->cost(s->reader, v, signs);
		if (!status && !signs && *v != 0 && *v != GPUBE_INF &&
			call->m->direction == GPUBE_MAXIMISE)
			return gpube__sink_error(&call->sink,
				"%s: a cost in a model that is maximised", gpube__call_name(call));
		return status;
	case 'V':
		status = s->variable ? s->variable(s->reader, v)
				     : s->integer(s->reader, v, 0, n_vars - 1, "a variable");
		return status ? status : to_position(call, v);
	case 'v':
		return s->integer(s->reader, v, 0, INT32_MAX, "a value");
	case 'n':
		return s->integer(s->reader, v, -INT32_MAX, INT32_MAX, "a number");
	default:
		return s->integer(s->reader, v, -INT64_MAX, INT64_MAX, "a number");
	}
}

/* How many items a list has; -1: its bracket says where it ends. */
static int read_count(const struct gpube_source *s, int64_t *n)
{
	*n = -1;
	return s->open ? s->open(s->reader, "'[' of a list")
		       : s->integer(s->reader, n, 0, INT32_MAX, "a count");
}

/* Whether one more comes of a list in brackets; passes the last one. */
static int read_more(const struct gpube_source *s, bool *more)
{
	const int status = s->more(s->reader, more);

	return status || *more ? status : s->close(s->reader, "']' of a list");
}

static int read_tag(const struct gpube_source *s, const char *tag, size_t n)
{
	return s->tag ? s->tag(s->reader, tag, n) : GPUBE_OK;
}

static int read_metric(struct gpube_call *call, const struct gpube_source *s)
{
	static const char *const names[] = {"var", "dec", "decbi", "wdec", "hard", "lin", "quad",
		"weight", "edit", "hardeq", "hardge"};
	const char *word, *at;
	size_t n;
	int status = s->word(s->reader, &word, "a metric");

	if (status)
		return status;
	n = strlen(word);
	for (at = call->keyword->metrics; at; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (strncmp(at, word, n) == 0 && (at[n] == ' ' || !at[n]))
			break;
	}
	for (int k = 0; at && k < GPUBE_N_METRICS; k++)
		if (strcmp(names[k], word) == 0) {
			call->metric = (enum gpube_metric)k;
			return GPUBE_OK;
		}
	return gpube__sink_error(&call->sink, "%s '%.40s' is not supported: expected %s",
		gpube__call_name(call), word, call->keyword->metrics);
}

static int read_comparator(struct gpube_call *call, const struct gpube_source *s)
{
	static const char *const names[] = {"==", "!=", "<", "<=", ">", ">="};
	const char *word;
	int status = s->word(s->reader, &word, "a comparator");

	if (status)
		return status;
	for (int k = 0; k < 6; k++)
		if (strcmp(names[k], word) == 0) {
			call->comparator = (enum gpube_comparator)k;
			return GPUBE_OK;
		}
	return gpube__sink_error(
		&call->sink, "expected a comparator: == != < <= > >=, found '%.40s'", word);
}

/* "0 A a", "1 A B C", "2 A a weight" or "3 A B C weight", as five numbers. */
static int read_rule(struct gpube_call *call, const struct gpube_source *s)
{
	int64_t kind, v[3] = {0}, weight = 0;
	int status = read_number(call, s, 'n', &kind);

	if (!status && (kind < 0 || kind > 3))
		return gpube__sink_error(&call->sink, "%s: a rule of kind %lld: expected 0 to 3",
			gpube__call_name(call), (long long)kind);
	if (!status)
		status = read_number(call, s, 'n', &v[0]);
	if (!status)
		status = read_number(call, s, kind % 2 ? 'n' : 'v', &v[1]);
	if (!status && kind % 2)
		status = read_number(call, s, 'n', &v[2]);
	if (!status && kind >= 2)
		status = read_number(call, s, 'c', &weight);
	if (!status)
		status = push(call, kind, false);
	for (int k = 0; k < 3 && !status; k++)
		status = push(call, v[k], false);
	return status ? status : push(call, weight, true);
}

/* In .cfn: the rules for values, then those for two symbols, with weights if the metric says so. */
static int read_rules(struct gpube_call *call, const struct gpube_source *s)
{
	static const char *const tags[] = {"terminals", "non_terminals"};
	const bool weighted = call->metric == GPUBE_METRIC_WEIGHT;
	struct gpube_arg_list *l = &call->lists[call->n_lists++];
	int status = GPUBE_OK;

	l->at = call->n_args;
	for (int kind = 0; kind < 2 && !status; kind++) {
		int64_t n, v[3] = {0}, weight = 0;
		bool more = true;

		status = read_tag(s, tags[kind], strlen(tags[kind]));
		if (!status)
			status = read_count(s, &n);
		while (!status && !(status = read_more(s, &more)) && more) {
			status = s->open(s->reader, "'['");
			for (int k = 0; k < 2 + kind && !status; k++)
				status = read_number(call, s, kind || k == 0 ? 'n' : 'v', &v[k]);
			if (!status && weighted)
				status = read_number(call, s, 'c', &weight);
			if (!status)
				status = s->close(s->reader, "']'");
			if (!status)
				status = push(call, kind + 2 * weighted, false);
			for (int k = 0; k < 3 && !status; k++)
				status = push(call, k < 2 + kind ? v[k] : 0, false);
			if (!status)
				status = push(call, weight, true);
			l->n_items += !status;
		}
	}
	l->n_args = call->n_args - l->at;
	return status;
}

/* One entry of a list: the letters up to '?' or '+', and those after '?' with wdec. */
static int read_letters(struct gpube_call *call, const struct gpube_source *s, const char *letters)
{
	int status = GPUBE_OK;
	int64_t v;

	for (; *letters && *letters != ' ' && *letters != '+' && !status; letters++) {
		if (*letters == '?') {
			if (call->metric != GPUBE_METRIC_WDEC)
				break;
			continue;
		}
		if (*letters == 'r') {
			status = read_rule(call, s);
			continue;
		}
		status = read_number(call, s, *letters, &v);
		if (!status)
			status = push(call, v, *letters == 'c' || *letters == 'C');
	}
	return status;
}

/* A list of 'n' entries, or one that ends with a bracket; *read: how many there were. */
static int read_entries(struct gpube_call *call, const struct gpube_source *s, const char *letters,
	bool nested, int64_t n, int64_t *read)
{
	bool several = !nested && strcspn(letters, "+ ") > 1, more = true;
	int status = GPUBE_OK;
	int64_t k = 0;

	for (;; k++) {
		int64_t at = call->n_args, inner;

		if (n < 0)
			status = read_more(s, &more);
		if (status || !more || k == n)
			break;
		if (nested) {
			/* its own list; the count goes before the entries */
			status = read_count(s, &inner);
			if (!status)
				status = push(call, 0, false);
			if (!status)
				status = read_entries(call, s, letters, false, inner, &inner);
			if (!status)
				call->args[at].v = inner;
		} else {
			if (several && s->open)
				status = s->open(s->reader, "'['");
			if (!status)
				status = read_letters(call, s, letters);
			if (!status && several && s->close)
				status = s->close(s->reader, "']'");
		}
		if (status)
			break;
	}
	*read = k;
	return status;
}

static int read_list(struct gpube_call *call, const struct gpube_source *s, const char *letters,
	bool by_variable, int64_t n)
{
	struct gpube_arg_list *l = &call->lists[call->n_lists++];
	bool nested = strcspn(letters, "+") < strcspn(letters, " ");
	int status;

	l->at = call->n_args;
	status = read_entries(call, s, letters, nested, n, &l->n_items);
	l->n_args = call->n_args - l->at;
	if (!status && by_variable && l->n_items != call->arity)
		return gpube__sink_error(&call->sink, "%s: %lld %s for %d variable%s",
			gpube__call_name(call), (long long)l->n_items,
			l->n_items == 1 ? "entry" : "entries", call->arity,
			gpube__plural(call->arity));
	return status;
}

static int read_field(struct gpube_call *call, const struct gpube_source *s, const char *field,
	const int64_t *counts)
{
	bool list = *field == '*', by_variable = *field == '=';
	const char *tag = field + (list || by_variable), *letters = strchr(field, ':') + 1;
	struct gpube_arg *a;
	int64_t n = call->arity;
	int status = GPUBE_OK;

	if (*letters == 'r' && s->open)
		return read_rules(call, s);
	if (!(call->keyword->flags & GPUBE_KEYWORD_BINARY))
		status = read_tag(s, tag, (size_t)(letters - 1 - tag));
	if (status)
		return status;
	if (counts)
		n = counts[call->n_lists];
	else if (list || (by_variable && s->open))
		status = read_count(s, &n);
	if (status)
		return status;
	if (list || by_variable)
		return read_list(call, s, letters, by_variable, n);
	if (*letters == 'm')
		return read_metric(call, s);
	if (*letters == 'o')
		return read_comparator(call, s);
	a = &call->scalars[call->n_scalars++];
	a->cost = *letters == 'c' || *letters == 'C';
	return read_number(call, s, *letters, &a->v);
}

int gpube__call_read(struct gpube_call *call, const struct gpube_source *s)
{
	bool counts_first = (call->keyword->flags & GPUBE_KEYWORD_COUNTS) && !s->open;
	int64_t counts[GPUBE_MAX_LISTS] = {0};
	const char *field = call->keyword->params;
	int status = GPUBE_OK;

	if ((call->keyword->flags & GPUBE_KEYWORD_BINARY) && call->arity != 2)
		return gpube__sink_error(&call->sink, "%s takes two variables, not %d",
			gpube__call_name(call), call->arity);
	if ((call->keyword->flags & GPUBE_KEYWORD_BINARY) && call->m->direction == GPUBE_MAXIMISE)
		return gpube__sink_error(
			&call->sink, "%s in a model that is maximised", gpube__call_name(call));
	while (*field && !status) {
		bool list = *field == '*';

		if (list && counts_first && call->n_lists == 0)
			for (int k = 0; k < 2 && !status; k++)
				status = read_count(s, &counts[k]);
		if (!status)
			status = read_field(call, s, field, list && counts_first ? counts : NULL);
		field += strcspn(field, " ");
		field += *field == ' ';
	}
	if (!status && call->keyword->check && !call->keyword->check(call))
		status = gpube__sink_status(&call->sink);
	return status;
}

/* ---- expansion --------------------------------------------------------------------- */

static int expand_table(struct gpube_call *call, const struct gpube_eval *e, int32_t *tuple)
{
	struct gpube_ctx *ctx = call->sink.ctx;
	struct gpube_values v = {0};
	int64_t value, n = 0;
	int32_t table;
	int64_t cells = gpube__cells(call->m, call->arity, call->scope);
	int status = gpube__charge_cells(&call->sink, cells, call->function_name);

	if (status)
		return status;
	status = gpube__values_reserve(ctx, &v, cells);

	if (status)
		goto out;
	do {
		if (!gpube__call_units(call, call->keyword->cost(e, tuple), &value))
			status = gpube__call_refuse_cost(call);
		else if ((++n & 0xffff) == 0 && gpube__stopped(ctx))
			status = gpube__fail_stopped(ctx);
		else
			status = gpube__values_push(ctx, &v, value);
	} while (!status && gpube__tuple_next(tuple, e->domains, call->arity));
	if (!status)
		status = gpube__add_dense(call->m, &table, call->arity, &v);
	if (!status)
		status = gpube__add_function(
			call->m, call->arity, call->scope, table, call->function_name);
out:
	gpube__values_clear(ctx, &v);
	return gpube__sink_pass(&call->sink, status);
}

static int add_pair(struct gpube_call *call, int i, int j, int32_t *table, bool same)
{
	struct gpube_ctx *ctx = call->sink.ctx;
	const struct gpube_variable *vars = call->m->vars;
	int32_t scope[] = {call->scope[i], call->scope[j]};
	struct gpube_values v = {0};
	int status = GPUBE_OK;
	int64_t value, cells = same ? 0 : (int64_t)vars[scope[0]].domain * vars[scope[1]].domain;

	if (gpube__charge_cells(&call->sink, cells, call->function_name))
		return gpube__sink_status(&call->sink);
	if (gpube__stopped(ctx))
		return gpube__sink_pass(&call->sink, gpube__fail_stopped(ctx));
	for (int32_t a = 0; a < vars[scope[0]].domain && !same; a++)
		for (int32_t b = 0; b < vars[scope[1]].domain && !status; b++)
			if (!gpube__call_units(call, gpube__pair_cost(call, i, a, j, b), &value))
				status = gpube__call_refuse_cost(call);
			else
				status = gpube__values_push(ctx, &v, value);
	if (!status && !same)
		status = gpube__add_dense(call->m, table, 2, &v);
	gpube__values_clear(ctx, &v);
	if (!status)
		status = gpube__add_function(call->m, 2, scope, *table, call->function_name);
	return gpube__sink_pass(&call->sink, status);
}

static int refuse_size(struct gpube_call *call, int64_t cells)
{
	char chain[GPUBE_CHAIN_TEXT];

	gpube__chain_text(chain, call->n_hidden, call->n_cells);
	return gpube__refuse_cells(&call->sink, gpube__call_name(call), call->arity, cells, chain);
}

static bool same_values(const struct gpube_variable *x, const struct gpube_variable *y)
{
	if (x->domain != y->domain || !x->value_names != !y->value_names)
		return false;
	for (int32_t a = 0; a < x->domain && x->value_names; a++)
		if (strcmp(x->value_names[a], y->value_names[a]) != 0)
			return false;
	return true;
}

/*
 * Does the pair cost what the pair before does, whose table it shares then? Only alldiff asks for
 * the names of values, and a clique's sets may differ.
 */
static bool same_pair(const struct gpube_call *call, int i, int j)
{
	const struct gpube_variable *vars = call->m->vars;
	const int before[2] = {j > i + 1 ? i : i - 1, j > i + 1 ? j - 1 : call->arity - 1};
	const int now[2] = {i, j};
	const bool by_name = strcmp(call->keyword->name, "alldiff") == 0;

	if (before[0] < 0 || strcmp(call->keyword->name, "clique") == 0)
		return false;
	for (int k = 0; k < 2; k++) {
		const struct gpube_variable *x = &vars[call->scope[now[k]]],
					    *y = &vars[call->scope[before[k]]];

		if (by_name ? !same_values(x, y) : x->domain != y->domain)
			return false;
	}
	return true;
}

/* What all pairs are, before any is made. */
static int check_pairs(struct gpube_call *call)
{
	const struct gpube_variable *vars = call->m->vars;
	const int64_t n = (int64_t)call->arity * (call->arity - 1) / 2;
	__int128 cells = 0;

	if (n > GPUBE_PAIRS)
		return gpube__sink_fail(&call->sink, GPUBE_ERANGE,
			"%s over %d variables is %lld functions of two of them: at most %lld are "
			"made",
			gpube__call_name(call), call->arity, (long long)n, (long long)GPUBE_PAIRS);
	for (int i = 0; i < call->arity; i++)
		for (int j = i + 1; j < call->arity; j++)
			if (!same_pair(call, i, j))
				cells += (int64_t)vars[call->scope[i]].domain *
					 vars[call->scope[j]].domain;
	if (cells <= GPUBE_PAIRS_CELLS)
		return GPUBE_OK;
	return gpube__sink_fail(&call->sink, GPUBE_ERANGE,
		"%s over %d variables is tables of two of them with %.16g cells: at most %lld are "
		"made",
		gpube__call_name(call), call->arity, (double)cells, (long long)GPUBE_PAIRS_CELLS);
}

static int expand_pairs(struct gpube_call *call)
{
	int32_t table = -1;
	int status = check_pairs(call);

	for (int i = 0; i < call->arity && !status; i++)
		for (int j = i + 1; j < call->arity && !status; j++)
			status = add_pair(call, i, j, &table, same_pair(call, i, j));
	return status;
}

/* One table, if it has no more cells than these, or a chain. */
int gpube__call_expand_within(struct gpube_call *call, int64_t table_cells)
{
	struct gpube_ctx *ctx = call->sink.ctx;
	const int64_t cells = gpube__cells(call->m, call->arity, call->scope);
	struct gpube_eval e = {.call = call};
	bool made = false;
	int32_t *p;
	int status;

	if (gpube__pairwise(call))
		return expand_pairs(call);
	p = gpube__alloc_zero(ctx, 2 * (uint64_t)call->arity + 1, sizeof(*p));
	if (!p)
		return gpube__sink_pass(&call->sink, GPUBE_ENOMEM);
	for (int k = 0; k < call->arity; k++)
		p[k] = call->m->vars[call->scope[k]].domain;
	status = gpube__eval_init(&e, call, p);
	if (!status && (cells < 0 || cells > table_cells))
		status = gpube__call_chain(&made, call, &e);
	if (!status && !made)
		status = cells < 0 || cells > GPUBE_EXPAND_CELLS
				 ? refuse_size(call, cells)
				 : expand_table(call, &e, p + call->arity);
	status = gpube__sink_pass(&call->sink, status);
	gpube__eval_clear(&e);
	gpube__free(ctx, p);
	return status;
}

int gpube__call_expand(struct gpube_call *call)
{
	return gpube__call_expand_within(
		call, call->no_hidden ? GPUBE_EXPAND_CELLS : GPUBE_TABLE_CELLS);
}
