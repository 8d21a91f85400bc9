"""Atomic replacement of files and folders."""

import os
import platform
import re
import secrets
import shutil
import stat
from contextlib import contextmanager
from pathlib import Path

# .<stem>~<host>~<process>~<token><suffix>: the writer can be identified from the name alone.
_LEFTOVER = re.compile(r"\.(?P<stem>.*)~(?P<host>[^~]*)~(?P<pid>\d+)~[0-9a-f]{8}(?P<suffix>.*)")
_SET_ASIDE = ".old"


@contextmanager
def replacing(path):
    """Replace a file or folder in one step, by ``with replacing(path) as temporary``.

    The temporary path takes the place of `path`, with its permissions, when the block ends
    normally. Temporary files of writers of `path` that were killed are removed.
    """
    path = Path(path).resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}; create it first")
    remove_leftovers(path.parent, path)
    new = _temporary(path, path.suffix)
    try:
        yield new
        if new.is_file():
            with open(new, "rb+") as file:
                os.fsync(file.fileno())
        if path.exists():
            os.chmod(new, stat.S_IMODE(path.stat().st_mode))
        if path.is_dir() or (new.is_dir() and path.exists()):
            _replace_folder(path, new)
        else:
            os.replace(new, path)
    finally:
        _remove(new)


def remove_leftovers(folder, target=None):
    """Remove temporary files, of one path or all, of writers of this machine that were killed."""
    folder = Path(folder)
    for entry in os.scandir(folder) if folder.is_dir() else ():
        found = _LEFTOVER.fullmatch(entry.name)
        if not found or found["host"] != _host() or _is_running(int(found["pid"])):
            continue
        suffix = found["suffix"]
        original = folder / (found["stem"] + suffix.removesuffix(_SET_ASIDE))
        if target is not None and original != Path(target):
            continue
        if suffix.endswith(_SET_ASIDE) and not original.exists():
            # The writer was killed between moving the old folder away and the new one in.
            os.replace(entry.path, original)
        else:
            _remove(Path(entry.path))


def _temporary(path, suffix):
    token = secrets.token_hex(4)
    return path.with_name(f".{path.stem}~{_host()}~{os.getpid()}~{token}{suffix}")


def _replace_folder(path, new):
    old = _temporary(path, path.suffix + _SET_ASIDE)
    os.rename(path, old)
    try:
        os.replace(new, path)
    except BaseException:
        os.replace(old, path)
        raise
    _remove(old)


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


def _remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
