"""An accessor imports its module on first use."""

import subprocess
import sys

from graphsieve._utils.lazy import LazyAccessor


def test_module_is_imported_on_first_use():
    code = (
        "import sys; from graphsieve._utils.lazy import LazyAccessor; "
        "C = type('C', (int,), {'half': LazyAccessor('fractions', 'Fraction', 'doc')}); "
        "before = 'fractions' in sys.modules; C(2).half; print(before, 'fractions' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]


def test_class_gives_the_accessor_itself():
    class Number(int):
        fraction = LazyAccessor("fractions", "Fraction", "As a fraction.")

    assert Number.fraction.__doc__ == "As a fraction."
    assert Number(3).fraction == 3
