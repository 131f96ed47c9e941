#!/usr/bin/env python3
"""gpube and pytoulbar2 on one problem: bound, shift, search what is left.

    pip install pytoulbar2
    plugins/toulbar2/example.py FILE [seconds for gpube]

'gpube reparam --prune' writes a problem that has only assignments better than
the best one it found, and whose constant is its bound. If toulbar2 finds one,
that is the optimum; if not, gpube's is. The program is $GPUBE, or gpube.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import pytoulbar2
except ModuleNotFoundError:
    sys.exit("pytoulbar2 is not there: pip install pytoulbar2")


WORTH = 0.1  # of the gap


def shift(file, shifted, seconds):
    """What 'gpube reparam' reports, as a dict; the problem is in 'shifted'."""
    command = [os.environ.get("GPUBE", "gpube"), "reparam", "-q", "--json", "--prune",
               "--timeout", f"{seconds}s", "-o", shifted, file]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    except FileNotFoundError:
        sys.exit(f"{command[0]} is not there: set GPUBE")
    except subprocess.CalledProcessError as failure:  # it has said why
        sys.exit(failure.returncode)
    return json.loads(done.stdout)


def optimum(file, seconds):
    """(cost, values, who proved it); (None, None, who) of a problem without solution."""
    with tempfile.TemporaryDirectory() as directory:
        shifted = os.path.join(directory, "shifted.cfn")
        found = shift(file, shifted, seconds)
        cost = found["lower_bound" if found["direction"] == "maximise" else "upper_bound"]
        if found["status"] != "bounds":
            return cost, found["assignment"], "gpube"
        cfn = pytoulbar2.CFN()
        if found["direction"] == "minimise" and cost is not None:
            # what the shifts closed of the gap above toulbar2's own first bound: nothing gained is
            # many tables more for nothing, and the file as it is is searched below the best cost
            cfn.Read(file)
            own = cfn.GetLB()
            if found["written"]["constant"] - own < WORTH * (cost - own):
                print(f"gpube: bound {found['written']['constant']}, best {cost}; the shifts closed "
                      f"too little, toulbar2 goes on with the file", file=sys.stderr)
                cfn.UpdateUB(cost)
                better = cfn.Solve()
                return (cost, found["assignment"], "toulbar2") if better is None else \
                    (better[1], better[0], "toulbar2")
            cfn = pytoulbar2.CFN()
        cfn.Read(shifted)
        print(f"gpube: bound {found['written']['constant']}, best {cost}; "
              f"toulbar2 begins at {cfn.GetLB()}", file=sys.stderr)
        better = cfn.Solve()
        if better is None:
            return cost, found["assignment"], "toulbar2"
        return better[1], better[0], "toulbar2"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    cost, values, who = optimum(sys.argv[1], float(sys.argv[2]) if len(sys.argv) == 3 else 10)
    print("no assignment is allowed" if cost is None else f"optimum {cost}", "proved by", who)
    if values is not None:
        print(*values)


if __name__ == "__main__":
    main()
