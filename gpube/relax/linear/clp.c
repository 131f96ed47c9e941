/* clp.c - a solver of linear programs, where there is one: see clp.h. */
#define _GNU_SOURCE
#include "gpube/relax/linear/clp.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Of Clp_C_Interface.h: a function, its result and its arguments. */
#define FUNCTIONS(X)                                                                               \
	X(newModel, void *, (void))                                                                \
	X(deleteModel, void, (void *))                                                             \
	X(loadProblem, void,                                                                       \
		(void *, int, int, const int *, const int *, const double *, const double *,       \
			const double *, const double *, const double *, const double *))           \
	X(setLogLevel, void, (void *, int))                                                        \
	X(setMaximumIterations, void, (void *, int))                                               \
	X(setNumberIterations, void, (void *, int))                                                \
	X(numberIterations, int, (void *))                                                         \
	X(dual, int, (void *, int))                                                                \
	X(status, int, (void *))                                                                   \
	X(columnUpper, double *, (void *))                                                         \
	X(primalColumnSolution, double *, (void *))                                                \
	X(dualRowSolution, double *, (void *))                                                     \
	X(objectiveValue, double, (void *))                                                        \
	X(statusArray, unsigned char *, (void *))                                                  \
	X(copyinStatus, void, (void *, const unsigned char *))

static struct {
	pthread_once_t once;
	bool there, told;
#define X(name, result, arguments) result(*name) arguments;
	FUNCTIONS(X)
#undef X
} clp = {.once = PTHREAD_ONCE_INIT};

static const char *const names[] = {"libClp.so.1", "libClp.so"};

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
	const char *named = secure_getenv("GPUBE_CLP");

	if (named && named[0]) {
		void *library = strcmp(named, "none") ? dlopen(named, RTLD_NOW | RTLD_LOCAL) : NULL;

		clp.there = library && take(library);
		return;
	}
	for (unsigned k = 0; k < sizeof(names) / sizeof(*names) && !clp.there; k++) {
		void *library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);

		clp.there = library && take(library);
		if (library && !clp.there)
			dlclose(library);
	}
}

bool gpube__clp_there(struct gpube_ctx *ctx)
{
	pthread_once(&clp.once, load);
	if (!clp.there && ctx && !__atomic_exchange_n(&clp.told, true, __ATOMIC_RELAXED))
		gpube__log(ctx, GPUBE_LOG_DETAIL,
			"no linear bounds: %s is not installed (Debian: coinor-libclp1)", names[0]);
	return clp.there;
}

struct gpube_clp *gpube__clp_new(const struct gpube_clp_problem *p)
{
	void *model = clp.newModel();

	if (!model)
		return NULL;
	clp.setLogLevel(model, 0);
	clp.loadProblem(model, p->n_columns, p->n_rows, p->start, p->row, p->entry, p->column_low,
		p->column_high, p->cost, p->row_low, p->row_high);
	return model;
}

void gpube__clp_free(struct gpube_clp *model)
{
	if (model)
		clp.deleteModel(model);
}

double *gpube__clp_high(struct gpube_clp *model)
{
	return clp.columnUpper(model);
}

enum gpube_clp_end gpube__clp_dual(struct gpube_clp *model, int steps, int *taken)
{
	int status;

	clp.setNumberIterations(model, 0);
	clp.setMaximumIterations(model, steps);
	clp.dual(model, 0);
	*taken = clp.numberIterations(model);
	status = clp.status(model);
	return status == 0 ? GPUBE__CLP_OPTIMAL : status == 3 ? GPUBE__CLP_STEPS : GPUBE__CLP_FAILS;
}

const double *gpube__clp_value(struct gpube_clp *model)
{
	return clp.primalColumnSolution(model);
}

double gpube__clp_cost(struct gpube_clp *model)
{
	return clp.objectiveValue(model);
}

const double *gpube__clp_price(struct gpube_clp *model)
{
	return clp.dualRowSolution(model);
}

const unsigned char *gpube__clp_basis(struct gpube_clp *model)
{
	return clp.statusArray(model);
}

void gpube__clp_begin(struct gpube_clp *model, const unsigned char *basis)
{
	clp.copyinStatus(model, basis);
}
