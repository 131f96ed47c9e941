/*
 * x3_words.c - XCSP3: texts with their arguments, words and integers; simple attributes. See x3.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

/* ---- texts ----------------------------------------------------------------------------- */

int gpube__x3_expected(struct gpube_x3 *r, const char *what, const char *text, size_t n)
{
	for (; n && strchr(BLANKS, *text); n--)
		text++;
	while (n && strchr(BLANKS, text[n - 1]))
		n--;
	if (n == 0)
		return gpube__in_error(r->in, "expected %s, found nothing", what);
	return gpube__in_error(r->in, "expected %s, found '%.*s%s'", what, n > 40 ? 40 : (int)n,
		text, n > 40 ? "..." : "");
}

int gpube__x3_append(struct gpube_x3 *r, struct gpube_x3_text *t, const char *bytes, size_t n)
{
	if (gpube__x3_grow(r, &t->bytes, &t->capacity, t->n + (int64_t)n + 1, 1))
		return r->in->status;
	memcpy(t->bytes + t->n, bytes, n);
	t->n += (int64_t)n;
	t->bytes[t->n] = 0;
	return GPUBE_OK;
}

int gpube__x3_vput(struct gpube_x3 *r, struct gpube_x3_text *t, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0) /* 2^31 bytes and more */
		return gpube__in_fail(r->in, GPUBE_ERANGE, "an expression of too many bytes");
	if (gpube__x3_grow(r, &t->bytes, &t->capacity, t->n + n + 1, 1))
		return r->in->status;
	vsnprintf(t->bytes + t->n, (size_t)n + 1, fmt, ap);
	t->n += n;
	return GPUBE_OK;
}

int gpube__x3_put(struct gpube_x3 *r, struct gpube_x3_text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	gpube__x3_vput(r, t, fmt, ap);
	va_end(ap);
	return r->in->status;
}

void gpube__x3_term_text(char text[32], struct gpube_x3_term t)
{
	/* a byte that is in no XML stands for the number of a variable: some have no name */
	if (t.var >= 0)
		snprintf(text, 32, "\001%d", t.var);
	else
		snprintf(text, 32, "%lld", (long long)t.value);
}

int gpube__x3_put_term(
	struct gpube_x3 *r, struct gpube_x3_text *t, struct gpube_x3_term term, const char *behind)
{
	char text[32];

	gpube__x3_term_text(text, term);
	return gpube__x3_put(r, t, "%s%s", text, behind);
}

/* %3, or %... for all that no number stands for. */
static int put_argument(struct gpube_x3 *r, struct gpube_x3_text *t, const char **p)
{
	int64_t k = 0;

	if (strncmp(*p, "%...", 4) == 0) {
		*p += 4;
		for (k = r->first_rest; k < r->n_args; k++)
			if (gpube__x3_append(r, t, r->args[k], strlen(r->args[k])) ||
				gpube__x3_append(r, t, " ", 1))
				return r->in->status;
		return GPUBE_OK;
	}
	if ((*p)[1] < '0' || (*p)[1] > '9')
		return gpube__in_error(r->in, "expected a number or '...' behind '%%'");
	for (++*p; **p >= '0' && **p <= '9'; ++*p)
		k = k < INT32_MAX ? 10 * k + **p - '0' : k;
	if (k >= r->n_args)
		return gpube__in_error(r->in, "expected an argument for %%%lld, found %lld in all",
			(long long)k, (long long)r->n_args);
	return gpube__x3_append(r, t, r->args[k], strlen(r->args[k]));
}

const char *gpube__x3_text(struct gpube_x3 *r, const struct gpube_x3_node *node)
{
	const char *p = node->text ? node->text : "";
	struct gpube_x3_text t = {0};

	r->in->line = r->in_group ? r->in->line : node->line;
	/* a group says much in few bytes */
	if (r->in_group && gpube__in_charge(r->in, node->n_text + 16, 4, "constraints of a group"))
		return NULL;
	if (!r->in_group || !strchr(p, '%'))
		return p;
	while (*p) {
		const size_t n = strcspn(p, "%");

		if (gpube__x3_append(r, &t, p, n))
			return NULL;
		p += n;
		if (*p && put_argument(r, &t, &p))
			return NULL;
	}
	if (gpube__in_charge(r->in, t.n, 4, "constraints of a group"))
		return NULL;
	return t.bytes;
}

const char *gpube__x3_word(struct gpube_x3 *r, const char **p, size_t *n)
{
	const char *word;
	int depth = 0;

	gpube__x3_skip(r, p);
	word = *p;
	for (; **p && (depth > 0 || !strchr(BLANKS, **p)); ++*p)
		depth += **p == '(' ? 1 : **p == ')' ? -1 : 0;
	*n = (size_t)(*p - word);
	return word;
}

/* ---- integers -------------------------------------------------------------------------- */

int gpube__x3_integer(struct gpube_x3 *r, const char **p, int64_t *v, const char *what)
{
	const char *digits = *p + (**p == '-' || **p == '+');
	const size_t n = strspn(digits, DIGITS);
	int64_t sum = 0;

	if (n == 0)
		return gpube__x3_expected(r, what, *p, strcspn(*p, BLANKS));
	if (n > 18) {
		char number[48];

		snprintf(number, sizeof(number), "%.*s", n > 40 ? 40 : (int)n, *p);
		return gpube__in_too_large(r->in, INT64_C(999999999999999999), what, number);
	}
	for (size_t k = 0; k < n; k++)
		sum = 10 * sum + digits[k] - '0';
	*v = **p == '-' ? -sum : sum;
	*p = digits + n;
	return GPUBE_OK;
}

