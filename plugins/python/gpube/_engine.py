"""Contexts, errors, long calls that Ctrl-C ends, and numbers without a rounding."""
import collections
import ctypes
import difflib
import functools
import inspect
import math
import operator
import os
import queue
import threading
import weakref
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Iterable, Optional, TypeVar, Union, cast

from . import _c
from ._c import lib

INF = math.inf


class Error(Exception):
	"""A call that the library refused or could not finish.

	status  "EINVAL", "EPARSE", "ELIMIT", …: the name of gpube.h's status without "GPUBE_"
	text    what the library says, such as "x.wcsp:3: expected …"
	result  of ELIMIT: what is known without the work, such as a Solution with its plan; or None

	>>> try: gpube.Model.read("no.wcsp")
	... except gpube.Error as e: print(e.status)
	EIO
	"""

	def __init__(self, status, text, result=None):
		super().__init__("%s (%s)" % (text or "failed", status))
		self.status, self.text, self.result = status, text, result


class Interrupted(KeyboardInterrupt):
	"""Ctrl-C during a long call: the call has ended, and its object can be used on.

	result  the best that is known, as the call would have returned it at a timeout; or None
	"""

	def __init__(self, result=None):
		super().__init__()
		self.result = result


class Options:
	"""The library's options for one of its calls, by their names in its table.

	function  of this package, for messages; call: of the library
	given     texts as the command line has them, numbers, bools, arrays of ctypes; None: the default
	Errors: TypeError (a name that the call has not), ValueError (a value)
	"""

	def __init__(self, function, call, **given):
		out = ctypes.c_void_p()
		if lib.gpube_opts_new(ctypes.byref(out), None):
			raise MemoryError
		self.address = out.value
		weakref.finalize(self, lib.gpube_opts_free, out.value).atexit = False
		rows = {row.name.decode(): row for row in reversed(_c.table(call))}
		names = {name: row.type for name, row in rows.items()}
		for name, value in given.items():
			if name not in names:
				raise no_option(function, name, [*names, *_OWN.get(function, ())])
			if isinstance(value, float) and names[name] not in (b"real", b"time"):
				raise TypeError("%s: expected an integer, found %r" % (name, value))
			if names[name] == b"choice" and isinstance(value, str) and value.encode() not in rows[name].argument.split(b"|"):
				raise ValueError("%s: expected %s, found %r" % (name, rows[name].argument.decode(), value))
			if value is not None and self._set(name.encode(), value):
				raise self.wrong()

	def wrong(self):
		"""What the library says, as an exception."""
		return ValueError(lib.gpube_opts_error(self.address).decode("utf-8", "replace"))

	def _set(self, name, value):
		if isinstance(value, bool):
			value = "yes" if value else "no"
		if isinstance(value, str):
			value = os.fsencode(value)
		if isinstance(value, bytes):
			if b"\0" in value:
				raise ValueError("%s: a text with a zero byte" % name.decode())
			return lib.gpube_opts_set(self.address, name, value)
		if isinstance(value, ctypes.Array):
			return len(value) and lib.gpube_opts_set_numbers(self.address, name, len(value), value)
		if isinstance(value, float):
			return lib.gpube_opts_set_real(self.address, name, value)
		value = operator.index(value)
		if not -_c.INF <= value <= _c.INF:
			raise ValueError("%s: %d does not fit 64 bits" % (name.decode(), value))
		return lib.gpube_opts_set_int(self.address, name, value)


_OWN = {}  # what a method takes beside its call's options, by its name
# what the program and others call it
_ELSEWHERE = {"ub": "cutoff", "time_limit": "timeout", "limit": "most", "size": "n", "agents": "n"}
_OF_CONTEXTS = "threads", "memory", "device_memory", "devices", "log"


def no_option(function, name, known):
	"""A TypeError: a function has no option of that name; the nearest of those that it has."""
	near = [_ELSEWHERE[name]] if _ELSEWHERE.get(name) in known else difflib.get_close_matches(name, known, 1)
	near = ", did you mean %r?" % near[0] if near else ""
	if name in _OF_CONTEXTS:
		near = ": context=gpube.Context(%s=…) of a Model or Game has it" % name
	elif name == "on_progress":
		near = ": solve() and bound() of a Model have it"
	return TypeError("%s() has no option %r%s" % (function, name, near))


Method = TypeVar("Method", bound=Callable[..., Any])


