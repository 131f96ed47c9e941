/*
 * plot.h - bounds over time as a picture: an SVG of our own.
 *
 * gnuplot was weighed against it: a program more to install, a file between, and nothing to see
 * where a run was stopped and the program is not there. Two step lines and two axes are less than
 * its script.
 */
#ifndef GPUBE_CLI_PLOT_H
#define GPUBE_CLI_PLOT_H

#include "gpube/cli/answer.h"

/*
 * plot_write() - the steps of a run up to now, and where they ended; the file gets its name when it
 * is on the disk.
 * Errors: EIO, ENOMEM
 */
int plot_write(const char *path, const struct answer *a, const struct gpube_solution *s);

#endif
