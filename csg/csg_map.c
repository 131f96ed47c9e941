/*
 * csg_map.c - plain binary games without reading them: the file's pages are the
 * table, private to the program, so that changes do not reach the file and memory
 * is what the system can spare.
 */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csg/game.h"
#include "gpube/ops/subset.h"

static void *map_file(const char *path, uint64_t *bytes)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map = MAP_FAILED;
	struct stat s;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_size > CSG_HEADER_BYTES) {
		*bytes = (uint64_t)s.st_size;
		map = mmap(NULL, (size_t)*bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	return map == MAP_FAILED ? NULL : map;
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
	if (csg__header(map, &n, &type) &&
		bytes == CSG_HEADER_BYTES + ((uint64_t)csg__type_size((enum csg_type)type) << n))
		*out = gpube__alloc_zero(ctx, 1, sizeof(**out));
	else
		fits = false; /* csg_read() says what is wrong */
	if (!*out) {
		munmap(map, (size_t)bytes);
		return fits ? GPUBE_ENOMEM : GPUBE_OK;
	}
	(*out)->ctx = ctx;
	(*out)->n = (int)n;
	(*out)->type = (enum csg_type)type;
	(*out)->ops = gpube__subset_cpu();
	(*out)->values = map + CSG_HEADER_BYTES;
	(*out)->map = map;
	(*out)->map_bytes = bytes;
	return GPUBE_OK;
}

void csg__unmap(struct csg_game *g)
{
	munmap(g->map, (size_t)g->map_bytes);
}
