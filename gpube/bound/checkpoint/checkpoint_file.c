/* checkpoint_file.c - a run's numbers in a file: see checkpoint.h. */
#include "gpube/bound/checkpoint/checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "formats/io/io.h"
#include "gpube/bound/dfs_tree.h"

/* The first line; what follows is as gpube__pack() has it. */
static const char first_line[] = "gpube-checkpoint 4\n";
static const char any_version[] = "gpube-checkpoint ";

/* ---- writing --------------------------------------------------------------------------------- */

/* Those that the file has: not of a first run, which begins anew. */
static int64_t n_open(struct gpube_dfs_tree *s)
{
	int64_t n = 0;

	if (!s || !s->t)
		return 0;
	pthread_mutex_lock(&s->lock);
	for (int32_t k = 0; k < s->n_blocks; k++)
		n += s->blocks[k].opened ? s->blocks[k].open.n + s->blocks[k].open.n_held : 0;
	pthread_mutex_unlock(&s->lock);
	return n;
}

static int write_file(struct gpube_ctx *ctx, const char *path, const struct gpube__bytes *packed)
{
	struct gpube_out out;
	int status = gpube__out_open(&out, ctx, path);

	if (status)
		return status;
	gpube__out_text(&out, first_line);
	gpube__out_bytes(&out, (const char *)packed->at, (size_t)packed->n);
	return gpube__out_close(&out, true);
}

void gpube__checkpoint_save(struct gpube_bounder *b)
{
	struct gpube_ctx own = gpube__ctx_child(b->ctx); /* a failure is not the run's */
	struct gpube__bytes run = {.ctx = &own}, packed = {.ctx = &own};
	const char *path = b->told.saver->path;
	char size[GPUBE_BYTES_TEXT];
	int status;

	gpube__put_run(&run, b, GPUBE__RUN_WITH_NODES);
	status = gpube__pack(&packed, &run);
	if (!status)
		status = write_file(&own, path, &packed);
	if (status)
		gpube__log(b->ctx, GPUBE_LOG_NOTE, "no checkpoint was written: %s", own.error);
	else
		gpube__log(b->ctx, GPUBE_LOG_NOTE,
			"checkpoint written to '%s': %lld open node%s, %s", path,
			(long long)n_open(b->state.tree),
			gpube__plural((double)n_open(b->state.tree)),
			gpube__bytes_text(size, (double)packed.n));
	gpube__bytes_clear(&run);
	gpube__bytes_clear(&packed);
	gpube__ctx_clear(&own);
	b->told.saver->saved = gpube__now();
}

/* ---- reading --------------------------------------------------------------------------------- */

int gpube__checkpoint_fail(struct gpube_ctx *ctx, int status, const char *path)
{
	char text[sizeof(ctx->error)];

	snprintf(text, sizeof(text), "%s", ctx->error);
	return gpube__fail(ctx, status, "cannot resume from '%s': %s", path, text);
}

/* All bytes of the file. */
static int read_all(struct gpube__bytes *to, struct gpube_in *in)
{
	while (gpube__in_fill(in)) {
		const int64_t n = in->end - in->p;

		if ((uint64_t)(to->n + n) > to->ctx->memory_bytes)
			return gpube__fail(to->ctx, GPUBE_ELIMIT, "it is larger than the memory");
		if (gpube__grow(to->ctx, &to->at, &to->capacity, to->n + n, 1))
			return GPUBE_ENOMEM;
		memcpy(to->at + to->n, in->p, (size_t)n);
		to->n += n;
		in->p = in->end;
	}
	return in->status;
}

static int check_first_line(struct gpube__bytes *file)
{
	const int64_t n = (int64_t)strlen(first_line), any = (int64_t)strlen(any_version);

	file->next = n;
	if (file->n >= n && !memcmp(file->at, first_line, (size_t)n))
		return GPUBE_OK;
	return gpube__fail(file->ctx, GPUBE_EPARSE, "%s",
		file->n >= any && !memcmp(file->at, any_version, (size_t)any)
			? "it is a checkpoint of another version of gpube"
			: "it is no checkpoint");
}

int gpube__checkpoint_read(struct gpube__bytes *to, const char *path)
{
	struct gpube__bytes file = {.ctx = to->ctx};
	struct gpube_in in;
	int status = gpube__in_open(&in, to->ctx, path);

	if (status)
		return status;
	status = read_all(&file, &in);
	gpube__in_close(&in);
	if (!status)
		status = check_first_line(&file);
	if (!status)
		status = gpube__unpack(to, &file);
	if (!status && file.next != file.n)
		status = gpube__fail(to->ctx, GPUBE_EPARSE, "something follows its end");
	gpube__bytes_clear(&file);
	return status ? gpube__checkpoint_fail(to->ctx, status, path) : GPUBE_OK;
}
