# mbe.py OUT.csv GPUBE DATA SECONDS: mini-buckets on cuda, auto and cpu; first where each instance first reaches the paper's
# bound, then over z, what was slow last
import csv, json, os, re, subprocess, sys, time
out, gpube, data, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
end = time.monotonic() + seconds
f = open(out, "w", newline="")
w = csv.writer(f)
w.writerow("table instance z backend worked bound upper status buckets_s bound_s command_s paper_bound paper_s".split() + ["threads", "wall_s"])
def run(row, z, backend, limit, threads=None):
    left = end - time.monotonic()
    if left < 1: sys.exit(0)
    path = os.path.join(data, row[1])
    words = [gpube, "bound", "-v", "--json", "--method", "mbe", "--z", str(z), "--order", "min-fill", "--memory", "6G", "--backend", backend]
    if threads: words += ["--threads", str(threads)]
    start = time.monotonic()
    try:
        p = subprocess.run(words + [path], capture_output=True, text=True, timeout=min(limit, left))
        if p.returncode: return None
        r = json.loads(p.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    wall = time.monotonic() - start
    b = re.findall(r"mini-buckets, z \d+, on the \S+: ([0-9.]+) s", p.stderr)
    w.writerow([row[0], row[1], z, backend, r["backend"], r["lower_bound"], r["upper_bound"], r["status"], b[-1] if b else None,
                r["times"]["bound"], r["seconds"], row[2], row[3], threads or "", f"{wall:.3f}"])
    f.flush()
    return wall, r
rows = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "mbe.json")))
for backend in ("cuda", "auto", "cpu"):
    for row in rows:
        for _ in range(2 if backend == "cuda" else 1): run(row, row[4], backend, 6)
for name, z in (("le450_5a_4", 6), ("505", 7), ("505", 13), ("42", 14)):
    row = [r for r in rows if os.path.basename(r[1]).startswith(name + ".")][0]
    for t in (1, 2, 4, 8, 16): run(row, z, "cpu", 5, t)
alive = {(r[1], b): 0.0 for r in rows for b in ("cuda", "auto")}
for limit in (0.7, 2, 6):
    for z in [*range(2, 18), *range(18, 30, 2)]:
        for row in rows:
            for b in ("cuda", "auto"):
                k = (row[1], b)
                if z > row[5] or z == row[4] or k not in alive or alive[k] == -z or (row[1], z, b) in alive: continue
                if alive[k] > limit: continue
                r = run(row, z, b, limit * 3)
                if not r: alive[k] = limit * 3; continue
                alive[(row[1], z, b)] = 1
                alive[k] = r[0]
