/*
 * faces_node.h - a node of the tree of faces, how it is chosen and how it is cut. The lanes of a
 * warp and a single thread run the same source. See faces.h for the tree; nash/eee/face_lp.c has
 * the same arithmetic, with its reasons.
 *
 * Lanes share the node in memory. FACES_EACH deals items out to them, FACES_SYNC() stands where
 * one lane reads what another wrote; without a device there is one lane.
 */
#ifndef GPUBE_FACES_NODE_H
#define GPUBE_FACES_NODE_H

#include <math.h>
#include <string.h>

#include "gpube/ops/faces/faces.h"

#if defined(__CUDA_ARCH__)
#define FACES_LANE       ((int)(threadIdx.x & 31))
#define FACES_EACH(i, n) for (int i = FACES_LANE; i < (n); i += 32)
#define FACES_SYNC()     __syncwarp()
#define FACES_UNROLL     _Pragma("unroll")
#else
#define FACES_LANE       0
#define FACES_EACH(i, n) for (int i = 0; i < (n); i++)
#define FACES_SYNC()
#define FACES_UNROLL
#endif

#define FACES_BATCH 8 /* loads that a lane has under way */

#define FACES_ZERO  1e-9 /* values below are taken for 0: a proposal, no decision */
#define FACES_PIVOT 1e-9 /* smallest pivot */

enum faces_end { FACES_IS_ZERO, FACES_EMPTY, FACES_UNSURE };

/* A side: what all nodes share. */
struct faces_side {
	int k, l, flip;
	const double *c;
};

/*
 * A face: basic[r] = d[r * (k + 1)] + sum over c of d[r * (k + 1) + c + 1] nonbasic[c]; columns
 * from 'live' on belong to fixed variables.
 */
struct faces_face {
	uint64_t fixed;
	int32_t live, pending; /* side 0: the label whose cut is still to do, -1: none */
	uint8_t basic[GPUBE_FACES_ACTIONS], nonbasic[GPUBE_FACES_ACTIONS];
	double d[];
};

/* Of a warp, beside its node: places of labels, a column. */
struct faces_scratch {
	double place[2][2 * GPUBE_FACES_ACTIONS], column[GPUBE_FACES_ACTIONS];
};

GPUBE_HD static inline int faces_bytes(const struct faces_side *s)
{
	const int bytes =
		(int)(sizeof(struct faces_face) + sizeof(double) * (size_t)(s->l * (s->k + 1)));

	return (bytes + 15) / 16 * 16;
}

/* As for struct nash_matrix. */
GPUBE_HD static inline int faces_label(const struct faces_side *s, int var)
{
	if (!s->flip)
		return var;
	return var < s->k ? s->l + var : var - s->k;
}

GPUBE_HD static inline int faces_variable(const struct faces_side *s, int label)
{
	if (!s->flip)
		return label;
	return label < s->l ? s->k + label : label - s->l;
}

GPUBE_HD static inline bool faces_fixed(const struct faces_face *f, int var)
{
	return f->fixed >> var & 1;
}

/* ---- reductions over the lanes; every lane gets the result ---------------------------- */

/* The largest value and its item; of equal ones the smallest item. */
struct faces_best {
	double value;
	int item;
};

GPUBE_HD static inline bool faces_before(struct faces_best a, struct faces_best b)
{
	return a.value > b.value || (a.value == b.value && a.item < b.item);
}

GPUBE_HD static inline struct faces_best faces_most(struct faces_best mine)
{
#if defined(__CUDA_ARCH__)
	for (int step = 16; step; step /= 2) {
		struct faces_best other;

		other.value = __shfl_xor_sync(0xffffffffu, mine.value, step);
		other.item = __shfl_xor_sync(0xffffffffu, mine.item, step);
		if (faces_before(other, mine))
			mine = other;
	}
#endif
	return mine;
}

GPUBE_HD static inline double faces_sum(double mine)
{
#if defined(__CUDA_ARCH__)
	for (int step = 16; step; step /= 2)
		mine += __shfl_xor_sync(0xffffffffu, mine, step);
#endif
	return mine;
}

GPUBE_HD static inline void faces_offer(struct faces_best *mine, double value, int item)
{
	const struct faces_best other = {value, item};

	if (faces_before(other, *mine))
		*mine = other;
}

#define FACES_NONE 1000000 /* item of an empty reduction */

