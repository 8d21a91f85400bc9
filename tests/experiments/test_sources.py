"""Files of data sets: found, downloaded within limits, and checked."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from scipy.io import savemat

from experiments import sources
from experiments.data import DATASETS, cache_folder, fetch, find, load
from experiments.sources import bounded_download, remove_unfinished


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder, counts the requests, says nothing."""

    def do_GET(self):
        self.server.requests += 1
        super().do_GET()

    def log_message(self, *args):
        pass


@pytest.fixture
def server(tmp_path):
    (tmp_path / "web").mkdir()
    handler = partial(Handler, directory=str(tmp_path / "web"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        httpd.requests = 0
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield httpd
        httpd.shutdown()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache and no folder of data."""
    monkeypatch.delenv("GRAPHSIEVE_DATA", raising=False)
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / "cache" / project)
    return tmp_path / "cache" / "graphsieve"


@pytest.fixture
def toy(server, cache, tmp_path, monkeypatch):
    """A data set called "toy" that lives on the local server; returns its file there."""
    path = tmp_path / "web" / "toy.mat"
    savemat(path, {"X": np.arange(24).reshape(6, 4), "Y": [[1], [1], [1], [2], [2], [2]]})
    entry = replace(
        DATASETS["yale"],
        name="toy",
        n_samples=6,
        n_features=4,
        n_classes=2,
        image_shape=(2, 2),
        file="toy.mat",
        url=f"http://127.0.0.1:{server.server_port}/toy.mat",
        sha256=(hashlib.sha256(path.read_bytes()).hexdigest(),),
    )
    monkeypatch.setitem(DATASETS, "toy", entry)
    return path


def change_entry(monkeypatch, **changes):
    monkeypatch.setitem(DATASETS, "toy", replace(DATASETS["toy"], **changes))


def test_download_once_then_from_the_cache(toy, server, cache):
    assert find("toy") is None
    assert fetch("toy") == cache / "toy.mat"
    assert find("toy") == fetch("toy") == cache / "toy.mat"
    assert server.requests == 1
    data = load("toy")
    assert data.X.shape == (6, 4)
    assert data.y.tolist() == [1, 1, 1, 2, 2, 2]


def test_the_users_folder_comes_first(toy, server, cache, tmp_path, monkeypatch):
    fetch("toy")
    (tmp_path / "mine").mkdir()
    toy.rename(tmp_path / "mine" / "toy.mat")
    monkeypatch.setenv("GRAPHSIEVE_DATA", str(tmp_path / "mine"))
    assert fetch("toy") == tmp_path / "mine" / "toy.mat"


def test_any_of_several_known_copies_will_do(toy, server, tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHSIEVE_DATA", str(toy.parent))
    change_entry(monkeypatch, sha256=("0" * 64, *DATASETS["toy"].sha256))
    assert fetch("toy") == toy
    assert server.requests == 0


def test_a_download_with_the_wrong_hash_is_not_kept(toy, cache):
    toy.write_bytes(b"something else")
    with pytest.raises(ValueError, match="is not the toy data set, and was not kept"):
        load("toy")
    assert not list(cache.glob("*"))


def test_a_download_with_the_wrong_shape_is_not_kept(toy, cache, monkeypatch):
    change_entry(monkeypatch, n_samples=7)
    message = r"expected X of shape \(7, 4\), 7 labels and 2 classes, got X of shape \(6, 4\)"
    with pytest.raises(ValueError, match=message):
        load("toy")
    assert not list(cache.glob("*"))


def test_a_spoilt_file_in_the_cache_is_replaced(toy, server, cache):
    fetch("toy").write_bytes(b"spoilt")
    assert load("toy").X.shape == (6, 4)
    assert server.requests == 2


def test_a_wrong_file_of_the_user_is_an_error_and_left_alone(toy, server, tmp_path, monkeypatch):
    mine = tmp_path / "mine" / "toy.mat"
    mine.parent.mkdir()
    mine.write_bytes(b"something else")
    monkeypatch.setenv("GRAPHSIEVE_DATA", str(mine.parent))
    with pytest.raises(ValueError, match=r"toy.mat is not the toy data set: its sha256 is"):
        load("toy")
    assert mine.read_bytes() == b"something else"
    assert server.requests == 0


def test_an_address_that_does_not_answer(toy, cache, monkeypatch):
    change_entry(monkeypatch, url=DATASETS["toy"].url.replace("toy.mat", "gone.mat"))
    with pytest.raises(FileNotFoundError, match="could not download toy .* set GRAPHSIEVE_DATA"):
        load("toy")
    assert not list(cache.glob("*"))


@pytest.mark.usefixtures("cache")
def test_sets_made_from_images_say_how():
    with pytest.raises(FileNotFoundError, match="extract_features"):
        load("cub200")


@pytest.mark.usefixtures("cache")
def test_sets_of_scikit_learn_have_no_file():
    assert find("wine") is None
    with pytest.raises(ValueError, match="ships with scikit-learn"):
        fetch("wine")


def test_the_cache_is_the_users():
    assert cache_folder().name == "graphsieve"


pytestmark = pytest.mark.slow

CONTENT = b"0123456789" * 1000


class SlowHandler(BaseHTTPRequestHandler):
    """Serves CONTENT in the manner that the path asks for."""

    def do_GET(self):
        getattr(self, self.path.strip("/"))()

    def log_message(self, *args):
        pass

    def head(self, length):
        self.send_response(200)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def whole(self):
        self.head(len(CONTENT))
        self.wfile.write(CONTENT)

    def declared(self):
        self.head(10**12)

    def endless(self):
        self.head(None)
        try:
            while True:
                self.wfile.write(CONTENT)
        except OSError:
            pass

    def dripping(self):
        self.head(len(CONTENT))
        try:
            for _ in range(1000):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.1)
        except OSError:
            pass

    def silent(self):
        self.head(len(CONTENT))
        self.server.released.wait(60)

    def cut(self):
        self.head(len(CONTENT))
        self.wfile.write(CONTENT[:100])


@pytest.fixture
def address(monkeypatch):
    monkeypatch.setattr(sources, "MAX_BYTES", 10**6)
    monkeypatch.setattr(sources, "MAX_SECONDS", 1)
    monkeypatch.setattr(sources, "TIMEOUT", 1)
    with ThreadingHTTPServer(("127.0.0.1", 0), SlowHandler) as httpd:
        httpd.released = threading.Event()
        httpd.daemon_threads = True
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.released.set()
        httpd.shutdown()


def test_whole_file(address, tmp_path):
    bounded_download(f"{address}/whole", tmp_path / "file", None)
    assert (tmp_path / "file").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("manner", "error", "message"),
    [
        ("declared", ValueError, "it has 1000000000000 bytes"),
        ("endless", ValueError, "it goes on after"),
        ("dripping", OSError, "bytes arrived in 1 s"),
        ("silent", OSError, "timed out"),
        ("cut", OSError, "ended after 100 of 10000 bytes"),
    ],
)
def test_bad_servers_do_not_keep_us(address, tmp_path, manner, error, message):
    start = time.monotonic()
    with pytest.raises(error, match=message):
        bounded_download(f"{address}/{manner}", tmp_path / "file", None)
    assert time.monotonic() - start < 30


KILLED = """
import hashlib, os, sys
from dataclasses import replace
import pooch
pooch.os_cache = lambda project: sys.argv[2]
from experiments.data import DATASETS, fetch
DATASETS["toy"] = replace(
    DATASETS["yale"], name="toy", file="toy.bin", url=sys.argv[1], sha256=(sys.argv[3],)
)
print("start", flush=True)
print(fetch("toy"))
"""


def test_killed_download_is_started_again_and_leaves_nothing(address, tmp_path, monkeypatch):
    digest = hashlib.sha256(CONTENT).hexdigest()
    environment = {k: v for k, v in os.environ.items() if k != "GRAPHSIEVE_DATA"}

    def command(manner):
        return [sys.executable, "-c", KILLED, f"{address}/{manner}", str(tmp_path), digest]

    process = subprocess.Popen(command("dripping"), env=environment, stdout=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (leftover,) = tmp_path.iterdir()
    # As if the download had been killed some time ago.
    os.utime(leftover, (0, 0))
    done = subprocess.run(command("whole"), env=environment, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["toy.bin"]
    assert (tmp_path / "toy.bin").read_bytes() == CONTENT


def test_downloads_in_progress_are_left_alone(tmp_path):
    (tmp_path / "tmpabcdefgh").write_bytes(b"half")
    (tmp_path / "Yale.mat").write_bytes(b"mine")
    os.utime(tmp_path / "Yale.mat", (0, 0))
    remove_unfinished(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
