#!/usr/bin/env python3
"""games.py GPUBE OUT SECONDS [GPUBE_MPI] [--parts csg,largest,se,auctions] [--methods conv,idp,dp] [--seeds 1]: coalition structures, GPU-SE and auctions on a card, as README.md
here lists them. --seeds: games of GPU-SE a size, of which figures are means.

Markdown on standard output, each run in OUT/games.tsv. Where OUT's machine has cores to spare, what needs the card and what needs cores run at the same
time: files of auctions are made while coalition structures are solved, and 29 agents are solved while GPU-SE is measured on 8 cores and fewer."""
import argparse, concurrent.futures, json, os, statistics, subprocess, threading, time

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name, more in (("gpube", {}), ("out", {}), ("seconds", {"type": float}), ("mpi", {"nargs": "?"})):
    ap.add_argument(name, **more)
ap.add_argument("--parts", default="csg,largest,se,auctions")
ap.add_argument("--methods", default="conv,idp,dp")
ap.add_argument("--seeds", type=int, default=1)
O = ap.parse_args()
G, OUT, SECONDS, MPI, PARTS = O.gpube, O.out, O.seconds, O.mpi, O.parts.split(",")
START = time.monotonic()
END = START + SECONDS
CORES = len(os.sched_getaffinity(0))
os.makedirs(OUT, exist_ok=True)
raw, lock = open(os.path.join(OUT, "games.tsv"), "w"), threading.Lock()
AUCTIONS = (20, 22, 24, 26, 28, 29, 30)


def run(words, limit, ranks=0, end=None):
    """The JSON result, None where it did not prove, and the seconds of the whole process."""
    limit = min(limit, (end or END) - time.monotonic())
    if limit < 1:
        return None, 0
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), MPI] if ranks else [G]
    start, got = time.monotonic(), {}
    try:
        p = subprocess.run(command + words + ["--json"], capture_output=True, text=True, timeout=limit)
        got = json.loads(p.stdout)
        said = json.dumps({k: v for k, v in got.items() if k not in ("file", "structure", "bundles", "equilibria")})
    except subprocess.TimeoutExpired:
        said = "none in %g s" % limit
    except ValueError:
        said = p.stderr.strip()[-300:].replace("\n", " ")
    wall = time.monotonic() - start
    with lock:
        raw.write("%s\t%d\t%.3f\t%s\n" % (" ".join(words), ranks, wall, said))
        raw.flush()
    return got if got.get("status") == "optimal" else None, wall


