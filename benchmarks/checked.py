#!/usr/bin/env python3
"""Reads every file of a data folder that is in one of the formats, writes each to every format, and reads it back.

usage: benchmarks/checked.py DATA [--convert build/gpube-convert] [--jobs 2] [--only TEXT] [--timeout 120]
                             [--toulbar2 PATH]... [--gpube build/gpube] [--seconds 5]
                             [--csv RAW.csv] [--budget SECONDS] [--list FILE]

Formats are told by content. Every model is written with --check --shift: what was written is compared table by table
with what should have been; graphs are to be coloured with four colours. What a format cannot hold is refused, with
the reason, and then written with --lossy.

With --toulbar2 (several times, if you like) each file that it reads, the given one unpacked and those written, is
solved by it and by 'gpube solve', each in --seconds of its processor, and the optima are compared: same, DIFFERS, or
one of them has none. Where gpube has none, the optima of two versions of toulbar2 are compared. Where it has
normalised the tables of a BAYES file, which moves the optimum, it is given them as a MARKOV file: normalised if that
is the same. A program that has not solved the first file of a model is not asked for the others.

--csv keeps the rows; what is there already is not done again, and with --budget no new file is begun after that many
seconds; small files come first. --list names the files to be done, one a line. Ends with tables of counts; exit
status 1 if a file cannot be read, a check fails or optima differ.
"""
import argparse
import collections
import concurrent.futures
import csv
import gzip
import lzma
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

import roundtrip

SUFFIXES = (".wcsp", ".cfn", ".uai", ".lg", ".wcnf", ".cnf", ".qpbo", ".col", ".erg", ".xml", ".yaml", ".yml")
TARGETS = {"wcsp": "wcsp", "cfn": "cfn", "uai": "uai", "lg": "LG", "wcnf": "wcnf", "cnf": "cnf"}
TOULBAR2_READS = ("wcsp", "cfn", "uai", "lg", "wcnf", "cnf", "qpbo")
COLUMNS = ("file", "from", "to", "verdict", "gpube", "toulbar2", "compared", "why")


def suffix_of(name):
    name = name.lower()
    for packed in (".xz", ".gz"):
        name = name.removesuffix(packed)
    return next((s for s in SUFFIXES if name.endswith(s)), None)


def convert(args, path, target, out, *options):
    try:
        p = subprocess.run([args.convert, "--check", "--shift", "--colors", "4", "--to", target, *options, path, out],
                           capture_output=True, text=True, errors="replace", timeout=args.timeout)
    except subprocess.TimeoutExpired:
        return "slow", "more than %d s" % args.timeout
    last = [line for line in p.stderr.splitlines() if "--lossy it may" not in line][-1:] or [""]
    if p.returncode == 0:
        return ("equal" if "all equal" in last[0] else "written"), last[0]
    if "is not what was to be written" in last[0]:
        return "DIFFERS", last[0]
    return "refused", last[0]


def write(args, path, target, out):
    verdict, why = convert(args, path, target, out)
    if verdict == "refused" and not os.path.exists(out):
        again, why_again = convert(args, path, target, out, "--lossy")
        if again in ("equal", "written"):
            verdict = "lossy"
        elif again == "DIFFERS":
            verdict, why = again, why_again
    return verdict, why


def unpacked(path, tmp, suffix):
    """A copy of the file as it is when unpacked, with its evidence beside it."""
    copy = os.path.join(tmp, "given" + (".LG" if suffix == "lg" else "." + suffix))
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(os.path.splitext(path)[1], open)
    with opener(path, "rb") as f, open(copy, "wb") as g:
        shutil.copyfileobj(f, g)
    plain = path.removesuffix(".xz").removesuffix(".gz")
    if os.path.exists(plain + ".evid"):
        shutil.copy(plain + ".evid", copy + ".evid")
    return copy


def same(a, b, source, target, n_functions):
    """Potentials are rounded by toulbar2, to seven decimals each."""
    tol = 1e-6 * n_functions + 1e-3 if {source, target} & {"uai", "lg", "erg"} else 1e-9
    return a == b or (math.isfinite(a) and math.isfinite(b) and abs(a - b) <= tol * max(1, abs(a)))


class Solvers:
    """The optima of one model's files; who has not solved the first is not asked again."""

    def __init__(self, args):
        self.args, self.asked, self.silent = args, set(), set()
        self.prefix = roundtrip.limited(args.seconds + 1)

    def optimum(self, name, solve):
        if name in self.silent:
            return None
        value = solve()
        if value is None and name not in self.asked:
            self.silent.add(name)
        self.asked.add(name)
        return value

    def ours(self, path):
        return roundtrip.solve_signed(self.args.gpube, path, None, 50 * self.args.seconds, self.prefix)[0]

    def theirs(self, binary, path):
        return roundtrip.toulbar2(binary, path, self.args.seconds, self.prefix)

    def as_markov(self, binary, path):
        """Its optimum of a Bayesian network's tables as they are: 1.4 normalises those of a BAYES file."""
        with open(path, "rb") as f:
            text = f.read()
        if not text.startswith(b"BAYES"):
            return None
        copy = path.removesuffix(".uai") + "-markov.uai"
        with open(copy, "wb") as f:
            f.write(text.replace(b"BAYES", b"MARKOV", 1))
        if os.path.exists(path + ".evid"):
            shutil.copy(path + ".evid", copy + ".evid")
        return self.theirs(binary, copy)

    def compare(self, path, source, target):
        """gpube's optimum, toulbar2's, and what they say of each other."""
        args = self.args
        if not args.toulbar2:
            return "", "", ""
        ours = self.optimum("gpube", lambda: self.ours(path))
        theirs = [self.optimum(t, lambda t=t: self.theirs(t, path))
                  for t in args.toulbar2]
        words = []
        first = next((t for t in theirs if t is not None), None)
        for binary, value in zip(args.toulbar2, theirs):
            reference = ours if ours is not None else first if value is not first else None
            if value is None:
                words.append("unsolved")
            elif reference is None:
                words.append("alone")
            elif same(reference, value, source, target, 1000):
                words.append("same")
            else:
                value = self.as_markov(binary, path)
                equal = value is not None and same(reference, value, source, target, 1000)
                words.append("normalised" if equal else "DIFFERS")
        return ours, " ".join(str(t) for t in theirs), " ".join(words)


