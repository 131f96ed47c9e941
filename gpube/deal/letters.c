/* letters.c - see letters.h. */
#define _POSIX_C_SOURCE 200809L
#include "gpube/deal/letters.h"

#include <string.h>
#include <time.h>

/* An answer waits so long at most, and the processor is left to those who work. */
#define NAP_NS 500000

int gpube__letter_send(
	struct dcop_world *world, int to, const struct gpube_letter *letter, const int32_t *words)
{
	const uint64_t bytes = (uint64_t)letter->n * sizeof(*words);
	struct dcop_parcel *p = gpube__alloc_zero(world->ctx, 1, sizeof(*p));
	char *body = gpube__alloc(world->ctx, sizeof(*letter) + bytes, 1);

	if (!p || !body) {
		gpube__free(world->ctx, p);
		gpube__free(world->ctx, body);
		return GPUBE_ENOMEM;
	}
	memcpy(body, letter, sizeof(*letter));
	if (bytes)
		memcpy(body + sizeof(*letter), words, bytes);
	p->body = body;
	p->body_bytes = sizeof(*letter) + bytes;
	return dcop__world_send(world, to, p);
}

int gpube__letter_send_all(struct dcop_world *world, const struct gpube_letter *letter, const int32_t *words)
{
	int status = GPUBE_OK;

	for (int to = 0; to < world->n_ranks && !status; to++)
		if (to != world->rank)
			status = gpube__letter_send(world, to, letter, words);
	return status;
}

static int fail_unexpected(const struct gpube_reader *r, int from)
{
	return gpube__fail(r->world->ctx, GPUBE_EIO,
		"rank %d sent what nobody expects: is it of the same version?", from);
}

static int on_body(void *arg, int from, const void *body, uint64_t bytes, struct dcop_blob **blobs,
	int32_t *n_blobs)
{
	struct gpube_letter letter;

	(void)blobs;
	(void)n_blobs;
	if (bytes < sizeof(letter))
		return fail_unexpected(arg, from);
	memcpy(&letter, body, sizeof(letter));
	return letter.n < 0 || bytes != sizeof(letter) + (uint64_t)letter.n * sizeof(int32_t) ? fail_unexpected(arg, from)
											       : GPUBE_OK;
}

static int on_parcel(void *arg, int from, const void *body, uint64_t bytes)
{
	const struct gpube_reader *r = arg;
	struct gpube_letter letter;
	int32_t *words;
	int status;

	memcpy(&letter, body, sizeof(letter));
	words = gpube__alloc(r->world->ctx, (uint64_t)letter.n, sizeof(*words));
	if (!words)
		return GPUBE_ENOMEM;
	memcpy(words, (const char *)body + sizeof(letter), (size_t)(bytes - sizeof(letter)));
	status = r->read(r->arg, from, &letter, words);
	gpube__free(r->world->ctx, words);
	return status;
}

int gpube__letters_poll(const struct gpube_reader *r, bool *busy)
{
	struct gpube_reader copy = *r;
	const struct dcop_listener listener = {&copy, on_body, on_parcel};

	return dcop__world_poll(r->world, &listener, busy);
}

void gpube__letters_nap(bool busy)
{
	if (!busy)
		nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

void gpube__letters_tell_seconds(struct dcop_world *world, const double *seconds)
{
	for (int rank = 0; rank < world->n_ranks; rank++)
		gpube__log(world->ctx, GPUBE_LOG_DETAIL, "rank %d: %.2f processor seconds", rank, seconds[rank]);
}
