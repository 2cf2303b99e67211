"""Read plain scalars as Kubernetes does, and documents that contain nothing unusual.

Reading follows sigs.k8s.io/yaml: go-yaml v2 (YAML 1.1 with changes of its own), then a conversion
to JSON. No YAML specification describes it: `y` is a boolean, `010` and `0o10` are 8, `1e3` is
1000, `12:30` and dates are strings. Measured against kubectl 1.32.
"""

import re
import struct
from decimal import Decimal
from functools import lru_cache
from math import inf, isfinite, isinf, isnan, nan
from typing import Any

import yaml
from msgspec import Struct

from spokerender.model.shapes import Json

DEEPEST = 100
"""The number of collections that may be nested: recursion must not overflow the stack."""
Event = Any
"""PyYAML's parser and its events, which have no types."""
# The C parser where PyYAML has it; the pure one reads the same, and is slower.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

PlainValue = str | int | float | bool | None
_WORDS: dict[str, float | bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(
        ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True
    ),
    **dict.fromkeys(
        ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False
    ),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], inf),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], -inf),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], nan),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_INTEGER = re.compile(
    r"([-+]?)0[xX]([0-9a-fA-F]+)"
    r"|([-+]?)0[bB]([01]+)"
    r"|([-+]?)0[oO]?([0-7]+)"
    r"|([-+]?)(0|[1-9][0-9]*)"
)
_BASES = (16, 2, 8, 10)
# The patterns that are plain texts are compiled when a scalar first needs them.
_SIGN_INSIDE = r"0b([-+][01]+)"
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
_POINT_FIRST = r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?"
_INT64_FIRST, _INT64_LAST, _UINT64_LAST = -(2**63), 2**63 - 1, 2**64 - 1
_LONGEST = 64  # binary digits; Python refuses to convert thousands of decimal ones
_EXPONENT_FROM = 1e21
_SURELY_SHORT = 99
"""A key of at most so many characters is shorter than 1,000 even if all of them are escaped."""
_UNSUPPORTED = "[\x7f-\x9f\ud800-\udfff\ufffe\uffff]"
_LINE_SEPARATORS = ("\u2028", "\u2029")


def open_loader(text: str) -> Event:
    """Return a parser of the text, with `get_event` and `dispose`."""
    return _Loader(text)


class SimpleDocument(Struct, frozen=True):
    """The data of a simple text, the offset of its content, and whether the root is a block."""

    value: Json
    start: int
    is_block: bool


def construct_simple(text: str) -> SimpleDocument | None:
    """Return the data of a text without anything unusual; None if `construct` must read it.

    Unusual are anchors, aliases, tags, merge keys, equal keys, keys that are no strings,
    unsupported characters, deep nesting and syntax errors: they may be wrong, or need the node
    tree.
    """
    loader = open_loader(text)
    try:
        return _SimpleBuilder(text).build(loader.get_event)
    except (yaml.YAMLError, _UnusualError):
        return None
    finally:
        loader.dispose()


class _UnusualError(Exception):
    """The text has something unusual, so the node tree is needed."""