int gpube__x3_expect_end(struct gpube_x3 *r, const char *p, const char *end, const char *what)
{
	return p == end ? GPUBE_OK : gpube__x3_expected(r, what, p, (size_t)(end - p));
}

void gpube__x3_skip(struct gpube_x3 *r, const char **p)
{
	for (; **p && strchr(BLANKS, **p); ++*p)
		r->in->line += **p == '\n' && !r->in_group;
}

int gpube__x3_expect(struct gpube_x3 *r, const char **p, char c)
{
	const char what[] = {'\'', c, '\'', 0};

	gpube__x3_skip(r, p);
	if (**p != c)
		return gpube__x3_expected(r, what, *p, **p != 0);
	++*p;
	return GPUBE_OK;
}

int gpube__x3_range_at(
	struct gpube_x3 *r, const char **p, struct gpube_x3_interval *in, const char *what)
{
	if (gpube__x3_integer(r, p, &in->low, what))
		return r->in->status;
	in->high = in->low;
	if ((*p)[0] != '.' || (*p)[1] != '.')
		return GPUBE_OK;
	*p += 2;
	if (gpube__x3_integer(r, p, &in->high, "the end of a range"))
		return r->in->status;
	return in->low <= in->high ? GPUBE_OK
				   : gpube__in_error(r->in, "an empty range, %lld..%lld",
					     (long long)in->low, (long long)in->high);
}

int gpube__x3_intervals(
	struct gpube_x3 *r, const char *text, struct gpube_x3_interval **set, int64_t *n)
{
	int64_t capacity = 0;
	const char *word;
	size_t length;

	*n = 0;
	*set = NULL;
	while ((word = gpube__x3_word(r, &text, &length)) && length) {
		const char *end = word + length;

		if (gpube__x3_grow(r, set, &capacity, *n + 1, sizeof(**set)) ||
			gpube__x3_range_at(r, &word, &(*set)[(*n)++], "an integer or a range") ||
			gpube__x3_expect_end(r, word, end, "a blank behind an integer"))
			return r->in->status;
	}
	return r->in->status;
}

int gpube__x3_push(struct gpube_x3 *r, struct gpube_x3_list *list, struct gpube_x3_term t)
{
	if (gpube__x3_grow(r, &list->terms, &list->capacity, list->n + 1, sizeof(t)))
		return r->in->status;
	list->terms[list->n++] = t;
	return GPUBE_OK;
}

int64_t *gpube__x3_numbers(struct gpube_x3 *r, const struct gpube_x3_list *list)
{
	int64_t *values = gpube__x3_temp(r, list->n + 1, sizeof(*values));

	for (int64_t k = 0; k < list->n && values; k++)
		values[k] = list->terms[k].value;
	return values;
}

/* ---- conditions and attributes ------------------------------------------------------------ */

const char *const gpube__x3_operators[] = {"lt", "le", "eq", "ne", "ge", "gt", "in", "notin"};

bool gpube__x3_holds(const struct gpube_x3_condition *c, __int128 left, __int128 right)
{
	int64_t low = 0, high = c->n;
	bool in;

	switch (c->op) {
	case GPUBE_X3_LT:
		return left < right;
	case GPUBE_X3_LE:
		return left <= right;
	case GPUBE_X3_EQ:
		return left == right;
	case GPUBE_X3_NE:
		return left != right;
	case GPUBE_X3_GE:
		return left >= right;
	case GPUBE_X3_GT:
		return left > right;
	default:
		while (low < high) { /* the first that does not end before */
			const int64_t mid = (low + high) / 2;

			if (c->set[mid].high < left)
				low = mid + 1;
			else
				high = mid;
		}
		in = low < c->n && c->set[low].low <= left;
		return in == (c->op == GPUBE_X3_IN);
	}
}

int gpube__x3_start(struct gpube_x3 *r, struct gpube_x3_node *node, int64_t *start)
{
	const char *given = gpube__x3_attribute(node, "startIndex"), *text = given;

	*start = 0;
	if (!text)
		return GPUBE_OK;
	if (gpube__x3_integer(r, &text, start, "an index in 'startIndex'"))
		return r->in->status;
	if (*text || *start > INT32_MAX || *start < -INT32_MAX)
		return gpube__x3_expected(r, "an index in 'startIndex'", given, strlen(given));
	return GPUBE_OK;
}

int gpube__x3_flag(
	struct gpube_x3 *r, struct gpube_x3_node *node, const char *name, bool dflt, bool *yes)
{
	const char *text = gpube__x3_attribute(node, name);

	*yes = dflt;
	if (!text)
		return GPUBE_OK;
	*yes = strcmp(text, "true") == 0;
	if (!*yes && strcmp(text, "false") != 0)
		return gpube__in_error(
			r->in, "expected true or false in '%s', found '%.40s'", name, text);
	return GPUBE_OK;
}
