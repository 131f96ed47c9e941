/*
 * ranks_mpi.c - ranks over MPI, in gpube-mpi only. See ranks.h.
 *
 * Source of the division by round-robin and one gathering at the end: Widger and Grosu, Computing
 * equilibria in bimatrix games by parallel support enumeration, ISPDC 2008.
 */
#include <limits.h>
#include <mpi.h>

#include "nash/ranks.h"

static int mpi_failed(struct gpube_ctx *ctx, int code)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int n;

	if (!ctx)
		return GPUBE_EIO;
	MPI_Error_string(code, text, &n);
	return gpube__fail(ctx, GPUBE_EIO, "MPI: %s", text);
}

int nash_ranks_open(struct nash_ranks *r, struct gpube_ctx *ctx)
{
	int level, code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);

	*r = (struct nash_ranks){.rank = 0, .n_ranks = 1};
	if (code == MPI_SUCCESS)
		code = MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_size(MPI_COMM_WORLD, &r->n_ranks);
	return code == MPI_SUCCESS ? GPUBE_OK : mpi_failed(ctx, code);
}

void nash_ranks_close(const struct nash_ranks *r)
{
	(void)r;
	MPI_Finalize();
}

/* Pairs as words: two masks and the answer. */
static int gather_pairs(struct gpube_ctx *ctx, struct gpube_support_scan *s, int rank, int n_ranks)
{
	enum { WORDS = 3 };
	const int mine = (int)s->n_found * WORDS;
	uint64_t *send = gpube__alloc(ctx, (uint64_t)s->n_found + 1, WORDS * sizeof(*send));
	uint64_t *all = NULL;
	int *counts = gpube__alloc(ctx, 2 * (uint64_t)n_ranks, sizeof(*counts));
	int *at = counts ? counts + n_ranks : NULL, code = MPI_SUCCESS;
	int64_t total = 0;
	int status = send && counts ? GPUBE_OK : GPUBE_ENOMEM;

	for (int64_t k = 0; !status && k < s->n_found; k++) {
		send[WORDS * k] = s->found[k].x;
		send[WORDS * k + 1] = s->found[k].y;
		send[WORDS * k + 2] = (uint64_t)s->found[k].answer;
	}
	if (!status)
		code = MPI_Gather(&mine, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int r = 0; !status && rank == 0 && r < n_ranks; r++) {
		at[r] = (int)total;
		total += counts[r];
		if (total > INT_MAX)
			status = gpube__fail(ctx, GPUBE_ERANGE, "too many proposals to gather");
	}
	if (!status && rank == 0) {
		all = gpube__alloc(ctx, (uint64_t)total + 1, sizeof(*all));
		status = all ? GPUBE_OK : GPUBE_ENOMEM;
	}
	if (!status && code == MPI_SUCCESS)
		code = MPI_Gatherv(
			send, mine, MPI_UINT64_T, all, counts, at, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	if (!status && code != MPI_SUCCESS)
		status = mpi_failed(ctx, code);
	s->n_found = 0;
	if (!status)
		status = gpube__grow(
			ctx, &s->found, &s->capacity, total / WORDS + 1, sizeof(*s->found));
	for (int64_t k = 0; !status && k < total / WORDS; k++)
		s->found[s->n_found++] = (struct gpube_support_pair){all[WORDS * k],
			all[WORDS * k + 1], (enum gpube_support_answer)all[WORDS * k + 2]};
	gpube__free(ctx, send);
	gpube__free(ctx, all);
	gpube__free(ctx, counts);
	return status;
}

int nash__ranks_gather(struct gpube_ctx *ctx, struct gpube_support_scan *s, int status)
{
	int64_t mine[2] = {s->n_pairs, s->n_unsure}, sums[2] = {0, 0};
	int rank, n_ranks, code, ends[2], any[2]; /* whether a rank stopped, whether one failed */

	if (s->n_found > INT_MAX / 3)
		status = gpube__fail(ctx, GPUBE_ERANGE, "too many proposals to gather");
	ends[0] = status == GPUBE_ESTOP;
	ends[1] = status && !ends[0];
	code = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	if (code == MPI_SUCCESS)
		code = MPI_Allreduce(ends, any, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (code == MPI_SUCCESS)
		code = MPI_Reduce(mine, sums, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (code != MPI_SUCCESS)
		return mpi_failed(ctx, code);
	if (any[1])
		return ends[1] ? status : gpube__fail(ctx, GPUBE_EIO, "another rank failed");
	if (rank == 0) {
		s->n_pairs = sums[0];
		s->n_unsure = sums[1];
	}
	code = gather_pairs(ctx, s, rank, n_ranks);
	return code ? code : any[0] ? gpube__fail_stopped(ctx) : GPUBE_OK;
}
