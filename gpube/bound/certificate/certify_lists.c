/*
 * certify_lists.c - stages of lists that grow of patches (relax/patches/lists.h), for a certificate: see certify.h.
 *
 * It does what bound/patching does, on the relaxed problem simplified, which forbids what costs as much as the limit; and what
 * excludes each other is joined to one variable. (Without that 507's lists of SPOT5 were 2700 with 18,000 separators where they
 * are 1000 with 2500, and stood still at 26,700 of 27,390.) All that a list of joined variables says one of the given variables
 * says, too, so only which lists there were is noted, of given variables, and how many sweeps. The checker's sweeps are not the
 * same to the last unit: the last stage may have more of them than were needed here.
 */
#include <string.h>

#include "gpube/base/rows.h"
#include "gpube/bound/certificate/certify.h"
#include "gpube/relax/patches/lists.h"
#include "gpube/simplify/exclusive.h"
#include "gpube/simplify/lean.h"
#include "gpube/simplify/simplify.h"

/* Cells of a table that an eliminated variable leaves, and of a patch of several functions. */
enum { SMALL_TABLE = 256 };
/* Of so many sweeps is judged whether they pay: what they are to bring of what is missing, before lists grow and where they cannot. */
enum { WINDOW = 8, MOST_SWEEPS = 1000 };
#define SLOW	   0.01
#define LIST_SLOW  0.003
#define LIST_STILL 0.0005
/* Sweeps that the checker may need beyond those here. */
enum { MORE_SWEEPS = 4 * WINDOW };

struct certifying {
	struct gpube_ctx *ctx;
	struct gpube_certificate *c;
	const struct gpube_model *relaxed;
	const struct gpube_model *m; /* the simplified model, or a lean one of it */
	const struct gpube_lean *lean;
	int32_t *of, *of_at; /* given variables of each of the simplified model: of[of_at[i]] … */
	int32_t *simple;     /* of m's variables: the simplified model's */
	int32_t n_simple;
	struct gpube_patches *p;
	struct gpube_patches_state *root;
	struct gpube_patch_lists *lists;
	int32_t words;
	uint64_t *old; /* sets of given variables: the checker's lists before this stage */
	int64_t n_old, old_capacity;
	uint64_t *set; /* the list that is noted */
	int32_t *order, n_order;
	int32_t n_sweeps;
	int64_t enough; /* where it ends, scaled */
	double end;
};

static int64_t constant_of(const struct certifying *w)
{
	return w->lists ? w->lists->constant : w->root->constant;
}

static bool is_over(const struct certifying *w)
{
	return constant_of(w) >= w->enough || gpube__stopped(w->ctx) || (w->end > 0 && gpube__now() >= w->end);
}

/* ---- what is noted --------------------------------------------------------------------------- */

static uint64_t *old_set(const struct certifying *w, int64_t k)
{
	return w->old + k * w->words;
}

static int add_old(struct certifying *w, const uint64_t *set)
{
	if (gpube__grow(w->ctx, &w->old, &w->old_capacity, (w->n_old + 1) * w->words, sizeof(*w->old)))
		return GPUBE_ENOMEM;
	memcpy(old_set(w, w->n_old++), set, (size_t)w->words * sizeof(*set));
	return GPUBE_OK;
}

/* One more given variable of the list that is noted, unless it has it. */
static void put_variable(struct certifying *w, int32_t var)
{
	if (!gpube__bit(w->set, var))
		w->order[w->n_order++] = var;
	gpube__bit_put(w->set, var);
}

/* The given variables of one of the simplified model. */
static void put_given(struct certifying *w, int32_t simple)
{
	for (int32_t k = w->of_at[simple]; k < w->of_at[simple + 1]; k++)
		put_variable(w, w->of[k]);
}

static void begin_list(struct certifying *w)
{
	memset(w->set, 0, (size_t)w->words * sizeof(*w->set));
	w->n_order = 0;
}

