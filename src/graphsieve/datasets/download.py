"""Downloads with limits on size and time."""

import time
import urllib.request

# The largest file of the registry has 11 MB.
MAX_BYTES = 100 * 2**20
# For the whole download; and for every wait for the next bytes.
MAX_SECONDS = 600
TIMEOUT = 30
# What pooch calls a download that is not finished.
_UNFINISHED = "tmp" + "?" * 8


def bounded_download(url, output_file, pooch):
    """Download a file for pooch, and give up when it gets too large or takes too long.

    Parameters
    ----------
    url : str
        Address of the file.
    output_file : path-like or file
        Where pooch wants it.
    pooch : pooch.Pooch
        Unused; part of pooch's interface.

    Raises
    ------
    ValueError
        If the file is larger than `MAX_BYTES`.
    OSError
        If the server does not answer in time or ends too early.
    """
    deadline = time.monotonic() + MAX_SECONDS
    with urllib.request.urlopen(url, timeout=TIMEOUT) as response:
        expected = int(response.headers.get("Content-Length", -1))
        if expected > MAX_BYTES:
            raise ValueError(_too_large(f"it has {expected} bytes"))
        with open(output_file, "wb") as file:
            received = 0
            # read1 returns what has arrived: a server that sends a byte now and then cannot keep
            # us beyond the deadline.
            while block := response.read1(2**16):
                received += len(block)
                if received > MAX_BYTES:
                    raise ValueError(_too_large(f"it goes on after {received} bytes"))
                if time.monotonic() > deadline:
                    raise TimeoutError(
                        f"only {received} bytes arrived in {MAX_SECONDS} s; try again later"
                    )
                file.write(block)
    if received < expected:
        raise ConnectionError(f"the connection ended after {received} of {expected} bytes")


def remove_unfinished(folder):
    """Remove the downloads that were killed: those older than any download may take."""
    for path in folder.glob(_UNFINISHED):
        if time.time() - path.stat().st_mtime > 2 * MAX_SECONDS:
            path.unlink(missing_ok=True)


def _too_large(what):
    return f"{what}, and no data set of graphsieve has more than {MAX_BYTES}"
