"""Data on a Dask cluster: the same scores as in memory, for all chunks, also if workers die."""

import asyncio
import itertools
import os
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve import GAFS, UDFS, GreedyCSS, LaplacianScore, Variance
from graphsieve._linear.forward import ForwardSelection
from graphsieve._rows.cluster import Cluster
from tests.helpers.few_iterations import FEW, METHODS

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        "ignore:.*max_iter", "ignore:.*have no cosine", "ignore:.*has collapsed"
    ),
    pytest.mark.usefixtures("small_parts"),
]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.random((700, 8)) @ rng.random((8, 30)) + 0.1 * rng.random((700, 30))
    X[:, 4] = 2.5
    return X


def chunked(X, kind):
    if kind == "even":
        return da.from_array(X, chunks=(100, -1))
    if kind == "uneven":
        return da.from_array(X, chunks=((3, 400, 0, 297), (11, 19)))
    if kind == "unknown":
        X = da.from_array(X, chunks=(150, -1))
        return X[X[:, 0] > -1]
    if kind == "frame":
        import dask.dataframe as dd
        import pandas as pd

        frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(X.shape[1])])
        return dd.from_pandas(frame, npartitions=3)
    return da.from_array(X, chunks=(160, -1)).map_blocks(sp.csr_array)


@pytest.mark.parametrize("kind", ["even", "uneven", "unknown", "frame", "sparse"])
@pytest.mark.parametrize("name", METHODS)
def test_scores_are_those_of_memory(client, table, kind, name):
    X = table
    if kind == "sparse":
        X = np.where(table > np.median(table), table, 0.0)
    if (kind, name) == ("sparse", "aefs"):
        with pytest.raises(TypeError, match="AEFS needs dense data"):
            METHODS[name].fit(chunked(X, kind))
        return
    wanted = METHODS[name].fit(X).scores_
    np.testing.assert_allclose(METHODS[name].fit(chunked(X, kind)).scores_, wanted, rtol=1e-6)


@pytest.mark.parametrize("name", ["lap_score", "css", "gafs"])
def test_without_a_cluster_the_chunks_are_read_one_by_one(table, name):
    wanted = METHODS[name].fit(table).scores_
    for kind in ("uneven", "sparse"):
        X = chunked(table, kind)
        np.testing.assert_allclose(METHODS[name].fit(X).scores_, wanted, rtol=1e-6)


def test_more_columns_than_rows(client, table):
    X = table[:20]
    for method in (GreedyCSS(5), GAFS(5, **FEW)):
        wanted = method.fit(X).scores_
        np.testing.assert_allclose(method.fit(chunked(X, "even")).scores_, wanted, rtol=1e-6)


@pytest.mark.parametrize("affinity", ["cosine", "binary", "heat"])
def test_neighbours_of_copies(client, table, affinity):
    X = np.vstack([table[:300], table[:40]])  # copies: ties, which go to the first
    method = LaplacianScore(5, affinity=affinity)
    wanted = method.fit(X).scores_
    np.testing.assert_allclose(method.fit(chunked(X, "even")).scores_, wanted, rtol=1e-6)


def test_transform_and_encode_stay_lazy(client, table):
    X = chunked(table, "even")
    method = METHODS["gafs"].fit(X)
    kept = method.transform(X)
    assert isinstance(kept, da.Array)
    np.testing.assert_array_equal(kept.compute(), table[:, method.get_support()])
    code = method.encode(X)
    assert isinstance(code, da.Array)
    assert code.shape == (700, method.W_in_.shape[1])
    np.testing.assert_allclose(code.compute(), method.encode(table))
    kept = kept.compute()
    np.testing.assert_allclose(
        method.reconstructor(X).predict(kept), method.reconstructor(table).predict(kept), rtol=1e-6
    )


def test_names_in_names_out(client, table):
    X = chunked(table, "frame")
    method = Variance(3).fit(X)
    names = method.get_feature_names_out().tolist()
    assert set(names) <= set(X.columns)
    assert method.transform(X).columns.tolist() == names
    with pytest.raises(ValueError, match="same names and order"):
        method.transform(X[X.columns[::-1].tolist()])
    with pytest.raises(ValueError, match="has 29 features"):
        method.transform(X[X.columns[1:].tolist()])


