"""The program gpube that a wheel has: `gpube` on the command line runs it."""
import os
import sys


def main():
	program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "gpube")
	if not os.access(program, os.X_OK):
		sys.exit("gpube: this installation has the Python package alone; 'make install' has the program")
	os.execv(program, ["gpube"] + sys.argv[1:])