def one(args, path):
    source = suffix_of(os.path.basename(path))[1:]
    source = "yaml" if source == "yml" else source
    rows, solvers = [], Solvers(args)
    with tempfile.TemporaryDirectory() as tmp:
        if source in TOULBAR2_READS and args.toulbar2:
            rows.append(("", "", *solvers.compare(unpacked(path, tmp, source), source, source), ""))
        for target, ending in TARGETS.items():
            out = os.path.join(tmp, "m." + ending)
            verdict, why = write(args, path, target, out)
            found = ("", "", "")
            if os.path.exists(out):
                found = solvers.compare(out, source, target)
                os.unlink(out)
            rows.append((target, verdict, *found, why))
    return [(source, *row) for row in rows]


def table(rows):
    files = collections.Counter()
    counts, words = collections.Counter(), collections.Counter()
    for name, source in {(r["file"], r["from"]) for r in rows}:
        files[source] += 1
    for r in rows:
        counts[r["from"], r["to"], r["verdict"]] += 1
        for k, word in enumerate(r["compared"].split()):
            words[r["from"], r["to"], k, word] += 1
    n = max([len(r["compared"].split()) for r in rows], default=0)
    verdicts = ("equal", "written", "lossy", "refused", "slow", "DIFFERS")
    print("%-6s %-6s %6s" % ("from", "to", "files") + "".join("%9s" % v for v in verdicts)
          + "  same/normalised/DIFFERS/alone" * n)
    for source in sorted(files):
        for target in ("", *TARGETS):
            if not any(r["from"] == source and r["to"] == target for r in rows):
                continue
            line = "%-6s %-6s %6d" % (source, target or "itself", files[source])
            line += "".join("%9s" % (counts[source, target, v] if target else "") for v in verdicts)
            for k in range(n):
                line += "%31s" % "/".join(
                    str(words[source, target, k, w]) for w in ("same", "normalised", "DIFFERS", "alone"))
            print(line)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data")
    ap.add_argument("--convert", default="build/gpube-convert")
    ap.add_argument("--gpube", default="build/gpube")
    ap.add_argument("--toulbar2", action="append", default=[])
    ap.add_argument("--seconds", type=float, default=5)
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--only", default="")
    ap.add_argument("--timeout", type=float, default=120)
    ap.add_argument("--csv")
    ap.add_argument("--list")
    ap.add_argument("--budget", type=float, default=math.inf)
    args = ap.parse_args()
    rows, start = [], time.monotonic()
    if args.csv and os.path.exists(args.csv):
        with open(args.csv, newline="") as f:
            rows = list(csv.DictReader(f))
    done = {r["file"] for r in rows}
    paths = sorted((os.path.join(folder, name) for folder, _, names in os.walk(args.data) for name in names
                    if suffix_of(name) and args.only in os.path.join(folder, name)), key=os.path.getsize)
    if args.list:
        with open(args.list) as f:
            wanted = set(f.read().split())
        paths = [p for p in paths if os.path.relpath(p, args.data) in wanted]
    paths = [p for p in paths if os.path.relpath(p, args.data) not in done]

    def work(path):
        found = one(args, path) if time.monotonic() - start < args.budget else ()
        return [dict(zip(COLUMNS, (os.path.relpath(path, args.data), *map(str, r)))) for r in found]

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(work, p) for p in paths]):
            rows += future.result()
            if args.csv and future.result():
                with open(args.csv + ".new", "w", newline="") as f:
                    out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
                    out.writeheader()
                    out.writerows(sorted(rows, key=lambda r: r["file"]))
                os.replace(args.csv + ".new", args.csv)
    failed = 0
    by_file = collections.defaultdict(list)
    for r in rows:
        by_file[r["file"]].append(r)
        if r["verdict"] in ("DIFFERS", "slow") or "DIFFERS" in r["compared"]:
            failed += "DIFFERS" in r["verdict"] + r["compared"]
            print("%-6s %s: %s %s: gpube %s, toulbar2 %s (%s)" % (r["to"] or "itself", r["file"], r["verdict"], r["why"],
                                                                 r["gpube"], r["toulbar2"], r["compared"]))
    for name, own in by_file.items():
        if all(r["verdict"] == "refused" for r in own if r["to"]):
            failed += 1
            print("UNREAD %s: %s" % (name, own[-1]["why"]))
    table(rows)
    left = len(paths) + len(done) - len(by_file)
    if left:
        print("%d files are still to be done" % left)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
