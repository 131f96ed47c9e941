/*
 * contract_types_impl.h - contract_type_impl.h for each type; included by contract_<set>.c,
 * which defines VECTOR_BYTES, the vectors VI32 VI64 and the masks M32 M64.
 */
#define T       int32_t
#define V       VI32
#define M       M32
#define W       (VECTOR_BYTES / 4)
#define NAME(n) n##_i32
#include "gpube/ops/contract/cpu/contract_type_impl.h"

#define T       int64_t
#define V       VI64
#define M       M64
#define W       (VECTOR_BYTES / 8)
#define NAME(n) n##_i64
#include "gpube/ops/contract/cpu/contract_type_impl.h"
