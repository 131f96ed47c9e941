/* options.c - options by name: the public object, its setters and what it tells. See options.h. */
#include "gpube/options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/base/nearest.h"

/* Of options that were made without a context 'own' has the last error. */
struct object {
	struct gpube_opts o;
	struct gpube_ctx own;
};

int gpube_opts_new(struct gpube_opts **out, struct gpube_ctx *ctx)
{
	struct gpube_ctx plain = gpube__ctx_plain();
	struct object *x;

	if (!out)
		return gpube__missing(ctx);
	*out = NULL;
	x = gpube__alloc_zero(ctx ? ctx : &plain, 1, sizeof(*x));
	if (!x)
		return GPUBE_ENOMEM;
	gpube__opts_default(&x->o);
	x->own = plain;
	x->o.ctx = ctx ? ctx : &x->own;
	*out = &x->o;
	return GPUBE_OK;
}

/* The bytes of a row's fields. */
static size_t size_of(const struct gpube__opt *row)
{
	static const size_t sizes[] = {[GPUBE__OPT_FLAG] = sizeof(int),
		[GPUBE__OPT_INT] = sizeof(int),
		[GPUBE__OPT_LONG] = sizeof(int64_t),
		[GPUBE__OPT_REAL] = sizeof(double),
		[GPUBE__OPT_TIME] = sizeof(double),
		[GPUBE__OPT_SIZE] = sizeof(uint64_t),
		[GPUBE__OPT_TEXT] = sizeof(const char *),
		[GPUBE__OPT_CHOICE] = sizeof(int),
		[GPUBE__OPT_TOTAL] = sizeof(struct gpube__opt_total),
		[GPUBE__OPT_NUMBERS] = sizeof(struct gpube__opt_numbers),
		[GPUBE__OPT_CALL] = sizeof(struct gpube__opt_call)};

	return sizes[row->type];
}

static void *field_of(struct gpube_opts *o, const struct gpube__opt *row)
{
	return (char *)o + row->at;
}

/* The text or the numbers that a row of the object owns; NULL: none. */
static void *owned(struct gpube_opts *o, const struct gpube__opt *row)
{
	void *field = field_of(o, row);

	if (!gpube__opts_given(o, field))
		return NULL;
	switch (row->type) {
	case GPUBE__OPT_TEXT:
		return *(void **)field;
	case GPUBE__OPT_TOTAL:
		return (void *)((struct gpube__opt_total *)field)->text;
	case GPUBE__OPT_NUMBERS:
		return (void *)((struct gpube__opt_numbers *)field)->numbers;
	default:
		return NULL;
	}
}

void gpube_opts_free(struct gpube_opts *o)
{
	struct gpube_ctx *ctx = o ? o->ctx : NULL;
	struct gpube_ctx plain;

	if (!o)
		return;
	for (int k = 0; k < GPUBE__N_OPTS; k++)
		gpube__free(ctx, owned(o, &gpube__opts_table[k]));
	if (ctx == &((struct object *)o)->own) {
		plain = *ctx;
		ctx = &plain;
	}
	gpube__free(ctx, o);
}

const char *gpube_opts_error(const struct gpube_opts *o)
{
	return o ? gpube_error(o->ctx) : "there are no options";
}

/* ---- setting --------------------------------------------------------------------------------- */

/* What is given: a text, a number, numbers or a function. */
struct value {
	enum { IS_TEXT, IS_INT, IS_REAL, IS_NUMBERS, IS_CALL } is;
	const char *text;
	int64_t whole;
	double real;
	struct gpube__opt_numbers numbers;
	struct gpube__opt_call call;
};

static bool is_within(const struct gpube__opt *row, int64_t v)
{
	return v >= row->lo && v <= row->hi;
}

static bool take_whole(void *to, const struct gpube__opt *row, int64_t v)
{
	switch (row->type) {
	case GPUBE__OPT_FLAG:
	case GPUBE__OPT_INT:
		*(int *)to = (int)v;
		return is_within(row, v);
	case GPUBE__OPT_LONG:
		*(int64_t *)to = v;
		return is_within(row, v);
	case GPUBE__OPT_REAL:
	case GPUBE__OPT_TIME:
		*(double *)to = (double)v;
		return is_within(row, v);
	case GPUBE__OPT_SIZE:
		*(uint64_t *)to = (uint64_t)v;
		return v >= 0;
	case GPUBE__OPT_TOTAL:
		*(struct gpube__opt_total *)to = (struct gpube__opt_total){.total = v, .has = 1};
		return v >= -GPUBE_INF;
	default:
		return false;
	}
}

static bool take_numbers(void *to, const struct gpube__opt *row, const struct gpube__opt_numbers *v)
{
	bool fits = row->type == GPUBE__OPT_NUMBERS && v->n > 0 && v->numbers;

	for (int32_t k = 0; fits && k < v->n; k++)
		fits = is_within(row, v->numbers[k]);
	if (fits)
		*(struct gpube__opt_numbers *)to = *v;
	return fits;
}

