"""Types of arguments, for annotations."""
import os
from decimal import Decimal
from fractions import Fraction
from typing import Union

Key = Union[int, str]                              # a variable or value: its index or its name
Number = Union[int, float, str, Decimal, Fraction] # a cost, exactly what it says
Path = Union[str, bytes, os.PathLike]
Seconds = Union[None, int, float, str]             # a timeout: seconds, "5m", or None
