#!/usr/bin/env python3
"""Tables 6 to 10 of the GpuBE paper and the curves of its figure 10, row by row beside ours.

usage: benchmarks/papers/gpube_mbe.py run DATA OUT.csv [--gpube build/gpube] [--seconds 440] [--backends cuda,cpu] [--only TEXT,TEXT…] [--zs Z,Z…] [--no-exact]
       benchmarks/papers/gpube_mbe.py run DATA OUT.csv --paper     the paper's own algorithm at the paper's z
       benchmarks/papers/gpube_mbe.py table OUT.csv     Markdown: each row's printed figures, and ours below them

gpube.csv has what the paper prints: seconds, times its CPU, bound for z_min, z_2, z_3, z_max, and the whole elimination (w*). As there,
z_min is the largest arity of the instance, z_max the largest z up to 20 that fits (here the card, and 5 seconds), and z_2, z_3 lie in
between at thirds. Ours are bound --method mbe --z Z --order min-fill: seconds of the mini-buckets alone and of the whole command, on
the card and on the processor's cores beside it (at the same time, on other cores); then elimination and solve to the proof. Instances
that are not at hand are said to be so; pedigrees are those of DATA, a table of our own. --zs: these z instead, those that end. Colourings without a file are written from
their graphs: a cost of 1 an edge. --paper: no simplification, no matching, functions to the first mini-bucket
that takes them (--no-simplify --no-match --partition first), on the card and on one core, at the paper's z. It counts the variables of a message, as its example 4
does; ours counts those of a joined mini-bucket, one more. The z are not printed: z_min is the largest arity, z_max the largest of at most 20 whose joined table of
32 bits a cell, d^(z+1), is within the 6137 MB of its card, the thirds between are rounded up; so the columns z_3 and z_max are one where d = 44, as printed.
A z_max whose tables do not fit here is lowered. Figure 10: n = 20, d = 25, p1 = 0.3; 20 variables, scale-free; grid of 100; seed 1, p2 = 0.3.
"""
import argparse
import csv
import json
import math
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = {"CELAR6-SUB0": "celar/CELAR6-SUB0.wcsp.xz", "CELAR7-SUB0": "celar/CELAR7-SUB0.wcsp.xz", "CELAR6-SUB1": "celar/CELAR6-SUB1.wcsp.xz",
         "CELAR6-SUB1-24": "fabe/celar6/CELAR6-SUB1-24.wcsp.xz", "CELAR6-SUB2": "fabe/celar6/CELAR6-SUB2.wcsp.xz",
         "CELAR6-SUB3": "fabe/celar6/CELAR6-SUB3.wcsp.xz", "CELAR6-SUB4": "fabe/celar6/CELAR6-SUB4.wcsp.xz",
         "CELAR6-SUB4-20": "fabe/celar6/CELAR6-SUB4-20.wcsp.xz", "CELAR7-SUB1": "derived/celar/CELAR7-SUB1_merged.wcsp.xz",
         "CELAR7-SUB2": "derived/celar/CELAR7-SUB2_merged.wcsp.xz", "CELAR7-SUB3": "derived/celar/CELAR7-SUB3_merged.wcsp.xz", "CELAR7-SUB4": "derived/celar/CELAR7-SUB4_merged.wcsp.xz",
         "connell": "linkage/oconnell.wcsp", "42b": "fabe/spot5/42b.wcsp.xz", "408b": "fabe/spot5/408b.wcsp.xz", "503": "fabe/spot5/503.wcsp.xz",
         "505b": "fabe/spot5/505b.wcsp.xz", "505": "spot5/505.wcsp.xz",
         "54": "derived/spot5/54.wcsp"}
GRAPHS = {"GEOM40": "GEOM40.col", "GEOM30a": "GEOM30a.col", "queen5-5": "queen5_5.col", "myciel5g": "myciel5g.col", "DSJC125.1": "DSJC125.1.col",
          "le450-5a": "le450_5a.col.xz"}
FIGURE = (("random", "random -n 20 -d 25 --p1 0.3"), ("scale-free", "scale-free -n 20 -d 25"), ("grid", "grid -n 100 -d 25"))
PAPER = "--no-simplify --no-match --partition first".split()
PAPER_CARD = 6137e6  # bytes
FIELDS = ("table name what z backend threads mbe_s seconds bound upper status copy_s kernel_s").split()


