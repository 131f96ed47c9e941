#!/usr/bin/env python3
"""Tables 1 to 3 of the GpuBE paper beside ours, in Markdown, from two files of bench_be_tables.

usage: benchmarks/be_tables.py CUDA.csv CPU.csv [--p2 0|0.9] [--each CUDA_EACH.csv CORE_EACH.csv [CORES_EACH.csv]]

Each row once along the depth-first order, on which the same tables are computed as in the paper, and once along the best that was
found. 'times' is the paper's GPU column over our kernels alone; 'ratio' our CPU over our GPU, both from the call of gpube_solve()
to its return. N counts the instances; where some were too large for the run, +k says how many were left out: such means are of the
smaller instances alone, no 'times' are given for them, nor a ratio unless both sides had the same instances, all of them; "0.09 ms (20)"
are the CPU's seconds of 20 instances where N is another number. "5 of 10 (20)" slices: 5 instances were done in slices, in 20 of them on average.

Above the tables geometric means over their rows: the paper's GPU column over our whole solves and over our kernels alone. --each: files of a line per instance,
of the card, of one core and of several, which give the card over cores by the same clock, whole solves of the same instances; the paper's headline is that of its rows.
"""
import argparse
import csv
import lzma
import math


def seconds(text):
    value = float(text)
    if math.isnan(value):
        return "-"
    return "%.2f ms" % (1e3 * value) if value < 1 else "%.1f s" % value


def mean(values):
    return "%.3g" % math.exp(sum(map(math.log, values)) / len(values)) if values else "-"


def in_short(rows, cpus):
    """Geometric means of each table and order: the paper over ours, and the card over cores by instance."""
    print("## In short\n\nGeometric means of rows with all instances (least, most). Whole: gpube_solve() with the device open. In brackets the rows or instances.\n")
    print("| table | order | the paper's GPU over our whole solves | over kernels alone | rows above 0.05 s: whole | kernels | our card over a core of ours%s | the paper's GPU over its core |" % (
        ", over several" if len(cpus) > 1 else ""))
    print("|" + "---|" * 8)
    for table in ("1", "2", "3", "1 to 3", "as the paper's widths"):
        for order in ("dfs", "best", "1, 2: dfs; 3: best"):
            if (table[0] == "a") != (order[0] == "1"):
                continue
            of = lambda key_table, key_order: key_order == ("best" if key_table == "3" else "dfs") if table[0] == "a" else key_table in table and key_order == order
            mine = [r for r in rows if r["table"] != "0" and of(r["table"], r["order"])]
            full = [r for r in mine if int(r["instances"]) and not int(r["left_out"]) and float(r["paper_gpu_s"]) == float(r["paper_gpu_s"])]
            cells = []
            for least in (0, 0.05):
                for field in ("solve_s", "contract_s"):
                    v = [float(r["paper_gpu_s"]) / float(r[field]) for r in full if float(r["paper_gpu_s"]) >= least and float(r[field]) > 0]
                    cells.append("%s (%.3g, %.3g; %d)" % (mean(v), min(v), max(v), len(v)) if v else "-")
            over = []
            for cpu in cpus:
                v = [s / card for key, (card, s, _) in cpu.items() if key[0] != "0" and of(key[0], key[5])]
                over.append("%s (%.3g, %.3g; %d)" % (mean(v), min(v), max(v), len(v)) if v else "-")
            theirs = [float(r["paper_cpu_s"]) / float(r["paper_gpu_s"]) for r in mine if float(r["paper_gpu_s"]) == float(r["paper_gpu_s"])]
            print("| %s | %s | %s | %s | %s |" % (table, order, " | ".join(cells), "; ".join(over) or "-", "%s (%.3g, %.3g; %d)" % (mean(theirs), min(theirs), max(theirs), len(theirs)) if theirs else "-"))


def by_size(cpus):
    """The card over cores by the size of the instance."""
    print("\n| joined cells | " + " | ".join("our card over %s, whole solves" % who for who in ("a core of ours", "several")[:len(cpus)]) + " |\n|" + "---|" * (1 + len(cpus)))
    for k in (5, 6, 7, 8, 9, 11):
        low = {5: 0, 11: 9}.get(k, k - 1)
        cells = []
        for cpu in cpus:
            v = [s / card for key, (card, s, joined) in cpu.items() if key[0] != "0" and (10 ** low if low else 0) <= joined < 10 ** k]
            cells.append("%s (%.3g, %.3g; %d)" % (mean(v), min(v), max(v), len(v)) if v else "-")
        print("| %s | %s |" % ("below 10^5" if k == 5 else "10^%d to 10^%d" % (low, k), " | ".join(cells)))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("cuda")
    ap.add_argument("cpu")
    ap.add_argument("--p2", default="0")
    ap.add_argument("--each", nargs="+", default=[])
    args = ap.parse_args()
    key = ("table", "n", "d", "p1", "p2", "order")
    with open(args.cpu) as f:
        cpu = {tuple(r[k] for k in key): r for r in csv.DictReader(f)}
    title = {"1": "random networks", "2": "scale-free networks", "3": "grids of 4 rows of n", "0": "its own program on the same card"}
    table = None
    with open(args.cuda) as f:
        rows = [r for r in csv.DictReader(f) if r["p2"] == args.p2]
    each = []
    for path in args.each:
        with (lzma.open(path, "rt") if path.endswith(".xz") else open(path)) as f:
            each.append({tuple(r[k] for k in (*key, "seed")): (float(r["solve_s"]), float(r["joined_cells"])) for r in csv.DictReader(f) if r["p2"] == args.p2 and float(r["solve_s"]) > 0})
    cpus = [{k: (each[0][k][0], s[0], s[1]) for k, s in of.items() if k in each[0]} for of in each[1:]]
    in_short(rows, cpus)
    if cpus:
        by_size(cpus)
    for r in rows:
        if r["table"] != table:
            table = r["table"]
            print("\n%s%s\n" % ("Table %s, " % table if table != "0" else "Besides: ", title[table]))
            print("| n | d | p1 | order | N | slices | w* paper | w* | joined cells | GPU solve | kernels | CPU solve | ratio | paper GPU | CUBE | times |")
            print("|" + "---|" * 16)
        c = cpu.get(tuple(r[k] for k in key))
        n, left = int(r["instances"]), int(r["left_out"])
        all_there = n and not left
        whole = c and all_there and int(c["instances"]) and not int(c["left_out"])
        same = whole and int(c["instances"]) == n
        paper = float(r["paper_gpu_s"])
        kernels = float(r["contract_s"])  # none: a bound had shown that nothing is feasible
        times = "%.0f" % (paper / kernels) if all_there and paper == paper and kernels > 0 else ""
        sliced = int(r.get("sliced") or 0)
        print("| %s | %s | %s | %s | %d%s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |" % (
            r["n"], r["d"], r["p1"] if table != "2" and table != "3" else "", r["order"], n, "+%d" % left if left else "",
            "%d of %d (%s)" % (sliced, n, r["slices"]) if sliced else "", r["paper_width"] if table != "0" else "", r["width"] if n else "", r["joined_cells"] if n else "", seconds(r["solve_s"]),
            seconds(r["contract_s"]), seconds(c["solve_s"]) + ("" if same else " (%s)" % c["instances"]) if whole else "",
            "%.2f" % (float(c["solve_s"]) / float(r["solve_s"])) if same else "", seconds(r["paper_gpu_s"]), seconds(r["cube_s"]), times))


if __name__ == "__main__":
    main()
