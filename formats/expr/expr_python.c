/*
 * expr_python.c - the Python of pyDCOP's constraints: one expression, or a function's
 * body of several lines. See expr.h.
 *
 * Line breaks count only between statements; inside brackets they are blanks,
 * and so they are everywhere in a text that is one expression.
 */
#include "formats/expr/expr.h"

#include <ctype.h>
#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* Calls of functions of another file, which are parsed again for each of them. */
enum { MOST_CALLS = 1000, MOST_ARGUMENTS = 64 };

struct parser {
	struct gpube_expr_parser base;
	int brackets; /* open ones */
	bool lines;   /* the text is a body */
	int calls;    /* and kilobytes of the other file that were parsed */
	const char *start;
};

static int32_t make(struct parser *s, enum gpube_expr_op op, int32_t a, int32_t b, int32_t c)
{
	return gpube__expr_node(&s->base, op, a, b, c);
}

/* ---- tokens ------------------------------------------------------------------------------ */

static void skip_blanks(struct parser *s)
{
	bool across = s->brackets > 0 || !s->lines;
	const char *p = s->base.p;

	for (;;) {
		p += strspn(p, across ? " \t\n\v\f\r" : " \t\v\f\r");
		if (*p == '\\' && p[1] == '\n')
			p += 2;
		else if (*p == '#')
			p += strcspn(p, "\n");
		else
			break;
	}
	s->base.p = p;
}

/* Passes an operator that no longer one begins with. */
static bool pass(struct parser *s, const char *op)
{
	size_t n = strlen(op);

	skip_blanks(s);
	if (strncmp(s->base.p, op, n) != 0)
		return false;
	if (n == 1 && strchr("*/", *op) && s->base.p[1] == *op)
		return false;
	if (n == 1 && strchr("<>=", *op) && s->base.p[1] == '=')
		return false;
	s->base.p += n;
	return true;
}

static bool pass_word(struct parser *s, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(s);
	if (strspn(s->base.p, letters) != n || strncmp(s->base.p, word, n) != 0)
		return false;
	s->base.p += n;
	return true;
}

static int32_t unexpected(struct parser *s, const char *what)
{
	skip_blanks(s);
	if (!*s->base.p || *s->base.p == '\n')
		return gpube__expr_fail(&s->base, "expected %s, found the end", what);
	return gpube__expr_fail(&s->base, "expected %s, found '%.*s'", what,
		(int)strcspn(s->base.p, "\n") < 20 ? (int)strcspn(s->base.p, "\n") : 20, s->base.p);
}

/* The name that comes, which is passed; false after a failure. */
static bool read_name(struct parser *s, char name[256], const char *what)
{
	size_t n;

	skip_blanks(s);
	n = strspn(s->base.p, letters);
	if (n == 0)
		unexpected(s, what);
	else if (n > 255)
		gpube__expr_fail(&s->base, "a name of more than 255 letters");
	if (s->base.status)
		return false;
	memcpy(name, s->base.p, n);
	name[n] = 0;
	s->base.p += n;
	return true;
}

static bool close_bracket(struct parser *s, const char *bracket)
{
	bool closed = pass(s, bracket);

	s->brackets--;
	if (!closed)
		unexpected(s, *bracket == ')' ? "')'" : *bracket == ']' ? "']'" : "'}'");
	return closed;
}

/* ---- expressions ---------------------------------------------------------------------------- */

static int32_t parse_expression(struct parser *s);
static int32_t parse_sum(struct parser *s);
static int32_t parse_suite(struct parser *s, int indent);

/* One that three quotation marks enclose may have any in it. */
static int32_t parse_string(struct parser *s)
{
	const char *end, *text = s->base.p + 1, quote[] = {*s->base.p, *s->base.p, *s->base.p, 0};
	const bool three = strncmp(text, quote, 2) == 0 && strstr(text + 2, quote);
	struct gpube_value v = {GPUBE_VALUE_TEXT, 0, 0, NULL};

	text += three ? 2 : 0;
	end = three ? strstr(text, quote)
		    : text + strcspn(text, *quote == '"' ? "\"\\\n" : "'\\\n");
	if (*end != *quote)
		return gpube__expr_fail(&s->base, "a string without its end, or with a backslash");
	v.text = gpube__expr_text(&s->base, text, (size_t)(end - text));
	s->base.p = end + (three ? 3 : 1);
	return gpube__expr_constant(&s->base, v);
}

