#!/usr/bin/env python3
"""Reads every file of a data folder that is in one of the formats, writes each to every format, and reads it back.

usage: benchmarks/checked.py DATA [--convert build/gpube-convert] [--jobs 2] [--only TEXT] [--timeout 120]

Formats are told by content. Every model is written with --check --shift: what was written is compared table by table
with what should have been. What a format cannot hold is refused, with the reason, and then written with --lossy. Ends
with a table of counts; exit status 1 if a file cannot be read, or a check fails. benchmarks/roundtrip.py compares the
optima of what is written.
"""
import argparse
import collections
import concurrent.futures
import os
import subprocess
import sys
import tempfile

SUFFIXES = (".wcsp", ".cfn", ".uai", ".lg", ".wcnf", ".cnf", ".qpbo", ".col", ".erg", ".xml", ".yaml", ".yml")
TARGETS = ("wcsp", "cfn", "uai", "lg", "wcnf", "cnf")


def suffix_of(name):
    name = name.lower()
    for packed in (".xz", ".gz"):
        name = name.removesuffix(packed)
    return next((s for s in SUFFIXES if name.endswith(s)), None)


def convert(args, path, target, *options):
    try:
        p = subprocess.run([args.convert, "--check", "--shift", *options, path, target],
                           capture_output=True, text=True, errors="replace", timeout=args.timeout)
    except subprocess.TimeoutExpired:
        return "slow", "more than %d s" % args.timeout
    last = [line for line in p.stderr.splitlines() if "--lossy it may" not in line][-1:] or [""]
    if p.returncode == 0:
        return ("equal" if "all equal" in last[0] else "written"), last[0]
    if "is not what was to be written" in last[0]:
        return "DIFFERS", last[0]
    return "refused", last[0]


def one(args, path):
    rows = []
    with tempfile.TemporaryDirectory() as tmp:
        for target in TARGETS:
            out = os.path.join(tmp, "m." + target)
            verdict, why = convert(args, path, out)
            if verdict == "refused" and not os.path.exists(out):
                again, why_again = convert(args, path, out, "--lossy")
                verdict = "lossy" if again in ("equal", "written") else "DIFFERS" if again == "DIFFERS" else verdict
                why = why_again if verdict == "DIFFERS" else why
            rows.append((target, verdict, why))
    return rows


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data")
    ap.add_argument("--convert", default="build/gpube-convert")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--only", default="")
    ap.add_argument("--timeout", type=float, default=120)
    args = ap.parse_args()
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(args.data) for name in names
                   if suffix_of(name) and args.only in os.path.join(folder, name))
    table, failed = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for path, rows in zip(paths, pool.map(lambda p: one(args, p), paths)):
            source = suffix_of(os.path.basename(path))[1:]
            table[source, "", "files"] += 1
            for target, verdict, why in rows:
                table[source, target, verdict] += 1
                if verdict in ("DIFFERS", "slow"):
                    failed += verdict == "DIFFERS"
                    print("%-8s %-5s %s: %s" % (verdict, target, os.path.relpath(path, args.data), why), flush=True)
            if all(v == "refused" for _, v, _ in rows):
                failed += 1
                print("UNREAD         %s: %s" % (os.path.relpath(path, args.data), rows[0][2]), flush=True)
    print("%-6s %-6s %6s %8s %8s %8s %8s %8s" % ("from", "to", "files", "equal", "written", "lossy", "refused", "slow"))
    for source in sorted({k[0] for k in table}):
        for target in TARGETS:
            counts = [table[source, target, v] for v in ("equal", "written", "lossy", "refused", "slow")]
            print("%-6s %-6s %6d %8d %8d %8d %8d %8d" % (source, target, table[source, "", "files"], *counts))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
