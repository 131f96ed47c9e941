#!/usr/bin/env python3
"""Elimination orders found in the same processor seconds: gpube's search beside FlowCutter, Tamaki's and TreeSA-like annealing.

usage: benchmarks/orders.py --csv RUN.csv [--seconds 10] [--ways gpube,flowcutter,tamaki,cotengra] [--only TEXT]
                            [--deadline SECONDS] [--share K/N] [--flowcutter PROGRAM] [--tamaki FOLDER] GRAPH...
       benchmarks/orders.py --csv RUN.csv --report

A GRAPH is a model, whose primal graph after gpube's simplification is taken, or a graph of PACE's (.gr, .gr.xz). All ways get the
same graph and one processor core; what they give is made an elimination order, and all orders are costed by the same
program (bench_order cost): log10 of joined cells with the model's domains, 2 for a graph's vertices. What the CSV has
already is not run again. --share 3/16: only the third of sixteen shares of the graphs, so that sixteen processes do them all,
each with its own CSV. --report: a line a graph, and how far gpube is behind the best other.

flowcutter  flow_cutter_pace17 of kit-algo/flow-cutter-pace17: ended by SIGTERM, its tree decomposition
tamaki      TCS-Meiji/PACE2017-TrackA's tw.heuristic.MainDecomposer (java), ended the same way
cotengra    stands for OMEinsum's TreeSA: a greedy contraction tree and simulated annealing of it, again and again,
            of the tensors that are the graph's edges (PyPI: cotengra, cotengrust); run this script in its Python
Neither of the first two knows domains.
"""
import csv
import lzma
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

FIELDS = ["graph", "n", "edges", "way", "seconds", "width", "cells"]
HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.environ.get("BENCH_ORDER", os.path.join(HERE, "..", "build", "benchmarks", "bench_order"))


def graph_of(path, folder):
    """The file's graph as a .gr of that folder: its name."""
    to = os.path.join(folder, "graph.gr")
    with open(to, "w") as f:
        if path.endswith(".gr.xz"):
            f.write(lzma.open(path, "rt").read())
        elif path.endswith(".gr"):
            f.write(open(path).read())
        else:
            subprocess.run([BENCH, "graph", path], stdout=f, check=True)
    return to


def read_graph(path):
    n, domain, edges = 0, {}, set()
    for line in open(path):
        words = line.split()
        if words[:2] == ["p", "tw"]:
            n = int(words[2])
        elif words[:2] == ["c", "domain"]:
            domain[int(words[2])] = int(words[3])
        elif words and words[0] != "c":
            a, b = int(words[0]), int(words[1])
            edges.add((min(a, b), max(a, b)))
    return n, domain, edges


# ---- from what others give to an order


def order_of_decomposition(text, n):
    """Leaves of the tree one after another: what is in no other bag that is left is eliminated."""
    bags, near = {}, {}
    for line in text.splitlines():
        words = line.split()
        if not words or words[0] in "cs":
            continue
        if words[0] == "b":
            bags[int(words[1])] = [int(w) for w in words[2:]]
            near.setdefault(int(words[1]), set())
        else:
            a, b = int(words[0]), int(words[1])
            near.setdefault(a, set()).add(b)
            near.setdefault(b, set()).add(a)
    if not bags:
        return None
    order, done = [], set()
    leaves = [b for b in bags if len(near[b]) <= 1]
    while leaves:
        leaf = leaves.pop()
        parent = next(iter(near[leaf]), None)
        kept = set(bags[parent]) if parent else ()
        for v in bags[leaf]:
            if v not in kept and v not in done:
                done.add(v)
                order.append(v)
        if parent:
            near[parent].discard(leaf)
            near[leaf].clear()
            if len(near[parent]) == 1:
                leaves.append(parent)
            elif not near[parent] and parent not in leaves:
                leaves.append(parent)
    return order + [v for v in range(1, n + 1) if v not in done]


