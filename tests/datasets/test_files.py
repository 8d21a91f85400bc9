"""Finding, downloading and checking files, against a local HTTP server."""

import hashlib
import threading
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from scipy.io import savemat

from graphsieve.datasets import DATASETS, cache_folder, fetch, find, load


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
