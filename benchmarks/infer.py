#!/usr/bin/env python3
"""Partition functions and marginals of the UAI 2014 cases beside their reference answers.

usage: benchmarks/infer.py TASKS [--gpube build/gpube] [--only TEXT] [--cells 1e9] [--seconds 60] [--deadline 600] [--csv FILE]

TASKS has INDEX.tsv, models, evidence and answers. A case whose joined cells pass --cells is planned
and not summed. PR: the difference of log10 Z; MAR: the largest difference of a probability; both agree where
that is at most half a unit of the answer's last digit, which has 6 digits or 12. Seconds are the
processor's; 'wall' has what passed.
"""
import csv
import json
import os
import resource
import subprocess
import sys
import time

from common import options


def numbers_of(path):
    """What follows PR or MAR in a result file, and half a unit of the last digit of the first number."""
    with open(path) as f:
        tokens = f.read().split()[1:]
    mantissa, _, power = tokens[0].lower().partition("e")
    half = 0.5 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
    return [float(t) for t in tokens], half


def run(cmd, seconds):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.time()
    try:
        p = subprocess.run(cmd, capture_output=True, text=True, timeout=2 * seconds + 10)
        out = json.loads(p.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        out = {"status": "error", "message": "no answer"}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return out, used, time.time() - start


def difference(out, task, answer):
    """The largest difference, or why there is none, and whether it is that of rounded answers."""
    want, half = numbers_of(answer)
    if task == "PR":
        got, want = out["log10"], want[0]
        if got is None:
            return "0 here", "no"
        off = abs(got - want)
        return off, "yes" if off <= 1.001 * half + 1e-9 else "no"
    if "marginals" not in out:
        return "0 here", "no"
    flat = [len(out["marginals"])]
    for p in out["marginals"]:
        flat += [len(p)] + p
    if len(flat) != len(want):
        want = want[1:]  # the layout of 2010 counts samples in front
    if len(flat) != len(want):
        return "another shape", "no"
    off = max(abs(a - b) for a, b in zip(flat, want))
    return off, "yes" if off <= 0.501e-6 else "no"


def main():
    o = options(__doc__, "data", "--gpube", "--only", "--csv", "--deadline", cells=1e9, seconds=60.0).parse_args()
    end = time.time() + o.deadline
    rows, worst = [], {"PR": 0.0, "MAR": 0.0}
    with open(os.path.join(o.data, "INDEX.tsv")) as f:
        cases = [c for c in csv.DictReader(f, delimiter="\t") if c["task"] in worst and o.only in c["case"]]
    for c in sorted(cases, key=lambda c: int(c["bytes"])):
        if time.time() > end:
            break
        case = os.path.join(o.data, c["case"])
        evidence = case + ".evid" if c["evidence"] == "yes" else "none"
        cmd = [o.gpube, "infer", "-q", "--json", "--task", c["task"], "--evidence", evidence,
               os.path.join(o.data, c["model"])]
        # what does not fit this is refused with the plan; unpacking takes some 64M
        plan, used, wall = run(cmd + ["--memory", "96M", "--timeout", "%gs" % o.seconds], o.seconds)
        cells = plan.get("plan", {}).get("joined_cells") or 0
        if plan["status"] == "error" and 0 < cells <= o.cells:
            plan, used, wall = run(cmd + ["--timeout", "%gs" % o.seconds], o.seconds)
        row = {"case": c["case"], "joined_cells": "%.3g" % cells, "cpu_s": "%.2f" % used, "wall_s": "%.2f" % wall,
               "status": plan["status"], "log10": plan.get("log10", ""), "bound": plan.get("relative_error", ""),
               "difference": "", "agrees": ""}
        if plan["status"] == "error":
            row["status"] = "larger" if cells > o.cells else plan["message"][:60]
        else:
            row["difference"], row["agrees"] = difference(plan, c["task"], case + "." + c["task"])
            if isinstance(row["difference"], float):
                worst[c["task"]] = max(worst[c["task"]], row["difference"])
        rows.append(row)
        print("{case:40} {joined_cells:>9} {status:8} {cpu_s:>8} s  {difference} {agrees}".format(**row), flush=True)
    exact = [r for r in rows if r["status"] in ("exact", "impossible")]
    print("%d cases, %d exact, %d agree, %.1f s of processor time; largest difference PR %.2g, MAR %.2g" % (
        len(rows), len(exact), sum(r["agrees"] == "yes" for r in exact), sum(float(r["cpu_s"]) for r in exact), worst["PR"], worst["MAR"]))
    if o.csv:
        with open(o.csv, "w", newline="") as f:
            w = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
            w.writeheader()
            w.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
