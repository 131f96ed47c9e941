#!/usr/bin/env python3
"""games.py GPUBE OUT SECONDS: auctions, GPU-SE and coalition structures on a card, as README.md here lists them; Markdown on standard output."""
import json, os, subprocess, sys, time

G, OUT, END = sys.argv[1], sys.argv[2], time.monotonic() + float(sys.argv[3])
CORES = len(os.sched_getaffinity(0))
os.makedirs(OUT, exist_ok=True)
raw = open(os.path.join(OUT, "games.tsv"), "w")


def run(words, limit):
    """The JSON result and the seconds of the whole process; None where it did not end."""
    limit = min(limit, END - time.monotonic())
    if limit < 1:
        return None, 0
    start = time.monotonic()
    try:
        p = subprocess.run([G] + words + ["--json"], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raw.write("%s\t\ttimeout %g\n" % (" ".join(words), limit))
        return None, limit
    wall = time.monotonic() - start
    raw.write("%s\t%.3f\t%s\n" % (" ".join(words), wall, p.stdout.strip()[:600] or p.stderr.strip()[-300:]))
    raw.flush()
    try:
        return json.loads(p.stdout), wall
    except ValueError:
        return None, wall


def table(head):
    print("\n| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def s(x):
    return "-" if x is None else "%.4g" % x


def csg():
    print("\n## Coalition structures, uniform, int32, seconds of the splits (of the whole process)")
    table(("agents", "conv", "idp (IDP^G)", "dp (GPU-CSG)", "values"))
    dp = {}
    most = {"conv": 29, "idp": 29, "dp": 28}
    for n in range(21, 30):
        cells, values = [], set()
        for m in ("conv", "idp", "dp"):
            r = None
            if n <= most[m]:
                r, wall = run(["csg", "--backend", "cuda", "--method", m, "--generate", "uniform", "-n", str(n), "--timeout", "70s"], 80)
            if r and r["status"] == "optimal":
                values.add(r["value"])
                cells.append("%s (%.2f)" % (s(r["times"]["splits"]), wall))
                dp[m, n] = r["times"]["splits"]
            else:
                cells.append(r["status"] if r else "not run" if n > most[m] else "none")
        row(n, *cells, " ".join(str(v) for v in sorted(values)))
    if ("dp", 28) in dp and ("dp", 27) in dp:
        print("\ndp at 29 agents would take about %.0f s: %.3g times those of 28." % (dp["dp", 28] ** 2 / dp["dp", 27], dp["dp", 28] / dp["dp", 27]))
    print("\nPrinted: GPU-CSG 29 agents 1.5 h; IDP^G 24, 26, 28 agents 12, 84, 665 s.")


def auctions():
    print("\n## Complete auctions (every bundle has a bid, goods may stay unsold), normal, int16: `auction --backend cuda FILE`, and conv alone")
    table(("goods", "file, GB", "auction --backend cuda: seconds, of the whole process", "method, where", "auction --backend cpu", "csg --free-disposal --method conv --backend cuda: splits", "revenue"))
    path = os.path.join(OUT, "bids.csg")
    for n in (20, 22, 24, 25, 26, 27, 28, 29, 30):
        subprocess.run([G, "generate", "csg", "-n", str(n), "--dist", "normal", "--type", "int16", "-o", path], check=False, timeout=60)
        if not os.path.exists(path):
            row(n, "not made")
            continue
        size = os.path.getsize(path) / 1e9
        a, wall = run(["auction", "--backend", "cuda", "--timeout", "30s", path], 40)
        b, wall_b = run(["auction", "--backend", "cpu", "--timeout", "20s", path], 25) if n <= 25 else (None, 0)
        c, wall_c = run(["csg", "--free-disposal", "--method", "conv", "--backend", "cuda", "--timeout", "30s", path], 40)
        same = {str(x) for x in (a and a.get("revenue"), b and b.get("revenue"), c and c.get("value")) if x is not None}
        row(n, "%.3f" % size, "%s, %.2f" % (s(a["seconds"]), wall) if a else "none", "%s, %s" % (a["method"], a["backend"]) if a else "",
            "%s, %.2f" % (s(b["seconds"]), wall_b) if b else "", s(c["times"]["splits"]) if c else "none", " ".join(sorted(same)))
        os.remove(path)


def se():
    print("\n## GPU-SE: MinimumEffort, int payoffs, seconds of `nash --method se`; one game a size")
    threads = [t for t in (1, 2, 4, 8, 16) if t <= CORES]
    table(["actions", "equilibria"] + ["OMP %d" % t for t in threads] + ["card", "speedup of %d cores, of the card" % threads[-1], "status"])
    game = os.path.join(OUT, "game.nfg")
    for n in (8, 10, 12, 13, 14, 15, 16):
        subprocess.run([G, "generate", "nash", "--game", "minimum-effort", "-n", str(n), "--int-payoffs", "10000", "-o", game], check=True)
        got, counts, states = {}, set(), set()
        for t in threads + ["card"]:
            extra = ["--backend", "cuda"] if t == "card" else ["--backend", "cpu", "--threads", str(t)]
            best = None
            for _ in range(2 if n < 14 else 1):
                r, _ = run(["nash", "--method", "se", *extra, "--timeout", "30s", game], 40)
                if r and "seconds" in r:
                    best = min(best or 1e9, r["seconds"])
                    counts.add(r.get("n_equilibria"))
                    states.add(r.get("status"))
            got[t] = best
        last = got[threads[-1]]
        row(n, " ".join(str(c) for c in sorted(counts, key=str)), *(s(got[t]) for t in threads), s(got["card"]),
            "%s, %s" % ("%.1f" % (got[1] / last) if got[1] and last else "-", "%.1f" % (got[1] / got["card"]) if got[1] and got["card"] else "-"), " ".join(sorted(states)))
    os.remove(game)
    print("\nPrinted: 10 actions 0.104 s on the card, 0.148 s on 16 cores; 16 actions 109 times one core. Seconds of the whole command: opening the card is in them, which benchmarks/bench_support leaves out.")


for part in (csg, se, auctions):
    begin = time.monotonic()
    try:
        part()
    except Exception as e:
        print("\n%s ended: %s" % (part.__name__, e))
    print("\n(%s: %.0f s)" % (part.__name__, time.monotonic() - begin), flush=True)
