"""What the scripts of this directory have in common: options that mean the same in all of them."""
import argparse
import csv
import os

SHARED = {
    "data": {"nargs": "?"},
    "--gpube": {"default": os.environ.get("GPUBE", "build/gpube")},
    "--toulbar2": {"default": "toulbar2"},
    "--only": {"default": ""},
    "--csv": {},
    "--table": {},
    "--deadline": {"type": float, "default": 1e9},
    "--seeds": {"type": int, "default": 10},
    "sizes": {"type": int, "nargs": "+"},
}


def options(doc, *names, **others):
    """A parser whose help is the script's doc. names: of the shared options; others: name=default, of that type."""
    p = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in names:
        p.add_argument(name, **SHARED[name])
    for name, default in others.items():
        how = {"action": "store_true"} if default is False else {"default": default, "type": type(default)}
        p.add_argument("--" + name.replace("_", "-"), **how)
    return p


def write_rows(path, rows):
    """A CSV of dicts that have the same keys."""
    with open(path, "w", newline="") as f:
        w = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
        w.writeheader()
        w.writerows(rows)
