/* caught.cc - see caught.h. */
#include "gpube/relax/linear/caught.h"

bool gpube__caught(void (*call)(void *), void *arg)
{
	try {
		call(arg);
	} catch (...) {
		return false;
	}
	return true;
}
