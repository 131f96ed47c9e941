#!/usr/bin/env python3
"""Spin glasses and other graphs with weights, of which the uncut weight is minimised, by bound and solve, with and without a card.

usage: benchmarks/spins.py FILE... [--gpube build/gpube] [--runs 3] [--timeout 25] [--backends cuda,cpu] [--commands bound,solve] [--certify]

FILE is of the form of BiqMac and of Rudy: vertices and edges, then two ends (from 1) and a weight a line; an edge of weight w > 0 costs
w where its ends are equal, one of w < 0 costs -w where they differ; or a model that was made so, a .wcsp. A line a file, command and backend: proved runs, and the median,
least and most of their seconds by the clock; of the others the best bounds. bound is asked for --method (pairwise) alone.
--certify: with a certificate, whose bound, bytes (as text, as .xz) and seconds of its check are told, of the last run.
"""
import json
import lzma
import os
import statistics
import subprocess
import tempfile
import time

from common import options


def write_model(path, out):
    words = open(path).read().split()
    n, m = int(words[0]), int(words[1])
    edges = [tuple(map(int, words[2 + 3 * k:5 + 3 * k])) for k in range(m)]
    with open(out, "w") as f:
        f.write("%s %d 2 %d %d\n%s\n" % (os.path.basename(path), n, m, 1 + sum(abs(w) for *_, w in edges), " ".join("2" * n)))
        for a, b, w in edges:
            f.write("2 %d %d 0 2\n" % (a - 1, b - 1))
            f.write("0 0 %d\n1 1 %d\n" % (w, w) if w > 0 else "0 1 %d\n1 0 %d\n" % (-w, -w))


def checked(gpube, certificate, model):
    """What a certificate proves, its bytes, and the seconds of its check."""
    start = time.time()
    run = subprocess.run([gpube, "bound", "-q", "--verify", certificate, model], capture_output=True, text=True)
    seconds = time.time() - start
    with open(certificate, "rb") as f:
        content = f.read()
    return "certified %s, %d bytes (%d as .xz), checked in %.2f s" % (
        run.stdout.split()[1].rstrip(",") if run.returncode == 0 else "NOTHING", len(content), len(lzma.compress(content)), seconds)


def main():
    p = options(__doc__, "--gpube", runs=3, timeout=25.0, backends="cuda,cpu", commands="bound,solve", method="pairwise")
    p.add_argument("--certify", action="store_true")
    p.add_argument("files", nargs="+")
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, "model.wcsp")
        for path in args.files:
            if not path.endswith(".wcsp"):
                write_model(path, model)
            for command in args.commands.split(","):
                for backend in args.backends.split(","):
                    seconds, open_runs = [], []
                    for _ in range(args.runs):
                        start = time.time()
                        run = subprocess.run([args.gpube, command, "--json", "--backend", backend, "--timeout", "%gs" % args.timeout]
                            + (["--method", args.method] if command == "bound" else [])
                            + (["--certify", model + ".cert"] if args.certify else [])
                            + [path if path.endswith(".wcsp") else model], capture_output=True, text=True)
                        answer = json.loads(run.stdout)
                        if answer["status"] == "optimal":
                            seconds.append(time.time() - start)
                        else:
                            open_runs.append((answer.get("lower_bound"), answer.get("upper_bound")))
                    told = "%d of %d proved" % (len(seconds), args.runs)
                    if seconds:
                        told += ", %.1f s (%.1f to %.1f)" % (statistics.median(seconds), min(seconds), max(seconds))
                    if args.certify:
                        told += ", " + checked(args.gpube, model + ".cert", path if path.endswith(".wcsp") else model)
                    print("%s %s %s: %s %s" % (os.path.basename(path), command, backend, told, open_runs or ""), flush=True)


if __name__ == "__main__":
    main()
