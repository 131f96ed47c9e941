#!/usr/bin/env python3
"""Plain mini-buckets over z, as the GpuBE paper's tables 6, 7, 9 and 10 have them (Fioretto et al. 2018), on CPU and GPU.

usage: benchmarks/mbe_tables.py DATA [--gpube build/gpube] [--backends cpu,cuda] [--memory 6G] [--seconds 20]
                                [--deadline S] [--only TEXT,TEXT] [--csv OUT.csv] [--prefix-cpu "…"] [--prefix-cuda "…"] [--args "…"]
       benchmarks/mbe_tables.py --table OUT.csv      the results as a Markdown table

One run of gpube bound --method mbe per instance, z and backend: z = 2 to 18, then every other one, until the tables pass
--memory or no bucket is split any more; then the one left out before that. A backend whose run takes more than --seconds gets
no larger z of that instance; after --deadline nothing is begun. --args "--no-match --partition first" is the paper's own
algorithm; without, buckets are split by scope and matched. Three times are kept: of the mini-buckets alone, until the bound
(reading and simplifying, the order by min-fill, opening the device, local search), and of the whole command. The paper prints no
z; its table 8 (iscas89, as costs) is not at hand. Instances of one name with _merged have functions of one scope added up.
"""
import csv
import json
import os
import re
import shlex
import subprocess
import sys
import time

from bounds import find
from common import options

# table, file, the paper's bound and seconds at z_max
INSTANCES = (
    (6, "celar/CELAR6-SUB0.wcsp.xz", 13, 0.31), (6, "celar/CELAR7-SUB0.wcsp.xz", 10001, 0.317),
    (6, "celar/CELAR6-SUB1.wcsp.xz", 626, 0.723), (6, "derived/celar/CELAR6-SUB2_merged.wcsp.xz", 387, 0.82),
    (6, "derived/celar/CELAR6-SUB3_merged.wcsp.xz", 452, 0.975), (6, "derived/celar/CELAR7-SUB4_merged.wcsp.xz", 31442, 1.24),
    (10, "derived/spot5/29.wcsp.xz", 8059, 7.281), (10, "spot5/404.wcsp.xz", 114, 0.701),
    (10, "derived/spot5/42.wcsp.xz", 133050, 9.419), (10, "spot5/505.wcsp.xz", 15211, 8.757),
    (7, "derived/coloring/queen5_5_3.wcsp", 25, 2.899), (7, "derived/coloring/queen5_5_4.wcsp", 5, 1.355),
    (7, "derived/coloring/le450_5a_2.wcsp.xz", 878, 10.21), (7, "derived/coloring/le450_5a_3.wcsp.xz", 58, 7.207),
    (10, "derived/spot5/5.wcsp.xz", 106, 6.573), (10, "derived/spot5/412.wcsp.xz", 11258, 7.048),
    (10, "derived/spot5/507.wcsp.xz", 10226, 5.343), (10, "derived/spot5/28.wcsp.xz", 88105, 8.584),
    (10, "derived/spot5/509.wcsp.xz", 6157, 10.61), (10, "derived/spot5/414.wcsp.xz", 6141, 7.608),
    (10, "derived/spot5/1401.wcsp.xz", 87071, 13.65), (10, "derived/spot5/1405.wcsp.xz", 84177, 19.98),
    (10, "derived/spot5/1506.wcsp.xz", 88235, 16.93), (10, "derived/spot5/1502.wcsp.xz", 28042, 0.079),
    (10, "derived/spot5/54.wcsp", 37, 0.045), (7, "derived/coloring/GEOM40_4.wcsp", 3, 0.004),
    (7, "derived/coloring/GEOM30a_4.wcsp", 4, 0.012), (7, "derived/coloring/myciel5g_4.wcsp", 0, 7.852),
    (7, "derived/coloring/le450_5a_4.wcsp.xz", 1, 6.517), (9, "linkage/oconnell.wcsp", 1, 0.001))

COLUMNS = ("table", "instance", "z", "backend", "worked", "bound", "upper", "status", "buckets_s", "bound_s", "command_s",
           "paper_bound", "paper_s")


