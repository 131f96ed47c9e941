/*
 * csg_map.c - tables that are pages of a file, so that memory is what the system can
 * spare: plain binary games, not read but mapped, private to the program, so that
 * changes do not reach the file; and a temporary file without a name, for values that
 * come compressed and for which there is no memory.
 *
 * Designs weighed for those. (1) To read the file again for each layer: the range of
 * the values, the sums and the structure take three passes and more, each through the
 * decompressor, and pieces of layers go back and forth. (2) A temporary file, this
 * one: one pass, and what is looked at again comes from the system's cache.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csg/game.h"
#include "gpube/ops/subset/subset.h"

/* n and type of a header of this machine's byte order; false: it is not one. */
static bool read_header(const char *header, uint32_t *n, uint32_t *type)
{
	*n = csg__little(header + 12);
	*type = csg__little(header + 16);
	return !csg__big_endian() && !memcmp(header, CSG_MAGIC, 8) &&
	       csg__little(header + 8) == 1 && *n >= 1 && *n <= CSG_MAX_AGENTS &&
	       *type <= CSG_FLOAT64;
}

static void *map_file(const char *path, uint64_t *bytes)
{
	void *map = MAP_FAILED;
	struct stat s;
	int fd;

	/* a pipe is not opened twice */
	if (!strcmp(path, "-") || stat(path, &s) || !S_ISREG(s.st_mode))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_size > CSG_HEADER_BYTES) {
		*bytes = (uint64_t)s.st_size;
		map = mmap(NULL, (size_t)*bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* A game on pages that are mapped at 'map', its values from 'at' on; NULL: ENOMEM. */
static struct csg_game *mapped_game(
	struct gpube_ctx *ctx, char *map, uint64_t bytes, uint64_t at, int n, enum csg_type type)
{
	struct csg_game *g = gpube__alloc_zero(ctx, 1, sizeof(*g));

	if (!g)
		return NULL;
	g->ctx = ctx;
	g->n = n;
	g->type = type;
	g->ops = gpube__subset_cpu();
	g->values = map + at;
	g->map = map;
	g->map_bytes = bytes;
	return g;
}

int csg__map(struct csg_game **out, struct gpube_ctx *ctx, const char *path)
{
	uint32_t n, type;
	uint64_t bytes = 0;
	char *map = map_file(path, &bytes);
	bool fits = true;

	*out = NULL;
	if (!map)
		return GPUBE_OK;
	if (read_header(map, &n, &type) &&
		bytes == CSG_HEADER_BYTES + ((uint64_t)csg__type_size((enum csg_type)type) << n))
		*out = mapped_game(ctx, map, bytes, CSG_HEADER_BYTES, (int)n, (enum csg_type)type);
	else
		fits = false; /* csg_read() says what is wrong */
	if (*out)
		return GPUBE_OK;
	munmap(map, (size_t)bytes);
	return fits ? GPUBE_ENOMEM : GPUBE_OK;
}

int csg__nameless_file(struct gpube_ctx *ctx)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd = -1;

	if (!dir || !*dir)
		dir = "/tmp";
	if (snprintf(path, sizeof(path), "%s/gpube-XXXXXX", dir) < (int)sizeof(path))
		fd = mkstemp(path);
	if (fd >= 0)
		unlink(path);
	else
		gpube__fail(ctx, GPUBE_EIO, "cannot make a temporary file in '%s': %s", dir,
			strerror(errno));
	return fd;
}

int csg__write_all(struct gpube_ctx *ctx, int fd, const char *p, size_t n)
{
	while (n) {
		const ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return gpube__fail(ctx, GPUBE_EIO, "cannot write a temporary file: %s",
				strerror(errno));
		p += done;
		n -= (size_t)done;
	}
	return GPUBE_OK;
}

int csg__map_values(
	struct csg_game **out, struct gpube_ctx *ctx, int fd, int n_agents, enum csg_type type)
{
	const uint64_t bytes = (uint64_t)csg__type_size(type) << n_agents;
	void *map = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	*out = NULL;
	if (map == MAP_FAILED)
		return gpube__fail(
			ctx, GPUBE_EIO, "cannot map a temporary file: %s", strerror(errno));
	*out = mapped_game(ctx, map, bytes, 0, n_agents, type);
	if (*out)
		return GPUBE_OK;
	munmap(map, (size_t)bytes);
	return GPUBE_ENOMEM;
}

void csg__unmap(struct csg_game *g)
{
	munmap(g->map, (size_t)g->map_bytes);
}
