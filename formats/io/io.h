/*
 * io.h - byte streams in and out: compression, positions for messages, atomic
 * output files. Internal to formats/.
 */
#ifndef GPUBE_IO_H
#define GPUBE_IO_H

#include "formats/formats.h"
#include "gpube/options/options.h"
#include "gpube/base/decimal.h"
#include "gpube/ir/model.h"

/* Does the name end in one of these extensions, "yaml|yml", in any case, before .gz and so on? */
bool gpube__has_extension(const char *path, const char *extensions);
/* Length of a path without .gz, .xz, .lzma, .bz2 or .zst. */
size_t gpube__unpacked_length(const char *path);

/* ---- reading ----------------------------------------------------------------
 * A window of bytes that slides over the (decompressed) file. The pointers are
 * public so that scanners run at memory speed: p < end holds unread bytes, and
 * gpube__in_fill() brings more. A byte order mark is skipped.
 */
struct gpube_in {
	struct gpube_ctx *ctx;
	const char *path;    /* as the user gave it, for messages; "-" reads standard input */
	const char *p, *end; /* unread bytes; end[0] is always 0 */
	int64_t line;        /* of p, from 1; scanners count newlines */
	const char *last;    /* where the token read last begins; it ends at p */
	char comment;        /* of lines, where a token would begin; '/': as in C++; 0: none */
	bool commented;      /* there was one */
	struct gpube_in_impl *impl;    /* NULL: no file; p to end is all */
	struct XML_ParserStruct *xml;  /* while it is parsed as such */
	int64_t xml_from;              /* the line in which it begins */
	const struct gpube_opts *opts; /* set by gpube_read(), for its readers */
	uint64_t charged;              /* bytes, by gpube__in_charge() */
	int status;                    /* first failure; then p == end for ever */
};

/* Errors: EIO "cannot open 'x': …", or that the library to unpack it is missing; ENOMEM */
int gpube__in_open(struct gpube_in *in, struct gpube_ctx *ctx, const char *path);
/*
 * Makes p < end true, or returns false at the end of the file or after a
 * failure (see status: EIO; EPARSE when compressed data is cut or corrupt;
 * ESTOP). Unread bytes stay, but p may move.
 */
bool gpube__in_fill(struct gpube_in *in);
/*
 * Brings n (at most 64 KiB) unread bytes into the window, so that what begins
 * at p can be looked at in one piece; returns how many there are (fewer only
 * at the end of the file).
 */
size_t gpube__in_need(struct gpube_in *in, size_t n);
void gpube__in_close(struct gpube_in *in);
/* The first up to n bytes, without consuming them: to tell formats apart. */
size_t gpube__in_peek(struct gpube_in *in, char *buffer, size_t n);
/*
 * gpube__in_map() - all of a plain file as pages, private to the program; munmap() gives them back.
 * NULL: it is none, such as a pipe or what is packed, or the system has no room
 * gpube__in_leave() - nothing more is read
 */
void *gpube__in_map(struct gpube_in *in, uint64_t *bytes);
void gpube__in_leave(struct gpube_in *in);
/*
 * gpube__in_refuse_unread() - OK unless the file is in a format that is known and not read; asked
 * by a reader whose own format it does not seem to be.
 * by_name  the name may say so, too
 * Errors:  EINVAL, with the format's name (unread.c); sets in->status
 */
int gpube__in_refuse_unread(struct gpube_in *in, bool by_name);
/*
 * gpube__in_charge() - asks for n times 'each' bytes for what the file says in few bytes: variables
 * that a line declares, a table that an expression is expanded to. A reader asks before it takes
 * them; what grows with the bytes read is not asked for. See "What reading takes" in formats.h.
 * what    "a domain of 5000 values": what takes more than is allowed
 * Errors: ELIMIT; sets in->status
 */
int gpube__in_charge(struct gpube_in *in, int64_t n, int64_t each, const char *what, ...)
	GPUBE_PRINTF(4, 5);
/* Whether they are allowed; no text. False after a failure, too. */
bool gpube__in_allows(struct gpube_in *in, int64_t n, int64_t each);
/* What a text has past white space and lines of comments, which begin with # or //. */
const char *gpube__skip_comments(const char *text);

/* Bytes of the UTF-8 character at a text's beginning; 0 if it is none (an overlong form or
 * surrogate included). */
int gpube__character(const char *text);

/*
 * EPARSE: "x.wcsp:12: expected a cost, found 'abc'". The first failure stays:
 * returns in->status when reading itself has failed (a cut gz), so that the
 * cause is named.
 */
int gpube__in_error(struct gpube_in *in, const char *fmt, ...) GPUBE_PRINTF(2, 3);
/* The same with another status, such as ERANGE for a size that fits no type. */
int gpube__in_fail(struct gpube_in *in, enum gpube_status status, const char *fmt, ...)
	GPUBE_PRINTF(3, 4);
/*
 * EPARSE "expected WHAT, found 'TOKEN'"; an empty or NULL token is the end of the file. Of one that
 * is no text the first byte that makes it none: "found byte 0x80".
 */
int gpube__in_expected(struct gpube_in *in, const char *what, const char *token);
/* The same about the token, integer or real that has just been read. */
int gpube__in_refuse(struct gpube_in *in, const char *what);
/*
 * EPARSE of a token that is an integer, not from min to max: "expected WHAT from 1 to 3, found
 * '4'"; where max is INT64_MAX "WHAT: '18446744073709551615' is too large".
 */
int gpube__in_outside(
	struct gpube_in *in, int64_t min, int64_t max, const char *what, const char *token);
/* The latter alone; of what stands below 0 the greatest is that of its digits. */
int gpube__in_too_large(struct gpube_in *in, int64_t max, const char *what, const char *token);