/* Whether a row takes the value, which is then its field's in *o. */
static bool take(struct gpube_opts *o, const struct gpube__opt *row, const struct value *v)
{
	void *to = field_of(o, row);

	switch (v->is) {
	case IS_TEXT:
		return gpube__opt_parse(o, row, v->text);
	case IS_INT:
		return take_whole(to, row, v->whole);
	case IS_REAL:
		if (row->type != GPUBE__OPT_REAL && row->type != GPUBE__OPT_TIME)
			return false;
		*(double *)to = v->real;
		return v->real >= (double)row->lo && v->real <= (double)row->hi;
	case IS_NUMBERS:
		return take_numbers(to, row, &v->numbers);
	case IS_CALL:
		*(struct gpube__opt_call *)to = v->call;
		return row->type == GPUBE__OPT_CALL;
	}
	return false;
}

/* The row's text or numbers become the object's. Errors: ENOMEM */
static int own(struct gpube_opts *o, const struct gpube__opt *row, const struct value *v)
{
	struct gpube__opt_numbers *numbers = field_of(o, row);
	int32_t *copy;

	if (row->type == GPUBE__OPT_TEXT || (row->type == GPUBE__OPT_TOTAL && v->is == IS_TEXT)) {
		char *text = gpube__strdup(o->ctx, v->text);

		if (row->type == GPUBE__OPT_TEXT)
			*(const char **)field_of(o, row) = text;
		else
			((struct gpube__opt_total *)field_of(o, row))->text = text;
		return text ? GPUBE_OK : GPUBE_ENOMEM;
	}
	if (row->type != GPUBE__OPT_NUMBERS)
		return GPUBE_OK;
	if (v->is == IS_TEXT)
		numbers->n = gpube__opt_numbers(NULL, row, v->text);
	copy = gpube__alloc(o->ctx, (uint64_t)numbers->n, sizeof(*copy));
	if (!copy)
		return GPUBE_ENOMEM;
	if (v->is == IS_TEXT)
		gpube__opt_numbers(copy, row, v->text);
	else
		memcpy(copy, v->numbers.numbers, (size_t)numbers->n * sizeof(*copy));
	numbers->numbers = copy;
	return GPUBE_OK;
}

/* The row's field from another struct, and whether it is given there. */
static void replace(
	struct gpube_opts *o, const struct gpube__opt *row, struct gpube_opts *from, bool given)
{
	gpube__free(o->ctx, owned(o, row));
	memcpy(field_of(o, row), field_of(from, row), size_of(row));
	gpube__opts_mark(o, row, given);
}

static const char *found_text(char text[64], const struct value *v)
{
	if (v->is == IS_TEXT)
		return v->text ? v->text : "nothing";
	if (v->is == IS_INT)
		snprintf(text, 64, "%lld", (long long)v->whole);
	else if (v->is == IS_REAL)
		snprintf(text, 64, "%g", v->real);
	else
		snprintf(text, 64, "%s", v->is == IS_NUMBERS ? "an array" : "a function");
	return text;
}

static int refuse_name(struct gpube_ctx *ctx, const char *name)
{
	struct gpube_nearest near = {.word = name};
	char names[160] = "";
	size_t used = 0;

	for (int k = 0; k < GPUBE__N_OPTS; k++) {
		const char *other = gpube__opts_table[k].name;

		if (k == 0 || strcmp(other, gpube__opts_table[k - 1].name) != 0)
			gpube__nearest_consider(&near, other);
	}
	for (int k = 0; k < near.n && used < sizeof(names); k++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
			k ? ", " : ": the nearest: ", near.names[k]);
	return gpube__fail(ctx, GPUBE_EINVAL, "there is no option '%.60s'%s", name, names);
}

static int set(struct gpube_opts *o, const char *name, const struct value *v)
{
	const struct gpube__opt *first = NULL;
	struct gpube_opts made, none;
	char found[64], one[GPUBE__EXPECTATION], expected[400] = "";
	bool taken = false;
	size_t n = 0;
	int status = GPUBE_OK;

	if (!o || !name || !o->ctx)
		return gpube__missing(o ? o->ctx : NULL);
	made = *o;
	gpube__opts_default(&none);
	for (int k = 0; k < GPUBE__N_OPTS && !status; k++) {
		const struct gpube__opt *row = &gpube__opts_table[k];

		if (!gpube__opt_is_named(row, name))
			continue;
		first = first ? first : row;
		if ((v->is == IS_TEXT && !v->text && row->type != GPUBE__OPT_FLAG) ||
			!take(&made, row, v)) {
			if (n < sizeof(expected)) /* of each call that has an option of this name */
				n += (size_t)snprintf(expected + n, sizeof(expected) - n, "%s%s",
					n ? " or " : "", gpube__opt_expectation(row, one));
			continue;
		}
		status = own(&made, row, v);
		if (!status)
			replace(o, row, &made, true);
		taken = true;
	}
	if (!first)
		return refuse_name(o->ctx, name);
	if (!taken)
		return gpube__fail(o->ctx, GPUBE_EINVAL, "%s: expected %s, found '%.100s'",
			first->name, expected, found_text(found, v));
	/* what another row of that name had before is not meant any more */
	for (int k = 0; k < GPUBE__N_OPTS && !status; k++) {
		const struct gpube__opt *row = &gpube__opts_table[k];
		struct gpube_opts again = *o;

		if (gpube__opt_is_named(row, name) &&
			((v->is == IS_TEXT && !v->text && row->type != GPUBE__OPT_FLAG) ||
				!take(&again, row, v)))
			replace(o, row, &none, false);
	}
	return status;
}

