/* sum_axes.c - see sum_axes.h. */
#include "gpube/ops/sum/sum_axes.h"
#include "gpube/ops/sum/sum_panel.h"

enum {
	PANEL = 512,       /* cells from which a panel is long enough */
	MOST_PANEL = 4096, /* and at most, unless one axis is longer */
	LEAST_ITEMS = 64,  /* left to the threads, however many there are */
	LEAST_OUTER = 15,  /* where else a large table is read again and again */
};

static void push(const struct gpube_sum_job *job, struct gpube_sum_axes *x, int axis)
{
	x->axis[x->n++] = axis;
	x->cells *= job->dim[axis];
}

/* Outermost the axes that most of the cells have. */
static void nest(struct gpube_sum_axes *x, const struct gpube_sum_job *job)
{
	for (int k = 1; k < x->n; k++) {
		const int axis = x->axis[k];
		const double least = gpube__sum_lacking(job, axis);
		int i = k;

		for (; i > 0 && gpube__sum_lacking(job, x->axis[i - 1]) > least; i--)
			x->axis[i] = x->axis[i - 1];
		x->axis[i] = axis;
	}
}

void gpube__sum_sort_axes(struct gpube_sum_axes *items, struct gpube_sum_axes *rest,
	struct gpube_sum_axes *panel, const struct gpube_sum_job *job)
{
	/* with weights the first axis is walked along in a panel */
	const int outer = job->weights ? 1 : 0;
	/* what is not stored, but added to */
	const bool many =
		job->n_out > 1 || (job->n_axes > 0 && !job->out[0].stride[job->n_axes - 1]);
	int64_t n_items = 1;
	int first;

	*items = *rest = *panel = (struct gpube_sum_axes){.cells = 1};
	for (int a = outer; a < job->n_axes; a++)
		if (gpube__sum_in_all(job, a))
			n_items *= job->dim[a];
	for (first = job->n_axes; first > outer && panel->cells < PANEL; first--) {
		const int64_t dim = job->dim[first - 1];

		if (panel->cells > 1 && panel->cells * dim > MOST_PANEL)
			break;
		if (gpube__sum_in_all(job, first - 1)) {
			if (panel->cells >= 64 && n_items / dim < LEAST_ITEMS)
				break;
			n_items /= dim;
		}
		panel->cells *= dim;
	}
	panel->cells = 1;
	for (int a = first; a < job->n_axes; a++)
		push(job, panel, a);
	for (int a = outer; a < first; a++) {
		const bool inner = many && gpube__sum_lacking(job, a) > 0 &&
				   n_items / job->dim[a] >= LEAST_OUTER;

		n_items /= gpube__sum_in_all(job, a) && inner ? job->dim[a] : 1;
		push(job, gpube__sum_in_all(job, a) && !inner ? items : rest, a);
	}
	nest(items, job);
	nest(rest, job);
}
