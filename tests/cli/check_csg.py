#!/usr/bin/env python3
"""Checks a certificate of 'gpube csg --certify' against its game, by csg/certificate.md alone.

check_csg.py CERT GAME         exit status 0 if the proof holds
check_csg.py forge CERT GAME   makes false ones of it: neither this nor 'gpube csg --verify' takes one
"""
import gzip
import os
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

INTEGERS = {"int16": "h", "int32": "i", "int64": "q"}
FLOATS = {"float32": "f", "float64": "d"}


class Wrong(Exception):
    """The file is no proof; the text says why."""


def need(truth, why):
    if not truth:
        raise Wrong(why)


def read_bytes(path):
    with open(path, "rb") as f:
        data = f.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def read_game(path):
    """(agents, type, values by mask; None: forbidden)"""
    data = read_bytes(path)
    if data[:8] == b"GPUBECSG":
        n, number = struct.unpack("<II", data[12:20])
        kind = list({**INTEGERS, **FLOATS})[number]
        letter = {**INTEGERS, **FLOATS}[kind]
        values = list(struct.unpack("<%d%s" % (1 << n, letter), data[32:]))
        no = -float("inf") if kind in FLOATS else -1 << (8 * struct.calcsize(letter) - 1)
        return n, kind, [None if v == no else v for v in values]
    words = [line.split("#")[0].split() for line in data.decode().splitlines()]
    words = [w for line in words for w in line]
    n, kind = int(words[1]), words[2]

    def value(word):
        if word == "forbidden":
            return None
        if kind == "float32":
            return struct.unpack("f", struct.pack("f", float(word)))[0]
        return float(word) if kind == "float64" else int(word)

    at = 3
    other = None
    if words[at:at + 1] == ["default"]:
        other = value(words[at + 1])
        at += 2
    values = [other] * (1 << n)
    values[0] = 0
    for who, what in zip(words[at::2], words[at + 1::2]):
        mask = sum(1 << int(a) - 1 for a in who[1:-1].split(",")) if who[0] == "{" else int(who)
        values[mask] = value(what)
    return n, kind, values


class Certificate:
    """The numbers of the file, by its words."""

    def __init__(self, text):
        words = iter(text.split())

        def word(expected):
            need(next(words, None) == expected, "expected '%s'" % expected)

        def number():
            try:
                return int(next(words))
            except (StopIteration, ValueError):
                raise Wrong("expected a number") from None

        def named(name):
            word(name)
            return number()

        def count(name):
            n = named(name)
            need(0 <= n < 1 << self.n, "a number of " + name)
            return n

        need(named("csg-certificate") == 3, "version")
        self.n, self.shift = named("agents"), named("shift")
        self.disposal = named("disposal")
        need(1 <= self.n <= 40 and self.disposal in (0, 1), "agents or disposal")
        need(-2000 <= self.shift <= 2000, "shift")
        word("duals")
        self.duals = [number() for _ in range(self.n)]
        self.upper, self.value, self.unit = named("upper"), named("value"), named("unit")
        self.structure = [number() for _ in range(count("structure"))]
        self.tight = [(number(), number()) for _ in range(count("candidates"))]
        need(next(words, None) is None, "words after the end")

    def text(self):
        lines = ["csg-certificate 3",
                 "agents %d shift %d disposal %d" % (self.n, self.shift, self.disposal),
                 "duals " + " ".join(map(str, self.duals)),
                 "upper %d value %d unit %d" % (self.upper, self.value, self.unit),
                 "structure %d " % len(self.structure) + " ".join(map(str, self.structure)),
                 "candidates %d" % len(self.tight)]
        return "\n".join(lines + ["%d %d" % t for t in self.tight]) + "\n"


def prepare(c, game):
    """The values in units of the certificate, and the weights."""
    n, kind, given = game
    need(c.n == n, "another number of agents")
    need(kind in FLOATS or 0 <= c.shift <= 61, "shift")
    given = list(given)
    for i in range(n if c.disposal else 0):
        given[1 << i] = max(given[1 << i] or 0, 0)
    # round() of a fraction goes to the even number of two that are as near
    values = [None if v is None else v << c.shift if kind in INTEGERS
              else round(Fraction(v) * Fraction(2) ** c.shift) for v in given]
    weights = [0] * (1 << n)
    for s in range(1, 1 << n):
        low = s & -s
        weights[s] = weights[s ^ low] + c.duals[low.bit_length() - 1]
    return values, weights