#ifdef __clang_analyzer__
/* which cannot see that none of them returns OK */
#define gpube__in_error(in, ...)        ((gpube__in_error)(in, __VA_ARGS__), (int)GPUBE_EPARSE)
#define gpube__in_fail(in, status, ...) ((gpube__in_fail)(in, status, __VA_ARGS__), (int)(status))
#define gpube__in_expected(...)         ((gpube__in_expected)(__VA_ARGS__), (int)GPUBE_EPARSE)
#define gpube__in_refuse(...)           ((gpube__in_refuse)(__VA_ARGS__), (int)GPUBE_EPARSE)
#define gpube__in_outside(...)          ((gpube__in_outside)(__VA_ARGS__), (int)GPUBE_EPARSE)
#define gpube__in_too_large(...)        ((gpube__in_too_large)(__VA_ARGS__), (int)GPUBE_EPARSE)
#endif

/*
 * Tokens separated by white space. 'what' names what was expected, with its
 * article ("a table size"). A token longer than 255 bytes is an error except in
 * gpube__in_skip_line(). All of them consume what they return; errors return a
 * status and give the token's line.
 */
bool gpube__in_at_end(struct gpube_in *in); /* only white space is left, or a failure */
int gpube__in_token(struct gpube_in *in, char token[256], const char *what);
int gpube__in_int(struct gpube_in *in, int64_t *v, int64_t min, int64_t max, const char *what);
/* decimal or exponent notation, inf and nan refused; correctly rounded, whatever the locale */
int gpube__in_real(struct gpube_in *in, double *v, const char *what);
/* The same for all of a text; false if it is no such number or does not fit a double. */
bool gpube__real(double *v, const char *text);
/*
 * Whether a double has less than 53 bits for the number of a text, as gpube__real() takes it, that
 * is below DBL_MIN, and they are not enough; if so *v is the number times 2^64, in 53 bits.
 */
bool gpube__small_real(double *v, const char *text);
int gpube__in_end(struct gpube_in *in);        /* error unless only white space is left */
void gpube__in_skip_line(struct gpube_in *in); /* to the beginning of the next line */
/* Past comments, which begin with that byte and end with their line; false at the end. */
bool gpube__in_more(struct gpube_in *in, char comment);

/* What the libraries that pack and unpack take memory by; 'ctx' is a gpube_ctx. */
void *gpube__gz_alloc(void *ctx, unsigned n, unsigned size);
void *gpube__xz_alloc(void *ctx, size_t n, size_t size);
void gpube__gz_free(void *ctx, void *p);
/*
 * gpube__in_xml() - parses the stream as XML. Entities that it declares are refused: a few bytes of
 * them stand for gigabytes.
 * reader  what the handlers get; it begins with a pointer to 'in'
 * Errors: EPARSE, ENOMEM, EIO (there is no expat)
 */
typedef void gpube__xml_begin(void *reader, const char *element, const char **attributes);
typedef void gpube__xml_end(void *reader, const char *element);
typedef void gpube__xml_text(void *reader, const char *text, int n);
int gpube__in_xml(struct gpube_in *in, void *reader, gpube__xml_begin *begin, gpube__xml_end *end,
	gpube__xml_text *text);
int64_t gpube__in_xml_line(const struct gpube_in *in); /* of the element that is parsed */

/* ---- writing ----------------------------------------------------------------
 * A regular file appears under its name only when it is complete; devices and
 * pipes are written as they are.
 */
struct gpube_out {
	struct gpube_ctx *ctx;
	const char *path; /* "-" is standard output, descriptor 1: flush stdio before */
	struct gpube_out_impl *impl;
	const struct gpube_opts *opts; /* set by gpube_write(), for its writers */
	/* A stop fails it (ESTOP): of a file that is worth nothing when it is cut short. Results
	 * of what was stopped have to be written. */
	bool stops;
	int status; /* first failure; later writes do nothing */
};

/* Errors: EIO "cannot write 'x': …", ELIMIT (of a .xz, which takes 1.2 MiB at least), ENOMEM */
int gpube__out_open(struct gpube_out *out, struct gpube_ctx *ctx, const char *path);
void gpube__out_bytes(struct gpube_out *out, const char *s, size_t n);
void gpube__out_text(struct gpube_out *out, const char *s);
/* Pieces of up to 511 bytes; no %g or %f: they follow the locale. */
void gpube__out_printf(struct gpube_out *out, const char *fmt, ...) GPUBE_PRINTF(2, 3);
void gpube__out_int(struct gpube_out *out, int64_t v);
void gpube__out_real(
	struct gpube_out *out, double v); /* finite; shortest text that reads back equal */
/* v * 2^power, of which gpube__small_real() reads v again where it does not fit a double. */
void gpube__out_scaled(struct gpube_out *out, double v, int power);
enum { GPUBE_REAL_TEXT = 32 };
/* integer * 10^-scale in plain decimal notation with 'scale' decimals */
void gpube__out_decimal(struct gpube_out *out, int64_t v, int scale);
/* A line of value indices, toulbar2's .sol. */
void gpube__out_values(struct gpube_out *out, const int32_t *values, int32_t n);
/* Completes the file but leaves it under its temporary name, for who writes two that belong
 * together. */
int gpube__out_finish(struct gpube_out *out);
/* What it is called until gpube__out_close(); NULL if it is written in place. */
const char *gpube__out_temporary(const struct gpube_out *out);
/* Whether a path is standard output or a device: nothing can stand beside it. */
bool gpube__out_is_alone(const char *path);
/* Completes and renames; with 'keep' false, or after a failure, leaves no file. Returns status. */
int gpube__out_close(struct gpube_out *out, bool keep);

#endif
