/*
 * world_mpi.c - ranks over MPI, in gpube-mpi only: see world.h for why.
 *
 * One thread calls MPI, and never waits inside of it: every request is tested in
 * dcop__world_poll(), so that a dead rank costs no more than the timeout.
 *
 * From each rank to each other goes one stream: a body (TAG_BODY, empty: a sign of
 * life), then its blobs in pieces (TAG_PIECE), then the next body. A compressed piece
 * is shorter than it should be.
 */
#define _POSIX_C_SOURCE 200809L

#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "gpube/ranks/world.h"

enum { TAG_BODY = 1, TAG_PIECE };

#define SIGN_SECONDS     1.0         /* between signs of life */
#define COMPRESSED_PIECE (16u << 20) /* small enough to compress between two signs */

struct receiving {
	enum { RECEIVE_NONE, RECEIVE_BODY, RECEIVE_BLOBS } state;
	bool active; /* a request is under way */
	MPI_Request request;
	char *body, *buffer;                  /* buffer: a compressed piece */
	uint64_t body_bytes, piece_bytes, at; /* at: of the blob */
	struct dcop_blob *blobs;
	int32_t n_blobs, blob;
};

struct sending {
	struct dcop_parcel *first, *last;
	bool active, in_blobs;
	MPI_Request request;
	char *buffer;
	uint64_t at, piece_bytes;
	int32_t blob;
};

struct peer {
	struct receiving in;
	struct sending out;
	double silent, spoke; /* seconds without a word while we listened; when we last sent */
};

struct dcop_world_impl {
	MPI_Comm comm;
	struct peer *peers;
	uint64_t piece;
	double last_poll;
};

bool dcop_world_is_mpi(void)
{
	return true;
}

int dcop_world_early_rank(void)
{
	/* Open MPI, MPICH and its kin, PMIx, MVAPICH */
	static const char *const names[] = {
		"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK"};

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		const char *rank = getenv(names[k]);

		if (rank)
			return (int)strtol(rank, NULL, 10);
	}
	return 0;
}

static int mpi_failed(struct dcop_world *w, int code)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int n;

	MPI_Error_string(code, text, &n);
	return gpube__fail(w->ctx, GPUBE_EIO, "MPI: %s", text);
}

#define MPI_TRY(w, call)                                                                           \
	do {                                                                                       \
		int mpi_try_code = (call);                                                         \
                                                                                                   \
		if (mpi_try_code != MPI_SUCCESS)                                                   \
			return mpi_failed(w, mpi_try_code);                                        \
	} while (0)

/* Those that share a memory. */
static int count_here(struct dcop_world *w)
{
	MPI_Comm here;

	MPI_TRY(w, MPI_Comm_split_type(
			   w->impl->comm, MPI_COMM_TYPE_SHARED, w->rank, MPI_INFO_NULL, &here));
	MPI_TRY(w, MPI_Comm_size(here, &w->n_here));
	MPI_TRY(w, MPI_Comm_free(&here));
	return GPUBE_OK;
}

/*
 * When a rank is dead, or mpirun is told to end, Open MPI wakes the ranks at once (they may have
 * been stopped), asks them to end a second later, and kills them after another:
 * odls_base_sigkill_timeout, in whole seconds, is the time of both. So that what is known is kept
 * before, rank 0 takes the first for a stop; not where mpirun hands on the stops of a shell.
 */
static volatile sig_atomic_t woken;

static void on_wake(int sig, siginfo_t *from, void *context)
{
	(void)sig;
	(void)context;
	woken |= from->si_code == SI_USER && from->si_pid == getppid();
}

static void catch_wake(const struct dcop_world *w)
{
#ifdef OPEN_MPI
	static const char parameter[] = "OMPI_MCA_orte_forward_job_control";
	struct sigaction action = {.sa_sigaction = on_wake, .sa_flags = SA_RESTART | SA_SIGINFO};
	const char *forwards = getenv(parameter);

	if (w->rank || w->n_ranks == 1 || (forwards && strcmp(forwards, "0")))
		return;
	sigemptyset(&action.sa_mask);
	sigaction(SIGCONT, &action, NULL);
#else
	(void)w;
	(void)on_wake;
#endif
}