def takes(call: str, **own: Any) -> Callable[[Method], Method]:
	"""Of a method: its **options are those of a call of the library, whose table makes the signature and
	the end of the text; 'own' are names that the method gives a meaning of its own (None: hidden)."""
	def document(method: Method) -> Method:
		signature = inspect.signature(method)
		parameters = [p for p in signature.parameters.values() if p.kind != p.VAR_KEYWORD]
		here = _OWN[method.__name__] = {p.name for p in parameters}
		text, seen = ["", "", "Options:"], set()
		for row in _c.table(call):
			name = row.name.decode()
			if name in seen or name in here or row.type == b"call" or own.get(name, "") is None:
				continue
			seen.add(name)
			dflt = False if row.type == b"flag" else None if row.dflt is None else row.dflt.decode()
			parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=dflt))
			words = row.argument.decode() if row.type == b"choice" else ""
			text.append("%-12s %s" % (name, own.get(name) or row.help.decode() + (": " + words if words else "")))
		method.__signature__ = signature.replace(parameters=parameters)
		parts = inspect.cleandoc(method.__doc__).split("\n\n>>>")
		body = parts[0] + "\n".join(text)
		method.__doc__ = "\n\n>>>".join([body] + parts[1:])
		return method
	return document


def names_nearest(*more: str) -> Callable[[Method], Method]:
	"""Of a function: an option that neither its signature nor 'more' has is a TypeError with the nearest one,
	also where an argument is missing."""
	def decorate(function: Method) -> Method:
		known = [p.name for p in inspect.signature(function).parameters.values() if p.kind != p.VAR_KEYWORD and p.name != "self"]

		@functools.wraps(function)
		def checked(*arguments: Any, **options: Any) -> Any:
			for name in options:
				if name not in known and name not in more:
					raise no_option(function.__name__, name, [*known, *more])
			return function(*arguments, **options)
		return cast(Method, checked)
	return decorate


def _worker(calls):
	while True:
		call = calls.get()
		if call is None:
			return
		call()
		del call  # holds what the call was about


def _free_context(address, calls, freed):
	if calls:
		calls[0].put(None)
	while freed:
		free, held = freed.popleft()
		free(held)
	lib.gpube_ctx_free(address)


