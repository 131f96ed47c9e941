#!/usr/bin/env python3
"""The shares of `gpube solve`'s schedule: records what each method does alone, replays a schedule on that, and fits the shares.

usage: benchmarks/schedule.py record DATA --csv traces.csv [--gpube build/gpube] [--timeout 8] [--only TEXT,TEXT] [--jobs N] [--begin 3]
                                            [--ways auto,tree,…]
       benchmarks/schedule.py replay traces.csv [--shares gpube/bound/schedule/shares.c]
       benchmarks/schedule.py fit traces.csv [--shares gpube/bound/schedule/shares.c] [--pull 0.1]

record: runs the schedule, and each method by itself for up to four times as long and --begin seconds, in which it has orders and
assignments (by the clock: more where others use the machine), once on every instance that solve.py has of DATA and
whose path has one of the TEXTs in it, N of them side by side, each on a core of its own. A line of the CSV is what one method did in
one run: its bounds by ticks of its own work as tick:lower:upper (of a maximum with changed signs), the predicted end of elimination by
the work of order search as tick:ticks, and what is left of a search tree likewise. What is in the CSV already is not run again. --ways: the
methods to run, with auto among them; GPUBE_LAPACK=none takes the semidefinite relaxation out of the schedule's own runs. Methods
that cannot be asked for alone (sat, arc, deepening) have the turns that they got from the schedule. A CSV compressed as .xz is read, too.

replay: the rounds of gpube/bound/schedule/schedule.c on these traces. The best bounds are shared, and elimination and the search tree
predict their ends as they did; an elimination that the limit stopped is taken to end as predicted. Nothing else passes between methods: a trace goes on as it was recorded, with the assignments and the
order that it had alone, and without what reparametrised tables or the bounds of others would spare or cost it. After its end a trace
that was stopped by the limit changes nothing more. best: what the first order and the best method alone take.

fit: integers in hundredths of a round by class of model, at least 1 where a method works by its share, by coordinate descent on the
geometric mean of how many times the best the schedule takes, where both count as 10^7 ticks at least; its logarithm may grow by
--pull for the distance to the given shares (their relative entropy), so that a few files do not take everything from the others. Shares
of methods that cannot be asked for alone, and of those without a trace in a class, stay. The table has that number with
the given shares, with those fitted on all files, with those fitted on the files of all other families, and with shares fitted to each
file alone: what is left there no shares can gain. A family is the first
folder of the path, below derived/ the next one; below modelled/, or without a folder, the letters that the name begins with.
"""
import argparse
import csv
import json
import math
import multiprocessing
import os
import re
import subprocess
import sys
import time

from common import options
from schedule_replay import MOST_TICKS, SCHEDULE, Replay, read_models, read_rows, read_shares
from solve import evidence_of, instances

FIELDS = ["path", "way", "method", "class", "variables", "cells", "domain", "arity", "status", "ticks", "seconds", "points"]
WAYS = {"auto": None, "eliminate": "eliminate", "tree": "tree", "pairwise": "pairwise", "andor": "andor", "ascent": "joins",
        "mbe": "mbe", "semidefinite": "semidefinite", "linear": "linear"}
MOST_POINTS = 40
TIMES = 4

# ---- record

IMPROVED = re.compile(r"[\d.]+ s: (lower|upper) bound ([^ ,]+)(?:, (?:lower|upper) bound ([^ ,]+))?(?:, gap [^(]*)? \(")
WORKED = re.compile(r"ticks of work so far: (\S+)")
TURN = re.compile(r"round \d+: ([a-z]+) \([a-z]+\), (\S+)(?: of \S+)? ticks, (\S+) s, (?:lower .*, )?gap \S+ to ([^\s,]+)(, done|, failed)?")
ORDER = re.compile(r"class ([a-z ]+), order of width \d+, about (\S+) ticks of elimination")
LEFT = re.compile(r"search tree: .* (\S+) s left")
ELIMINATED = re.compile(r"^ticks of elimination: (\S+)", re.M)
PLANNED = re.compile(r"^plan: (\d+)-bit costs", re.M)
SIMPLIFIED = re.compile(r"^simplified to (\d+) variables?, (\d+) functions?", re.M)


class Recorded:
    """What a method did in a run, all its turns one after the other."""

    def __init__(self):
        self.ticks, self.seconds, self.points, self.left, self.status = 0.0, 0.0, [], [], "open"


