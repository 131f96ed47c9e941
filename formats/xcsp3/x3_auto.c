/* x3_auto.c - XCSP3: automata: regular, mdd and lex. See x3.h. */
#include <stdlib.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

enum { WORD_BITS = 62 };

/* ---- regular and mdd ------------------------------------------------------------------- */

struct transition {
	int64_t value;
	int32_t from, to;
};

/* Of an automaton, sorted by value and state. */
struct automaton {
	struct transition *t;
	int64_t n, capacity;
	int32_t n_states, start;
	bool *final;
	bool deterministic;
	struct gpube_names names;
};

static int find_state(struct gpube_x3 *r, struct automaton *a, const char *name, int32_t *state)
{
	const int32_t *known = gpube__names_find(&a->names, 0, name);

	if (known) {
		*state = *known;
		return GPUBE_OK;
	}
	*state = a->n_states++;
	return gpube__names_add(&a->names, 0, name, *state) ? gpube__x3_no_memory(r) : GPUBE_OK;
}

/* The state whose name is all of a text but the blanks around it. */
static int read_state(struct gpube_x3 *r, struct automaton *a, char *text, int32_t *state)
{
	char *name = text + strspn(text, BLANKS);
	const size_t n = strcspn(name, BLANKS);

	if (n == 0 || name[n + strspn(name + n, BLANKS)])
		return gpube__x3_expected(r, "a state", text, strlen(text));
	name[n] = 0;
	return find_state(r, a, name, state);
}

/* "(q0,3,q1)" or, with a range, (q0,1..4,q1) */
static int read_transition(struct gpube_x3 *r, struct automaton *a, const char *word, size_t n)
{
	char *from = *word == '(' ? gpube__x3_copy(r, word + 1, n - 2) : NULL;
	char *label = from ? strchr(from, ',') : NULL, *to = label ? strchr(label + 1, ',') : NULL;
	struct gpube_x3_interval in;
	const char *digits;
	struct transition t;

	if (!to || strchr(to + 1, ','))
		return r->in->status
			       ? r->in->status
			       : gpube__x3_expected(r, "a transition such as (a,0,b)", word, n);
	*label++ = 0;
	*to++ = 0;
	digits = label + strspn(label, BLANKS);
	if (read_state(r, a, from, &t.from) || read_state(r, a, to, &t.to) ||
		gpube__x3_range_at(r, &digits, &in, "a transition's value") ||
		gpube__in_charge(r->in, in.high - in.low, 2 * sizeof(t), "transitions"))
		return r->in->status;
	if (digits[strspn(digits, BLANKS)])
		return gpube__x3_expected(r, "an integer", label, strlen(label));
	for (t.value = in.low; t.value <= in.high; t.value++) {
		if (gpube__x3_grow(r, &a->t, &a->capacity, a->n + 1, sizeof(t)))
			return r->in->status;
		a->t[a->n++] = t;
	}
	return GPUBE_OK;
}

static int compare_transitions(const void *a, const void *b)
{
	const struct transition *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->from != y->from ? (x->from < y->from ? -1 : 1)
				  : (x->to > y->to) - (x->to < y->to);
}

/* "(a,0,b)(b,1,c)", blanks between or not. */
static int read_transitions(struct gpube_x3 *r, struct automaton *a, const char *p)
{
	while (*(p += strspn(p, BLANKS))) {
		const char *close = strchr(p, ')');

		if (!close)
			return gpube__in_error(r->in, "a transition without its ')'");
		if (read_transition(r, a, p, (size_t)(close + 1 - p)))
			return r->in->status;
		p = close + 1;
	}
	if (a->n == 0)
		return gpube__in_error(r->in, "an automaton without transitions");
	qsort(a->t, (size_t)a->n, sizeof(*a->t), compare_transitions);
	a->deterministic = true;
	for (int64_t k = 1; k < a->n; k++)
		if (a->t[k].value == a->t[k - 1].value && a->t[k].from == a->t[k - 1].from &&
			a->t[k].to != a->t[k - 1].to)
			a->deterministic = false;
	return GPUBE_OK;
}