/* What follows "def NAME" or "NAME" at the beginning of a line of the other file; NULL: nothing. */
static const char *find_source(const struct parser *s, const char *before, const char *name, char c)
{
	const size_t n = strlen(before), length = strlen(name);

	for (const char *p = s->base.names->source; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, before, n) == 0 && strncmp(p + n, name, length) == 0 &&
			p[n + length + strspn(p + n + length, " ")] == c)
			return p + n + length + strspn(p + n + length, " ") + 1;
	}
	return NULL;
}

/* Reads the other file at p, where only what it says itself is known; ends with leave_source(). */
static struct parser enter_source(struct parser *s, const char *p)
{
	const struct parser outer = *s;

	if (++s->calls > MOST_CALLS || ++s->base.depth > GPUBE_EXPR_DEPTH)
		gpube__expr_fail(&s->base, "it calls too many functions of the source file");
	s->start = s->base.p = p;
	s->base.inside = true;
	s->base.visible = s->base.e->n_locals;
	s->lines = true;
	s->brackets = 0;
	return outer;
}

static void leave_source(struct parser *s, const struct parser *outer)
{
	const int status = s->base.status, calls = s->calls + (int)((s->base.p - s->start) / 1024);

	for (int64_t k = s->base.visible; k < s->base.e->n_locals; k++)
		*s->base.e->locals[k] = 0; /* nobody else means them */
	*s = *outer;
	s->base.status = status;
	s->calls = calls;
}

/* "a, b: int = 3)": each takes an argument, or what stands behind '='. */
static void parse_parameters(struct parser *s, int32_t *arguments, int n, int32_t item[2])
{
	char name[256];
	int k = 0;

	s->brackets++;
	for (; !s->base.status && !pass(s, ")"); k++) {
		if (!read_name(s, name, "a parameter"))
			return;
		if (pass(s, ":")) /* its type */
			s->base.p += strcspn(s->base.p, ",=)\n");
		if (pass(s, "=")) {
			const int32_t otherwise = parse_expression(s);

			if (k >= n && k < MOST_ARGUMENTS)
				arguments[n++] = otherwise;
		}
		if (k >= n || k == MOST_ARGUMENTS) {
			gpube__expr_fail(&s->base, "an argument for '%.40s' is missing", name);
			return;
		}
		gpube__expr_item(&s->base, item, arguments[k], gpube__expr_local(&s->base, name));
		pass(s, ",");
	}
	s->brackets--;
	if (k < n)
		gpube__expr_fail(
			&s->base, "a function takes %d argument%s, not %d", k, gpube__plural(k), n);
}

static int32_t parse_source_call(struct parser *s, const char *name, const char *def)
{
	int32_t arguments[MOST_ARGUMENTS + 1], item[2] = {-1, -1}, body;
	struct parser outer;
	int n = 0;

	if (!def)
		return gpube__expr_fail(
			&s->base, "function '%.40s' is not in the source file", name);
	for (s->brackets++; !s->base.status && !pass(s, ")") && n < MOST_ARGUMENTS; pass(s, ","))
		arguments[n++] = parse_expression(s);
	s->brackets--;
	outer = enter_source(s, def);
	parse_parameters(s, arguments, n, item);
	if (pass(s, "->"))
		s->base.p += strcspn(s->base.p, ":\n");
	body = s->base.status ? -1 : parse_suite(s, 0);
	leave_source(s, &outer);
	return make(s, GPUBE_OP_CALL, body, item[0], 0);
}

