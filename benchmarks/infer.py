#!/usr/bin/env python3
"""Partition functions, marginals and marginal MAP of the UAI 2014 cases beside their reference answers.

usage: benchmarks/infer.py TASKS [--gpube build/gpube] [--only TEXT] [--tasks PR,MAR,MMAP] [--seconds 60] [--deadline 600] [--csv FILE]
           [--options "--threads 2"] [--jobs 1] [--alone 0]

TASKS has INDEX.tsv, models, evidence, queries and answers. PR: the difference of log10 Z; MAR: the largest difference
of a probability; both agree where that is at most half a unit of the answer's last digit, which has 6 digits or 12. What is not
exact after --seconds has bounds, which agree where they contain the answer. MMAP: log10 of our assignment's sum less that of the
reference assignment, which is summed with it as evidence; they agree where our upper bound is not below it. Seconds are the
processor's; 'wall' has what passed. 'unnormed' is the most by which the marginals of a variable miss 1. --jobs cases are run at a time, each
with --options; the first --alone ones of INDEX.tsv one after the other before them, with all threads.
"""
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

from common import options, write_rows


def numbers_of(path):
    """What follows PR or MAR in a result file, and half a unit of the last digit of the first number."""
    with open(path) as f:
        tokens = f.read().split()[1:]
    mantissa, _, power = tokens[0].lower().partition("e")
    half = 0.5 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
    return [float(t) for t in tokens], half


def run(cmd, seconds):
    """The answer, its processor seconds and those that passed; other commands may run beside."""
    start = time.time()
    with tempfile.TemporaryFile() as f:
        p = subprocess.Popen(cmd, stdout=f, stderr=subprocess.DEVNULL)
        watch = threading.Timer(2 * seconds + 10, p.kill)
        watch.start()
        _, _, usage = os.wait4(p.pid, 0)
        wall = time.time() - start
        watch.cancel()
        f.seek(0)
        try:
            out = json.load(f)
        except json.JSONDecodeError:
            out = {"status": "error", "message": "no answer"}
    return out, usage.ru_utime + usage.ru_stime, wall


def inside(out, answer):
    want, half = numbers_of(answer)
    lower = out["log10_lower"] if out["log10_lower"] is not None else -float("inf")
    return "yes" if lower - 2 * half <= want[0] <= out["log10_upper"] + 2 * half else "no"


def compare_mmap(out, o, c, model, evidence, answer):
    """The reference assignment's sum, by evidence; its values are in the order of the variables."""
    with open(answer) as f:
        values = f.read().split()[2:]
    pairs = [] if evidence == "none" else open(evidence).read().split()[1:]
    with tempfile.NamedTemporaryFile("w", suffix=".evid") as f:
        pairs += [t for pair in zip(map(str, sorted(out["query"])), values) for t in pair]
        f.write("%d %s\n" % (len(pairs) // 2, " ".join(pairs)))
        f.flush()
        theirs, _, _ = run([o.gpube, "infer", "-q", "--json", "--evidence", f.name, "--timeout", "%gs" % o.seconds, model], o.seconds)
    if theirs.get("log10") is None or out["log10"] is None:
        return "", ""
    return out["log10"] - theirs["log10"], "yes" if theirs["log10"] <= out["log10_upper"] + 1e-9 else "no"


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


def unnormed(marginals):
    return max((abs(sum(p) - 1) for p in marginals), default=0.0)


def measure(o, c, alone):
    case, model = os.path.join(o.data, c["case"]), os.path.join(o.data, c["model"])
    evidence = case + ".evid" if c["evidence"] == "yes" else "none"
    answer = case + "." + c["task"]
    cmd = [o.gpube, "infer", "-q", "--json", "--task", c["task"], "--evidence", evidence, "--timeout", "%gs" % o.seconds]
    if c["task"] == "MMAP":
        cmd += ["--query", case + ".query"]
    out, used, wall = run(cmd + ([] if alone else o.options.split()) + [model], o.seconds)
    times = out.get("times", {})
    row = {"case": c["case"], "joined_cells": "%.3g" % (out.get("plan", {}).get("joined_cells") or 0), "cpu_s": "%.2f" % used,
           "wall_s": "%.2f" % wall, "order_s": "%.2f" % (times.get("order") or 0), "sum_s": "%.3f" % (times.get("sum") or 0),
           "backend": out.get("backend", ""), "status": out["status"], "log10": out.get("log10", ""), "lower": out.get("log10_lower", ""),
           "upper": out.get("log10_upper", ""), "difference": "", "agrees": "",
           "unnormed": "%.1e" % unnormed(out["marginals"]) if "marginals" in out else ""}
    if not os.path.exists(answer):
        pass
    elif c["task"] == "MMAP" and out["status"] in ("optimal", "bounds"):
        row["difference"], row["agrees"] = compare_mmap(out, o, c, model, evidence, answer)
    elif out["status"] == "bounds" and c["task"] == "PR":
        row["agrees"] = inside(out, answer)
    elif out["status"] in ("exact", "impossible") and c["task"] != "MMAP":
        row["difference"], row["agrees"] = difference(out, c["task"], answer)
    print("{case:40} {joined_cells:>9} {status:8} {cpu_s:>8} s {wall_s:>7} s  {difference} {agrees}".format(**row), flush=True)
    return row


def main():
    o = options(__doc__, "data", "--gpube", "--only", "--csv", "--deadline", seconds=60.0, tasks="PR,MAR,MMAP", options="", jobs=1, alone=0).parse_args()
    end = time.time() + o.deadline
    worst = {task: 0.0 for task in o.tasks.split(",")}
    with open(os.path.join(o.data, "INDEX.tsv")) as f:
        cases = [c for c in csv.DictReader(f, delimiter="\t") if c["task"] in worst and o.only in c["case"]]
    rows = [measure(o, c, True) for c in cases[:o.alone] if time.time() < end]
    cases = sorted(cases[o.alone:], key=lambda c: int(c["bytes"]))
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        rows += [r for r in pool.map(lambda c: measure(o, c, False) if time.time() < end else None, cases) if r]
    for row in rows:
        task = row["case"].split("/")[0]
        if isinstance(row["difference"], float) and task != "MMAP":
            worst[task] = max(worst[task], row["difference"])
    for task in worst:
        some = [r for r in rows if r["case"].startswith(task + "/")]
        exact = [r for r in some if r["status"] in ("exact", "optimal", "impossible")]
        gaps = sorted(r["upper"] - r["lower"] if isinstance(r["lower"], float) else float("inf")
                      for r in some if r["status"] == "bounds" and isinstance(r["upper"], float))
        print("%s: %d cases, %d exact, %d agree; %d bounds, %d agree, median gap %s; %.1f s of processor time; largest difference %.2g" % (
            task, len(some), len(exact), sum(r["agrees"] == "yes" for r in exact), len(gaps),
            sum(r["agrees"] == "yes" for r in some if r["status"] == "bounds"), "%.3g" % gaps[len(gaps) // 2] if gaps else "-",
            sum(float(r["cpu_s"]) for r in some), worst[task]))
        if task == "MAR":
            print("MAR: marginals of a variable miss 1 by %s at most" % max((r["unnormed"] for r in some if r["unnormed"]), key=float, default="-"))
    if o.csv:
        write_rows(o.csv, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
