#!/usr/bin/env python3
"""Two builds in turn, A B A B …, each with one thread: processor seconds and peak memory.

    benchmarks/pairs.py OLD NEW DIR [--pairs 30] [--only csg] [--csv pairs.csv] [--gpube build/gpube] [--card] [--deadline 200]

OLD and NEW are called as gpube is: 'csg --threads 1 FILE', nash and auction. DIR gets the files that are missing, made by
--gpube: coalition games of 24 and 26 agents, bimatrix games of 18 and 20 actions, auctions of all of CATS' kinds. A row a file:
how many pairs, medians of both, the median of the ratios pair by pair, the least and the most of it, peak MiB of both.

With --card on a GPU and all cores, seconds of the clock: games of 28 and 32 agents, which are made on the card, and a bimatrix
game of 32 actions. A pair that would end after --deadline seconds is left out. With --mapped 28: what of a game of so many
agents, which is mapped, NEW has in memory of its own and in pages of files while it solves it, at most.
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
CARD = [("csg", "uniform.28", ["--generate", "uniform", "-n", "28", "--type", "int32", "--method", "conv"]),
    ("nash", "random.32", ["--method", "eee"]),
    ("csg", "uniform.32", ["--generate", "uniform", "-n", "32", "--type", "int16", "--method", "conv"])]


def run(words):
    """Processor seconds and peak KiB, which GNU time tells: a child of Python's has that of Python, too."""
    p = subprocess.Popen(["/usr/bin/time", "-f", "%M"] + words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = int(p.stderr.read().split()[-1])
    usage = os.wait4(p.pid, 0)[2]
    return usage.ru_utime + usage.ru_stime, peak


def run_card(words):
    """Seconds by the clock and peak KiB, of programs that need much more than Python does."""
    start = time.monotonic()
    p = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = p.stderr.read()
    _, status, usage = os.wait4(p.pid, 0)
    if status:
        raise SystemExit("%s: %s" % (" ".join(words), said.decode()))
    return time.monotonic() - start, usage.ru_maxrss


def compare(how, programs, words, n, until=float("inf")):
    """Of n pairs of runs, or of as many as end in time."""
    seen, last = [], 0
    for program in programs: # not counted
        how([program] + words)
    while len(seen) < n and time.monotonic() + last < until:
        start = time.monotonic()
        seen.append([how([program] + words) for program in programs])
        last = time.monotonic() - start
    if not seen:
        return None
    seconds = [[pair[k][0] for pair in seen] for k in range(2)]
    ratios = [b / max(a, 1e-3) for a, b in zip(*seconds)]
    return {"pairs": len(seen), "old_s": "%.3f" % statistics.median(seconds[0]),
        "new_s": "%.3f" % statistics.median(seconds[1]), "ratio": "%.3f" % statistics.median(ratios),
        "least": "%.3f" % min(ratios), "most": "%.3f" % max(ratios),
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


def file_of(o, command, name, suffix, made):
    path = os.path.join(o.dir, command + "." + name + suffix)
    if not os.path.exists(path):
        subprocess.run([o.gpube, "generate"] + made + ["--seed", "1", "-o", path], check=True)
    return path


def cases(o):
    """Command, name and words of each."""
    for command, name, made, suffix in [] if o.card else CASES:
        if o.only in command + " " + name:
            yield command, name, ["--threads", "1", file_of(o, command, name, suffix, made)]
    for command, name, words in CARD if o.card else []:
        if command == "nash":
            words = words + [file_of(o, command, name, ".nfg", ["nash", "--game", "random", "-n", name.split(".")[1]])]
        yield command, name, words + ["--backend", "cuda"]


def main():
    p = options(__doc__, "--only", "--csv", "--gpube", "--deadline", pairs=30, mapped=0, card=False)
    p.add_argument("old")
    p.add_argument("new")
    p.add_argument("dir")
    o = p.parse_args()
    if o.mapped:
        print("a file of %.0f MiB: %.0f MiB of memory, %.0f of pages of files" % tuple(mapped(o.gpube, o.new, o.dir, o.mapped)))
        return
    rows, until = [], time.monotonic() + o.deadline
    for command, name, words in cases(o):
        found = compare(run_card if o.card else run, [o.old, o.new], [command] + words, o.pairs, until)
        if not found:
            continue
        rows.append({"command": command, "file": name, **found})
        print(*rows[-1].values(), sep="\t", flush=True)
        if o.csv:
            write_rows(o.csv, rows)


if __name__ == "__main__":
    main()
