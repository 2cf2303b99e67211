"""A page as a browser reads it: elements with attributes, texts, and what it may run."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class ReadPage(HTMLParser):
    """What an HTML parser makes of a page."""

    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Leave an element; a void one was never entered."""
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Keep a text with the element that it is in."""
        self.texts.append((self._open[-1] if self._open else "", data))

    def error(self, message: str) -> None:
        """Fail: the page is wrong."""
        raise AssertionError(message)

    def all_texts(self, tag: str) -> list[str]:
        """The texts right in elements of a kind."""
        return [text for place, text in self.texts if place == tag]


def read(page: str) -> ReadPage:
    """Read a page."""
    reader = ReadPage()
    reader.feed(page)
    reader.close()
    return reader
