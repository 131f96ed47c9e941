#!/usr/bin/env python3
"""Bounds of partition functions at every second, of the UAI 2014 cases that have no exact answer by then.

usage: benchmarks/infer_seconds.py TASKS [--gpube build/gpube] [--only TEXT] [--seconds 60] [--csv FILE] [--deadline 3600]

Reads the notes of 'gpube infer' as they come. At each second the last bounds that were told are to contain the reference answer, and
no bound is to be worse than one before. A line a case: when there was a first bound of each kind, whether all contain the answer, and the
gaps after 1, 10 and --seconds seconds.
"""
import csv
import os
import re
import subprocess
import sys
import time

from common import options
from infer import numbers_of

BOUNDS = re.compile(r" s: (?:upper bound 10\^([^ ,]+))?(?:, )?(?:lower bound 10\^([^ ,]+))? \(")


def watch(cmd, seconds):
    start = time.time()
    p = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    told = []
    for line in p.stderr:
        m = BOUNDS.search(line)
        if m:
            told.append((time.time() - start, float(m.group(2) or "-inf"), float(m.group(1) or "inf")))
    out = p.stdout.read()
    p.wait()
    m = re.search(r"^log10 Z +(?:from (\S+) to|at most) (\S+): proved", out, re.M)
    exact = re.search(r"^log10 Z +(\S+), the sum", out, re.M)
    if m:
        told.append((time.time() - start, float(m.group(1) or "-inf"), float(m.group(2).rstrip(":"))))
    return told, float(exact.group(1)) if exact else None, time.time() - start


def at(told, second):
    best = (float("-inf"), float("inf"))
    for when, lower, upper in told:
        if when <= second:
            best = lower, upper
    return best


def main():
    o = options(__doc__, "data", "--gpube", "--only", "--csv", "--deadline", seconds=60.0).parse_args()
    end, rows = time.time() + o.deadline, []
    with open(os.path.join(o.data, "INDEX.tsv")) as f:
        cases = [c for c in csv.DictReader(f, delimiter="\t") if c["task"] == "PR" and any(t in c["case"] for t in o.only.split(","))]
    for c in sorted(cases, key=lambda c: int(c["bytes"])):
        if time.time() > end:
            break
        case, model = os.path.join(o.data, c["case"]), os.path.join(o.data, c["model"])
        cmd = [o.gpube, "infer", "-v", "--task", "PR", "--evidence", case + ".evid" if c["evidence"] == "yes" else "none", "--timeout", "%gs" % o.seconds, model]
        told, exact, wall = watch(cmd, o.seconds)
        want, half = numbers_of(case + ".PR")
        inside = all(at(told, s)[0] - 2 * half - 1e-9 <= want[0] <= at(told, s)[1] + 2 * half + 1e-9 for s in range(1, int(o.seconds) + 1))
        better = all(b[1] >= a[1] - 1e-8 * abs(a[1]) and b[2] <= a[2] + 1e-8 * abs(a[2]) for a, b in zip(told, told[1:]))
        gaps = [at(told, s)[1] - at(told, s)[0] for s in (1, 10, o.seconds + 5)]
        rows.append({"case": c["case"], "status": "exact" if exact is not None else "bounds", "wall_s": "%.2f" % wall, "notes": len(told),
                     "inside": "yes" if inside else "no", "better": "yes" if better else "no",
                     "gap_1": "%.4g" % gaps[0], "gap_10": "%.4g" % gaps[1], "gap_end": "0" if exact is not None else "%.4g" % gaps[2]})
        print(*rows[-1].values(), flush=True)
    if o.csv:
        with open(o.csv, "w", newline="") as f:
            w = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
            w.writeheader()
            w.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