def order_of_contractions(path, inputs, n):
    """A variable is eliminated where the last two tensors that hold it meet."""
    count = {}
    for t in inputs:
        for v in t:
            count[v] = count.get(v, 0) + 1
    tensors, order = {i: {v: 1 for v in t} for i, t in enumerate(inputs)}, []
    following = len(inputs)
    for pair in path:
        merged = {}
        for i in pair:
            for v, c in tensors.pop(i).items():
                merged[v] = merged.get(v, 0) + c
        gone = [v for v, c in merged.items() if c == count[v]]
        order += gone
        for v in gone:
            del merged[v]
        tensors[following] = merged
        following += 1
    order = [ord(v) - 0x10000 for v in order]
    known = set(order)
    return order + [v for v in range(1, n + 1) if v not in known]


# ---- the ways


def processor_seconds(pid):
    with open("/proc/%d/stat" % pid) as f:
        words = f.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def until_stopped(cmd, graph, seconds, cwd=None):
    """What a program prints that is stopped by SIGTERM after so many processor seconds."""
    with open(graph) as given, tempfile.TemporaryFile("w+") as out:
        p = subprocess.Popen(cmd, stdin=given, stdout=out, stderr=subprocess.DEVNULL, cwd=cwd)
        asked, begin = 0, time.monotonic()
        while p.poll() is None:
            time.sleep(0.05)
            try:
                spent = processor_seconds(p.pid)
            except OSError:
                continue
            if not asked and spent >= seconds:
                p.send_signal(signal.SIGTERM)
                asked = time.monotonic()
            if (asked and time.monotonic() - asked > 60) or time.monotonic() - begin > 30 * seconds + 60:
                p.kill()
        out.seek(0)
        return out.read()


def by_gpube(graph, n, seconds, opts, seed=1):
    out = subprocess.run([BENCH, "-s", str(seed), "find", str(seconds), graph], stdout=subprocess.PIPE, text=True).stdout
    words = out.splitlines()[-1].split("\t")
    return (words[6], words[7]) if len(words) >= 10 else None


def by_flowcutter(graph, n, seconds, opts):
    return order_of_decomposition(until_stopped([opts.flowcutter, graph], graph, seconds), n)


def by_tamaki(graph, n, seconds, opts):
    cmd = ["java", "-Xmx4g", "-Xss512m", "-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC", "tw.heuristic.MainDecomposer"]
    return order_of_decomposition(until_stopped(cmd + ["-s", "42"], graph, seconds, opts.tamaki), n)


def by_cotengra(graph, n, seconds, opts):
    """A process of its own, so that the others' memory is free."""
    out = subprocess.run([sys.executable, __file__, "--anneal", graph, "--seconds", str(seconds)],
                         stdout=subprocess.PIPE, text=True).stdout
    return [int(w) for w in out.split()] or None


def anneal(graph, seconds):
    import cotengra

    n, domain, edges = read_graph(graph)
    name = {v: chr(0x10000 + v) for v in range(1, n + 1)}  # one character each, as cotengrust wants it
    inputs = [(name[a], name[b]) for a, b in sorted(edges)] + [(name[v],) for v in name]
    sizes = {name[v]: domain.get(v, 2) for v in name}
    begin, best, seed = time.process_time(), None, 0
    while time.process_time() - begin < seconds:
        greedy = cotengra.RandomGreedyOptimizer(max_repeats=1, seed=seed, parallel=False)
        tree = cotengra.ContractionTree.from_path(inputs, (), sizes, ssa_path=greedy.ssa_path(inputs, (), sizes))
        steps = 0
        if best is None or tree.contraction_cost(log=10) < best[0]:
            best = (tree.contraction_cost(log=10), tree.get_ssa_path())
        while time.process_time() - begin < seconds:
            try:
                tree.simulated_anneal_(minimize="flops", tsteps=4, numiter=4, seed=seed + steps,
                                       tstart=2 if steps == 0 else 0.5)
                tree.subtree_reconfigure_(minimize="flops", subtree_size=8, maxiter=200, seed=steps)
            except OverflowError:
                break
            steps += 1
            if best is None or tree.contraction_cost(log=10) < best[0] - 1e-9:
                best = (tree.contraction_cost(log=10), tree.get_ssa_path())
            elif steps > 3:
                break
        seed += 1000
    print(*order_of_contractions(best[1], inputs, n))