/* Where a variable is in a list of at most 32; -1: nowhere. */
GPUBE_HD static inline int faces_find(const uint8_t *list, int n, int var)
{
#if defined(__CUDA_ARCH__)
	return __ffs((int)__ballot_sync(0xffffffffu,
		       FACES_LANE < n && list[FACES_LANE < n ? FACES_LANE : 0] == var)) -
	       1;
#else
	for (int i = 0; i < n; i++)
		if (list[i] == var)
			return i;
	return -1;
#endif
}

/* ---- faces -------------------------------------------------------------------------------- */

/* The whole side, at its first action. */
GPUBE_HD static inline void faces_init(struct faces_face *f, const struct faces_side *s)
{
	const int k = s->k, width = k + 1;
	int best = 0;

	for (int j = 1; j < s->l; j++)
		if (s->c[j * k] > s->c[best * k])
			best = j;
	if (FACES_LANE == 0) {
		f->fixed = 0;
		f->live = k;
		f->pending = -1;
		f->basic[0] = 0;
		f->nonbasic[k - 1] = (uint8_t)(k + best);
	}
	FACES_EACH(i, k - 1)
	f->nonbasic[i] = (uint8_t)(i + 1);
	FACES_EACH(j, s->l)
	{
		const double *c = s->c + j * k, *b = s->c + best * k;
		const int r = j == best ? 0 : j < best ? j + 1 : j;
		double *d = f->d + r * width;

		if (j == best) { /* x_0 = 1 - the others */
			d[0] = 1;
			for (int i = 1; i < k; i++)
				d[i] = -1;
			d[k] = 0;
			continue;
		}
		f->basic[r] = (uint8_t)(k + j);
		d[0] = b[0] - c[0];
		for (int i = 1; i < k; i++)
			d[i] = (b[i] - c[i]) - d[0];
		d[k] = 1;
	}
	FACES_SYNC();
}

/* A face that was begun elsewhere; not for a device. */
static inline void faces_begin(
	struct faces_face *f, const struct faces_side *s, const struct gpube_faces_start *start)
{
	f->fixed = 0;
	f->live = start->live;
	f->pending = -1;
	for (int v = 0; v < s->k + s->l; v++)
		f->fixed |= (uint64_t)(start->fixed[v] != 0) << v;
	for (int r = 0; r < s->l; r++)
		f->basic[r] = (uint8_t)start->basic[r];
	for (int c = 0; c < s->k; c++)
		f->nonbasic[c] = (uint8_t)start->nonbasic[c];
	for (int n = 0; n < s->l * (s->k + 1); n++)
		f->d[n] = start->d[n];
}

/* Moves a column behind the live ones. */
GPUBE_HD static inline void faces_kill(struct faces_face *f, const struct faces_side *s, int col)
{
	const int last = f->live - 1, width = s->k + 1;

	FACES_SYNC();
	if (FACES_LANE == 0) {
		const uint8_t var = f->nonbasic[col];

		f->nonbasic[col] = f->nonbasic[last];
		f->nonbasic[last] = var;
		f->live = last;
	}
	FACES_EACH(r, s->l)
	{
		double *d = f->d + r * width, t = d[col + 1];

		d[col + 1] = d[last + 1];
		d[last + 1] = t;
	}
	FACES_SYNC();
}

GPUBE_HD static inline void faces_pivot(struct faces_face *f, const struct faces_side *s,
	struct faces_scratch *scratch, int row, int col)
{
	const int k = s->k, l = s->l, width = k + 1;
	double *p = f->d + row * width, *column = scratch->column;
	const double inverse = 1 / p[col + 1], constant = p[0] * -inverse;

