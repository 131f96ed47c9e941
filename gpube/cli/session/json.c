/* json.c - see json.h. */
#include "gpube/cli/session/json.h"

#include <math.h>
#include <string.h>

/* A string literal; bytes that are not UTF-8 become U+FFFD. */
static void literal(struct gpube_out *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	gpube__out_text(out, "\"");
	while (*s) {
		int n = gpube__character((const char *)s);

		if (*s == '"' || *s == '\\') {
			gpube__out_printf(out, "\\%c", *s);
		} else if (*s == '\n') {
			gpube__out_text(out, "\\n");
		} else if (*s < 0x20 || *s == 0x7f) {
			gpube__out_printf(out, "\\u%04x", *s);
		} else if (n == 0) {
			gpube__out_text(out, "\\ufffd");
		} else {
			gpube__out_bytes(out, (const char *)s, (size_t)n);
		}
		s += n ? n : 1;
	}
	gpube__out_text(out, "\"");
}

static void key_of(struct json *j, const char *key)
{
	if (j->more)
		gpube__out_text(j->out, key ? ", " : ",");
	j->more = true;
	if (key) {
		literal(j->out, key);
		gpube__out_text(j->out, ": ");
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	key_of(j, key);
	gpube__out_bytes(j->out, &bracket, 1);
	j->more = false;
}

void json_close(struct json *j, char bracket)
{
	gpube__out_bytes(j->out, &bracket, 1);
	j->more = true;
}

void json_text(struct json *j, const char *key, const char *text)
{
	key_of(j, key);
	literal(j->out, text);
}

void json_int(struct json *j, const char *key, int64_t v)
{
	key_of(j, key);
	gpube__out_int(j->out, v);
}

void json_real(struct json *j, const char *key, double v)
{
	if (!isfinite(v)) {
		json_null(j, key);
		return;
	}
	key_of(j, key);
	gpube__out_real(j->out, v);
}

void json_seconds(struct json *j, const char *key, double v)
{
	key_of(j, key);
	gpube__out_decimal(j->out, v > 0 && v < 1e12 ? llround(v * 1e6) : 0, 6);
}

void json_decimal(struct json *j, const char *key, int64_t v, int scale)
{
	key_of(j, key);
	gpube__out_decimal(j->out, v, scale);
}

void json_big(struct json *j, const char *key, const char *digits)
{
	size_t n = strlen(digits);

	/* 2^53 = 9007199254740992 has 16 digits */
	if (n > 16 || (n == 16 && strcmp(digits, "9007199254740992") > 0)) {
		json_text(j, key, digits);
		return;
	}
	key_of(j, key);
	gpube__out_text(j->out, digits);
}

void json_null(struct json *j, const char *key)
{
	key_of(j, key);
	gpube__out_text(j->out, "null");
}

void json_true_false(struct json *j, const char *key, bool v)
{
	key_of(j, key);
	gpube__out_text(j->out, v ? "true" : "false");
}
