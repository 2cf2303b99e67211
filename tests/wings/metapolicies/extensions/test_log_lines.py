"""What extensions write on standard error: whose it is, how bad, what it says."""

import os
from pathlib import Path

from spokerender.findings.results import Severity
from spokerender.wings.metapolicies.runners.extensions.process import (
    LogLine,
    LogReader,
    parse_line,
)
from tests.support import cases

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


@cases(
    # zap, as controller-runtime sets it up; logrus; Python; slog
    ('{"level":"error","ts":"2026-01-01T00:00:00Z","msg":"no plan"}', ERROR, "no plan"),
    ('{"level":"warn","ts":1.5,"msg":"slow","seconds":3}', WARNING, "slow seconds=3"),
    ('{"time":"x","level":"INFO","msg":"up","port":"a b"}', INFO, 'up port="a b"'),
    ('{"levelname": "CRITICAL", "message": "gone"}', ERROR, "gone"),
    ('{"severity": "WARNING", "message": "as Google logs"}', WARNING, "as Google logs"),
    ('{"level":"unheard of","msg":"x"}', INFO, "x"),
    ('{"level":30,"msg":"a number, as pino has"}', INFO, "a number, as pino has"),
    # JSON that is no record, or none at all
    ('{"a": 1}', INFO, '{"a": 1}'),
    ('{"level": "error"', INFO, '{"level": "error"'),
    # text
    ("ERROR: it failed", INFO, None),
    ("Traceback (most recent call last):", INFO, None),
    ("plain", INFO, "plain"),
)
def test_each_line_has_its_own_level(line: str, severity: Severity, text: str | None) -> None:
    expected = LogLine("fair", severity, line if text is None else text)
    assert parse_line("fair", line.encode()) == expected


def forwarded(data: bytes) -> list[LogLine]:
    told: list[LogLine] = []
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as stream:
        forwarding = LogReader("fair", (stream,), told.append)
        with os.fdopen(writing, "wb") as sink:
            sink.write(data)
        forwarding.join(20)
    return told


def test_lines_are_handed_on_one_by_one() -> None:
    told = forwarded(b'one\n\ntwo\r\n{"level":"error","msg":"three"}')
    assert [(line.severity, line.text) for line in told] == [
        (INFO, "one"),
        (INFO, "two"),
        (ERROR, "three"),
    ]


def test_a_line_without_end_is_cut() -> None:
    (line,) = forwarded(b"x" * 5_000_000)
    assert line.text == "x" * 2_000 + "…"


def test_a_flood_is_not_shown() -> None:
    told = forwarded(b"again\n" * 100_000)
    assert len(told) == 1_001
    assert told[-1].severity is WARNING
    assert "the others are not shown" in told[-1].text


def test_bytes_that_are_no_text_are_shown_as_such(tmp_path: Path) -> None:
    assert tmp_path.exists()
    (line,) = forwarded(b"\xff\xfe\n")
    assert line.text == "\ufffd\ufffd"
