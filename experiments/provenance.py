"""Origin of a number: versions, machine and commit."""

import json
import os
import platform
import subprocess
from functools import lru_cache
from importlib.metadata import distribution, version
from pathlib import Path

import graphsieve

_PACKAGES = ("graphsieve", "numpy", "scipy", "scikit-learn")


@lru_cache(maxsize=1)
def provenance():
    """Versions, processor and commit behind the results of this process, as a dict."""
    return {
        **{name.replace("-", "_"): version(name) for name in _PACKAGES},
        "python": platform.python_version(),
        "cpu": _cpu(),
        "n_cpus": os.cpu_count(),
        "commit": commit_of(Path(graphsieve.__file__).parent) or _installed_commit(),
    }


def _cpu():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def commit_of(package):
    """Commit of the source, with "-dirty" if its code differs from it; empty if unknown.

    The repository of the folder ``package`` must be that of the project: an environment may lie in
    another one.
    """
    top = _git(package, "rev-parse", "--show-toplevel")
    if not top or (Path(top) / "src" / "graphsieve").resolve() != package.resolve():
        return ""
    commit = _git(package, "rev-parse", "--short=12", "HEAD")
    # Claims and pages take no part, and every row has what its experiment specifies.
    code = ("src/graphsieve", ":(glob)experiments/*.py")
    changed = _git(top, "status", "--porcelain", "--", *code)
    return f"{commit}-dirty" if commit and changed else commit


def _installed_commit():
    """Commit that pip installed from, if it was a repository; empty otherwise."""
    origin = distribution("graphsieve").read_text("direct_url.json") or "{}"
    return json.loads(origin).get("vcs_info", {}).get("commit_id", "")[:12]


def _git(folder, *arguments):
    # Variables such as GIT_DIR would point git to another repository.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
