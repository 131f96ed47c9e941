#!/usr/bin/env python3
"""What consistency before DPOP takes away of its messages, in place of branch consistency, which is not built.

usage: benchmarks/papers/branch.py [--gpube build/gpube] [--seeds 20]

Random networks of 12 agents with 8 values, density 0.35, as tight as they come before nearly all are infeasible: of those with a solution bytes of all UTIL messages of
`gpube dpop`, as they are and after `convert --simplify --consistency none|sac`, which removes values that are in no solution. Optima are compared. Markdown.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("--gpube", default="build/gpube")
ap.add_argument("--seeds", type=int, default=20)
O = ap.parse_args()


def dpop(path):
    """The optimum, or None where there is none, and the bytes of messages."""
    r = json.loads(subprocess.run([O.gpube, "dpop", "--json", path], capture_output=True, text=True, check=True).stdout)
    return r["lower_bound"] if r["status"] == "optimal" else None, r["message_bytes"]


print("| p2 | with a solution | KiB of messages, geometric mean | values that simplification removes: KiB | and singleton arc consistency: KiB | spared |\n|---|---|---|---|---|---|")
with tempfile.TemporaryDirectory() as work:
    for p2 in (0.3, 0.4, 0.45, 0.5, 0.55):
        logs = []
        for seed in range(1, O.seeds + 1):
            net = os.path.join(work, "net.wcsp")
            subprocess.run([O.gpube, "generate", "random", "-n", "12", "-d", "8", "--p1", "0.35", "--p2", str(p2), "--seed", str(seed), "-o", net], check=True)
            best, plain = dpop(net)
            if best is None:
                continue
            of = [plain]
            for how in ("none", "sac"):
                to = os.path.join(work, how + ".wcsp")
                subprocess.run([O.gpube, "convert", "--simplify", "--consistency", how, net, to], check=True, capture_output=True)
                again, bytes_ = dpop(to)
                assert again == best, (p2, seed, how, best, again)
                of.append(bytes_)
            logs.append([math.log(max(b, 1)) for b in of])
        if logs:
            kib = [math.exp(sum(x[k] for x in logs) / len(logs)) / 1024 for k in range(3)]
            print("| %g | %d of %d | %s | %.0f %% |" % (p2, len(logs), O.seeds, " | ".join("%.3g" % k for k in kib), 100 * (1 - kib[2] / kib[0])), flush=True)
