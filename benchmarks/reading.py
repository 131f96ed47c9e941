#!/usr/bin/env python3
"""Times the reading of large files, gpube-convert's and toulbar2's.

usage: benchmarks/reading.py [DATA] [--convert build/gpube-convert] [--toulbar2 toulbar2] [--megabytes 200]
                             [--kinds wcsp,listed,cfn,uai] [--plain] [--repeat 3] [--csv OUT.csv]

Files: generated .wcsp, .cfn and .uai of binary functions over 100 values (seeded, 64 tables over and over; the .uai
with six decimals, the .cfn with two), the .wcsp also as .gz and .xz; 'listed' is a .wcsp that lists two of five tuples.
With DATA its ten largest .wcsp, .cfn and .uai (unpacked first). An empty --kinds: those alone.

gpube-convert reads the whole model and then finds that it cannot write: the output's folder is not there. Of
toulbar2 the clock stops at its line "Read N variables". Both are processor seconds, user and system, so that other
work on the machine counts for little; the least of --repeat runs is given. Peak memory is of the whole process.
"""
import csv
import gzip
import lzma
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from common import options

D = 100  # values of a variable
TABLES = 64


def scopes(megabytes, table_bytes):
    n = max(2, int(megabytes * 1e6 / table_bytes))
    n_vars = max(10, n // 4)
    rng = random.Random(1)
    return n_vars, [(*rng.sample(range(n_vars), 2), rng.randrange(TABLES)) for _ in range(n)]


def generate_wcsp(f, megabytes, share=1.0):
    rng = random.Random(2)
    tables = []
    for _ in range(TABLES):
        cells = [k for k in range(D * D) if rng.random() < share]
        costs = rng.choices(range(1, 1000), k=len(cells))
        tables.append("%d\n" % len(cells) + "".join("%d %d %d\n" % (k // D, k % D, c) for k, c in zip(cells, costs)))
    n_vars, functions = scopes(megabytes, len(tables[0]))
    f.write("gen %d %d %d 1000000\n%s\n" % (n_vars, D, len(functions), " ".join([str(D)] * n_vars)))
    for a, b, k in functions:
        f.write("2 %d %d 0 %s" % (a, b, tables[k]))


def generate_listed(f, megabytes):
    generate_wcsp(f, megabytes, 0.4)


def generate_cfn(f, megabytes):
    rng = random.Random(2)
    tables = [",".join("%.2f" % (c / 100) for c in rng.choices(range(1, 100000), k=D * D)) for _ in range(TABLES)]
    n_vars, functions = scopes(megabytes, len(tables[0]))
    f.write('{"problem": {"name": "gen", "mustbe": "<100000.00"},\n"variables": {%s},\n"functions": {\n'
            % ", ".join('"x%d": %d' % (i, D) for i in range(n_vars)))
    for i, (a, b, k) in enumerate(functions):
        f.write('%s"f%d": {"scope": ["x%d", "x%d"], "costs": [%s]}' % (",\n" if i else "", i, a, b, tables[k]))
    f.write("}}\n")


def generate_uai(f, megabytes):
    rng = random.Random(2)
    tables = [" ".join("%.6f" % rng.random() for _ in range(D * D)) for _ in range(TABLES)]
    n_vars, functions = scopes(megabytes, len(tables[0]))
    f.write("MARKOV\n%d\n%s\n%d\n" % (n_vars, " ".join([str(D)] * n_vars), len(functions)))
    f.write("".join("2 %d %d\n" % (a, b) for a, b, _ in functions))
    for _, _, k in functions:
        f.write("\n%d\n%s\n" % (D * D, tables[k]))


GENERATORS = {"wcsp": generate_wcsp, "listed": generate_listed, "cfn": generate_cfn, "uai": generate_uai}


def ours(convert, path, fmt):
    p = subprocess.run(["/usr/bin/time", "-f", "%U %S %M", convert, "--evidence", "none", "--to", fmt, path,
                        "/nowhere/at/all"], capture_output=True, text=True)
    if "cannot write" not in p.stderr:
        raise RuntimeError("%s: %s" % (path, p.stderr))
    user, system, peak = p.stderr.split("\n")[-2].split()
    return float(user) + float(system), float(peak) / 1024


def toulbar2(binary, path):
    """Processor seconds until it has read the file, or None."""
    p = subprocess.Popen([binary, path, "-timer=1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    seconds = None
    for line in p.stdout:
        if line.startswith(b"Read "):
            with open("/proc/%d/stat" % p.pid) as f:
                fields = f.read().rsplit(")", 1)[1].split()
            seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            break
    p.kill()
    p.wait()
    return seconds


def files(args, tmp):
    for kind in filter(None, args.kinds.split(",")):
        fmt = "wcsp" if kind == "listed" else kind
        path = os.path.join(tmp, ("listed." if kind == "listed" else "generated.") + fmt)
        with open(path, "w") as f:
            GENERATORS[kind](f, args.megabytes)
        yield path, fmt
        if kind == "wcsp" and not args.plain:
            for suffix, opener in ((".gz", lambda p, m: gzip.open(p, m, 1)),
                                   (".xz", lambda p, m: lzma.open(p, m, preset=1))):
                with open(path, "rb") as f, opener(path + suffix, "wb") as g:
                    shutil.copyfileobj(f, g, 1 << 20)
                yield path + suffix, fmt
                os.unlink(path + suffix)
        os.unlink(path)
    real = []
    for folder, _, names in os.walk(args.data) if args.data else ():
        for name in names:
            m = re.search(r"\.(wcsp|cfn|uai)(\.xz)?$", name)
            if m:
                path = os.path.join(folder, name)
                with (lzma.open if m.group(2) else open)(path, "rb") as f:
                    real.append((len(f.read()), path, m.group(1)))
    for _, path, fmt in sorted(real, reverse=True)[:10]:
        copy = os.path.join(tmp, os.path.basename(path).removesuffix(".xz"))
        with (lzma.open if path.endswith(".xz") else open)(path, "rb") as f, open(copy, "wb") as g:
            g.write(f.read())
        yield copy, fmt
        os.unlink(copy)


def main():
    ap = options(__doc__, "data", "--toulbar2", "--csv", convert="build/gpube-convert", megabytes=200.0, kinds="wcsp,listed,cfn,uai",
                 plain=False, repeat=3)
    args = ap.parse_args()
    rows = []
    print("%-34s %8s %9s %8s %9s %8s %6s" % ("file", "MB", "seconds", "MB/s", "peak MiB", "toulbar2", "times"))
    with tempfile.TemporaryDirectory() as tmp:
        for path, fmt in files(args, tmp):
            megabytes = os.path.getsize(path) / 1e6
            runs = [ours(args.convert, path, fmt) for _ in range(args.repeat)]
            seconds, peak = min(r[0] for r in runs), max(r[1] for r in runs)
            peer = [t for t in (toulbar2(args.toulbar2, path) for _ in range(args.repeat)) if t is not None]
            rows.append([os.path.basename(path), round(megabytes, 1), round(seconds, 3),
                         round(megabytes / max(seconds, 1e-3)), round(peak, 1),
                         min(peer) if peer else "", round(min(peer) / max(seconds, 1e-3), 1) if peer else ""])
            print("%-34s %8.1f %9.3f %8d %9.1f %8s %6s" % tuple(rows[-1]), flush=True)
    if args.csv:
        with open(args.csv, "w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(["file", "megabytes", "seconds", "megabytes_per_second", "peak_mib", "toulbar2_seconds", "times"])
            out.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
