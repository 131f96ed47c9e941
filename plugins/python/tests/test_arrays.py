"""Tables of numbers: buffers and numpy's arrays of every kind say the same as lists, and functions too."""
import array
import ctypes
import itertools
import random
import unittest
from decimal import Decimal
from fractions import Fraction

import gpube
from gpube import _tables

try:
	import numpy
except ImportError:
	numpy = None


def model(shape, decimals=0, kind="costs"):
	m = gpube.Model(kind, decimals=decimals)
	for d in shape:
		m.add_variable(d)
	return m


def costs_of(m):
	return [m.function(k)[1] for k in range(m.n_functions)]


class Buffers(unittest.TestCase):
	def test_arrays_of_python(self):
		m = model([2, 3])
		numbers = [5, -1, 0, 2, 7, 3]
		for code in "bhilqBHIL":
			m.add_function([0, 1], array.array(code, [abs(x) for x in numbers]))
			self.assertEqual(m.function(m.n_functions - 1)[1], [abs(x) for x in numbers])
		for code in "bhilqd":
			for x in array.array(code, numbers), memoryview(array.array(code, numbers)), memoryview(
					array.array(code, numbers)).toreadonly():
				m.add_function([0, 1], x)
				self.assertEqual(m.function(m.n_functions - 1)[1], numbers)
		wide = memoryview(array.array("q", numbers)).cast("B").cast("q", [2, 3])
		m.add_function([0, 1], wide)
		m.add_function([0, 1], (ctypes.c_int * 6)(*numbers))
		self.assertEqual(costs_of(m)[-2:], [numbers] * 2)
		self.assertRaises(ValueError, m.add_function, [1, 0], wide)
		self.assertRaises(ValueError, m.add_function, [0, 1], array.array("i", numbers[:5]))
		self.assertEqual(gpube.csg(array.array("i", [0, 1, 2, 4])).value, 4)
		self.assertEqual(gpube.csg(memoryview(array.array("d", [0, 1.5, 2, 4]))).value, 4.0)

	def test_lent(self):
		"""Cells that are not copied: nothing writes to them, and they live as long as the model."""
		for code in "bhiq":
			cells = array.array(code, [3, 1, 0, 9])
			m = model([2, 2])
			m.add_function([0, 1], cells, copy=False)
			self.assertEqual((m.solve().cost, m.function(0)[1]), (0, [3, 1, 0, 9]))
			s = m.solver()
			s.add_function([1, 0], cells, copy=False)
			s.change(1, {(0, 0): 50})
			s.change(0, {(1, 1): 50})
			self.assertEqual((s.function(1)[1][0], cells.tolist()), (50, [3, 1, 0, 9]))
			self.assertRaises(BufferError, cells.append, 1)  # it would move
			s.close()
			m.close()
			cells.append(1)
		# the largest number of a type stands for forbidden in the library, and not for anybody else
		m = model([2])
		for code, most in ("b", 127), ("h", 2**15 - 1), ("i", 2**31 - 1):
			m.add_function([0], array.array(code, [most, 0]), copy=False)
			self.assertEqual(m.function(m.n_functions - 1)[1], [most, 0])
		with self.assertRaises(gpube.Error) as e:
			m.add_function([0], array.array("q", [2**63 - 1, 0]), copy=False)
		self.assertEqual(e.exception.status, "ERANGE")
		m = model([2], decimals=1)
		m.add_function([0], array.array("b", [1, 2]), copy=False)  # tenths have to be made
		self.assertEqual(m.function(0)[1], [1, 2])
		p = model([2], kind="potentials")
		p.add_function([0], array.array("f", [.25, .75]), copy=False)
		self.assertEqual(p.function(0)[1], [.25, .75])
		self.assertRaises(ValueError, model([3]).add_function, [0], array.array("b", [1, 2]), copy=False)

	def test_what_is_no_table(self):
		m = model([2])
		for bad in "ab", b"abc", [1], [[1, 2]], None, [1, None], [1, "x"], {1: 2}, array.array("i"):
			for copy in True, False:
				self.assertRaises((ValueError, TypeError), m.add_function, [0], bad, copy=copy)
		self.assertEqual(m.n_functions, 0)


