"""The page of `make report` in Debian's chromium: it shows all it has, filters, saves, and never asks the network.

`make test-report` runs this, `make test` does not: a fresh machine has no chromium.
"""

import csv
import time
from collections import Counter

import pytest
from chromium import requests, resize, started
from conftest import report_page
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from sparsegdf.paper import report
from sparsegdf.paper.misprints import MISPRINTS


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """Where the browser saves files."""
    return tmp_path_factory.mktemp("browser") / "saved"


@pytest.fixture(scope="session")
def browser(saved):
    with started(saved.parent) as driver:
        yield driver


@pytest.fixture(scope="session")
def file(report_folder):
    file = report_folder / "report.html"
    file.write_text(report_page(report_folder), encoding="utf-8")
    return file


@pytest.fixture
def page(browser, file):
    """The page, freshly loaded on a desktop."""
    resize(browser, 1200, 900)
    browser.get("about:blank")  # else a busy machine may still show the page of the test before
    browser.get(file.as_uri())
    WebDriverWait(browser, 60).until(lambda b: b.execute_script("return document.readyState") == "complete")
    return browser


def claims(report_folder):
    with open(report_folder / "figures/claims.csv", encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def rows_shown(page):
    return [row for row in page.find_elements(By.CSS_SELECTOR, "#claims-table tbody tr") if row.is_displayed()]


def test_every_figure_is_visible(page, report_folder):
    images = page.find_elements(By.CSS_SELECTOR, "main figure img")
    assert len(images) == len(list((report_folder / "figures").glob("figure*.png"))) >= 7
    for image in images:
        assert image.is_displayed() and int(image.get_property("naturalWidth")) > 500
        assert image.size["width"] > 300 and image.size["height"] > 100
        assert len(image.get_attribute("alt")) > 20


def test_a_click_enlarges_a_figure_and_escape_puts_it_back(page):
    image = page.find_element(By.CSS_SELECTOR, "main figure img")
    image.click()
    large = page.find_element(By.CSS_SELECTOR, "dialog img")
    assert large.is_displayed() and large.size["width"] > image.size["width"]
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    assert not large.is_displayed()


def test_verdict_boxes_filter_the_claims(page, report_folder):
    counts = Counter(claim["verdict"] for claim in claims(report_folder))
    assert len(rows_shown(page)) == counts.total() >= 10
    left = counts.total()
    for box in page.find_elements(By.NAME, "verdict"):
        verdict = box.get_attribute("value")
        assert page.find_element(By.CSS_SELECTOR, f"[data-count='{verdict}']").text == str(counts[verdict])
        box.click()
        left -= counts[verdict]
        assert {row.get_attribute("data-verdict") for row in rows_shown(page)}.isdisjoint({verdict})
        assert len(rows_shown(page)) == left
        assert page.find_element(By.TAG_NAME, "output").text == f"{left} of {counts.total()} shown"
    assert left == 0


def test_text_filters_the_claims(page, report_folder):
    box = page.find_element(By.NAME, "text")
    box.send_keys("scad")
    expected = Counter(
        claim["verdict"] for claim in claims(report_folder) if "scad" in " ".join(claim.values()).lower()
    )
    assert Counter(row.get_attribute("data-verdict") for row in rows_shown(page)) == expected and expected
    for verdict, count in expected.items():
        assert page.find_element(By.CSS_SELECTOR, f"[data-count='{verdict}']").text == str(count)
    box.clear()
    box.send_keys("no claim says this", Keys.ENTER)
    assert not rows_shown(page) and page.find_element(By.TAG_NAME, "output").text.startswith("0 of ")


def test_downloads_have_the_right_bytes(page, report_folder, saved):
    links = page.find_elements(By.CSS_SELECTOR, "a[download]")
    sources = {
        link.get_attribute("download"): report_folder / "figures" / link.get_attribute("download") for link in links
    }
    settings = sources.pop("paper.yaml")
    assert not settings.exists() and len(sources) == len(links) - 1 >= 30
    for link in links:
        file = saved / link.get_attribute("download")
        page.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
        # A busy chromium drops a click that comes while it puts the last file in its place: then click again.
        for _ in range(3):
            link.click()
            end = time.monotonic() + 10
            while not file.exists() and time.monotonic() < end:
                time.sleep(0.02)
            if file.exists():
                break
        assert file.exists(), f"{file.name} was not saved"
    assert [name for name, source in sources.items() if (saved / name).read_bytes() != source.read_bytes()] == []


def test_equations_are_drawn(page):
    formulas = page.find_elements(By.CSS_SELECTOR, "#misprints-table .formula")
    assert len(formulas) == 2 * len(MISPRINTS)
    for formula in formulas:
        (drawn,) = formula.find_elements(By.CSS_SELECTOR, "math")
        # A line of small letters is 8 to 12 pixels high, whatever the fonts of the machine.
        assert drawn.size["width"] > 20 and drawn.size["height"] >= 8 and "\\" not in drawn.text


def test_no_request_leaves_the_page_and_the_console_is_silent(page, file):
    page.get_log("browser"), requests(page)
    page.get(file.as_uri())
    page.find_element(By.CSS_SELECTOR, "main figure img").click()
    time.sleep(1)
    asked = requests(page)
    assert file.as_uri() in asked
    assert all(address == file.as_uri() or address.startswith("data:") for address in asked)
    assert page.get_log("browser") == []


def test_a_request_would_be_noticed(browser, tmp_path):
    stray = tmp_path / "stray.html"
    stray.write_text('<img src="http://elsewhere.invalid/x.png">')
    requests(browser)
    browser.get(stray.as_uri())
    assert "http://elsewhere.invalid/x.png" in requests(browser)
    assert browser.get_log("browser")


@pytest.mark.parametrize("width", [320, 375, 768])
def test_a_narrow_screen_does_not_scroll_sideways(page, file, width):
    resize(page, width, 800)
    page.get(file.as_uri())
    page.execute_script("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    assert page.execute_script("return innerWidth") == width


def test_dark_where_the_reader_prefers_it(page):
    def brightness(scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        rgb = page.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")
        return sum(map(float, rgb[rgb.index("(") + 1 : -1].split(",")[:3]))

    dark, light = brightness("dark"), brightness("light")
    assert dark < 150 and light > 700


def test_an_empty_run_gives_a_page_that_says_so(browser, tmp_path):
    (tmp_path / "empty").mkdir()
    file = tmp_path / "empty.html"
    text = report.page(tmp_path / "empty", run="mine", config={}, benchmarks=tmp_path / "none")
    file.write_text(text, encoding="utf-8")
    browser.get_log("browser")
    browser.get(file.as_uri())
    assert len(browser.find_elements(By.CLASS_NAME, "note")) == 7
    assert browser.get_log("browser") == []
