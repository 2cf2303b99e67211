"""The syntax tree of a template. Source: the documentation of Go's text/template."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NoReturn, TypeAlias

from msgspec import Struct

from spokerender.findings.phrasing import did_you_mean
from spokerender.wings.publishing.gotemplates.lexer import Token, TokenType, read_constant
from spokerender.wings.publishing.gotemplates.values import GoTemplateError, reject_template

MAX_DEPTH = 50
"""How deep branches and parentheses may be nested."""
_ENDS = {TokenType.CLOSE, TokenType.CLOSING}

_CLOCK = "a build must not depend on when it runs"
_RANDOM = "a build must give the same bytes each time"
_ENVIRONMENT = "a build must not depend on where it runs"

REFUSED_FUNCTIONS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("ago", "date", "dateInZone", "dateModify", "date_in_zone", "date_modify", "duration"),
            *("durationRound", "htmlDate", "htmlDateInZone", "mustDateModify", "mustToDate"),
            *("must_date_modify", "now", "toDate", "unixEpoch"),
        ),
        _CLOCK,
    ),
    **dict.fromkeys(
        (
            *("bcrypt", "buildCustomCert", "derivePassword", "encryptAES", "decryptAES"),
            *("genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert"),
            *("genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey", "htpasswd"),
            *("randAlpha", "randAlphaNum", "randAscii", "randBytes", "randInt", "randNumeric"),
            *("shuffle", "uuidv4"),
        ),
        _RANDOM,
    ),
    **dict.fromkeys(("env", "expandenv", "getHostByName"), _ENVIRONMENT),
}
"""Functions of sprig v3 that are refused, with the reason."""


class Constant(Struct, frozen=True):
    """A constant; `nil` is None."""

    value: Any


class VariableField(Struct, frozen=True):
    """`$name` or `.`, and the fields below it; `$` alone is the data of the whole template."""

    name: str
    fields: tuple[str, ...] = ()


class Parenthesized(Struct, frozen=True):
    """A pipeline in parentheses, and the fields below its value."""

    pipeline: "Pipeline"
    fields: tuple[str, ...] = ()


Operand: TypeAlias = Constant | VariableField | Parenthesized | str
"""A text is the name of a function."""
Command: TypeAlias = tuple[Operand, ...]
"""An operand alone, or a function with its arguments."""


class Pipeline(Struct, frozen=True):
    """Commands, where each gets the result of the one before, and the variables that they set."""

    commands: tuple[Command, ...]
    variables: tuple[str, ...] = ()
    declares: bool = False
    line: int = 0


class BranchNode(Struct, frozen=True):
    """`if`, `with` or `range`."""

    keyword: str
    pipeline: Pipeline
    body: "Body"
    otherwise: "Body"


class LoopExit(Struct, frozen=True):
    """`break` or `continue`."""

    keyword: str


TemplateNode: TypeAlias = str | Pipeline | BranchNode | LoopExit
"""A text outside of actions, or an action: the value of a pipeline that sets none is printed."""
Body: TypeAlias = tuple[TemplateNode, ...]


def parse_template(
    tokens: Iterable[Token], functions: Collection[str], refused: Mapping[str, str]
) -> Body:
    """Parse a template. Raises `GoTemplateError`.

    `functions` are the names that it may call; `refused` has the reasons why it may not call some.
    """
    parser = _TemplateParser([*tokens], functions, {**REFUSED_FUNCTIONS, **refused})
    body, end = parser.parse_body(0)
    if end:
        reject_template(f"line {parser.line}: {{{{{end}}}}} without a beginning")
    return body


class _TemplateParser:
    """A recursive descent parser, which reads the tokens once."""

    def __init__(
        self, tokens: list[Token], functions: Collection[str], refused: Mapping[str, str]
    ) -> None:
        self._tokens = tokens
        self._position = 0
        self._functions = functions
        self._refused = refused
        self._variables = ["$"]
        self._loops = 0
        self.line = 1

    def parse_body(self, depth: int) -> tuple[Body, str]:
        """Parse nodes up to `end`, `else` or the end of the text; return which of them it was."""
        if depth > MAX_DEPTH:
            self._reject(f"nested deeper than {MAX_DEPTH} levels")
        nodes: list[TemplateNode] = []
        while self._position < len(self._tokens):
            word = self._peek()
            if word.type is TokenType.TEXT:
                nodes.append(self._next().text)
                continue
            keyword = word.text if word.type is TokenType.WORD else ""
            if keyword in {"end", "else"}:
                self._next()
                return tuple(nodes), keyword
            nodes.append(self._parse_action(keyword, depth))
        return tuple(nodes), ""

    def _parse_action(self, keyword: str, depth: int) -> TemplateNode:
        if keyword in {"block", "define", "template"}:
            self._reject(f"{keyword} is not supported; write the text out")
        if keyword in {"break", "continue"}:
            self._next()
            if not self._loops:
                self._reject(f"{keyword} outside of range")
            self._close_action()
            return LoopExit(keyword)
        if keyword in {"if", "range", "with"}:
            self._next()
            return self._parse_branch(keyword, depth)
        pipeline = self._parse_pipeline(depth)
        self._close_action()
        return pipeline

    def _parse_branch(self, keyword: str, depth: int) -> BranchNode:
        outer_variables = len(self._variables)
        pipeline = self._parse_pipeline(depth, is_range=keyword == "range")
        self._close_action()
        self._loops += keyword == "range"
        body, end = self.parse_body(depth + 1)
        self._loops -= keyword == "range"
        otherwise: Body = ()
        if end == "else" and self._continues_branch(keyword):
            otherwise = (self._parse_branch(keyword, depth + 1),)
        else:
            if end == "else":
                self._close_action()
                otherwise, end = self.parse_body(depth + 1)
            if end != "end":
                self._reject(f"{keyword} without end")
            self._close_action()
        del self._variables[outer_variables:]
        return BranchNode(keyword, pipeline, body, otherwise)

    def _continues_branch(self, keyword: str) -> bool:
        """Check for `else if` or `else with`, which share the `end` of their first branch."""
        token = self._peek()
        if keyword == "range" or (token.type, token.text) != (TokenType.WORD, keyword):
            return False
        self._next()
        return True

    def _parse_pipeline(self, depth: int, *, is_range: bool = False) -> Pipeline:
        if depth > MAX_DEPTH:
            self._reject(f"nested deeper than {MAX_DEPTH} levels")
        names, declares = self._parse_variables(is_range=is_range)
        commands = [self._parse_command(depth, is_first=True)]
        while self._peek().text == "|":
            self._next()
            commands.append(self._parse_command(depth, is_first=False))
        if declares:
            self._variables += names
        return Pipeline(tuple(commands), tuple(names), declares, self.line)

    def _parse_variables(self, *, is_range: bool) -> tuple[list[str], bool]:
        """Parse `$a :=`, `$a =`, or in a range `$a, $b :=`; no names where `$a` is an operand."""
        start, names = self._position, list[str]()
        while self._peek().type is TokenType.VARIABLE and "." not in self._peek().text:
            names.append(self._next().text)
            sign = self._peek()
            if sign.text in (":=", "="):
                self._next()
                if sign.text == "=" and (undefined := {*names} - {*self._variables}):
                    self._reject(f"undefined variable {min(undefined)}")
                return names, sign.text == ":="
            if not (is_range and len(names) == 1 and sign.text == ","):
                break
            self._next()
        self._position = start
        return [], False

    def _parse_command(self, depth: int, *, is_first: bool) -> Command:
        operands: list[Operand] = []
        while not (self._peek().type in _ENDS or self._peek().text == "|"):
            operands.append(self._parse_operand(depth))
        if not operands:
            self._reject("a value is missing")
        if isinstance(operands[0], Constant) and (len(operands) > 1 or not is_first):
            self._reject("a constant is called as if it were a function")
        return tuple(operands)

    def _parse_operand(self, depth: int) -> Operand:
        token = self._next()
        name, *rest = token.text.split(".")
        fields = tuple(filter(None, rest))
        match token.type:
            case TokenType.STRING | TokenType.CHARACTER | TokenType.NUMBER:
                try:
                    return Constant(read_constant(token))
                except GoTemplateError as error:
                    self._reject(str(error))
            case TokenType.FIELD:
                return VariableField(".", fields)
            case TokenType.VARIABLE:
                if name not in self._variables:
                    self._reject(f"undefined variable {name}")
                return VariableField(name, fields)
            case TokenType.WORD:
                return self._parse_word(token.text)
            case _ if token.text == "(":
                pipeline = self._parse_pipeline(depth + 1)
                closing = self._next()
                if closing.type is not TokenType.CLOSING:
                    self._reject("a parenthesis does not close")
                return Parenthesized(pipeline, tuple(closing.text.split(".")[1:]))
        return self._reject(f"unexpected {token.text!r}")

    def _parse_word(self, word: str) -> Operand:
        constants = {"true": True, "false": False, "nil": None}
        if word in constants:
            return Constant(constants[word])
        if word in self._refused:
            self._reject(f"function {word} is refused: {self._refused[word]}")
        if word not in self._functions:
            hint = did_you_mean(word, self._functions)
            self._reject(f'function "{word}" is not supported' + (f"; {hint}" if hint else ""))
        return word

    def _peek(self) -> Token:
        """Return the next token; within an action there is one, as the lexer closes each."""
        return self._tokens[self._position]

    def _next(self) -> Token:
        token = self._peek()
        self._position += 1
        self.line = token.line
        return token

    def _close_action(self) -> None:
        token = self._next()
        if token.type is not TokenType.CLOSE:
            self._reject(f"unexpected {token.text!r}")

    def _reject(self, message: str) -> NoReturn:
        reject_template(f"line {self.line}: {message}")
