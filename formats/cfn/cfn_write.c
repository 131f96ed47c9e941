/*
 * cfn_write.c - a model to toulbar2's .cfn, as proper JSON.
 *
 * toulbar2 1.1.1 has no "inf" and misreads some of what the format allows, so:
 * a forbidden tuple is a cost that no other can make up for; dense tables of
 * four and more variables have minimum 0, the rest being in the constant; the
 * bound has all decimals of the costs, since toulbar2 drops those that it has
 * not. It loses the sign of a bound between -1 and 0, which is another one
 * wherever that excludes the same.
 * What toulbar2 cannot hold anyway (survey->wide) is written as the model has it, with "inf".
 */
#include <stdio.h>
#include <string.h>

#include "gpube/base/names.h"
#include "gpube/options/options.h"
#include "formats/common/registry.h"
#include "formats/common/survey.h"

enum { SPACE_VARIABLES, SPACE_FUNCTIONS };

struct writer {
	const struct gpube_model *m;
	struct gpube_out *out;
	struct gpube_survey survey;
	struct gpube_names names;
	char **made; /* names that are not the model's */
	int64_t n_made, made_capacity;
	const char **vars;      /* by variable; NULL: none has a name */
	const char **functions; /* by function; NULL: none needs a name */
	int32_t *last_user;     /* by table: the last function that holds it */
	int64_t bound;          /* of the minimisation */
	int64_t meant;          /* the same before keep_sign(): what reaches it is forbidden */
	int32_t *domains, *tuple;
	bool any; /* a function has been written */
};

/* ---- names ------------------------------------------------------------------------- */

/* Would toulbar2 read it back as one word that is not a number? */
static bool usable(const char *name)
{
	if (!name || !*name || strchr("0123456789-+.", *name) || strlen(name) > 4000)
		return false;
	for (; *name; name++)
		if ((unsigned char)*name <= ' ' || *name == 0x7f || strchr("/#[]{}:,\"\\", *name))
			return false;
	return true;
}

/* The name as it can be written: 14 as v14, two words as two_words; NULL: it cannot. */
static const char *tidy(char text[256], const char *name, char letter)
{
	size_t n = 0;

	if (!name || !*name || strlen(name) > 200)
		return NULL;
	if (strchr("0123456789-+.", *name))
		text[n++] = letter;
	for (; *name; name++) {
		const bool odd = (unsigned char)*name <= ' ' || *name == 0x7f ||
				 strchr("/#[]{}:,\"\\", *name);

		text[n++] = odd ? '_' : *name;
	}
	text[n] = 0;
	return text;
}

/* A copy that lasts as long as the writer. */
static const char *keep(struct writer *w, const char *text)
{
	struct gpube_ctx *ctx = w->m->ctx;
	char *copy;

	if (gpube__grow(ctx, &w->made, &w->made_capacity, w->n_made + 1, sizeof(*w->made)))
		return NULL;
	copy = gpube__strdup(ctx, text);
	if (copy)
		w->made[w->n_made++] = copy;
	return copy;
}

/*
 * A new name: the thing's own as it can be written, or one like "x12", with underscores as long as
 * it is not unique.
 */
static const char *make_name(
	struct writer *w, int32_t space, char letter, int32_t number, const char *own)
{
	char text[256];
	const char *copy;
	size_t n;

	if (!tidy(text, own, letter) || gpube__names_find(&w->names, space, text)) {
		n = (size_t)snprintf(text, 64, "%c%d", letter, number);
		while (gpube__names_find(&w->names, space, text) && n < 63) {
			text[n++] = '_';
			text[n] = 0;
		}
	}
	copy = keep(w, text);
	return copy && !gpube__names_add(&w->names, space, copy, number) ? copy : NULL;
}

/*
 * Gives each of n things a usable name; 'name' returns the model's own.
 * Those come first, so that a made one never takes them.
 */