/* What was put is a list, and one of the old ones from now on, without what leaves it. */
static int note_list(struct certifying *w, int32_t n_leaving)
{
	const int status = gpube__certificate_list(w->c, w->n_order, n_leaving, w->order);

	for (int32_t k = w->n_order - n_leaving; k < w->n_order; k++)
		gpube__bit_drop(w->set, w->order[k]);
	return status ? status : add_old(w, w->set);
}

/*
 * A list of each variable that stands for several, if it is within old list number 'within', or that is -1: it says what of
 * their values is possible, and the checker adds them together.
 */
static int note_joined(struct certifying *w, int64_t within)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < w->n_simple && !status; i++) {
		if (w->of_at[i + 1] - w->of_at[i] < 2)
			continue;
		begin_list(w);
		put_given(w, i);
		if (within < 0 || gpube__bits_within(w->set, old_set(w, within), w->words))
			status = note_list(w, 0);
	}
	return status;
}

/* Those of the first n old lists that are within a later one, but for what left it, are no more. */
static void forget_old(struct certifying *w, int64_t n, const uint64_t *left)
{
	int64_t to = 0;

	for (int64_t k = 0; k < w->n_old; k++) {
		bool within = false;

		for (int64_t j = n; j < w->n_old && k < n && !within; j++) {
			within = true;
			for (int32_t e = 0; e < w->words; e++)
				within &= !(old_set(w, k)[e] & ~old_set(w, j)[e] & ~(left ? left[e] : 0));
		}
		if (!within)
			memmove(old_set(w, to++), old_set(w, k), (size_t)w->words * sizeof(*w->old));
	}
	w->n_old = to;
}

/* A stage with the lists, or patches, that there are; their variables come in an order in which entries stay few. */
static int note_stage(struct certifying *w)
{
	const int64_t n_old = w->n_old;
	const int32_t n = w->lists ? w->lists->n_lists : w->p->n_patches;
	int status = gpube__certificate_stage(w->c, 0);

	for (int32_t k = 0; k < n && !status; k++) {
		const int32_t arity = w->lists ? w->lists->lists[k].arity : w->p->patches[k].arity;
		const int32_t *order = w->lists ? w->lists->lists[k].order : w->p->patches[k].scope;

		begin_list(w);
		for (int32_t v = 0; v < arity; v++)
			put_given(w, w->simple[order[v]]);
		status = note_list(w, 0);
	}
	if (!status)
		status = note_joined(w, -1);
	forget_old(w, n_old, NULL);
	return status;
}

/* Whether no old list has one of the variables, but those that are within w->set. */
static bool may_leave(const struct certifying *w, const uint64_t *leaving)
{
	bool may = true;

	for (int64_t j = 0; j < w->n_old && may; j++) {
		bool has = false;

		for (int32_t e = 0; e < w->words; e++)
			has |= old_set(w, j)[e] & leaving[e];
		may = !has || gpube__bits_within(old_set(w, j), w->set, w->words);
	}
	return may;
}

/* Each variable that was eliminated leaves a list of its own, if no other has it. */
static int note_lean(struct certifying *w)
{
	uint64_t *leaving = gpube__alloc(w->ctx, (uint64_t)w->words, sizeof(*leaving));
	int status = leaving ? GPUBE_OK : GPUBE_ENOMEM;

	for (int64_t k = 0; w->lean && k < w->lean->n_steps && !status; k++) {
		const struct gpube_lean_step *s = &w->lean->steps[k];
		const int64_t n_old = w->n_old;
		int32_t n_staying;
		bool leaves;

		begin_list(w);
		for (int e = 0; e < s->arity; e++)
			put_given(w, s->scope[e]);
		n_staying = w->n_order;
		put_given(w, s->var);
		memset(leaving, 0, (size_t)w->words * sizeof(*leaving));
		for (int32_t e = n_staying; e < w->n_order; e++)
			gpube__bit_put(leaving, w->order[e]);
		leaves = may_leave(w, leaving);
		status = gpube__certificate_stage(w->c, 0);
		if (!status)
			status = note_list(w, leaves ? w->n_order - n_staying : 0);
		if (!status)
			status = note_joined(w, n_old);
		forget_old(w, n_old, leaves ? leaving : NULL);
	}
	gpube__free(w->ctx, leaving);
	return status;
}

