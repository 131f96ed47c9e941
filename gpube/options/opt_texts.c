/* opt_texts.c - texts as the command line has them, and the values that they are. See options.h. */
#include "gpube/options/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gpube/base/decimal.h"

int gpube__opt_word(const char *words, const char *word)
{
	const size_t n = strlen(word);

	for (int k = 0;; k++) {
		const size_t length = strcspn(words, "|");

		if (length == n && !strncasecmp(words, word, n))
			return k;
		if (!words[length])
			return -1;
		words += length + 1;
	}
}

int gpube__opt_word_text(char *text, size_t size, const char *words, int k)
{
	for (; k > 0; k--)
		words += strcspn(words, "|") + 1;
	return snprintf(text, size, "%.*s", (int)strcspn(words, "|"), words);
}

bool gpube__opt_is_named(const struct gpube__opt *row, const char *name)
{
	const char *p = row->name;

	for (; *p && (*p == *name || (*p == '_' && *name == '-')); p++)
		name++;
	return !*p && (!*name || *name == '=');
}

/*
 * A number >= 0 with an optional unit of 'units' (scale by 'factors'), which for bytes may be
 * written out, GB or GiB; NaN if it is none. Whatever the locale is.
 */
static double number(const char *text, const char *units, const double *factors, bool bytes)
{
	const size_t n = strspn(text, "0123456789.eE+-");
	const char *end = text + n, *unit;
	char digits[64];
	int64_t v;
	int scale;
	bool fits;

	if (n >= sizeof(digits) || !strchr("0123456789.", text[0]))
		return NAN;
	memcpy(digits, text, n);
	digits[n] = 0;
	if (!gpube__decimal(digits, &v, &scale, &fits) || !fits)
		return NAN;
	if (*end == 0)
		return (double)v / gpube__ten_to(scale);
	unit = strchr(units, *end);
	if (!unit || (end[1] && !(bytes && (!strcmp(end + 1, "B") || !strcmp(end + 1, "iB")))))
		return NAN;
	return (double)v / gpube__ten_to(scale) * factors[unit - units];
}

static bool parse_real(double *to, const struct gpube__opt *row, const char *text)
{
	static const double time_factors[] = {1, 60, 3600};
	const bool minus = row->lo < 0 && *text == '-';
	double v = row->type == GPUBE__OPT_TIME ? number(text, "smh", time_factors, false)
						: number(text + minus, "", NULL, false);

	v = minus ? -v : v;
	*to = v;
	return v >= (double)row->lo && v <= (double)row->hi;
}

static bool parse_size(uint64_t *to, const char *text)
{
	static const double factors[] = {
		0x1p10, 0x1p20, 0x1p30, 0x1p40, 0x1p10, 0x1p20, 0x1p30, 0x1p40};
	const double v = number(text, "KMGTkmgt", factors, true);

	if (!(v < 0x1p63))
		return false;
	*to = (uint64_t)v;
	return true;
}

static bool parse_int(int64_t *to, const struct gpube__opt *row, const char *text)
{
	const size_t sign = *text == '-', n = strspn(text + sign, "0123456789");

	errno = 0;
	*to = n && !text[sign + n] ? strtoll(text, NULL, 10) : 0;
	return n && !text[sign + n] && !errno && *to >= row->lo && *to <= row->hi;
}

int32_t gpube__opt_numbers(int32_t *out, const struct gpube__opt *row, const char *text)
{
	int32_t n = 0;

	while (n < INT32_MAX) {
		char *end;
		const long v = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;

		if (v < row->lo || v > row->hi)
			return -1;
		if (out)
			out[n] = (int32_t)v;
		n++;
		if (!*end)
			return n;
		if (*end != ',')
			return -1;
		text = end + 1;
	}
	return -1;
}

static bool parse_flag(int *to, const char *text)
{
	const int k = text ? gpube__opt_word("no|yes|0|1|false|true", text) : 1;

	*to = k & 1;
	return k >= 0;
}

static bool parse_total(struct gpube__opt_total *to, const char *text)
{
	int64_t v;
	int scale;
	bool fits;

	if (!gpube__decimal(text, &v, &scale, &fits) || !fits)
		return false;
	*to = (struct gpube__opt_total){.has = 1, .text = text};
	return true;
}

bool gpube__opt_parse(void *opts, const struct gpube__opt *row, const char *text)
{
	void *to = (char *)opts + row->at;
	int64_t v;

	switch (row->type) {
	case GPUBE__OPT_FLAG:
		return parse_flag(to, text);
	case GPUBE__OPT_TEXT:
	case GPUBE__OPT_OUT:
		*(const char **)to = text;
		return true;
	case GPUBE__OPT_CHOICE:
		*(int *)to = gpube__opt_word(row->argument, text);
		return *(int *)to >= 0;
	case GPUBE__OPT_INT:
		if (!parse_int(&v, row, text))
			return false;
		*(int *)to = (int)v;
		return true;
	case GPUBE__OPT_LONG:
		return parse_int(to, row, text);
	case GPUBE__OPT_SIZE:
		return parse_size(to, text);
	case GPUBE__OPT_TIME:
	case GPUBE__OPT_REAL:
		return parse_real(to, row, text);
	case GPUBE__OPT_TOTAL:
		return parse_total(to, text);
	case GPUBE__OPT_NUMBERS:
		return gpube__opt_numbers(NULL, row, text) > 0;
	case GPUBE__OPT_CALL:
	case GPUBE__OPT_LIST:
		break;
	}
	return false;
}

const char *gpube__opt_expectation(const struct gpube__opt *row, char text[GPUBE__EXPECTATION])
{
	switch (row->type) {
	case GPUBE__OPT_FLAG:
		return "yes or no";
	case GPUBE__OPT_SIZE:
		return "a size such as 512M or 8G";
	case GPUBE__OPT_TIME:
		return "a time such as 90, 90s, 5m or 1h";
	case GPUBE__OPT_TOTAL:
		return "a number";
	case GPUBE__OPT_NUMBERS:
		return "numbers such as 0,1";
	case GPUBE__OPT_CALL:
		return "a function";
	case GPUBE__OPT_INT:
	case GPUBE__OPT_LONG:
	case GPUBE__OPT_REAL:
		if (row->hi == GPUBE__NO_END)
			snprintf(text, GPUBE__EXPECTATION, "%s >= %lld",
				row->type == GPUBE__OPT_REAL ? "a number" : "a whole number",
				(long long)row->lo);
		else
			snprintf(text, GPUBE__EXPECTATION, "%lld to %lld", (long long)row->lo,
				(long long)row->hi);
		return text;
	default:
		return row->argument;
	}
}
