/* sweep_versions.h - sweep_impl.h for all cost types and lengths of keys. */
#define WORDS   1
#define COST    int64_t
#define NAME(x) x##_wide
#include "gpube/bound/sweep/sweep_impl.h"
#undef COST
#undef NAME
#define COST    int32_t
#define NAME(x) x##_narrow
#include "gpube/bound/sweep/sweep_impl.h"
#undef WORDS
#undef COST
#undef NAME

#define WORDS   2
#define COST    int64_t
#define NAME(x) x##_wide_long
#include "gpube/bound/sweep/sweep_impl.h"
#undef COST
#undef NAME
#define COST    int32_t
#define NAME(x) x##_narrow_long
#include "gpube/bound/sweep/sweep_impl.h"

#define VERSIONS                                                                                   \
	{                                                                                          \
		{&kernels_wide, &kernels_narrow},                                                  \
		{                                                                                  \
			&kernels_wide_long, &kernels_narrow_long                                   \
		}                                                                                  \
	}
