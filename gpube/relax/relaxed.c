/* relaxed.c - what relaxations share: see relaxed.h. */
#include "gpube/relax/relaxed.h"

bool gpube__relaxed_possible(const struct gpube_relaxed *p)
{
	for (int32_t i = 0; i < p->n; i++) {
		bool any = false;

		for (int32_t x = p->at[i]; x < p->at[i + 1]; x++)
			any |= gpube__bit(p->allowed, x);
		if (!any)
			return false;
	}
	return true;
}
