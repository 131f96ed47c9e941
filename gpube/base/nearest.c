/* nearest.c - see nearest.h. */
#define _POSIX_C_SOURCE 200809L
#include "gpube/base/nearest.h"

#include <string.h>

int gpube__distance(const char *a, const char *b)
{
	int row[3][64];
	size_t n = strlen(a), m = strlen(b), i, j;

	if (n > 60 || m > 60)
		return 60;
	for (j = 0; j <= m; j++)
		row[0][j] = (int)j;
	for (i = 1; i <= n; i++) {
		int *now = row[i % 3];
		const int *before = row[(i + 2) % 3], *before2 = row[(i + 1) % 3];

		now[0] = (int)i;
		for (j = 1; j <= m; j++) {
			int d = before[j - 1] + (a[i - 1] != b[j - 1]);

			d = before[j] + 1 < d ? before[j] + 1 : d;
			d = now[j - 1] + 1 < d ? now[j - 1] + 1 : d;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				before2[j - 2] + 1 < d)
				d = before2[j - 2] + 1;
			now[j] = d;
		}
	}
	return row[n % 3][m];
}

void gpube__nearest_consider(struct gpube_nearest *s, const char *name)
{
	const int length = (int)strnlen(s->word, 64), other = (int)strnlen(name, 64),
		  most = length < 3 ? 1 : length / 3;
	int k = s->n < GPUBE_NEAREST ? s->n : GPUBE_NEAREST - 1, d;

	if (other > length + most || length > other + most)
		return;
	d = gpube__distance(s->word, name);
	if (d > most || (s->n == GPUBE_NEAREST && d >= s->distances[k]))
		return;
	for (; k > 0 && s->distances[k - 1] > d; k--) {
		s->names[k] = s->names[k - 1];
		s->distances[k] = s->distances[k - 1];
	}
	s->names[k] = name;
	s->distances[k] = d;
	s->n += s->n < GPUBE_NEAREST;
}