	FACES_EACH(r, l)
	column[r] = f->d[r * width + col + 1];
	FACES_SYNC();
	FACES_EACH(c, k)
	{
		const double v = c == col ? inverse : p[c + 1] * -inverse;

		/* rows in batches: a load does not wait for the store of the row before */
		for (int first = 0; first < l; first += FACES_BATCH) {
			double *d = f->d + first * width + c + 1, old[FACES_BATCH];
			const int n = l - first < FACES_BATCH ? l - first : FACES_BATCH;

			FACES_UNROLL
			for (int r = 0; r < FACES_BATCH; r++)
				if (r < n)
					old[r] = column[first + r] * v +
						 (c == col ? 0 : d[r * width]);
			FACES_UNROLL
			for (int r = 0; r < FACES_BATCH; r++)
				if (r < n)
					d[r * width] = first + r == row ? v : old[r];
		}
	}
	FACES_EACH(r, l)
	{
		double *d = f->d + r * width;

		*d = r == row ? constant : *d + column[r] * constant;
		if (r != row && *d < 0 && *d > -FACES_ZERO)
			*d = 0;
	}
	FACES_SYNC();
	if (FACES_LANE == 0) {
		const uint8_t var = f->basic[row];

		f->basic[row] = f->nonbasic[col];
		f->nonbasic[col] = var;
	}
	FACES_SYNC();
}

/*
 * Farkas' multipliers that the row proposes, checked against the payoffs: see nash/eee/face_lp.c.
 */
GPUBE_HD static inline bool faces_proves_positive(
	const struct faces_face *f, const struct faces_side *s, int row)
{
	const int k = s->k, t = f->basic[row];
	const double *d = f->d + row * (k + 1);
	struct faces_best least = {-INFINITY, FACES_NONE};
	double of_v = 0, total = 0;

	FACES_EACH(c, k)
	if (f->nonbasic[c] >= k && (c >= f->live || d[c + 1] > 0)) {
		of_v -= d[c + 1];
		total += fabs(d[c + 1]);
	}
	of_v = faces_sum(of_v) + (t >= k);
	total = faces_sum(total) + 1;
	FACES_EACH(i, k)
	{
		double g = t == i;

		if (faces_fixed(f, i) && i != t)
			continue;
		if (t >= k)
			g -= s->c[(t - k) * k + i];
		/* products with 0 instead of branches, so that loads do not wait for each other */
		for (int first = 0; first < k; first += FACES_BATCH) {
			double y[FACES_BATCH], of[FACES_BATCH];

			FACES_UNROLL
			for (int u = 0; u < FACES_BATCH; u++) {
				const int c = first + u < k ? first + u : k - 1;
				const int var = f->nonbasic[c];

				y[u] = first + u < k && var >= k && (c >= f->live || d[c + 1] > 0)
					       ? d[c + 1]
					       : 0;
				of[u] = s->c[(var >= k ? var - k : 0) * k + i];
			}
			FACES_UNROLL
			for (int u = 0; u < FACES_BATCH; u++)
				g += y[u] * of[u];
		}
		faces_offer(&least, -g, i);
	}
	least = faces_most(least);
	/* no action may be played: the face is empty */
	if (least.item == FACES_NONE)
		return true;
	return -least.value - fabs(of_v) > (k + 16) * 0x1p-49 * total;
}

/* The row that leaves when a column enters to make 'row' smaller; 'row' itself if it can. */
GPUBE_HD static inline int faces_leaving(
	const struct faces_face *f, const struct faces_side *s, int row, int col)
{
	const int width = s->k + 1;
	const double own = f->d[row * width] / -f->d[row * width + col + 1];
	struct faces_best least = {-INFINITY, FACES_NONE}, step = {0, FACES_NONE};

	FACES_EACH(r, s->l)
	{
		const double *e = f->d + r * width, down = -e[col + 1];

		if (r != row && down > FACES_PIVOT)
			faces_offer(&least, e[0] > 0 ? -e[0] / down : 0, r);
	}
	least = faces_most(least);
	if (least.item == FACES_NONE || !(-least.value < own - 1e-12))
		return row;
	/* of those that leave as soon, the largest pivot */
	FACES_EACH(r, s->l)
	{
		const double *e = f->d + r * width, down = -e[col + 1];

		if (r != row && down > FACES_PIVOT &&
			(e[0] > 0 ? e[0] / down : 0) <= -least.value + 1e-12)
			faces_offer(&step, down, r);
	}
	return faces_most(step).item;
}

/* Goes to the part of the face where a variable is zero: nash__lp_fix(). */
GPUBE_HD static inline enum faces_end faces_fix(struct faces_face *f, const struct faces_side *s,
	struct faces_scratch *scratch, int var, int64_t *pivots)
{
	int row, col;

