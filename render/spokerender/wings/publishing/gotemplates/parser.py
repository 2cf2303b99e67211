"""The syntax tree of a template. Source: the documentation of Go's text/template.

Templates make names and short values: there are conditions, but no loops and no variables.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeAlias

from msgspec import Struct

from spokerender.findings.phrasing import did_you_mean
from spokerender.wings.publishing.gotemplates.functions import FUNCTIONS
from spokerender.wings.publishing.gotemplates.values import reject_template

MAX_SOURCE = 20_000
"""Characters of a template."""
MAX_DEPTH = 50
"""How deep branches and parentheses may be nested."""
_INT64 = 1 << 63
_SPACES = " \t\r\n"
_UNSUPPORTED = frozenset({"block", "break", "continue", "define", "range", "template"})

# A trim marker needs white space beside it: `{{-3}}` prints -3.
_OPEN = re.compile(r"\{\{(?P<trim>-(?=\s))?(?P<comment>\s*/\*.*?\*/\s*?(?:\s-)?\}\})?", re.DOTALL)
"""The start of an action, or a whole comment."""
_INSIDE = re.compile(
    r"(?P<CLOSE>(?:\s-)?\}\})"
    r"|(?P<SPACE>\s+)"
    r'|(?P<STRING>"(?:[^"\\\n]|\\.)*"|`[^`]*`)'
    r"|(?P<NUMBER>[+-]?[0-9]+(?:\.[0-9]+)?(?![\w.]))"
    r"|(?P<FIELD>\$?(?:\.[^\W\d]\w*)+|\.|\$(?!\w))"
    r"|(?P<CLOSING>\)(?:\.[^\W\d]\w*)*)"
    r"|(?P<SIGN>[|(])"
    r"|(?P<WORD>[^\W\d]\w*)"
)
"""The tokens of an action. The tokens FIELD and CLOSING include the names of fields below."""
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))", re.DOTALL
)
_SHORT_ESCAPES = dict(zip("abfnrtv\\\"'", "\a\b\f\n\r\t\v\\\"'", strict=True))
_MAX_CODE_POINT = 0x110000
_SURROGATES = range(0xD800, 0xE000)


class Constant(Struct, frozen=True):
    """A constant; `nil` is None."""

    value: Any


class DataField(Struct, frozen=True):
    """The fields below `.`, or below `$`, which is the data of the whole template."""

    is_root: bool
    fields: tuple[str, ...] = ()


class Parenthesized(Struct, frozen=True):
    """A pipeline in parentheses, and the fields below its value."""

    pipeline: "Pipeline"
    fields: tuple[str, ...] = ()


Operand: TypeAlias = Constant | DataField | Parenthesized | str
"""An operand; a text is the name of a function."""
Command: TypeAlias = tuple[Operand, ...]
"""An operand alone, or a function with its arguments."""


class Pipeline(Struct, frozen=True):
    """Commands, each of which gets the result of the command before it."""

    commands: tuple[Command, ...]
    line: int = 0


class BranchNode(Struct, frozen=True):
    """An `if` or `with` action, as `keyword` says, with its two bodies."""

    keyword: str
    pipeline: Pipeline
    body: "Body"
    otherwise: "Body"


TemplateNode: TypeAlias = str | Pipeline | BranchNode
"""A text outside of actions, or an action: the value of a pipeline is printed."""
Body: TypeAlias = tuple[TemplateNode, ...]


class _Token(Struct, frozen=True):
    """A token of a template: its group in `_INSIDE`, or TEXT; `line` is the line of its start."""

    type: str
    text: str
    line: int


def parse_template(source: str, refused: Mapping[str, str]) -> Body:
    """Parse a template. Raises `GoTemplateError`.

    `refused` has functions that the template may not call, each with the reason.
    """
    if len(source) > MAX_SOURCE:
        reject_template(f"the template has more than {MAX_SOURCE:,} characters")
    parser = _TemplateParser([*_split_tokens(source)], refused)
    body, end = parser.parse_body(0)
    if end:
        reject_template(f"line {parser.line}: {{{{{end}}}}} without a beginning")
    return body


def _split_tokens(source: str) -> Iterator[_Token]:
    """Split a template into tokens. Raises `GoTemplateError` at an unexpected character."""
    position, is_trimming = 0, False
    while position < len(source):
        opening = _OPEN.search(source, position)
        text = source[position : opening.start() if opening else len(source)]
        if is_trimming:
            text = text.lstrip(_SPACES)
        if opening and opening["trim"]:
            text = text.rstrip(_SPACES)
        if text:
            yield _Token("TEXT", text, 1 + source.count("\n", 0, position))
        if opening is None:
            return
        position = opening.end()
        is_open = not opening["comment"]
        while is_open:
            match = _INSIDE.match(source, position)
            line = 1 + source.count("\n", 0, position)
            if match is None:
                reject_template(f"line {line}: {_describe_rest(source, position)}")
            token = _Token(str(match.lastgroup), match[0], line)
            # Spaces separate tokens and mean nothing else here.
            if token.type != "SPACE":
                yield token
            position, is_open = match.end(), token.type != "CLOSE"
        # The marker at the end trims the text that follows.
        is_trimming = source.endswith("-}}", 0, position)


def _describe_rest(source: str, position: int) -> str:
    if position >= len(source):
        return "an action does not end with }}"
    character = source[position]
    if character == "$":
        return "variables are not supported; write the value out"
    if character in '"`':
        return "a quoted text does not end"
    return f"unexpected {character!r} in an action"


class _TemplateParser:
    """A recursive descent parser, which reads the tokens once."""

    def __init__(self, tokens: list[_Token], refused: Mapping[str, str]) -> None:
        self._tokens = tokens
        self._position = 0
        self._refused = refused
        self.line = 1

    def parse_body(self, depth: int) -> tuple[Body, str]:
        """Return the nodes up to `end` or `else`, and that keyword; "" at the end of the text."""
        # Bounded, since the parser and the rendering recurse.
        self._expect_depth(depth)
        nodes: list[TemplateNode] = []
        while self._position < len(self._tokens):
            word = self._peek()
            if word.type == "TEXT":
                nodes.append(self._next().text)
                continue
            keyword = word.text if word.type == "WORD" else ""
            if keyword in {"end", "else"}:
                self._next()
                return tuple(nodes), keyword
            if keyword in {"if", "with"}:
                self._next()
                nodes.append(self._parse_branch(keyword, depth))
                continue
            nodes.append(self._parse_pipeline(depth))
            self._close_action()
        return tuple(nodes), ""

    def _parse_branch(self, keyword: str, depth: int) -> BranchNode:
        pipeline = self._parse_pipeline(depth)
        self._close_action()
        body, end = self.parse_body(depth + 1)
        otherwise: Body = ()
        if end == "else" and (self._peek().type, self._peek().text) == ("WORD", keyword):
            # `else if` and `else with` share the `end` of their first branch.
            self._next()
            otherwise = (self._parse_branch(keyword, depth + 1),)
            return BranchNode(keyword, pipeline, body, otherwise)
        if end == "else":
            self._close_action()
            otherwise, end = self.parse_body(depth + 1)
        if end != "end":
            self._reject(f"{keyword} without end")
        self._close_action()
        return BranchNode(keyword, pipeline, body, otherwise)

    def _parse_pipeline(self, depth: int) -> Pipeline:
        self._expect_depth(depth)
        commands = [self._parse_command(depth, is_first=True)]
        while self._peek().text == "|":
            self._next()
            commands.append(self._parse_command(depth, is_first=False))
        return Pipeline(tuple(commands), self.line)

    def _parse_command(self, depth: int, *, is_first: bool) -> Command:
        operands: list[Operand] = []
        while not (self._peek().type in {"CLOSE", "CLOSING"} or self._peek().text == "|"):
            operands.append(self._parse_operand(depth))
        if not operands:
            self._reject("a value is missing")
        if isinstance(operands[0], Constant) and (len(operands) > 1 or not is_first):
            self._reject("a constant is called as if it were a function")
        return tuple(operands)

    def _parse_operand(self, depth: int) -> Operand:
        token = self._next()
        fields = tuple(filter(None, token.text.lstrip("$)").split(".")))
        match token.type:
            case "STRING":
                return Constant(self._read_text(token.text))
            case "NUMBER":
                number = float(token.text) if "." in token.text else int(token.text)
                # Go refuses a constant that overflows.
                if not -_INT64 <= number < _INT64:
                    self._reject(f"{token.text} is not an integer of 64 bits")
                return Constant(number)
            case "FIELD":
                return DataField(token.text.startswith("$"), fields)
            case "WORD":
                return self._parse_word(token.text)
            case _ if token.text == "(":
                pipeline = self._parse_pipeline(depth + 1)
                closing = self._next()
                if closing.type != "CLOSING":
                    self._reject("a parenthesis does not close")
                return Parenthesized(pipeline, tuple(closing.text.split(".")[1:]))
        return self._reject(f"unexpected {token.text!r}")

    def _read_text(self, literal: str) -> str:
        """Return the value of a quoted text, as Go's specification and `Unquote` have it."""
        if literal.startswith("`"):
            # Go drops carriage returns in raw strings (the Go specification, string literals).
            return literal[1:-1].replace("\r", "")
        return _ESCAPE.sub(self._unescape, literal[1:-1])

    def _unescape(self, match: re.Match[str]) -> str:
        hexadecimal = match[1] or match[2] or match[3]
        code = int(hexadecimal, 16) if hexadecimal else int(match[4], 8) if match[4] else None
        # Go's `Unquote` refuses halves of surrogate pairs.
        if code is not None and code < _MAX_CODE_POINT and code not in _SURROGATES:
            return chr(code)
        if match[5] not in _SHORT_ESCAPES:
            self._reject(f"{match[0]} is not an escape sequence of Go")
        return _SHORT_ESCAPES[match[5]]

    def _parse_word(self, word: str) -> Operand:
        constants = {"true": True, "false": False, "nil": None}
        if word in constants:
            return Constant(constants[word])
        if word in _UNSUPPORTED:
            self._reject(f"{word} is not supported; write the text out")
        if word in self._refused:
            self._reject(f"function {word} is refused: {self._refused[word]}")
        if word not in FUNCTIONS:
            hint = did_you_mean(word, FUNCTIONS)
            self._reject(f'function "{word}" is not supported' + (f"; {hint}" if hint else ""))
        return word

    def _peek(self) -> _Token:
        """Return the next token; within an action there always is a token, as each action ends."""
        return self._tokens[self._position]

    def _next(self) -> _Token:
        token = self._peek()
        self._position += 1
        self.line = token.line
        return token

    def _close_action(self) -> None:
        token = self._next()
        if token.type != "CLOSE":
            self._reject(f"unexpected {token.text!r}")

    def _expect_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._reject(f"nested deeper than {MAX_DEPTH} levels")

    def _reject(self, message: str) -> NoReturn:
        reject_template(f"line {self.line}: {message}")
