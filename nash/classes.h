/* classes.h - the names of the classes of random games. Internal to nash/. */
#ifndef NASH_CLASSES_H
#define NASH_CLASSES_H

/* Number k of the classes, NULL past the last: option 'game' of gpube_nash_generate(). */
const char *nash__class(int k);

#endif
