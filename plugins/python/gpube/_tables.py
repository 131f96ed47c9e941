"""Tables of numbers as the library takes them: buffers as they are, decimals without a rounding."""
import ctypes
import math
import sys
from itertools import product

from . import _c
from ._engine import INF, Error, exact, int64, is_infinite, units

MOST_CALLS = 10_000_000  # of a function that stands for a table
# Decimal numbers of at most 15 digits (6 of 32-bit floats, 3 of 16-bit ones) that are not equal are not the same
# float: if one of them rounds to a float, it is what Python prints of it.
_DIGITS = {2: 10**3, 4: 10**6, 8: 10**15}  # by the float's bytes
_INTEGERS = {1: 0, 2: 1, 4: 2, 8: 3}  # bytes: GPUBE_INT8 …
_REALS = {4: 4, 8: 5}                 # GPUBE_FLOAT32, GPUBE_FLOAT64
INT8, INT64, FLOAT64 = 0, _c.GPUBE_INT64, _c.GPUBE_FLOAT64


class Cells:
	"""An array in memory: 'address' of cells of 'type' (an enum gpube_type), in a shape, as long as this is there."""

	def __init__(self, owner, address, type, shape):
		self.owner, self.address, self.type, self.shape = owner, address, type, tuple(shape)

	@property
	def n(self):
		"""How many cells."""
		return math.prod(self.shape)

	def numbers(self):
		"""They, as an array of ctypes."""
		kind = (ctypes.c_int8, ctypes.c_int16, ctypes.c_int32, ctypes.c_int64, ctypes.c_float, ctypes.c_double)[self.type]
		return (kind * self.n).from_address(self.address)

	@classmethod
	def own(cls, numbers, type=INT64):
		"""Of a list of numbers that fit it."""
		array = ((ctypes.c_double if type == FLOAT64 else ctypes.c_int64) * max(1, len(numbers)))(*numbers)
		return cls(array, ctypes.addressof(array), type, [len(numbers)])


def is_array(x):
	"""Whether it is one of numpy's."""
	return hasattr(x, "__array_interface__") and hasattr(x, "astype")


def plain(table):
	"""The array of numpy that something of pandas is; another table as it is. A function of values is one, too.

	Errors: TypeError (a dict, a set or a text: their order is not that of cells), ValueError (a masked cell)
	"""
	if hasattr(table, "to_numpy"):
		table = table.to_numpy()
	if isinstance(table, (str, set, frozenset)) or hasattr(table, "items"):
		raise TypeError("a table is nested lists, an array, or a function of value indices, not %r: costs of some tuples "
			"are for add_tuples()" % type(table).__name__)
	if hasattr(table, "filled") and numpy() and numpy().ma.is_masked(table):
		raise ValueError("a table with masked cells")
	return table


def _type(code, size):
	"""The library's type of a struct's letter; None: none."""
	code = code.lstrip("@=" + ("<" if sys.byteorder == "little" else ">"))
	return _INTEGERS.get(size) if code in tuple("bhilqn") else _REALS.get(size) if code in ("f", "d") else None


def _native(x):
	"""The dtype, of the library's, that holds the numbers of an array of numpy; None: there is none."""
	kind, size = x.dtype.kind, x.dtype.itemsize
	if kind == "f" and size <= 8:
		return "f%d" % max(4, size)
	if kind == "i":
		return "i%d" % size
	if kind == "b":
		return "i1"
	if kind == "u" and (size < 8 or not x.size or x.max() < 2**63):
		return "i%d" % min(8, 2 * size)
	return None


