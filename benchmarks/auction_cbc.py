#!/usr/bin/env python3
"""Winner determination: gpube auction beside CBC on the same auctions, one core each.

usage: auction_cbc.py GPUBE [-t SECONDS] [--dist NAME ...] [--sizes GOODSxBIDS ...]

The auctions are made by 'gpube generate auction'; CBC reads the same bids as an LP file, a row a
good. Prints tab-separated rows: distribution, goods, bids, seed, seconds and revenue of each, and
fails where both prove an optimum and the two differ.
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


def run_cbc(lp, seconds):
    start = time.monotonic()
    text = subprocess.run(["cbc", lp, "ratio", "0", "allow", "0", "sec", str(seconds), "solve", "quit"],
                          capture_output=True, text=True).stdout
    elapsed = time.monotonic() - start
    value = re.search(r"Objective value:\s+(-?[0-9.]+)", text)
    return elapsed, abs(float(value.group(1))) if value else None, "Optimal solution found" in text


def run_gpube(gpube, path, seconds):
    start = time.monotonic()
    out = subprocess.run([gpube, "auction", "--json", "--threads", "1", "--timeout", str(seconds), path],
                         capture_output=True, text=True)
    elapsed = time.monotonic() - start
    result = json.loads(out.stdout)
    return elapsed, float(result["revenue"]), result["status"] == "optimal"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpube")
    parser.add_argument("-t", type=float, default=60)
    parser.add_argument("--dist", nargs="*", default=["arbitrary", "regions", "scheduling", "L3", "L6", "L7"])
    parser.add_argument("--sizes", nargs="*", default=["60x1000", "100x2000"])
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    failed = False
    print("distribution\tgoods\tbids\tseed\tgpube_s\tgpube_revenue\tgpube_proved\tcbc_s\tcbc_revenue\tcbc_proved", flush=True)
    with tempfile.TemporaryDirectory() as work:
        for size in args.sizes:
            goods, bids = size.split("x")
            for dist in args.dist:
                for seed in range(1, args.seeds + 1):
                    txt, lp = os.path.join(work, "a.txt"), os.path.join(work, "a.lp")
                    subprocess.run([args.gpube, "generate", "auction", "--dist", dist, "--goods", goods,
                                    "--bids", bids, "--seed", str(seed), "-o", txt], check=True)
                    write_lp(lp, read_cats(txt))
                    ours, theirs = run_gpube(args.gpube, txt, args.t), run_cbc(lp, args.t)
                    print("%s\t%s\t%s\t%d\t%.2f\t%.3f\t%s\t%.2f\t%s\t%s" %
                          (dist, goods, bids, seed, *ours, *theirs), flush=True)
                    if ours[2] and theirs[2] and abs(ours[1] - theirs[1]) > 1e-6 * abs(ours[1]):
                        print("the optima differ", file=sys.stderr)
                        failed = True
    return failed


sys.exit(main())
