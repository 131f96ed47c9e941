#!/usr/bin/env python3
"""How gpube-mpi grows with its ranks, as a CSV and a table.

ranks.py FILE ... --ranks 1,2,4,8,16 --csv raw.csv  runs each file with so many ranks of one thread: .uai by infer --task PR
with --infer, all by solve otherwise. A FILE 'random -n 19 -d 8 --seed 1' is made by gpube generate; '--method tree FILE' gives
the options of that file. --threads 16 runs gpube with so many threads, too. 'longest' is the processor's seconds of the rank
that took most, which on a quiet host is about the time; 'all' those of all ranks; 'nodes' those of the shared tree, on all
ranks; 'lent' the open nodes that travelled. The answers of all runs of a file have to agree, or the script ends with 1.
Beside other work only 'longest', 'all' and 'nodes' mean something. --cores N runs as many files beside each other as have
room on N cores; --bind says how mpirun binds (none, core).
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

import common

ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
COLUMNS = ("file", "ranks", "threads", "status", "lent", "nodes", "wall", "longest", "all")


def made(o, words, folder):
    """The options and the file of a FILE."""
    *options, last = shlex.split(words)
    if not options or options[0].startswith("-"):
        return options, last
    path = os.path.join(folder, re.sub(r"[^a-z0-9.]+", "_", words) + ".wcsp")
    subprocess.run([o.gpube, "generate", "-o", path, *options, last], check=True)
    return [], path


def run(o, file, n, threads):
    options, path = file
    words = ["mpirun", "--bind-to", o.bind, "-n", str(n), o.program] if n else [o.gpube]
    words += ["infer" if o.infer else "solve", "-v", "--json", "--threads", str(threads), "--timeout", str(o.timeout),
              *options, path]
    start = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **ENVIRONMENT}, check=False)
    wall = time.monotonic() - start
    answer = json.loads(done.stdout)
    each = [float(x) for x in re.findall(r"rank \d+: ([0-9.]+) processor seconds", done.stderr)]
    lent = re.search(r"(\d+) nodes? lent|\"slices\": (\d+)", done.stderr + done.stdout)
    nodes = [int(x) for x in re.findall(r"rank \d+: (\d+) nodes of the shared tree", done.stderr) or
             re.findall(r"search tree: .*?(\d+) nodes? in", done.stderr)[-1:]]
    return {"file": " ".join([*options, os.path.basename(path)]), "ranks": n, "threads": threads, "status": answer["status"],
            "lower": answer.get("log10_lower" if o.infer else "lower_bound"),
            "upper": answer.get("log10_upper" if o.infer else "upper_bound"),
            "log10": answer.get("log10") if o.infer else None, "lent": (lent.group(1) or lent.group(2)) if lent else 0,
            "nodes": sum(nodes), "wall": round(wall, 2), "longest": max(each, default=""),
            "all": round(sum(each), 2) if each else ""}


def contradict(rows, o):
    """Whether two runs cannot both be right; sums that are known have the same digits."""
    if o.infer:
        return len({r["log10"] for r in rows if r["status"] == "exact"}) > 1
    lower = [float(r["lower"]) for r in rows if r["lower"] is not None]
    upper = [float(r["upper"]) for r in rows if r["upper"] is not None]
    infeasible = {r["status"] == "infeasible" for r in rows if r["status"] != "bounds"}
    return (lower and upper and max(lower) > min(upper)) or len(infeasible) > 1


def main():
    p = common.options(__doc__, "--csv", "--gpube", ranks="1,2", threads=0, cores=1, timeout=300.0, infer=False, bind="none",
                       program="build/gpube-mpi")
    p.add_argument("files", nargs="+")
    o = p.parse_args()
    rows = []
    print("|", " | ".join(COLUMNS), "|\n" + "|---" * len(COLUMNS) + "|")
    with tempfile.TemporaryDirectory() as folder:
        files = [made(o, words, folder) for words in o.files]
        for n, threads in [(int(n), 1) for n in o.ranks.split(",")] + ([(0, o.threads)] if o.threads else []):
            with concurrent.futures.ThreadPoolExecutor(max(1, o.cores // max(n, threads))) as room:
                for r in room.map(lambda file, n=n, threads=threads: run(o, file, n, threads), files):
                    rows.append(r)
                    print("|", " | ".join(str(r[k]) for k in COLUMNS), "|", flush=True)
            if o.csv:
                common.write_rows(o.csv, rows)
    wrong = [file for file in {r["file"]: 1 for r in rows} if contradict([r for r in rows if r["file"] == file], o)]
    for file in wrong:
        print(f"{file}: the answers contradict each other", file=sys.stderr)
    sys.exit(bool(wrong))


main()
