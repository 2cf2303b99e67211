"""Functions of texts: strings, formats, words, hashes and encodings.

Source: Go's strings and fmt; sprig's strings.go, functions.go and crypto.go; huandu/xstrings v1.3
(the case of words, by its examples). sha3sum, sha3short and shortHash are upstream's own.
"""

import base64
import hashlib
import re
import zlib
from collections.abc import Callable

from spokerender.formats import regexes
from spokerender.model.quantities import LARGEST, parse_int64
from spokerender.wings.publishing import gojson
from spokerender.wings.publishing.gotemplates.lexer import SHORT_ESCAPES
from spokerender.wings.publishing.gotemplates.values import (
    GoStruct,
    GoValue,
    TemplateFunction,
    check_size,
    format_float,
    format_value,
    name_go_type,
    reject_template,
)

_SHORT_HASH = 20
"""Hexadecimal digits of the short hashes."""
_GO_ESCAPES = {character: rf"\{letter}" for letter, character in SHORT_ESCAPES.items()}


def _change_case(text: str, change: Callable[[str], str]) -> str:
    """Change the case of each character; Go keeps those that would become two characters."""
    if text.isascii():
        return change(text)
    return "".join(new if len(new := change(c)) == 1 else c for c in text)


def _replace(old: str, new: str, text: str) -> str:
    check_size(len(text) + (text.count(old) if old else len(text) + 1) * len(new))
    return text.replace(old, new)


def _trunc(length: int, text: str) -> str:
    """Keep the first `length` bytes, or with a negative number the last ones."""
    data = text.encode()
    if length < 0 and len(data) + length > 0:
        return data[length:].decode(errors="replace")
    return data[:length].decode(errors="replace") if 0 <= length < len(data) else text


def _substr(start: int, end: int, text: str) -> str:
    """Cut bytes out, as sprig does: without a start, without an end, or between the two."""
    data = text.encode()
    if start < 0:
        start, is_in_range = 0, end >= 0
    elif end < 0 or end > len(data):
        end, is_in_range = len(data), start <= len(data)
    else:
        is_in_range = start <= end
    if not is_in_range:
        reject_template("slice bounds out of range")
    return data[start:end].decode(errors="replace")


def _repeat(count: int, text: str) -> str:
    if count < 0:
        reject_template("negative count")
    check_size(len(text) * count)
    return text * count


def _print(*values: GoValue) -> str:
    """Join values; Go puts a space between two neighbours of which neither is a string."""
    texts = list[str]()
    for index, value in enumerate(values):
        is_apart = index and not isinstance(value, str) and not isinstance(values[index - 1], str)
        texts.append((" " if is_apart else "") + format_value(value))
    check_size(sum(map(len, texts)))
    return "".join(texts)


def _println(*values: GoValue) -> str:
    return _cat(*("<nil>" if value is None else value for value in values)) + "\n"


def _cat(*values: GoValue) -> str:
    texts = [format_value(value) for value in values if value is not None]
    check_size(sum(map(len, texts)) + len(texts))
    return " ".join(texts)


def _quote(*values: GoValue) -> str:
    return " ".join(_quote_go(format_value(value)) for value in values if value is not None)


def _squote(*values: GoValue) -> str:
    return " ".join(f"'{format_value(value)}'" for value in values if value is not None)


def _quote_go(text: str) -> str:
    """Write a text as a Go literal (`%q`): printable characters stay, others are escaped."""
    return '"' + "".join(map(_escape_go, text)) + '"'


