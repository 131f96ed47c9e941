/*
 * bench_papers.cu - what the papers show of the insides of their kernels, and the papers' own
 * kernels beside ours, on this card.
 *
 *     bench_papers stages AGENTS...      IDP^G's stages: sizes one after the other with the host
 * waiting for each, as the library has them; queued; and merged as in the paper's algorithm 1
 *     bench_papers report AGENTS...      the kernel of the report on auctions beside GPU-CSG's
 *     bench_papers apart                 figures 9 and 7 of GpuBE: a bucket's tables aggregated,
 * then a variable eliminated, in kernels as the paper has them, and the library's, which do both at
 * once; one core beside; and a table copied in chunks beside the kernels
 *     bench_papers supports CLASS FROM TO SEEDS      GPU-SE with an LU decomposition a pair and no
 * dominance, as the paper has it, beside the library's scan
 *
 * Tables as Markdown on standard output. Every result is compared with another way to it; WRONG
 * where they differ.
 */
#include "benchmarks/papers/buckets.cuh"
#include "benchmarks/papers/coalitions.cuh"
#include "benchmarks/papers/supports.cuh"

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "stages") == 0)
		all_stages(argc - 2, argv + 2);
	else if (argc > 2 && strcmp(argv[1], "report") == 0)
		report(argc - 2, argv + 2);
	else if (argc > 1 && strcmp(argv[1], "apart") == 0)
		apart();
	else if (argc > 5 && strcmp(argv[1], "supports") == 0)
		supports(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
	else {
		fprintf(stderr, "usage: bench_papers stages AGENTS... | report AGENTS... | apart | "
				"supports CLASS FROM TO SEEDS\n");
		return 2;
	}
	return 0;
}
