#!/usr/bin/env python3
"""Bounds at equal time: gpube bound beside toulbar2 with VAC, on the instances that the bounds are for.

usage: benchmarks/vac.py DATA [--gpube build/gpube] [--toulbar2 toulbar2] [--seconds 5] [--threads 2] [--only TEXT,TEXT]
                         [--prefixes "taskset -c 0,1;taskset -c 2,3"] [--deadline S] [--csv OUT.csv]
       benchmarks/vac.py DATA --at 0.1,0.5,1,2,5 …                          after these seconds instead of parts of --seconds
       benchmarks/vac.py DATA --vac-of OLD.csv …                            only gpube; toulbar2's bounds are those of an earlier run
       benchmarks/vac.py --table OUT.csv       the results as a Markdown table

Both get the same .cfn (a .uai as costs, by gpube convert) and --seconds of wall time, one after the other on the same cores:
toulbar2 -A, which has one thread, and goes on with its search when VAC is done, so that its bound grows, too; gpube bound
--backend cpu with --threads. Every line that tells a bound is kept with the time at which it came. The row of an instance: when
VAC's root bound was there, and what it is; gpube's bound at that very time, and when its first one was there; then both at 1/4, 1/2 and all of the time, or --at. Two bounds are
equal where nine digits are. A bound above a known optimum makes the exit code 1. --prefixes: as many instances at a time, each program behind its prefix.
"""
import concurrent.futures
import csv
import os
import queue
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time

from bounds import find
from common import options

INSTANCES = (
    [f"derived/linkage/pedigree{n}.uai" for n in (7, 13, 19, 20, 23, 33, 37, 38, 40, 41, 44, 50)]
    + [f"grids/grid20x20.{f}.uai" for f in ("f2", "f5", "f10", "f5.wrap", "f10.wrap", "f15.wrap")]
    + ["grids/grid40x40.f10.uai"]
    + [f"dbn/rbm_{n}.uai" for n in ("20", "21", "22", "ferro_20", "ferro_21", "ferro_22")]
    + [f"derived/coloring/{n}.wcsp" for n in ("queen5_5_3", "queen5_5_4", "myciel5g_4")]
    + [f"protein/pdb{n}.uai" for n in ("1fmj", "1i24", "1jmx", "1qks", "1aie", "1b2v", "1bxv", "1ctj", "1kp6", "1not", "1qt9",
                                       "1xy2", "1pen", "2mcm", "2erl", "2fdn", "1akg", "1etl", "1etm", "1etn")]
    + [f"promedas/or_chain_{n}.fg.uai" for n in (10, 140, 161, 4, 62, 138, 150, 186, 188, 209, 198, 242, 38, 42, 65, 111, 147,
                                                 180, 218, 225)])

NUMBER = r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
ENDS = ("vac_end", "gpube_end", "vac_proved_at", "gpube_proved_at", "vac_upper", "gpube_upper", "seconds")


def columns(args):
    between = [f"{who}_{t:g}s" for t in args.times for who in ("vac", "gpube")] if args.times else [
        "vac_quarter", "gpube_quarter", "vac_half", "gpube_half"]
    return ["instance", "vac_at", "vac_root", "gpube_then", "gpube_first_at", *between, *ENDS]


class Run:
    """a program's bounds over time"""

    def __init__(self, cmd, seconds, of_line):
        self.lower, self.upper, self.proved_at = [], None, None
        start = time.monotonic()
        p = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        killer = threading.Timer(seconds, p.terminate)
        killer.start()
        for line in p.stdout:
            at = time.monotonic() - start
            lower, upper, proved = of_line(line)
            if lower is not None and at <= seconds + 0.3:
                self.lower.append((at, lower))
            if upper is not None:
                self.upper = upper
            if proved and self.proved_at is None and at <= seconds + 0.3:
                self.proved_at = at
        killer.cancel()
        p.wait()

    def at(self, seconds):
        known = [b for t, b in self.lower if t <= seconds]
        return max(known) if known else None


class Kept(Run):
    """what toulbar2 had in a row of an earlier run"""

    def __init__(self, row):
        seconds = float(row["seconds"])
        known = [(float(row["vac_at"] or 0), row["vac_root"]), (0.25 * seconds, row.get("vac_quarter")),
                 (0.5 * seconds, row.get("vac_half")), (seconds, row["vac_end"])]
        known += [(float(m.group(1)), v) for k, v in row.items() if (m := re.match(r"vac_([\d.]+)s$", k))]
        self.lower = [(at, float(bound)) for at, bound in known if bound]
        self.upper, self.proved_at = (row[k] and float(row[k]) for k in ("vac_upper", "vac_proved_at"))


def vac_line(line):
    m = re.match(r"(?:Initial lower and upper bounds|Optimality gap): \[" + NUMBER + ", " + NUMBER, line)
    if m:
        return float(m.group(1)), float(m.group(2)), False
    m = re.match(r"Optimum: (?:\d+ energy: )?" + NUMBER, line)
    return (float(m.group(1)),) * 2 + (True,) if m else (None, None, False)


def gpube_line(line):
    m = re.search(r"lower bound " + NUMBER + r"(?:, upper bound " + NUMBER + ")?", line)
    if m:
        return float(m.group(1)), m.group(2) and float(m.group(2)), False
    m = re.match(r"optimum +" + NUMBER, line)
    if m:
        return float(m.group(1)), float(m.group(1)), True
    m = re.match(r"lower +" + NUMBER, line)
    return float(m.group(1)) if m else None, None, False