/* The checker's first lists: of the relaxed functions. */
static int list_functions(struct certifying *w)
{
	int status = GPUBE_OK;

	w->words = w->relaxed->n_vars / 64 + 1;
	w->set = gpube__alloc(w->ctx, (uint64_t)w->words, sizeof(*w->set));
	w->order = gpube__alloc(w->ctx, (uint64_t)w->relaxed->n_vars + 1, sizeof(*w->order));
	if (!w->set || !w->order)
		return GPUBE_ENOMEM;
	for (int32_t f = 0; f < w->relaxed->n_functions && !status; f++) {
		begin_list(w);
		for (int k = 0; k < w->relaxed->functions[f].arity; k++)
			put_variable(w, gpube__scope(w->relaxed, f)[k]);
		status = add_old(w, w->set);
	}
	return status;
}

/* ---- sweeps ------------------------------------------------------------------------------------ */

static void sweep(struct certifying *w, int32_t *room)
{
	const bool back = w->n_sweeps++ % 2;

	if (w->lists)
		gpube__lists_sweep(w->lists, back, room);
	else
		gpube__patches_sweep(w->p, w->root, back ? GPUBE__PATCHES_BACKWARD : GPUBE__PATCHES_FORWARD, 0, room);
	w->c->stages.stages[w->c->stages.n - 1].n_sweeps++;
}

/* Sweeps until a window of them brings less than the part 'slow' of what is missing. */
static int climb(struct certifying *w, double slow)
{
	int32_t *room = gpube__alloc(w->ctx, (uint64_t)(w->lists ? w->lists->room : w->p->room) + 1, sizeof(*room));
	int64_t before = constant_of(w);

	for (int n = 1; room && n <= MOST_SWEEPS && !is_over(w); n++) {
		sweep(w, room);
		if (n % WINDOW)
			continue;
		if ((double)(constant_of(w) - before) < slow * (double)(w->root->target - constant_of(w)))
			break;
		before = constant_of(w);
		if (w->lists)
			gpube__lists_shorten(w->lists);
	}
	gpube__free(w->ctx, room);
	return room ? GPUBE_OK : GPUBE_ENOMEM;
}

/* *any: whether there are lists of more entries. */
static int grow(struct certifying *w, bool *any)
{
	struct gpube_patch_lists *l = NULL;
	int status = w->lists ? GPUBE_OK : gpube__lists_new(&w->lists, w->p, w->root);

	if (!status && w->lists)
		status = gpube__lists_grow(&l, w->lists, w->m, 2 * w->lists->most);
	*any = !status && l;
	if (*any) {
		gpube__lists_free(w->lists);
		w->lists = l;
		status = note_stage(w);
	} else if (w->lists && !w->lists->n_separators) { /* of patches alone: there is nothing to sweep */
		gpube__lists_free(w->lists);
		w->lists = NULL;
	}
	return status == GPUBE_ESTOP ? GPUBE_OK : status;
}

static int climb_on(struct certifying *w)
{
	bool grows = true;
	int status = note_stage(w);

	if (!status)
		status = climb(w, SLOW);
	while (!status && grows && !is_over(w)) {
		status = grow(w, &grows);
		if (!status && !is_over(w))
			status = climb(w, grows ? LIST_SLOW : LIST_STILL);
	}
	if (!status && constant_of(w) >= w->enough)
		w->c->stages.stages[w->c->stages.n - 1].n_sweeps += MORE_SWEEPS;
	return status;
}

/* ---- the call ---------------------------------------------------------------------------------- */

