/*
 * no_contract.c - stands for contract in the fuzzers: no reader calls it, and under the
 * sanitizers it takes minutes to compile. What links to it gets a name and nothing more.
 */
#include <stdlib.h>

#define ABSENT(name)                                                                               \
	void name(void);                                                                           \
	void name(void)                                                                            \
	{                                                                                          \
		abort();                                                                           \
	}

ABSENT(gpube__contract_problem)
ABSENT(gpube__cpu_contract)
ABSENT(gpube__kernels)
ABSENT(gpube__match_cpu)
ABSENT(gpube__plan_choose)
ABSENT(gpube__plan_most_scratch)
ABSENT(gpube__plan_room)
ABSENT(gpube__plan_set)
ABSENT(gpube__rows_contract)
ABSENT(gpube__rows_scratch)
ABSENT(gpube__run_plan)
