#!/usr/bin/env python3
"""Plain mini-buckets over z, as the GpuBE paper's tables 6 to 10 have them (Fioretto et al. 2018), beside its bound at its largest z.

usage: benchmarks/mbe_tables.py DATA [--gpube build/gpube] [--memory 6G] [--seconds 60] [--only TEXT] [--csv OUT.csv] [--args "…"]

One run of gpube bound --method mbe per instance and z, from 2 on until the tables pass --memory, a run takes more than
--seconds, or no bucket is split any more (the bound no longer grows and is the optimum). --args "--no-match --partition
first" is the paper's own algorithm; without, buckets are split by scope and matched. The seconds are processor seconds of the
whole process, the order with min-fill included. The paper prints no z.
"""
import argparse
import csv
import json
import os
import resource
import shlex
import subprocess
import sys

# the bound that the paper's tables give at z_max
INSTANCES = (("derived/coloring/queen5_5_3.wcsp", 25), ("derived/coloring/queen5_5_4.wcsp", 5),
             ("derived/coloring/myciel5g_4.wcsp", 0), ("derived/coloring/GEOM40_4.wcsp", 3),
             ("derived/coloring/GEOM30a_4.wcsp", 4), ("derived/coloring/le450_5a_2.wcsp.xz", 878),
             ("derived/coloring/le450_5a_3.wcsp.xz", 58), ("derived/spot5/1502.wcsp.xz", 28042),
             ("derived/spot5/54.wcsp", 37), ("derived/spot5/29.wcsp.xz", 8059), ("spot5/404.wcsp.xz", 114),
             ("derived/spot5/42.wcsp.xz", 133050), ("spot5/505.wcsp.xz", 15211), ("derived/spot5/5.wcsp.xz", 106),
             ("derived/spot5/412.wcsp.xz", 11258), ("derived/spot5/507.wcsp.xz", 10226),
             ("derived/spot5/1506.wcsp.xz", 88235), ("derived/spot5/28.wcsp.xz", 88105),
             ("derived/spot5/509.wcsp.xz", 6157), ("derived/spot5/414.wcsp.xz", 6141),
             ("derived/spot5/1401.wcsp.xz", 87071), ("derived/spot5/1405.wcsp.xz", 84177),
             ("linkage/oconnell.wcsp", 1))


def run(args, path, z):
    """(bound, upper bound, processor seconds), or None where it does not fit or takes too long"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [args.gpube, "bound", "-q", "--json", "--method", "mbe", "--z", str(z), "--order", "min-fill", "--memory",
             args.memory, *shlex.split(args.args), path]
    try:
        p = subprocess.run(words, capture_output=True, text=True, timeout=args.seconds)
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if p.returncode:
        return None
    r = json.loads(p.stdout)
    return (r["lower_bound"], r["upper_bound"], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            r["status"])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data")
    ap.add_argument("--gpube", default="build/gpube")
    ap.add_argument("--memory", default="6G")
    ap.add_argument("--seconds", type=float, default=60)
    ap.add_argument("--only", default="")
    ap.add_argument("--csv")
    ap.add_argument("--args", default="")
    args = ap.parse_args()
    rows = []
    for name, paper in INSTANCES:
        path = os.path.join(args.data, name)
        if args.only not in name or not os.path.exists(path):
            continue
        best = None
        for z in range(2, 64):
            r = run(args, path, z)
            if not r:
                break
            best = r[0] if best is None else max(best, r[0])
            rows.append([name, z, *r, paper])
            print(f"{name:40} z {z:2}  bound {r[0]:>8}  upper {r[1] if r[1] is not None else '-':>8}  {r[2]:8.3f} s  paper {paper}"
                  f"{'  ' + r[3] if r[3] == 'optimal' else ''}", flush=True)
            if r[3] == "optimal":
                break
        if best is not None and best < paper:
            print(f"{name:40} BELOW-PAPER {best} < {paper}")
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as f:
            w = csv.writer(f)
            w.writerow(["instance", "z", "bound", "upper", "cpu_seconds", "status", "paper_z_max"])
            w.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
