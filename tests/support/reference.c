/* reference.c - see reference.h. */
#include "tests/support/reference.h"

#include "tests/support/context.h"
#include "tests/support/test.h"

void shape_expect(const struct shape *got, const char *problem, uint32_t kernel)
{
	struct shape want;

	shape_twin(&want, got);
	shape_poison(&want);
	assert_int_equal(gpube__contract_reference(ctx, &want.c), 0);
	problem = problem ? problem : shape_compare(got, &want);
	if (problem)
		fail_msg("%s, kernel %u: %s", got->text, kernel, problem);
	shape_twin_free(&want);
}
