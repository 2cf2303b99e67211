"""The paths of consequences, as reports show them."""

from collections.abc import Iterable


def split_paths(paths: Iterable[str]) -> list[list[str]]:
    """Return the steps of each path; those that end in sections of one object are one path."""
    sections: dict[tuple[str, ...], dict[str, None]] = {}
    for path in paths:
        *steps, last = path.split(" > ")
        name, bracket, section = last.partition(" [")
        sections.setdefault((*steps, name), {})[f"{bracket}{section}"] = None
    return [[*steps, f"{name}{''.join(own)}"] for (*steps, name), own in sections.items()]
