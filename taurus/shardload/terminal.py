"""What the user sees: lines, a block that is redrawn in place, progress bars. Colour only on a terminal."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
import textwrap
import time
from typing import TextIO

from shardload.config.places import STARTED_IN
from shardload.config.values.quantities import show_seconds

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_PLAIN_EVERY_SECONDS = 10.0
_DRAW_EVERY_SECONDS = 0.1
_TICKS = "▁▂▃▄▅▆▇█"
# The word before a line, with the spaces that follow it.
_HEAD = re.compile(r" *\S{0,9}(?<=\S) {2,}| {9,}")
_COMMAND = re.compile(r" {2,4}\S*shardload ")
# In place of ESC until a line is written: texts of servers and bundles cannot contain what was drawn for this process.
OWN = f"\ue000{secrets.token_hex(8)}"
_RESET = f"{OWN}[0m"
_ESCAPE = re.compile(rf"{OWN}\[[0-9;]*m")
# No name or path, but somebody's text in a message about it.
_ENDLESS = re.compile(r"(\S{60})\S{940,}")
# C0 without tab and line feed, DEL, C1; overrides and isolates of the writing direction.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """Return a text of others that no terminal can take for a command."""
    return _CONTROLS.sub("\ufffd", text)


def complain(text: str) -> None:
    """Print on standard error what is wrong, with the program's name before each line."""
    print(signed(harmless(_ENDLESS.sub(r"\1...", text))), file=sys.stderr)


class Terminal:
    """Standard output, as a terminal or as plain lines.

    ``is_quiet`` leaves out, for the whole process, what is drawn or printed only to show that something goes on.
    ``default`` takes the place of standard output where that is for other programs alone.
    """

    is_quiet = False
    default: TextIO | None = None

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or Terminal.default or sys.stdout
        self.is_terminal = bool(self.stream.isatty()) and os.environ.get("TERM") != "dumb"
        self.has_colour = self.is_terminal and not os.environ.get("NO_COLOR")
        self._height = 0

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return shutil.get_terminal_size((100, 30)).columns

    def paint(self, text: str, colour: str) -> str:
        """Colour a text where that is wanted."""
        return f"{OWN}[{_CODES[colour]}m{text}{_RESET}" if self.has_colour else text

    def line(self, text: str = "") -> None:
        """Print a line that stays; on a terminal it breaks between words, and paths begin at the user's folder."""
        self._erase()
        if self.is_terminal:
            text = wrapped(text.replace(f" {STARTED_IN}/", " "), self.width)
        self._write(text + "\n")

    def detail(self, text: str) -> None:
        """Print a line that is neither the result nor a problem."""
        if not Terminal.is_quiet:
            self.line(text)

    def block(self, lines: list[str]) -> None:
        """Draw lines in place of those drawn before; nothing at all when this is not a terminal.

        The cursor stays at the start of the block, so that whatever is printed by others lands above the next one.
        A line that is too wide is cut: one that wraps would leave a part of itself behind when it is drawn again.
        """
        if not self.is_terminal or Terminal.is_quiet:
            return
        room = self.width - 1
        shown = [cut(line, room) for line in lines]
        self._write(f"{OWN}[J" + "\n".join(shown) + f"\n{OWN}[{len(lines)}F")
        self._height = len(lines)

    def clear(self) -> None:
        """Remove the block."""
        self._erase()

    def _erase(self) -> None:
        if self._height:
            self._write(f"{OWN}[J")
            self._height = 0

    def _write(self, text: str) -> None:
        text = harmless(text).replace(OWN, "\x1b")
        try:
            self.stream.write(text)
            self.stream.flush()
        except UnicodeEncodeError:
            self.stream.write(text.encode("ascii", "replace").decode("ascii"))
            self.stream.flush()
        except OSError:
            pass  # nobody reads any more: the run continues and the bundle has everything


