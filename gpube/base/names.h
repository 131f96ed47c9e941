/* names.h - a hash table from (space, name) to a number. The strings are borrowed. */
#ifndef GPUBE_NAMES_H
#define GPUBE_NAMES_H

#include "gpube/base/base.h"

struct gpube_name {
	const char *text; /* NULL: a free slot */
	int32_t space, value;
};

struct gpube_names {
	struct gpube_ctx *ctx;
	int64_t n, n_slots; /* slots: 0 or a power of 2 */
	struct gpube_name *slots;
};

void gpube__names_init(struct gpube_names *names, struct gpube_ctx *ctx);
void gpube__names_clear(struct gpube_names *names);
/* A name's value, NULL if it is not there; valid until the next addition. */
int32_t *gpube__names_find(const struct gpube_names *names, int32_t space, const char *text);
/* Adds a name that is not there yet. Errors: ENOMEM */
int gpube__names_add(struct gpube_names *names, int32_t space, const char *text, int32_t value);

#endif