static int choose_names(struct writer *w, const char **names, int32_t space, char letter,
	const char *(*name)(const struct gpube_model *, int32_t), int32_t n)
{
	int32_t n_replaced = 0, first = 0;

	for (int32_t i = 0; i < n; i++) {
		const char *own = name(w->m, i);

		names[i] = NULL;
		if (!usable(own) || gpube__names_find(&w->names, space, own)) {
			first = n_replaced || !own ? first : i;
			n_replaced += own != NULL;
			continue;
		}
		if (gpube__names_add(&w->names, space, own, i))
			return GPUBE_ENOMEM;
		names[i] = own;
	}
	for (int32_t i = 0; i < n; i++)
		if (!names[i]) {
			names[i] = make_name(w, space, letter, i, name(w->m, i));
			if (!names[i])
				return GPUBE_ENOMEM;
		}
	if (n_replaced)
		gpube__log(w->m->ctx, GPUBE_LOG_NOTE,
			"%s: %d name%s of %s cannot be written: '%.40s' becomes '%.40s'%s",
			w->out->path, n_replaced, gpube__plural(n_replaced),
			letter == 'x' ? "variables" : "functions", name(w->m, first), names[first],
			n_replaced > 1 ? ", and so on" : "");
	return GPUBE_OK;
}

static const char *variable_name(const struct gpube_model *m, int32_t i)
{
	return m->vars[i].name;
}

static const char *function_name(const struct gpube_model *m, int32_t f)
{
	return m->functions[f].name;
}

/* Only tables of two or three variables may be shared. */
static bool shares(const struct gpube_table *t)
{
	return t->n_users > 1 && (t->arity == 2 || t->arity == 3);
}

