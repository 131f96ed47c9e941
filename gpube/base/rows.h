/*
 * rows.h - items by key, in rows that lie one after the other: those of key k are item[at[k]] to
 * item[at[k + 1] - 1], in the order in which they were placed. Of n keys 'at' has n + 2 places of
 * int32_t or int64_t, all 0. Every item is counted, the rows begin, and every item is placed:
 *
 *	for (…)
 *		GPUBE_ROW_COUNT(at, key);
 *	GPUBE_ROWS_BEGIN(at, n);	the number of items is at[n + 1]
 *	for (…)
 *		item[GPUBE_ROW_PLACE(at, key)] = …;
 *
 * A key is counted two places on. So its next place stands one on, and has come to its row's end
 * when the row is full: that is where the next row begins.
 */
#ifndef GPUBE_ROWS_H
#define GPUBE_ROWS_H

#include <stdint.h>

#define GPUBE_ROW_COUNT(at, key) ((at)[(int64_t)(key) + 2]++)
#define GPUBE_ROW_PLACE(at, key) ((at)[(int64_t)(key) + 1]++)
#define GPUBE_ROWS_BEGIN(at, n)                                                                    \
	do {                                                                                       \
		for (int64_t row_ = 0; row_ < (int64_t)(n); row_++)                                \
			(at)[row_ + 2] += (at)[row_ + 1];                                          \
	} while (0)

#endif