static int32_t parse_call(struct parser *s, const char *name)
{
	static const struct {
		const char *name;
		enum gpube_expr_op op;
		int least, most;
	} functions[] = {
		{"abs", GPUBE_OP_ABS, 1, 1},
		{"min", GPUBE_OP_MIN, 2, 1000},
		{"max", GPUBE_OP_MAX, 2, 1000},
		{"round", GPUBE_OP_ROUND, 1, 2},
		{"int", GPUBE_OP_INT, 1, 1},
		{"float", GPUBE_OP_FLOAT, 1, 1},
		{"pow", GPUBE_OP_POW, 2, 2},
	};
	const int n_functions = sizeof(functions) / sizeof(*functions);
	int32_t a = -1, b = -1;
	const char *def;
	int f = 0, n = 0;

	if (s->base.inside && (def = find_source(s, "def ", name, '(')))
		return parse_source_call(s, name, def);
	while (f < n_functions && strcmp(functions[f].name, name) != 0)
		f++;
	if (f == n_functions)
		return gpube__expr_fail(&s->base, "function '%.40s' is not supported", name);
	s->brackets++;
	do {
		int32_t x = parse_expression(s);

		if (s->base.status)
			return -1;
		if (n == functions[f].most)
			return gpube__expr_fail(&s->base, "%s() takes at most %d argument%s", name,
				n, gpube__plural(n));
		if (n >= 2)
			a = make(s, functions[f].op, a, b, 0);
		*(n == 0 ? &a : &b) = x;
		n++;
	} while (pass(s, ","));
	if (n < functions[f].least)
		return gpube__expr_fail(&s->base, "%s() takes %d argument%s", name,
			functions[f].least, gpube__plural(functions[f].least));
	if (!close_bracket(s, ")"))
		return -1;
	return make(s, functions[f].op, a, b, 0);
}

/* ".NAME(…)" of the other file */
static int32_t parse_source_name(struct parser *s)
{
	char name[256];

	s->base.p++;
	if (!read_name(s, name, "a function of the source file"))
		return -1;
	if (!pass(s, "("))
		return unexpected(s, "'(' behind a function of the source file");
	return parse_source_call(s, name, find_source(s, "def ", name, '('));
}

static int32_t parse_name(struct parser *s)
{
	const char *value;
	static const char *const reserved[] = {"if", "else", "elif", "and", "or", "not", "in", "is",
		"for", "while", "return", "lambda", "def", "import", NULL};
	char name[256];
	const char *start = s->base.p;

	if (!read_name(s, name, "an expression"))
		return -1;
	for (int k = 0; reserved[k]; k++)
		if (strcmp(reserved[k], name) == 0) {
			s->base.p = start;
			return unexpected(s, "an expression");
		}
	if (*s->base.p == '.' && strcmp(name, "source") == 0 && s->base.names->source)
		return parse_source_name(s);
	if (*s->base.p == '.' && strncmp(s->base.p, ".get(", 5) != 0)
		return gpube__expr_fail(&s->base,
			"'%.40s.%.*s': modules and external functions are not supported", name,
			(int)strspn(s->base.p + 1, letters), s->base.p + 1);
	if (pass(s, "("))
		return parse_call(s, name);
	if (strcmp(name, "True") == 0 || strcmp(name, "False") == 0)
		return gpube__expr_constant(
			&s->base, (struct gpube_value){GPUBE_VALUE_INT, *name == 'T', 0, NULL});
	value = s->base.inside ? find_source(s, "", name, '=') : NULL;
	if (value && *value != '=') {
		const struct parser outer = enter_source(s, value);
		int32_t node;

		node = parse_expression(s);
		leave_source(s, &outer);
		return node;
	}
	return gpube__expr_name(&s->base, name);
}

/* "[a, b]", "{a: b}", "(a, b)", or "(a)", which is a, behind the bracket */
static int32_t parse_items(struct parser *s, const char *close)
{
	const bool dict = *close == '}';
	int32_t item[2] = {-1, -1};
	bool comma = true;

	s->brackets++;
	while (!s->base.status && comma && (skip_blanks(s), *s->base.p != *close)) {
		const int32_t a = parse_expression(s);

		if (dict && !s->base.status && !pass(s, ":"))
			return unexpected(s, "':'");
		gpube__expr_item(&s->base, item, a, dict ? parse_expression(s) : -1);
		comma = pass(s, ",");
	}
	if (s->base.status || !close_bracket(s, close))
		return -1;
	if (*close == ')' && !comma && item[0] == item[1])
		return s->base.e->nodes[item[0]].a;
	return make(s, dict ? GPUBE_OP_DICT : GPUBE_OP_LIST, item[0], 0, 0);
}

