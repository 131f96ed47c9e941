#!/usr/bin/env python3
"""Models in which most variables share functions with many others, by gpube and toulbar2: processor seconds of one thread.

usage: benchmarks/dense.py FILE... [--gpube build/gpube] [--toulbar2 toulbar2] [--timeout 60] [--threads 1] [--method auto] [--csv OUT]

FILE is a model that both read, with FILE's evidence beside it (.evid, or in ../evid), a graph of BiqMac or Rudy (vertices and edges,
then two ends and a weight a line: the uncut weight is minimised, as spins.py does), or BiqMac's .sparse (a quadratic function of
Boolean variables). toulbar2 runs with the options of solve.py's peers; --toulbar2 none leaves it out. A line a file and tool:
whether it is proved, the bounds, and the seconds.
"""
import csv
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

from common import options
from solve import PEERS
from spins import write_model

FIELDS = ["file", "tool", "status", "lower", "upper", "cpu"]


def model_of(path, work):
    """(the file that tools read, its evidence or None)"""
    name = os.path.basename(path)
    if name.endswith(".sparse"):
        out = os.path.join(work, name[:-7] + ".qpbo")
        words = open(path).read().split()
        with open(out, "w") as f:
            f.write("%s %s\n" % tuple(words[:2]))
            for k in range(2, len(words) - 2, 3):
                f.write("%s %s %s\n" % tuple(words[k:k + 3]))
        return out, None
    if not re.search(r"\.[a-z]+(\.[gx]z)?$", name):
        out = os.path.join(work, name + ".wcsp")
        write_model(path, out)
        return out, None
    for evidence in path + ".evid", os.path.join(os.path.dirname(path), "..", "evid", name + ".evid"):
        if os.path.exists(evidence):
            return path, evidence
    return path, None


def run(command, limit):
    """(standard output, processor seconds)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        out = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit).stdout
    except subprocess.TimeoutExpired as e:
        out = (e.stdout or b"").decode(errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_gpube(path, evidence, args):
    out, cpu = run([args.gpube, "solve", "--json", "--backend", "cpu", "--threads", str(args.threads), "--timeout", "%gs" % args.timeout]
                   + (["--method", args.method] if args.method != "auto" else []) + [path] + ([evidence] if evidence else []),
                   args.timeout + 60)
    answer = json.loads(out or "{}")
    return [answer.get("status", "failed"), answer.get("lower_bound"), answer.get("upper_bound"), "%.2f" % cpu]


def by_toulbar2(path, evidence, peer, args):
    out, cpu = run([args.toulbar2, path] + ([evidence] if evidence else []) + PEERS[peer] + ["-timer=%d" % args.timeout], args.timeout + 60)
    optimum = re.search(r"^Optimum: *(\S+)", out, re.M)
    found = re.findall(r"^New solution: (\S+)", out, re.M)
    return ["optimal" if optimum else "bounds", optimum and optimum[1], optimum[1] if optimum else found[-1] if found else None, "%.2f" % cpu]


def main():
    p = options(__doc__, "--gpube", timeout=60.0, threads=1, method="auto", toulbar2="toulbar2", csv="")
    p.add_argument("files", nargs="+")
    args = p.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for path in args.files:
            model, evidence = model_of(path, work)
            tools = [("gpube", by_gpube(model, evidence, args))]
            if args.toulbar2 != "none":
                tools += [(peer, by_toulbar2(model, evidence, peer, args)) for peer in PEERS]
            for tool, row in tools:
                rows.append([os.path.basename(path), tool] + row)
                print(*rows[-1], flush=True)
    if args.csv:
        with open(args.csv, "w", newline="") as f:
            csv.writer(f, lineterminator="\n").writerows([FIELDS] + rows)


if __name__ == "__main__":
    sys.exit(main())
