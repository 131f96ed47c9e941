/* lapack.c - a linear algebra library, where there is one: see lapack.h. */
#define _GNU_SOURCE
#include "gpube/relax/semidefinite/lapack.h"

#include <dlfcn.h>
#include <pthread.h>

#include "gpube/base/opened.h"

typedef void syevd_fn(const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
	double *w, double *work, const int *lwork, int *iwork, const int *liwork, int *info,
	size_t jobz_length, size_t uplo_length);
typedef void syrk_fn(const char *uplo, const char *trans, const int *n, const int *k,
	const double *alpha, const double *a, const int *lda, const double *beta, double *c,
	const int *ldc, size_t uplo_length, size_t trans_length);

static struct {
	pthread_once_t once;
	syevd_fn *syevd;
	syrk_fn *syrk;
	bool there, told;
} lapack = {.once = PTHREAD_ONCE_INIT};

/* Both are the system's choice of a library, OpenBLAS with its own name. */
static const char *const names[] = {"liblapack.so.3", "libopenblas.so.0", NULL};

static bool take(void *library)
{
	void (*set_threads)(int n);

	*(void **)&lapack.syevd = dlsym(library, "dsyevd_");
	*(void **)&lapack.syrk = dlsym(library, "dsyrk_"); /* of what LAPACK is linked with, too */
	*(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
	if (!lapack.syevd || !lapack.syrk)
		return false;
	if (set_threads) /* threads are those of the search, each with a matrix of its own */
		set_threads(1);
	return true;
}

static void load(void)
{
	lapack.there = gpube__opened("GPUBE_LAPACK", names, take);
}

bool gpube__lapack_there(struct gpube_ctx *ctx)
{
	pthread_once(&lapack.once, load);
	if (!lapack.there && ctx && !__atomic_exchange_n(&lapack.told, true, __ATOMIC_RELAXED))
		gpube__log(ctx, GPUBE_LOG_DETAIL,
			"no semidefinite bounds: %s is not installed (Debian: libopenblas0)",
			names[0]);
	return lapack.there;
}

uint64_t gpube__lapack_room(int n)
{
	return 1 + 6 * (uint64_t)n + 2 * (uint64_t)n * (uint64_t)n;
}

uint64_t gpube__lapack_whole(int n)
{
	return 3 + 5 * (uint64_t)n;
}

bool gpube__lapack_eigen(double *a, int n, double *values, double *room, int *whole)
{
	const int n_room = (int)gpube__lapack_room(n), n_whole = (int)gpube__lapack_whole(n);
	int info = 0;

	lapack.syevd("V", "U", &n, a, &n, values, room, &n_room, whole, &n_whole, &info, 1, 1);
	return info == 0;
}

void gpube__lapack_gram(double *out, const double *a, int n, int k)
{
	const double one = 1, zero = 0;

	/* LAPACK's columns are our rows, and its lower triangle is our upper one */
	lapack.syrk("L", "N", &n, &k, &one, a, &n, &zero, out, &n, 1, 1);
}