static int32_t parse_atom(struct parser *s)
{
	skip_blanks(s);
	if (strchr("0123456789", *s->base.p) && *s->base.p)
		return gpube__expr_number(&s->base);
	if (*s->base.p == '.' && isdigit((unsigned char)s->base.p[1]))
		return gpube__expr_number(&s->base);
	if (*s->base.p == '"' || *s->base.p == '\'')
		return parse_string(s);
	if (pass(s, "("))
		return parse_items(s, ")");
	if (pass(s, "["))
		return parse_items(s, "]");
	if (pass(s, "{"))
		return parse_items(s, "}");
	if (strspn(s->base.p, letters))
		return parse_name(s);
	return unexpected(s, "an expression");
}

/* An atom, and "[x]" or ".get(x, y)" behind it. */
static int32_t parse_place(struct parser *s)
{
	int32_t node = parse_atom(s), index, otherwise = -1;

	for (;;) {
		const bool get = !s->base.status && pass(s, ".get(");

		if (s->base.status || (!get && !pass(s, "[")))
			return s->base.status ? -1 : node;
		s->brackets++;
		index = parse_expression(s);
		if (get && !s->base.status && pass(s, ","))
			otherwise = parse_expression(s);
		if (s->base.status || !close_bracket(s, get ? ")" : "]"))
			return -1;
		node = make(s, GPUBE_OP_AT, node, index, otherwise);
	}
}

struct operator
{
	const char *text;
	enum gpube_expr_op op;
};

/* Which of the operators comes, which is passed; that without a text: none. */
static const struct operator* pass_operator(struct parser *s, const struct operator* ops)
{
	while (ops->text && !pass(s, ops->text))
		ops++;
	return ops;
}

/* a + b - c, or other operators, of what 'part' parses */
static int32_t parse_operations(
	struct parser *s, const struct operator* ops, int32_t (*part)(struct parser *s))
{
	const struct operator* o;
	int32_t node = part(s);

	while (!s->base.status && (o = pass_operator(s, ops))->text)
		node = make(s, o->op, node, part(s), 0);
	return node;
}

/* -2 ** 2 is -(2 ** 2), and 2 ** -1 is allowed. */
static int32_t parse_factor(struct parser *s)
{
	int32_t node;

	if (++s->base.depth > GPUBE_EXPR_DEPTH)
		return gpube__expr_fail(&s->base, "it is nested too deeply");
	if (pass(s, "-"))
		node = make(s, GPUBE_OP_NEG, parse_factor(s), 0, 0);
	else if (pass(s, "+"))
		node = parse_factor(s);
	else {
		node = parse_place(s);
		if (!s->base.status && pass(s, "**"))
			node = make(s, GPUBE_OP_POW, node, parse_factor(s), 0);
	}
	s->base.depth--;
	return node;
}

static int32_t parse_product(struct parser *s)
{
	static const struct operator ops[] = {{"//", GPUBE_OP_FLOOR_DIV}, {"*", GPUBE_OP_MUL},
		{"/", GPUBE_OP_DIV}, {"%", GPUBE_OP_FLOOR_MOD}, {NULL, GPUBE_OP_PASS}};

	return parse_operations(s, ops, parse_factor);
}

static int32_t parse_sum(struct parser *s)
{
	static const struct operator ops[] = {
		{"+", GPUBE_OP_ADD}, {"-", GPUBE_OP_SUB}, {NULL, GPUBE_OP_PASS}};

	return parse_operations(s, ops, parse_product);
}

