"""Downloads that are too large, too slow, cut off or killed, from a local HTTP server."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from graphsieve.datasets import download
from graphsieve.datasets.download import bounded_download, remove_unfinished

pytestmark = pytest.mark.slow

CONTENT = b"0123456789" * 1000


class Handler(BaseHTTPRequestHandler):
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
    monkeypatch.setattr(download, "MAX_BYTES", 10**6)
    monkeypatch.setattr(download, "MAX_SECONDS", 1)
    monkeypatch.setattr(download, "TIMEOUT", 1)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
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
from graphsieve.datasets import DATASETS, fetch
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
