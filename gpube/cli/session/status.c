/* status.c - see status.h. */
#define _POSIX_C_SOURCE 200809L

#include "gpube/cli/session/status.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "gpube/cli/cli.h"

#define FIRST_SECONDS 1.0 /* short work shows no line */
#define EVERY_NS      100000000

static volatile sig_atomic_t line_is_drawn;

/* ---- the terminal -------------------------------------------------------------------- */

static bool is_terminal(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) == 1 && term && strcmp(term, "dumb") != 0;
}

bool status_colours(int fd)
{
	const char *no = getenv("NO_COLOR");

	return is_terminal(fd) && !(no && *no);
}

/* The narrower of what the terminal and COLUMNS say, which differ where one of them is old. */
static int width(const struct status *s)
{
	struct winsize size;
	int columns = s->columns;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col &&
		(!columns || size.ws_col < columns))
		columns = size.ws_col;
	return columns ? columns : 80;
}

/* At once, so that nothing comes between; what a terminal does not take is lost. */
static void put(const char *text, size_t n)
{
	if (write(STDERR_FILENO, text, n) < 0)
		return;
}

void status_abandon(void)
{
	if (line_is_drawn)
		put("\r\033[K", 4);
}

static void erase(struct status *s)
{
	if (s->drawn[0]) {
		fflush(stderr);
		put("\r\033[K", 4);
	}
	s->drawn[0] = 0;
	line_is_drawn = 0;
}

/* ---- the line ------------------------------------------------------------------------ */

enum { BAR = 20, MARGIN = 4 }; /* columns of a bar; and for a ^C that the terminal echoes */

/* The parts of a line, in its order. */
enum part { PART_TIME, PART_BOUNDS, PART_GAP, PART_RUNS, PART_BAR, N_PARTS };

struct line {
	char part[N_PARTS][STATUS_TEXT];
	bool taken[N_PARTS];
	int room;
};

static int columns_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80; /* a character of UTF-8 once */
	return n;
}

/* Takes a part if there is room for it. */
static bool take(struct line *l, enum part k)
{
	const int n = columns_of(l->part[k]) + (k == PART_TIME ? 0 : 2);

	if (!l->part[k][0] || n > l->room)
		return false;
	l->room -= n;
	return l->taken[k] = true;
}

static void write_time(char text[STATUS_TEXT], double seconds)
{
	const long s = (long)seconds;

	if (s < 60)
		snprintf(text, STATUS_TEXT, "%ld s", s);
	else if (s < 3600)
		snprintf(text, STATUS_TEXT, "%ld:%02ld min", s / 60, s % 60);
	else
		snprintf(text, STATUS_TEXT, "%ld:%02ld:%02ld h", s / 3600, s / 60 % 60, s % 60);
}

static void write_bar(char text[STATUS_TEXT], double done, int room)
{
	static const char full[] = "====================";
	const int n = (int)(done * BAR);

	if (room < BAR + 2 + 2 + 6)
		snprintf(text, STATUS_TEXT, "%.0f %%", 100 * done);
	else
		snprintf(text, STATUS_TEXT, "[%.*s%*s] %.0f %%", n, full, BAR - n, "", 100 * done);
}

/* What has room, the most telling first. */
static void compose(struct line *l, const struct status *s)
{
	write_time(l->part[PART_TIME], gpube__now() - s->start);
	memcpy(l->part[PART_BOUNDS], s->bounds, STATUS_TEXT);
	memcpy(l->part[PART_GAP], s->gap, STATUS_TEXT);
	memcpy(l->part[PART_RUNS], s->runs, STATUS_TEXT);
	take(l, PART_TIME);
	take(l, PART_GAP);
	take(l, PART_BOUNDS);
	take(l, PART_RUNS);
	if (s->done >= 0)
		write_bar(l->part[PART_BAR], s->done < 1 ? s->done : 1, l->room);
	take(l, PART_BAR);
}