/* a < b <= c: a < b and b <= c */
static int32_t parse_comparison(struct parser *s)
{
	static const struct operator ops[] = {{"==", GPUBE_OP_EQ}, {"!=", GPUBE_OP_NE},
		{"<=", GPUBE_OP_LE}, {">=", GPUBE_OP_GE}, {"<", GPUBE_OP_LT}, {">", GPUBE_OP_GT},
		{NULL, GPUBE_OP_PASS}};
	int32_t left = parse_sum(s), all = -1;

	while (!s->base.status) {
		const struct operator* o = pass_operator(s, ops);
		const char *before = s->base.p;
		const bool negated = !o->text && pass_word(s, "not");
		int32_t one, right;

		if (!o->text && !pass_word(s, "in")) {
			s->base.p = before;
			break;
		}
		right = parse_sum(s);
		one = make(s, o->text ? o->op : GPUBE_OP_MEMBER, left, right, 0);
		if (negated)
			one = make(s, GPUBE_OP_NOT, one, 0, 0);
		all = all < 0 ? one : make(s, GPUBE_OP_AND_THEN, all, one, 0);
		left = right;
	}
	return all < 0 ? left : all;
}

static int32_t parse_not(struct parser *s)
{
	int32_t node;
	int n = 0;

	while (pass_word(s, "not"))
		n = n == 1 ? 2 : 1; /* of more, as many as matter */
	for (node = parse_comparison(s); n > 0; n--)
		node = make(s, GPUBE_OP_NOT, node, 0, 0);
	return node;
}

/* a and b and c, or with another word, of what 'part' parses */
static int32_t parse_chain(struct parser *s, const char *word, enum gpube_expr_op op,
	int32_t (*part)(struct parser *s))
{
	int32_t node = part(s);

	while (!s->base.status && pass_word(s, word))
		node = make(s, op, node, part(s), 0);
	return node;
}

static int32_t parse_and(struct parser *s)
{
	return parse_chain(s, "and", GPUBE_OP_AND_THEN, parse_not);
}

static int32_t parse_or(struct parser *s)
{
	return parse_chain(s, "or", GPUBE_OP_OR_ELSE, parse_and);
}

static int32_t parse_expression(struct parser *s)
{
	int32_t node, condition, otherwise;

	if (++s->base.depth > GPUBE_EXPR_DEPTH)
		return gpube__expr_fail(&s->base, "it is nested too deeply");
	node = parse_or(s);
	if (!s->base.status && pass_word(s, "if")) {
		condition = parse_or(s);
		if (!s->base.status && !pass_word(s, "else"))
			return unexpected(s, "'else'");
		otherwise = parse_expression(s);
		node = make(s, GPUBE_OP_COND, condition, node, otherwise);
	}
	s->base.depth--;
	return node;
}

/* ---- statements ---------------------------------------- */

/* Passes empty lines; the indentation of the next one, -1 at the end. */
static int next_line(struct parser *s)
{
	for (;;) {
		const char *line = s->base.p;
		int n = 0;

		for (; *line == ' ' || *line == '\t'; line++)
			n += *line == '\t' ? 8 - n % 8 : 1;
		if (*line == '#')
			line += strcspn(line, "\n");
		if (*line == '\r')
			line++;
		if (*line && *line != '\n')
			return n;
		if (!*line)
			return -1;
		s->base.p = line + 1;
	}
}

static int32_t parse_block(struct parser *s, int indent);

/* What follows a colon: a statement on the line, or lines that are indented more. */
static int32_t parse_simple(struct parser *s);

static int32_t parse_suite(struct parser *s, int indent)
{
	int inner;

	if (!pass(s, ":"))
		return unexpected(s, "':'");
	skip_blanks(s);
	if (*s->base.p && *s->base.p != '\n')
		return parse_simple(s);
	s->base.p += *s->base.p == '\n';
	inner = next_line(s);
	if (inner <= indent)
		return gpube__expr_fail(&s->base, "expected an indented line after ':'");
	return parse_block(s, inner);
}