class Context:
	"""Threads, memory and devices; every model and game has one, its own unless one is given.

	threads        at most so many; default: the cores that this process may use
	memory         bytes of tables, or "8G"; default: what is free
	device_memory  the same of a GPU
	devices        list of GPU indices; default: the first alone
	log            called as log(level, text) with "note", "bounds" (that got better), "detail" or
	               "progress", from another thread; it must not use what is being solved

	What shares a context takes turns. Errors: Error EINVAL, ENOMEM.

	>>> m = gpube.Model.read("examples/zebra.wcsp", context=gpube.Context(threads=1))
	"""

	def __init__(self, threads: Optional[int] = None, memory: Union[None, int, str] = None,
			device_memory: Union[None, int, str] = None, devices: Optional[Iterable[int]] = None,
			log: Optional[Callable[[str, str], Any]] = None):
		opts = Options("Context", "gpube_ctx_new", threads=threads, memory=memory, device_memory=device_memory,
			devices=int32s(devices or []))
		self._log = None
		self._told = ", ".join("%s=%r" % limit for limit in (("threads", threads), ("memory", memory),
			("device_memory", device_memory), ("devices", devices)) if limit[1] is not None)
		if log is not None:
			words = _c.WORDS["GPUBE_LOG_"]

			def say(arg, address):
				said = _c.at(address, "gpube_log")
				log(words[said.level], (said.text or b"").decode("utf-8", "replace"))
			self._log = _c.LOG(say)
			lib.gpube_opts_set_logger(opts.address, ctypes.cast(self._log, ctypes.c_void_p), None)
		out = ctypes.c_void_p()
		status = lib.gpube_ctx_new(ctypes.byref(out), opts.address)
		if status == -1:
			raise opts.wrong()
		if status:
			raise Error(_c.STATUS[status], "a context could not be made")
		self._address = out.value
		self._lock = threading.Lock()       # one call at a time
		self._stopping = threading.Lock()   # guards _running
		self._running = False
		self._calls = []                    # the queue of the thread, once there is one
		self._thread = None
		self._freed = collections.deque()   # what has to wait for the end of a call
		weakref.finalize(
			self, _free_context, out.value, self._calls, self._freed).atexit = False

	@classmethod
	def _given(cls, context):
		"""The one that was given, or of None one of its own. Errors: TypeError"""
		if context is not None and not isinstance(context, Context):
			raise TypeError("context: expected a gpube.Context, found %s" % type(context).__name__)
		return context or Context()

	def __repr__(self):
		return "<gpube.Context%s>" % (self._told and ": " + self._told)

	def stop(self) -> None:
		"""Asks the call that runs in another thread to end soon with what it knows."""
		with self._stopping:
			if self._running:
				lib.gpube_ctx_stop(self._address)

	def _check(self, status):
		if status:
			raise Error(_c.STATUS.get(status, str(status)),
				lib.gpube_error(self._address).decode("utf-8", "replace"))

	def _do(self, function, *arguments):
		"""A short call; raises what it returns."""
		with self._lock:
			self._free_those()
			self._check(function(*arguments))

	def _free(self, free, address):
		"""Frees something now, or at the next call if one is running: the garbage collector must not
		wait, and what is freed changes the context."""
		self._freed.append((free, address))
		if self._lock.acquire(False):
			try:
				self._free_those()
			finally:
				self._lock.release()

	def _free_those(self):
		while self._freed:
			free, address = self._freed.popleft()
			free(address)

	def _start(self):
		"""A context's long calls are all made by one thread, which a forked child has not."""
		if self._thread is None or not self._thread.is_alive():
			self._calls[:] = [queue.SimpleQueue()]
			self._thread = threading.Thread(
				target=_worker, args=(self._calls[0],), name="gpube", daemon=True)
			self._thread.start()

	def _call(self, function, *arguments):
		"""A long call function(&out, *arguments), in the context's own thread, so that this one can be
		interrupted. Returns (out, Error or None, what interrupted it or None)."""
		with self._lock:
			self._free_those()
			self._start()
			out = ctypes.c_void_p()
			done = threading.Event()
			said = []

			def call():
				if done.is_set():
					return
				try:
					said.append(function(ctypes.byref(out), *arguments))
				except BaseException as e:  # an argument that is no number
					said.append(e)
				done.set()

			interrupted = None
			try:
				with self._stopping:
					self._running = True
				self._calls[0].put(call)
				while not done.wait(0.2):  # a signal may have reached another thread
					pass
			except BaseException as e:
				# Ctrl-C, or what another signal's handler raises; it may have come before the call
				# was put there, and a call that is there twice is done once
				interrupted = e
				self.stop()
				self._calls[0].put(call)
			while not done.is_set():
				try:
					done.wait(0.2)
				except BaseException:
					pass  # it is stopping
			with self._stopping:
				self._running = False
				lib.gpube_ctx_resume(self._address)
			if isinstance(said[0], BaseException):
				raise said[0]
			error = None
			try:
				self._check(said[0])
			except Error as e:
				error = e
			return out.value, error, interrupted

	def _run(self, function, convert, *arguments):
		"""A long call; returns convert(out), and frees 'out', a result."""
		out, error, interrupted = self._call(function, *arguments)
		try:
			result = convert(out) if out else None
		finally:
			if out:
				self._free(lib.gpube_result_free, out)
		_raise_interrupted(interrupted, result)
		if error and not (error.status == "ESTOP" and out):
			error.result = result
			raise error
		return result


def _raise_interrupted(interrupted, result):
	if isinstance(interrupted, KeyboardInterrupt):
		raise Interrupted(result) from None
	if interrupted is not None:
		raise interrupted


Self = TypeVar("Self", bound="Owner")


class Owner:
	"""A Python object with one of the library's: freed with it, and its context after both."""

	def __init__(self, context, address, free):
		self.context = context
		self._context_address = context._address
		self._held = address
		self._lent = []  # what the library's object borrows
		# the context is an argument so that it lives as long
		self._free = weakref.finalize(self, _free_held, context, free, address, self._lent)
		self._free.atexit = False

	@property
	def _address(self):
		if not self._free.alive:
			raise ValueError("it is closed")
		return self._held

	def close(self) -> None:
		"""Frees the memory now; afterwards all uses are a ValueError."""
		self._free()
		with self.context._lock:
			self.context._free_those()

	def __enter__(self: Self) -> Self:
		return self

	def __exit__(self, *exception: Any) -> None:
		self.close()

	def stop(self) -> None:
		"""Ends the call that runs in another thread; it returns the best so far."""
		self.context.stop()

	def __repr__(self):
		return "<gpube.%s: %s>" % (type(self).__name__, self._words() if self._free.alive else "closed")

	def __reduce_ex__(self, protocol):
		raise TypeError("a %s is neither pickled nor copied%s" % (type(self).__name__,
			": write() it to a file that another process reads" if hasattr(self, "write") else ""))


