#!/usr/bin/env python3
"""Winner determination: gpube auction beside CBC, and HiGHS, on the same auctions, one core each.

usage: auction_cbc.py GPUBE [-t SECONDS] [--highs PYTHON] [--dist NAME ...] [--sizes GOODSxBIDS ...]

The auctions are made by 'gpube generate auction'; the others read the same bids as an LP file, a row a
good, and are asked for a gap of 0. PYTHON is one that has highspy. Prints tab-separated rows: distribution,
goods, bids, seed; of each program seconds by the clock, of the processor, the revenue, and whether it is
proved. Fails where two prove an optimum and these differ.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time


def read_cats(path):
    goods, bids = None, []
    for line in open(path):
        words = line.split()
        if not words or words[0] == "%" or words[0].startswith("%"):
            continue
        if words[0] in ("goods", "bids", "dummy"):
            continue
        bids.append((words[1], [int(w) for w in words[2:-1]]))
    return bids


def write_lp(path, bids):
    rows = {}
    for b, (_, goods) in enumerate(bids):
        for g in goods:
            rows.setdefault(g, []).append(b)
    with open(path, "w") as out:
        out.write("Maximize\n obj:")
        for b, (price, _) in enumerate(bids):
            out.write(" + %s x%d%s" % (price, b, "\n" if b % 8 == 7 else ""))
        out.write("\nSubject To\n")
        for g, members in sorted(rows.items()):
            if len(members) < 2:
                continue
            out.write(" g%d:" % g)
            for k, b in enumerate(members):
                out.write(" + x%d%s" % (b, "\n" if k % 12 == 11 else ""))
            out.write(" <= 1\n")
        out.write("Binaries\n")
        for b in range(len(bids)):
            out.write(" x%d%s" % (b, "\n" if b % 12 == 11 else ""))
        out.write("\nEnd\n")


def run(words):
    """What a program prints; seconds by the clock, and of the processor."""
    before, start = os.times(), time.monotonic()
    text = subprocess.run(words, capture_output=True, text=True).stdout
    clock, after = time.monotonic() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return text, [clock, used]


def run_cbc(lp, seconds):
    text, took = run(["cbc", lp, "ratio", "0", "allow", "0", "sec", str(seconds), "solve", "quit"])
    value = re.search(r"Objective value:\s+(-?[0-9.]+)", text)
    return took + [abs(float(value.group(1))) if value else None, "Optimal solution found" in text]


HIGHS = """
import sys, highspy
h = highspy.Highs()
for name, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", 0.0), ("mip_abs_gap", 0.0),
                    ("time_limit", float(sys.argv[2]))):
    h.setOptionValue(name, value)
h.readModel(sys.argv[1])
h.run()
print(h.getInfo().objective_function_value, h.getModelStatus() == highspy.HighsModelStatus.kOptimal)
"""


def run_highs(python, lp, seconds):
    text, took = run([python, "-c", HIGHS, lp, str(seconds)])
    value, proved = text.split()[-2:]  # version 1.16 tells its version before
    return took + [float(value), proved == "True"]


def run_gpube(gpube, path, seconds):
    text, took = run([gpube, "auction", "--json", "--threads", "1", "--timeout", str(seconds), path])
    result = json.loads(text)
    return took + [float(result["revenue"]), result["status"] == "optimal"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpube")
    parser.add_argument("-t", type=float, default=60)
    parser.add_argument("--highs", metavar="PYTHON")
    parser.add_argument("--dist", nargs="*", default=["arbitrary", "regions", "scheduling", "L3", "L6", "L7"])
    parser.add_argument("--sizes", nargs="*", default=["60x1000", "100x2000"])
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    failed = False
    names = ["gpube", "cbc"] + (["highs"] if args.highs else [])
    print("\t".join(["distribution", "goods", "bids", "seed"] +
                    [f"{n}_{what}" for n in names for what in ("s", "cpu_s", "revenue", "proved")]), flush=True)
    with tempfile.TemporaryDirectory() as work:
        for size in args.sizes:
            goods, bids = size.split("x")
            for dist in args.dist:
                for seed in range(1, args.seeds + 1):
                    txt, lp = os.path.join(work, "a.txt"), os.path.join(work, "a.lp")
                    subprocess.run([args.gpube, "generate", "auction", "--dist", dist, "--goods", goods,
                                    "--bids", bids, "--seed", str(seed), "-o", txt], check=True)
                    write_lp(lp, read_cats(txt))
                    found = [run_gpube(args.gpube, txt, args.t), run_cbc(lp, args.t)]
                    if args.highs:
                        found.append(run_highs(args.highs, lp, args.t))
                    print("\t".join([dist, goods, bids, str(seed)] +
                                    ["%.2f\t%.2f\t%s\t%s" % tuple(f) for f in found]), flush=True)
                    proved = [f[2] for f in found if f[3]]
                    if proved and max(proved) - min(proved) > 1e-6 * abs(proved[0]):
                        print("the optima differ", file=sys.stderr)
                        failed = True
    return failed


sys.exit(main())
