#!/usr/bin/env python3
"""Two builds in turn, A B A B …, each with one thread: processor seconds and peak memory.

    benchmarks/pairs.py OLD NEW DIR [--pairs 30] [--only csg] [--csv pairs.csv] [--gpube build/gpube]

OLD and NEW are called as gpube is: 'csg --threads 1 FILE', nash and auction. DIR gets the files that are missing, made by
--gpube: coalition games of 24 and 26 agents, bimatrix games of 18 and 20 actions, auctions of all of CATS' kinds. A row a file:
medians of both, the median of the ratios pair by pair, peak MiB of both. With --mapped 28: what of a game of so many agents,
which is mapped, NEW has in memory of its own and in pages of files while it solves it, at most.
"""
import os
import re
import statistics
import subprocess
import time

from common import options, write_rows

AUCTIONS = {"arbitrary": 60, "regions": 60, "scheduling": 60, "paths": 60, "matching": 60, "L1": 60, "L2": 60, "L3": 60,
    "L4": 60, "L5": 60, "L6": 60, "L7": 30, "L8": 60}
CASES = [("csg", "%s.%d" % (d, n), ["csg", "--dist", d, "-n", str(n)], ".csg")
    for n in (24, 26) for d in ("uniform", "normal", "gamma", "ndcs")]
CASES += [("nash", "%s.%d" % (g, n), ["nash", "--game", g, "-n", str(n)], ".nfg")
    for n in (18, 20) for g in ("random", "covariant", "minimum-effort")]
CASES += [("auction", d, ["auction", "--dist", d, "--goods", str(g), "--bids", "300"], ".txt") for d, g in AUCTIONS.items()]
CASES += [("auction", d + ".large", ["auction", "--dist", d, "--goods", "100", "--bids", "1000"], ".txt")
    for d in ("regions", "scheduling")]


def run(program, command, path):
    """Processor seconds and peak KiB, which GNU time tells: a child of Python's has that of Python, too."""
    p = subprocess.Popen(["/usr/bin/time", "-f", "%M", program, command, "--threads", "1", path], stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE)
    peak = int(p.stderr.read().split()[-1])
    usage = os.wait4(p.pid, 0)[2]
    return usage.ru_utime + usage.ru_stime, peak


def compare(programs, command, path, n):
    seen = [run(program, command, path) for program in programs] # not counted
    seen = [[run(program, command, path) for program in programs] for _ in range(n)]
    seconds = [[pair[k][0] for pair in seen] for k in range(2)]
    return {"old_s": "%.3f" % statistics.median(seconds[0]), "new_s": "%.3f" % statistics.median(seconds[1]),
        "ratio": "%.3f" % statistics.median(b / max(a, 1e-3) for a, b in zip(*seconds)),
        "old_MiB": "%.1f" % (max(pair[0][1] for pair in seen) / 1024),
        "new_MiB": "%.1f" % (max(pair[1][1] for pair in seen) / 1024)}


def mapped(gpube, program, directory, agents):
    """MiB of a game's file; the most of anonymous memory, and of pages of files, that solving it has at a time."""
    path = os.path.join(directory, "mapped.%d.csg" % agents)
    if not os.path.exists(path):
        subprocess.run([gpube, "generate", "csg", "--dist", "normal", "-n", str(agents), "-o", path], check=True)
    most = [0, 0]
    p = subprocess.Popen([program, "csg", "--threads", "1", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while p.poll() is None:
        with open("/proc/%d/status" % p.pid) as f:
            now = [int(kib) for kib in re.findall(r"Rss(?:Anon|File):\s+(\d+)", f.read())]
        most = [max(a, b) for a, b in zip(most, now or most)]
        time.sleep(0.005)
    return [os.path.getsize(path) / 2**20] + [kib / 1024 for kib in most]


def main():
    p = options(__doc__, "--only", "--csv", "--gpube", pairs=30, mapped=0)
    p.add_argument("old")
    p.add_argument("new")
    p.add_argument("dir")
    o = p.parse_args()
    if o.mapped:
        print("a file of %.0f MiB: %.0f MiB of memory, %.0f of pages of files" % tuple(mapped(o.gpube, o.new, o.dir, o.mapped)))
        return
    rows = []
    for command, name, made, suffix in CASES:
        if o.only not in command + " " + name:
            continue
        path = os.path.join(o.dir, command + "." + name + suffix)
        if not os.path.exists(path):
            subprocess.run([o.gpube, "generate"] + made + ["--seed", "1", "-o", path], check=True)
        rows.append({"command": command, "file": name, **compare([o.old, o.new], command, path, o.pairs)})
        print(*rows[-1].values(), sep="\t", flush=True)
    if o.csv:
        write_rows(o.csv, rows)


if __name__ == "__main__":
    main()
