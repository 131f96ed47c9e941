#!/usr/bin/env python3
"""Processor seconds of marginals beside those of partition functions along the same order, of the UAI 2014 MAR cases.

usage: benchmarks/infer_ratio.py TASKS [--gpube build/gpube] [--only TEXT] [--csv FILE] [--deadline 600]

Each model's order is min-fill's, as 'gpube info --write-order' has it; one thread; the sums alone: what reading takes is
subtracted, from a run of PR and MAR each that is the fastest of three. Cases whose PR takes less than 50 ms are left out.
"""
import csv
import os
import resource
import subprocess
import sys
import tempfile
import time

from common import options


def used(cmd):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run(cmd, capture_output=True, text=True, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return p.returncode, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def main():
    o = options(__doc__, "data", "--gpube", "--only", "--csv", "--deadline", seconds=60.0).parse_args()
    end = time.time() + o.deadline
    rows = []
    with open(os.path.join(o.data, "INDEX.tsv")) as f:
        cases = [c for c in csv.DictReader(f, delimiter="\t") if c["task"] == "MAR" and o.only in c["case"]]
    for c in sorted(cases, key=lambda c: int(c["bytes"])):
        if time.time() > end:
            break
        case, model = os.path.join(o.data, c["case"]), os.path.join(o.data, c["model"])
        evidence = case + ".evid" if c["evidence"] == "yes" else "none"
        best = {}
        with tempfile.NamedTemporaryFile(suffix=".order") as order:
            subprocess.run([o.gpube, "info", "-q", "--order", "min-fill", "--write-order", order.name, "--evidence", "none", model], capture_output=True)
            for task in ["PR", "MAR"] * 3:
                cmd = [o.gpube, "infer", "-q", "-t", task, "--threads", "1", "--order-file", order.name, "--evidence", evidence, "--timeout", "60s", model]
                rc, user, system = used(cmd)
                if rc == 0 and user + system < sum(best.get(task, (1e9, 0))):
                    best[task] = user, system
                if rc or sum(best[task]) < 0.05:
                    break
        if len(best) == 2 and sum(best["PR"]) >= 0.05:
            pr, mar = best["PR"], best["MAR"]
            rows.append([c["case"], "%.3f" % pr[0], "%.3f" % pr[1], "%.3f" % mar[0], "%.3f" % mar[1], "%.2f" % (mar[0] / pr[0]), "%.2f" % (sum(mar) / sum(pr))])
            print(*rows[-1], flush=True)
    if o.csv:
        with open(o.csv, "w", newline="") as f:
            w = csv.writer(f, lineterminator="\n")
            w.writerow(["case", "pr_user_s", "pr_system_s", "mar_user_s", "mar_system_s", "times_user", "times"])
            w.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
