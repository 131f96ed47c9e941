#!/usr/bin/env python3
"""Nodes of daoopt with its own mini-buckets and with gpube's tables, along the same order.

usage: benchmarks/daoopt.py DATA --daoopt DAOOPT [--gpube build/gpube] [--seconds 5] [--csv OUT.csv] [--only TEXT]

daoopt's own: one pass with moment matching (its default), and the same after 10 iterations of cost shifting on the join graph (--jglp 10).
gpube's: --method mbe and --method shift. The order is gpube's, the same for all; '-' is a search that was ended
after --seconds. Ends with 1 if optima differ.
"""
import argparse
import csv
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile

INSTANCES = (("grids/grid10x10.f10.wrap.uai", (6, 8, 10)), ("grids/grid10x10.f5.wrap.uai", (6, 8, 10)),
             ("grids/grid10x10.f15.wrap.uai", (6, 8, 10)), ("linkage/pedigree20.uai.xz", (8, 10)),
             ("promedas/or_chain_62.fg.uai.xz", (8, 10)), ("promedas/or_chain_4.fg.uai.xz", (8, 10)),
             ("protein/pdb1ctj.uai.xz", (2,)), ("spot5/uai/54.wcsp.uai", (4,)))


def unpacked(data, path, folder):
    to = os.path.join(folder, os.path.basename(path).removesuffix(".xz"))
    if path.endswith(".xz"):
        with lzma.open(f"{data}/{path}") as f, open(to, "wb") as g:
            shutil.copyfileobj(f, g)
    else:
        shutil.copyfile(f"{data}/{path}", to)
    evidence = f"{data}/{path}".removesuffix(".xz") + ".evid"
    if os.path.exists(evidence):
        shutil.copyfile(evidence, to + ".evid")
    return to


def search(args, model, order, ibound, *more):
    """(OR nodes, log10) or None"""
    evidence = os.path.join(os.path.dirname(order), "t.evid")
    words = [args.daoopt, "-f", model, "-o", order, "-t", "0", "-i", str(ibound), "--seed", "1", *more]
    if os.path.exists(evidence):
        words += ["-e", evidence]
    try:
        out = subprocess.run(words, capture_output=True, text=True, timeout=args.seconds, errors="replace",
                             cwd=os.path.dirname(order)).stdout  # it leaves a file where it runs
    except subprocess.TimeoutExpired:
        return None
    nodes, value = re.search(r"OR nodes:\s*(\d+)", out), re.search(r"^s (\S+)", out, re.M)
    return (int(nodes.group(1)), float(value.group(1))) if nodes and value else None


def tables(args, model, prefix, ibound, method, *more):
    subprocess.run([args.gpube, "daoopt", "-q", "--ibound", str(ibound), "--method", method, "--to", prefix, *more, model],
                   check=True, stdout=subprocess.DEVNULL, timeout=300)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data")
    ap.add_argument("--daoopt", required=True)
    ap.add_argument("--gpube", default="build/gpube")
    ap.add_argument("--seconds", type=float, default=5)
    ap.add_argument("--csv")
    ap.add_argument("--only", default="")
    args = ap.parse_args()
    args.daoopt = os.path.abspath(args.daoopt)
    rows, wrong = [], 0
    print(f"{'instance':28} {'i':>2} {'own':>10} {'own jglp':>10} {'gpube mbe':>10} {'gpube shift':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for path, ibounds in INSTANCES:
            if args.only not in path:
                continue
            model, prefix = unpacked(args.data, path, folder), os.path.join(folder, "t")
            order = os.path.join(folder, "fixed.ord")
            if os.path.exists(prefix + ".evid"):
                os.remove(prefix + ".evid")
            tables(args, model, prefix, 2, "mbe", "--order", "min-fill")
            shutil.copyfile(prefix + ".ord", order)
            for i in ibounds:
                results = [search(args, model, order, i), search(args, model, order, i, "--jglp", "10")]
                for method in ("mbe", "shift"):
                    tables(args, model, prefix, i, method, "--order-file", order)
                    results.append(search(args, model, prefix + ".ord", i, "--match=-1", "--minibucket", prefix + ".mb.gz"))
                values = [r[1] for r in results if r]
                if values and max(values) - min(values) > 1e-2:
                    print("WRONG", path, values)
                    wrong = 1
                nodes = [r[0] if r else "-" for r in results]
                print(f"{os.path.basename(path)[:28]:28} {i:2} {nodes[0]:>10} {nodes[1]:>10} {nodes[2]:>10} {nodes[3]:>11}",
                      flush=True)
                rows.append([path, i, *nodes])
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as f:
            w = csv.writer(f)
            w.writerow(["instance", "ibound", "own", "own_jglp_10", "gpube_mbe", "gpube_shift"])
            w.writerows(rows)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
