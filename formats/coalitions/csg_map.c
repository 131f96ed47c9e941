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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/coalitions/csg_parts.h"

/* The pages that a table's values are on: 'bytes' from 'map' on. */
struct pages {
	struct gpube_table_owner head;
	void *map;
	uint64_t bytes;
};

static void release_pages(struct gpube_table *t, struct gpube_ctx *ctx)
{
	struct pages *p = (struct pages *)(uintptr_t)t->owner;

	munmap(p->map, (size_t)p->bytes);
	gpube__free(ctx, p);
}

/* A table on such pages, its values from 'at' on, or they are given back. Errors: ENOMEM */
static int take_pages(struct gpube_table *t, struct gpube_ctx *ctx, char *map, uint64_t bytes,
	uint64_t at, int n, enum gpube_type type)
{
	struct pages *p = gpube__alloc(ctx, 1, sizeof(*p));

	if (!p) {
		munmap(map, (size_t)bytes);
		return GPUBE_ENOMEM;
	}
	*p = (struct pages){
		.head = {.release = release_pages, .is_file = true}, .map = map, .bytes = bytes};
	*t = (struct gpube_table){.type = type,
		.arity = n,
		.n = (int64_t)1 << n,
		.values = map + at,
		.owner = &p->head};
	return GPUBE_OK;
}

int gpube__csg_map(struct gpube_table *t, struct gpube_in *in, int n_agents, enum gpube_type type)
{
	uint64_t bytes = 0;
	char *map = gpube__in_map(in, &bytes);

	*t = (struct gpube_table){0};
	if (map && bytes == GPUBE__CSG_HEADER + ((uint64_t)gpube__type_size(type) << n_agents)) {
		gpube__in_leave(in);
		return take_pages(t, in->ctx, map, bytes, GPUBE__CSG_HEADER, n_agents, type);
	}
	if (map)
		munmap(map, (size_t)bytes); /* the reader says what is wrong */
	return GPUBE_OK;
}

int gpube__csg_nameless_file(struct gpube_ctx *ctx)
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

int gpube__csg_write_all(struct gpube_ctx *ctx, int fd, const char *p, size_t n)
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

int gpube__csg_map_values(
	struct gpube_table *t, struct gpube_ctx *ctx, int fd, int n_agents, enum gpube_type type)
{
	const uint64_t bytes = (uint64_t)gpube__type_size(type) << n_agents;
	void *map = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return gpube__fail(
			ctx, GPUBE_EIO, "cannot map a temporary file: %s", strerror(errno));
	return take_pages(t, ctx, map, bytes, 0, n_agents, type);
}
