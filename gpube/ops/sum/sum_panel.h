/* sum_panel.h - the loops of a panel of sum_cpu.c: consecutive cells of a job. */
#ifndef GPUBE_SUM_PANEL_H
#define GPUBE_SUM_PANEL_H

#include <stdint.h>

/*
 * A panel's n cells: NULL stands for a table whose cells follow each other as the panel's do,
 * otherwise cell i is at[i].
 *
 * set       buf = by * p
 * multiply  buf *= p
 * add       out += buf; add_product: out += buf * p, buf and p in order
 * add_runs  the same where every 'run' cells go to one place
 * total     the sum of buf, in eight parts
 * extremes  the largest of p, and the least that is above 0
 */
struct gpube_sum_loops {
	void (*set)(double *buf, double by, const double *p, const int32_t *at, int64_t n);
	void (*multiply)(double *buf, const double *p, const int32_t *at, int64_t n);
	void (*add)(double *out, const int32_t *at, const double *buf, int64_t n);
	void (*add_runs)(double *out, const int32_t *at, const double *buf, int64_t n, int64_t run);
	void (*add_product)(double *out, const double *buf, const double *p, int64_t n);
	double (*total)(const double *buf, int64_t n);
	void (*extremes)(const double *p, int64_t n, double *most, double *least);
};

extern const struct gpube_sum_loops gpube__sum_portable, gpube__sum_avx2;
/* Those for this machine. */
const struct gpube_sum_loops *gpube__sum_loops(void);

#endif