class Decimals(unittest.TestCase):
	def test_as_python_prints(self):
		"""A float is the decimal that Python prints of it, whichever way it is converted."""
		r = random.Random(7)
		for decimals in 0, 1, 2, 3, 6, 9, 15, 18:
			numbers = [r.choice([1, -1]) * float("%.*f" % (r.randint(0, decimals), r.uniform(0, 10**r.randint(0, 17 - decimals))
				if decimals < 17 else r.random())) for _ in range(300)]
			numbers += [0.0, -0.0, 1.0, 10.0**-decimals, 5e-324, 1e22, 123456789012345.6, float(2**53), gpube.INF]
			fits = []
			for x in numbers:
				if x == gpube.INF:
					fits.append(x)
					continue
				scaled = Fraction(repr(x)) * 10**decimals
				if scaled.denominator == 1 and abs(scaled) < 2**62:
					fits.append(x)
				for given in ([[x]] if numpy is None else ([x], numpy.array([x]))):
					m = model([1], decimals)
					if scaled.denominator != 1:
						self.assertRaises(ValueError, m.add_function, [0], given)
			m = model([len(fits)], decimals)
			m.add_function([0], fits)
			if numpy is not None:
				m.add_function([0], numpy.array(fits))
			told = [x if x == gpube.INF else Decimal(repr(x)) for x in fits]
			for cells in costs_of(m):
				self.assertEqual(cells, told)

	def test_bad_floats(self):
		m = model([2], 2)
		for bad in [0.125, 1], [float("nan"), 1], [-gpube.INF, 1]:
			self.assertRaises(ValueError, m.add_function, [0], bad)
		with self.assertRaises(gpube.Error) as e:
			m.add_function([0], [1e17, 1])
		self.assertEqual(e.exception.status, "ERANGE")


class Functions(unittest.TestCase):
	def test_csg(self):
		for n in 1, 2, 5:
			values = [0] + [bin(c).count("1") ** 2 % 7 - (c % 3) for c in range(1, 2**n)]
			f = lambda agents: values[sum(1 << a for a in agents)]
			self.assertEqual(gpube.csg(f, n=n).value, gpube.csg(values).value)
		self.assertEqual(str(gpube.csg(lambda agents: Decimal("0.5") * len(agents), n=3).value), "1.5")
		self.assertEqual(gpube.csg(lambda agents: -gpube.INF if len(agents) > 1 else 2, n=4).value, 8)
		self.assertRaises(ValueError, gpube.csg, len)
		for n in 24, 40, 10**6:
			self.assertRaisesRegex(ValueError, "at most 10000000", gpube.csg, len, n=n)

	def test_tables(self):
		m = model([10] * 8)
		self.assertRaisesRegex(ValueError, "100000000 times", m.add_function, range(8), lambda *values: 0)
		self.assertEqual(m.n_functions, 0)
		m.add_function([1, 0], lambda x, y: 10 * x + y, copy=False)
		self.assertEqual(m.function(0)[1], list(range(100)))


