"""Lines of YAML as HTML, with the colours of Pygments: its only door."""

from functools import cache
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import Any

from spokerender.report.terminal import on_one_line

_CLASSES = (
    ("Token.Name.Tag", "k"),
    ("Token.Name.Constant", "s"),
    ("Token.Literal", "s"),
    ("Token.Comment", "c"),
    ("Token.Punctuation", "p"),
)


def highlight_yaml(lines: list[str]) -> list[str]:
    """Return each line as HTML; what is not printable is escaped as Python does it."""
    text = "\n".join(map(on_one_line, lines))
    tokens = ((_find_class(token), value) for token, value in _lexer().get_tokens(text))
    done = [""]
    for style, group in groupby(tokens, key=itemgetter(0)):
        for number, part in enumerate("".join(value for _, value in group).split("\n")):
            if number:
                done.append("")
            if part:
                shown = escape(part)
                done[-1] += f'<i class="{style}">{shown}</i>' if style else shown
    return done[: len(lines)]


@cache
def _lexer() -> Any:  # noqa: ANN401  (Pygments has no types)
    from pygments.lexers.data import YamlLexer  # noqa: PLC0415  (only pages need it)

    return YamlLexer(stripnl=False, ensurenl=False)


@cache
def _find_class(token: object) -> str:
    name = str(token)
    return next((style for prefix, style in _CLASSES if name.startswith(prefix)), "")