WAYS = {"gpube": by_gpube, "flowcutter": by_flowcutter, "tamaki": by_tamaki, "cotengra": by_cotengra}


def measure(opts, path, ways):
    with tempfile.TemporaryDirectory() as folder:
        graph = graph_of(path, folder)
        n, _, edges = read_graph(graph)
        for way in ways:
            found = WAYS[way.split("@")[0]](graph, n, opts.seconds, opts)
            if isinstance(found, list):
                name = os.path.join(folder, "order")
                with open(name, "w") as f:
                    f.write("\n".join(map(str, found)))
                out = subprocess.run([BENCH, "cost", graph, name], stdout=subprocess.PIPE, text=True).stdout.split("\t")
                found = (out[2], out[3]) if len(out) >= 6 else None
            width, cells = found or ("", "")
            yield {"graph": path, "n": n, "edges": len(edges), "way": way, "seconds": opts.seconds, "width": width, "cells": cells}


# ---- the table


def report(rows):
    graphs = {}
    for r in rows:
        graphs.setdefault(r["graph"], {})[r["way"]] = r
    ways = list(dict.fromkeys(r["way"] for r in rows))
    print("| graph | vertices | edges | " + " | ".join(ways) + " | gpube above the best other |")
    print("|---" * (len(ways) + 4) + "|")
    behind = []
    for g, of in sorted(graphs.items()):
        cells = {w: float(r["cells"]) for w, r in of.items() if r["cells"]}
        others = [c for w, c in cells.items() if not w.startswith("gpube")]
        one = next(iter(of.values()))
        gap = cells["gpube"] - min(others) if "gpube" in cells and others else math.nan
        behind.append(gap)
        print("| %s | %s | %s | %s | %+.2f |" % (re.sub(r"(\.uai|\.gr|\.cnf|\.xz)+$", "", os.path.basename(g)), one["n"], one["edges"],
              " | ".join("%.2f" % cells[w] if w in cells else "-" for w in ways), gap))
    known = [b for b in behind if not math.isnan(b)]
    finite = [b for b in known if not math.isinf(b)]  # cells past 1e308 have no number
    print("\n%d graphs: gpube above the best other by more than 0.1 on %d, below it by more than 0.1 on %d; in sum of %d %+.1f decades" % (
        len(known), sum(b > 0.1 for b in known), sum(b < -0.1 for b in known), len(finite), sum(finite)))


def main():
    import argparse

    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("graphs", nargs="*")
    p.add_argument("--csv")
    p.add_argument("--seconds", type=float, default=10)
    p.add_argument("--ways", default="gpube,flowcutter,tamaki,cotengra")
    p.add_argument("--only", default="")
    p.add_argument("--deadline", type=float, default=1e9)
    p.add_argument("--share", default="1/1")
    p.add_argument("--flowcutter", default="flow_cutter_pace17")
    p.add_argument("--tamaki", default=".")
    p.add_argument("--report", action="store_true")
    p.add_argument("--anneal")
    opts = p.parse_args()
    if opts.anneal:
        return anneal(opts.anneal, opts.seconds)
    rows = list(csv.DictReader(open(opts.csv))) if os.path.exists(opts.csv) else []
    if opts.report:
        return report(rows)
    done = {(r["graph"], r["way"]) for r in rows}
    begin = time.monotonic()
    with open(opts.csv, "a", newline="") as f:
        out = csv.DictWriter(f, FIELDS)
        if not rows:
            out.writeheader()
        share, shares = map(int, opts.share.split("/"))
        for path in opts.graphs[share - 1 :: shares]:
            ways = [w for w in opts.ways.split(",") if (path, w) not in done]
            if opts.only not in path or not ways or time.monotonic() - begin > opts.deadline:
                continue
            for row in measure(opts, path, ways):
                out.writerow(row)
                f.flush()


if __name__ == "__main__":
    main()
