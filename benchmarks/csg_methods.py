#!/usr/bin/env python3
"""The methods of gpube csg side by side on the distributions of the literature, as raw.csv.

csg_methods.py GPUBE OUT.csv [--agents 15,20,25] [--limit 20] [--methods M,M] [--dist D,D]  solves int32 games
of twelve distributions by each method on one thread, and stops it (SIGTERM) after 'limit' seconds. Seconds are
those of the processor, for the whole command, which maps the game's file; two optima that differ, or a bound
below one, fail the run.
csg_methods.py --table OUT.csv  prints what was recorded.
"""

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import common

METHODS = ["lp", "conv", "idp"]  # what --methods may name besides: auto
DISTRIBUTIONS = ["uniform", "normal", "modified-uniform", "modified-normal", "exponential", "beta", "gamma",
                 "agent-uniform", "agent-normal", "ndcs", "threshold", "voting"]


def seconds_of(pid):
    with open(f"/proc/{pid}/stat") as f:
        ticks = f.read().rsplit(")", 1)[1].split()
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def solve(gpube, method, game, limit):
    words = [gpube, "csg", "--json", "--quiet", "--backend", "cpu", "--threads", "1", "--method", method, game]
    done = stopped = 0
    with subprocess.Popen(words, stdout=subprocess.PIPE) as p:
        while not done:
            time.sleep(0.02)
            done, status, used = os.wait4(p.pid, os.WNOHANG)
            if not done and not stopped and seconds_of(p.pid) > limit:
                p.send_signal(signal.SIGTERM)
                stopped = True
        p.returncode = os.waitstatus_to_exitcode(status)
        answer = p.stdout.read()  # some lines, which fit the pipe
    if p.returncode:
        sys.exit(f"{' '.join(words)}: exit {p.returncode}")
    return json.loads(answer), used.ru_utime + used.ru_stime


def check(row, found, best):
    """Two answers must not contradict each other."""
    if row["status"] == "optimal" and best and found["value"] != best:
        sys.exit(f"{row}: the optimum is {best}")
    if best and (found["value"] > best or found["upper_bound"] < best):
        sys.exit(f"{row}: {found['value']} to {found['upper_bound']}, the optimum is {best}")


def measure(o, rows, file):
    with tempfile.TemporaryDirectory() as tmp:
        for n in map(int, o.agents.split(",")):
            for name in o.dist.split(","):
                game, best = os.path.join(tmp, "game.csg"), None
                subprocess.run([o.program, "generate", "csg", "-n", str(n), "--dist", name, "--seed", "1",
                                "-o", game], check=True, stderr=subprocess.DEVNULL)
                for method in o.methods.split(","):
                    found, seconds = solve(o.program, method, game, o.limit)
                    row = {"distribution": name, "agents": n, "method": method, "seconds": round(seconds, 3),
                           "status": found["status"], "value": found["value"], "upper": found["upper_bound"],
                           "splits": found["splits"], "nodes": found["nodes"]}
                    check(row, found, best)
                    if found["status"] == "optimal":
                        best = found["value"]
                    rows.writerow(row)
                    file.flush()


def table(path):
    """Distributions down, methods by agents across; what was stopped shows its gap, and when."""
    cells, agents = {}, []
    with open(path, newline="") as f:
        for r in csv.DictReader(f):
            n = int(r["agents"])
            agents = agents if n in agents else agents + [n]
            gap = (float(r["upper"]) - float(r["value"])) / abs(float(r["value"])) if r["upper"] else 0
            cells[r["distribution"], n, r["method"]] = \
                f"{float(r['seconds']):.2f}" if r["status"] == "optimal" else \
                f"{100 * gap:.2g} % at {float(r['seconds']):.0f}"
    heads = [(n, m) for n in agents for m in ["auto", *METHODS] if any((d, n, m) in cells for d in DISTRIBUTIONS)]
    print("| distribution | " + " | ".join(f"{n}: {m}" for n, m in heads) + " |")
    print("|---" * (len(heads) + 1) + "|")
    for name in DISTRIBUTIONS:
        print(f"| {name} | " + " | ".join(cells.get((name, n, m), "") for n, m in heads) + " |")


def main():
    p = common.options(__doc__)
    p.add_argument("--table", metavar="OUT.csv")
    p.add_argument("program", nargs="?")
    p.add_argument("out", nargs="?")
    p.add_argument("--agents", default="15,20,25")
    p.add_argument("--limit", type=float, default=20)
    p.add_argument("--methods", default=",".join(METHODS))
    p.add_argument("--dist", default=",".join(DISTRIBUTIONS))
    o = p.parse_args()
    if o.table:
        return table(o.table)
    with open(o.out, "w", newline="") as f:
        rows = csv.DictWriter(f, ["distribution", "agents", "method", "seconds", "status", "value", "upper",
                                  "splits", "nodes"], lineterminator="\n")
        rows.writeheader()
        measure(o, rows, f)


main()