/* The first transition that is not before (value, from). */
static int64_t first_transition(const struct automaton *a, int64_t value, int32_t from)
{
	int64_t low = 0, high = a->n;

	while (low < high) {
		const int64_t mid = (low + high) / 2;
		const struct transition *t = &a->t[mid];

		if (t->value < value || (t->value == value && t->from < from))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool step_state(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const struct automaton *a = m->data;
	const int64_t at = first_transition(a, value, (int32_t)state[0]);

	(void)k;
	if (at == a->n || a->t[at].value != value || a->t[at].from != state[0])
		return false;
	state[0] = a->t[at].to;
	return true;
}

static bool end_state(struct gpube_x3_machine *m, const int64_t *state)
{
	const struct automaton *a = m->data;

	return a->final[state[0]];
}

/* The states that it may be in, as bits; a second row of words is for the next ones. */
static bool step_states(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const struct automaton *a = m->data;
	const int64_t words = m->width / 2;
	int64_t *next = state + words, looked = words;
	bool any = false;

	(void)k;
	for (int64_t i = first_transition(a, value, 0); i < a->n && a->t[i].value == value; i++) {
		const struct transition *t = &a->t[i];

		looked++;
		if (!(state[t->from / WORD_BITS] >> t->from % WORD_BITS & 1))
			continue;
		next[t->to / WORD_BITS] |= (int64_t)1 << t->to % WORD_BITS;
		any = true;
	}
	memcpy(state, next, (size_t)words * sizeof(*state));
	memset(next, 0, (size_t)words * sizeof(*state));
	/* steps are paid for by the memory that states might take */
	return !gpube__in_charge(m->r->in, looked, 1, "automata that are read") && any;
}

static bool end_states(struct gpube_x3_machine *m, const int64_t *state)
{
	const struct automaton *a = m->data;

	for (int32_t s = 0; s < a->n_states; s++)
		if (a->final[s] && (state[s / WORD_BITS] >> s % WORD_BITS & 1))
			return true;
	return false;
}

static int run_automaton(struct gpube_x3 *r, const char *name, const struct automaton *a, int64_t n,
	const int32_t *vars)
{
	struct gpube_x3_machine m = {.r = r,
		.name = name,
		.n = n,
		.vars = vars,
		.width = 1,
		.step = step_state,
		.end = end_state,
		.data = a};
	int64_t *start;

	if (!a->deterministic) {
		m.width = 2 * ((a->n_states + WORD_BITS - 1) / WORD_BITS);
		m.step = step_states;
		m.end = end_states;
	}
	start = gpube__x3_temp(r, m.width, sizeof(*start));
	if (!start)
		return r->in->status;
	if (a->deterministic)
		start[0] = a->start;
	else
		start[a->start / WORD_BITS] = (int64_t)1 << a->start % WORD_BITS;
	m.start = start;
	return gpube__x3_run(&m);
}

static int read_regular(struct gpube_x3 *r, struct gpube_x3_node *node, struct automaton *a)
{
	struct gpube_x3_node *transitions = gpube__x3_need(r, node, "transitions");
	struct gpube_x3_node *start = transitions ? gpube__x3_need(r, node, "start") : NULL;
	struct gpube_x3_node *final = start ? gpube__x3_need(r, node, "final") : NULL;
	const char *text = final ? gpube__x3_text(r, transitions) : NULL, *word;
	int64_t n;
	int32_t *vars, state;
	size_t length;
	char *copy;

	if (!text || read_transitions(r, a, text))
		return r->in->status;
	text = gpube__x3_text(r, start);
	copy = text ? gpube__x3_copy(r, text, strlen(text)) : NULL;
	if (!copy || read_state(r, a, copy, &a->start) || !(text = gpube__x3_text(r, final)))
		return r->in->status;
	a->final = gpube__x3_temp(r, a->n_states + (int64_t)strlen(text) + 1, sizeof(*a->final));
	while (a->final && (word = gpube__x3_word(r, &text, &length)) && length) {
		word = gpube__x3_copy(r, word, length);
		if (!word || find_state(r, a, word, &state))
			return r->in->status;
		a->final[state] = true;
	}
	if (r->in->status || gpube__x3_main_vars(r, node, &n, &vars))
		return r->in->status;
	return run_automaton(r, "regular", a, n, vars);
}

/* The root is the state that no transition leads to, and those that none leaves are final. */
static int read_mdd(struct gpube_x3 *r, struct gpube_x3_node *node, struct automaton *a)
{
	struct gpube_x3_node *transitions = gpube__x3_need(r, node, "transitions");
	const char *text = transitions ? gpube__x3_text(r, transitions) : NULL;
	int32_t *vars;
	bool *entered;
	int64_t n;

	if (!text || read_transitions(r, a, text))
		return r->in->status;
	a->final = gpube__x3_temp(r, a->n_states, sizeof(*a->final));
	entered = gpube__x3_temp(r, a->n_states, sizeof(*entered));
	if (!a->final || !entered)
		return r->in->status;
	memset(a->final, true, (size_t)a->n_states * sizeof(*a->final));
	for (int64_t k = 0; k < a->n; k++) {
		a->final[a->t[k].from] = false;
		entered[a->t[k].to] = true;
	}
	a->start = -1;
	for (int32_t s = 0; s < a->n_states; s++) {
		if (entered[s])
			continue;
		if (a->start >= 0)
			return gpube__in_error(r->in, "an mdd with two roots");
		a->start = s;
	}
	if (a->start < 0)
		return gpube__in_error(r->in, "an mdd without a root");
	if (gpube__x3_main_vars(r, node, &n, &vars))
		return r->in->status;
	return run_automaton(r, "mdd", a, n, vars);
}

int gpube__x3_regular(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct automaton a = {0};

	gpube__names_init(&a.names, r->m->ctx);
	if (gpube__x3_is(node, "mdd"))
		read_mdd(r, node, &a);
	else
		read_regular(r, node, &a);
	gpube__names_clear(&a.names);
	return r->in->status;
}

/* ---- lex ------------------------------------------------------------------------------- */

struct order {
	bool increasing, strict;
};

/* Pairs, one after the other. state: whether it is decided, the first of the pair. */
static bool step_lex(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const struct order *o = m->data;
	int64_t first;

	if (state[0])
		return true;
	if (k % 2 == 0) {
		state[1] = value;
		return true;
	}
	first = state[1];
	state[1] = 0;
	state[0] = first != value;
	return first == value || (first < value) == o->increasing;
}

static bool end_lex(struct gpube_x3_machine *m, const int64_t *state)
{
	const struct order *o = m->data;

	return state[0] || !o->strict;
}

static int add_lex(struct gpube_x3 *r, const struct order *o, int64_t n, const int32_t *a,
	int64_t step_a, const int32_t *b, int64_t step_b)
{
	static const int64_t start[2];
	int32_t *vars = gpube__x3_temp(r, 2 * n, sizeof(*vars));
	struct gpube_x3_machine m = {.r = r,
		.name = "lex",
		.n = 2 * n,
		.vars = vars,
		.width = 2,
		.start = start,
		.step = step_lex,
		.end = end_lex,
		.data = o};

	if (!vars)
		return r->in->status;
	for (int64_t k = 0; k < n; k++) {
		vars[2 * k] = a[k * step_a];
		vars[2 * k + 1] = b[k * step_b];
	}
	return gpube__x3_run(&m);
}

int gpube__x3_lex(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *list = gpube__x3_child(node, "list");
	struct gpube_x3_node *matrix = gpube__x3_child(node, "matrix");
	int32_t *vars = NULL, *last = NULL;
	enum gpube_x3_operator op;
	int64_t n = 0, n_last = 0, size[2];
	struct order o;

	if (gpube__x3_operator(r, node, &op))
		return r->in->status;
	o.increasing = op == GPUBE_X3_LT || op == GPUBE_X3_LE;
	o.strict = op == GPUBE_X3_LT || op == GPUBE_X3_GT;
	if (matrix) {
		if (gpube__x3_matrix(r, matrix, size, &vars))
			return r->in->status;
		for (int64_t k = 0; k + 1 < size[0] && !r->in->status; k++)
			add_lex(r, &o, size[1], vars + k * size[1], 1, vars + (k + 1) * size[1], 1);
		for (int64_t k = 0; k + 1 < size[1] && !r->in->status; k++)
			add_lex(r, &o, size[0], vars + k, size[1], vars + k + 1, size[1]);
		return r->in->status;
	}
	if (!list || !list->next)
		return gpube__in_error(r->in, "<lex> needs two lists or a <matrix>");
	for (; list; list = gpube__x3_next(list)) {
		last = vars;
		n_last = n;
		if (gpube__x3_vars(r, list, &n, &vars))
			return r->in->status;
		if (last && n != n_last)
			return gpube__in_error(r->in, "lists of <lex> that differ in length");
		if (last && add_lex(r, &o, n, last, 1, vars, 1))
			return r->in->status;
	}
	return GPUBE_OK;
}
