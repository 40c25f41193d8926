"""Pages of node_exporter with the labels that the scrape configuration gives them."""

from __future__ import annotations

import re
import urllib.request


def labelled(address: str, labels: str) -> str:
    """Return what node_exporter serves, with labels such as ``host="db1"``."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=30) as answer:
        text = answer.read().decode()
    named = re.sub(r"^(\w+)\{", rf"\1{{{labels},", text, flags=re.MULTILINE)
    return re.sub(r"^(\w+) ", rf"\1{{{labels}}} ", named, flags=re.MULTILINE)
