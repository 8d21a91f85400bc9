"""Public functions, and the public methods of public classes, are annotated."""

import inspect

import pytest

import graphsieve.evaluation
import graphsieve.inspection
import graphsieve.methods
import graphsieve.plots
import graphsieve.report

MODULES = [
    graphsieve,
    graphsieve.evaluation,
    graphsieve.inspection,
    graphsieve.methods,
    graphsieve.plots,
    graphsieve.report,
]
try:
    import graphsieve.anndata

    MODULES.append(graphsieve.anndata)
except ImportError:
    pass


def functions():
    for module in MODULES:
        for name in module.__all__:
            item = getattr(module, name)
            if not getattr(item, "__module__", "").startswith(module.__name__):
                continue
            members = vars(item) if inspect.isclass(item) else {"": item}
            for member, function in members.items():
                function = getattr(function, "__func__", function)  # of a class method
                if inspect.isfunction(function) and not member.startswith("_"):
                    yield pytest.param(function, id=f"{module.__name__}.{function.__qualname__}")
            if inspect.isclass(item) and inspect.isfunction(vars(item).get("__init__")):
                yield pytest.param(item.__init__, id=f"{module.__name__}.{name}")


@pytest.mark.parametrize("function", list(functions()))
def test_parameters_and_result_are_annotated(function):
    signature = inspect.signature(function)
    names = [name for name in signature.parameters if name not in ("self", "cls")]
    assert [n for n in names if signature.parameters[n].annotation is inspect.Parameter.empty] == []
    assert signature.return_annotation is not inspect.Signature.empty
