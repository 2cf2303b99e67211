"""What extensions write on standard error: whose it is, and what it says."""

import os
from pathlib import Path

from spokerender.wings.metapolicies.runners.extensions.process import (
    LogReader,
)


def forwarded(data: bytes) -> list[str]:
    told: list[str] = []
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as stream:
        forwarding = LogReader("fair", (stream,), lambda name, line: told.append(f"{name}: {line}"))
        with os.fdopen(writing, "wb") as sink:
            sink.write(data)
        forwarding.join(20)
    return told


def test_lines_are_handed_on_one_by_one() -> None:
    told = forwarded(b'one\n\ntwo\r\n{"msg":"three"}')
    assert told == ["fair: one", "fair: two", 'fair: {"msg":"three"}']


def test_a_line_without_end_is_cut() -> None:
    (line,) = forwarded(b"x" * 5_000_000)
    assert line == "fair: " + "x" * 2_000 + "…"


def test_a_flood_is_not_shown() -> None:
    told = forwarded(b"again\n" * 100_000)
    assert len(told) == 1_001
    assert "the others are not shown" in told[-1]


def test_bytes_that_are_no_text_are_shown_as_such(tmp_path: Path) -> None:
    assert tmp_path.exists()
    (line,) = forwarded(b"\xff\xfe\n")
    assert line == "fair: \ufffd\ufffd"
