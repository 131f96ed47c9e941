/* json.h - writes one JSON value onto an output; commas and escapes are its business. */
#ifndef GPUBE_CLI_JSON_H
#define GPUBE_CLI_JSON_H

#include "formats/io/io.h"

struct json {
	struct gpube_out *out;
	bool more; /* the next item needs a comma */
};

/* Every function takes the key of an object's member, or NULL for an item of a list. */
void json_open(struct json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *j, char bracket);                 /* '}' or ']' */
void json_text(struct json *j, const char *key, const char *text);
void json_int(struct json *j, const char *key, int64_t v);
void json_real(struct json *j, const char *key, double v);    /* null if not finite */
void json_seconds(struct json *j, const char *key, double v); /* to the microsecond */
void json_decimal(struct json *j, const char *key, int64_t v, int scale);
/* An integer of any length in decimal: a number, past 2^53 a string. */
void json_big(struct json *j, const char *key, const char *digits);
void json_null(struct json *j, const char *key);
void json_true_false(struct json *j, const char *key, bool v);

#endif
