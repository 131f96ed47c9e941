/* clp.c - a solver of linear programs, where there is one: see clp.h. */
#define _GNU_SOURCE
#include "gpube/relax/linear/clp.h"

#include <dlfcn.h>
#include <pthread.h>

#include "gpube/base/opened.h"

#ifdef GPUBE_HAVE_CXX
#include "gpube/relax/linear/caught.h"
enum { HAVE_CXX = 1 };
#else
/* What the library throws is caught in C++ alone: without a compiler of that it is not opened. */
enum { HAVE_CXX = 0 };
static bool gpube__caught(void (*call)(void *), void *arg)
{
	(void)call;
	(void)arg;
	return false;
}
#endif

/* Work for each row and column, where the library begins and in a step, and for each entry. */
enum { BEGIN_TICKS = 300, ROW_TICKS = 12, ENTRY_TICKS = 2 };

/* Of Clp_C_Interface.h: a function, its result and its arguments. */
#define FUNCTIONS(X)                                                                               \
	X(newModel, void *, (void))                                                                \
	X(deleteModel, void, (void *))                                                             \
	X(loadProblem, void,                                                                       \
		(void *, int, int, const int *, const int *, const double *, const double *,       \
			const double *, const double *, const double *, const double *))           \
	X(addRows, void,                                                                           \
		(void *, int, const double *, const double *, const int *, const int *,            \
			const double *))                                                           \
	X(deleteRows, void, (void *, int, const int *))                                            \
	X(setLogLevel, void, (void *, int))                                                        \
	X(setMaximumIterations, void, (void *, int))                                               \
	X(setNumberIterations, void, (void *, int))                                                \
	X(numberIterations, int, (void *))                                                         \
	X(dual, int, (void *, int))                                                                \
	X(status, int, (void *))                                                                   \
	X(columnLower, double *, (void *))                                                         \
	X(objective, double *, (void *))                                                           \
	X(columnUpper, double *, (void *))                                                         \
	X(primalColumnSolution, double *, (void *))                                                \
	X(dualRowSolution, double *, (void *))                                                     \
	X(statusArray, unsigned char *, (void *))                                                  \
	X(copyinStatus, void, (void *, const unsigned char *))

static struct {
	pthread_once_t once;
	bool there, told;
#define X(name, result, arguments) result(*name) arguments;
	FUNCTIONS(X)
#undef X
} clp = {.once = PTHREAD_ONCE_INIT};

static const char *const names[] = {"libClp.so.1", "libClp.so", NULL};

