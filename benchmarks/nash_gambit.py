#!/usr/bin/env python3
"""Processor seconds of one core: gpube nash beside pygambit's enummixed_solve, random games.

usage: nash_gambit.py [--gpube PROGRAM] [--first SEED] [--seeds N] [--rational] N...

Prints a line a game (actions, seed, equilibria, gpube, those of pygambit, its seconds) and medians
for each size. In doubles (without --rational) pygambit may find another number.
"""
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time

import pygambit

from common import options


def ours(gpube, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([gpube, "nash", "--threads", "1", "--json", path],
                         stdout=subprocess.PIPE, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (json.loads(out)["n_equilibria"],
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def theirs(path, rational):
    game = pygambit.read_nfg(path)
    start = time.process_time()
    found = pygambit.nash.enummixed_solve(game, rational=rational).equilibria
    return len(found), time.process_time() - start


def main():
    p = options(__doc__, "--gpube", "--seeds", "sizes", first=1, rational=False)
    o = p.parse_args()
    print("# pygambit %s, %s" % (pygambit.__version__, "rationals" if o.rational else "doubles"))
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "game.nfg")
        for n in o.sizes:
            rows = []
            for seed in range(o.first, o.first + o.seeds):
                subprocess.run([o.gpube, "generate", "nash", "-n", str(n), "--seed", str(seed),
                                "-o", path], check=True)
                count, seconds = ours(o.gpube, path)
                other, other_seconds = theirs(path, o.rational)
                rows.append((seconds, other_seconds))
                print("%d,%d,%d,%.3f,%d,%.3f" % (n, seed, count, seconds, other, other_seconds),
                      flush=True)
            print("# %d: median %.3f, pygambit %.3f" % (
                n, statistics.median(r[0] for r in rows), statistics.median(r[1] for r in rows)),
                flush=True)


if __name__ == "__main__":
    main()
