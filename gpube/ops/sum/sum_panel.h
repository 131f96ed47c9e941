/* sum_panel.h - the loops of a panel of sum_cpu.c: consecutive cells of a job. */
#ifndef GPUBE_SUM_PANEL_H
#define GPUBE_SUM_PANEL_H

#include <stdint.h>

/*
 * Where the n cells of a panel are in a table: cell i is at[i]; NULL: they follow each other as the panel's do.
 * run    so many cells after one another have one place, for the table does not have the panel's last axes
 * block  so many follow each other in the table, too, for it has them; one of the two is 1
 * few    so many places lie one after the other, at most GPUBE_SUM_FEW; 0: they do not, or are more
 * Gathering cell by cell costs more than all else, two nanoseconds for four of them on some machines.
 */
struct gpube_sum_places {
	const int32_t *at;
	int64_t run, block, few;
};

enum { GPUBE_SUM_FEW = 32 };

/*
 * set       buf = by * p
 * multiply  buf *= p
 * add       out += buf; add_product: out += buf * p, all in order
 * total     the sum of buf, in eight parts; total_product: of buf * p, in order
 * divide    to = a / b, all in order, and to may be one of them; 0 / 0 is 0
 * extremes  the largest of p, and the least that is above 0
 */
struct gpube_sum_loops {
	void (*set)(double *buf, double by, const double *p, const struct gpube_sum_places *x, int64_t n);
	void (*multiply)(double *buf, const double *p, const struct gpube_sum_places *x, int64_t n);
	void (*add)(double *out, const struct gpube_sum_places *x, const double *buf, int64_t n);
	void (*add_product)(double *out, const double *buf, const double *p, int64_t n);
	double (*total)(const double *buf, int64_t n);
	double (*total_product)(const double *buf, const double *p, int64_t n);
	void (*divide)(double *to, const double *a, const double *b, int64_t n);
	void (*extremes)(const double *p, int64_t n, double *most, double *least);
};

extern const struct gpube_sum_loops gpube__sum_portable, gpube__sum_avx2;
/* Those for this machine. */
const struct gpube_sum_loops *gpube__sum_loops(void);

#endif