def test_a_method_that_needs_all_data_says_so(table):
    with pytest.raises(TypeError, match=r"UDFS needs all data at once.*X.compute\(\).*GAFS"):
        UDFS(5).fit(chunked(table, "even"))


@pytest.mark.parametrize("kind", ["uneven", "frame", "sparse"])
def test_missing_values(client, table, kind):
    X = table.copy()
    X[::7, 3] = X[::3, 8] = np.nan
    for method in (Variance(5), GreedyCSS(5)):
        wanted = method.fit(X).scores_
        np.testing.assert_allclose(method.fit(chunked(X, kind)).scores_, wanted, rtol=1e-6)


def test_bad_data(client, table):
    X = table.copy()
    X[611, 7] = np.nan
    with pytest.raises(ValueError, match="row 611, column 7"):
        LaplacianScore(5).fit(chunked(X, "uneven"))
    with pytest.raises(ValueError, match="row 611, column 'gene7'"):
        LaplacianScore(5).fit(chunked(X, "frame"))
    with pytest.raises(ValueError, match="two dimensions"):
        Variance(1).fit(da.ones(5))
    with pytest.raises(ValueError, match="at least 2 samples"):
        Variance(5).fit(chunked(table, "even")[:1])
    frame = chunked(table, "frame")
    with pytest.raises(ValueError, match="'town' holds .* instead of numbers"):
        Variance(5).fit(frame.assign(town="Ulm"))


def test_no_rows_left(client, table):
    X = chunked(table, "even")
    for empty in (X[:0], X[X[:, 0] > 1e9]):
        with pytest.raises(ValueError, match=r"X has no rows.*a minimum of 2"):
            GAFS(5).fit(empty)


def test_nullable_integers(client):
    """They work like other integers; a missing one is skipped, or reported with its place."""
    import dask.dataframe as dd
    import pandas as pd

    frame = pd.DataFrame({"a": range(12), "b": [1, 5, 2] * 4, "c": [0.5, 2] * 6})
    wanted = Variance(1).fit(frame.to_numpy()).scores_
    frame = frame.astype({"a": "Int64", "b": "Int32"})
    X = dd.from_pandas(frame, npartitions=3)
    np.testing.assert_allclose(Variance(1).fit(X).scores_, wanted)
    frame.loc[7, "b"] = pd.NA
    X = dd.from_pandas(frame, npartitions=3)
    wanted[1] = np.nanvar(frame["b"].astype(float))
    np.testing.assert_allclose(Variance(1).fit(X).scores_, wanted)
    with pytest.raises(ValueError, match="row 7, column 'b'"):
        LaplacianScore(1).fit(X)


def wrong_rows(block):
    return block[1:]


def wrong_columns(block):
    return block[:, 1:]


def no_numbers(block):
    return block.astype(object)


