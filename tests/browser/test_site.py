"""The site of `make docs`, as it is in build/site: every link leads somewhere, and nothing is asked of the network.

`make test-docs` builds it and runs this.
"""

import re
from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag

import pytest
from chromium import requests, resize, started
from conftest import ROOT
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

SITE = ROOT / "build/site"
PAGES = sorted(file for file in SITE.rglob("*.html") if "_static" not in file.parts)
SHOWN = ("index.html", "figures.html", "docs/theory.html", "api/function_select.html", "notebooks/03_own_data.html")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    with started(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


class Page(HTMLParser):
    """The anchors of a page, where its links go, and what it loads: (tag, address) each."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif (tag == "link" and "stylesheet" in attributes.get("rel", "")) or tag in ("img", "script", "iframe"):
            self.loaded += [attributes[name] for name in ("href", "src") if attributes.get(name)]


@cache
def parsed(file):
    return Page(file.read_text(encoding="utf-8"))


def broken(file):
    """The addresses on a page that lead nowhere within the site, with what is wrong."""
    page = parsed(file)
    for address in [*page.links, *page.loaded]:
        path, anchor = urldefrag(address)
        if re.match(r"(https?|data|mailto):", address):
            continue
        aim = (file.parent / unquote(path.split("?")[0])).resolve() if path else file
        if not aim.is_relative_to(SITE) or not aim.is_file():
            yield f"{address}: no such file"
        elif anchor and aim.suffix == ".html" and unquote(anchor) not in parsed(aim).anchors:
            yield f"{address}: no such place on that page"


def test_every_link_leads_somewhere():
    wrong = {str(file.relative_to(SITE)): found for file in PAGES if (found := sorted(set(broken(file))))}
    assert len(PAGES) > 60 and not wrong


def test_a_broken_link_would_be_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.SITE", tmp_path)
    (tmp_path / "there.html").write_text('<p id="here">')
    page = tmp_path / "page.html"
    page.write_text(
        '<a href="there.html#here"></a><a href="there.html#gone"></a><img src="gone.png"><a href="#no"></a>'
    )
    assert [text.split(":")[0] for text in broken(page)] == ["there.html#gone", "#no", "gone.png"]


def test_every_page_of_the_project_is_there():
    for folder in ("docs", "reference", "notebooks"):
        for file in (ROOT / folder).glob("*.md" if folder != "notebooks" else "*.py"):
            assert (SITE / folder / f"{file.stem}.html").is_file(), file
    stub = (ROOT / "src/sparsegdf/__init__.pyi").read_text()
    for name in re.findall(r" as (\w+)$", stub, re.M):
        assert any((SITE / f"api/{kind}_{name}.html").is_file() for kind in ("class", "function")), name


def test_pages_and_styles_load_only_files_of_the_site():
    addresses = {address for file in PAGES for address in parsed(file).loaded}
    for style in SITE.rglob("*.css"):
        addresses |= set(re.findall(r"url\(['\"]?([^'\")]+)", style.read_text(encoding="utf-8")))
        addresses |= set(re.findall(r"@import ['\"]([^'\"]+)", style.read_text(encoding="utf-8")))
    assert len(addresses) > 50 and not [address for address in addresses if re.match(r"(https?:)?//", address)]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", SHOWN)
def test_a_page_asks_nobody_and_fits_the_screen(browser, name, width):
    browser.get("about:blank")
    resize(browser, width, 900)
    requests(browser), browser.get_log("browser")
    browser.get((SITE / name).as_uri())
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    pictures = browser.execute_script("return [...document.images].filter(i => i.complete && !i.naturalWidth).length")
    asked = requests(browser)
    assert pictures == 0 and len(asked) > 3
    assert all(address.startswith((SITE.as_uri(), "data:", "about:")) for address in asked)
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []


def test_search_works_offline(browser):
    browser.get((SITE / "search.html").as_uri() + "?q=thresholding")
    found = WebDriverWait(browser, 60).until(lambda b: b.find_elements(By.CSS_SELECTOR, "#search-results li a"))
    assert found