int dcop_world_open(struct dcop_world *w, struct gpube_ctx *ctx, const struct dcop_world_opts *opts)
{
	int level;

	memset(w, 0, sizeof(*w));
	w->ctx = ctx;
	w->failed = -1;
	w->opts = *opts;
	if (w->opts.receive_timeout <= 0)
		w->opts.receive_timeout = 60;
	w->impl = gpube__alloc_zero(ctx, 1, sizeof(*w->impl));
	if (!w->impl)
		return GPUBE_ENOMEM;
	MPI_TRY(w, MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level));
	MPI_TRY(w, MPI_Comm_dup(MPI_COMM_WORLD, &w->impl->comm));
	MPI_TRY(w, MPI_Comm_set_errhandler(w->impl->comm, MPI_ERRORS_RETURN));
	MPI_TRY(w, MPI_Comm_rank(w->impl->comm, &w->rank));
	MPI_TRY(w, MPI_Comm_size(w->impl->comm, &w->n_ranks));
	catch_wake(w);
	w->impl->piece = opts->piece_bytes ? opts->piece_bytes : (uint64_t)1 << 30;
	if (w->impl->piece > INT_MAX)
		w->impl->piece = INT_MAX;
	if (opts->compress && w->impl->piece > COMPRESSED_PIECE)
		w->impl->piece = COMPRESSED_PIECE;
	w->impl->peers = gpube__alloc_zero(ctx, (uint64_t)w->n_ranks, sizeof(*w->impl->peers));
	w->impl->last_poll = gpube__now();
	return w->impl->peers ? count_here(w) : GPUBE_ENOMEM;
}

int dcop_world_agree(struct dcop_world *w, int status)
{
	/* the first that failed; 0 where one failed for another reason than a stop */
	int mine[2] = {status ? w->rank : INT_MAX, !status || status == GPUBE_ESTOP},
	    all[2] = {INT_MAX, 1};
	int done = 0;
	double until = gpube__now() + w->opts.receive_timeout;
	MPI_Request request;

	MPI_TRY(w, MPI_Iallreduce(mine, all, 2, MPI_INT, MPI_MIN, w->impl->comm, &request));
	for (;;) {
		MPI_TRY(w, MPI_Test(&request, &done, MPI_STATUS_IGNORE));
		if (done)
			break;
		if (gpube__now() > until)
			return gpube__fail(w->ctx, GPUBE_EIO,
				"not every rank came within %.3g s: one is dead or stopped",
				w->opts.receive_timeout);
		nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
	}
	w->failed = all[0] < INT_MAX ? all[0] : -1;
	w->stopped = w->failed >= 0 && all[1];
	if (!status && w->failed >= 0)
		return gpube__fail(w->ctx, GPUBE_EIO, "rank %d failed", w->failed);
	return status;
}

/* ---- sending -------------------------------------------------------------------------- */

static void parcel_free(struct dcop_world *w, struct dcop_parcel *p)
{
	if (p->done)
		p->done(p->arg, p);
	GPUBE_FREE_ALL(w->ctx, p->body, p->blobs, p);
}

int dcop__world_send(struct dcop_world *w, int to, struct dcop_parcel *p)
{
	struct sending *out = &w->impl->peers[to].out;

	p->next = NULL;
	if (out->first)
		out->last->next = p;
	else
		out->first = p;
	out->last = p;
	if (p->body_bytes) {
		w->traffic.n_parcels++;
		w->traffic.raw_bytes += p->body_bytes;
		w->traffic.sent_bytes += p->body_bytes;
	}
	if (p->body_bytes > w->impl->piece && p->body_bytes > INT_MAX)
		return gpube__fail(w->ctx, GPUBE_ERANGE, "a message of %llu tables is too long",
			(unsigned long long)p->n_blobs);
	return GPUBE_OK;
}

/* Sends the next piece of the blob at work, compressed if that makes it smaller. */
static int send_piece(struct dcop_world *w, struct sending *out, int to)
{
	const struct dcop_blob *blob = &out->first->blobs[out->blob];
	uint64_t bytes = blob->bytes - out->at;
	char *from = (char *)blob->at + out->at;
	uLongf packed;

	if (bytes > w->impl->piece)
		bytes = w->impl->piece;
	out->piece_bytes = bytes;
	w->traffic.n_pieces++;
	w->traffic.raw_bytes += bytes;
	if (w->opts.compress) {
		packed = compressBound((uLong)bytes);
		out->buffer = gpube__alloc(w->ctx, packed, 1);
		if (!out->buffer)
			return GPUBE_ENOMEM;
		if (compress2((Bytef *)out->buffer, &packed, (const Bytef *)from, (uLong)bytes,
			    1) == Z_OK &&
			packed < bytes) {
			from = out->buffer;
			bytes = packed;
		}
	}
	w->traffic.sent_bytes += bytes;
	MPI_TRY(w,
		MPI_Isend(from, (int)bytes, MPI_BYTE, to, TAG_PIECE, w->impl->comm, &out->request));
	out->active = true;
	return GPUBE_OK;
}

