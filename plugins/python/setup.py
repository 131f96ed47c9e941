"""The wheel's tag: of a platform, for its library, and of any Python, which calls that by ctypes."""
from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class Platform(Distribution):
	def has_ext_modules(self):
		return True


class AnyPython(bdist_wheel):
	def get_tag(self):
		return ("py3", "none") + super().get_tag()[2:]


setup(distclass=Platform, cmdclass={"bdist_wheel": AnyPython})