	FACES_SYNC();
	if (FACES_LANE == 0)
		f->fixed |= (uint64_t)1 << var;
	FACES_SYNC();
	col = faces_find(f->nonbasic, f->live, var);
	if (col >= 0) {
		faces_kill(f, s, col);
		return FACES_IS_ZERO;
	}
	row = faces_find(f->basic, s->l, var);
	for (int n = 0; n < 20 * (s->k + s->l); n++) {
		const double *d = f->d + row * (s->k + 1);
		struct faces_best enter = {FACES_ZERO, FACES_NONE};
		int out;

		FACES_EACH(c, f->live)
		if (-d[c + 1] > FACES_ZERO)
			faces_offer(&enter, -d[c + 1], c);
		enter = faces_most(enter);
		if (enter.item == FACES_NONE) {
			struct faces_best drop = {FACES_ZERO, FACES_NONE};

			if (d[0] > FACES_ZERO)
				return faces_proves_positive(f, s, row) ? FACES_EMPTY
									: FACES_UNSURE;
			/* its value is 0: it leaves by any pivot, if there is one */
			FACES_EACH(c, f->live)
			if (fabs(d[c + 1]) > FACES_ZERO)
				faces_offer(&drop, fabs(d[c + 1]), c);
			drop = faces_most(drop);
			if (drop.item != FACES_NONE) {
				FACES_SYNC();
				if (FACES_LANE == 0)
					f->d[row * (s->k + 1)] = 0;
				FACES_SYNC();
				faces_pivot(f, s, scratch, row, drop.item);
				faces_kill(f, s, drop.item);
			}
			return FACES_IS_ZERO;
		}
		++*pivots;
		out = faces_leaving(f, s, row, enter.item);
		faces_pivot(f, s, scratch, out, enter.item);
		if (out == row) {
			faces_kill(f, s, enter.item);
			return FACES_IS_ZERO;
		}
	}
	return FACES_UNSURE;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* place[label]: -1 where its variable is zero on the whole face, else how far it is from zero. */
GPUBE_HD static inline void faces_places(
	const struct faces_face *f, const struct faces_side *s, double *place)
{
	FACES_EACH(c, s->k)
	place[faces_label(s, f->nonbasic[c])] = c >= f->live ? -1 : 0;
	FACES_EACH(r, s->l)
	{
		const double *d = f->d + r * (s->k + 1);
		double down = 0, most = d[0];

		for (int c = 0; c < f->live; c++) {
			down -= d[c + 1] < -FACES_ZERO ? d[c + 1] : 0;
			most = d[c + 1] > most ? d[c + 1] : most;
		}
		place[faces_label(s, f->basic[r])] =
			most <= FACES_ZERO || faces_fixed(f, f->basic[r]) ? -1
			: d[0] <= FACES_ZERO                              ? 0
			: down > 0                                        ? d[0] / down
									  : INFINITY;
	}
}

/* The label whose two variables are farthest from having a zero; -1: none is open, a leaf. */
GPUBE_HD static inline int faces_choose(
	struct faces_face *const f[2], const struct faces_side s[2], struct faces_scratch *scratch)
{
	struct faces_best best = {-1, FACES_NONE};

