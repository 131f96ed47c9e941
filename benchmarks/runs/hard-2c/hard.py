#!/usr/bin/env python3
"""Models of hard conflicts and SAT-like ones: processor seconds of programs beside each other.

    hard.py SECONDS PROGRAM... -- FILE... > hard.csv

A PROGRAM is the path of a gpube, or of a toulbar2. A FILE's .evid beside it is read by both.
"""
import os
import re
import resource
import subprocess
import sys


def answer(text):
    """The optimum; [lower, upper] of what is proved; infeasible; or open."""
    for pattern in (r"^optimum +((?:log10 )?[^\s,]+)", r"Optimum: (\S+)"):
        found = re.search(pattern, text, re.M)
        if found:
            return found.group(1)
    if re.search(r"^infeasible|No solution", text, re.M):
        return "infeasible"
    lower = re.search(r"^lower +(\S+?),", text, re.M)
    upper = re.search(r"^upper +(\S+?),", text, re.M)
    if lower:
        return f"[{lower.group(1)} {upper.group(1) if upper else 'none'}]"
    upper = re.findall(r"New solution: (\S+)", text)
    return f"[open {upper[-1]}]" if upper else "[open none]"


def run(program, path, seconds):
    evidence = re.sub(r"\.xz$", "", path) + ".evid"
    if "toulbar2" in os.path.basename(program):
        command = [program, path] + [evidence] * os.path.exists(evidence) + [f"-timer={seconds}"]
    else:
        command = [program, "bound", path, "--timeout", str(seconds), "-q"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, answer(done.stdout)


def main():
    split = sys.argv.index("--")
    seconds, programs, files = int(sys.argv[1]), sys.argv[2:split], sys.argv[split + 1:]
    print("file,program,processor_seconds,answer")
    for path in files:
        for program in programs:
            cpu, text = run(program, path, seconds)
            print(f"{os.path.basename(path)},{program},{cpu:.2f},{text}", flush=True)


main()
