#!/usr/bin/env python3
"""Bounds after some seconds, beside toulbar2's root bounds, on the instances of benchmarks/bounds.txt.

usage: benchmarks/bounds.py DATA [--gpube build/gpube] [--at 10,60] [--only TEXT] [--method auto]
                            [--toulbar2 toulbar2] [--csv OUT.csv] [--part K/N] [--args "…"] [--no-peer]

One run of gpube per instance, with the last of the times as its limit; the
earlier ones are read off its progress. toulbar2's bounds are those after
preprocessing: EDAC with its default options, VAC with -A. Of .uai files all
figures are in toulbar2's units (1e-7 of -ln, without the constant that it drops).

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


def gpube(args, path, times):
    """(bound at each time, last upper bound, status, seconds)"""
    cmd = [args.gpube, "bound", "--json", "--method", args.method, "--timeout", f"{times[-1]}s",
           *shlex.split(args.args), path]
    out, err, seconds = run(cmd, times[-1] * 3 + 600)
    at = [None] * len(times)
    for t, lower in re.findall(r"([\d.]+) s: lower bound (-?[\d.]+)", err):
        for k, limit in enumerate(times):
            if float(t) <= limit:
                at[k] = float(lower)
    try:
        r = json.loads(out)
    except json.JSONDecodeError:
        return at, None, "no answer: " + err.strip()[-60:], seconds
    at[-1] = r["lower_bound"]
    if r["status"] == "optimal":
        done = max(r["times"]["bound"], r["times"]["assignment"])
        seconds = r["seconds"]
        at = [r["lower_bound"] if done <= t else a for a, t in zip(at, times)]
    return at, r["upper_bound"], r["status"], seconds


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
    args = p.parse_args()
    times = [float(t) for t in args.at.split(",")]
    wrong, rows = 0, []
    print(f"{'instance':36} {'EDAC':>11} {'VAC':>11} {'floor':>11} " +
          " ".join(f"{f'{t:g} s':>13}" for t in times) + f" {'upper':>13} {'optimum':>11}   s")
    part, parts = (int(x) for x in args.part.split("/"))
    with open(os.path.join(HERE, "bounds.txt"), encoding="utf-8") as f:
        lines = [x for x in f if not x.startswith("#") and args.only in x]
    for line in lines[part - 1::parts]:
        name, optimum, floor, _ = line.rstrip("\n").split("\t")
        path = os.path.join(args.data, name)
        uai = ".uai" in name
        roots, offset = ([None, None], None)
        if not args.no_peer or uai:
            roots, offset = toulbar2_root(args, path)
        at, upper, status, seconds = gpube(args, path, times)
        if uai and offset is not None:
            at, upper = ([None if x is None else (x - offset) * 1e7 for x in xs]
                         for xs in (at, [upper]))
            upper = upper[0]
        slack = 2e-4 * 1e7 if uai else 0
        words = ["optimal"] if status == "optimal" else [] if status == "bounds" else [status]
        best = at[-1]
        if best is not None and optimum != "-" and best > float(optimum) * (1 + 1e-4 * uai) + slack:
            words.append("WRONG")
            wrong += 1
        if best is not None and floor != "-" and best < float(floor) - slack:
            words.append("BELOW-FLOOR")
        if best is not None and any(r is not None and best < r - slack for r in roots):
            words.append("BELOW-TOULBAR2")
        show = lambda x: "-" if x is None else f"{x:.0f}"
        print(f"{os.path.basename(name)[:36]:36} {show(roots[0]):>11} {show(roots[1]):>11} {floor:>11} " +
              " ".join(f"{show(x):>13}" for x in at) +
              f" {show(upper):>13} {optimum:>11} {seconds:5.1f} {' '.join(words)}", flush=True)
        rows.append([name, optimum, floor, *roots, *at, upper, f"{seconds:.2f}", " ".join(words)])
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as f:
            w = csv.writer(f)
            w.writerow(["instance", "optimum", "floor", "edac", "vac",
                        *(f"bound_{t:g}s" for t in times), "upper", "seconds", "words"])
            w.writerows(rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