static int prepare_names(struct writer *w)
{
	const struct gpube_model *m = w->m;
	bool vars = false, functions = false;

	for (int32_t i = 0; i < m->n_vars; i++)
		vars = vars || m->vars[i].name;
	for (int32_t f = 0; f < m->n_functions; f++)
		functions = functions || m->functions[f].name || shares(gpube__table(m, f));
	if (vars) {
		w->vars = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*w->vars));
		if (!w->vars ||
			choose_names(w, w->vars, SPACE_VARIABLES, 'x', variable_name, m->n_vars))
			return GPUBE_ENOMEM;
	}
	if (functions) {
		w->functions =
			gpube__alloc(m->ctx, (uint64_t)m->n_functions, sizeof(*w->functions));
		if (!w->functions || choose_names(w, w->functions, SPACE_FUNCTIONS, 'f',
					     function_name, m->n_functions))
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* ---- costs --------------------------------------------------------------------------- */

static int64_t one_of(const struct writer *w)
{
	int64_t one = 1;

	for (int k = 0; k < w->m->scale; k++) /* at most 18 */
		one *= 10;
	return one;
}

/*
 * A bound with a sign that toulbar2 keeps: one that excludes everything if this one does, or
 * nothing. Otherwise there is none, and totals cannot be moved: they are what the caller compares.
 */
static int keep_sign(struct writer *w)
{
	const struct gpube_opts *o = w->out->opts;
	const bool minimise = w->m->direction == GPUBE_MINIMISE;
	const int64_t one = one_of(w), written = minimise ? w->bound : -w->bound;

	/* "-0.5" */
	if (written >= 0 || written <= -one)
		return GPUBE_OK;
	if (w->survey.least >= w->bound) {
		w->bound = minimise ? -one : 0;
		return GPUBE_OK;
	}
	if (w->survey.most_below < w->bound) {
		w->bound = minimise ? 0 : one;
		return GPUBE_OK;
	}
	if (!o || o->signed_too || !(o->wide || o->lossy))
		return gpube__fail(w->m->ctx, GPUBE_ERANGE,
			"the bound lies between -1 and 0, and toulbar2 would read it without its "
			"sign: write a .wcsp");
	gpube__log(w->m->ctx, GPUBE_LOG_NOTE,
		"%s: the bound lies between -1 and 0: toulbar2 reads it without its sign, and then "
		"accepts assignments that are forbidden here, or none at all",
		w->out->path);
	return GPUBE_OK;
}

/* A number of the minimisation, as the model has it. */
static void write_cost(struct writer *w, int64_t v)
{
	gpube__out_decimal(w->out, w->m->direction == GPUBE_MINIMISE ? v : -v, w->m->scale);
}

/* The cost of a tuple with which, and the least of all else, a bound is reached. */
static int64_t forbidden_by(const struct writer *w, int32_t table, int64_t bound)
{
	const __int128 reach = bound - w->survey.least;

	return w->survey.min[table] + (reach > 1 ? (int64_t)reach : 1);
}

static void write_table_cost(struct writer *w, int32_t table, int64_t cost, int64_t shift)
{
	int64_t v = gpube__minimised(w->m, cost), most;

	if (w->survey.wide && v == GPUBE_INF) {
		gpube__out_text(w->out, "inf");
		return;
	}
	most = w->survey.wide ? v : forbidden_by(w, table, w->bound);
	if (!w->survey.wide && v >= forbidden_by(w, table, w->meant))
		v = most; /* GPUBE_INF is above all */
	write_cost(w, (v > most ? most : v) - shift);
}

/* Will the table be listed with a default? That takes fewer numbers, usually. */
static bool with_default(const struct gpube_table *t, int64_t *dflt)
{
	int64_t n_usual;

	*dflt = gpube__usual_cost(t, &n_usual);
	return t->sparse || (t->arity > 0 && (t->n - n_usual) < t->n / (t->arity + 1));
}

/* What a dense table is shifted by. */
static int64_t shift_of(const struct writer *w, int32_t table)
{
	const struct gpube_table *t = &w->m->tables[table];
	int64_t dflt;

	return !w->survey.wide && t->arity >= 4 && !with_default(t, &dflt) ? w->survey.min[table]
									   : 0;
}

/* ---- text ------------------------------------------------------------------------------ */

/* 0, 1, 2 and so on, which need no names. */
static bool are_indices(const struct gpube_variable *x)
{
	char text[16];

	for (int32_t a = 0; a < x->domain; a++) {
		snprintf(text, sizeof(text), "%d", a);
		if (strcmp(x->value_names[a], text) != 0)
			return false;
	}
	return true;
}

/* The names by which its values are written; *named: there are such, and none is there twice. */
static int names_values(
	bool *named, const char **names, struct writer *w, const struct gpube_variable *x)
{
	struct gpube_names seen;
	int status = GPUBE_OK;
	char text[256];

	gpube__names_init(&seen, w->m->ctx);
	*named = true;
	for (int32_t a = 0; *named && !status && a < x->domain; a++) {
		names[a] = x->value_names[a];
		if (!usable(names[a])) {
			names[a] = tidy(text, names[a], 'v');
			if (names[a] && !(names[a] = keep(w, text)))
				status = GPUBE_ENOMEM;
		}
		*named = names[a] && !gpube__names_find(&seen, 0, names[a]);
		if (*named)
			status = gpube__names_add(&seen, 0, names[a], a);
	}
	gpube__names_clear(&seen);
	return status;
}

/* The names of a variable's values, or how many there are. */
static int write_values(struct writer *w, const struct gpube_variable *x, int32_t *n_lost)
{
	const char **names;
	bool named = x->value_names && !are_indices(x);
	int status = GPUBE_OK;

	if (!named) {
		gpube__out_int(w->out, x->domain);
		return GPUBE_OK;
	}
	names = gpube__alloc(w->m->ctx, (uint64_t)x->domain, sizeof(*names));
	status = names ? names_values(&named, names, w, x) : GPUBE_ENOMEM;
	for (int32_t a = 0; !status && named && a < x->domain; a++) {
		gpube__out_text(w->out, a ? ", \"" : "[\"");
		gpube__out_text(w->out, names[a]);
		gpube__out_text(w->out, a + 1 < x->domain ? "\"" : "\"]");
	}
	if (!status && !named)
		gpube__out_int(w->out, x->domain);
	*n_lost += !named;
	gpube__free(w->m->ctx, names);
	return status;
}

static int write_variables(struct writer *w)
{
	const struct gpube_model *m = w->m;
	int32_t n_lost = 0;

	gpube__out_text(w->out, w->vars ? "  \"variables\": {" : "  \"variables\": [");
	for (int32_t i = 0; i < m->n_vars; i++) {
		gpube__out_text(w->out, i ? ",\n    " : "\n    ");
		if (w->vars)
			gpube__out_printf(w->out, "\"%s\": ", w->vars[i]);
		if (write_values(w, &m->vars[i], &n_lost))
			return GPUBE_ENOMEM;
	}
	gpube__out_text(w->out, w->vars ? "\n  },\n" : "\n  ],\n");
	if (n_lost)
		gpube__log(m->ctx, GPUBE_LOG_NOTE,
			"%s: the value names of %d variable%s cannot be written", w->out->path,
			n_lost, gpube__plural(n_lost));
	return GPUBE_OK;
}

/* The beginning of a function up to its costs. */
static void write_scope(struct writer *w, const char *name, int arity, const int32_t *scope)
{
	gpube__out_text(w->out, w->any ? ",\n    " : "\n    ");
	w->any = true;
	if (w->functions)
		gpube__out_printf(w->out, "\"%s\": ", name);
	gpube__out_text(w->out, "{\"scope\": [");
	for (int k = 0; k < arity; k++) {
		gpube__out_text(w->out, k ? ", " : "");
		if (w->vars)
			gpube__out_printf(w->out, "\"%s\"", w->vars[scope[k]]);
		else
			gpube__out_int(w->out, scope[k]);
	}
	gpube__out_text(w->out, "]");
}

static void write_listing(struct writer *w, const struct gpube_table *t, int32_t table)
{
	int64_t shift = shift_of(w, table);

	gpube__out_text(w->out, ", \"costs\": [");
	if (t->n == 0) /* of no variables, and sparse */
		write_table_cost(w, table, t->dflt.i, shift);
	for (int64_t k = 0; k < t->n; k++) {
		gpube__out_text(w->out, k == 0 ? "" : k % 32 ? ", " : ",\n      ");
		write_table_cost(w, table, gpube__table_int(t, k), shift);
	}
	gpube__out_text(w->out, "]}");
}

static void write_tuples(struct writer *w, const struct gpube_table *t, int32_t table, int64_t dflt)
{
	struct gpube_cells_walk cells;
	int64_t value;
	bool first = true;

	gpube__out_text(w->out, ", \"defaultcost\": ");
	write_table_cost(w, table, dflt, 0);
	gpube__out_text(w->out, ", \"costs\": [");
	gpube__cells_begin(&cells, t, w->domains, w->tuple);
	while (gpube__cells_next(&cells, &value)) {
		if (value == dflt && !t->sparse)
			continue;
		gpube__out_text(w->out, first ? "\n      " : ",\n      ");
		first = false;
		for (int k = 0; k < t->arity; k++) {
			gpube__out_int(w->out, w->tuple[k]);
			gpube__out_text(w->out, ", ");
		}
		write_table_cost(w, table, value, 0);
	}
	gpube__out_text(w->out, "]}");
}

static void write_function(struct writer *w, int32_t f)
{
	const struct gpube_model *m = w->m;
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	int32_t table = m->functions[f].table, last = w->last_user[table];
	int64_t dflt;

	for (int k = 0; k < t->arity; k++)
		w->domains[k] = m->vars[scope[k]].domain;
	write_scope(w, w->functions ? w->functions[f] : NULL, t->arity, scope);
	if (w->functions && shares(t) && f != last)
		gpube__out_printf(w->out, ", \"costs\": \"%s\"}", w->functions[last]);
	else if (with_default(t, &dflt) && t->arity > 0)
		write_tuples(w, t, table, dflt);
	else
		write_listing(w, t, table);
}

/* The constant, with what the tables were shifted by. */
static __int128 constant_of(const struct writer *w)
{
	__int128 c = gpube__minimised(w->m, w->m->constant);

	for (int32_t f = 0; f < w->m->n_functions; f++)
		c += shift_of(w, w->m->functions[f].table);
	return c;
}

static int write_constant(struct writer *w)
{
	const __int128 c = constant_of(w);
	const char *name = NULL;

	if (c == 0)
		return GPUBE_OK;
	if (w->functions) {
		name = make_name(w, SPACE_FUNCTIONS, 'c', 0, NULL);
		if (!name)
			return GPUBE_ENOMEM;
	}
	write_scope(w, name, 0, NULL);
	gpube__out_text(w->out, ", \"costs\": [");
	write_cost(w, (int64_t)c);
	gpube__out_text(w->out, "]}");
	return GPUBE_OK;
}

static int write_all(struct writer *w)
{
	const struct gpube_model *m = w->m;
	const char *name = usable(m->name) ? m->name : "gpube";
	int status;

	gpube__out_printf(w->out, "{\n  \"problem\": {\"name\": \"%s\", \"mustbe\": \"%c", name,
		m->direction == GPUBE_MINIMISE ? '<' : '>');
	write_cost(w, w->bound);
	gpube__out_text(w->out, "\"},\n");
	status = write_variables(w);
	if (status)
		return status;
	gpube__out_text(w->out, w->functions ? "  \"functions\": {" : "  \"functions\": [");
	status = write_constant(w);
	for (int32_t f = 0; f < m->n_functions && !status && !w->out->status; f++)
		write_function(w, f);
	gpube__out_text(w->out, w->functions ? "\n  }\n}\n" : "\n  ]\n}\n");
	return status ? status : w->out->status;
}

static bool held(__int128 v)
{
	return v <= GPUBE_TOULBAR2_MAX && v >= -GPUBE_TOULBAR2_MAX;
}

static int prepare_bound(struct writer *w)
{
	int status = gpube__bound_to_write(&w->bound, &w->survey, w->out);

	w->meant = w->bound;
	if (status || w->survey.wide)
		return status;
	/* toulbar2 moves the least of each function into one sum */
	if (held(constant_of(w)) && gpube__sum_of_least(&w->survey) <= GPUBE_TOULBAR2_MAX)
		return keep_sign(w);
	if (gpube__write_wide(&w->bound, &w->survey, w->out))
		return GPUBE_OK;
	return gpube__fail(w->m->ctx, GPUBE_ERANGE,
		"a cost or the constant passes %lld, the most that toulbar2 reads exactly: scale "
		"the costs down",
		(long long)GPUBE_TOULBAR2_MAX);
}

static void tell(const struct writer *w)
{
	struct gpube_written *to = w->out->opts ? w->out->opts->written : NULL;

	if (to)
		*to = (struct gpube_written){.known = 1,
			.decimals = w->m->scale,
			.top = w->m->direction == GPUBE_MINIMISE ? w->bound : -w->bound};
}

static int prepare(struct writer *w)
{
	const struct gpube_model *m = w->m;
	int32_t widest = 0;
	int status = gpube__survey_init(&w->survey, m);

	if (!status)
		status = prepare_bound(w);
	if (!status)
		status = prepare_names(w);
	if (status)
		return status;
	for (int32_t f = 0; f < m->n_functions; f++)
		if (m->functions[f].arity > widest)
			widest = m->functions[f].arity;
	w->domains = gpube__alloc(m->ctx, 2 * (uint64_t)widest + 1, sizeof(*w->domains));
	w->last_user = gpube__alloc_zero(m->ctx, (uint64_t)m->n_tables + 1, sizeof(*w->last_user));
	if (!w->domains || !w->last_user)
		return GPUBE_ENOMEM;
	w->tuple = w->domains + widest;
	for (int32_t f = 0; f < m->n_functions; f++)
		w->last_user[m->functions[f].table] = f;
	return GPUBE_OK;
}

int gpube__cfn_write(const struct gpube_model *m, struct gpube_out *out)
{
	struct writer w = {.m = m, .out = out};
	int status;

	gpube__names_init(&w.names, m->ctx);
	status = prepare(&w);
	if (!status)
		status = write_all(&w);
	tell(&w);
	for (int64_t k = 0; k < w.n_made; k++)
		gpube__free(m->ctx, w.made[k]);
	GPUBE_FREE_ALL(m->ctx, w.made, w.vars, w.functions, w.last_user, w.domains);
	gpube__names_clear(&w.names);
	gpube__survey_clear(&w.survey, m->ctx);
	return status;
}
