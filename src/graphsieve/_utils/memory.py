"""How much memory there is for a computation."""

import os
from pathlib import Path

# Memory limit of a container, for the two versions of control groups.
_CGROUP_LIMITS = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


def available_memory() -> float:
    """Bytes that a computation can use without swapping; infinity if the system does not say."""
    return min(_free_memory(), *map(_limit, _CGROUP_LIMITS))


def physical_memory() -> float:
    """Bytes of memory that the machine has; infinity if the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def _free_memory():
    try:
        import psutil
    except ImportError:
        # The free pages do not count what caches would give back.
        return physical_memory()
    return float(psutil.virtual_memory().available)


def _limit(path):
    try:
        return float(Path(path).read_text())  # "max" is no number: no limit
    except (OSError, ValueError):
        return float("inf")
