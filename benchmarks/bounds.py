#!/usr/bin/env python3
"""Bounds after some seconds, beside toulbar2's root bounds, on the instances of benchmarks/bounds.txt.

usage: benchmarks/bounds.py DATA [--gpube build/gpube] [--at 10,60] [--only TEXT] [--method auto]
                            [--toulbar2 toulbar2] [--csv OUT.csv] [--part K/N] [--args "…"] [--no-peer]
       benchmarks/bounds.py DATA --mbe-mm …

One run of gpube per instance, with the last of the times as its limit; the
earlier ones are read off its progress. toulbar2's bounds are those after
preprocessing: EDAC with its default options, VAC with -A. Of .uai files all
figures are in toulbar2's units (1e-7 of -ln, without the constant that it drops).

--mbe-mm: beside the bounds of a prototype of mini-buckets with moment matching instead, where bounds.txt has one. Its times are
not known. So "equal time" is the time until the bound of gpube's own mini-buckets with matching and the same i on the same
cores, which are faster: the row has their seconds and bound, gpube bound's by --method after these seconds, and at --at.

A bound above a known optimum, or below the floor, ends the line with a word in
capitals, and the exit code is 1 if a bound is wrong.
"""
import argparse
import csv
import json
import os
import re
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def find(data, name):
    """path of an instance, which may also lie there uncompressed; None: it is not there"""
    path = os.path.join(data, name)
    return next((x for x in (path, re.sub(r"\.xz$", "", path), path + ".xz") if os.path.exists(x)), None)


def run(cmd, timeout):
    start = time.monotonic()
    try:
        p = subprocess.run(cmd, capture_output=True, text=True, timeout=timeout, errors="replace")
        out, err = p.stdout, p.stderr
    except subprocess.TimeoutExpired as e:
        out, err = ((x or b"").decode(errors="replace") for x in (e.stdout, e.stderr))
    return out, err, time.monotonic() - start


def evidence_of(path):
    stem = re.sub(r"\.(xz|gz)$", "", path)
    for p in (stem + ".evid", re.sub(r"\.uai$", "", stem) + ".evid"):
        if os.path.exists(p):
            return p
    return None


def toulbar2_root(args, path):
    """((EDAC, VAC), energy of cost 0 or None): root bounds as toulbar2 prints them."""
    bounds, offset = [], None
    evidence = [evidence_of(path)] if ".uai" in path and evidence_of(path) else []
    for more in ([], ["-A"]):
        out, err, _ = run([args.toulbar2, path, *evidence, "-timer=3", *more], 60)
        m = re.search(r"Initial lower and upper bounds: \[(-?\d+)", out)
        bounds.append(int(m.group(1)) if m else None)
        if not m and (m := re.search(r"Optimum: (\d+)", out)):
            bounds[-1] = int(m.group(1))
        m = re.findall(r"New solution: (\d+) energy: (-?[\d.]+)", out)
        if m and ".uai" in path:
            offset = float(m[-1][1]) - int(m[-1][0]) * 1e-7
    return bounds, offset


class Run:
    """gpube bound: the bounds over time, as found and as last"""

    def __init__(self, args, path, more, limit):
        out, err, self.seconds = run([args.gpube, "bound", "-v", "--json", *more, *shlex.split(args.args), path], limit)
        self.lower = [(float(t), float(x)) for t, x in re.findall(r"([\d.]+) s: lower bound (-?[\d.]+)", err)]
        self.upper, self.at_end, self.bound_at = None, None, 0
        self.status = "no answer: " + err.strip()[-60:]
        try:
            r = json.loads(out)
        except json.JSONDecodeError:
            return
        self.at_end, self.upper, self.status = r["lower_bound"], r["upper_bound"], r["status"]
        self.proved = r["status"] == "optimal"
        self.bound_at = max(r["times"]["bound"], r["times"]["assignment"] if self.proved else 0)
        if self.proved:
            self.seconds = r["seconds"]

    def at(self, seconds):
        """the bound that was known then"""
        if self.at_end is not None and self.bound_at <= seconds:
            return self.at_end
        return max((x for t, x in self.lower if t <= seconds), default=None)


def ascend(args, path, times):
    return Run(args, path, ["--method", args.method, "--timeout", f"{times[-1]}s"], times[-1] * 3 + 600)


def show(x):
    return "-" if x is None else f"{x:.0f}"


def units(x, offset):
    """of .uai files toulbar2's"""
    return x if x is None or offset is None else (x - offset) * 1e7


