#!/usr/bin/env python3
"""bids.py GPUBE BENCH_BIDS [SECONDS]: sparse auctions by gpube's tree, which solves a linear program in each node, and by a tree of cheap
nodes that would suit a card (benchmarks/bench_bids.c), which is given the optimum. One core each; Markdown."""
import json, os, subprocess, sys, tempfile

G, B, LIMIT = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "10"
print("| auction | gpube: nodes | seconds | cheap nodes | seconds | a second | proved |\n|" + "---|" * 7)
with tempfile.TemporaryDirectory() as work:
    path = os.path.join(work, "bids.txt")
    for goods, bids in ((40, 400), (60, 1000), (100, 2000)):
        for dist in "L1 L2 L3 L4 L5 L6 L7 L8 arbitrary regions scheduling paths matching".split():
            if goods == 100 and dist != "L7":
                continue
            subprocess.run([G, "generate", "auction", "--dist", dist, "--goods", str(goods), "--bids", str(bids), "--seed", "1", "-o", path], check=True)
            r = json.loads(subprocess.run([G, "auction", "--threads", "1", "--json", "--timeout", "60s", path], capture_output=True, text=True).stdout)
            _, nodes, seconds, rate, state = subprocess.run([B, path, str(r["revenue"]), LIMIT], capture_output=True, text=True, check=True).stdout.strip().split("\t")
            print("| %s, %d goods, %d bids | %d | %.3f%s | %s | %s | %s | %s |" % (dist, goods, bids, r["nodes"], r["seconds"], "" if r["status"] == "optimal" else ", not proved", nodes, seconds, rate, state), flush=True)
