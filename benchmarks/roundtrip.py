#!/usr/bin/env python3
"""Writes real instances as .wcsp, .cfn and .uai, solves what was written, and compares optima; toulbar2 too.

usage: benchmarks/roundtrip.py DATA [--gpube build/gpube] [--toulbar2 toulbar2] [--limit 5] [--only TEXT]

Instances: those of DATA/INDEX.tsv whose largest table has at most 10^LIMIT
cells, and the .cfn files. The optimum is gpube's on the file as it is;
benchmarks/solve.py has compared that with the index. A format that cannot hold
a model is "refused", with the program's reason. toulbar2 (which solves a .wcsp
and a .cfn exactly, a .uai to 1e-7 per function) has 10 s a file.
"""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from solve import evidence_of, no_solution, run


def limited(seconds):
    """Begins a command that may use so many seconds of its processor, however busy the machine is."""
    return ["prlimit", "--core=0", "--cpu=%d" % math.ceil(seconds)]


def solve(gpube, path, evidence=None, seconds=100, prefix=()):
    """The optimum as a minimum (a maximisation is negated), or None and why not."""
    value, sign, why = solve_signed(gpube, path, evidence, seconds, prefix)
    return (None if value is None else sign * value), why


def solve_signed(gpube, path, evidence=None, seconds=100, prefix=()):
    """The optimum, -1 where it is a maximum, and why there is none."""
    cmd = [*prefix, gpube, "solve", path, "--output", "json", "--timeout", "%gs" % seconds]
    _, out, err, _ = run(cmd + (["--evidence", evidence] if evidence else []), 1.2 * seconds + 5)
    try:
        ans = json.loads(out)
    except ValueError:
        return None, 1, err
    if ans["status"] == "infeasible":
        return math.inf, 1, None
    sign = -1 if ans.get("direction") == "maximise" and not ans.get("log10") else 1
    optimal = ans["status"] == "optimal"
    return float(ans["upper_bound"]) if optimal else None, sign, ans.get("message")


def toulbar2(binary, path, seconds=10, prefix=()):
    """Its optimum (inf: none), or None; its -timer counts the seconds of its processor."""
    cmd = [*prefix, binary, path, "-timer=%d" % seconds]
    if os.path.exists(path + ".evid"):
        cmd.insert(len(prefix) + 2, path + ".evid")
    _, out, _, _ = run(cmd, 50 * seconds if prefix else 5 * seconds)
    if no_solution(out):
        return math.inf
    m = re.search(r"Optimum: (-?[\d.]+)(?: energy: (-?[\d.e+]+))?", out)
    return float(m.group(2) or m.group(1)) if m else None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data")
    ap.add_argument("--gpube", default="build/gpube")
    ap.add_argument("--toulbar2", default="toulbar2")
    ap.add_argument("--limit", type=float, default=5)
    ap.add_argument("--only", default="")
    args = ap.parse_args()
    with open(os.path.join(args.data, "INDEX.tsv"), newline="") as f:
        rows = [r for r in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)
                if r["format"] in ("wcsp", "cfn", "uai") and args.only in r["path"]
                and (r["format"] == "cfn" or (r["log10_largest_table"] and float(r["log10_largest_table"]) <= args.limit))]
    totals = {}
    for r in rows:
        path = os.path.join(args.data, r["path"])
        optimum, why = solve(args.gpube, path, evidence_of(path))
        if optimum is None:
            print("unsolved  %s: %s" % (r["path"], why))
            continue
        for fmt in ("wcsp", "cfn", "uai"):
            with tempfile.TemporaryDirectory() as tmp:
                written = os.path.join(tmp, "m." + fmt)
                evid = evidence_of(path)
                p = subprocess.run([args.gpube, "convert", path, written] + (["--evidence", evid] if evid else []),
                                   capture_output=True, text=True, errors="replace")
                verdict, note = "same", ""
                if p.returncode:
                    verdict, note = "refused", p.stderr.strip()
                else:
                    again, why = solve(args.gpube, written)
                    peer = toulbar2(args.toulbar2, written)
                    note = "%s -> %s, toulbar2 %s" % (optimum, again, peer)
                    if again is None:
                        verdict, note = "FAILED", str(why)
                    else:
                        slack = 1e-9 * max(1, abs(optimum)) if fmt == r["format"] else 1e-6
                        if fmt == "wcsp" and r["format"] != "wcsp":
                            verdict, note = "written", note + "  " + p.stderr.strip().replace("\n", " ")
                        elif abs(again - optimum) > slack and again != optimum:
                            verdict = "DIFFERS"
                        tol = 1e-6 * float(r["n_functions"] or 1000) + 1e-3 if "uai" in (fmt, r["format"]) else 1e-9
                        if peer is not None and peer != again and abs(peer - again) > tol * max(1, abs(again)):
                            verdict = "PEER"
                totals[fmt, verdict] = totals.get((fmt, verdict), 0) + 1
                if verdict not in ("same",):
                    print("%-9s %-5s %s: %s" % (verdict, fmt, r["path"], note[:300]), flush=True)
    for (fmt, verdict), n in sorted(totals.items()):
        print("%-5s %-8s %d" % (fmt, verdict, n))
    return 1 if any(v in ("FAILED", "DIFFERS", "PEER") for _, v in totals) else 0


if __name__ == "__main__":
    sys.exit(main())
