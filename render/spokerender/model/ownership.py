"""Ownership of files: ours have the header as first line; no other file is ever changed."""

from __future__ import annotations

HEADER = b"# Rendered by spokerender. Do not edit: change the hub or the placement instead.\n"
"""The first line of every file that is written; no version and no date, so it never changes."""

KUSTOMIZATION = "kustomization.yaml"
"""The file of a spoke's folder that lists the others."""

FIRST_LINE_SIZE = len(HEADER) + 1
"""The number of bytes to read for `is_ours`: the line, and one more for a carriage return."""

_LINE = HEADER.removesuffix(b"\n")


def is_ours(data: bytes) -> bool:
    """Tell whether the first line of `data` is our header, also in a checkout with CRLF."""
    first_line = data[:FIRST_LINE_SIZE].partition(b"\n")[0]
    return first_line.removesuffix(b"\r") == _LINE


def is_beginning(data: bytes) -> bool:
    """Tell whether `data` is our file, or the beginning of one that a killed build wrote."""
    return HEADER.startswith(data) or is_ours(data)


def has_conflict(data: bytes) -> bool:
    """Tell whether `data` has Git's conflict markers; then both sides are in its history."""
    return any(line.startswith(b"<<<<<<<") for line in data.splitlines())


def mentions_us(data: bytes) -> bool:
    """Tell whether any line of `data` is our header: a merge may have moved it."""
    return _LINE in data.splitlines()
