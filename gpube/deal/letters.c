/* letters.c - see letters.h. */
#define _POSIX_C_SOURCE 200809L
#include "gpube/deal/letters.h"

#include <string.h>
#include <time.h>

/*
 * An answer waits so long at most, and the processor is left to those who work: naps are the longer
 * the longer nothing has come.
 */
enum { LEAST_NAP_NS = 100000, MOST_NAP_NS = 5000000 };

/*
 * STOP: this rank was told to; OVER: of rank 0: the work is; to it: the rank has nothing more to
 * say (seconds)
 */
enum { LETTER_OVER = -2, LETTER_STOP = -1 };

int gpube__letter_send(
	struct dcop_world *world, int to, const struct gpube_letter *letter, const int32_t *words)
{
	const uint64_t bytes = (uint64_t)letter->n * sizeof(*words);
	struct dcop_parcel *p = dcop__parcel_new(world->ctx, letter, sizeof(*letter), bytes, 0);

	if (!p)
		return GPUBE_ENOMEM;
	if (bytes)
		memcpy((char *)p->body + sizeof(*letter), words, bytes);
	return dcop__world_send(world, to, p);
}

int gpube__letter_send_bytes(struct dcop_world *world, int to, struct gpube_letter letter,
	const struct gpube__bytes *bytes)
{
	const int64_t words = (bytes->n + 3) / 4;
	int32_t *padded;
	int status;

	if (bytes->status)
		return bytes->status;
	if (words > INT32_MAX / 4)
		return gpube__fail(world->ctx, GPUBE_ERANGE, "too much for a letter");
	padded = gpube__alloc_zero(world->ctx, (uint64_t)words, sizeof(*padded));
	if (!padded)
		return GPUBE_ENOMEM;
	if (bytes->n)
		memcpy(padded, bytes->at, (size_t)bytes->n);
	letter.n = (int32_t)words;
	letter.flag = (int32_t)(4 * words - bytes->n);
	status = gpube__letter_send(world, to, &letter, padded);
	gpube__free(world->ctx, padded);
	return status;
}

struct gpube__bytes gpube__letter_bytes(
	struct gpube_ctx *ctx, const struct gpube_letter *letter, const int32_t *words)
{
	const int64_t n = 4 * (int64_t)letter->n - (letter->flag & 3);

	return (struct gpube__bytes){
		.ctx = ctx, .at = (unsigned char *)(uintptr_t)words, .n = n < 0 ? 0 : n};
}

/* To all other ranks. */
static int send_all(struct dcop_world *world, const struct gpube_letter *letter)
{
	int status = GPUBE_OK;

	for (int to = 0; to < world->n_ranks && !status; to++)
		if (to != world->rank)
			status = gpube__letter_send(world, to, letter, NULL);
	return status;
}

int gpube__letter_fail(struct dcop_world *world, int from)
{
	return gpube__fail(world->ctx, GPUBE_EIO,
		"rank %d sent what nobody expects: is it of the same version?", from);
}

/* ---- what comes ------------------------------------------------------------------------------ */

static int on_body(void *arg, int from, const void *body, uint64_t bytes, struct dcop_blob **blobs,
	int32_t *n_blobs)
{
	const struct gpube_letters *l = arg;
	struct gpube_letter letter;

	(void)blobs;
	(void)n_blobs;
	if (bytes < sizeof(letter))
		return gpube__letter_fail(l->world, from);
	memcpy(&letter, body, sizeof(letter));
	return letter.n < 0 || bytes != sizeof(letter) + (uint64_t)letter.n * sizeof(int32_t)
		       ? gpube__letter_fail(l->world, from)
		       : GPUBE_OK;
}

/* A letter of this file. */
static int read_own(struct gpube_letters *l, int from, const struct gpube_letter *letter)
{
	if (letter->kind == LETTER_OVER && l->world->rank) {
		l->over = true;
		l->stop(l->arg);
	} else if (letter->kind == LETTER_OVER) {
		l->seconds[from] = letter->seconds;
		l->n_gone++;
	} else if (letter->kind == LETTER_STOP && l->world->rank == 0) {
		gpube_ctx_stop(l->world->ctx);
	} else {
		return gpube__letter_fail(l->world, from);
	}
	return GPUBE_OK;
}

static int on_parcel(void *arg, int from, const void *body, uint64_t bytes)
{
	struct gpube_letters *l = arg;
	struct gpube_letter letter;
	int32_t *words;
	int status;

	memcpy(&letter, body, sizeof(letter));
	if (letter.kind < 0)
		return read_own(l, from, &letter);
	words = gpube__alloc(l->world->ctx, (uint64_t)letter.n, sizeof(*words));
	if (!words)
		return GPUBE_ENOMEM;
	memcpy(words, (const char *)body + sizeof(letter), (size_t)(bytes - sizeof(letter)));
	status = l->read(l->arg, from, &letter, words);
	gpube__free(l->world->ctx, words);
	return status;
}

/* ---- until it is over ---------------------------------------------------------------- */

int gpube__letters_open(struct gpube_letters *l)
{
	l->world->star = true;
	l->seconds =
		gpube__alloc_zero(l->world->ctx, (uint64_t)l->world->n_ranks, sizeof(*l->seconds));
	return l->seconds ? GPUBE_OK : GPUBE_ENOMEM;
}

void gpube__letters_close(struct gpube_letters *l)
{
	l->world->star = false;
	gpube__free(l->world->ctx, l->seconds);
}

int gpube__letters_poll(struct gpube_letters *l)
{
	const struct dcop_listener listener = {l, on_body, on_parcel};
	bool moved;
	int status = dcop__world_poll(l->world, &listener, &moved);

	if (!status)
		status = l->report(l->arg);
	if (moved || l->nap < LEAST_NAP_NS)
		l->nap = LEAST_NAP_NS;
	else if (l->nap < MOST_NAP_NS)
		l->nap += l->nap / 4;
	if (!status && !moved)
		nanosleep(&(struct timespec){.tv_nsec = l->nap}, NULL);
	return status;
}

int gpube__letters_follow(struct gpube_letters *l)
{
	const struct gpube_letter stop = {.kind = LETTER_STOP};
	struct gpube_letter over = {.kind = LETTER_OVER};
	int status = GPUBE_OK;

	while (!status && (!l->over || l->is_busy(l->arg))) {
		if (!l->asked && gpube__stopped(l->world->ctx)) {
			l->asked = true;
			status = gpube__letter_send(l->world, 0, &stop, NULL);
		}
		if (!status)
			status = gpube__letters_poll(l);
	}
	over.seconds = gpube__cpu_seconds();
	if (!status)
		status = gpube__letter_send(l->world, 0, &over, NULL);
	while (!status && !dcop__world_drained(l->world))
		status = gpube__letters_poll(l);
	return status;
}

int gpube__letters_end(struct gpube_letters *l)
{
	const struct gpube_letter over = {.kind = LETTER_OVER};
	int status = send_all(l->world, &over);

	l->stop(l->arg);
	while (!status && (l->is_busy(l->arg) || l->n_gone < l->world->n_ranks - 1 ||
				  !dcop__world_drained(l->world)))
		status = gpube__letters_poll(l);
	l->seconds[0] = gpube__cpu_seconds();
	for (int rank = 0; rank < l->world->n_ranks; rank++)
		gpube__log(l->world->ctx, GPUBE_LOG_DETAIL, "rank %d: %.2f processor seconds", rank,
			l->seconds[rank]);
	return status;
}