def printed():
    with open(os.path.join(HERE, "gpube.csv"), newline="") as f:
        return list(csv.DictReader(f))


def coloured(data, name, work):
    """A colouring as a network of costs, from its graph."""
    graph, colours = re.match(r"(.*)[-.](\d+)$", name).groups()
    path = os.path.join(data, "coloring", GRAPHS.get(graph, "none"))
    if not os.path.exists(path):
        return None
    import lzma
    with (lzma.open if path.endswith(".xz") else open)(path, "rt") as f:
        lines = [line.split() for line in f]
    k, n = int(colours), next(int(w[2]) for w in lines if w[:1] == ["p"])
    edges = sorted({tuple(sorted((int(w[1]) - 1, int(w[2]) - 1))) for w in lines if w[:1] == ["e"]})
    to = os.path.join(work, name + ".wcsp")
    with open(to, "w") as f:
        f.write("%s %d %d %d %d\n%s\n" % (name, n, k, len(edges), len(edges) + 1, " ".join([str(k)] * n)))
        for a, b in edges:
            f.write("2 %d %d 0 %d\n%s" % (a, b, k, "".join("%d %d 1\n" % (v, v) for v in range(k))))
    return to


def file_of(data, row, work):
    name = row["name"]
    if row["table"] == "7":
        return coloured(data, name, work)
    for path in (FILES.get(name), "fabe/iscas89/%s.wcsp.xz" % name, "derived/spot5/%s.wcsp.xz" % name):
        if path and os.path.exists(os.path.join(data, path)):
            return os.path.join(data, path)
    return None


