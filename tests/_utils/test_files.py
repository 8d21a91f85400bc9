"""Atomic replacement: all or nothing, permissions kept, nothing left behind."""

import signal
import subprocess
import sys

import pytest

from graphsieve._utils.files import remove_leftovers, replacing


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_file_appears_when_the_block_ends(tmp_path):
    path = tmp_path / "table.csv"
    with replacing(path) as temporary:
        assert temporary.suffix == ".csv"
        temporary.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    assert names(tmp_path) == ["table.csv"]


def test_failed_block_leaves_the_old_file(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")

    def interrupted():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["table.csv"]


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444])
def test_permissions_of_an_overwritten_file_are_kept(tmp_path, mode):
    path = tmp_path / "table.csv"
    path.write_text("old")
    path.chmod(mode)
    with replacing(path) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == mode


def test_link_stays_a_link(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to("real.csv")
    with replacing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


KILLED = """
import os, pathlib, signal, sys
from graphsieve._utils.files import replacing
with replacing(pathlib.Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_writer(path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert len(names(path.parent)) == 1


def test_leftovers_of_a_killed_writer_are_removed_by_the_next(tmp_path):
    path = tmp_path / "table.csv"
    killed_writer(path)
    with replacing(tmp_path / "other.csv") as temporary:
        temporary.write_text("other")
    assert len(names(tmp_path)) == 2, "leftovers of another file are none of its business"
    with replacing(path) as temporary:
        temporary.write_text("new")
    assert names(tmp_path) == ["other.csv", "table.csv"]


def test_leftovers_in_a_folder(tmp_path):
    killed_writer(tmp_path / "table.csv")
    with replacing(tmp_path / "mine.csv") as temporary:
        temporary.write_text("in progress")
        remove_leftovers(tmp_path)
        assert names(tmp_path) == [temporary.name]
    assert names(tmp_path) == ["mine.csv"]