/* The next request of the queue; the parcel in front goes when nothing of it is left. */
static int send_next(struct dcop_world *w, struct sending *out, int to)
{
	struct dcop_parcel *p = out->first;

	if (!out->in_blobs) {
		MPI_TRY(w, MPI_Isend(p->body, (int)p->body_bytes, MPI_BYTE, to, TAG_BODY,
				   w->impl->comm, &out->request));
		out->active = true;
		return GPUBE_OK;
	}
	while (out->blob < p->n_blobs && out->at == p->blobs[out->blob].bytes) {
		out->blob++;
		out->at = 0;
	}
	if (out->blob < p->n_blobs)
		return send_piece(w, out, to);
	out->first = p->next;
	out->in_blobs = false;
	parcel_free(w, p);
	return GPUBE_OK;
}

static int push(struct dcop_world *w, struct peer *peer, int to, bool *busy)
{
	struct sending *out = &peer->out;
	int done, status = GPUBE_OK;

	if (out->active) {
		MPI_TRY(w, MPI_Test(&out->request, &done, MPI_STATUS_IGNORE));
		if (!done)
			return GPUBE_OK;
		out->active = false;
		gpube__free(w->ctx, out->buffer);
		out->buffer = NULL;
		if (out->in_blobs) {
			out->at += out->piece_bytes;
		} else {
			out->in_blobs = true;
			out->blob = 0;
			out->at = 0;
		}
		*busy = true;
	}
	while (out->first && !out->active && !status) {
		peer->spoke = gpube__now();
		status = send_next(w, out, to);
	}
	return status;
}

static int sign_of_life(struct dcop_world *w, struct peer *peer, int to)
{
	struct dcop_parcel *p;

	if (peer->out.first ||
		gpube__now() - peer->spoke < fmin(SIGN_SECONDS, w->opts.receive_timeout / 4))
		return GPUBE_OK;
	p = gpube__alloc_zero(w->ctx, 1, sizeof(*p));
	return p ? dcop__world_send(w, to, p) : GPUBE_ENOMEM;
}

bool dcop__world_drained(const struct dcop_world *w)
{
	for (int r = 0; r < w->n_ranks; r++)
		if (w->impl->peers[r].out.first)
			return false;
	return true;
}

/* ---- receiving -------------------------------------------------------------------------- */

/* Bytes of a message with the tag that has come from a rank, -1: none. */
static int coming(struct dcop_world *w, int from, int tag, int *bytes)
{
	MPI_Status status;
	int flag;

	*bytes = -1;
	MPI_TRY(w, MPI_Iprobe(from, tag, w->impl->comm, &flag, &status));
	if (flag)
		MPI_TRY(w, MPI_Get_count(&status, MPI_BYTE, bytes));
	return GPUBE_OK;
}

static int begin_body(struct dcop_world *w, struct receiving *in, int from)
{
	int bytes, status = coming(w, from, TAG_BODY, &bytes);

	if (status || bytes < 0)
		return status;
	in->body_bytes = (uint64_t)bytes;
	in->body = gpube__alloc(w->ctx, in->body_bytes + 1, 1);
	if (!in->body)
		return GPUBE_ENOMEM;
	MPI_TRY(w,
		MPI_Irecv(in->body, bytes, MPI_BYTE, from, TAG_BODY, w->impl->comm, &in->request));
	in->active = true;
	in->state = RECEIVE_BODY;
	return GPUBE_OK;
}

static void skip_full(struct receiving *in)
{
	while (in->blob < in->n_blobs && in->at == in->blobs[in->blob].bytes) {
		in->blob++;
		in->at = 0;
	}
}

static int begin_piece(struct dcop_world *w, struct receiving *in, int from)
{
	int bytes, status = coming(w, from, TAG_PIECE, &bytes);
	uint64_t left = in->blobs[in->blob].bytes - in->at;
	char *to = (char *)in->blobs[in->blob].at + in->at;

	if (status || bytes < 0)
		return status;
	in->piece_bytes = left < w->impl->piece ? left : w->impl->piece;
	if ((uint64_t)bytes > in->piece_bytes)
		return gpube__fail(w->ctx, GPUBE_EIO,
			"rank %d sent a piece of %d bytes where %llu were expected", from, bytes,
			(unsigned long long)in->piece_bytes);
	if ((uint64_t)bytes < in->piece_bytes) {
		in->buffer = gpube__alloc(w->ctx, (uint64_t)bytes, 1);
		if (!in->buffer)
			return GPUBE_ENOMEM;
		to = in->buffer;
	}
	MPI_TRY(w, MPI_Irecv(to, bytes, MPI_BYTE, from, TAG_PIECE, w->impl->comm, &in->request));
	in->active = true;
	return GPUBE_OK;
}

