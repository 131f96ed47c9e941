/* sum_portable.c - the loops of a panel for any machine. */
#define LOOPS gpube__sum_portable
#include "gpube/ops/sum/sum_loops.h"
