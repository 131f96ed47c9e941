#!/usr/bin/env python3
"""How gpube-mpi grows with its ranks, as a CSV and a table.

ranks.py FILE ... --ranks 1,2,4,8,16 --csv raw.csv  runs each file with so many ranks of one thread: .uai by infer --task PR
with --infer, all by solve otherwise. A FILE 'random -n 19 -d 8 --seed 1' is made by gpube generate; '--method tree FILE' gives
the options of that file; 'maxcsp -n 24 -d 10 --p1 0.5 --p2 0.6 --seed 1' is made here: of so many pairs of variables so many tuples cost 1.
--threads 16 runs gpube with so many threads, too. 'longest' is the processor's seconds of the rank
that took most, which on a quiet host is about the time; 'all' those of all ranks; 'nodes' those of the search tree, of
AND/OR searches and of cases of relations, on all ranks (of ranks other than 0, those that are shared); 'lent' the open nodes that travelled; 'faster'
and 'more' compare with the run of one rank: the time, and the nodes. The answers of all runs of a file have to agree, or the
script ends with 1. --within S ends all runs by then; --mpirun has the words that start ranks.
Beside other work only 'longest', 'all' and 'nodes' mean something. --cores N runs as many files beside each other as have
room on N cores; --bind says how mpirun binds (none, core).
"""
import concurrent.futures
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

import common

ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
COLUMNS = ("file", "ranks", "threads", "status", "lent", "nodes", "wall", "longest", "all", "faster", "more")


def made(o, words, folder):
    """The options and the file of a FILE."""
    *options, last = shlex.split(words)
    if not options or options[0].startswith("-"):
        return options, last
    path = os.path.join(folder, re.sub(r"[^a-z0-9.]+", "_", words) + ".wcsp")
    if options[0] == "maxcsp":
        maxcsp(path, dict(zip(options[1::2], [*options[2::2], last])))
        return [], path
    subprocess.run([o.gpube, "generate", "-o", path, *options, last], check=True)
    return [], path


def maxcsp(path, o):
    """As few of the forbidden tuples as can be; as data/modelled has it."""
    n, d, draw = int(o["-n"]), int(o["-d"]), random.Random(int(o.get("--seed", 1)))
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    pairs = sorted(draw.sample(pairs, round(float(o["--p1"]) * len(pairs))))
    lines = [f"maxcsp {n} {d} {len(pairs)} 100000", " ".join([str(d)] * n)]
    for i, j in pairs:
        tuples = sorted(draw.sample(range(d * d), round(float(o["--p2"]) * d * d)))
        lines += [f"2 {i} {j} 0 {len(tuples)}", *(f"{c // d} {c % d} 1" for c in tuples)]
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")


def nodes_of(err):
    """A tree that begins anew, or a search on other tables, counts from 0 again; the other ranks' are told at the end."""
    total = 0
    for text in r"search tree: .*?(\d+) nodes? in()", r"AND/OR search: (\d+) nodes?, z (\d+)":
        last, tables = 0, ""
        for now, z in re.findall(text, err):
            total += last if int(now) < last or z != tables else 0
            last, tables = int(now), z
        total += last
    cases = re.findall(r"pairwise: (\d+) nodes split, (\d+) closed", err)[-1:]
    total += sum(sum(map(int, both)) for both in cases)
    return total + sum(map(int, re.findall(r"rank [1-9]\d*: (\d+) nodes of the shared", err)))


def run(o, file, n, threads, seconds):
    options, path = file
    words = [*o.mpirun.split(), "--bind-to", o.bind, "-n", str(n), o.program] if n else [o.gpube]
    words += ["infer" if o.infer else "solve", "-v", "--json", "--threads", str(threads), "--timeout", f"{seconds:.1f}s",
              *options, path]
    start = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **ENVIRONMENT}, check=False)
    wall = time.monotonic() - start
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        print(f"{shlex.join(words)}: no answer, status {done.returncode}\n{done.stderr[-1000:]}", file=sys.stderr)
        answer = {"status": "failed"}
    each = [float(x) for x in re.findall(r"rank \d+: ([0-9.]+) processor seconds", done.stderr)]
    lent = re.search(r"(\d+) nodes? lent|\"slices\": (\d+)", done.stderr + done.stdout)
    return {"file": " ".join([*options, os.path.basename(path)]), "ranks": n, "threads": threads, "status": answer["status"],
            "lower": answer.get("log10_lower" if o.infer else "lower_bound"),
            "upper": answer.get("log10_upper" if o.infer else "upper_bound"),
            "log10": answer.get("log10") if o.infer else None, "lent": (lent.group(1) or lent.group(2)) if lent else 0,
            "nodes": nodes_of(done.stderr), "wall": round(wall, 2), "longest": max(each, default=""),
            "all": round(sum(each), 2) if each else ""}


def contradict(rows, o):
    """Whether two runs cannot both be right; sums that are known have the same digits."""
    if o.infer:
        return len({r["log10"] for r in rows if r["status"] == "exact"}) > 1
    lower = [float(r["lower"]) for r in rows if r["lower"] is not None]
    upper = [float(r["upper"]) for r in rows if r["upper"] is not None]
    infeasible = {r["status"] == "infeasible" for r in rows if r["status"] not in ("bounds", "failed")}
    return (lower and upper and max(lower) > min(upper)) or len(infeasible) > 1


def main():
    p = common.options(__doc__, "--csv", "--gpube", ranks="1,2", threads=0, cores=1, timeout=300.0, infer=False, bind="none",
                       program="build/gpube-mpi", mpirun="mpirun", within=1e9)
    p.add_argument("files", nargs="+")
    o = p.parse_args()
    rows, begun = [], time.monotonic()
    print("|", " | ".join(COLUMNS), "|\n" + "|---" * len(COLUMNS) + "|")
    with tempfile.TemporaryDirectory() as folder:
        files = [made(o, words, folder) for words in o.files]
        ways = [(int(n), 1) for n in o.ranks.split(",")]
        for n, threads in ways[:1] + ([(0, o.threads)] if o.threads else []) + ways[1:]:
            with concurrent.futures.ThreadPoolExecutor(max(1, o.cores // max(n, threads))) as room:
                def within(f, n=n, threads=threads):
                    left = o.within - (time.monotonic() - begun)
                    return run(o, f, n, threads, min(o.timeout, left)) if left > 1 else None
                for r in room.map(within, files):
                    if not r:
                        continue
                    rows.append(r)
                    one = next((x for x in rows if x["file"] == r["file"] and x["ranks"] == 1), r)
                    r["faster"] = round(one["wall"] / r["wall"], 2)
                    r["more"] = round(r["nodes"] / one["nodes"], 2) if one["nodes"] else ""
                    print("|", " | ".join(str(r[k]) for k in COLUMNS), "|", flush=True)
                    if o.csv:
                        common.write_rows(o.csv, rows)
    wrong = [file for file in {r["file"]: 1 for r in rows} if contradict([r for r in rows if r["file"] == file], o)]
    for file in wrong:
        print(f"{file}: the answers contradict each other", file=sys.stderr)
    sys.exit(bool(wrong))


main()