static int end_piece(struct dcop_world *w, struct receiving *in, int from, int bytes)
{
	uLongf unpacked = (uLongf)in->piece_bytes;
	Bytef *to = (Bytef *)in->blobs[in->blob].at + in->at;
	int code = Z_OK;

	if (in->buffer) {
		code = uncompress(to, &unpacked, (const Bytef *)in->buffer, (uLong)bytes);
		gpube__free(w->ctx, in->buffer);
		in->buffer = NULL;
	}
	if (code != Z_OK || unpacked != in->piece_bytes)
		return gpube__fail(w->ctx, GPUBE_EIO, "rank %d sent a piece that is damaged", from);
	in->at += in->piece_bytes;
	return GPUBE_OK;
}

static int end_parcel(
	struct dcop_world *w, struct receiving *in, int from, const struct dcop_listener *l)
{
	char *body = in->body;
	struct dcop_blob *blobs = in->blobs;
	int status = GPUBE_OK;

	in->body = NULL;
	in->blobs = NULL;
	in->state = RECEIVE_NONE;
	if (in->body_bytes)
		status = l->parcel(l->arg, from, body, in->body_bytes);
	gpube__free(w->ctx, body);
	gpube__free(w->ctx, blobs);
	return status;
}

/* What a finished request leads to. */
static int received(struct dcop_world *w, struct receiving *in, int from, int bytes,
	const struct dcop_listener *l)
{
	int status = GPUBE_OK;

	if (in->state == RECEIVE_BLOBS) {
		status = end_piece(w, in, from, bytes);
	} else {
		in->state = RECEIVE_BLOBS;
		in->n_blobs = in->blob = 0;
		in->at = 0;
		if (in->body_bytes)
			status = l->body(
				l->arg, from, in->body, in->body_bytes, &in->blobs, &in->n_blobs);
	}
	if (status)
		return status;
	skip_full(in);
	return in->blob == in->n_blobs ? end_parcel(w, in, from, l) : GPUBE_OK;
}

static int pull(struct dcop_world *w, struct peer *peer, int from, const struct dcop_listener *l,
	bool *busy)
{
	struct receiving *in = &peer->in;
	MPI_Status got;
	int done, bytes, status;

	if (!in->active) {
		status = in->state == RECEIVE_NONE ? begin_body(w, in, from)
						   : begin_piece(w, in, from);
		if (status || !in->active)
			return status;
	}
	MPI_TRY(w, MPI_Test(&in->request, &done, &got));
	if (!done)
		return GPUBE_OK;
	MPI_TRY(w, MPI_Get_count(&got, MPI_BYTE, &bytes));
	in->active = false;
	peer->silent = 0;
	*busy = true;
	return received(w, in, from, bytes, l);
}

int dcop__world_poll(struct dcop_world *w, const struct dcop_listener *l, bool *busy)
{
	double now = gpube__now(), listened = now - w->impl->last_poll;
	int status = GPUBE_OK;

	*busy = false;
	w->impl->last_poll = now;
	if (woken)
		gpube_ctx_stop(w->ctx);
	if (listened > 0.1)
		listened = 0.1; /* we were busy: what came meanwhile is not read yet */
	for (int r = 0; r < w->n_ranks && !status; r++) {
		struct peer *peer = &w->impl->peers[r];

		if (r == w->rank || (w->star && r && w->rank))
			continue;
		status = pull(w, peer, r, l, busy);
		if (!status)
			status = sign_of_life(w, peer, r);
		if (!status)
			status = push(w, peer, r, busy);
		peer->silent += listened;
		if (!status && peer->silent > w->opts.receive_timeout)
			status = gpube__fail(w->ctx, GPUBE_EIO,
				"rank %d has given no sign of life for %.3g s: it is dead or "
				"stopped",
				r, w->opts.receive_timeout);
	}
	return status;
}

void dcop_world_close(struct dcop_world *w, bool failed)
{
	int started = 0;

	MPI_Initialized(&started);
	if (started && failed && w->n_ranks > 1)
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (w->impl) {
		if (started && w->impl->comm)
			MPI_Comm_free(&w->impl->comm);
		for (int r = 0; w->impl->peers && r < w->n_ranks; r++) {
			struct peer *peer = &w->impl->peers[r];

			while (peer->out.first) {
				struct dcop_parcel *p = peer->out.first;

				peer->out.first = p->next;
				parcel_free(w, p);
			}
			GPUBE_FREE_ALL(w->ctx, peer->in.body, peer->in.blobs, peer->in.buffer,
				peer->out.buffer);
		}
		gpube__free(w->ctx, w->impl->peers);
		gpube__free(w->ctx, w->impl);
	}
	if (started)
		MPI_Finalize();
	memset(w, 0, sizeof(*w));
}
