/* contract.h - what the implementations of contract share besides ops.h. */
#ifndef GPUBE_OPS_CONTRACT_H
#define GPUBE_OPS_CONTRACT_H

#include "gpube/ops/ops.h"

/* NULL, or why this is not a contraction that ops.h allows (a static text). */
const char *gpube__contract_problem(const struct gpube_contraction *c);

#endif
