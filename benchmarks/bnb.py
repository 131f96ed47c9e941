#!/usr/bin/env python3
"""Nodes and time of plugins/example/bnb with no bound, with mini-buckets, and with those after cost shifting.

usage: benchmarks/bnb.py DATA --bnb plugins/example/bnb [--seconds 5] [--csv OUT.csv] [--only TEXT]

One run per instance and setting, the same i-bound for both kinds of tables; '>' marks a search that was ended after
--seconds. Seconds are those of the tables and of the search, without the search for an order. Any two optima that differ end
the run with 1.
"""
import argparse
import csv
import re
import subprocess
import sys

INSTANCES = (("derived/spot5/54.wcsp", 4), ("derived/spot5/29.wcsp.xz", 4), ("spot5/404.wcsp.xz", 10),
             ("wcsp_misc/warehouse.wcsp", 4), ("derived/coloring/GEOM30a_4.wcsp", 4), ("linkage/pedigree1.wcsp.xz", 10),
             ("linkage/pedigree20.uai.xz", 10), ("grids/grid10x10.f10.wrap.uai", 10),
             ("promedas/or_chain_62.fg.uai.xz", 10), ("protein/pdb1ctj.uai.xz", 2))


def run(args, path, setting, ibound):
    p = subprocess.run([args.bnb, "-b", setting, "-i", str(ibound), "-t", str(args.seconds), f"{args.data}/{path}"],
                       capture_output=True, text=True, timeout=600, check=True)
    said = {k: v.split() for k, v in re.findall(r"^(optimum|best so far|unknown|root bound|nodes|tables|search) *(.*)$",
                                                p.stdout, re.M)}
    proved = "optimum" in said
    value = said.get("optimum") or said.get("best so far") or ["-"]
    return {"proved": proved, "value": value[0], "root": said["root bound"][0], "nodes": int(said["nodes"][0]),
            "tables": float(said["tables"][-2]), "search": float(said["search"][0])}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data")
    ap.add_argument("--bnb", required=True)
    ap.add_argument("--seconds", type=float, default=5)
    ap.add_argument("--csv")
    ap.add_argument("--only", default="")
    args = ap.parse_args()
    rows, wrong = [], 0
    for path, ibound in INSTANCES:
        if args.only not in path:
            continue
        optima = set()
        for setting in ("none", "mbe", "shift"):
            r = run(args, path, setting, ibound)
            if r["proved"]:
                optima.add(r["value"])
            rows.append([path, ibound, setting, *r.values()])
            print(f"{path:34} i {ibound:2} {setting:6} {'' if r['proved'] else '>':1}{r['nodes']:>12} nodes "
                  f"{r['tables']:8.3f} + {r['search']:7.3f} s  root {r['root']}  {r['value']}", flush=True)
        if len(optima) > 1:
            print(f"WRONG {path}: {optima}")
            wrong = 1
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as f:
            w = csv.writer(f)
            w.writerow(["instance", "ibound", "setting", "proved", "value", "root_bound", "nodes", "tables_seconds",
                        "search_seconds"])
            w.writerows(rows)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