def bounds_of(m):
    """(lower, upper or None) of a line that tells both."""
    sign = 1 if m[1] == "lower" else -1
    return sign * float(m[2]), sign * float(m[3]) if m[3] else None


def turns_of(lines):
    """(class, {method: Recorded}) of what -v tells."""
    found, told, start, kind, predicted, left, bounds = {}, [], 0.0, "", None, None, None
    for line in lines:
        if m := IMPROVED.match(line):
            bounds = bounds_of(m)
        elif (m := WORKED.match(line)) and bounds:
            told.append((float(m[1]), *bounds))
        elif m := ORDER.match(line):
            kind, predicted = kind or m[1], float(m[2])
        elif m := LEFT.match(line):
            left = 1e9 * float(m[1])
        elif m := TURN.match(line):
            r, ticks = found.setdefault(m[1], Recorded()), float(m[2])
            if m[1] != "order":
                r.points += [(r.ticks + min(max(at - start, 0), ticks), *b) for at, *b in told]
            r.ticks, r.seconds, told, start = r.ticks + ticks, r.seconds + float(m[3]), [], start + ticks
            r.status = "proved" if m[4] != "-" and float(m[4]) == 0 else {", done": "done", ", failed": "open"}.get(m[5], "open")
            if m[1] == "order" and predicted:
                r.points.append((r.ticks, predicted))
            if m[1] == "tree":
                r.left.append((r.ticks, left))
    return kind, found


def thin(points):
    """At most MOST_POINTS of them, the last one among them."""
    step = max(1, math.ceil(len(points) / MOST_POINTS))
    return points[::-1][::step][::-1]


def text_of(points):
    return " ".join(":".join("" if x is None else "%.10g" % x for x in p) for p in thin(points))


def by_elimination(r, d, lines):
    """The prediction of features.c for the order that it had, and the ticks that it took."""
    text, plan = "\n".join(lines), d.get("plan", {})
    bits, ticks, size = PLANNED.search(text), ELIMINATED.findall(text), SIMPLIFIED.search(text)
    r.points, r.ticks = [], float(ticks[-1]) if ticks else r.ticks
    if bits and size and plan.get("joined_cells"):
        n_in = 1 + (int(size[2]) - 1) / max(1, int(size[1]))
        r.points = [(0, plan["joined_cells"] * (0.2 + 0.1 * n_in) * int(bits[1]) / 16 + 1e4 * int(size[1]))]


def run(args, path, way):
    """(what --json says, the lines of -v)"""
    cmd = [args.gpube, "solve", path, "--json", "-v", "--threads", "1", "--backend", "cpu", "--memory", "4G", "--timeout", "%gs" % args.timeout]
    evid = evidence_of(path)
    cmd += (["--evidence", evid] if evid else []) + (["--method", way] if way != "auto" else [])
    try:
        p = subprocess.run(cmd, capture_output=True, text=True, timeout=args.timeout + 20)
        out, err = p.stdout, p.stderr
    except subprocess.TimeoutExpired:
        out = err = ""
    try:
        d = json.loads(out)
    except ValueError:
        d = {"status": "killed"}
    return d, [line[len("gpube: "):] for line in err.splitlines() if line.startswith("gpube: ")]


def rows_of(args, path, way):
    """(class, the rows of one run)"""
    d, lines = run(args, path, way)
    kind, found = turns_of(lines)
    whole = Recorded()
    whole.ticks, whole.seconds = sum(r.ticks for r in found.values()), sum(r.seconds for r in found.values())
    whole.status = "proved" if d["status"] in ("optimal", "infeasible") else d["status"]
    last = list(found)[-1:] if way == "auto" else [WAYS[way]]
    for m in last:
        r = found.setdefault(m, Recorded())
        gave = way != "auto" and (any("given up" in x for x in lines) or d["status"] == "error")
        r.status = "gave way" if gave else "proved" if whole.status == "proved" and way != "eliminate" else r.status
    if way == "eliminate":
        by_elimination(found[way], d, lines)
    if way == "auto":
        if "tree" in found:
            found["tree"].points, found["tree"].status = found["tree"].left, "left"
        found["auto"], keep = whole, ("auto", "order", "search", "sat", "arc", "deepening", "tree")
    else:
        keep = (WAYS[way],) + (("order", "search") if way == "tree" else ())
    return kind, [{"way": way, "method": m, "status": found[m].status, "ticks": "%.6g" % found[m].ticks, "seconds": "%.4f" % found[m].seconds,
                   "points": text_of(found[m].points)} for m in keep if m in found]


