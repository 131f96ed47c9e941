/*
 * shares.c - how much of a round each method has, by class of model: data, not conditions.
 * benchmarks/schedule.py replays a table of shares on recorded runs and fits one to them. These
 * rows were chosen by whole runs beside fitted ones, which were no better there (runs/solve-h200);
 * that of CARD is from single runs on a card, of which there are no traces yet.
 */
#include "gpube/bound/schedule/methods.h"

const unsigned char gpube__shares[GPUBE__N_CLASSES][GPUBE__N_METHODS] = {
	/*                   sat order arc elim search pairs tree deep andor joins nest mbe sdp */
	[GPUBE__CLASS_NARROW] = {2, 20, 0, 0, 4, 18, 20, 4, 26, 4, 0, 1, 0},
	[GPUBE__CLASS_NARROW_TERNARY] = {2, 20, 0, 0, 4, 6, 24, 4, 26, 4, 0, 1, 0},
	[GPUBE__CLASS_SPARSE] = {2, 10, 0, 0, 5, 18, 33, 5, 15, 5, 0, 1, 5},
	[GPUBE__CLASS_DENSE] = {2, 2, 0, 0, 3, 24, 42, 5, 15, 1, 10, 1, 10},
	[GPUBE__CLASS_WIDE] = {2, 2, 0, 0, 6, 10, 45, 2, 5, 2, 28, 1, 10},
	[GPUBE__CLASS_CARD] = {2, 2, 0, 0, 3, 5, 15, 2, 5, 0, 75, 1, 15},
	[GPUBE__CLASS_HARD] = {60, 10, 0, 0, 5, 5, 15, 0, 5, 2, 2, 1, 0},
};
