#!/usr/bin/env python3
"""dpop_links.py GPUBE [BACKEND]: column DPOP of GpuBE's table 2 on scale-free networks as wide as the paper's.

Two links a node, as the paper says, make widths of 3 to 4.4 (../runs/dpop-h200); it prints 5.9 to 12. Here new nodes have as many links as
bring the mean width of three networks nearest to the printed one. All costs finite (p2 = 0); simulated seconds, an agent a core; Markdown."""
import json, os, subprocess, sys, tempfile

G, BACKEND = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "cpu"
ROWS = ((10, 10, 6.3, 13.78, 0.064), (11, 10, 6.0, 13.21, 0.057), (12, 10, 6.0, 14.60, 0.072), (13, 10, 5.9, 37.61, 0.167), (14, 10, 6.9, 86.32, 0.386), (15, 10, 8.2, 555.1, 2.441),
        (10, 5, 6.8, 0.29, 0.002), (10, 25, 6.6, 127.9, 0.593))


def solved(work, n, d, links, seed, limit):
    path = os.path.join(work, "net.wcsp")
    subprocess.run([G, "generate", "scale-free", "-n", str(n), "-d", str(d), "--links", str(links), "--p2", "0", "--seed", str(seed), "-o", path], check=True)
    p = subprocess.run([G, "dpop", "--backend", BACKEND, "--json", "--timeout", "%ds" % limit, path], capture_output=True, text=True)
    return json.loads(p.stdout)


print("| n | d | links | width (the paper's) | simulated seconds | the paper's CPU | its GPU | its CPU over ours | its GPU over ours |\n|" + "---|" * 9)
with tempfile.TemporaryDirectory() as work:
    for n, d, wanted, cpu, gpu in ROWS:
        widths = {l: sum(solved(work, n, 2, l, s, 10)["tree"]["width"] for s in (1, 2, 3)) / 3 for l in range(2, 7)}
        links = min(widths, key=lambda l: abs(widths[l] - wanted))
        runs = [solved(work, n, d, links, s, 60) for s in (1, 2, 3)]
        if any(r["status"] != "optimal" for r in runs):
            print("| %d | %d | %d | %.1f (%.1f) | none in 60 s | %g | %g | | |" % (n, d, links, widths[links], wanted, cpu, gpu), flush=True)
            continue
        seconds, width = (sum(f(r) for r in runs) / 3 for f in (lambda r: r["simulated_seconds"], lambda r: r["tree"]["width"]))
        print("| %d | %d | %d | %.1f (%.1f) | %.4g | %g | %g | %.3g | %.3g |" % (n, d, links, width, wanted, seconds, cpu, gpu, cpu / seconds, gpu / seconds), flush=True)