def model_of(args, path):
    """Variables, cells, geometric mean of the domains and mean arity of functions of several variables, as the file has them."""
    d = json.loads(subprocess.run([args.gpube, "info", "--json", path], capture_output=True, text=True, check=True).stdout)
    n, several = max(1, d["variables"]), {int(a): k for a, k in d["arities"].items() if int(a) > 1}
    return {"variables": d["variables"], "cells": d["cells"],
            "domain": "%.4g" % math.exp(sum(k * math.log(max(1, int(s))) for s, k in d["domains"].items()) / n),
            "arity": "%.3g" % (sum(a * k for a, k in several.items()) / max(1, sum(several.values())))}


def paths_of(args):
    """The files that solve.py has and --only names, those that are there."""
    texts = args.only.split(",")
    return [r["path"] for r in instances(args.data, "") if any(t in r["path"] for t in texts)]


def limit_of(args, auto):
    """Seconds of a method by itself: what it begins with, orders and assignments, and some times what the schedule takes."""
    return args.timeout if auto["status"] != "proved" else min(args.timeout, args.begin + TIMES * float(auto["seconds"]))


def record_file(job):
    """What is to be appended for a file: its own rows may be there already, in part."""
    args, name, done, end = job
    path, rows, limit = os.path.join(args.data, name), [], args.timeout
    for way in args.ways.split(","):
        if time.monotonic() < end and way not in done:
            kind, new = rows_of(argparse.Namespace(**{**vars(args), "timeout": limit}), path, way)
            rows += [{"path": name, "class": kind, **r} for r in new]
        if way == "auto":
            limit = limit_of(args, next((r for r in rows + done.get(way, []) if r["method"] == "auto"), {"status": "open"}))
    return [{**r, **m} for m in [model_of(args, path) if rows else {}] for r in rows]


def record(args):
    done, end = {}, time.monotonic() + args.deadline
    for r in read_rows(args.csv) if os.path.exists(args.csv) else []:
        done.setdefault(r["path"], {}).setdefault(r["way"], []).append(r)
    cores = multiprocessing.SimpleQueue()
    for core in sorted(os.sched_getaffinity(0))[:args.jobs]:
        cores.put(core)
    jobs = [(args, name, done.get(name, {}), end) for name in paths_of(args)]
    with open(args.csv, "a", newline="") as f, multiprocessing.Pool(args.jobs, lambda: os.sched_setaffinity(0, {cores.get()})) as pool:
        out = csv.DictWriter(f, FIELDS, lineterminator="\n")
        if not done:
            out.writeheader()
        for rows in pool.imap_unordered(record_file, jobs):
            out.writerows(rows)
            f.flush()
            for r in rows:
                if r["method"] in ("auto", WAYS[r["way"]]):
                    print("%-40s %-10s %-10s %8s s" % (r["path"], r["way"], r["status"], r["seconds"]), flush=True)


# ---- replay


def replay(args):
    shares, sums, ratios, missed, nobody = read_shares(args.shares), [0, 0], [], [], []
    print("%-42s %-10s %10s %10s %-10s %6s %10s" % ("file", "class", "schedule", "best", "", "ratio", "solve"))
    for m in read_models(args.data):
        ticks, (best, by) = Replay(m, shares[m.kind]).run(), m.best()
        auto = "%.3g" % m.auto.ticks if m.auto and m.auto.status == "proved" else "-"
        print("%-42s %-10s %10.7g %10.7g %-10s %6.2f %10s" % (m.path, m.kind, ticks, best, by, ticks / best if best < math.inf else math.nan, auto))
        if best == math.inf:
            nobody.append(m.path)
        elif ticks == math.inf:
            missed.append(m.path)
        else:
            sums, ratios = [sums[0] + ticks, sums[1] + best], ratios + [ratio(m, shares[m.kind])]
    print("\nsums %.4g %.4g, %d files; geometric mean of the ratios, 10^7 ticks at least: %.3f" % (*sums, len(ratios), mean(ratios)))
    print("not proved, but by a method alone:", ", ".join(missed) or "none")
    print("not proved by any method alone:", ", ".join(nobody) or "none")


# ---- fit

