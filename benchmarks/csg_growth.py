#!/usr/bin/env python3
"""Time against the number of agents for each method of gpube csg, as raw.csv.

csg_growth.py GPUBE OUT.csv [seconds]  runs uniform int32 games, n rising by one until a solve passes
'seconds' (default 8), each once, on all cores. csg_growth.gp draws it beside the recorded GPU times and
the points that the literature prints (csg_papers.csv).
"""

import csv
import json
import subprocess
import sys

import common

FIRST = {"lp": 16, "conv": 16, "dp": 14, "idp": 14}
LAST = 27  # a table of 2^27 int32 values is 512 MiB


def solve(gpube, method, n):
    words = [gpube, "csg", "--json", "--quiet", "--backend", "cpu", "--generate", "uniform", "-n", str(n),
             "--method", method]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(done.stdout)


def main():
    p = common.options(__doc__)
    p.add_argument("program")
    p.add_argument("out")
    p.add_argument("seconds", type=float, nargs="?", default=8)
    o = p.parse_args()
    values = {}
    with open(o.out, "w", newline="") as f:
        rows = csv.writer(f, lineterminator="\n")
        rows.writerow(["method", "agents", "seconds", "value", "status"])
        for method, first in FIRST.items():
            for n in range(first, LAST + 1):
                r = solve(o.program, method, n)
                rows.writerow([method, n, r["times"]["solve"], r["value"], r["status"]])
                f.flush()
                if r["status"] != "optimal" or values.setdefault(n, r["value"]) != r["value"]:
                    sys.exit(f"{method}, {n} agents: {r['status']}, {r['value']} instead of {values[n]}")
                if r["times"]["solve"] > o.seconds / 3:  # three times as long for the next one
                    break


main()