	FACES_SYNC();
	for (int p = 0; p < 2; p++)
		faces_places(f[p], &s[p], scratch->place[p]);
	FACES_SYNC();
	FACES_EACH(a, s[0].k + s[0].l)
	{
		const double x = scratch->place[0][a], y = scratch->place[1][a];

		if (x >= 0 && y >= 0)
			faces_offer(&best, x + y, a);
	}
	best = faces_most(best);
	return best.item == FACES_NONE ? -1 : best.item;
}

GPUBE_HD static inline void faces_leaf(struct gpube_faces_leaf *leaf, struct faces_face *const f[2],
	const struct faces_side s[2], bool open)
{
	for (int p = 0; p < 2; p++) {
		leaf->fixed[p] = f[p]->fixed;
		leaf->live[p] = (uint8_t)f[p]->live;
		for (int c = 0; c < s[p].k; c++)
			leaf->nonbasic[p][c] = f[p]->nonbasic[c];
	}
	leaf->open = open;
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* Leaves of all walks; those past the capacity are counted and lost. */
struct faces_output {
	struct gpube_faces_leaf *leaves;
	unsigned long long *n, capacity;
};

/*
 * f        the current node, side 1 behind side 0 in one block of bytes[0] + bytes[1]
 * stack    room for as many such blocks as there are labels
 * current  whether there is a current node
 */
struct faces_walk {
	const struct faces_side *s;
	struct faces_face *f[2];
	struct faces_scratch *scratch;
	char *stack;
	int depth, bytes;
	bool current;
	int64_t pivots;
	struct faces_output out;
};

/* Copies nodes: multiples of 16 bytes, at multiples of 16. */
GPUBE_HD static inline void faces_copy(void *to, const void *from, int bytes)
{
	FACES_SYNC();
#if defined(__CUDA_ARCH__)
	const ulonglong2 *f = (const ulonglong2 *)from;
	ulonglong2 *t = (ulonglong2 *)to, v[FACES_BATCH];

	for (int k = FACES_LANE; k < bytes / 16; k += 32 * FACES_BATCH) {
		FACES_UNROLL
		for (int u = 0; u < FACES_BATCH; u++)
			if (k + 32 * u < bytes / 16)
				v[u] = f[k + 32 * u];
		FACES_UNROLL
		for (int u = 0; u < FACES_BATCH; u++)
			if (k + 32 * u < bytes / 16)
				t[k + 32 * u] = v[u];
	}
#else
	memcpy(to, from, (size_t)bytes);
#endif
	FACES_SYNC();
}

GPUBE_HD static inline void faces_emit(struct faces_walk *w, bool open)
{
	FACES_SYNC();
	if (FACES_LANE == 0) {
#if defined(__CUDA_ARCH__)
		const unsigned long long at = atomicAdd(w->out.n, 1ull);
#else
		const unsigned long long at = (*w->out.n)++;
#endif

		if (at < w->out.capacity)
			faces_leaf(&w->out.leaves[at], w->f, w->s, open);
	}
	FACES_SYNC();
}

/* Cuts one side of the current node; what is empty or undecided is current no more. */
GPUBE_HD static inline void faces_cut(struct faces_walk *w, int side, int label)
{
	const enum faces_end end = faces_fix(w->f[side], &w->s[side], w->scratch,
		faces_variable(&w->s[side], label), &w->pivots);

	if (end == FACES_UNSURE)
		faces_emit(w, true);
	w->current = end == FACES_IS_ZERO;
}

/*
 * The child of a side on which the label's variable is zero nowhere: there is none, unless that
 * cannot be proved. The node stays as it is.
 */
GPUBE_HD static inline void faces_refute(struct faces_walk *w, int side, int label)
{
	const int var = faces_variable(&w->s[side], label);

	if (faces_fix(w->f[side], &w->s[side], w->scratch, var, &w->pivots) != FACES_EMPTY)
		faces_emit(w, true);
	FACES_SYNC();
	if (FACES_LANE == 0)
		w->f[side]->fixed &= ~((uint64_t)1 << var);
	FACES_SYNC();
}

/* Takes the cut of side 0 that was put off when the node was put on the stack, if any was. */
GPUBE_HD static inline void faces_resume(struct faces_walk *w)
{
	const int label = w->f[0]->pending;

	w->current = true;
	FACES_SYNC();
	if (FACES_LANE == 0)
		w->f[0]->pending = -1;
	if (label >= 0)
		faces_cut(w, 0, label);
}

/* Visits at most 'share' nodes, depth first; returns how many. */
GPUBE_HD static inline int faces_run(struct faces_walk *w, int share)
{
	int n = 0;

	for (;;) {
		int label;

		while (!w->current && w->depth > 0) {
			faces_copy(w->f[0], w->stack + (size_t)--w->depth * w->bytes, w->bytes);
			faces_resume(w);
		}
		if (!w->current || n == share)
			return n;
		n++;
		label = faces_choose(w->f, w->s, w->scratch);
		if (label < 0) {
			faces_emit(w, false);
			w->current = false;
			continue;
		}
		if (isinf(w->scratch->place[0][label])) {
			faces_refute(w, 0, label);
			faces_cut(w, 1, label);
			continue;
		}
		if (isinf(w->scratch->place[1][label])) {
			faces_refute(w, 1, label);
			faces_cut(w, 0, label);
			continue;
		}
		if (FACES_LANE == 0)
			w->f[0]->pending = label;
		faces_copy(w->stack + (size_t)w->depth++ * w->bytes, w->f[0], w->bytes);
		if (FACES_LANE == 0)
			w->f[0]->pending = -1;
		faces_cut(w, 1, label);
	}
}

#endif