# Those that work by prediction, and those of whose traces there is only what the schedule gave them.
FIXED = ("arc", "eliminate", "sat", "deepening")
# What counts as nothing: 10 ms.
LEAST_TICKS = 1e7


def ratio(m, shares):
    return max(Replay(m, shares).run(), LEAST_TICKS) / max(m.best()[0], LEAST_TICKS)


def mean(ratios):
    """Geometric; what is not proved counts as MOST_TICKS would."""
    return math.exp(sum(math.log(min(r, MOST_TICKS / LEAST_TICKS)) for r in ratios) / len(ratios)) if ratios else math.nan


def scaled(shares, free):
    """Integers that add up to 100, those of free at least 1, others as they are."""
    rest = 100 - sum(v for k, v in shares.items() if k not in free)
    total = sum(shares[k] for k in free)
    new = {k: max(1, round(shares[k] * rest / total)) if k in free else v for k, v in shares.items()}
    most = max(free, key=lambda k: new[k])
    new[most] += 100 - sum(new.values())
    return new


def loss(models, shares, start, free, pull):
    """What is minimised: the logarithm of the mean, and how far the shares are from those that are there."""
    away = sum(shares[k] * math.log(shares[k] / max(1, start[k])) for k in free) / 100
    return math.log(mean([ratio(m, shares) for m in models])) + pull * away


def fit_class(models, start, pull):
    """Coordinate descent from given shares; files that these end at once have no say."""
    models = [m for m in models if ratio(m, start) > 1]
    free = [k for k in start if k not in FIXED and any(k in m.trace for m in models)]
    if not models or not free:
        return start
    shares, better = scaled(start, free), True
    value = loss(models, shares, start, free, pull)
    while better:
        better = False
        for k in free:
            for factor in (0.5, 0.8, 1.25, 2):
                tried = scaled({**shares, k: max(1, shares[k] * factor)}, free)
                v = loss(models, tried, start, free, pull) if tried != shares else value
                if v < value - 1e-3:
                    shares, value, better = tried, v, True
    return shares


def fit(args):
    given, models = read_shares(args.shares), [m for m in read_models(args.data) if m.best()[0] < math.inf]
    by_class = {kind: [m for m in models if m.kind == kind] for kind in given}
    fitted = {kind: fit_class(by_class[kind], given[kind], args.pull) for kind in given}
    rows = []
    print("| family left out | files | given shares | fitted on all | on the others | on each file alone |\n|---|---|---|---|---|---|")
    for family in sorted({m.family for m in models}):
        mine, row = [m for m in models if m.family == family], [[], [], [], []]
        for kind in sorted({m.kind for m in mine}):
            others = fit_class([m for m in by_class[kind] if m.family != family], given[kind], args.pull)
            for k, shares in enumerate((given[kind], fitted[kind], others)):
                row[k] += [ratio(m, shares) for m in mine if m.kind == kind]
        row[3] = [ratio(m, fit_class([m], given[m.kind], 0)) for m in mine]
        rows.append(row)
        print("| %s | %d | %s |" % (family, len(mine), " | ".join("%.2f" % mean(r) for r in row)), flush=True)
    print("| all | %d | %s |\n" % (len(models), " | ".join("%.2f" % mean(sum((r[k] for r in rows), [])) for k in range(4))))
    print("\t/* %s */" % " ".join(next(iter(fitted.values()))))
    for kind, shares in fitted.items():
        print("\t[GPUBE__CLASS_%s] = {%s}," % (kind.upper().replace(" ", "_"), ", ".join(map(str, shares.values()))))


def main():
    verbs = {"record": record, "replay": replay, "fit": fit}
    if len(sys.argv) < 2 or sys.argv[1] not in verbs and sys.argv[1] not in ("-h", "--help"):
        sys.exit("usage: benchmarks/schedule.py record|replay|fit …; see --help")
    ap = options(__doc__, "data", "--gpube", "--only", "--csv", "--deadline", timeout=8.0, jobs=1, begin=3.0, pull=0.1, ways=",".join(WAYS), shares=os.path.join(SCHEDULE, "shares.c"))
    args = ap.parse_args(sys.argv[2:] if sys.argv[1] in verbs else sys.argv[1:])
    if not args.data or sys.argv[1] == "record" and not args.csv:
        ap.error("a file or folder is needed, and --csv to record")
    verbs[sys.argv[1]](args)


if __name__ == "__main__":
    main()