@unittest.skipIf(numpy is None, "no numpy")
class Numpy(unittest.TestCase):
	def kinds(self, numbers):
		"""The same numbers in arrays of many types, orders and strides."""
		for name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 >i4 >i2 >f8 bool longdouble".split():
			x = numpy.array(numbers).astype(name)
			yield x
			yield numpy.asfortranarray(x)
			yield numpy.repeat(x, 2, axis=0)[::2]
			yield x[::-1][::-1]
			frozen = x.copy()
			frozen.flags.writeable = False
			yield frozen
			odd = numpy.frombuffer(b"\0" + x.tobytes(), dtype="i1")[1:]  # not at a multiple of its size
			yield odd.view(x.dtype).reshape(x.shape) if x.dtype.itemsize > 1 else x

	def test_all_kinds(self):
		for decimals in 0, 2:
			for copy in True, False:
				for x in self.kinds([[1, 0, 1], [1, 1, 0]]):
					m = model([2, 3], decimals)
					m.add_function([0, 1], x, copy=copy)
					self.assertEqual(m.function(0)[1], [1, 0, 1, 1, 1, 0], (x.dtype, copy))
					p = model([2, 3], kind="potentials")
					p.add_function([0, 1], x, copy=copy)
					self.assertEqual(p.function(0)[1], [1, 0, 1, 1, 1, 0], (x.dtype, copy))

	def test_coalitions(self):
		r = numpy.random.default_rng(5)
		for n in 1, 2, 6:
			values = r.integers(0, 100, 2**n)
			values[0] = 0
			for x in self.kinds(values):
				whole = gpube.csg(x.astype("i8") if x.dtype != bool else [int(v) for v in x])
				got = gpube.csg(x)
				self.assertEqual((got.value, got.proved), (whole.value, True), x.dtype)
		low = numpy.array([0, 5, -2**31, 1], dtype="i4")
		self.assertEqual(gpube.csg(low, free_disposal=True).coalitions, [(0,)])
		self.assertEqual(low.tolist(), [0, 5, -2**31, 1])
		self.assertEqual(gpube.csg(numpy.array([-gpube.INF, 1, 2, -gpube.INF])).value, 3.0)
		for bad in numpy.array([1, 1, 2, 3]), numpy.arange(6), numpy.zeros((2, 2)), numpy.zeros(0), numpy.array(0):
			self.assertRaises(ValueError, gpube.csg, bad)
		for bad in numpy.array([0, numpy.nan, 1, 1]), numpy.array([0, numpy.inf, 1, 1]):
			self.assertRaises((ValueError, gpube.Error), gpube.csg, bad)

	def test_csg_takes_it_as_it_lies(self):
		x = numpy.arange(2**10, dtype="i4")
		cells = _tables.buffer(x, least=2)
		self.assertEqual(cells.address, x.ctypes.data)
		frozen = numpy.arange(2**10)
		frozen.flags.writeable = False
		self.assertEqual(_tables.buffer(frozen).address, frozen.ctypes.data)

	def test_payoffs(self):
		r = numpy.random.default_rng(3)
		for _ in range(20):
			a, b = r.integers(-9, 9, (2, 3, 4))
			g, h = gpube.Game(a, b), gpube.Game(a.tolist(), b.tolist())
			self.assertEqual((g.payoffs(1), g.payoffs(2)), (h.payoffs(1), h.payoffs(2)))
			z = gpube.Game(a.astype("i2"))
			self.assertEqual(z.payoffs(2), [[-x for x in row] for row in h.payoffs(1)])
			tenths, thirds = a / 10, a / 3
			for x in tenths, tenths.T, tenths.astype("f4"), thirds:
				told = [[Fraction(repr(v)) for v in row] for row in (x if x.dtype != "f4" else tenths).tolist()]
				self.assertEqual(gpube.Game(x).payoffs(1), told)
		for bad in numpy.zeros((0, 3)), numpy.zeros(3), numpy.array([[numpy.nan]]), numpy.array([[numpy.inf]]):
			self.assertRaises((ValueError, TypeError), gpube.Game, bad)
		self.assertRaises(ValueError, gpube.Game, numpy.zeros((2, 3)), numpy.zeros((3, 2)))
		with self.assertRaises(gpube.Error) as e:
			gpube.Game(numpy.array([[2**64 - 1]], dtype="u8"))
		self.assertEqual(e.exception.status, "ERANGE")

	def test_32_bits(self):
		m = model([4], 1)
		m.add_function([0], numpy.array([.1, .7, -2.5, numpy.inf], dtype="f4"))
		self.assertEqual(m.function(0)[1], [Decimal(".1"), Decimal(".7"), Decimal("-2.5"), gpube.INF])
		self.assertRaises(ValueError, m.add_function, [0], numpy.array([.15, 0, 0, 0], dtype="f4"))

	def test_random_models(self):
		"""Optima of models of arrays are those of the same lists."""
		r = random.Random(11)
		for seed in range(30):
			domains = [r.randint(1, 4) for _ in range(5)]
			listed, arrays = model(domains, 1), model(domains, 1)
			for _ in range(6):
				scope = r.sample(range(5), r.randint(0, 3))
				x = numpy.round(numpy.random.default_rng(seed).uniform(-9, 9, [domains[v] for v in scope]), 1)
				listed.add_function(scope, x.tolist())
				arrays.add_function(scope, x)
			self.assertEqual(listed.solve().optimum, arrays.solve().optimum)


if __name__ == "__main__":
	unittest.main()
