#!/usr/bin/env python3
"""Extreme equilibria of gpube nash and of lrsnash, compared as sets of rationals.

usage: nash_lrs.py [--gpube PROGRAM] [--seed N] [--largest N] [--methods ve,eee] [--timeout S] GAMES
       nash_lrs.py [...] FILE...

GAMES seeded games of every class below, up to LARGEST x LARGEST actions, or the
files, which gpube translates for lrsnash. Prints a line for every disagreement and
one at the end; exit status 1 if there was any.
"""
import random
import subprocess
import sys
import tempfile
import json
import os
from fractions import Fraction

from common import options


def integers(rng, m, n, span):
    return [[rng.randint(-span, span) for _ in range(n)] for _ in range(m)]


def random_small(rng, m, n):
    return integers(rng, m, n, 2), integers(rng, m, n, 2)


def constant(rng, m, n):
    return [[0] * n for _ in range(m)], random_small(rng, m, n)[1]


def one_row(rng, m, n):
    return random_small(rng, 1, n)


def one_column(rng, m, n):
    return random_small(rng, m, 1)


def fractions(rng, m, n):
    return [[[Fraction(rng.randint(-9, 9), rng.randint(1, 7)) for _ in range(n)]
             for _ in range(m)] for _ in range(2)]


def symmetric(rng, m, n):
    a = integers(rng, m, m, rng.choice([1, 2, 50]))
    return a, [list(row) for row in zip(*a)]


def sparse(rng, m, n):
    return [[[rng.choice([0, 0, 0, 1, 2, -1]) for _ in range(n)] for _ in range(m)]
            for _ in range(2)]


def huge(rng, m, n):
    """lrsnash keeps payoffs in 64 bits: past that it reads another game."""
    return integers(rng, m, n, 10 ** 17), integers(rng, m, n, 10 ** 17)


# those of this file, and those of gpube generate nash
CLASSES = [random_small, constant, one_row, one_column, fractions, symmetric, sparse, huge,
           "random", "covariant", "zero-sum", "win-lose", "duplicated", "coordination",
           "dispersion", "minimum-effort", "grab-the-dollar", "travelers-dilemma",
           "cyclic-polytope"]


def generate(program, kind, rng, m, n, path):
    """Writes a game of gpube's for lrsnash."""
    if kind == "cyclic-polytope":
        m = n = max(2, m - m % 2)
    subprocess.run([program, "generate", "nash", "--game", kind, "--rows", str(m), "--columns",
                    str(n), "--seed", str(rng.randrange(2 ** 31)), "--to", "lrs", "-o", path,
                    "--range", str(rng.choice([1, 3, 20, 100]))], check=True)


def lrs_text(game):
    a, b = game
    lines = ["%d %d" % (len(a), len(a[0]))]
    for p in (a, b):
        lines.append("")
        lines += [" ".join(str(v) for v in row) for row in p]
    return "\n".join(lines) + "\n"


def lrs_blocks(text):
    """Pairs (x, y) of tuples out of lrsnash's blocks: each x goes with the ys before it."""
    found, ys = [], []
    for line in text.splitlines():
        t = line.split()
        if not t:
            continue
        if t[0] == "2":
            ys.append(tuple(Fraction(v) for v in t[1:-1]))
        elif t[0] == "1":
            x = tuple(Fraction(v) for v in t[1:-1])
            found += [(x, y) for y in ys]
            ys = []
    return found


def lrsnash(path, timeout):
    out = subprocess.run(["lrsnash", path], capture_output=True, text=True, timeout=timeout)
    return lrs_blocks(out.stdout)


def gpube(program, path, method, timeout):
    out = subprocess.run([program, "nash", "--json", "--method", method, path],
                         capture_output=True, text=True, timeout=timeout)
    if not out.stdout:
        return None, out.stderr
    r = json.loads(out.stdout)
    if r.get("status") == "error" or not (r["all"] or method == "se"):
        return None, r
    return [(tuple(Fraction(v) for v in e["x"]), tuple(Fraction(v) for v in e["y"]))
            for e in r["equilibria"]], r


def check(o, name, path, original=None):
    """lrsnash reads 'path', gpube 'original' where that is another file; None: not comparable."""
    with open(path) as f:
        if any(abs(int(v)) >= 2 ** 62 for t in f.read().split() for v in t.split("/")):
            print("%s: lrsnash keeps payoffs in 64 bits" % name)
            return None
    try:
        theirs = lrsnash(path, o.timeout)
    except subprocess.TimeoutExpired:
        return None
    bad = False
    for method in o.methods.split(","):
        try:
            ours, r = gpube(o.gpube, original or path, method, o.timeout)
        except subprocess.TimeoutExpired:
            print("%s: %s: out of time, lrsnash finds %d" % (name, method, len(set(theirs))))
            bad = True
            continue
        if ours is None:
            print("%s: %s: %s" % (name, method, r))
            bad = True
        elif len(ours) != len(set(ours)) or \
                (not set(ours) <= set(theirs) if method == "se" and not r["all"]
                 else set(ours) != set(theirs)):
            print("%s: %s: %d equilibria, lrsnash %d; %d only ours, %d only theirs" % (
                name, method, len(ours), len(set(theirs)), len(set(ours) - set(theirs)),
                len(set(theirs) - set(ours))))
            bad = True
    return bad


def run_generated(o, count):
    bad = skipped = 0
    for k in range(count):
        rng = random.Random(o.seed * 1000003 + k)
        kind = CLASSES[k % len(CLASSES)]
        m = rng.randint(1, o.largest)
        n = m if rng.random() < 0.5 else rng.randint(1, o.largest)
        with tempfile.NamedTemporaryFile("w", suffix=".lrs", delete=False) as f:
            if callable(kind):
                f.write(lrs_text(kind(rng, m, n)))
        if not callable(kind):
            generate(o.gpube, kind, rng, m, n, f.name)
        name = kind.__name__ if callable(kind) else kind
        result = check(o, "%s, seed %d, game %d" % (name, o.seed, k), f.name)
        skipped += result is None
        bad += bool(result)
        if result:
            os.rename(f.name, f.name + ".bad")
            print("  kept as %s.bad" % f.name)
        else:
            os.unlink(f.name)
    return bad, skipped


def run_files(o, files):
    bad = skipped = 0
    for path in files:
        with tempfile.NamedTemporaryFile("w", suffix=".lrs") as f:
            out = subprocess.run([o.gpube, "nash", "--convert", f.name, path],
                                 capture_output=True, text=True)
            if out.returncode:
                print("%s: not read: %s" % (path, out.stderr.strip()))
                skipped += 1
                continue
            result = check(o, path, f.name, path)
        skipped += result is None
        bad += bool(result)
    return bad, skipped


def main():
    p = options(__doc__, "--gpube", seed=1, largest=8, methods="auto,ve,eee", timeout=60.0)
    p.add_argument("what", nargs="+")
    o = p.parse_args()
    if o.what[0].isdigit():
        total = int(o.what[0])
        bad, skipped = run_generated(o, total)
    else:
        total = len(o.what)
        bad, skipped = run_files(o, o.what)
    print("%d games, %d disagree, %d skipped" % (total, bad, skipped))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
