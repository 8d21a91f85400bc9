"""The pictures of reports in the documentation: digits, genes and words.

    python benchmarks/report_pictures.py

Needs Chromium, chromedriver and Pillow; the genes need anndata and the data file that comes with
scanpy. Rewrites ``docs/images/report-*.png``.
"""

import base64
import inspect
import io
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.helpers.browser import start_chromium

from graphsieve import GraphSieve

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
DESKTOP, PHONE, PHONE_HEIGHT = 1300, 400, 1500


def digits(path):
    """Thirteen pixels of handwritten digits."""
    data = load_digits(as_frame=True)
    looks = {"color": data.target.rename("digit"), "image_shape": (8, 8)}
    sel = GraphSieve(13, random_state=0).fit(data.data)
    sel.report(data.data, path, title="Handwritten digits", **looks)


def genes(path):
    """Fifty genes of 700 blood cells."""
    import anndata

    folder = Path(find_spec("scanpy").origin).parent
    adata = anndata.read_h5ad(folder / "datasets" / "10x_pbmc68k_reduced.h5ad")
    frame = adata.raw.to_adata().to_df()
    types = adata.obs["bulk_labels"].astype(str).rename("cell type")
    sel = GraphSieve(50, scale="global", random_state=0).fit(frame)
    sel.report(frame, path, color=types.to_numpy(), title="Blood cells: a panel of 50 genes")


def words(path, n_words=1500):
    """Sixty words of the docstrings of three libraries."""
    import pandas as pd
    import scipy.linalg
    import scipy.optimize
    import scipy.sparse
    import scipy.stats
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.utils import all_estimators

    texts, sources = [], []
    members = [(cls, "scikit-learn") for _, cls in all_estimators()]
    for module in (scipy.linalg, scipy.optimize, scipy.sparse, scipy.stats):
        members += [(getattr(module, name), "SciPy") for name in module.__all__]
    members += [(getattr(pd.DataFrame, name), "pandas") for name in dir(pd.DataFrame)]
    for member, source in members:
        text = inspect.getdoc(member)
        if text and len(text) > 300:
            texts.append(text)
            sources.append(source)
    vectorizer = TfidfVectorizer(
        max_features=n_words, stop_words="english", token_pattern=r"[a-z]{3,}", sublinear_tf=True
    )
    X = vectorizer.fit_transform(texts).toarray()
    frame = pd.DataFrame(X, columns=vectorizer.get_feature_names_out())
    sel = GraphSieve(60, random_state=0).fit(frame)
    title = f"{len(frame):,} docstrings: 60 of {frame.shape[1]:,} words"
    sel.report(frame, path, color=np.array(sources), title=title)


def picture(browser, page, *, width, height, theme):
    """The top of a page as an image."""
    preference = {"name": "prefers-color-scheme", "value": theme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [preference]})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(page.as_uri())
    time.sleep(2)
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    shot = browser.execute_cdp_cmd(
        "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip}
    )
    return Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")


def save(image, name):
    image.quantize(256).save(IMAGES / f"report-{name}.png", optimize=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        pages = {}
        for make in (digits, genes, words):
            pages[make.__name__] = Path(folder) / f"{make.__name__}.html"
            make(pages[make.__name__])
        browser = start_chromium(Path(folder) / "profile")
        try:
            desktop = {"width": DESKTOP, "height": 2230}
            light = picture(browser, pages["digits"], theme="light", **desktop)
            save(light, "digits-light")
            save(light.crop((0, 0, DESKTOP, 1080)), "top")
            save(picture(browser, pages["genes"], theme="dark", **desktop), "genes-dark")
            save(picture(browser, pages["words"], theme="light", **desktop), "text-light")
            strip = Image.new("RGB", (3 * PHONE + 40, PHONE_HEIGHT), "white")
            for place, (name, page) in enumerate(pages.items()):
                theme = "dark" if name == "genes" else "light"
                size = {"width": PHONE, "height": PHONE_HEIGHT}
                phone = picture(browser, page, theme=theme, **size)
                strip.paste(phone, (place * (PHONE + 20), 0))
            save(strip, "phone")
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