class _SimpleBuilder:
    """Builds the data directly from parse events, without a node for each of them."""

    def __init__(self, text: str) -> None:
        # In a text of ASCII without escapes no string can have an unsupported character.
        self.is_checked = "\\" in text or "\x7f" in text or not text.isascii()
        self.has_escaped_slash = "\\/" in text  # go-yaml refuses it in double quotes
        self.root: list[Json] = []
        self.enclosing: list[Any] = []
        self.container: Any = self.root
        self.name: str | None = None  # the key that waits for its value
        self.start = 0
        self.is_block = False

    def build(self, next_event: Event) -> SimpleDocument:
        while True:
            event = next_event()
            kind = type(event)
            # By identity of the type, and scalars first: this loop runs for every scalar of a hub.
            if kind is yaml.ScalarEvent:
                self.add_scalar(event)
            elif kind is yaml.MappingStartEvent:
                self.open(event, {})
            elif kind is yaml.SequenceStartEvent:
                self.open(event, [])
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self.container = self.enclosing.pop()
            elif kind is yaml.AliasEvent or (kind is yaml.DocumentStartEvent and self.root):
                raise _UnusualError
            elif kind is yaml.StreamEndEvent:
                break
        if not self.root:
            raise _UnusualError
        return SimpleDocument(self.root[0], self.start, self.is_block)

    def add_scalar(self, event: Event) -> None:
        """Take a scalar as the next key, or add it as a value to the open collection."""
        value: Json = event.value
        is_key = self.name is None and type(self.container) is dict
        if event.tag is not None or event.anchor is not None:
            raise _UnusualError
        if not event.style:
            value = plain_key(value) if is_key else resolve(value)
            if (is_key and value is None) or (type(value) is float and not isfinite(value)):
                raise _UnusualError
        elif (self.has_escaped_slash and event.style == '"') or (
            is_key and _is_doubtful_key(value)
        ):
            raise _UnusualError
        if self.is_checked and type(value) is str and complaint(value):
            raise _UnusualError
        if not is_key:
            self.add(event, value)
        # A key that is there twice; `construct` reports both places.
        elif value in self.container:
            raise _UnusualError
        else:
            self.name = value

    def open(self, event: Event, collection: Json) -> None:
        """Add a collection to the open one, and make it the open collection."""
        is_key = self.name is None and type(self.container) is dict
        is_unusual = event.tag is not None or event.anchor is not None
        if is_unusual or is_key or len(self.enclosing) >= DEEPEST:
            raise _UnusualError
        if not self.root:
            self.is_block = not event.flow_style
        self.add(event, collection)
        self.enclosing.append(self.container)
        self.container = collection

    def add(self, event: Event, value: Json) -> None:
        """Add a value to the open collection."""
        if self.name is not None:
            self.container[self.name] = value
            self.name = None
            return
        # The first value is the root, and tells where the content begins.
        if self.container is self.root:
            self.start = event.start_mark.index
        self.container.append(value)


@lru_cache(maxsize=4096)
def plain_key(text: str) -> str | None:
    """Return the JSON key that a plain key becomes; None if there may be a problem with the key.

    Remembered, as most documents have the same few hundred keys.
    """
    name = key_text(text)
    return None if name is None or _is_doubtful_key(name) else name


def _is_doubtful_key(name: str) -> bool:
    """Return whether kustomize might be unable to carry a key (`unsupported_key`)."""
    return name == "<<" or len(name) > _SURELY_SHORT


@lru_cache(maxsize=16384)
def resolve(text: str) -> PlainValue:
    """Return the JSON value of a plain scalar; infinities and NaN, which JSON lacks, are floats.

    Equal strings are returned as one object, which saves memory: a large hub repeats its keys and
    names many times.
    """
    if text in _WORDS:
        return _WORDS[text]
    # Most scalars begin with a letter, and are texts.
    if text[0] not in _NUMBER_STARTS:
        return text
    number = parse_number(text)
    return text if number is None else _to_json(number)


def json_integer(digits: str) -> int | float:
    """Return a JSON integer as Kubernetes stores it: as a float if it does not fit 64 bits."""
    return _to_json(float(digits) if len(digits) > _LONGEST else int(digits))


def parse_number(text: str) -> int | float | None:
    """Return the number that go-yaml v2 reads in a plain scalar, or None.

    An integer fits 64 bits, signed or unsigned; a larger one is a float.
    """
    if text[0] == ".":
        # go-yaml v2 reads `.5` by itself, and underscores only between digits.
        return _finite(text.replace("_", "")) if re.fullmatch(_POINT_FIRST, text) else None
    digits = text.replace("_", "")
    integer = _parse_integer(digits)
    if integer is not None:
        return integer
    return _finite(digits) if re.fullmatch(_FLOAT, digits) else None


