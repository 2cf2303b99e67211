"""Tokens as a tree. Source: the documentation of Go's text/template."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NoReturn

from spokerender.findings.suggest import did_you_mean
from spokerender.wings.publishing.gotemplates.constants import constant
from spokerender.wings.publishing.gotemplates.lexer import Sort, Token
from spokerender.wings.publishing.gotemplates.nodes import (
    Action,
    Body,
    Branch,
    Command,
    Dot,
    Leave,
    Literal,
    Named,
    Nested,
    Node,
    Operand,
    Pipeline,
    Text,
    Variable,
)
from spokerender.wings.publishing.gotemplates.problems import TemplateProblem
from spokerender.wings.publishing.gotemplates.rows import REFUSED

MAX_DEPTH = 50
"""How deep branches and parentheses may be nested."""

_BRANCHES = {"if", "range", "with"}
_LEAVES = {"break", "continue"}
_REFUSED_WORDS = {"block", "define", "template"}
_CONSTANTS = {"true": True, "false": False, "nil": None}


def parse(tokens: Iterable[Token], functions: Collection[str]) -> Body:
    """The tree of a template. Raises `TemplateProblem`."""
    parser = _Parser([*tokens], functions)
    body, end = parser.body(0)
    if end:
        message = f"line {parser.line}: {{{{{end}}}}} without a beginning"
        raise TemplateProblem(message)
    return body


class _Parser:
    """Goes through the tokens once."""

    def __init__(self, tokens: list[Token], functions: Collection[str]) -> None:
        self._tokens = tokens
        self._position = 0
        self._functions = functions
        self._known = ["$"]
        self._loops = 0
        self.line = 1

    def body(self, depth: int) -> tuple[Body, str]:
        """Nodes up to `end`, `else` or the end of the text; and which of them it was."""
        if depth > MAX_DEPTH:
            self._refuse(f"nested deeper than {MAX_DEPTH} levels")
        nodes: list[Node] = []
        while (token := self._next()) is not None:
            if token.sort is Sort.TEXT:
                nodes.append(Text(token.text))
                continue
            self._space()
            word = self._peek()
            name = word.text if word is not None and word.sort is Sort.WORD else ""
            if name in {"end", "else"}:
                self._next()
                return tuple(nodes), name
            nodes.append(self._action(name, depth))
        return tuple(nodes), ""

    def _action(self, name: str, depth: int) -> Node:
        if name in _REFUSED_WORDS:
            self._refuse(f"{name} is not known here; write the text out")
        if name in _LEAVES:
            self._next()
            if not self._loops:
                self._refuse(f"{name} outside of range")
            self._close()
            return Leave(name)
        if name in _BRANCHES:
            self._next()
            return self._branch(name, depth)
        pipeline = self._pipeline(depth)
        self._close()
        return Action(pipeline)

    def _branch(self, word: str, depth: int) -> Branch:
        before = len(self._known)
        pipeline = self._pipeline(depth, is_range=word == "range")
        self._close()
        self._loops += word == "range"
        body, end = self.body(depth + 1)
        self._loops -= word == "range"
        if end == "else" and self._goes_on(word):
            otherwise: Body = (self._branch(word, depth + 1),)
        else:
            otherwise, end = self._else(depth) if end == "else" else ((), end)
            if end != "end":
                self._refuse(f"{word} without end")
            self._close()
        del self._known[before:]
        return Branch(word, pipeline, body, otherwise)

    def _goes_on(self, word: str) -> bool:
        """Whether `else if` follows, which shares the `end` of the `if` that it belongs to."""
        self._space()
        token = self._peek()
        if token is None or token.sort is not Sort.WORD or token.text != word or word == "range":
            return False
        self._next()
        return True

    def _else(self, depth: int) -> tuple[Body, str]:
        self._close()
        return self.body(depth + 1)

    def _pipeline(self, depth: int, *, is_range: bool = False) -> Pipeline:
        if depth > MAX_DEPTH:
            self._refuse(f"nested deeper than {MAX_DEPTH} levels")
        self._space()
        names, declares = self._variables(is_range=is_range)
        commands = [self._command(depth, is_first=True)]
        while (token := self._peek()) is not None and token.text == "|":
            self._next()
            commands.append(self._command(depth, is_first=False))
        if declares:
            self._known += names
        return Pipeline(tuple(commands), tuple(names), declares, self.line)

    def _variables(self, *, is_range: bool) -> tuple[list[str], bool]:
        """`$a :=`, `$a =`, or in a range `$a, $b :=`; none where it is the value itself."""
        start, names = self._position, list[str]()
        while (token := self._peek()) is not None and token.sort is Sort.VARIABLE:
            self._next()
            names.append(token.text)
            self._space()
            sign = self._peek()
            if sign is not None and sign.text in (":=", "="):
                self._next()
                if sign.text == "=" and (unknown := {*names} - {*self._known}):
                    self._refuse(f"undefined variable {min(unknown)}")
                return names, sign.text == ":="
            if not (is_range and len(names) == 1 and sign is not None and sign.text == ","):
                break
            self._next()
            self._space()
        self._position = start
        return [], False

    def _command(self, depth: int, *, is_first: bool) -> Command:
        operands: list[Operand] = []
        self._space()
        while (token := self._peek()) is not None:
            if token.sort is Sort.CLOSE or token.text in ("|", ")"):
                break
            operands.append(self._operand(depth))
            self._space()
        if not operands:
            self._refuse("a value is missing")
        head = operands[0]
        if isinstance(head, Literal) and (len(operands) > 1 or not is_first):
            self._refuse("a constant is called as if it were a function")
        return Command(tuple(operands))

    def _operand(self, depth: int) -> Operand:
        token = self._next()
        assert token is not None  # noqa: S101  (the caller looked)
        match token.sort:
            case Sort.STRING | Sort.CHARACTER | Sort.NUMBER:
                return Literal(self._constant(token))
            case Sort.DOT | Sort.FIELD:
                first = (token.text[1:],) if token.sort is Sort.FIELD else ()
                return Dot((*first, *self._fields()) if first else ())
            case Sort.VARIABLE:
                if token.text not in self._known:
                    self._refuse(f"undefined variable {token.text}")
                return Variable(token.text, self._fields())
            case Sort.WORD:
                return self._word(token.text)
            case _ if token.text == "(":
                return self._nested(depth)
        return self._refuse(f"unexpected {token.text!r}")

    def _nested(self, depth: int) -> Nested:
        pipeline = self._pipeline(depth + 1)
        closing = self._next()
        if closing is None or closing.text != ")":
            self._refuse("a parenthesis does not close")
        return Nested(pipeline, self._fields())

    def _constant(self, token: Token) -> str | float:
        try:
            return constant(token)
        except ValueError as error:
            return self._refuse(str(error))

    def _word(self, word: str) -> Operand:
        if word in _CONSTANTS:
            return Literal(_CONSTANTS[word])
        if word in REFUSED:
            self._refuse(f"{word} is refused: {REFUSED[word]}")
        if word not in self._functions:
            hint = did_you_mean(word, self._functions)
            self._refuse(f'no function "{word}" is known here' + (f"; {hint}" if hint else ""))
        return Named(word)

    def _fields(self) -> tuple[str, ...]:
        fields = []
        while (token := self._peek()) is not None and token.sort is Sort.FIELD:
            fields.append(token.text[1:])
            self._next()
        return tuple(fields)

    def _peek(self) -> Token | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _next(self) -> Token | None:
        token = self._peek()
        if token is not None:
            self._position += 1
            self.line = token.line
        return token

    def _space(self) -> None:
        while (token := self._peek()) is not None and token.sort is Sort.SPACE:
            self._position += 1

    def _close(self) -> None:
        self._space()
        token = self._next()
        if token is None or token.sort is not Sort.CLOSE:
            self._refuse(f"unexpected {token.text!r}" if token else "an action does not end")

    def _refuse(self, message: str) -> NoReturn:
        message = f"line {self.line}: {message}"
        raise TemplateProblem(message)