def _free_held(context, free, address, lent):
	def free_then_let_go(held):
		free(held)
		lent.clear()

	context._free(free_then_let_go, address)


def opened(context, function, free, *arguments):
	"""An address that a long call makes; it is freed if the call was interrupted."""
	out, error, interrupted = context._call(function, *arguments)
	if out and interrupted is not None:
		context._free(free, out)
	_raise_interrupted(interrupted, None)
	if error:
		raise error
	return out


def info(address):
	"""The gpube_model_info of a model."""
	return _c.at(lib.gpube_model_info(address), "gpube_model_info")


def expect(given, attribute, what):
	"""TypeError unless something has what is needed of it."""
	if not hasattr(given, attribute):
		raise TypeError("expected %s, found %s" % (what, type(given).__name__))


def path_bytes(path):
	"""A path as the library takes it."""
	p = os.fsencode(path)
	if b"\0" in p:
		raise ValueError("a path with a zero byte")
	return p


def word(prefix, text):
	"""The number of an option's word, such as "min_fill"."""
	words = _c.WORDS[prefix]
	if text not in words:
		raise ValueError("%r is none of %s" % (text, ", ".join(words)))
	return words.index(text)


def seconds(timeout):
	"""A timeout as the library takes it: None is none."""
	if timeout is None:
		return 0.0
	if not timeout > 0 or math.isinf(timeout):
		raise ValueError("a timeout is a number of seconds above 0, or None")
	return float(timeout)


def exact(x):
	"""A number as a Fraction; a float is the decimal that Python prints of it."""
	if isinstance(x, (int, Fraction)):
		return Fraction(x)
	if hasattr(x, "item"):  # numpy's scalars
		x = x.item()
	if isinstance(x, Decimal) and not x.is_finite():
		x = float(x) if not x.is_snan() else math.nan
	if isinstance(x, float):
		if not math.isfinite(x):
			raise ValueError("%s where a number is expected" % x)
		x = repr(x)
	if isinstance(x, (int, str, Decimal, Fraction)):
		try:
			return Fraction(x)
		except (ValueError, OverflowError, ZeroDivisionError):
			raise ValueError("not a number: %r" % (x,)) from None
	if hasattr(x, "as_integer_ratio"):  # a long double
		return Fraction(*x.as_integer_ratio())
	raise TypeError("not a number: %r" % (x,))


def is_infinite(x):
	try:
		return math.isinf(x)
	except (TypeError, OverflowError, ValueError):
		return False


def units(x, decimals):
	"""A number in whole units of 10^-decimals; never rounded."""
	if type(x) is int and not decimals:
		return x
	scaled = exact(x) * 10**decimals
	if scaled.denominator != 1:
		raise ValueError("%s needs more than the %d decimals that Model(decimals=…) gave" % (x, decimals))
	return scaled.numerator


def number(value, decimals):
	"""What 'value' units of 10^-decimals are: an int without decimals, otherwise a Decimal."""
	if not decimals:
		return value
	digits = tuple(int(d) for d in str(abs(value)))
	return Decimal((int(value < 0), digits, -decimals))


def whole(x):
	"""A whole number as an int. Errors: TypeError"""
	try:
		return operator.index(x)
	except TypeError:
		raise TypeError("expected a whole number, found %r" % (x,)) from None


def int32s(numbers):
	"""A ctypes array of indices, which ctypes itself would wrap."""
	numbers = list(numbers)
	try:
		numbers = [operator.index(x) for x in numbers]
	except TypeError:
		numbers = [whole(x) for x in numbers]  # which tells the one that is none
	for x in numbers:
		if not -2**31 <= x < 2**31:
			raise ValueError("%d is past 32 bits" % x)
	return (ctypes.c_int32 * len(numbers))(*numbers)


def int64(x):
	"""An integer that the library's numbers hold; otherwise Error ERANGE, or TypeError."""
	x = whole(x)
	if not -_c.INF <= x <= _c.INF:
		raise Error("ERANGE", "%d does not fit 64 bits" % x)
	return x