int gpube_opts_set(struct gpube_opts *o, const char *name, const char *text)
{
	return set(o, name, &(struct value){.is = IS_TEXT, .text = text});
}

int gpube_opts_set_int(struct gpube_opts *o, const char *name, int64_t value)
{
	return set(o, name, &(struct value){.is = IS_INT, .whole = value});
}

int gpube_opts_set_real(struct gpube_opts *o, const char *name, double value)
{
	return set(o, name, &(struct value){.is = IS_REAL, .real = value});
}

int gpube_opts_set_numbers(
	struct gpube_opts *o, const char *name, int32_t n, const int32_t *numbers)
{
	return set(o, name, &(struct value){.is = IS_NUMBERS, .numbers = {numbers, n}});
}

int gpube_opts_set_progress(struct gpube_opts *o, gpube_progress_fn *fn, void *arg)
{
	return set(
		o, "progress", &(struct value){.is = IS_CALL, .call = {(void (*)(void))fn, arg}});
}

int gpube_opts_set_give(struct gpube_opts *o, gpube_give_fn *fn, void *arg)
{
	return set(o, "give", &(struct value){.is = IS_CALL, .call = {(void (*)(void))fn, arg}});
}

int gpube_opts_set_logger(struct gpube_opts *o, gpube_log_fn *fn, void *arg)
{
	return set(o, "log", &(struct value){.is = IS_CALL, .call = {(void (*)(void))fn, arg}});
}

int gpube_opts_set_log(struct gpube_opts *o, gpube_log_text_fn *fn, void *arg)
{
	const int status =
		gpube_opts_set_logger(o, fn ? gpube__log_as_text : NULL, fn ? &o->log_text : NULL);

	if (!status)
		o->log_text = (struct gpube__log_text){fn, arg};
	return status;
}

int gpube_opts_set_realloc(struct gpube_opts *o, gpube_realloc_fn *fn, void *arg)
{
	return set(o, "realloc", &(struct value){.is = IS_CALL, .call = {(void (*)(void))fn, arg}});
}

/* ---- reading --------------------------------------------------------------------------------- */

static int numbers_text(char *text, size_t size, const struct gpube__opt_numbers *v)
{
	size_t used = 0;

	for (int32_t k = 0; k < v->n; k++)
		used += (size_t)snprintf(used < size ? text + used : NULL,
			used < size ? size - used : 0, "%s%d", k ? "," : "", v->numbers[k]);
	return (int)used;
}

static int value_text(char *text, size_t size, struct gpube_opts *o, const struct gpube__opt *row)
{
	const void *at = field_of(o, row);
	const struct gpube__opt_total *total = at;

	switch (row->type) {
	case GPUBE__OPT_FLAG:
		return snprintf(text, size, "%s", *(const int *)at ? "yes" : "no");
	case GPUBE__OPT_INT:
		return snprintf(text, size, "%d", *(const int *)at);
	case GPUBE__OPT_LONG:
	case GPUBE__OPT_SIZE:
		return snprintf(text, size, "%lld", (long long)*(const int64_t *)at);
	case GPUBE__OPT_REAL:
	case GPUBE__OPT_TIME:
		return snprintf(text, size, "%.17g", *(const double *)at);
	case GPUBE__OPT_CHOICE:
		return gpube__opt_word_text(text, size, row->argument, *(const int *)at);
	case GPUBE__OPT_TOTAL:
		if (total->text || !total->has)
			return snprintf(text, size, "%s", total->text ? total->text : "");
		return snprintf(text, size, "%lld", (long long)total->total);
	case GPUBE__OPT_NUMBERS:
		return numbers_text(text, size, at);
	case GPUBE__OPT_CALL:
		return snprintf(text, size, "%s",
			((const struct gpube__opt_call *)at)->fn ? "a function" : "");
	default:
		return snprintf(
			text, size, "%s", *(const char *const *)at ? *(const char *const *)at : "");
	}
}

int gpube_opts_get(char *text, size_t size, const struct gpube_opts *o, const char *name)
{
	const struct gpube__opt *found = NULL;
	struct gpube_opts copy;

	if (size > 0 && text)
		text[0] = 0;
	if (!o || !name || (size > 0 && !text))
		return -1;
	copy = *o;
	for (int k = 0; k < GPUBE__N_OPTS; k++) {
		const struct gpube__opt *row = &gpube__opts_table[k];

		if (gpube__opt_is_named(row, name) &&
			(!found || gpube__opts_given(&copy, field_of(&copy, row))))
			found = row;
	}
	return found ? value_text(text, size, &copy, found) : -1;
}