static void draw(struct status *s)
{
	static const char *const colour[N_PARTS] = {
		[PART_TIME] = "\033[2m", [PART_GAP] = "\033[1m", [PART_BAR] = "\033[32m"};
	struct line l = {.room = width(s) - MARGIN};
	char text[2 * STATUS_TEXT] = "\r";
	size_t n = 1;

	compose(&l, s);
	for (int k = 0; k < N_PARTS && n < sizeof(text); k++) {
		const bool coloured = s->colour && colour[k];

		if (l.taken[k])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%s%s",
				k == PART_TIME ? "" : "  ", coloured ? colour[k] : "", l.part[k],
				coloured ? "\033[0m" : "");
	}
	if (n + 4 > sizeof(text) || !strcmp(text, s->drawn))
		return;
	memcpy(s->drawn, text, n + 1);
	memcpy(text + n, "\033[K", 3);
	line_is_drawn = 1;
	put(text, n + 3);
}

/* ---- the thread ---------------------------------------------------------------------- */

static void draw_if_due(struct status *s)
{
	if (s->showing && gpube__now() - s->start >= FIRST_SECONDS)
		draw(s);
}

static void *keep_up_to_date(void *arg)
{
	struct status *s = arg;

	pthread_mutex_lock(&s->lock);
	while (!s->ending) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += EVERY_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&s->wake, &s->lock, &until);
		if (!s->ending)
			draw_if_due(s);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* At the first thing that happens; signals stay with the command's own threads. */
static void begin_thread(struct status *s)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	s->has_thread = !pthread_create(&s->thread, NULL, keep_up_to_date, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void status_begin(struct status *s, double start, bool verbose)
{
	const char *columns = getenv("COLUMNS");
	pthread_condattr_t monotonic;

	*s = (struct status){.start = start,
		.verbose = verbose,
		.terminal = is_terminal(STDERR_FILENO),
		.colour = status_colours(STDERR_FILENO),
		.columns = columns ? atoi(columns) : 0,
		.done = -1};
	s->columns = s->columns > 0 ? s->columns : 0;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

void status_hide(struct status *s)
{
	pthread_mutex_lock(&s->lock);
	erase(s);
	s->showing = false;
	pthread_mutex_unlock(&s->lock);
}

void status_end(struct status *s)
{
	pthread_mutex_lock(&s->lock);
	erase(s);
	s->ending = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	if (s->has_thread)
		pthread_join(s->thread, NULL);
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
}

/* ---- what happens -------------------------------------------------------------------- */

static void write_line(struct status *s, const char *text)
{
	erase(s);
	fprintf(stderr, "%s: %s\n", cli_program, text);
}

/* Without a terminal: bounds, or with --verbose how far it is, once in a doubling of time. */
static void write_if_due(struct status *s)
{
	const double now = gpube__now() - s->start;
	const bool far = s->verbose && s->done >= 0 && now >= FIRST_SECONDS;

	if (now < s->next || !(s->pending[0] || far))
		return;
	if (!s->pending[0])
		snprintf(s->pending, sizeof(s->pending), "%.2f s: %s, %.0f %%", now, s->runs,
			100 * s->done);
	write_line(s, s->pending);
	s->pending[0] = 0;
	s->next = 2 * (now > FIRST_SECONDS / 2 ? now : FIRST_SECONDS / 2);
}

/* What the status line shows of bounds. */
static void take_bounds(struct status *s, const struct gpube_log *said)
{
	(void)gpube__bounds_text(s->bounds, STATUS_TEXT, said, "");
	snprintf(s->gap, STATUS_TEXT, said->gap >= 0 ? "gap %.3g %%" : "", 100 * said->gap);
	if (!s->verbose && said->worked >= GPUBE__MOMENT)
		snprintf(s->pending, sizeof(s->pending), "%s", said->text);
}

static void take_event(struct status *s, const struct gpube_log *said)
{
	const enum gpube_log_level level = said->level;

	if (level == GPUBE_LOG_PROGRESS) {
		snprintf(s->runs, sizeof(s->runs), "%s", said->text);
		s->done = said->progress;
	} else if (level == GPUBE_LOG_BOUNDS) {
		take_bounds(s, said);
	}
	if (level == GPUBE_LOG_NOTE || (s->verbose && level != GPUBE_LOG_PROGRESS))
		write_line(s, said->text);
	if (!s->terminal) {
		write_if_due(s);
		return;
	}
	s->showing |= level != GPUBE_LOG_NOTE;
	if (s->showing && !s->has_thread)
		begin_thread(s);
	if (!s->has_thread)
		draw_if_due(s);
}

void status_log(struct status *s, const struct gpube_log *said)
{
	pthread_mutex_lock(&s->lock);
	take_event(s, said);
	pthread_mutex_unlock(&s->lock);
}
