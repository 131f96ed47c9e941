/*
 * clones.h - GPUBE_CLONES before a function: one copy for each length of vectors. The right one is
 * chosen when the program starts, which is before a sanitizer does.
 */
#ifndef GPUBE_CLONES_H
#define GPUBE_CLONES_H

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) &&       \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GPUBE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define GPUBE_CLONES
#endif

#endif
