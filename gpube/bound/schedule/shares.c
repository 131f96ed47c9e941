/*
 * shares.c - how much of a round each method has, by class of model: data, not conditions.
 * benchmarks/schedule.py replays a table of shares on recorded runs and fits one to them. These
 * rows lie between fitted ones and those before them, and were chosen by whole runs
 * (runs/schedule-h200), also on files that no fit has seen; that of CARD is from single runs on a
 * card, of which there are no traces yet.
 */
#include "gpube/bound/schedule/methods.h"

const unsigned char gpube__shares[GPUBE__N_CLASSES][GPUBE__N_METHODS] = {
	/*                   sat order arc elim search pairs tree deep andor joins nest mbe sdp
	 * lin */
	[GPUBE__CLASS_NARROW] = {2, 4, 0, 0, 2, 21, 20, 4, 34, 12, 0, 1, 0, 100},
	[GPUBE__CLASS_NARROW_TERNARY] = {2, 17, 0, 0, 2, 5, 36, 4, 30, 3, 0, 1, 0, 100},
	[GPUBE__CLASS_SPARSE] = {2, 5, 0, 0, 3, 27, 36, 5, 10, 5, 0, 1, 5, 100},
	[GPUBE__CLASS_DENSE] = {2, 2, 0, 0, 2, 10, 55, 5, 5, 1, 10, 1, 10, 100},
	[GPUBE__CLASS_WIDE] = {2, 2, 0, 0, 2, 5, 52, 2, 5, 1, 28, 1, 10, 100},
	[GPUBE__CLASS_CARD] = {2, 2, 0, 0, 3, 5, 15, 2, 5, 0, 75, 1, 15, 30},
	[GPUBE__CLASS_HARD] = {60, 10, 0, 0, 5, 5, 15, 0, 5, 2, 2, 1, 0, 0},
};
