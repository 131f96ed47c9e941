/*
 * fuzz.c - the fuzzers: 'make fuzz' links it once and calls it fuzz-wcsp,
 * fuzz-cfn, …, by the reader that each one feeds. A leak, or more than
 * FUZZ_MOST_BYTES of memory, is a find like a crash; libFuzzer sees to the time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/readers.h"

static const char *target;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = strstr((*argv)[0], "fuzz-");

	(void)argc;
	for (const char *next = name; next; next = strstr(next + 1, "fuzz-"))
		name = next;
	target = name ? name + strlen("fuzz-") : "";
	for (int k = 0; fuzz_target(k); k++)
		if (!strcmp(target, fuzz_target(k)))
			return 0;
	fprintf(stderr, "'%s': there is no reader for that name\n", (*argv)[0]);
	exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	size_t most;
	long left = fuzz_read(target, bytes, n, &most);

	if (left != 0 || most > FUZZ_MOST_BYTES) {
		fprintf(stderr, "%ld bytes not freed, %zu held at once\n", left, most);
		abort();
	}
	return 0;
}