def measure(args, path, prefix):
    words = shlex.split(prefix)
    name = os.path.basename(path)
    with tempfile.TemporaryDirectory() as work:
        problem = find(args.data, path)
        if not problem:
            return None
        if ".uai" in name:
            made = os.path.join(work, "p.cfn")
            subprocess.run([args.gpube, "convert", "-q", problem, made], check=True)
            problem = made
        vac = Kept(args.kept[name]) if args.kept else Run([*words, args.toulbar2, problem, "-A"], args.seconds, vac_line)
        ours = Run([*words, args.gpube, "bound", "--backend", "cpu", "--threads", str(args.threads), "--timeout",
                    f"{args.seconds}s", problem], args.seconds + 5, gpube_line)
    root_at = vac.lower[0][0] if vac.lower else None
    row = [name, root_at and round(root_at, 3), vac.lower[0][1] if vac.lower else None, ours.at(root_at) if root_at else None,
           ours.lower[0][0] and round(ours.lower[0][0], 4) if ours.lower else None]
    for seconds in (*(args.times or (0.25 * args.seconds, 0.5 * args.seconds)), args.seconds + 0.3):
        row += [vac.at(seconds), ours.at(seconds)]
    return row + [vac.proved_at and round(vac.proved_at, 3), ours.proved_at and round(ours.proved_at, 3), vac.upper, ours.upper,
                  args.seconds]


def compare(vac, ours):
    """"better", "equal" or "worse": what gpube has beside what VAC has, texts of a table"""
    a, b = (float(x) if x else float("-inf") for x in (vac, ours))
    return "equal" if a == b or abs(a - b) <= 1e-9 * max(1, abs(a)) else "better" if b > a else "worse"


def counts(rows, vac, ours):
    """a line's cells: how often gpube is better, equal, worse, and where it is worse"""
    how = [compare(r[vac], r[ours]) for r in rows]
    worse = ", ".join(re.sub(r"(\.fg)?\.(uai|wcsp)$", "", r["instance"]) for r, h in zip(rows, how) if h == "worse")
    return f"{how.count('better')} | {how.count('equal')} | {how.count('worse')} | {worse or '-'}"


def table(path):
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    times = [m.group(1) for k in rows[0] if (m := re.match(r"vac_([\d.]+)s$", k))]
    print("| instance | VAC's root bound, after s | gpube then | VAC and search, at the end | gpube at the end | proved: toulbar2, gpube |")
    print("|---|---|---|---|---|---|")
    for r in rows:
        root, then, vac, ours = (f"{float(r[k]):.10g}" if r[k] else "-" for k in ("vac_root", "gpube_then", "vac_end", "gpube_end"))
        print(f"| {r['instance']} | {root}, {r['vac_at']} | {then} | {vac} | {ours} | "
              f"{r['vac_proved_at'] or '-'}, {r['gpube_proved_at'] or '-'} |")
    print("\n| gpube beside VAC, then its search | better | equal | worse | where |\n|---|---|---|---|---|")
    print(f"| when VAC's root bound is there | {counts(rows, 'vac_root', 'gpube_then')} |")
    for t in times:
        print(f"| after {t} s | {counts(rows, f'vac_{t}s', f'gpube_{t}s')} |")
    print(f"| at the end | {counts(rows, 'vac_end', 'gpube_end')} |")
    first = sorted(float(r["gpube_first_at"]) for r in rows if r.get("gpube_first_at"))
    if first:
        print(f"\ngpube's first bound: median {first[len(first) // 2]:.4f} s, last {first[-1]:.4f} s.")


def main():
    p = options(__doc__, "data", "--gpube", "--toulbar2", "--only", "--deadline", "--csv", "--table", seconds=5.0, threads=2,
                prefixes="", at="", vac_of="")
    args = p.parse_args()
    args.times = [float(t) for t in args.at.split(",") if t]
    if args.table:
        table(args.table)
        return 0
    args.kept = None
    if args.vac_of:
        with open(args.vac_of, newline="", encoding="utf-8") as f:
            args.kept = {r["instance"]: r for r in csv.DictReader(f)}
    prefixes = args.prefixes.split(";")
    until = time.monotonic() + args.deadline
    names = [i for i in INSTANCES if not args.only or any(x in i for x in args.only.split(","))]
    out = open(args.csv, "w", newline="", encoding="utf-8") if args.csv else None
    if out:
        csv.writer(out).writerow(columns(args))
    free = queue.Queue()
    for prefix in prefixes:
        free.put(prefix)
    wrong = 0

    def one(path):
        prefix = free.get()
        try:
            return measure(args, path, prefix) if time.monotonic() < until else None
        finally:
            free.put(prefix)

    with concurrent.futures.ThreadPoolExecutor(len(prefixes)) as pool:
        for row in pool.map(one, names):
            if not row:
                continue
            *bounds, _, _, vac_upper, upper, _ = row[-len(ENDS):]
            above = [b for b in bounds if b is not None and vac_upper is not None and b > min(
                x for x in (vac_upper, upper) if x is not None) + 1e-6 * abs(b)]
            wrong += len(above)
            print(" ".join(str(x) for x in row), "WRONG" if above else "", flush=True)
            if out:
                csv.writer(out).writerow(row)
                out.flush()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