def table(head):
    print("\n| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def s(x):
    return "-" if x is None else "%.4g" % x


def structures(n, method, limit, known):
    """One cell: seconds of the splits, and of the whole process; up to 25 agents medians of three runs."""
    runs = [run(["csg", "--backend", "cuda", "--method", method, "--generate", "uniform", "-n", str(n)], limit) for _ in range(3 if n <= 25 else 1)]
    if not all(r for r, _ in runs):
        return "none"
    known.setdefault(n, {})[method] = runs[0][0]
    return "%s (%.2f)" % (s(statistics.median(r["times"]["splits"] for r, _ in runs)), statistics.median(wall for _, wall in runs))


def csg(known):
    names = {"conv": "conv", "idp": "idp (IDP^G)", "dp": "dp (GPU-CSG)"}
    methods = [m for m in names if m in O.methods.split(",")]
    print("\n## Coalition structures, uniform, int32: seconds of the splits (of the whole process)")
    table(("agents", *(names[m] for m in methods), "values"))
    for n in range(21, 29):
        cells = [structures(n, m, 100, known) for m in methods]
        row(n, *cells, " ".join(sorted({str(r["value"]) for r in known.get(n, {}).values()})))


def csg_largest(known):
    """29 agents, where the time that 28 took says that they end."""
    dp = {n: known[n]["dp"]["times"]["splits"] for n in (27, 28) if "dp" in known.get(n, {})}
    cells = [structures(29, "idp", 100, known)]
    needs = dp[28] ** 2 / dp[27] * 1.1 + 20 if len(dp) == 2 else 1e9
    cells.append(structures(29, "dp", 300, known) if needs < END - time.monotonic() else "%.0f s of splits expected: not run" % (dp[28] ** 2 / dp[27]) if len(dp) == 2 else "not run")
    return cells + [" ".join(sorted({str(r["value"]) for r in known.get(29, {}).values()}))]


def generated(n):
    path = os.path.join(OUT, "bids%d.csg" % n)
    subprocess.run([G, "generate", "csg", "-n", str(n), "--dist", "normal", "--type", "int16", "-o", path], check=True, timeout=200)
    return path


def auctions(files):
    print("\n## Complete auctions (every bundle has a bid, goods may stay unsold), normal, int16: `auction --backend cuda FILE`, and the methods of csg --free-disposal beside it")
    table(("goods", "file, GB", "auction --backend cuda: seconds (of the whole process)", "method, where", "auction --backend cpu", "csg --free-disposal --method conv --backend cuda: splits (whole process)", "revenue"))
    for n, made in files.items():
        try:
            path = made.result(timeout=max(1, END - time.monotonic()))
        except Exception as e:
            row(n, "not made: %s" % type(e).__name__)
            continue
        a, wall = run(["auction", "--backend", "cuda", path], 40)
        b, wall_b = run(["auction", "--backend", "cpu", path], 25) if n <= 28 else (None, 0)
        c, wall_c = run(["csg", "--free-disposal", "--method", "conv", "--backend", "cuda", path], 40)
        same = {str(x) for x in (a and a.get("revenue"), b and b.get("revenue"), c and c.get("value")) if x is not None}
        row(n, "%.3f" % (os.path.getsize(path) / 1e9), "%s (%.2f)" % (s(a["seconds"]), wall) if a else "none", "%s, %s" % (a["method"], a["backend"]) if a else "",
            "%s (%.2f)" % (s(b["seconds"]), wall_b) if b else "", "%s (%.2f)" % (s(c["times"]["splits"]), wall_c) if c else "none", " ".join(sorted(same)))
        os.remove(path)


class Supports:
    """GPU-SE's figures 4 to 7: seconds by actions and by what counts: ("OMP", threads), ("MPI", ranks) or ("card", 0)."""
    sizes, widths = range(5, 17), [w for w in (1, 2, 4, 8, 16) if w <= CORES]

    def __init__(self):
        self.seconds, self.counts, self.states = {}, {}, {}
        for n in self.sizes:
            for seed in range(1, O.seeds + 1):
                subprocess.run([G, "generate", "nash", "--game", "minimum-effort", "-n", str(n), "--seed", str(seed), "--int-payoffs", "10000", "-o", self.game(n, seed)], check=True)

    def game(self, n, seed):
        return os.path.join(OUT, "game%d-%d.nfg" % (n, seed))

    def measure(self, kinds, end):
        for n in self.sizes:
            for kind, width in kinds:
                words = ["nash", "--method", "se"] + (["--backend", "cuda"] if kind == "card" else ["--backend", "cpu", "--threads", str(width if kind == "OMP" else 1)])
                least = []
                for seed in range(1, O.seeds + 1):
                    runs = [run(words + [self.game(n, seed)], 60, width if kind == "MPI" else 0, end)[0] for _ in range(3 if n < 13 else 1)]
                    if all(runs):
                        least.append(min(r["seconds"] for r in runs))
                        self.counts.setdefault(n, set()).update(r["n_equilibria"] for r in runs)
                if len(least) == O.seeds:
                    self.seconds[n, kind, width] = sum(least) / len(least)

    def table(self):
        print("\n## GPU-SE: MinimumEffort, int payoffs; seconds of `nash --method se`, means of %d games a size, each the best of three below 13 actions" % O.seeds)
        kinds = [("OMP", w) for w in self.widths] + ([("MPI", w) for w in self.widths] if MPI else []) + [("card", 0)]
        table(["actions", "equilibria"] + ["%s %d" % k if k[1] else k[0] for k in kinds])
        for n in self.sizes:
            row(n, " ".join(str(c) for c in sorted(self.counts.get(n, ()))), *(s(self.seconds.get((n, *k))) for k in kinds))
        with open(os.path.join(OUT, "se.tsv"), "w") as f:
            f.writelines("%d\t%s\t%d\t%.6f\n" % (*k, x) for k, x in sorted(self.seconds.items()))
        print("\nPrinted: 10 actions 0.104 s on the card, 0.148 s on 16 cores; at 16 actions the card is 108.98, 63.87, 36.95, 22.06, 15.36 times as fast as OMP-SE on 1, 2, 4, 8, 16 cores and"
              " 112.90, 60.81, 35.04, 18.16, 10.77 times as fast as MPI-SE. Opening the card is in its seconds, which benchmarks/bench_support leaves out.")


def part(name, work, *args):
    begin = time.monotonic()
    try:
        got = work(*args)
    except Exception as e:
        got = print("\n%s ended: %s" % (name, e))
    print("\n(%s: %.0f s)" % (name, time.monotonic() - begin), flush=True)
    return got


known, spare = {}, concurrent.futures.ThreadPoolExecutor(max_workers=len(AUCTIONS) if CORES >= 16 else 1)
files = {n: spare.submit(generated, n) for n in AUCTIONS if "auctions" in PARTS and (CORES >= 16 or n <= 24)}
if "csg" in PARTS:
    part("csg", csg, known)
concurrent.futures.wait(files.values(), timeout=60)
largest = spare.submit(csg_largest, known) if "largest" in PARTS else None
if "se" in PARTS:
    supports = Supports()
    few = [w for w in supports.widths if w < 16][::-1]
    part("se on 8 cores and fewer", supports.measure, [(k, w) for w in few for k in (("OMP", "MPI") if MPI else ("OMP",))], END - SECONDS / 4)
if largest:
    try:
        cells = largest.result(timeout=max(1, END - SECONDS / 8 - time.monotonic()))
        print("\n29 agents: idp %s, dp %s; value %s. Printed: GPU-CSG 29 agents 1.5 h; IDP^G 24, 26, 28 agents 12, 84, 665 s." % tuple(cells))
    except Exception as e:
        print("\n29 agents: none (%s)" % type(e).__name__)
if "se" in PARTS:
    part("se on 16 cores and the card", supports.measure, [("card", 0)] + [(k, 16) for k in (("OMP", "MPI") if MPI else ("OMP",)) if 16 in supports.widths], END)
if "auctions" in PARTS:
    part("auctions", auctions, files)
if "se" in PARTS:
    supports.table()
