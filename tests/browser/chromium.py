"""Debian's chromium, without a window and without the network, for the tests beside this file."""

import json
import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest
from selenium import webdriver

PROGRAMS = ("chromium", "chromedriver")
# Root cannot have the sandbox; from the third on: chromium's own services shall not ask the network either.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


def install():
    """Debian's chromium, where it is missing and we may."""
    if all(map(shutil.which, PROGRAMS)):
        return
    if os.getuid() or not shutil.which("apt-get"):
        pytest.fail("This wants chromium and chromedriver, or root on Debian to install them.")
    command = "apt-get install --yes --no-install-recommends chromium chromium-driver"
    script = f"{command} || {{ apt-get update && {command}; }}"  # the lists of packages may be old, or not there
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["bash", "-c", script], check=True, stdin=subprocess.DEVNULL, env=environment, timeout=900)


@contextmanager
def started(folder):
    """A browser whose profile is below `folder`, and the files that it saves, too."""
    install()
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.add_experimental_option(
        "prefs",
        {
            "download.default_directory": str(folder / "saved"),
            "profile.default_content_setting_values.automatic_downloads": 1,
        },
    )
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


def resize(browser, width, height):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def requests(browser):
    """Addresses asked for since the last call."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