def _escape_go(character: str) -> str:
    if character in _GO_ESCAPES or character in '"\\':
        return _GO_ESCAPES.get(character, f"\\{character}")
    if character.isprintable():
        return character
    code = ord(character)
    if character.isascii():
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004  (Unicode's first plane)


def _to_json(value: GoValue) -> str:
    if isinstance(value, GoStruct):
        reject_template(f"{value.name} can't be written as JSON as a whole")
    return gojson.encode(value, sort_keys=True)


def _printf(pattern: str, *values: GoValue) -> str:
    rest = list(values)

    def replace_verb(match: re.Match[str]) -> str:
        if match["verb"] == "%":
            return "%"
        if not rest:
            reject_template(f"{match[0]} has no value")
        return _format_placeholder(match, rest.pop(0))

    placeholder = r"%(?P<flags>[-+ 0#]*)(?P<width>\d{0,3})(?:\.(?P<digits>\d{0,3}))?(?P<verb>.)"
    text = re.sub(placeholder, replace_verb, pattern, flags=re.DOTALL)
    if rest:
        reject_template(f"printf gets {len(rest)} more values than its format prints")
    check_size(len(text))
    return text


def _format_placeholder(match: re.Match[str], value: GoValue) -> str:
    flags, width = match["flags"], int(match["width"] or 0)
    digits = int(match["digits"] or 0) if match["digits"] is not None else None
    text = None if "#" in flags and match["verb"] == "v" else _format_verb(match, value, digits)
    if text is None:
        reject_template(f"{match[0]} can't print {name_go_type(value)}")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and not text.startswith("-") and ("+" in flags or " " in flags):
        text = ("+" if "+" in flags else " ") + text
    if "-" in flags:
        return text.ljust(width)
    if "0" in flags and is_number:
        return text.zfill(width)
    return text.rjust(width)


def _format_verb(match: re.Match[str], value: GoValue, digits: int | None) -> str | None:
    """Format a value by the verb of a placeholder; None where the verb doesn't fit the type."""
    text: str | None = None
    match match["verb"], value:
        case ("v", _) | ("t", bool()):
            text = format_value(value)
        case "s", str():
            text = value[:digits]
        case "q", str():
            text = _quote_go(value)
        case "x", str():
            text = value.encode().hex()
        case (("d" | "x"), bool()):
            text = None
        case ("d" | "x") as verb, int():
            text = format(value, verb)
        case "f", float():
            text = format(value, f".{6 if digits is None else digits}f")
        case "g", float() if digits is None:
            text = format_float(value)
    return text


def _title(text: str) -> str:
    """Capitalize words, which begin where Go's `strings.Title` finds them."""
    beginning = r"(?:\A|(?<=[\x00-/:-@\[-^`{-\x7f])|(?<=\s))\w"
    return re.sub(beginning, lambda match: match[0].upper(), text)


def _untitle(text: str) -> str:
    """Write the first letter of each word small."""
    return re.sub(r"(?<!\S)\S", lambda match: match[0].lower(), text)


def _join_words(text: str, separator: str) -> str:
    """Join the words of `CronTab`, `HTTPServer` or `a_b c` in lower case (xstrings 1.5)."""
    # A number belongs to the letters before it, but begins a word if small letters follow it.
    text = re.sub(
        r"[0-9]+[a-z][a-z0-9]*",
        lambda match: separator * text[match.start() - 1 : match.start()].isalpha() + match[0],
        text,
    )
    seam = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
    seam += r"|(?<=[A-Za-z0-9])(?=[$+<=>^`|~])|(?<=[$+<=>^`|~])(?=[A-Za-z])"
    return re.sub(r"[\s_\-]", separator, re.sub(seam, separator, text)).lower()


def _camelcase(text: str) -> str:
    """Write `some_words` as `SomeWords`; separators at the beginning stay."""
    words = re.sub(r"\A[_\-\s]+", "", text)
    lead = text[: len(text) - len(words)]
    return lead + re.sub(r"(?:^|[_\-\s]+)(.)", lambda match: match[1].upper(), words.lower())


def _sha3short(text: str, length: int = _SHORT_HASH) -> str:
    """Return the first digits of a SHA3-256; the default names of copies are made with it."""
    if length <= 0:
        reject_template(f"the length must be positive, but is {length}")
    return hashlib.sha3_256(text.encode()).hexdigest()[:length]


def _atoi(text: str) -> int:
    """Read a decimal number; other texts are 0, as for sprig, which drops the error.

    A number that does not fit 64 bits is the largest that does (Go, `strconv.Atoi`).
    """
    number = parse_int64(text)
    if number is None and re.fullmatch("[+-]?[0-9]+", text):
        return -LARGEST - 1 if text.startswith("-") else LARGEST
    return number or 0


def _b64dec(text: str) -> str:
    """Decode base64. Raises `GoTemplateError` for other texts; sprig returns an error message."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except ValueError:
        reject_template("the value is not the base64 of a text")


FUNCTIONS = (
    TemplateFunction("upper", lambda text: _change_case(text, str.upper), "string"),
    TemplateFunction("lower", lambda text: _change_case(text, str.lower), "string"),
    TemplateFunction("trim", str.strip, "string"),
    TemplateFunction("trimAll", lambda characters, text: text.strip(characters), "string string"),
    TemplateFunction("trimPrefix", lambda prefix, text: text.removeprefix(prefix), "string string"),
    TemplateFunction("trimSuffix", lambda suffix, text: text.removesuffix(suffix), "string string"),
    TemplateFunction("trunc", _trunc, "whole string"),
    TemplateFunction("substr", _substr, "whole whole string"),
    TemplateFunction("replace", _replace, "string string string"),
    TemplateFunction("repeat", _repeat, "whole string"),
    TemplateFunction("contains", lambda part, text: part in text, "string string"),
    TemplateFunction("hasPrefix", lambda prefix, text: text.startswith(prefix), "string string"),
    TemplateFunction("hasSuffix", lambda suffix, text: text.endswith(suffix), "string string"),
    TemplateFunction("nospace", lambda text: re.sub(r"\s+", "", text), "string"),
    TemplateFunction("cat", _cat, "any …"),
    TemplateFunction("quote", _quote, "any …"),
    TemplateFunction("squote", _squote, "any …"),
    TemplateFunction("print", _print, "any …"),
    TemplateFunction("println", _println, "any …"),
    TemplateFunction("printf", _printf, "string any …"),
    TemplateFunction("toString", format_value, "any"),
    TemplateFunction("toJson", _to_json, "any"),
    TemplateFunction("atoi", _atoi, "string"),
    TemplateFunction(
        "regexMatch",
        lambda regex, text: regexes.compile_pattern(regex).matches(text),
        "string string",
    ),
    TemplateFunction(
        "regexReplaceAll",
        lambda regex, text, new: regexes.compile_pattern(regex).replace(text, new),
        "string string string",
    ),
    TemplateFunction("title", _title, "string"),
    TemplateFunction("untitle", _untitle, "string"),
    TemplateFunction("kebabcase", lambda text: _join_words(text, "-"), "string"),
    TemplateFunction("snakecase", lambda text: _join_words(text, "_"), "string"),
    TemplateFunction("camelcase", _camelcase, "string"),
    TemplateFunction("sha1sum", gojson.hash_sha1, "string"),
    TemplateFunction("sha256sum", lambda text: hashlib.sha256(text.encode()).hexdigest(), "string"),
    TemplateFunction("sha512sum", lambda text: hashlib.sha512(text.encode()).hexdigest(), "string"),
    TemplateFunction("sha3sum", lambda text: hashlib.sha3_256(text.encode()).hexdigest(), "string"),
    TemplateFunction("sha3short", _sha3short, "string [whole]"),
    TemplateFunction("shortHash", lambda text: gojson.hash_sha1(text)[:_SHORT_HASH], "string"),
    TemplateFunction("adler32sum", lambda text: str(zlib.adler32(text.encode())), "string"),
    TemplateFunction("b64enc", lambda text: base64.b64encode(text.encode()).decode(), "string"),
    TemplateFunction("b64dec", _b64dec, "string"),
    TemplateFunction("b32enc", lambda text: base64.b32encode(text.encode()).decode(), "string"),
)