def buffer(x, least=1):
	"""Cells of a buffer whose numbers the library knows, without a copy if they lie one behind the other; None
	of anything else. Arrays of numpy of other kinds (unsigned, half, bool, of the other byte order) are converted,
	and integers of less than 'least' bytes."""
	if is_array(x):
		wanted = _native(x)
		if wanted is None:
			return None
		if wanted[0] == "i" and int(wanted[1]) < least:
			wanted = "i%d" % least
		row = x.astype(wanted, order="C", copy=False)
		if not row.flags.c_contiguous or not row.flags.aligned:
			row = row.copy(order="C")
		sizes = _REALS if wanted[0] == "f" else _INTEGERS
		return Cells(row, row.__array_interface__["data"][0], sizes[row.dtype.itemsize], x.shape)
	try:
		view = memoryview(x)
	except TypeError:
		return None
	type = _type(view.format, view.itemsize)
	if type is None or view.itemsize < least:
		return None
	if view.readonly or not view.c_contiguous:
		array = (ctypes.c_char * view.nbytes).from_buffer_copy(view.tobytes())
	else:
		array = (ctypes.c_char * view.nbytes).from_buffer(view)
	if ctypes.addressof(array) % view.itemsize:
		array = (ctypes.c_int64 * (view.nbytes // 8 + 1)).from_buffer_copy(bytes(array) + bytes(8))
	return Cells(array, ctypes.addressof(array), type, view.shape)


def numpy():
	"""The package, if the program uses it; otherwise None."""
	return sys.modules.get("numpy")


def _whole_floats(array, decimals):
	"""An int64 array of floats in units of 10^-decimals, forbidden for inf; None: some have to be looked at one by one."""
	np = numpy()
	ten, digits = 10.0**decimals, _DIGITS[array.dtype.itemsize]
	forbidden = array == INF
	numbers = np.where(forbidden, 0, array).astype("f8")
	with np.errstate(over="ignore", invalid="ignore"):
		scaled = np.rint(numbers * ten)
		same = (scaled / ten).astype(array.dtype) == numbers
		if not ((np.abs(scaled) < digits) & same).all():
			return None
	return np.where(forbidden, np.int64(_c.INF), np.asarray(scaled).astype("i8"))


def _scaled(array, decimals):
	"""An int64 array of an array of numpy in such units; None: some have to be looked at one by one."""
	kind = array.dtype.kind
	if kind == "f" and array.dtype.itemsize in _DIGITS:
		return _whole_floats(array, decimals)
	if kind not in "iub":
		return None
	most = (_c.INF - 1) // 10**decimals
	if array.size and not -most <= int(array.min()) <= int(array.max()) <= most:
		return None
	whole = array.astype("i8", copy=False)
	return numpy().asarray(whole * 10**decimals) if decimals else whole


def one_unit(x, decimals):
	"""A cost in units of 10^-decimals; inf is forbidden."""
	if is_infinite(x):
		if x < 0:
			raise ValueError("-inf is no cost; what is forbidden is inf in either direction")
		return _c.INF
	x = units(x, decimals)
	if not -_c.INF < x < _c.INF:
		raise Error("ERANGE", "a cost of %d units does not fit 64 bits" % x)
	return x


def all_units(cells, decimals):
	"""A list of numbers in whole units of 10^-decimals; a float that is what Python prints of it is soon done."""
	ten, digits, out = 10.0**decimals, _DIGITS[8], []
	for x in cells:
		if type(x) is int and not decimals and -_c.INF < x < _c.INF:
			out.append(x)
			continue
		if type(x) is float and -digits < x * ten < digits:
			u = round(x * ten)
			if u / ten == x:
				out.append(u)
				continue
		out.append(one_unit(x, decimals))
	return out


def costs(table, shape, decimals):
	"""Cells of int64 of a table of costs: an array or buffer, or lists of numbers.

	Errors: ValueError (shape, a cost that would be rounded), Error ERANGE
	"""
	array = _as_array(table, shape)
	if array is not None:
		whole = _scaled(array, decimals)
		if whole is not None:
			return _of_shape(buffer(whole), shape)
	return Cells.own(all_units(flat(table, shape), decimals))


def potentials(table, shape):
	"""Cells of double of a table of potentials."""
	array = _as_array(table, shape)
	if array is not None and array.dtype.kind in "iufb":
		return _of_shape(buffer(array.astype("f8", copy=False)), shape)
	return Cells.own(flat(table, shape), FLOAT64)


def _as_array(table, shape):
	"""An array of numpy, if it is one or a long list of floats alone in a program that uses it; otherwise None."""
	if is_array(table):
		return table
	np = numpy()
	if np is None or not isinstance(table, list) or len(table) < 1000 or set(map(type, table)) != {float}:
		return None
	return np.array(table)


def _of_shape(cells, shape):
	if cells.shape not in (tuple(shape), (math.prod(shape),)):
		raise ValueError("the shape is %s, expected %s" % (cells.shape, tuple(shape)))
	return cells


def lent(table, shape):
	"""Cells of a table of whole numbers as it lies in memory, if the library can use it so; otherwise None.

	Errors: ValueError (shape)
	"""
	cells = buffer(table)
	if cells is None or cells.type > INT64 or not cells.n:
		return None
	if int(cells.owner.max() if is_array(table) else max(cells.numbers())) >= _c.INF >> (64 - (8 << cells.type)):
		return None  # which stands for forbidden in the library
	return _of_shape(cells, shape)


def called(f, domains):
	"""The table of a function of one value index a variable. Errors: ValueError (more than 10,000,000 calls)"""
	check_calls(math.prod(domains))
	return [f(*values) for values in product(*map(range, domains))]


def check_calls(n):
	"""ValueError where a function would be called too often."""
	if n > MOST_CALLS:
		raise ValueError("a function would be called %d times, at most %d; give an array" % (n, MOST_CALLS))


def flat(table, shape):
	"""The numbers of a nested or a flat list, or of an array, row by row."""
	n = math.prod(shape)
	if is_array(table):
		if tuple(table.shape) not in (tuple(shape), (n,)):
			raise ValueError("the shape is %s, expected %s" % (tuple(table.shape), tuple(shape)))
		if table.dtype.kind == "f" and table.dtype.itemsize < 8:
			table = [float(str(x)) for x in table.ravel()]  # the decimal that is printed of it
		else:
			table = table.ravel().tolist() if shape else [table.item()]
	if not isinstance(table, (list, tuple)):
		cells = buffer(table)
		if cells is not None:
			return list(_of_shape(cells, shape).numbers())
		try:
			table = memoryview(table).tolist()
		except TypeError:
			table = list(table) if hasattr(table, "__iter__") else [table]
	if table and isinstance(table[0], (list, tuple)):
		return _nested(table, shape, shape)
	if len(table) != n:
		raise ValueError("%d numbers, expected %d for domains %s" % (len(table), n, tuple(shape)))
	return table


def _nested(table, shape, whole):
	if not shape:
		return [table]
	if not isinstance(table, (list, tuple)) or len(table) != shape[0]:
		raise ValueError("a table that is not of shape %s" % (tuple(whole),))
	return [x for row in table for x in _nested(row, shape[1:], whole)]


# ---- payoffs

def shape_of(table):
	"""The shape of an array, or of nested lists, of which it looks at the first ones."""
	if hasattr(table, "shape"):
		return tuple(table.shape)
	return (len(table),) + (shape_of(table[0]) if table else ()) if isinstance(table, (list, tuple)) else ()


def fractions(table, shape=None):
	"""(numerators, denominators) of a table of payoffs of two players, as Cells; None for denominators of 1.

	shape   None: rows and columns as the table has them
	Errors: ValueError (shape, no number), Error ERANGE
	"""
	table = plain(table)
	if is_array(table) and table.ndim == 2 and table.size and (shape is None or table.shape == shape):
		for decimals in range(16 if table.dtype.kind == "f" else 1):
			whole = _scaled(table, decimals)
			if whole is not None and int(whole.max(initial=0)) < _c.INF:
				den = numpy().full(table.shape, 10**decimals) if decimals else None
				return _of_shape(buffer(whole), table.shape), None if den is None else buffer(den)
	if shape is None:
		rows = [list(row) if hasattr(row, "__iter__") else [] for row in table]
		if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
			raise ValueError("payoffs are not a table of rows and columns")
		if isinstance(rows[0][0], (list, tuple)):
			raise ValueError("the payoff %r is no number: each player's payoffs are a table of their own" % (rows[0][0],))
		table, shape = rows, (len(rows), len(rows[0]))
	told = [exact(x) for x in flat(table, shape)]
	num, den = (Cells.own([int64(getattr(x, part)) for x in told]) for part in ("numerator", "denominator"))
	num.shape = shape
	return num, den


def negated(table):
	"""fractions() of the other player of a game of sum zero."""
	num, den = table
	return Cells.own([-x for x in num.numbers()]), den