static bool take(void *library)
{
	bool all = true;

#define X(name, result, arguments)                                                                 \
	*(void **)&clp.name = dlsym(library, "Clp_" #name);                                        \
	all &= clp.name != NULL;
	FUNCTIONS(X)
#undef X
	return all;
}

static void load(void)
{
	clp.there = HAVE_CXX && gpube__opened("GPUBE_CLP", names, take);
}

bool gpube__clp_there(struct gpube_ctx *ctx)
{
	pthread_once(&clp.once, load);
	if (!clp.there && ctx && !__atomic_exchange_n(&clp.told, true, __ATOMIC_RELAXED))
		gpube__log(ctx, GPUBE_LOG_DETAIL,
			"no linear bounds: %s is not installed (Debian: coinor-libclp1), or gpube "
			"was built without a compiler of C++",
			names[0]);
	return clp.there;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/*
 * The library throws where it has no memory. After that nothing is known of what it holds, which is
 * not touched again, nor freed.
 */
struct gpube_clp {
	void *model;
	const struct gpube_clp_problem *problem; /* while it is made */
	int steps, n;
	const int *start, *column; /* of n rows that are added; or the rows that go */
	const double *entry, *high;
	const unsigned char *basis;
	bool lost;
};

static void make(void *arg)
{
	struct gpube_clp *c = arg;
	const struct gpube_clp_problem *p = c->problem;

	c->model = clp.newModel();
	clp.setLogLevel(c->model, 0);
	clp.loadProblem(c->model, p->n_columns, p->n_rows, p->start, p->row, p->entry,
		p->column_low, p->column_high, p->cost, p->row_low, p->row_high);
}

static void add_rows(void *arg)
{
	struct gpube_clp *c = arg;

	clp.addRows(c->model, c->n, NULL, c->high, c->start, c->column, c->entry);
}

static void drop_rows(void *arg)
{
	struct gpube_clp *c = arg;

	clp.deleteRows(c->model, c->n, c->column);
}

static void take_steps(void *arg)
{
	struct gpube_clp *c = arg;

	clp.setNumberIterations(c->model, 0);
	clp.setMaximumIterations(c->model, c->steps);
	clp.dual(c->model, 0);
}

static void take_basis(void *arg)
{
	struct gpube_clp *c = arg;

	clp.copyinStatus(c->model, c->basis);
}

static void end(void *arg)
{
	struct gpube_clp *c = arg;

	clp.deleteModel(c->model);
}

struct gpube_clp *gpube__clp_new(struct gpube_ctx *ctx, const struct gpube_clp_problem *problem)
{
	struct gpube_clp *c = gpube__alloc_zero(ctx, 1, sizeof(*c));

	if (!c)
		return NULL;
	c->problem = problem;
	if (gpube__caught(make, c))
		return c;
	gpube__free(ctx, c);
	return NULL;
}

void gpube__clp_free(struct gpube_ctx *ctx, struct gpube_clp *c)
{
	if (c && !c->lost)
		(void)gpube__caught(end, c);
	gpube__free(ctx, c);
}

double *gpube__clp_low(struct gpube_clp *c)
{
	return c->lost ? NULL : clp.columnLower(c->model);
}

double *gpube__clp_high(struct gpube_clp *c)
{
	return c->lost ? NULL : clp.columnUpper(c->model);
}

double *gpube__clp_cost(struct gpube_clp *c)
{
	return c->lost ? NULL : clp.objective(c->model);
}

bool gpube__clp_add(struct gpube_clp *c, int n, const int *start, const int *column,
	const double *entry, const double *high)
{
	c->n = n;
	c->start = start;
	c->column = column;
	c->entry = entry;
	c->high = high;
	c->lost = c->lost || !gpube__caught(add_rows, c);
	return !c->lost;
}

bool gpube__clp_drop(struct gpube_clp *c, int n, const int *rows)
{
	c->n = n;
	c->column = rows;
	c->lost = c->lost || !gpube__caught(drop_rows, c);
	return !c->lost;
}

enum gpube_clp_end gpube__clp_dual(struct gpube_clp *c, int steps, int *taken)
{
	*taken = 0;
	c->steps = steps;
	if (!c->lost)
		c->lost = !gpube__caught(take_steps, c);
	if (c->lost)
		return GPUBE__CLP_FAILS;
	*taken = clp.numberIterations(c->model);
	return clp.status(c->model) == 3 ? GPUBE__CLP_STEPS : GPUBE__CLP_OVER;
}

void gpube__clp_work(struct gpube_ctx *ctx, int64_t rows_and_columns, int64_t n_entries, int taken)
{
	gpube__work(ctx, (BEGIN_TICKS + (int64_t)taken * ROW_TICKS) * rows_and_columns +
				 (int64_t)taken * ENTRY_TICKS * n_entries);
}

const double *gpube__clp_value(struct gpube_clp *c)
{
	return clp.primalColumnSolution(c->model);
}

const double *gpube__clp_price(struct gpube_clp *c)
{
	return clp.dualRowSolution(c->model);
}

const unsigned char *gpube__clp_basis(struct gpube_clp *c)
{
	return clp.statusArray(c->model);
}

void gpube__clp_begin(struct gpube_clp *c, const unsigned char *basis)
{
	c->basis = basis;
	if (!c->lost)
		c->lost = !gpube__caught(take_basis, c);
}
