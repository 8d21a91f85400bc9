"""Attributes whose module is imported when they are first used."""

from importlib import import_module


class LazyAccessor:
    """An attribute of a class that wraps the instance, as ``plot`` of a pandas data frame does.

    The class ``name`` of ``module``, a full name, takes the instance as its only argument. The
    module is imported on first use, so that a class may offer what higher layers implement without
    loading, or depending on, them.

    >>> class Number(int):
    ...     fraction = LazyAccessor("fractions", "Fraction", "The number as a fraction.")
    >>> Number(3).fraction
    Fraction(3, 1)
    """

    def __init__(self, module, name, doc):
        self._module, self._name = module, name
        self.__doc__ = doc

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return getattr(import_module(self._module), self._name)(instance)