/* The given variables of each simplified one, and the simplified one of each of m's. */
static int map_variables(struct certifying *w, const struct gpube_simplified *s)
{
	const int32_t n = s->model->n_vars;

	w->n_simple = n;
	w->of = gpube__alloc(w->ctx, (uint64_t)s->n_vars + 1, sizeof(*w->of));
	w->of_at = gpube__alloc_zero(w->ctx, (uint64_t)n + 3, sizeof(*w->of_at));
	w->simple = gpube__alloc(w->ctx, (uint64_t)n + 1, sizeof(*w->simple));
	if (!w->of || !w->of_at || !w->simple)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < s->n_vars; i++)
		if (s->var[i] >= 0)
			GPUBE_ROW_COUNT(w->of_at, s->var[i]);
	GPUBE_ROWS_BEGIN(w->of_at, n);
	for (int32_t i = 0; i < s->n_vars; i++)
		if (s->var[i] >= 0)
			w->of[GPUBE_ROW_PLACE(w->of_at, s->var[i])] = i;
	for (int32_t i = 0; i < n; i++)
		if (!w->lean || w->lean->var[i] >= 0)
			w->simple[w->lean ? w->lean->var[i] : i] = i;
	return GPUBE_OK;
}

static int certify(struct certifying *w, const struct gpube_simplified *s, int64_t bound, int64_t limit)
{
	int status = map_variables(w, s);

	if (!status)
		status = gpube__patches_new(&w->p, &w->root, w->m, SMALL_TABLE, limit);
	if (!status && !w->p)
		status = gpube__fail(w->ctx, GPUBE_ELIMIT, "the model is not for patches");
	if (status)
		return status;
	w->c->shift = w->p->shift > 0 ? w->p->shift : 0;
	w->enough = bound < limit ? gpube__patches_target(w->p, w->m, bound) : w->root->target;
	status = list_functions(w);
	if (!status)
		status = gpube__certificate_stage(w->c, 0);
	if (!status)
		status = note_joined(w, -1);
	if (!status)
		status = note_lean(w);
	return status ? status : climb_on(w);
}

/* The relaxed problem without what costs as much as the limit, and with what excludes each other joined. */
static int simplify(struct gpube_simplified *out, const struct gpube_model *relaxed, int64_t limit)
{
	struct gpube_model below = *relaxed; /* its tables are the relaxed one's */
	struct gpube_simplified joined;
	bool any = false;
	int status;

	below.top = limit;
	status = gpube__simplify(out, &below, true);
	if (!status && !out->infeasible && out->model->n_vars > 1)
		status = gpube__join_exclusive(&joined, out, &any);
	if (any) {
		gpube__simplified_clear(relaxed->ctx, out);
		*out = joined;
	}
	return status;
}

int gpube__certify_lists(struct gpube_certificate *c, const struct gpube_model *relaxed, int64_t bound, int64_t limit, double end)
{
	struct certifying w = {.ctx = relaxed->ctx, .c = c, .relaxed = relaxed, .end = end};
	struct gpube_simplified s = {0};
	struct gpube_lean *lean = NULL;
	int status = simplify(&s, relaxed, limit);

	c->stages.limit = limit;
	if (!status && (s.infeasible || !s.model->n_vars)) /* a list of all functions of a variable or two says so */
		status = gpube__fail(w.ctx, GPUBE_ELIMIT, "the model is too simple for lists");
	if (!status)
		status = gpube__lean_new(&lean, s.model, SMALL_TABLE);
	w.lean = lean;
	w.m = lean ? lean->model : s.model;
	if (!status)
		status = certify(&w, &s, bound, limit);
	gpube__lists_free(w.lists);
	gpube__free(w.ctx, w.root);
	gpube__patches_free(w.p);
	gpube__free(w.ctx, w.old);
	gpube__free(w.ctx, w.set);
	gpube__free(w.ctx, w.order);
	gpube__free(w.ctx, w.of);
	gpube__free(w.ctx, w.of_at);
	gpube__free(w.ctx, w.simple);
	gpube__lean_free(w.ctx, lean);
	gpube__simplified_clear(w.ctx, &s);
	return status;
}