class Runs:
    def __init__(self, o):
        self.o, self.end, self.lock = o, time.monotonic() + o.seconds, threading.Lock()
        self.f = open(o.csv, "w", newline="")
        self.out = csv.DictWriter(self.f, FIELDS)
        self.out.writeheader()
        cores = sorted(os.sched_getaffinity(0))
        self.sides = {"cuda": set(cores[:max(1, len(cores) // 2)]), "cpu": set(cores[len(cores) // 2:]) or set(cores)}

    def gpube(self, words, side, limit):
        limit = min(limit, self.end - time.monotonic())
        if limit < 0.5:
            return None, "", 0
        start = time.monotonic()
        p = subprocess.Popen([self.o.gpube] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             preexec_fn=lambda: os.sched_setaffinity(0, self.sides[side]))
        try:
            out, err = p.communicate(timeout=limit + 2)
            return json.loads(out), err, time.monotonic() - start
        except (subprocess.TimeoutExpired, ValueError):
            p.kill()
            p.communicate()
            return None, "", time.monotonic() - start

    def write(self, **row):
        with self.lock:
            self.out.writerow(row)
            self.f.flush()

    def mbe(self, row, path, z, backend, threads, what="mbe", limit=5):
        paper = what == "paper"
        words = ["bound", "-v", "--json", "--method", "mbe", "--z", str(z + paper), "--order", "min-fill", "--backend", backend, "--timeout", "%ds" % limit, path] + PAPER * paper
        r, err, _ = self.gpube(words + (["--threads", str(threads)] if threads else []), backend, limit)
        alone = re.findall(r"mini-buckets, z \d+, on the \S+: ([0-9.]+) s", err)
        if not r or (not alone and r["status"] != "optimal"):  # proved before mini-buckets began
            return None
        copies = re.findall(r"on the \S+: [0-9.]+ s, copies ([0-9.]+) s", err)
        kernels = sum(k.get("kernel", 0) for k in r.get("kernels") or [] if isinstance(k, dict))
        self.write(table=row["table"], name=row["name"], what=what, z=z, backend=backend, threads=threads or "", mbe_s=alone[-1] if alone else "", seconds=r["seconds"],
                   bound=r.get("lower_bound"), upper=r.get("upper_bound"), status=r["status"], copy_s=copies[-1] if copies else "", kernel_s="%.6f" % kernels if kernels else "")
        return r

    def exact(self, row, path, backend):
        for what, words, limit in (("eliminate", ["--method", "eliminate", "--backend", backend], 3), ("solve", ["--backend", backend if backend == "cpu" else "auto"], 4)):
            r, _, _ = self.gpube(["solve", "--json", *words, "--timeout", "%ds" % limit, path], backend, limit)
            self.write(table=row["table"], name=row["name"], what=what, backend=backend, seconds=r["seconds"] if r else "", bound=r.get("lower_bound") if r else "",
                       upper=r.get("upper_bound") if r else "", status=r["status"] if r else "none", mbe_s=(r.get("times") or {}).get("eliminate", "") if r else "")


def arity_and_domain(runs, path):
    r, _, _ = runs.gpube(["info", "--json", path], "cpu", 20)
    return (max(int(a) for a in r["arities"]), max(int(d) for d in r["domains"])) if r else (2, 2)


def columns(runs, row, path, main):
    """The four z's: the largest that fits is searched for. Or those that were asked for."""
    if runs.o.zs:
        return [z for z in map(int, runs.o.zs.split(",")) if runs.mbe(row, path, z, main, 0)]
    low, domain = arity_and_domain(runs, path)
    z = max(low, min(20, int(math.log(2e9) / math.log(max(domain, 2))) + 1))
    while z > low and not runs.mbe(row, path, z, main, 0):
        z = max(low, z - (2 if z > 12 else 1))
    others = sorted({low, round(low + (z - low) / 3), round(low + 2 * (z - low) / 3)} - {z})
    for other in others:
        runs.mbe(row, path, other, main, 0)
    return others + [z]


def paper_zs(low, domain):
    """The paper's four z, of which some may be equal."""
    most = low
    while most < 20 and 4 * domain ** (most + 2) <= PAPER_CARD:
        most += 1
    third = (most - low) / 3
    return [low, math.ceil(low + third), math.ceil(low + 2 * third), most]


def paper_columns(runs, row, path, later):
    """The paper's algorithm at its z, the largest first; on the processor alone where --backends says so."""
    main = runs.o.backends.split(",")[0]
    zs = sorted(set(paper_zs(*arity_and_domain(runs, path))))
    ran = []
    z = zs[-1]
    while z > max([0] + zs[:-1]) and not ran:
        if runs.mbe(row, path, z, main, 0, "paper", 12):
            ran.append(z)
        z -= 1
    ran += [z for z in zs[:-1] if runs.mbe(row, path, z, main, 0, "paper", 12)]
    for z in ran if main == "cuda" else []:
        later.put(lambda z=z: runs.mbe(row, path, z, "cpu", 1, "paper", 8))


def run(o):
    runs, backends, data = Runs(o), o.backends.split(","), o.data
    main, work = backends[0], tempfile.mkdtemp()
    later = queue.Queue()
    rows = []
    for table in ("6", "8", "10", "7", "9"):
        rows += [(r, file_of(data, r, work)) for r in printed() if r["table"] == table]
    folder = os.path.join(data, "derived/linkage")
    rows += [({"table": "9, ours", "name": f.split(".")[0]}, os.path.join(folder, f)) for f in (sorted(os.listdir(folder)) if os.path.isdir(folder) else []) if f.endswith(".uai.xz")]
    for r, p in rows:
        if not p:
            runs.write(table=r["table"], name=r["name"], what="absent")
    rows = [(r, p) for r, p in rows if p and any(t in r["name"] for t in o.only.split(","))]

    def figure():
        for name, words in FIGURE:
            net = os.path.join(work, name + ".wcsp")
            subprocess.run([o.gpube, "generate", *words.split(), "--p2", "0.3", "--seed", "1", "-o", net], check=True)
            row, begin = {"table": "figure 10", "name": name}, time.monotonic()
            for z in range(2, 9):
                if time.monotonic() - begin > 25 or not runs.mbe(row, net, z, main, 0, "figure", 12):
                    break
                later.put(lambda row=row, net=net, z=z: runs.mbe(row, net, z, "cpu", 1, "figure", 8))

    def sides():
        while (job := later.get()) is not None:
            job()

    beside = [threading.Thread(target=sides) for _ in range(len(runs.sides["cpu"]) if o.paper else 1)]
    for thread in beside:
        thread.start()
    if not o.only and not o.paper:
        figure()
    for r, path in rows:
        if time.monotonic() > runs.end - 3:
            break
        if o.paper:
            if r["table"] != "9, ours":
                paper_columns(runs, r, path, later)
            continue
        zs = columns(runs, r, path, main)
        if len(backends) > 1:
            for z in zs:
                later.put(lambda r=r, path=path, z=z: runs.mbe(r, path, z, "cpu", len(runs.sides["cpu"]), "mbe", 3))
        if o.exact:
            runs.exact(r, path, main)
    for thread in beside:
        later.put(None)
    for thread in beside:
        thread.join()


def number(text, form="%.3g"):
    try:
        return form % float(text)
    except (TypeError, ValueError):
        return "-"


def show_table(title, rows, ours):
    print("\n## %s\n" % title)
    print("Seconds (times a CPU) bound; below, ours: z: mini-buckets alone on the card, the whole command (mini-buckets on the cores over those on the card) bound.\n")
    print("| instance | z_min | z_2 | z_3 | z_max | w*: elimination | solve |")
    print("|" + "---|" * 7)
    for r in rows:
        mine = [x for x in ours if x["name"] == r["name"] and x["table"] == r["table"]]
        if "zmin_s" in r:
            print("| %s, printed | %s | %s |  |" % (r["name"], " | ".join("%s (%s) %s" % (r[c + "_s"], r[c + "_times"], r[c + "_bound"]) for c in ("zmin", "z2", "z3", "zmax")),
                                                  "oom (%s)" % r["w_cost"] if r["w_s"] == "oom" else "%s (%s) %s" % (r["w_s"], r["w_times"], r["w_cost"])))
        if not mine or mine[0]["what"] == "absent":
            print("| ours | %s |  |  |  |  |  |" % ("not run: its time was over" if not mine else "not at hand"))
            continue
        card = {int(x["z"]): x for x in mine if x["what"] == "mbe" and x["backend"] == "cuda"} or {int(x["z"]): x for x in mine if x["what"] == "mbe"}
        cpu = {int(x["z"]): x for x in mine if x["what"] == "mbe" and x["backend"] == "cpu"}
        cells = []
        for z in sorted(card):
            x = card[z]
            times = float(cpu[z]["mbe_s"]) / float(x["mbe_s"]) if z in cpu and cpu[z]["mbe_s"] and float(x["mbe_s"] or 0) > 0 else None
            cells.append("%d: %s, %s (%s) %s" % (z, number(x["mbe_s"]), number(x["seconds"]), number(times, "%.2g"), number(x["bound"], "%.8g")))
        # fewer z than columns: all of them are the smallest, or the largest did not end
        cells = cells[:1] * (4 - len(cells)) + cells if "zmin_s" in r else cells + ["none in 5 s"] * (4 - len(cells))
        exact = {x["what"]: x for x in mine if x["what"] in ("eliminate", "solve")}
        e, s = exact.get("eliminate"), exact.get("solve")
        print("| %s | %s | %s | %s |" % ("ours" if "zmin_s" in r else r["name"], " | ".join(cells),
              "-" if not e else "%s, %s %s" % (number(e["mbe_s"]), number(e["seconds"]), number(e["upper"], "%.8g")) if e["status"] in ("optimal", "infeasible") else "none in 3 s",
              "-" if not s else "%s %s" % (number(s["seconds"]), number(s["upper"], "%.8g")) if s["status"] in ("optimal", "infeasible") else "%s to %s in 4 s" % (number(s["bound"], "%.8g"), number(s["upper"], "%.8g"))))


def summary(ours):
    """Each table in a line: rows that ran, what became of the bounds at the largest z, and of the times."""
    print("\n## In short\n\nAt the largest z of each side, which need not be the same: ours is the largest up to 20 that fits the card and 5 seconds; w* is elimination.\n")
    print("| table | rows | run | bound at the largest z above the paper's, equal, below | its seconds over ours, mini-buckets alone: geometric mean (least, most) | ours on 8 cores over the card | w* on the card: ours, the paper's | proved by solve in 4 s |")
    print("|" + "---|" * 8)
    for t in ("6", "7", "8", "9", "10"):
        rows, ran, above, equal, below, times, cores, done, theirs, proved = 0, 0, 0, 0, 0, [], [], 0, 0, 0
        for r in (r for r in printed() if r["table"] == t):
            rows += 1
            mine = [x for x in ours if x["table"] == t and x["name"] == r["name"] and x["what"] != "absent"]
            card = [x for x in mine if x["what"] == "mbe" and x["backend"] == "cuda"]
            if not card:
                continue
            ran += 1
            x = max(card, key=lambda x: int(x["z"]))
            difference = float(x["bound"]) - float(r["zmax_bound"])
            above, equal, below = above + (difference > 1e-6), equal + (abs(difference) <= 1e-6), below + (difference < -1e-6)
            if float(x["mbe_s"] or 0) > 0:
                times.append(float(r["zmax_s"]) / float(x["mbe_s"]))
                cores += [float(y["mbe_s"]) / float(x["mbe_s"]) for y in mine if y["what"] == "mbe" and y["backend"] == "cpu" and y["z"] == x["z"] and y["mbe_s"]]
            done += any(y["what"] == "eliminate" and y["status"] in ("optimal", "infeasible") and float(y["mbe_s"] or 0) > 0 for y in mine)
            theirs += r["w_s"] != "oom"
            proved += any(y["what"] == "solve" and y["status"] == "optimal" for y in mine)
        mean = lambda v: "%.3g" % math.exp(sum(map(math.log, v)) / len(v)) if v else "-"
        print("| %s | %d | %d | %d, %d, %d | %s (%.3g, %.3g) | %s | %d, %d | %d |" % (t, rows, ran, above, equal, below, mean(times), min(times), max(times), mean([c for c in cores if c > 0]), done, theirs, proved))


def mean_of(values):
    return "%.3g" % math.exp(sum(map(math.log, values)) / len(values)) if values else "-"


def show_paper(ours):
    """The paper's algorithm at its z: each table in a line, then every row."""
    ours = [x for x in ours if x["what"] == "paper"]
    print("\n## In short\n\nBounds of all columns that ran, beside those printed; seconds are of mini-buckets alone, geometric means, the paper's of whole runs.\n")
    print("| table | rows | columns | bounds above the paper's, equal, below | its seconds over whole commands with the card: all columns; z_max | over mini-buckets alone: all columns; z_max | one core over the card, z_max (those that end in 8 s) | the same in the paper, z_max |")
    print("|" + "---|" * 8)
    rows = []
    for r in printed():
        cells, mine = [], [x for x in ours if x["table"] == r["table"] and x["name"] == r["name"]]
        card = {int(x["z"]): x for x in mine if x["backend"] == "cuda"} or {int(x["z"]): dict(x, mbe_s="") for x in mine}  # not on a card: bounds alone
        core = {int(x["z"]): x for x in mine if x["backend"] == "cpu"}
        zs = paper_zs(min(card), int(r["d"])) if card else []
        if zs and zs[3] not in card and max(card) > zs[2]:
            zs[3] = max(card)  # lowered to what fits
        for column, z in zip(("zmin", "z2", "z3", "zmax"), zs):
            if z not in card:
                cells.append(None)
                continue
            over = float(core[z]["mbe_s"]) / float(card[z]["mbe_s"]) if z in core and core[z]["mbe_s"] and float(card[z]["mbe_s"] or 0) else None
            cells.append({"z": z, "card": card[z], "over": over, "paper_s": float(r[column + "_s"]), "paper_bound": float(r[column + "_bound"]), "paper_over": float(r[column + "_times"])})
        if cells:
            rows.append((r, cells))
    for t in ("6", "7", "8", "9", "10"):
        of = [cells for r, cells in rows if r["table"] == t]
        if not of:
            continue
        every = [c for cells in of for c in cells if c]
        less = [float(c["card"]["bound"]) - c["paper_bound"] for c in every]
        faster = lambda cells, field: mean_of([c["paper_s"] / float(c["card"][field]) for c in cells if float(c["card"]["mbe_s"] or 0)])
        last = [cells[3] for cells in of if cells[3]]
        print("| %s | %d | %d | %d, %d, %d | %s; %s | %s; %s | %s (%d) | %s |" % (t, len(of), len(every), sum(x > 1e-6 for x in less), sum(abs(x) <= 1e-6 for x in less), sum(x < -1e-6 for x in less), faster(every, "seconds"),
              faster(last, "seconds"), faster(every, "mbe_s"), faster(last, "mbe_s"), mean_of([c["over"] for c in last if c["over"]]), sum(bool(c["over"]) for c in last), mean_of([c["paper_over"] for c in last])))
    print("\n## Every row\n\nPrinted: seconds (times a core) bound. Ours: the paper's z: seconds of mini-buckets on the card (times one core of ours) bound.\n")
    print("| instance | z_min | z_2 | z_3 | z_max |")
    print("|" + "---|" * 5)
    for r, cells in rows:
        print("| table %s, %s, printed | %s |" % (r["table"], r["name"], " | ".join("%s (%s) %s" % (r[c + "_s"], r[c + "_times"], r[c + "_bound"]) for c in ("zmin", "z2", "z3", "zmax"))))
        print("| ours | %s |" % " | ".join("%d: %s (%s) %s" % (c["z"], number(c["card"]["mbe_s"]), number(c["over"], "%.2g"), number(c["card"]["bound"], "%.8g")) if c else "none" for c in cells))


def show(path):
    with open(path, newline="") as f:
        ours = list(csv.DictReader(f))
    if any(x["what"] == "paper" for x in ours):
        return show_paper(ours)
    if any(x["table"] == "6" and x["what"] != "absent" for x in ours):
        summary(ours)
    for t, title in (("6", "Table 6, CELAR"), ("7", "Table 7, colouring"), ("8", "Table 8, ISCAS-89"), ("9", "Table 9, pedigrees"), ("10", "Table 10, SPOT5")):
        if any(x["table"] == t and x["what"] != "absent" for x in ours):
            show_table(title, [r for r in printed() if r["table"] == t], ours)
    names = sorted({x["name"] for x in ours if x["table"] == "9, ours"})
    if names:
        show_table("Pedigrees at hand (a table of our own)", [{"table": "9, ours", "name": n} for n in names], ours)
    if not any(x["what"] == "figure" for x in ours):
        return
    print("\n## Figure 10\n\n| network | z | card: mini-buckets, command | one core | times | copies | kernels | share of copies in both | bound |")
    print("|" + "---|" * 9)
    for x in ours:
        if x["what"] != "figure" or (x["backend"] == "cpu" and x["threads"]):
            continue
        one = next((y for y in ours if y["what"] == "figure" and y["name"] == x["name"] and y["z"] == x["z"] and y["threads"] == "1"), None)
        copy, kernel = (float(x[k]) if x[k] else None for k in ("copy_s", "kernel_s"))
        print("| %s | %s | %s, %s | %s | %s | %s | %s | %s | %s |" % (x["name"], x["z"], number(x["mbe_s"]), number(x["seconds"]), number(one["mbe_s"]) if one else "over 8 s",
              number(float(one["mbe_s"]) / float(x["mbe_s"]), "%.3g") if one and one["mbe_s"] and float(x["mbe_s"] or 0) else "-", number(x["copy_s"]), number(x["kernel_s"]),
              "%.0f %%" % (100 * copy / (copy + kernel)) if copy is not None and kernel else "-", number(x["bound"], "%.8g")))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = ap.add_subparsers(dest="do", required=True)
    r = sub.add_parser("run")
    r.add_argument("data")
    r.add_argument("csv")
    r.add_argument("--gpube", default="build/gpube")
    r.add_argument("--seconds", type=float, default=440)
    r.add_argument("--backends", default="cuda,cpu")
    r.add_argument("--only", default="")
    r.add_argument("--zs", default="")
    r.add_argument("--paper", action="store_true")
    r.add_argument("--no-exact", dest="exact", action="store_false")
    t = sub.add_parser("table")
    t.add_argument("csv")
    o = ap.parse_args()
    if o.do == "run":
        run(o)
    else:
        show(o.csv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
