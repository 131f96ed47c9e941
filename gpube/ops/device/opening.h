/*
 * opening.h - opening a device beside other work, and at no more cost than need be.
 *
 * Starting CUDA's driver and a device's context takes 0.2 to 1 s, once a process, whoever asks
 * first. So a program that knows that it will want a device begins before it reads its input.
 * All of this is the process', as the driver's state is: a program decides on it, not a library's
 * caller with a context, whose process may end by exit() while the driver is being started.
 *
 * Weighed: where it is not yet known whether a device will be wanted (--backend auto), to begin
 * when the command has taken as long as the opening would. What it costs then, which is another 0.1
 * s at the end of the process and a core meanwhile, was lost by every command of half a second.
 */
#ifndef GPUBE_OPENING_H
#define GPUBE_OPENING_H

#include <stdbool.h>

/*
 * gpube__opening_limit() - what makes opening cheaper.
 * n           all but the first n devices are hidden from the driver, so that they need not be
 *             started: by CUDA_VISIBLE_DEVICES, of whose list, where there is one, the first n
 *             stay; 0: none are hidden
 * one_stream  whoever uses a device does one thing after the other: one connection to it is
 *             enough, where 8 take 0.09 s more to open and close (CUDA_DEVICE_MAX_CONNECTIONS,
 *             unless it is set; an H100 with driver 580: 0.23 s instead of 0.32)
 * Before the first call of CUDA, and while no other thread reads or changes the environment, which
 * this does.
 */
void gpube__opening_limit(int n, bool one_stream);

/*
 * gpube__opening_allow() - whoever finds that device 'id' is likely to be wanted may begin to open
 * it. Only a program that ends by _exit() while gpube__opening_now() is true may say so: what
 * exit() calls would take the driver from under the thread.
 */
void gpube__opening_allow(int id);

/*
 * gpube__opening_put_off() - the driver is not started before it is known whether more devices than
 * the first will be wanted: with two H200s in sight instead of one it starts 0.13 s later and ends
 * 0.1 s later (benchmarks/runs/devices-h200). gpube__opening_begin() does nothing then.
 * first, all  how many devices are to be seen where the first is enough, and where it is not: as of
 *             gpube__opening_limit()
 * gpube__opening_decide() - that is known now; the device begins to be opened. Nothing where it was
 * not put off.
 * gpube__opening_is_put_off() - nothing has been decided, nor has the driver been started.
 */
void gpube__opening_put_off(int first, int all);
void gpube__opening_decide(bool all);
bool gpube__opening_is_put_off(void);

/*
 * gpube__opening_begin() - opens the device in a thread, if that is allowed, once a process.
 * gpube__ops_cuda() waits for it. What fails is found again there, and told.
 */
void gpube__opening_begin(void);

/* Whether it is being opened at this moment. */
bool gpube__opening_now(void);

/* Waits until the device is open or could not be opened; no time where none was begun. */
void gpube__opening_wait(void);

/* When its opening was begun, by gpube__now(); 0: not yet. */
double gpube__opening_since(void);

/* ---- of the backend ---- */

/* Starts the driver and the context of a device, for every thread; errors are left for later. */
void gpube__opening_driver(int id);

#endif
