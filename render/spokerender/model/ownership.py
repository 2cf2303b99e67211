"""Whose file it is: ours say so in their first line, and nothing else is ever touched."""

from __future__ import annotations

HEADER = b"# Rendered by spokerender. Do not edit: change the hub or the placement instead.\n"
"""The first line of every file that is written; no version and no date, so it never changes."""

KUSTOMIZATION = "kustomization.yaml"
"""The file of a spoke's folder that lists the others."""

FIRST_LINE_SIZE = len(HEADER) + 1
"""How many bytes of a file tell whose it is: the line, and one more for a carriage return."""

_LINE = HEADER.removesuffix(b"\n")


def is_ours(data: bytes) -> bool:
    """Whether the first line of `data` says that it is ours, also in a checkout with CRLF."""
    first_line = data[:FIRST_LINE_SIZE].partition(b"\n")[0]
    return first_line.removesuffix(b"\r") == _LINE


def is_beginning(data: bytes) -> bool:
    """Whether `data` is a file of ours, or the part of one that a killed build came to write."""
    return HEADER.startswith(data) or is_ours(data)


def has_conflict(data: bytes) -> bool:
    """Whether Git left its conflict markers in `data`; then both sides are in its history."""
    return any(line.startswith(b"<<<<<<<") for line in data.splitlines())


def mentions_us(data: bytes) -> bool:
    """Whether any line of `data` says that it is ours: a merge may have moved the first one."""
    return _LINE in data.splitlines()
