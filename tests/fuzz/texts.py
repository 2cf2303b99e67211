"""What happens to a file's text, without regard to what it means."""

from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz import hostile
from tests.fuzz.projects import Files

Change = Callable[[str, str, Random], str]
"""From a text and something to put into it to another text."""


def mutate_text(files: Files, random: Random) -> None:
    """Change a file's text."""
    path = random.choice(list(files))
    file = files[path]
    text = file.written(random)
    pieces: Sequence[str] = (*hostile.LINES, *hostile.RAW_TEXTS)
    if path.endswith(".j2") and random.random() < 0.7:
        pieces = hostile.TEMPLATE_TEXTS
    file.documents = None
    file.text = random.choice(_CHANGES)(text, random.choice(pieces), random)


def _in_a_line(change: Callable[[str, str, Random], Sequence[str]]) -> Change:
    def changed(text: str, piece: str, random: Random) -> str:
        lines = text.split("\n")
        at = random.randrange(len(lines))
        lines[at : at + 1] = change(lines[at], piece, random)
        return "\n".join(lines)

    return changed


def _indented(line: str, _: str, random: Random) -> Sequence[str]:
    return [random.choice(("  ", " ", "\t", "- ", "&a ", "# ")) + line]


def _ended(line: str, _: str, random: Random) -> Sequence[str]:
    ends = (" ", ": ", " # a", "  " * 500, "\t", " &a", " *a", '"', "'", " !a")
    return [line + random.choice(ends)]


def _valued(line: str, piece: str, _: Random) -> Sequence[str]:
    key, colon, value = line.partition(": ")
    return [f"{key}: {piece}" if colon else value]


def _inserted(text: str, piece: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + piece + text[at:]


def _whole(text: str, _: str, random: Random) -> str:
    tabs, ends = text.replace("  ", "\t"), text.replace("\n", "\r\n")
    return random.choice((ends, "\ufeff" + text, text * 2, tabs, text[::-1], ""))


_CHANGES: tuple[Change, ...] = (
    _in_a_line(lambda line, piece, _: [piece, line]),
    _in_a_line(lambda line, _, random: [line] * random.choice((0, 2, 3, 50))),
    _in_a_line(lambda line, _, __: [line.strip()]),
    _in_a_line(_indented),
    _in_a_line(_ended),
    _in_a_line(_valued),
    _inserted,
    lambda text, _, random: text[: random.randrange(len(text) + 1)],
    _whole,
)
