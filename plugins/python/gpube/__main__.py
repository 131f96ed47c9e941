"""python -m gpube: the program."""
from ._program import main

main()