def matched(args, row, path, times):
    """a line of --mbe-mm; the number of bounds below the prototype's, and its cells"""
    name, optimum, _, _, known, i = row
    offset = toulbar2_root(args, path)[1] if ".uai" in name else None
    own = Run(args, path, ["--method", "mbe", "--z", str(int(i) + 1)], 600)
    auto = ascend(args, path, times)
    then, *later = (units(auto.at(t), offset) for t in (own.bound_at, *times))
    below = [x is None or x < float(known) * (1 - 1e-4) for x in (then, later[-1])]
    print(f"{os.path.basename(name)[:36]:36} {known:>11} ({i:>2}) {own.bound_at:8.2f} s {show(units(own.at_end, offset)):>13} "
          f"{show(then):>13} " + " ".join(f"{show(x):>13}" for x in later) + f" {optimum:>11} {auto.status}"
          f"{' BELOW-THEN' if below[0] else ''}{' BELOW' if below[1] else ''}", flush=True)
    return [name, optimum, known, i, own.bound_at, units(own.at_end, offset), then, *later, auto.status]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--gpube", default="build/gpube")
    p.add_argument("--toulbar2", default="toulbar2")
    p.add_argument("--at", default="10,60")
    p.add_argument("--only", default="")
    p.add_argument("--method", default="auto")
    p.add_argument("--csv")
    p.add_argument("--part", default="1/1", help="every N-th instance, from the K-th on")
    p.add_argument("--args", default="")
    p.add_argument("--no-peer", action="store_true")
    p.add_argument("--mbe-mm", action="store_true")
    args = p.parse_args()
    times = [float(t) for t in args.at.split(",")]
    wrong, rows = 0, []
    if args.mbe_mm:
        print(f"{'instance':36} {'MBE-MM':>11} ( i)      own s {'own':>13} {'then':>13} " +
              " ".join(f"{f'{t:g} s':>13}" for t in times) + "     optimum")
    else:
        print(f"{'instance':36} {'EDAC':>11} {'VAC':>11} {'floor':>11} " +
              " ".join(f"{f'{t:g} s':>13}" for t in times) + f" {'upper':>13} {'optimum':>11}   s")
    part, parts = (int(x) for x in args.part.split("/"))
    with open(os.path.join(HERE, "bounds.txt"), encoding="utf-8") as f:
        lines = [x for x in f if not x.startswith("#") and args.only in x]
    for line in lines[part - 1::parts]:
        row = line.rstrip("\n").split("\t")
        name, optimum, floor = row[:3]
        path = os.path.join(args.data, name)
        if args.mbe_mm:
            if row[4] != "-":
                rows.append(matched(args, row, path, times))
            continue
        uai = ".uai" in name
        roots, offset = ([None, None], None)
        if not args.no_peer or uai:
            roots, offset = toulbar2_root(args, path)
        found = ascend(args, path, times)
        at, upper = [units(found.at(t), offset) for t in times], units(found.upper, offset)
        at[-1] = units(found.at_end, offset)
        slack = 2e-4 * 1e7 if uai else 0
        words = ["optimal"] if found.status == "optimal" else [] if found.status == "bounds" else [found.status]
        best = at[-1]
        if best is not None and optimum != "-" and best > float(optimum) * (1 + 1e-4 * uai) + slack:
            words.append("WRONG")
            wrong += 1
        if best is not None and floor != "-" and best < float(floor) - slack:
            words.append("BELOW-FLOOR")
        if best is not None and any(r is not None and best < r - slack for r in roots):
            words.append("BELOW-TOULBAR2")
        print(f"{os.path.basename(name)[:36]:36} {show(roots[0]):>11} {show(roots[1]):>11} {floor:>11} " +
              " ".join(f"{show(x):>13}" for x in at) +
              f" {show(upper):>13} {optimum:>11} {found.seconds:5.1f} {' '.join(words)}", flush=True)
        rows.append([name, optimum, floor, *roots, *at, upper, f"{found.seconds:.2f}", " ".join(words)])
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as f:
            w = csv.writer(f)
            first = ["instance", "optimum"]
            first += ["mbe_mm", "i", "own_seconds", "own", "then"] if args.mbe_mm else ["floor", "edac", "vac"]
            w.writerow([*first, *(f"bound_{t:g}s" for t in times),
                        *(["status"] if args.mbe_mm else ["upper", "seconds", "words"])])
            w.writerows(rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