def _parse_integer(digits: str) -> int | None:
    """Return an integer as Go's `ParseInt` (base 0), `ParseUint` and go-yaml's `0b`, else None."""
    if match := _INTEGER.fullmatch(digits):
        # Each base has two groups, sign and digits.
        which = (match.lastindex or 0) // 2 - 1
        sign, magnitude = match[which * 2 + 1], match[which * 2 + 2]
        # Zeros in front do not make a number longer.
        if len(magnitude.lstrip("0")) > _LONGEST:
            return None
        number = int(sign + magnitude, _BASES[which])
        last = _INT64_LAST if sign else _UINT64_LAST
        return number if _INT64_FIRST <= number <= last else None
    if match := re.fullmatch(_SIGN_INSIDE, digits):
        return int(match[1], 2)
    return None


def _finite(digits: str) -> float | None:
    """Return a float; None if it is out of range, for which Go's `strconv.ParseFloat` fails."""
    number = float(digits)
    return None if isinf(number) else number


def _to_json(number: float) -> int | float:
    exact = isinstance(number, int) and _INT64_FIRST <= number <= _INT64_LAST
    return number if exact else json_number(float(number))


def json_number(number: float) -> int | float:
    """Return a float as it is after Go has written it to JSON: a whole number becomes an integer.

    Go writes the shortest digits that read back as the float, and fills with zeros below 1e21.
    """
    if number.is_integer() and abs(number) < _EXPONENT_FROM:
        # Through its shortest digits, as int() would give those of the binary value.
        return int(Decimal(repr(number)))
    return number


def key_text(text: str) -> str | None:
    """Return the JSON key that a plain key becomes; None for null and for integers above int64.

    Kubernetes refuses these keys.
    """
    value = resolve(text)
    if isinstance(value, str):
        return value
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    number = parse_number(text)
    if isinstance(number, int):
        return str(number) if number <= _INT64_LAST else None
    return _float_key(value if number is None else number)


def _float_key(number: float) -> str:
    """Return a float as Go's `strconv.FormatFloat(number, 'g', -1, 32)`; infinities as in YAML."""
    single = _to_single(number)
    if isnan(single):
        return ".nan"
    if isinf(single):
        return ".inf" if single > 0 else "-.inf"
    # The shortest text that reads back as the same single, as Go looks for it.
    candidates = (f"{single:.{digits}e}" for digits in range(9))
    shortest = next(text for text in candidates if _to_single(float(text)) == single)
    exponent = int(shortest.partition("e")[2])
    return f"{Decimal(shortest):f}" if -5 < exponent < 6 else shortest  # noqa: PLR2004  (Go's own)


def _to_single(number: float) -> float:
    try:
        single: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return inf if number > 0 else -inf
    return single


def unsupported(text: str) -> str | None:
    """Return the first character that can't be carried to a cluster, by name (`U+0085`), or None.

    Measured by sending every character of the first plane, and samples of the others, as values and
    keys through kubectl 1.32 and its kustomize. kustomize refuses such a character, or turns it
    into a space (U+0085), even if it is escaped. After a string of several lines that ends with
    U+2028 or U+2029, it omits the line end before the next `---`: the next document is lost.
    """
    if text.isascii() and "\x7f" not in text:
        return None
    if match := re.search(_UNSUPPORTED, text):
        return name_character(match[0])
    return name_character(text[-1]) if text.endswith(_LINE_SEPARATORS) and "\n" in text else None


def name_character(character: str) -> str:
    """Return the name of a character in Unicode's form: `U+0085`."""
    return f"U+{ord(character):04X}"


def complaint(text: str) -> str | None:
    """Return the message about a string with an unsupported character, or None."""
    character = unsupported(text)
    if character is None:
        return None
    return f"the string has the character {character}, which kustomize can't carry to a cluster"
