/* xcsp_numbers.c - numbers in texts of XCSP 2.1. See xcsp.h. */
#ifdef GPUBE_HAVE_EXPAT

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/xcsp/xcsp.h"

#define BLANKS      " \t\n\v\f\r"
#define MOST_NUMBER INT64_C(999999999999999999) /* 18 digits */

/* An integer at *p, which moves behind it. Lines are counted from where the text began. */
int gpube__xcsp_next_int(struct gpube_xcsp *r, int64_t *v, const char **p, const char *what)
{
	const char *digits = *p + (**p == '-' || **p == '+');
	size_t n = strspn(digits, "0123456789");
	const bool is_integer = n > 0;
	char word[48];

	if (n && n <= 18) {
		*v = strtoll(*p, NULL, 10);
		*p = digits + n;
		return GPUBE_OK;
	}
	n = strcspn(*p, BLANKS "|");
	snprintf(word, sizeof(word), "%.*s", n > 40 ? 40 : (int)n, *p);
	return is_integer ? gpube__in_too_large(r->in, MOST_NUMBER, what, word)
			  : gpube__in_expected(r->in, what, word);
}

int gpube__xcsp_int(struct gpube_xcsp *r, int64_t *v, const char *text, int64_t min, int64_t max,
	const char *what)
{
	const char *p = text + strspn(text, BLANKS);

	if (gpube__xcsp_next_int(r, v, &p, what))
		return r->in->status;
	if (p[strspn(p, BLANKS)] || *v < min || *v > max)
		return gpube__in_expected(r->in, what, text);
	return GPUBE_OK;
}

int gpube__xcsp_cost(struct gpube_xcsp *r, double *cost, const char *text)
{
	const char *word = text + (*text == '-' || *text == '+');

	if (strcmp(word, "infinity") == 0) {
		*cost = INFINITY;
		return GPUBE_OK;
	}
	if (gpube__real(cost, text) && fabs(*cost) < 0x1p61)
		return GPUBE_OK;
	return gpube__in_expected(r->in, "a cost", text);
}

#else
typedef int gpube__no_expat_numbers; /* a file is not empty */
#endif
