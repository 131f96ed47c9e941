/* backend_load.c - finds and loads libgpube-cuda.so. See backend.h. */
#define _GNU_SOURCE /* dladdr(), secure_getenv() */

#include "gpube/ops/device/backend.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpube/base/base.h"
#include "gpube/ops/device/opening.h"

/* The process' one library. */
static struct {
	pthread_mutex_t lock;
	bool tried, told;
	bool odd; /* what went wrong is not just that there is no library */
	const struct gpube_cuda_backend *backend;
	char why[PATH_MAX + 200];
} cuda = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- where it is ------------------------------------------------------------------------ */

/* 'folder' of the file at 'path', then 'rest'. */
static bool beside(char *out, size_t size, const char *path, const char *rest)
{
	const char *slash = strrchr(path, '/');
	int n;

	if (!slash)
		return false;
	n = snprintf(out, size, "%.*s/%s", (int)(slash - path), path, rest);
	return n > 0 && (size_t)n < size && access(out, F_OK) == 0;
}

/*
 * Beside a file, where libraries of a program in bin/ are, or in Python's package gpube_cuda beside
 * the package gpube, which has the library, and the program in bin/.
 */
static bool near(char *out, size_t size, const char *path)
{
	static const char *const there[] = {GPUBE_CUDA_LIBRARY, "../gpube_cuda/" GPUBE_CUDA_LIBRARY,
		"../../gpube_cuda/" GPUBE_CUDA_LIBRARY, "../lib/" GPUBE_CUDA_LIBRARY,
		"../lib64/" GPUBE_CUDA_LIBRARY,
#ifdef __aarch64__
		"../lib/aarch64-linux-gnu/" GPUBE_CUDA_LIBRARY
#else
		"../lib/x86_64-linux-gnu/" GPUBE_CUDA_LIBRARY
#endif
	};

	for (size_t k = 0; k < sizeof(there) / sizeof(*there); k++)
		if (beside(out, size, path, there[k]))
			return true;
	return false;
}

/* Writes where the library is. *asked: the user named it. */
static bool find(char *out, size_t size, bool *asked)
{
	const char *named = secure_getenv("GPUBE_CUDA");
	char program[PATH_MAX];
	Dl_info own;
	ssize_t n;

	*asked = named && named[0];
	if (*asked) {
		snprintf(out, size, "%s", named);
		return strcmp(named, "none") != 0;
	}
	n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	program[n > 0 ? n : 0] = '\0';
	if (near(out, size, program))
		return true;
	/* the address of any object of ours tells which file it was loaded from */
	return dladdr(&cuda, &own) && own.dli_fname && near(out, size, own.dli_fname);
}

bool gpube__cuda_there(void)
{
	char path[PATH_MAX];
	bool asked;

	return find(path, sizeof(path), &asked);
}

/* ---- loading it ------------------------------------------------------------------------- */

static void load(void)
{
	gpube_cuda_backend_fn *entry;
	const struct gpube_cuda_backend *backend;
	char path[PATH_MAX];
	bool asked;
	void *library;

	if (!find(path, sizeof(path), &asked)) {
		/* a card that stays unused is worth a word */
		cuda.odd = !asked && access("/proc/driver/nvidia/version", F_OK) == 0;
		snprintf(cuda.why, sizeof(cuda.why),
			asked ? "GPUBE_CUDA=none asks for no CUDA backend"
			      : "no CUDA backend: " GPUBE_CUDA_LIBRARY
				" is not beside the program nor in ../lib ('make cuda' builds it, "
				"GPUBE_CUDA names another place)");
		return;
	}
	cuda.odd = true;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(cuda.why, sizeof(cuda.why), "no CUDA backend: %s", dlerror());
		return;
	}
	*(void **)&entry = dlsym(library, GPUBE_CUDA_ENTRY);
	backend = entry ? entry() : NULL;
	if (!backend || backend->abi != GPUBE_CUDA_ABI) {
		snprintf(cuda.why, sizeof(cuda.why),
			"no CUDA backend: '%s' is of another build than this program (gpube %s, "
			"ABI %08x; expected gpube %s, ABI %08x)",
			path, backend ? backend->version : "?", backend ? backend->abi : 0u,
			GPUBE_VERSION, (unsigned)GPUBE_CUDA_ABI);
		dlclose(library);
		return;
	}
	cuda.backend = backend; /* the library stays: CUDA ends with the process */
}

const struct gpube_cuda_backend *gpube__cuda_backend(struct gpube_ctx *ctx)
{
	const struct gpube_cuda_backend *backend;
	bool tells;

	pthread_mutex_lock(&cuda.lock);
	if (!cuda.tried)
		load();
	cuda.tried = true;
	backend = cuda.backend;
	tells = ctx && !backend && !cuda.told;
	cuda.told |= tells;
	pthread_mutex_unlock(&cuda.lock);
	if (tells)
		gpube__log(ctx, cuda.odd ? GPUBE_LOG_NOTE : GPUBE_LOG_DETAIL, "%s", cuda.why);
	if (!backend && ctx)
		gpube__fail(ctx, GPUBE_ENODEV, "%s", cuda.why);
	return backend;
}

/* In the opening's own thread: what fails is found, and told, by whoever waits for it. */
void gpube__opening_driver(int id)
{
	const struct gpube_cuda_backend *b = gpube__cuda_backend(NULL);

	if (b)
		b->opening_driver(id);
}
