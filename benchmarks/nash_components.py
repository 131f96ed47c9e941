#!/usr/bin/env python3
"""Extreme equilibria and connected components of gpube nash and of pygambit.

usage: nash_components.py [--gpube PROGRAM] [--seed N] [--largest N] GAMES

Needs the package pygambit. Its enumeration of mixed equilibria in rationals gives the extreme
equilibria; two of them that share a strategy are in one component. Prints a line for every
disagreement and one at the end; exit status 1 if there was any.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

import pygambit

from common import options

CLASSES = ["random", "covariant", "zero-sum", "win-lose", "duplicated", "coordination",
           "dispersion", "minimum-effort", "grab-the-dollar", "travelers-dilemma"]


def theirs(path):
    game = pygambit.read_nfg(path)
    result = pygambit.nash.enummixed_solve(game, rational=True)
    found = set()
    for e in result.equilibria:
        p = [tuple(Fraction(e[s]) for s in player.strategies) for player in game.players]
        found.add((p[0], p[1]))
    return found


def ours(program, path):
    out = subprocess.run([program, "nash", "--json", "--components", path], check=True,
                         capture_output=True, text=True)
    r = json.loads(out.stdout)
    found = {(tuple(Fraction(v) for v in e["x"]), tuple(Fraction(v) for v in e["y"]))
             for e in r["equilibria"]}
    parts = {}
    for c in r["components"]:
        parts.setdefault(c["component"], set()).update(
            (tuple(Fraction(v) for v in r["x"][i]), tuple(Fraction(v) for v in r["y"][j]))
            for i in c["x"] for j in c["y"])
    return found, {frozenset(p) for p in parts.values()}


def components(pairs):
    """Sets of pairs that are joined by pairs with the same x or the same y."""
    left, parts = set(pairs), set()
    while left:
        part, open_ = set(), [left.pop()]
        while open_:
            pair = open_.pop()
            part.add(pair)
            near = {p for p in left if p[0] == pair[0] or p[1] == pair[1]}
            left -= near
            open_ += near
        parts.add(frozenset(part))
    return parts


def main():
    p = options(__doc__, "--gpube", seed=1, largest=5)
    p.add_argument("games", type=int)
    o = p.parse_args()
    rng = random.Random(o.seed)
    bad = several = 0
    with tempfile.TemporaryDirectory() as work:
        for k in range(o.games):
            path = os.path.join(work, "game.nfg")
            name = CLASSES[k % len(CLASSES)]
            subprocess.run([o.gpube, "generate", "nash", "--game", name, "--rows",
                            str(rng.randint(1, o.largest)), "--columns",
                            str(rng.randint(1, o.largest)), "--seed", str(k), "--range",
                            str(rng.choice([1, 2, 50])), "-o", path], check=True)
            want = theirs(path)
            got, parts = ours(o.gpube, path)
            several += any(len(c) > 1 for c in parts)
            if got != want or parts != components(want):
                print("%s, game %d: %d equilibria in %d components, pygambit %d in %d" % (
                    name, k, len(got), len(parts), len(want), len(components(want))))
                bad += 1
    print("%d games, %d disagree, %d with a component of several extreme equilibria" % (
        o.games, bad, several))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