@pytest.mark.parametrize("lie", [wrong_rows, wrong_columns, no_numbers])
@pytest.mark.parametrize("connected", [True, False])
def test_metadata_that_lie(request, table, lie, connected):
    if connected:
        request.getfixturevalue("client")
    X = da.from_array(table, chunks=(100, -1))
    X = X.map_blocks(lie, chunks=X.chunks, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(ValueError, match=r"a chunk of the Dask array holds.*metadata"):
        Variance(5).fit(X)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_chunks_of_another_kind_than_promised(client, table, kind):
    """Sparse chunks of an array that says that they are dense, and the other way round."""
    change, meta = (sp.csr_array, np.empty((0, 0))) if kind == "dense" else (np.asarray, None)
    X = da.from_array(table, chunks=(100, -1))
    if kind == "sparse":
        meta = sp.csr_array((0, 0))
    X = X.map_blocks(change, dtype=float, meta=meta)
    wanted = Variance(5).fit(table).scores_
    np.testing.assert_allclose(Variance(5).fit(X).scores_, wanted, rtol=1e-9)


def test_an_asynchronous_client_is_refused(table):
    async def fit():
        options = {"processes": False, "dashboard_address": ":0", "asynchronous": True}
        async with distributed.Client(**options):
            Variance(5).fit(chunked(table, "even"))

    with pytest.raises(RuntimeError, match=r"client is asynchronous.*asynchronous=False"):
        asyncio.run(fit())


def test_chunk_sizes_of_the_user_are_left_alone(client, table):
    X = chunked(table, "unknown")
    Variance(5).fit(X)
    assert np.isnan(X.shape[0])


def test_a_killed_worker_is_survived(client, table):
    X = chunked(table, "uneven")
    wanted = METHODS["gafs"].fit(X).scores_
    killed = []

    def kill(iteration, objective):
        if iteration == 4:
            address, process = next(iter(client.run(os.getpid).items()))
            os.kill(process, signal.SIGKILL)
            killed.append(address)

    scores = GAFS(5, callback=kill, **FEW).fit(X).scores_
    assert killed
    np.testing.assert_array_equal(scores, wanted)


def test_a_worker_killed_between_two_picks_does_not_change_the_panel(client, table, monkeypatch):
    monkeypatch.setattr("graphsieve.methods.css.MOST_SQUARE", 0)  # no square matrix
    X = chunked(np.where(table > np.median(table), table, 0.0), "sparse")
    wanted = GreedyCSS(8).fit(X)
    pick, received, n_picks = ForwardSelection.pick, [], itertools.count()

    def killing(self, *args):
        if next(n_picks) == 4:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        received.append(0)
        step = pick(self, *args)
        received.append(None)
        return step

    def counting(self, futures):
        result = gather(self, futures)
        if received and received[-1] is not None:
            parts = result if isinstance(result, list) else [result]
            received[-1] += sum(array.nbytes for array in parts)
        return result

    gather = Cluster.result
    monkeypatch.setattr(Cluster, "result", counting)
    monkeypatch.setattr(ForwardSelection, "pick", killing)
    found = GreedyCSS(8).fit(X)
    np.testing.assert_array_equal(found.order_, wanted.order_)
    # A column comes back, and the products of three vectors with all columns.
    n, d = table.shape
    assert 0 < max(filter(None, received)) <= 8 * (n + 3 * d)


def test_an_error_on_a_worker_reaches_the_user(client, table):
    def fail(block):
        raise OSError("the disk of this worker is full")

    X = chunked(table, "even").map_blocks(fail, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(OSError, match="the disk of this worker is full"):
        Variance(5).fit(X)


SCRIPT = """
import os, sys, numpy as np, dask.array as da
from distributed import Client
from graphsieve import GAFS

client = Client(sys.argv[1], set_as_default=True)
X = da.random.default_rng(0).random((4000, 200), chunks=(500, -1))

def say(iteration, objective):
    print(iteration, flush=True)

settings = {"elimination": None, "max_iter": 100_000, "tol": 0, "n_neighbors": 2}
method = GAFS(5, **settings, random_state=0, callback=say)
try:
    method.fit(X)
except (KeyboardInterrupt, ConnectionError) as error:
    print(type(error).__name__, error, "fitted:", hasattr(method, "scores_"), flush=True)
    if isinstance(error, ConnectionError):
        os._exit(1)  # the client would try for long to connect again
    print("left:", sum(map(len, client.processing().values())), flush=True)
"""


@pytest.fixture
def scheduler():
    """Address and process of a scheduler with one worker, all of their own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    quiet = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    cli = [sys.executable, "-m", "distributed.cli"]
    host = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    first = subprocess.Popen([*cli[:2], "distributed.cli.dask_scheduler", *host], **quiet)
    worker = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
    second = subprocess.Popen([*cli[:2], "distributed.cli.dask_worker", address, *worker], **quiet)
    try:
        yield address, first
    finally:
        for process in (first, second):
            process.kill()
            process.wait()


def run_until_the_third_iteration(address):
    fit = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, address], stdout=subprocess.PIPE, text=True
    )
    for line in fit.stdout:
        if line.strip() == "3":
            return fit
    raise AssertionError("the fit ended before its third iteration")


def test_ctrl_c_cancels_the_work_on_the_cluster(scheduler):
    fit = run_until_the_third_iteration(scheduler[0])
    fit.send_signal(signal.SIGINT)
    said = fit.communicate(timeout=60)[0]
    assert "KeyboardInterrupt GAFS.fit was interrupted after iteration" in said
    assert "fitted: False" in said
    assert "left: 0" in said


def test_a_lost_scheduler_ends_in_an_error(scheduler):
    address, process = scheduler
    fit = run_until_the_third_iteration(address)
    process.kill()
    said = fit.communicate(timeout=60)[0]
    assert f"ConnectionError the Dask scheduler at {address} was lost" in said
    assert "fitted: False" in said
