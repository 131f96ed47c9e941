#!/usr/bin/env python3
"""networks.py GPUBE OUT SECONDS [BACKEND]: what GpuBE's tables 1 to 5 have beyond benchmarks/bench_be_tables and bench_dpop.

Square grids of table 3 as far as they go, its rows of large domains, and mini-buckets of z = 2 to 10 as in table 5 and figure 10, on
the card (or BACKEND) and on one core beside it. Nothing is simplified away in the eliminations. Markdown on standard output, each run
in OUT/networks.tsv."""
import concurrent.futures, json, math, os, re, subprocess, sys, threading, time

G, OUT, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])
BACKEND = sys.argv[4] if len(sys.argv) > 4 else "cuda"
END = time.monotonic() + SECONDS
os.makedirs(OUT, exist_ok=True)
raw, lock = open(os.path.join(OUT, "networks.tsv"), "w"), threading.Lock()


def run(words, limit):
    limit = min(limit, END - time.monotonic())
    if limit < 1:
        return {"status": "not run: its time was over"}, ""
    try:
        p = subprocess.run([G] + words + ["--json", "--timeout", "%ds" % limit], capture_output=True, text=True, timeout=limit + 3)
        said, err = p.stdout.strip(), p.stderr
        r = json.loads(said)
    except subprocess.TimeoutExpired:
        r, said, err = {"status": "none in %d s" % limit}, "", ""
    except ValueError:
        r, said = {"status": "none"}, p.stderr.strip()[-200:]
    with lock:
        raw.write("%s\t%s\n" % (" ".join(words), re.sub(r'"assignment": \[[0-9,]*\], ', "", said)[:1500] or r["status"]))
        raw.flush()
    return r, err


def network(name, words):
    path = os.path.join(OUT, name + ".wcsp")
    subprocess.run([G, "generate"] + words.split() + ["--seed", "1", "-o", path], check=True)
    return path


def eliminations(largest=False):
    """All rows but the longest, or that one, for which all of the time that is left may be taken."""
    print("\n## Elimination on the best order found, all costs finite (p2 = 0), nothing simplified; seconds\n")
    print("| network | width | joined cells | largest table | slices | kernels | eliminate | whole command | the paper's GPU | optimum |")
    print("|" + "---|" * 10, flush=True)
    grids = {5: 0.022, 6: 0.029, 7: 0.033, 8: 0.065, 9: 0.089, 10: 0.080, 11: 0.127}
    rows = [("grid %d x %d, d = 10" % (k, k), "grid -n %d --rows %d -d 10 --p2 0" % (k * k, k), s, 10 if k < 11 else 25) for k, s in grids.items()]
    rows[5:5] = [("grid 4 x 10, d = %d" % d, "grid -n 40 --rows 4 -d %d --p2 0" % d, s, 15) for d, s in ((25, 0.776), (50, "oom"), (100, "oom"))]
    rows[5:5] = [("random, n = 10, d = 100", "random -n 10 -d 100 --p1 0.3 --p2 0", 0.577, 10)]
    # as wide as table 2's, which cannot have been of two links a node
    rows += [("scale-free, n = 10, d = %d" % d, "scale-free -n 10 -d %d --links 4 --p2 0" % d, s, l) for d, s, l in ((25, 3.262, 10), (50, "oom", 15), (100, "oom", 90))]
    rows = rows[-1:] if largest else rows[:-1]
    for name, words, printed, limit in rows:
        path = network("net", words)
        r, _ = run(["solve", "--method", "eliminate", "--no-simplify", "--backend", BACKEND, path], limit)
        plan, times = r.get("plan") or {}, r.get("times") or {}
        if r["status"] != "optimal":
            row = (name, "", "", "", "", "", r["status"] if r["status"] != "bounds" else "none in %d s" % limit, "", printed, "")
        else:
            row = (name, plan["width"], "%.3g" % plan["joined_cells"], "%.3g" % plan["largest_message"], plan["slices"], "%.4g" % sum(k.get("kernel", 0) for k in r["kernels"]) if r["kernels"] else "",
                   "%.4g" % times["eliminate"], "%.4g" % r["seconds"], printed, r["upper_bound"])
        print("| " + " | ".join(str(c) for c in row) + " |", flush=True)
        os.remove(path)


def mbe(path, z, backend, limit):
    """Seconds of the mini-buckets alone, of the command, copies, kernels, bound."""
    words = ["bound", "-v", "--method", "mbe", "--z", str(z), "--order", "min-fill", "--backend", backend, path] + (["--threads", "1"] if backend == "cpu" else [])
    r, err = run(words, limit)
    alone = re.findall(r"mini-buckets, z \d+, on the \S+: ([0-9.]+) s", err)
    if not alone or "lower_bound" not in r:
        return None
    copies = re.findall(r"on the \S+: [0-9.]+ s, copies ([0-9.]+) s", err)
    return float(alone[-1]), r["seconds"], float(copies[-1]) if copies else math.nan, sum(k.get("kernel", 0) for k in r.get("kernels") or []), r["lower_bound"]


def sweeps():
    printed = {"grid": (0.85, 3.05, 29.1, 150, 143, 152, 153, 156, 155), "random": (0.28, 1.99, 11.6, 49.8, 145, 207, 235, 234, 233), "scale-free": (0.43, 2.42, 7.46, 51.3, 159, 244, 274)}
    nets = {"grid": "grid -n 100 -d 25 --p2 0.3", "random": "random -n 20 -d 25 --p1 0.3 --p2 0.3", "scale-free": "scale-free -n 20 -d 25 --links 4 --p2 0.3"}
    paths = {name: network(name, words) for name, words in nets.items()}
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as cores:
        beside = {(name, z): cores.submit(mbe, paths[name], z, "cpu", 20) for z in range(2, 8) for name in nets}
        card = {}
        for name in nets:
            for z in range(2, 11):
                tries = [mbe(paths[name], z, BACKEND, 12 if z < 9 else 5) for _ in range(1 if z > 6 else 3)]
                card[name, z] = min((t for t in tries if t), default=None)
        print("\n## Mini-buckets by z, d = 25, p2 = 0.3, one network each: seconds of the mini-buckets alone, best of three up to z = 6\n")
        print("| network | z | card | one core | times | the paper's times (Titan) | copies | kernels | share of copies | bound |\n|" + "---|" * 10)
        for name in nets:
            for z in range(2, 11):
                c, h = card[name, z], beside[name, z].result() if (name, z) in beside else None
                print("| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |" % (name, z, "%.4f" % c[0] if c else "none", "%.4f" % h[0] if h else "none in 20 s" if z < 8 else "not run",
                      "%.3g" % (h[0] / c[0]) if c and h and c[0] else "", printed[name][z - 2] if z - 2 < len(printed[name]) else "oom", "%.4f" % c[2] if c else "", "%.5f" % c[3] if c else "",
                      "%.0f %%" % (100 * c[2] / (c[2] + c[3])) if c and c[3] else "", "%.8g" % (c or h)[4] if c or h else ""), flush=True)


for part in (eliminations, sweeps, lambda: eliminations(True)):
    begin = time.monotonic()
    try:
        part()
    except Exception as e:
        print("\n%s ended: %r" % (part, e))
    print("\n(%.0f s)" % (time.monotonic() - begin), flush=True)