def run(args, path, z, backend):
    """a row from "worked" on to "command_s", or None where it does not fit or takes too long"""
    words = shlex.split(args.prefix_cuda if backend != "cpu" else args.prefix_cpu)
    words += [args.gpube, "bound", "-v", "--json", "--method", "mbe", "--z", str(z), "--order", "min-fill", "--memory",
              args.memory, "--backend", backend, *shlex.split(args.args), path]
    try:
        p = subprocess.run(words, capture_output=True, text=True, timeout=args.seconds * 3 + 20)
    except subprocess.TimeoutExpired:
        return None
    if p.returncode:
        if "do not fit" not in p.stderr:
            print(p.stderr.strip().splitlines()[-1:], flush=True)
        return None
    r = json.loads(p.stdout)
    buckets = re.findall(r"mini-buckets, z \d+, on the \S+: ([0-9.]+) s", p.stderr)
    return [r["backend"], r["lower_bound"], r["upper_bound"], r["status"], float(buckets[-1]) if buckets else None,
            r["times"]["bound"], r["seconds"]]


def rungs():
    yield from range(2, 18)
    yield from range(18, 64, 2)


def instance(args, row, keep):
    """all z of one instance"""
    path = find(args.data, row[1])
    alive = args.backends.split(",")
    last = None
    zs = list(rungs())
    while zs and alive and time.monotonic() < args.until:
        z = zs.pop(0)
        fits = False
        for backend in list(alive):
            r = run(args, path, z, backend)
            if not r:
                continue
            fits = True
            keep([row[0], row[1], z, backend, *r, row[2], row[3]])
            if r[6] > args.seconds:
                alive.remove(backend)
            if r[3] == "optimal":
                zs = []
        if not fits:
            zs = [z - 1] if last is not None and z - last == 2 else []
        last = z if fits else None


def number(text):
    return float(text) if text not in ("", "None") else None


def table(path):
    """for each instance the best bound, and at the z where it was first reached the times"""
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    print("| table | instance | z | bound | CPU s | GPU s | ratio | GPU command s | paper's bound | paper's s | over the paper |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in dict.fromkeys(r["instance"] for r in rows):
        of = [r for r in rows if r["instance"] == name]
        best = max(int(r["bound"]) for r in of)
        z = min(int(r["z"]) for r in of if int(r["bound"]) == best)
        for at in sorted({z, max(int(r["z"]) for r in of)}):
            t = {r["backend"]: r for r in of if int(r["z"]) == at}
            s = {b: number(t[b]["buckets_s"]) for b in t}
            both = s.get("cpu") and s.get("cuda")
            r = next(iter(t.values()))
            gpu = s.get("cuda")
            print(f"| {r['table']} | {name} | {at} | {r['bound']} | {s.get('cpu', '')} | {gpu if gpu is not None else ''} | "
                  f"{s['cpu'] / s['cuda'] if both else 0:.1f} | {t['cuda']['command_s'] if 'cuda' in t else ''} | "
                  f"{r['paper_bound']} | {r['paper_s']} | {float(r['paper_s']) / gpu if gpu else 0:.1f} |")


def main():
    ap = options(__doc__, "data", "--gpube", "--only", "--deadline", "--csv", "--table", backends="cpu,cuda", memory="6G", seconds=20.0,
                 prefix_cpu="", prefix_cuda="", args="")
    args = ap.parse_args()
    if args.table:
        table(args.table)
        return 0
    args.until = time.monotonic() + args.deadline
    out = open(args.csv, "w", newline="", encoding="utf-8") if args.csv else None
    if out:
        csv.writer(out).writerow(COLUMNS)

    def keep(row):
        print(f"{row[1]:42} z {row[2]:2} {row[3]:4}  bound {row[5]:>8}  upper {str(row[6]):>8}  {row[8]} / {row[9]:.3f} / "
              f"{row[10]:.3f} s  paper {row[11]} in {row[12]} s{'  optimal' if row[7] == 'optimal' else ''}", flush=True)
        if out:
            csv.writer(out).writerow(row)
            out.flush()

    for row in INSTANCES:
        if any(x in row[1] for x in args.only.split(",")) and find(args.data, row[1]):
            instance(args, row, keep)
    return 0


if __name__ == "__main__":
    sys.exit(main())
