"""Where a number comes from: versions, machine and commit."""

import os
import platform
import subprocess
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

_PACKAGES = ("graphsieve", "numpy", "scipy", "scikit-learn")


@lru_cache(maxsize=1)
def provenance():
    """Versions of what computes, processor and commit, all as text or numbers."""
    return {
        **{name.replace("-", "_"): version(name) for name in _PACKAGES},
        "python": platform.python_version(),
        "cpu": _cpu(),
        "n_cpus": os.cpu_count(),
        "commit": _commit(),
    }


def _cpu():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _commit():
    """Commit of the source tree, with -dirty where files differ from it; empty outside of one."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(
            command,
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
