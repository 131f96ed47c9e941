/*
 * compiled_values.c - what evidence fixes: see compiled.h.
 *
 * Zeros exclude values, as in possible.c; here for every query anew, so bits are what is left of a
 * variable, and bits are which cells of a function are above 0. Functions without zeros, of which
 * most models have many, are not looked at.
 */
#include "gpube/infer/compiled.h"

#include <string.h>

/*
 * Cells of a function that is looked at; bytes of all of them, and that part of the memory allowed.
 */
enum { MOST_CELLS = 1024, MOST_BYTES = 64 << 20, SHARE = 16, WORD = 64 };

/*
 * masks  n_words for the cells above 0, then as many for each value of each axis: those that have
 *        it
 */
struct gpube_forcing_function {
	int n_axes, n_words;
	int32_t *axis; /* positions */
	uint64_t *masks;
};

void gpube__forcing_clear(struct gpube_forcing *x, struct gpube_ctx *ctx)
{
	for (int32_t k = 0; k < x->n_functions; k++) {
		gpube__free(ctx, x->functions[k].axis);
		gpube__free(ctx, x->functions[k].masks);
	}
	GPUBE_FREE_ALL(ctx, x->functions, x->first, x->of, x->waiting, x->waits, x->all, x->left,
		x->observed, x->now);
	*x = (struct gpube_forcing){0};
}

/* ---- functions ----------------------------------------------------------------------- */

/* Sets n_axes, n_words and the bytes that it takes. False: it is too large, or fixed */
static bool measure(struct gpube_forcing_function *x, const struct gpube_visit *w,
	const struct gpube__inferring *j, double *bytes)
{
	int64_t cells = 1, values = 1;

	for (int k = 0; k < w->n; k++) {
		const int32_t n = gpube__infer_domain(j, j->position[w->axis[k].var]);

		if (n > WORD || cells * n > MOST_CELLS)
			return false;
		cells *= n;
		values += n;
	}
	x->n_axes = w->n;
	x->n_words = (int)((cells + WORD - 1) / WORD);
	*bytes = (double)values * x->n_words * sizeof(*x->masks) + (double)w->n * sizeof(*x->axis);
	return w->n > 0;
}

static bool fill(
	struct gpube_forcing_function *x, struct gpube_visit *w, const struct gpube__inferring *j)
{
	int64_t cell = 0;
	bool zeros = false;

	for (int k = 0; k < w->n; k++)
		x->axis[k] = j->position[w->axis[k].var];
	do {
		const uint64_t bit = UINT64_C(1) << cell % WORD;
		uint64_t *mask = x->masks + cell / WORD;

		cell++;
		if (!(gpube__visit_value(w) > 0)) {
			zeros = true;
			continue;
		}
		*mask |= bit;
		mask += x->n_words;
		for (int k = 0; k < w->n; k++) {
			mask[(int64_t)w->axis[k].at * x->n_words] |= bit;
			mask += (int64_t)w->axis[k].n * x->n_words;
		}
	} while (gpube__visit_step(w));
	return zeros;
}

/* *kept: the function is one of those that are looked at. */
static int add(struct gpube_forcing *x, struct gpube__inferring *j, int32_t function, double *room,
	bool *kept)
{
	struct gpube_forcing_function *f = &x->functions[x->n_functions];
	struct gpube_visit w;
	double bytes = 0;
	int status = gpube__visit_begin(&w, j->m, function, &j->possible);

	*kept = false;
	*f = (struct gpube_forcing_function){0};
	if (!status && measure(f, &w, j, &bytes) && bytes < *room) {
		f->axis = gpube__alloc(j->ctx, (uint64_t)f->n_axes, sizeof(*f->axis));
		f->masks = gpube__alloc_zero(
			j->ctx, (uint64_t)bytes / sizeof(*f->masks) + 1, sizeof(*f->masks));
		status = f->axis && f->masks ? GPUBE_OK : GPUBE_ENOMEM;
		*kept = !status && fill(f, &w, j);
	}
	if (!*kept) {
		gpube__free(j->ctx, f->axis);
		gpube__free(j->ctx, f->masks);
	} else {
		*room -= bytes;
		x->n_functions++;
	}
	gpube__free(j->ctx, w.axis);
	return status;
}

/* The functions of each position. */
static int index_functions(struct gpube_forcing *x, struct gpube__inferring *j)
{
	int64_t n = 0;

	for (int32_t f = 0; f < x->n_functions; f++)
		n += x->functions[f].n_axes;
	x->of = gpube__alloc(j->ctx, (uint64_t)n, sizeof(*x->of));
	x->first = gpube__alloc_zero(j->ctx, (uint64_t)j->n + 2, sizeof(*x->first));
	if (!x->of || !x->first)
		return GPUBE_ENOMEM;
	for (int32_t f = 0; f < x->n_functions; f++)
		for (int k = 0; k < x->functions[f].n_axes; k++)
			x->first[x->functions[f].axis[k] + 2]++;
	for (int32_t p = 0; p < j->n; p++)
		x->first[p + 2] += x->first[p + 1];
	for (int32_t f = 0; f < x->n_functions; f++)
		for (int k = 0; k < x->functions[f].n_axes; k++)
			x->of[x->first[x->functions[f].axis[k] + 1]++] = f;
	return GPUBE_OK;
}

