#!/usr/bin/env python3
"""Solves the instances whose largest table has 10^FROM to 10^TO cells, on each backend, checks the answers, and splits the time.

usage: benchmarks/large.py DATA [--gpube build/gpube] [--from 7] [--to 10.5] [--backends cuda,cpu,auto] [--only TEXT]
                           [--most-cells 1e11] [--timeout 60] [--repeat 1] --csv OUT.csv

DATA/INDEX.tsv names the instances and their known answers; which answer is expected is said in benchmarks/solve.py. A file
that the index has twice under two names (the same evidence, the same bytes) is run once. An instance whose plan has more than
MOST-CELLS joined cells runs on no CPU. With several repeats the fastest is kept. All seconds are of whole processes, or as the
program splits them.
"""
import argparse
import csv
import hashlib
import json
import os
import sys

import solve

HEAD = ["path", "backend", "ran_on", "verdict", "answer", "width", "log10_joined", "log10_largest", "seconds", "read", "simplify", "order",
        "eliminate", "copy", "contract", "assign", "predicted"]


def known_answers():
    """Answers of instances.txt, where the index's is known to be wrong."""
    with open(os.path.join(solve.HERE, "instances.txt")) as f:
        lines = [line.split("#")[0].split() for line in f]
    return {line[0]: float(line[1]) for line in lines if len(line) > 1}


def verdict_of(row, path, answer, known):
    """(verdict, answer): ok, better, WRONG; "priced" where no answer is known but the assignment's price is as claimed."""
    if answer["status"] == "infeasible":
        return ("ok" if "no solution" in row["tb2_1.1.1_result"] else "unchecked"), "infeasible"
    if answer["status"] != "optimal":
        return answer["status"], answer.get("message", "")
    want = solve.expected(row)
    if row["path"] in known:
        want = (known[row["path"]], known[row["path"]], "instances.txt")
    if row["format"] == "uai":
        got = answer["log10"]
        slack = 1e-6 * float(row["n_functions"] or 1000) + 3e-4
        values = answer["assignment"]
        if abs(solve.log10_of(path, values) - got) > 1e-9 * max(1, abs(got)):
            return "WRONG", got
        if want is None:
            return "priced", got
        return ("ok" if abs(got - want[1]) <= slack else "better" if got > want[1] else "WRONG"), got
    got = float(answer["upper_bound"])
    if want is None:
        return "priced", got
    return ("ok" if abs(got - want[0]) <= 1e-9 * max(1, abs(want[0])) else "WRONG"), got


def run_one(args, path, backend):
    """(whole seconds, the program's JSON) of the fastest run."""
    evid = solve.evidence_of(path)
    cmd = [args.gpube, "solve", "--method", "eliminate", "--json", "--backend", backend, path] + (["--evidence", evid] if evid else [])
    best = None
    for _ in range(args.repeat):
        code, text, err, seconds = solve.run(cmd, args.timeout)
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {"status": "timeout" if code is None else "exit %s" % code, "message": err.strip()[-200:]}
        if best is None or seconds < best[0]:
            best = seconds, answer
        if answer["status"] != "optimal" or seconds > 5:
            break
    return best


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data")
    ap.add_argument("--gpube", default="build/gpube")
    ap.add_argument("--from", dest="least", type=float, default=7)
    ap.add_argument("--to", dest="most", type=float, default=10.5)
    ap.add_argument("--backends", default="cuda,cpu,auto")
    ap.add_argument("--only", default="")
    ap.add_argument("--most-cells", type=float, default=1e11)
    ap.add_argument("--timeout", type=float, default=60)
    ap.add_argument("--repeat", type=int, default=1)
    ap.add_argument("--csv", required=True)
    args = ap.parse_args()
    known, seen, counts = known_answers(), {}, {}
    with open(os.path.join(args.data, "INDEX.tsv"), newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    out = csv.writer(open(args.csv, "w", newline=""))
    out.writerow(HEAD)
    for row in rows:
        path = os.path.join(args.data, row["path"])
        size = row["log10_largest_table"]
        if not size or not args.least <= float(size) <= args.most or args.only not in row["path"]:
            continue
        key = hashlib.sha256()
        for name in (path, solve.evidence_of(path)):
            key.update(b"|" + (open(name, "rb").read() if name else b""))
        if key.digest() in seen:
            print("%-44s the same as %s" % (row["path"], seen[key.digest()]))
            continue
        seen[key.digest()] = row["path"]
        joined = 0
        for backend in args.backends.split(","):
            if backend == "cpu" and joined > args.most_cells:
                continue
            seconds, answer = run_one(args, path, backend)
            verdict, got = verdict_of(row, path, answer, known)
            counts[verdict] = counts.get(verdict, 0) + 1
            plan, times = answer.get("plan", {}), answer.get("times", {})
            joined = plan.get("joined_cells", 0)
            out.writerow([row["path"], backend, answer.get("backend", ""), verdict, got, plan.get("width", ""),
                          *("%.2f" % solve.math.log10(plan[k]) if plan.get(k) else "" for k in ("joined_cells", "largest_message")),
                          "%.3f" % seconds,
                          *(times.get(k, "") for k in ("read", "simplify", "order", "eliminate", "copy", "contract", "assign")),
                          plan.get("predicted_seconds", "")])
            print("%-9s %-44s %-5s %-9s %8.3f s  %s" % (verdict, row["path"], backend, answer.get("backend", ""), seconds, got),
                  flush=True)
    print(", ".join("%d %s" % (n, v) for v, n in sorted(counts.items())))
    return 1 if counts.get("WRONG") else 0


if __name__ == "__main__":
    sys.exit(main())