def cut(text: str, width: int) -> str:
    """Return a text cut to a number of columns; colours take none, and the last one ends with the text."""
    if len(_ESCAPE.sub("", text)) <= width:
        return text
    shown, room, end = "", width, 0
    for escape in _ESCAPE.finditer(text):
        part = text[end : escape.start()][:room]
        shown, room, end = shown + part + escape[0], room - len(part), escape.end()
    return shown + text[end:][:room]


def wrapped(text: str, width: int) -> str:
    """Return a line broken between words, with the rest below the text that follows its first word.

    A command (two spaces precede it) and a word wider than the terminal stay whole, to be copied.
    """
    plain = _ESCAPE.sub("", text)
    if len(plain) <= width or _COMMAND.match(plain) or "\n" in plain:
        return text
    head = _HEAD.match(plain)
    indent = " " * len(head[0]) if head else ""
    lines = textwrap.wrap(
        plain, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )
    if any(len(line) > width for line in lines):
        return text
    colour = _ESCAPE.match(text)
    whole = colour is not None and text.endswith(_RESET) and text.count(OWN) == 2
    return f"{colour[0]}{chr(10).join(lines)}{_RESET}" if colour and whole else "\n".join(lines)


def bar(share: float, width: int) -> str:
    """Return a bar of a given width, filled by a share from 0 to 1."""
    filled = int(min(1.0, max(0.0, share)) * width + 0.5)
    return "━" * filled + "─" * (width - filled)


def sparkline(values: list[float], width: int) -> str:
    """Return the last values as a tiny chart from 0 to their maximum."""
    shown = values[-width:]
    top = max(shown, default=0.0)
    if top <= 0:
        return _TICKS[0] * len(shown)
    return "".join(_TICKS[min(7, int(value / top * 7.999))] for value in shown)


class Progress:
    """A progress bar with rate and time left; on a plain stream a line every ten seconds."""

    def __init__(self, terminal: Terminal, clock: object = None) -> None:
        self._terminal = terminal
        self._now = clock if callable(clock) else time.monotonic
        self._what = ""
        self._began = 0.0
        self._first = 0
        self._told = 0.0
        self._last = ""

    def update(self, what: str, done: int, total: int, unit: str) -> None:
        """Show how far something is."""
        now = self._now()
        if what != self._what:
            self.finish()
            self._what, self._began, self._first, self._told = what, now, done, now
        elapsed = now - self._began
        rate = (done - self._first) / elapsed if elapsed > 0 else 0.0
        left = (total - done) / rate if rate > 0 else None
        text = f"{done:,} of {total:,} {unit}"
        # A few rounds take seconds each, and what was done at a blow has no rate.
        if rate >= 10 and elapsed >= 1:
            text += f", {rate:,.0f}/s"
        self._last = f"{text} in {show_seconds(elapsed)}"
        if left is not None and done < total:
            text += f", {show_seconds(left)} left"
        self._show(what, done / total if total else 1.0, text, now)

    def finish(self) -> None:
        """Replace the bar by a line that says what was done."""
        if self._what:
            self._terminal.detail(f"{self._what:<8} {self._last}")
        self._what = ""

    def _show(self, what: str, share: float, text: str, now: float) -> None:
        every = _DRAW_EVERY_SECONDS if self._terminal.is_terminal else _PLAIN_EVERY_SECONDS
        if now - self._told < every:
            return
        self._told = now
        if self._terminal.is_terminal:
            room = max(10, min(40, self._terminal.width - len(text) - 18))
            self._terminal.block([f"{what:<8} {self._terminal.paint(bar(share, room), 'cyan')} {share:4.0%}  {text}"])
        else:
            self._terminal.detail(f"{what:<8} {share:4.0%}  {text}")


def signed(text: str) -> str:
    """Return lines with the program's name before each, but before those that belong to the line above."""
    return "\n".join(line if line.startswith("  ") else f"shardload: {line}" for line in text.splitlines())
