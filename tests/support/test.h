/* test.h - what every unit test includes: cmocka and the headers it needs first. */
#ifndef GPUBE_TEST_H
#define GPUBE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif
