"""Draw the reports that the docs show: ``make pictures`` (needs Chromium)."""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from sklearn.datasets import load_breast_cancer, load_digits

from graphsieve import GraphSieve

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.helpers.browser import start_chromium, wait_for  # noqa: E402

IMAGES = ROOT / "docs" / "images"
WIDTHS = {"desktop": 1300, "phone": 400}


def write_reports(folder):
    """The pages about the columns of two data sets."""
    cancer = load_breast_cancer(as_frame=True)
    diagnosis = cancer.target.map({0: "malignant", 1: "benign"}).rename("diagnosis")
    sel = GraphSieve(n_features_to_select=6, random_state=0).fit(cancer.data)
    title = "Breast tumours: 6 of 30 measurements"
    sel.report(cancer.data, folder / "cancer.html", color=diagnosis, title=title)
    X, y = load_digits(return_X_y=True, as_frame=True)
    sel = GraphSieve(n_features_to_select=13, scale="global", random_state=0).fit(X)
    title = "Handwritten digits: 13 of 64 pixels"
    sel.report(X, folder / "digits.html", color=y, image_shape=(8, 8), title=title)


def photograph(driver, page, look, theme, height):
    """The first ``height`` pixels of a page as an image."""
    metrics = {
        "width": WIDTHS[look],
        "height": height,
        "deviceScaleFactor": 1,
        "mobile": look == "phone",
    }
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    scheme = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
    driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    driver.get(page.as_uri())
    wait_for(lambda: driver.find_elements("css selector", "svg path"))
    return Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")


def side_by_side(images, gap=20):
    """Images of equal height next to each other."""
    width = sum(image.width for image in images) + gap * (len(images) - 1)
    joined, x = Image.new("RGB", (width, images[0].height), "white"), 0
    for image in images:
        joined.paste(image, (x, 0))
        x += image.width + gap
    return joined


def main():
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_reports(folder)
        driver = start_chromium(folder / "profile")
        try:
            cancer, digits = folder / "cancer.html", folder / "digits.html"
            pictures = {
                "report-top": photograph(driver, cancer, "desktop", "light", 1600),
                "report-digits-dark": photograph(driver, digits, "desktop", "dark", 2095),
                "report-phone": side_by_side(
                    [
                        photograph(driver, page, "phone", theme, 1500)
                        for page in (cancer, digits)
                        for theme in ("light", "dark")
                    ]
                ),
            }
        finally:
            driver.quit()
    for name, picture in pictures.items():
        picture.quantize(256).save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
