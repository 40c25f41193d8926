"""Prints the failed tests of JUnit files, a line for each: ``failed_tests.py FILE...``."""

from __future__ import annotations

import sys
from xml.etree import ElementTree


def failed(file: str) -> list[str]:
    """Return the tests that failed or could not run, in the order of the file."""
    try:
        cases = list(ElementTree.parse(file).getroot().iter("testcase"))
    except ElementTree.ParseError as error:
        return [f"{file} is not whole: {error}"]
    bad = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    return [" ".join(filter(None, (case.get("classname"), case.get("name")))) for case in bad]


if __name__ == "__main__":
    for name in (name for file in sys.argv[1:] for name in failed(file)):
        print(f"    {name}")
