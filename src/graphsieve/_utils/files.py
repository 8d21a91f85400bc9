"""Atomic replacement of files."""

import os
import platform
import re
import secrets
import stat
from contextlib import contextmanager
from pathlib import Path

# .<stem>~<host>~<process>~<token><suffix>: the writer can be identified from the name alone.
_LEFTOVER = re.compile(r"\.(?P<stem>.*)~(?P<host>[^~]*)~(?P<pid>\d+)~[0-9a-f]{8}(?P<suffix>.*)")


@contextmanager
def replacing(path):
    """Replace a file in one step, by ``with replacing(path) as temporary``.

    The temporary path takes the place of `path`, with its permissions, when the block ends
    normally. Temporary files of writers of `path` that were killed are removed.
    """
    path = Path(path).resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}; create it first")
    remove_leftovers(path.parent, path)
    token = secrets.token_hex(4)
    new = path.with_name(f".{path.stem}~{_host()}~{os.getpid()}~{token}{path.suffix}")
    try:
        yield new
        with open(new, "rb+") as file:
            os.fsync(file.fileno())
        if path.exists():
            os.chmod(new, stat.S_IMODE(path.stat().st_mode))
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def remove_leftovers(folder, target=None):
    """Remove temporary files, of one path or all, of writers of this machine that were killed."""
    folder = Path(folder)
    for entry in os.scandir(folder) if folder.is_dir() else ():
        found = _LEFTOVER.fullmatch(entry.name)
        if not found or found["host"] != _host() or _is_running(int(found["pid"])):
            continue
        if target in (None, folder / (found["stem"] + found["suffix"])):
            Path(entry.path).unlink(missing_ok=True)


def _host():
    return re.sub(r"[^\w.-]", "_", platform.node())


def _is_running(pid):
    if os.name == "nt":
        return True  # there os.kill would end the process instead of asking for it
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError) as error:
        return isinstance(error, PermissionError)
    return True
