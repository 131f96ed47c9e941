# tb2.py OUT.csv DIR DATA SECONDS: tb2-gpube with the card on two cores, one instance after the other; beside it on other cores
# without a card, and toulbar2 alone with the options that were its best
import csv, json, os, re, resource, shlex, subprocess, sys, threading, time
out, d, data, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
end = time.monotonic() + seconds
f = open(out, "w", newline="")
w = csv.writer(f)
w.writerow("what instance optimum seconds processor by".split())
lock = threading.Lock()
def limited(words, cores, env):
    left = end - time.monotonic()
    if left < 1: return None
    start = time.monotonic()
    p = subprocess.Popen(["taskset", "-c", cores, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", env=env)
    try: o, _ = p.communicate(timeout=left)
    except subprocess.TimeoutExpired:
        p.terminate()
        try: p.communicate(timeout=3)
        except subprocess.TimeoutExpired: p.kill()
        return "", time.monotonic() - start
    return o, time.monotonic() - start
def keep(*row):
    with lock:
        w.writerow(row); f.flush()
def ours(kind, name, cores):
    env = dict(os.environ, GPUBE=d + "/gpube", TOULBAR2=d + "/toulbar2", TB2_GPUBE_CORES="2", OMP_NUM_THREADS="2")
    words = [d + "/tb2-gpube", os.path.join(data, name)] + (["--backend", "cpu"] if kind == "cores" else [])
    r = limited(words, cores, env)
    if not r: return
    m = re.search(r"^optimum +(-?[\d.]+), proved by (.*)", r[0], re.M)
    keep(kind, name, m and m.group(1), f"{r[1]:.2f}", "", m.group(2) if m else "> ")
def alone(options, name, cores):
    path = os.path.join(data, name)
    if ".uai" in name: path = "/tmp/meas-cfn/" + os.path.basename(name) + ".cfn"
    r = limited([d + "/toulbar2", path, *shlex.split(options)], cores, os.environ)
    if not r: return
    m = re.search(r"^Optimum: (-?[\d.]+)", r[0], re.M)
    keep("alone " + (options or "default"), name, m and m.group(1), f"{r[1]:.2f}", "", "" if m else ">")
A, B = "-A -p=8 -O=-3", "-B=1 -O=-3"
c, l = "derived/celar/", "linkage/"
hard = [("derived/coloring/queen5_5_3.wcsp", ""), ("derived/coloring/myciel5g_4.wcsp", ""), (c + "CELAR6-SUB3_merged.wcsp.xz", B),
        ("derived/coloring/queen5_5_4.wcsp", B), (l + "pedigree41.uai.xz", A), ("derived/" + l + "pedigree44.uai.xz", None),
        ("spot5/505.wcsp.xz", None), (c + "CELAR7-SUB4_merged.wcsp.xz", "")]
easy = [("spot5/404.wcsp.xz", B), ("protein/pdb1fmj.uai.xz", ""), ("celar/CELAR6-SUB1.wcsp.xz", B), ("celar/CELAR6-SUB0.wcsp.xz", ""),
        ("linkage/pedigree7.uai.xz", A), ("protein/pdb1i24.uai.xz", ""), ("derived/spot5/1502.wcsp.xz", ""), ("linkage/pedigree13.uai.xz", A),
        ("celar/CELAR7-SUB0.wcsp.xz", ""), ("derived/spot5/29.wcsp.xz", B), ("derived/linkage/pedigree33.uai.xz", A), ("promedas/or_chain_10.fg.uai.xz", ""),
        ("derived/linkage/pedigree23.uai.xz", ""), ("promedas/or_chain_161.fg.uai.xz", ""), ("linkage/pedigree20.uai.xz", A), ("promedas/or_chain_140.fg.uai.xz", ""),
        ("linkage/pedigree9.uai.xz", A), ("derived/linkage/pedigree37.uai.xz", A), ("derived/linkage/pedigree38.uai.xz", A), ("derived/linkage/pedigree50.uai.xz", ""),
        ("dbn/rbm_20.uai.xz", B), ("dbn/rbm_22.uai.xz", B), (c + "CELAR6-SUB2_merged.wcsp.xz", B)]
more = ["celar/scen06.wcsp.xz", "linkage/pedigree19.uai.xz", "linkage/pedigree40.uai.xz", "grids/grid20x20.f10.uai.xz", "linkage/pedigree51.uai.xz"]
os.makedirs("/tmp/meas-cfn", exist_ok=True)
for name, o in hard + easy:
    if ".uai" in name and o is not None:
        subprocess.run([d + "/gpube", "convert", "-q", os.path.join(data, name), "/tmp/meas-cfn/" + os.path.basename(name) + ".cfn"], timeout=20)
n = os.cpu_count()
lanes = []
def lane(jobs):
    t = threading.Thread(target=lambda: [j() for j in jobs]); t.start(); lanes.append(t)
J = lambda fn, *a: (lambda: fn(*a))
# the card: hard, those that were lost, then all others
lane([J(ours, "card", x, "0,1") for x, _ in hard] + [J(ours, "card", x, "0,1") for x, _ in easy] + [J(ours, "card", x, "0,1") for x in more])
if n >= 16:
    lane([J(ours, "cores", x, "2,3") for x, _ in hard if "SUB4" in x or "44" in x] + [J(ours, "cores", x, "2,3") for x, _ in easy[::2]])
    lane([J(ours, "cores", x, "4,5") for x, _ in hard if "SUB4" not in x and "44" not in x] + [J(ours, "cores", x, "4,5") for x, _ in easy[1::2]])
    singles = [x for x in hard if x[1] is not None]
    for k in range(4):
        lane([J(alone, o, x, str(6 + k)) for x, o in (singles[::-1])[k::4]] + [J(alone, o, x, str(6 + k)) for x, o in easy[k::4]])
for t in lanes: t.join()
