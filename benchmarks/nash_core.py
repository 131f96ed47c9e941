#!/usr/bin/env python3
"""Processor seconds of one core: gpube nash beside lrsnash in its better order, same games.

usage: nash_core.py [--gpube PROGRAM] [--seeds N] [--timeout S] [--one-order] CLASS N...

lrsnash is run on the game and, unless --one-order, on the game with the players exchanged; a run
past the limit counts as the limit. Prints a line a game (class, actions, seed, equilibria, gpube,
lrsnash, lrsnash exchanged) and medians for each size; exit status 1 if the numbers of equilibria
differ.
"""
import os
import statistics
import subprocess
import sys
import tempfile

from common import SHARED, options


def timed(args, timeout):
    """Output and processor seconds; None for the output when the limit is passed."""
    with tempfile.TemporaryFile("w+") as out:
        p = subprocess.Popen(["timeout", str(timeout)] + args, stdout=out,
                             stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        seconds = usage.ru_utime + usage.ru_stime
        return (None if p.returncode == 124 else out.read()), seconds


def exchanged(path, to):
    """The game with the players exchanged, for lrsnash."""
    with open(path) as f:
        words = f.read().split()
    m, n = int(words[0]), int(words[1])
    a, b = words[2:2 + m * n], words[2 + m * n:]
    with open(to, "w") as f:
        f.write("%d %d\n" % (n, m))
        for p in (b, a):
            for j in range(n):
                f.write(" ".join(p[i * n + j] for i in range(m)) + "\n")


def count(text):
    for line in text.splitlines():
        if line.startswith("*Number of equilibria found:"):
            return int(line.split(":")[1])
    return None


def main():
    p = options(__doc__, "--gpube", "--seeds", timeout=100.0, one_order=False)
    p.add_argument("kind")
    p.add_argument("sizes", **SHARED["sizes"])
    o = p.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        game, turned = os.path.join(work, "game.txt"), os.path.join(work, "turned.txt")
        for n in o.sizes:
            rows = []
            for seed in range(1, o.seeds + 1):
                subprocess.run([o.gpube, "generate", "nash", "--game", o.kind, "-n", str(n),
                                "--seed", str(seed), "--to", "lrs", "-o", game], check=True)
                exchanged(game, turned)
                text, ours = timed([o.gpube, "nash", "--threads", "1", "--output", "lrs", game],
                                   o.timeout)
                found = count(text) if text else None
                theirs = []
                for path in (game,) if o.one_order else (game, turned):
                    text, seconds = timed(["lrsnash", path], o.timeout)
                    theirs.append(seconds)
                    if text and found is not None and count(text) != found:
                        bad += 1
                        print("numbers differ: %d, lrsnash %s" % (found, count(text)))
                rows.append((ours, min(theirs)))
                print("%s,%d,%d,%s,%.3f,%s" % (o.kind, n, seed, found, ours,
                                               ",".join("%.3f" % t for t in theirs)), flush=True)
            print("# %s %d: median %.3f, lrsnash %.3f" % (
                o.kind, n, statistics.median(r[0] for r in rows),
                statistics.median(r[1] for r in rows)), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
