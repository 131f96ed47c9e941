/* draw_svg.c - pictures drawn by Graphviz's program 'dot'. See draw.h. */
#define _POSIX_C_SOURCE 200809L
#include "gpube/cli/draw/draw.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* 'dot' at work on a file; what it draws comes out of the pipe. */
struct dot {
	pid_t pid;
	int from; /* the pipe's end to read */
};

static int start(struct dot *d, struct gpube_ctx *ctx, char *path)
{
	char name[] = "dot", option[] = "-Tsvg", *argv[] = {name, option, path, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], error;

	if (pipe(ends) != 0)
		return gpube__fail(ctx, GPUBE_EIO, "cannot make a pipe: %s", strerror(errno));
	error = posix_spawn_file_actions_init(&actions);
	if (!error) {
		error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
		if (!error)
			error = posix_spawn_file_actions_addclose(&actions, ends[0]);
		if (!error)
			error = posix_spawn_file_actions_addclose(&actions, ends[1]);
		if (!error)
			error = posix_spawnp(&d->pid, name, &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	d->from = ends[0];
	if (!error)
		return GPUBE_OK;
	close(ends[0]);
	return error == ENOENT
		       ? gpube__fail(ctx, GPUBE_EIO,
				 "--svg needs Graphviz's program 'dot', which is not there "
				 "(apt-get install graphviz); --dot alone writes its input")
		       : gpube__fail(ctx, GPUBE_EIO, "cannot start 'dot': %s", strerror(error));
}

/* All that it draws goes to 'out'; a stop ends it. */
static int finish(struct dot *d, struct gpube_out *out)
{
	struct pollfd ready = {.fd = d->from, .events = POLLIN};
	char bytes[4096];
	ssize_t n = 1;
	int state = 0;
	bool stopped = false;

	while (n > 0 && !out->status && !stopped) {
		if (poll(&ready, 1, 200) > 0) {
			n = read(d->from, bytes, sizeof(bytes));
			if (n > 0)
				gpube__out_bytes(out, bytes, (size_t)n);
			else if (n < 0 && errno == EINTR)
				n = 1;
		}
		stopped = gpube__stopped(out->ctx);
	}
	close(d->from);
	if (stopped || out->status)
		kill(d->pid, SIGTERM);
	while (waitpid(d->pid, &state, 0) < 0 && errno == EINTR)
		;
	if (stopped)
		return gpube__fail(out->ctx, GPUBE_ESTOP, "stopped before the picture was drawn");
	if (out->status)
		return out->status;
	if (n < 0 || !WIFEXITED(state) || WEXITSTATUS(state) != 0)
		return gpube__fail(out->ctx, GPUBE_EIO, "Graphviz's 'dot' failed");
	return GPUBE_OK;
}

int draw_svg(struct gpube_out *out, const struct gpube_model *m, enum drawing what,
	const int32_t *order, bool simplify, int scale)
{
	const char *folder = getenv("TMPDIR");
	struct gpube_out text;
	struct dot d;
	char path[512];
	int fd, status;

	folder = folder && *folder && strlen(folder) < 400 ? folder : "/tmp";
	snprintf(path, sizeof(path), "%s/gpube-XXXXXX", folder);
	fd = mkstemp(path);
	if (fd < 0)
		return gpube__fail(out->ctx, GPUBE_EIO, "cannot make a file in '%s': %s", folder,
			strerror(errno));
	close(fd);
	status = gpube__out_open(&text, out->ctx, path);
	if (!status) {
		int closed;

		status = draw_dot(&text, m, what, order, simplify, scale);
		closed = gpube__out_close(&text, status == GPUBE_OK);
		status = status ? status : closed;
	}
	if (!status)
		status = start(&d, out->ctx, path);
	if (!status)
		status = finish(&d, out);
	unlink(path);
	return status;
}
