#!/usr/bin/env python3
"""How gpube-mpi grows with its ranks, as a CSV and a table.

ranks.py FILE ... --ranks 1,2,4,8,16 --csv raw.csv  runs each file with so many ranks of one thread: .uai by infer --task PR
with --infer, all by solve otherwise. 'longest' is the processor's seconds of the rank that took most, which on a quiet host
is about the time; 'all' those of all ranks. The answers of all runs of a file have to agree, or the script ends with 1.
Beside other work only 'longest' and 'all' mean something, and --bind says how mpirun binds (none, core).
"""
import json
import os
import re
import resource
import subprocess
import sys
import time

import common

ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def children_seconds():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def run(o, file, n):
    words = ["mpirun", "--bind-to", o.bind, "-n", str(n), o.program, "infer" if o.infer else "solve", "-v", "--json",
             "--threads", "1", "--timeout", str(o.timeout), file]
    before, start = children_seconds(), time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **ENVIRONMENT}, check=False)
    wall, used = time.monotonic() - start, children_seconds() - before
    answer = json.loads(done.stdout)
    each = [float(x) for x in re.findall(r"rank \d+: ([0-9.]+) processor seconds", done.stderr)]
    shared = re.search(r"and (\d+) subproblems on|\"slices\": (\d+)", done.stderr + done.stdout)
    return {"file": os.path.basename(file), "ranks": n, "status": answer["status"],
            "lower": answer.get("log10_lower" if o.infer else "lower_bound"),
            "upper": answer.get("log10_upper" if o.infer else "upper_bound"),
            "log10": answer.get("log10") if o.infer else None,
            "shares": (shared.group(1) or shared.group(2)) if shared else 0, "wall": round(wall, 2),
            "longest": max(each) if each else round(used, 2), "all": sum(each) if each else round(used, 2)}


def contradict(rows, o):
    """Whether two runs cannot both be right; sums that are known have the same digits."""
    if o.infer:
        return len({r["log10"] for r in rows if r["status"] == "exact"}) > 1
    lower = [float(r["lower"]) for r in rows if r["lower"] is not None]
    upper = [float(r["upper"]) for r in rows if r["upper"] is not None]
    infeasible = {r["status"] == "infeasible" for r in rows if r["status"] != "bounds"}
    return (lower and upper and max(lower) > min(upper)) or len(infeasible) > 1


def main():
    p = common.options(__doc__, "--csv", ranks="1,2", timeout=300.0, infer=False, bind="none", program="build/gpube-mpi")
    p.add_argument("files", nargs="+")
    o = p.parse_args()
    rows, wrong = [], False
    print("| file | ranks | status | parts or slices | wall s | longest s | all s |\n|---|---|---|---|---|---|---|")
    for file in o.files:
        of_file = []
        for n in map(int, o.ranks.split(",")):
            of_file.append(r := run(o, file, n))
            print("|", " | ".join(str(r[k]) for k in ("file", "ranks", "status", "shares", "wall", "longest", "all")), "|", flush=True)
        rows += of_file
        if contradict(of_file, o):
            wrong = True
            print(f"{file}: the answers contradict each other", file=sys.stderr)
        if o.csv:
            common.write_rows(o.csv, rows)
    sys.exit(wrong)


main()
