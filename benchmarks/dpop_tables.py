#!/usr/bin/env python3
"""dpop_tables.py CPU.csv [CUDA.csv [CPU16.csv]] - runs of bench_dpop as Markdown tables.

CPU.csv has one core an agent, CPU16.csv several; the latter is for figure 10 alone.

Beside our figures stand those that the GpuBE paper prints (Fioretto et al., Constraints 23,
2018): tables 1 to 3, columns w*, DPOP CPU, DPOP GPU; and table 5, its GPU's speedup by z
(GTX Titan, MBE). Its figure 10 has no printed values.
"""
import csv
import math

import common

# (n, d, p1): w*, CPU seconds, GPU seconds
TABLE_1 = {
    (10, 10, 0.3): (2.9, 0.007, 0.001), (11, 10, 0.3): (3.2, 0.013, 0.001),
    (12, 10, 0.3): (3.6, 0.038, 0.001), (13, 10, 0.3): (4.3, 0.232, 0.002),
    (14, 10, 0.3): (4.4, 0.404, 0.003), (15, 10, 0.3): (5.3, 1.874, 0.010),
    (16, 10, 0.3): (5.8, 10.32, 0.051), (17, 10, 0.3): (6.4, 33.49, 0.164),
    (18, 10, 0.3): (7.5, 174.4, 0.818), (19, 10, 0.3): (8.0, 221.3, 1.419),
    (20, 10, 0.3): (8.5, 710.0, 3.006), (10, 5, 0.3): (3.0, 0.001, 0.001),
    (10, 25, 0.3): (2.8, 0.092, 0.001), (10, 50, 0.3): (2.9, 14.27, 0.049),
    (10, 100, 0.3): (2.9, 35.58, 0.119), (10, 10, 0.2): (2.0, 0.001, 0.001),
    (10, 10, 0.4): (3.8, 0.043, 0.001), (10, 10, 0.5): (4.5, 0.260, 0.002),
    (10, 10, 0.6): (5.4, 1.941, 0.011), (10, 10, 0.7): (5.9, 10.61, 0.056),
    (10, 10, 0.8): (6.7, 35.22, 0.165), (10, 10, 0.9): (7.6, 281.37, 1.322),
}
# (n, d)
TABLE_2 = {
    (10, 10): (6.3, 13.78, 0.064), (11, 10): (6.0, 13.21, 0.057), (12, 10): (6.0, 14.60, 0.072),
    (13, 10): (5.9, 37.61, 0.167), (14, 10): (6.9, 86.32, 0.386), (15, 10): (8.2, 555.1, 2.441),
    (16, 10): (9.2, None, None), (17, 10): (9.5, None, None), (18, 10): (10, None, None),
    (19, 10): (11, None, None), (20, 10): (12, None, None), (10, 5): (6.8, 0.290, 0.002),
    (10, 25): (6.6, 127.9, 0.593), (10, 50): (6.4, None, None), (10, 100): (6.4, None, None),
}
# (n, d), n as printed
TABLE_3 = {
    (5, 10): (3.3, 0.022, 0.001), (6, 10): (3.7, 0.022, 0.001), (7, 10): (3.7, 0.037, 0.001),
    (8, 10): (3.6, 0.041, 0.001), (9, 10): (3.9, 0.049, 0.001), (10, 10): (4.0, 0.054, 0.002),
    (11, 10): (3.7, 0.073, 0.002), (12, 10): (3.8, 0.089, 0.002), (13, 10): (3.9, 0.102, 0.003),
    (14, 10): (4.0, 0.127, 0.003), (15, 10): (4.0, 0.151, 0.004), (10, 5): (3.7, 0.001, 0.001),
    (10, 25): (3.9, 2.930, 0.011), (10, 50): (4.0, None, None), (10, 100): (4.0, None, None),
}
# z: grid, random, scale-free; None: out of memory
TABLE_5 = {
    2: (0.85, 0.28, 0.43), 3: (3.05, 1.99, 2.42), 4: (29.1, 11.6, 7.46), 5: (150, 49.8, 51.3),
    6: (143, 145, 159), 7: (152, 207, 244), 8: (153, 235, 274), 9: (156, 234, None),
    10: (155, 233, None),
}
KEY = ("table", "kind", "n", "rows", "d", "p1", "p2", "z", "partition")


def read(path):
    with open(path, newline="") as file:
        return {tuple(row[k] for k in KEY): row for row in csv.DictReader(file)}


def number(text):
    value = float(text)
    return None if math.isnan(value) else value


def seconds(value, none="too large"):
    if value is None:
        return none
    return f"{value:.6f}" if value < 0.001 else f"{value:.4f}" if value < 1 else f"{value:.2f}"


