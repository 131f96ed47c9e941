/* model_bytes.h - a model of costs as numbers (base/bytes.h), without names. */
#ifndef GPUBE_MODEL_BYTES_H
#define GPUBE_MODEL_BYTES_H

#include "gpube/base/bytes.h"
#include "gpube/ir/model.h"

/* Of a model of costs; failures are in b->status. */
void gpube__put_model(struct gpube__bytes *b, const struct gpube_model *m);
/*
 * gpube__get_model() - *out: as it was written; NULL after a failure.
 * Errors: ENOMEM; EPARSE (it is no model)
 */
int gpube__get_model(struct gpube_model **out, struct gpube__bytes *b);

/* Of all that gpube__put_model() writes: equal models have equal ones. */
uint64_t gpube__model_hash(const struct gpube_model *m);

#endif
