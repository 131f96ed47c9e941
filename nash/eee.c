#ifdef GPUBE_HAVE_FLINT
#include "nash/exact.h"
int nash__branch_and_bound(struct nash_found *f, int64_t budget)
{
	(void)budget;
	return nash__vertex_enumeration(f, -1);
}
#endif