def check(c, game):
    values, weights = prepare(c, game)
    everyone = (1 << c.n) - 1
    need(c.unit == (1 << c.shift if game[1] in INTEGERS else 1), "unit")
    need(c.upper == sum(c.duals) and sum(map(abs, c.duals)) < 1 << 62, "upper")
    seen = total = 0
    for s in c.structure:
        need(0 < s <= everyone and not s & seen and values[s] is not None, "structure")
        seen |= s
        total += values[s]
    need(seen == everyone and total == c.value, "the structure's agents or value")
    gap = c.upper - c.value - c.unit
    tight = {}
    for s in range(1, everyone + 1):
        slack = None if values[s] is None else weights[s] - values[s]
        need(slack is None or slack >= 0, "coalition %d is worth more than its duals" % s)
        if slack is not None and slack <= gap:
            tight[s] = slack
    need(len(c.tight) == len(tight) and dict(c.tight) == tight, "candidates")
    first = [[] for _ in range(c.n)]
    for s, slack in tight.items():
        first[(s & -s).bit_length() - 1].append((s, slack))
    reached = {0: 0}  # agents, from the first on without a gap or more: their least slack
    for i in range(c.n):
        for covered in [s for s in reached if not s >> i & 1]:
            spent = reached.pop(covered)
            for s, slack in first[i]:
                if not s & covered and spent + slack <= gap:
                    old = reached.get(covered | s)
                    reached[covered | s] = spent + slack if old is None else min(old, spent + slack)
    need(gap < 0 or everyone not in reached, "a structure of candidates is worth more")


def forgeries(text, game):
    """(name, text, whether it may hold after all)"""
    words = text.split()
    for k, w in enumerate(words):
        if w.lstrip("-").isdigit():
            # with disposal, where it does not matter, is another proof
            for by in (-1, 1, 1 << 61, -(1 << 63)):
                yield ("word %d %+d" % (k, by), " ".join(words[:k] + [str(int(w) + by)] + words[k + 1:]),
                       words[k - 1] == "disposal")
        yield "no word %d" % k, " ".join(words[:k] + words[k + 1:]), False
        yield "word %d twice" % k, " ".join(words[:k] + [w] + words[k:]), False
    c = Certificate(text)
    values, weights = prepare(c, game)
    for parts in ([(1 << c.n) - 1], [1 << i for i in range(c.n)]):
        # all is as it should be but that there is a better structure
        if any(values[s] is None for s in parts) or sum(values[s] for s in parts) == c.value:
            continue
        c.structure, c.value = parts, sum(values[s] for s in parts)
        gap = c.upper - c.value - c.unit
        c.tight = [(s, weights[s] - values[s]) for s in range(1, 1 << c.n)
                   if values[s] is not None and weights[s] - values[s] <= gap]
        yield "a worse structure", c.text(), False
        if c.tight:
            last = c.tight.pop()
            yield "a candidate is missing", c.text(), False
            c.tight.append(c.tight[0] if c.tight else last)
            yield "a candidate twice", c.text(), len(c.tight) == 1


def holds(text, game):
    try:
        check(Certificate(text), game)
    except Wrong:
        return False
    return True


def forge(certificate, path):
    game = read_game(path)
    text = read_bytes(certificate).decode()
    n = failed = 0
    with tempfile.TemporaryDirectory() as work:
        false = os.path.join(work, "false")
        for name, words, may_hold in forgeries(text, game):
            with open(false, "w", encoding="ascii") as f:
                f.write(words)
            run = subprocess.run([os.environ.get("GPUBE", "build/gpube"), "csg", "--verify", false, path],
                                 capture_output=True, text=True, check=False)
            said = run.stderr.strip()
            mine = holds(words, game)
            good = run.returncode == (0 if mine else 1) and (may_hold or not mine)
            good = good and (mine or said.startswith("gpube: ") and not run.stdout)
            n += 1
            if not good:
                failed += 1
                print("%s: exit status %d, '%s'; here it %s" %
                      (name, run.returncode, said, "holds" if mine else "does not hold"))
    print("%d false certificates" % n)
    return 1 if failed or n < 20 else 0


def main(args):
    if args[0] == "forge":
        return forge(*args[1:])
    try:
        check(Certificate(read_bytes(args[0]).decode()), read_game(args[1]))
    except Wrong as why:
        print("the certificate does not hold: %s" % why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