def ratio(cpu, gpu):
    return f"{cpu / gpu:.3g}" if cpu and gpu else "-"


def times(cpu, cuda, key):
    """Simulated seconds of both runs, and the ratio where both solved the same instances."""
    if key not in cpu and key not in cuda:
        return "not run", "not run", "-"
    if key not in cpu or key not in cuda:
        one = number((cpu.get(key) or cuda[key])["simulated_seconds"])
        return (seconds(one), "not run", "-") if key in cpu else ("not run", seconds(one), "-")
    a, b = number(cpu[key]["simulated_seconds"]), number(cuda[key]["simulated_seconds"])
    if cpu[key]["solved"] == cuda[key]["solved"]:
        return seconds(a), seconds(b), ratio(a, b)
    return seconds(a), f"{seconds(b)} ({cuda[key]['solved']} solved)", "-"


def table(cpu, cuda, name, printed, pick):
    print(f"\n### Table {name}\n")
    print("| n | d | p1 | solved | w | CPU s | GPU s | ratio | paper: w* | CPU s | GPU s | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for key, row in cpu.items():
        if row["table"] != name:
            continue
        a, b, faster = times(cpu, cuda, key)
        width, paper_cpu, paper_gpu = printed.get(pick(row), (None, None, None))
        n = int(row["n"]) // int(row["rows"]) if int(row["rows"]) else row["n"]
        p1 = row["p1"] if name == "1" else ""
        of = int(row["solved"]) + int(row["too_large"])
        print(f"| {n} | {row['d']} | {p1} | {row['solved']} of {of} | {row['width'].replace('nan', '-')} | {a} "
              f"| {b} | {faster} | {width} "
              f"| {seconds(paper_cpu, 'oom')} | {seconds(paper_gpu, 'oom')} | {ratio(paper_cpu, paper_gpu)} |")


def figure(cpu, cuda, cores):
    rows = {k: v for k, v in {**cuda, **cpu, **cores}.items()
            if v["table"] == "figure 10" and v["solved"] != "0"}
    if not rows:
        return
    print("\n### Figure 10: ADPOP by z\n")
    print("Plain is the paper's partition; matched is ours with cost shifting. Bounds are means "
          "over the instances that are not proved infeasible.\n")
    print("| network | p2 | z | partition | solved | infeasible | CPU s | CPU 16 cores s | GPU s "
          "| ratio | ratio, 16 cores | bound | cost (of how many) | paper's table 5 |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    place = {"grid": 0, "random": 1, "scale-free": 2}
    for key, row in sorted(rows.items(), key=lambda item: by_figure(item[1])):
        one, gpu, faster = times(cpu, cuda, key)
        many, _, faster_many = times(cores, cuda, key)
        of = int(row["solved"]) + int(row["too_large"])
        printed = TABLE_5[int(row["z"])][place[row["kind"]]] if row["partition"] == "plain" else ""
        bound, cost = number(row["bound"]), number(row["cost"])
        costs = f"{cost:.1f} ({row['with_cost']})" if cost is not None else "-"
        print(f"| {row['kind']} | {row['p2']} | {row['z']} | {row['partition']} "
              f"| {row['solved']} of {of} | {row['infeasible']} | {one} | {many} "
              f"| {gpu} | {faster} | {faster_many} "
              f"| {'-' if bound is None else f'{bound:.1f}'} | {costs} "
              f"| {'oom' if printed is None else printed} |")


def by_figure(row):
    kinds = ("random", "scale-free", "grid")
    return (kinds.index(row["kind"]), int(row["z"]), -float(row["p2"]), row["partition"] == "matched")


def main():
    p = common.options(__doc__)
    p.add_argument("cpu")
    p.add_argument("cuda", nargs="?")
    p.add_argument("cpu16", nargs="?")
    o = p.parse_args()
    cpu = read(o.cpu)
    cuda = read(o.cuda) if o.cuda else {}
    cores = read(o.cpu16) if o.cpu16 else {}

    def by_size(row):
        return int(row["n"]), int(row["d"])

    def by_side(row):
        return int(row["n"]) // int(row["rows"]), int(row["d"])

    table(cpu, cuda, "1", TABLE_1,
          lambda row: (int(row["n"]), int(row["d"]), float(row["p1"])))
    table(cpu, cuda, "2", TABLE_2, by_size)
    table(cpu, cuda, "3", TABLE_3, by_side)
    table(cpu, cuda, "3 (4 rows)", TABLE_3, by_side)
    figure(cpu, cuda, cores)


main()
