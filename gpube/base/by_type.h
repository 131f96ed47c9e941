/*
 * by_type.h - a statement for the C type of a table's values. WHAT is a macro that ends without a
 * semicolon.
 * GPUBE_BY_INT()    WHAT(T, MOST) of integers: their type, and its largest number
 * GPUBE_BY_VALUE()  WHAT(T, MOST, F) of coalitions' values: F is i, or f and MOST is INFINITY
 */
#ifndef GPUBE_BY_TYPE_H
#define GPUBE_BY_TYPE_H

#include <math.h>

#include "gpube/base/base.h"

#define GPUBE__CASE(type, statement)                                                               \
	case type:                                                                                 \
		statement;                                                                         \
		break;

#define GPUBE_BY_INT(type, WHAT)                                                                   \
	do                                                                                         \
		switch (type) {                                                                    \
			GPUBE__CASE(GPUBE_INT8, WHAT(int8_t, INT8_MAX))                            \
			GPUBE__CASE(GPUBE_INT16, WHAT(int16_t, INT16_MAX))                         \
			GPUBE__CASE(GPUBE_INT32, WHAT(int32_t, INT32_MAX))                         \
		default:                                                                           \
			WHAT(int64_t, INT64_MAX);                                                  \
		}                                                                                  \
	while (0)

#define GPUBE_BY_VALUE(type, WHAT)                                                                 \
	do                                                                                         \
		switch (type) {                                                                    \
			GPUBE__CASE(GPUBE_INT16, WHAT(int16_t, INT16_MAX, i))                      \
			GPUBE__CASE(GPUBE_INT32, WHAT(int32_t, INT32_MAX, i))                      \
			GPUBE__CASE(GPUBE_INT64, WHAT(int64_t, INT64_MAX, i))                      \
			GPUBE__CASE(GPUBE_FLOAT32, WHAT(float, INFINITY, f))                       \
		default:                                                                           \
			WHAT(double, INFINITY, f);                                                 \
		}                                                                                  \
	while (0)

#endif