static int32_t parse_if(struct parser *s, int indent)
{
	int32_t condition = parse_expression(s), then, otherwise = -1;
	const char *before;

	if (s->base.status)
		return -1;
	if (++s->base.depth > GPUBE_EXPR_DEPTH)
		return gpube__expr_fail(&s->base, "it is nested too deeply");
	then = parse_suite(s, indent);
	before = s->base.p;
	if (!s->base.status && next_line(s) == indent) {
		if (pass_word(s, "elif"))
			otherwise = parse_if(s, indent);
		else if (pass_word(s, "else"))
			otherwise = parse_suite(s, indent);
		else
			s->base.p = before;
	}
	s->base.depth--;
	return make(s, GPUBE_OP_IF, condition, then, otherwise);
}

static int32_t end_line(struct parser *s, int32_t node)
{
	skip_blanks(s);
	if (!s->base.status && *s->base.p && *s->base.p != '\n')
		return unexpected(s, "the end of the line");
	s->base.p += *s->base.p == '\n';
	return node;
}

static int32_t parse_simple(struct parser *s)
{
	static const struct operator changes[] = {{"+=", GPUBE_OP_ADD}, {"-=", GPUBE_OP_SUB},
		{"*=", GPUBE_OP_MUL}, {NULL, GPUBE_OP_PASS}};
	const struct operator* o;
	char name[256];
	int32_t value, slot, before = -1;
	bool quoted;

	if (pass_word(s, "return")) {
		value = parse_expression(s);
		return end_line(s, make(s, GPUBE_OP_RETURN, value, 0, 0));
	}
	skip_blanks(s);
	quoted = *s->base.p == '"' || *s->base.p == '\''; /* what the function is for */
	if (quoted ? parse_string(s) >= 0 : pass_word(s, "pass"))
		return end_line(s, make(s, GPUBE_OP_PASS, 0, 0, 0));
	if (!read_name(s, name, "a statement"))
		return -1;
	o = pass_operator(s, changes);
	if (o->text)
		before = gpube__expr_name(&s->base, name);
	else if (!pass(s, "="))
		return gpube__expr_fail(&s->base,
			"only if, return and assignments are supported, found '%.40s'", name);
	value = parse_expression(s);
	if (o->text)
		value = make(s, o->op, before, value, 0);
	slot = gpube__expr_local(&s->base, name);
	return end_line(s, make(s, GPUBE_OP_ASSIGN, value, slot, 0));
}

static int32_t parse_block(struct parser *s, int indent)
{
	int32_t first = -1, last = -1, node, link;

	if (++s->base.depth > GPUBE_EXPR_DEPTH)
		return gpube__expr_fail(&s->base, "it is nested too deeply");
	while (!s->base.status && next_line(s) == indent) {
		node = pass_word(s, "if") ? parse_if(s, indent) : parse_simple(s);
		link = make(s, GPUBE_OP_SEQ, node, -1, 0);
		if (s->base.status)
			return -1;
		if (last >= 0)
			s->base.e->nodes[last].b = link;
		else
			first = link;
		last = link;
	}
	if (!s->base.status && next_line(s) > indent)
		return gpube__expr_fail(&s->base, "a line is indented more than the one before");
	s->base.depth--;
	return first;
}

/* Does some line begin with 'return', or 'if …:' stand in front? */
static bool is_body(const char *text)
{
	for (const char *p = text; (p = strstr(p, "return")) != NULL; p += 6)
		if ((p == text || !strchr(letters, p[-1])) && !(p[6] && strchr(letters, p[6])))
			return true;
	return false;
}

int gpube__expr_python(struct gpube_expr *e, struct gpube_ctx *ctx, const char *text,
	const struct gpube_expr_names *names)
{
	struct parser s = {.lines = is_body(text)};
	int32_t root;

	gpube__expr_start(&s.base, e, ctx, text, names);
	if (s.lines) {
		root = parse_block(&s, next_line(&s));
		if (!s.base.status && next_line(&s) >= 0)
			gpube__expr_fail(&s.base, "a line is indented less than the first");
	} else {
		root = parse_expression(&s);
		skip_blanks(&s);
		if (!s.base.status && *s.base.p)
			unexpected(&s, "the end");
	}
	return gpube__expr_finish(&s.base, root);
}