int gpube__forcing_begin(struct gpube_forcing *x, struct gpube__inferring *j)
{
	double room = (double)j->ctx->memory_bytes / SHARE;
	bool kept;
	int status = GPUBE_OK;

	room = room < MOST_BYTES ? room : MOST_BYTES;
	x->functions = gpube__alloc(j->ctx, (uint64_t)j->m->n_functions, sizeof(*x->functions));
	x->waiting = gpube__alloc(j->ctx, (uint64_t)j->m->n_functions, sizeof(*x->waiting));
	x->waits = gpube__alloc_zero(j->ctx, (uint64_t)j->m->n_functions, sizeof(*x->waits));
	x->all = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*x->all));
	x->left = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*x->left));
	x->observed = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*x->observed));
	x->now = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*x->now));
	if (!x->functions || !x->waiting || !x->waits || !x->all || !x->left || !x->observed ||
		!x->now)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < j->n; p++) {
		const int32_t n = gpube__infer_domain(j, p);

		x->all[p] = n <= WORD ? ~UINT64_C(0) >> (WORD - n) : 0;
		x->observed[p] = -1;
	}
	for (int32_t f = 0; f < j->m->n_functions && !status; f++)
		status = add(x, j, f, &room, &kept);
	return status ? status : index_functions(x, j);
}

/* ---- a query ------------------------------------------------------------------------- */

static void wait_for_all(struct gpube_forcing *x, int32_t position)
{
	for (int64_t k = x->first[position]; k < x->first[position + 1]; k++) {
		const int32_t f = x->of[k];

		if (x->waits[f])
			continue;
		x->waits[f] = true;
		x->waiting[x->n_waiting++] = f;
	}
}

/* The cells of a function that have some value that is left of each variable, and are above 0. */
static void find_cells(
	uint64_t *cells, const struct gpube_forcing *x, const struct gpube_forcing_function *f)
{
	const uint64_t *mask = f->masks + f->n_words;

	memcpy(cells, f->masks, (size_t)f->n_words * sizeof(*cells));
	for (int k = 0; k < f->n_axes; k++) {
		const uint64_t left = x->left[f->axis[k]], all = x->all[f->axis[k]];

		for (int w = 0; w < f->n_words && left != all; w++) {
			uint64_t any = 0;

			for (uint64_t rest = left; rest; rest &= rest - 1)
				any |= mask[(int64_t)__builtin_ctzll(rest) * f->n_words + w];
			cells[w] &= any;
		}
		mask += (int64_t)(WORD - __builtin_clzll(all)) * f->n_words;
	}
}

/* False: a variable has no value left. */
static bool look(struct gpube_forcing *x, const struct gpube_forcing_function *f)
{
	uint64_t cells[MOST_CELLS / WORD];
	const uint64_t *mask = f->masks + f->n_words;

	find_cells(cells, x, f);
	for (int k = 0; k < f->n_axes; k++) {
		const int32_t p = f->axis[k];
		uint64_t left = 0;

		for (uint64_t rest = x->left[p]; rest; rest &= rest - 1) {
			const uint64_t *with = mask + (int64_t)__builtin_ctzll(rest) * f->n_words;
			uint64_t any = 0;

			for (int w = 0; w < f->n_words; w++)
				any |= cells[w] & with[w];
			left |= any ? rest & -rest : 0;
		}
		mask += (int64_t)(WORD - __builtin_clzll(x->all[p])) * f->n_words;
		if (left == x->left[p])
			continue;
		x->left[p] = left;
		if (!left)
			return false;
		wait_for_all(x, p);
	}
	return true;
}

void gpube__forcing_leave(struct gpube_forcing *x, const struct gpube__inferring *j)
{
	memcpy(x->now, x->observed, (size_t)j->n * sizeof(*x->now));
}

bool gpube__forcing_find(struct gpube_forcing *x, const struct gpube__inferring *j)
{
	bool ok = true;

	memcpy(x->left, x->all, (size_t)j->n * sizeof(*x->left));
	for (int32_t p = 0; p < j->n; p++) {
		if (x->observed[p] < 0 || !x->all[p])
			continue;
		x->left[p] = UINT64_C(1) << x->observed[p];
		wait_for_all(x, p);
	}
	while (x->n_waiting > 0) {
		const int32_t f = x->waiting[--x->n_waiting];

		x->waits[f] = false;
		ok = ok && look(x, &x->functions[f]);
	}
	for (int32_t p = 0; p < j->n; p++) {
		const uint64_t left = x->left[p];

		x->now[p] = !x->all[p]          ? x->observed[p]
			    : left & (left - 1) ? -1
						: __builtin_ctzll(left | UINT64_C(1) << 63);
	}
	return ok;
}
