"""CEL over JSON data: compiling, evaluating, and how expressions name properties.

`compile_rule` is for the rules of CRDs, in the environment that Kubernetes gives them. `computed`
is for expressions that make a value, in base CEL: as in cel-go over decoded JSON, every number is a
double (`value + 42` has no overload, `value + 42.0` has), and whole numbers of the result are
integers.
"""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache, lru_cache
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_math, ext_optional
from msgspec import Struct

from spokerender.formats.cel.addresses import ADDRESS_FUNCTIONS
from spokerender.formats.cel.amounts import QUANTITY_FUNCTIONS, SPELLING
from spokerender.formats.cel.costs import (
    BUDGET,
    DOUBTS,
    MAX_LISTED,
    MAX_MADE,
    MAX_READ,
    MAX_SOURCE,
    bare,
    estimate_list_bytes,
    growth,
    iterations,
    list_growth,
    scopes,
)
from spokerender.formats.cel.functions import (
    LIST_FUNCTIONS,
    NOT_HERE,
    STRING_FUNCTIONS,
    TOO_COSTLY,
    CelValue,
    as_texts,
    declare_functions,
)
from spokerender.formats.cel.named import FORMAT_FUNCTIONS
from spokerender.formats.cel.syntax import SYNTAX, say_plainly
from spokerender.model.shapes import map_children

_FUNCTIONS = (
    *(*STRING_FUNCTIONS, *QUANTITY_FUNCTIONS, *ADDRESS_FUNCTIONS),
    *(*LIST_FUNCTIONS, *FORMAT_FUNCTIONS),
)
_CALLS_OURS = r"\b(?:" + "|".join(sorted({row.name for row in _FUNCTIONS})) + r")\s*\("
_LISTS = r"\.\s*(?:split|findAll|getQuery|parseJSON)\s*\("
"""Calls that make lists as long as their texts."""
_MAKES_TEXTS = re.compile(r"\b(?:join|replace|format|quote|string)\s*\(")
"""Calls that may make texts longer than their arguments."""
_NOT_A_NO = (
    TOO_COSTLY,
    NOT_HERE,
    "Non-CEL value",
    "out of range for 'self",
)
"""Parts of error messages about this environment and not about the value."""
_TOO_LONG = "Iteration budget"
_NO_OVERLOAD = "No matching overload"


_READ = (cel.Type.BOOL, cel.Type.STRING)
"""The types of results that are read; for some other types the library makes no Python values."""
_OPTIONAL = re.compile(r"\boptional\b|\b(?:first|last)\s*\(|\.\?|\[\s*\?|\.\s*opt[A-Z]")


class UnevaluableError(Exception):
    """An expression can't be evaluated here, but an API server might; the message says why."""


class NotCompiledError(UnevaluableError):
    """An expression does not compile, for a reason that an API server may not have."""


class NoOverloadError(UnevaluableError):
    """A function has no overload for these types, which may differ from those of the API server.

    For example, a time of the API server is a text here.
    """


class Failure(Struct, frozen=True):
    """A failed evaluation of a valid expression; the API server treats it as false."""

    message: str


class Binding(Struct, frozen=True, eq=False):
    """A value that is bound to `self`, converted once for all rules about the value.

    `text` is the `repr` of the value; its length is used as the size of the value. `longest` is at
    least the length of the longest text in the value, or None.
    """

    text: str
    activation: cel.Activation
    longest: int | None = None


class Program(Struct, frozen=True, eq=False):
    """An expression that is checked and ready to be evaluated."""

    source: str
    expression: cel.Expression
    growth: int
    loops: int
    is_calling: bool
    is_listing: bool

    def evaluate(self, binding: Binding) -> bool | str | Failure | None:
        """Return a boolean or string result, a `Failure`, or None for any other result.

        Raises `UnevaluableError` if the evaluation costs too much, or is not possible here.
        """
        # Most rules neither loop nor make texts, and need no estimate.
        if self.growth > 1 or self.loops:
            self.check(binding.text, binding.longest)
        BUDGET.refill()
        # State of the library's callbacks, which is left over from the evaluation before.
        SPELLING.places.clear()
        DOUBTS.clear()
        try:
            value = self.expression.eval(binding.activation)
        except RuntimeError as error:
            raise UnevaluableError(first_line(str(error))) from error
        kind = value.type()
        if kind == cel.Type.ERROR:
            try:
                text = str(value.plain_value())
            except TypeError:
                raise UnevaluableError(f"it comes to an optional value: {NOT_HERE}") from None
            if _TOO_LONG in text:
                raise UnevaluableError(f"{TOO_COSTLY}: its loops take more than 10,000 steps")
            # An exhausted budget shows as an error of a function, which is none of the value.
            if any(words in text for words in _NOT_A_NO) or BUDGET.spent > BUDGET.limit:
                raise UnevaluableError(first_line(text))
            if DOUBTS:
                raise UnevaluableError(DOUBTS[0])
            if _NO_OVERLOAD in text:
                raise NoOverloadError(first_line(text))
            return Failure(first_line(text))
        plain = value.plain_value() if kind in _READ else None
        return plain if isinstance(plain, bool | str) else None

    def check(self, text: str, longest: int | None = None) -> None:
        """Raise `UnevaluableError` if a value of the size of `text` could take too much."""
        size = len(self.source) + len(text)
        items = text.count(",") + self.source.count(",") + 1
        if self.is_listing:  # a list as long as a text: one of the value, or one that is made
            is_made = longest is None or self.growth > 1 or _MAKES_TEXTS.search(self.source)
            items = size if is_made else max(items, longest or 0, len(self.source))
        # What our functions are given is copied, and kept until the evaluation ends.
        most_read = MAX_MADE if self.is_calling else MAX_READ
        if self.growth * size > MAX_MADE:
            message = "it could make more data than is allowed here"
        elif estimate_list_bytes(self.source, self.loops, items) > MAX_LISTED:
            message = "it could make more lists than are allowed here"
        elif iterations(self.loops, items) * size > most_read:
            message = "it could read more data than is allowed here"
        else:
            return
        raise UnevaluableError(message)


def bind(value: CelValue, text: str = "") -> Binding:
    """Return a binding of a value to `self`; `text` is the value's `repr`, if the caller has it."""
    return Binding(text or repr(value), _environment().Activation({"self": value}))


def bind_change(old: CelValue, new: CelValue) -> Binding:
    """Return a binding of two values to `oldSelf` and `self`."""
    return Binding(repr((old, new)), _environment().Activation({"self": new, "oldSelf": old}))


@lru_cache(maxsize=4096)
def compile_rule(source: str) -> Program:
    """Return a compiled expression of `self` and `oldSelf`. Raises `UnevaluableError`."""
    return compile_in(_environment, source)


def compile_in(environment: Callable[[], cel.Env], source: str) -> Program:
    """Return an expression compiled in an environment. Raises `UnevaluableError`."""
    if len(source) > MAX_SOURCE:
        raise UnevaluableError(f"it is longer than {MAX_SOURCE:,} characters")
    compiling = environment()
    try:
        expression = compiling.compile(source)
    except RuntimeError as error:
        raise NotCompiledError(first_line(str(error))) from error
    # Without texts, in which words of CEL mean nothing.
    code = bare(source)
    # Only sources with the words of optionals are searched, as that takes a parse of the result.
    if _OPTIONAL.search(code):
        refuse_kept_optionals(expression.serialize())
    is_calling, is_listing = (bool(re.search(each, code)) for each in (_CALLS_OURS, _LISTS))
    grows = growth(source, copies_lists=is_calling)
    grows *= list_growth(source) if grows > 1 else 1
    return Program(source, expression, grows, scopes(source), is_calling, is_listing)


def refuse_kept_optionals(serialized: bytes) -> None:
    """Raise `UnevaluableError` if an optional may be in another value, or given to a function."""
    from spokerender.formats.cel.checked import keeps_optionals  # noqa: PLC0415  (few have any)

    if keeps_optionals(serialized):
        raise UnevaluableError(f"an optional value in another, or given to a function: {NOT_HERE}")


def matches_pattern(pattern: str, text: str) -> bool:
    """Return whether an RE2 pattern matches in a text. Raises `UnevaluableError` if invalid."""
    return bool(evaluate_over(_matcher(), {"text": text, "pattern": pattern}))


def matches_all(pattern: str) -> bool:
    """Return whether an RE2 pattern matches four unlike examples, and so probably every text."""
    try:
        return all(matches_pattern(pattern, text) for text in ("", "0", "/a-Z_b.", "~\u00e9 "))
    except UnevaluableError:
        return False


def evaluate_over(
    expression: cel.Expression,
    data: Mapping[str, CelValue],
    shorten: Callable[[str], str] | None = None,
) -> CelValue:
    """Return an expression's value over data. Raises `UnevaluableError`, shortened by `shorten`."""
    try:
        value = expression.eval(data=data)
    except RuntimeError as error:
        raise UnevaluableError(first_line(str(error))) from error
    if value.type() == cel.Type.ERROR:
        raise UnevaluableError((shorten or first_line)(str(value.plain_value())))
    return value.plain_value()


@cache
def _matcher() -> cel.Expression:
    variables = {"text": cel.Type.STRING, "pattern": cel.Type.STRING}
    return cel.NewEnv(variables=variables).compile("text.matches(pattern)")


@cache
def _environment() -> cel.Env:
    """Return Kubernetes' environment for CRDs: base library 1.36, without what is unsafe here."""
    return cel.NewEnv(
        variables={"self": cel.Type.DYN, "oldSelf": cel.Type.DYN},
        extensions=[ext_optional.ExtOptional(), ext_math.ExtMath(), ext_bindings.ExtBindings()],
        functions=declare_functions(as_texts(_FUNCTIONS)),
    )


def first_line(text: str) -> str:
    """Return the first line of an error of the library, without codes and positions."""
    line = text.partition("\n")[0]
    for prefix in ("INVALID_ARGUMENT: ", "OUT_OF_RANGE: ", "UNKNOWN: ", "NOT_FOUND: ", "ERROR: "):
        line = line.removeprefix(prefix)
    place, colon, rest = line.partition(": ")
    if not colon or not place.startswith("<input>"):
        return line[:300]
    if rest.startswith(SYNTAX):
        _, number, column = place.split(":")
        rest = f"{say_plainly(rest)} (line {number}, column {column})"
    return rest[:300]


_RESERVED = frozenset(
    "true false null in as break const continue else for function if import let loop package"  # noqa: SIM905  (words)
    " namespace return var void while".split()
)
_SPEAKABLE = re.compile(r"[a-zA-Z_./-][a-zA-Z0-9_./-]*")
_SPECIAL = re.compile(r"__|[./-]")
_ESCAPES = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


@lru_cache(maxsize=4096)
def escaped(name: str) -> str | None:
    """Return the name that rules use for a property; None if no rule can name it."""
    if name in _RESERVED:
        return f"__{name}__"
    if not _SPEAKABLE.fullmatch(name):
        return None
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], name)


_EXACT = 1 << 53
"""A larger integer remains an integer, as a double would not be exact."""


def computed(source: str, values: Mapping[str, Any], exact: Collection[str] = ()) -> Any:  # noqa: ANN401  (JSON of any shape)
    """Return the value of an expression over JSON values, as JSON data.

    In the values named in `exact`, integers remain integers; in other values they become doubles.
    Raises `UnevaluableError` if the expression is invalid, fails, costs too much, or gives no JSON.
    """
    program = compile_base(source, tuple(sorted(values)))
    decoded = {n: v if n in exact else _decoded(v) for n, v in values.items()}
    program.check(repr(decoded))
    return _encoded(evaluate_over(program.expression, decoded))


@lru_cache(maxsize=1024)
def compile_base(source: str, names: tuple[str, ...]) -> Program:
    """Return a base CEL expression with these variables, compiled. Raises `UnevaluableError`."""
    return compile_in(lambda: _base_environment(names), source)


def check_expression(source: str, names: tuple[str, ...]) -> None:
    """Raise `UnevaluableError` with the reason if an expression with these variables is invalid."""
    # Sorted, so that equal sets of names share a compiled program.
    compile_base(source, tuple(sorted(names)))


@cache
def _base_environment(names: tuple[str, ...]) -> cel.Env:
    return cel.NewEnv(variables=dict.fromkeys(names, cel.Type.DYN))


_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w|\s*\()")
_MACRO_ITEM = re.compile(r"\(\s*(\w+)\s*,")
_LITERALS = frozenset({"true", "false", "null", "in"})


FIELD = r"(?<![\w.'\"])[A-Za-z_]\w*(?:\.\w+|\[(?:'[^']*'|\"[^\"]*\"|\d+)\])*"
"""A field of a value, as an expression spells it."""
_SAME = rf"(?P<own>{FIELD})\s*(?:{{}})\s*(?P=own)(?![\w.(\[])"
_SIZE = rf"(?:\bsize\(\s*{FIELD}\s*\)|{FIELD}\.size\(\s*\))"
_PART = rf"{FIELD}\.(?:(?:starts|ends)With|contains)\(\s*(?:''|\"\")\s*\)"
_MATCH = re.compile(
    rf"{FIELD}\.matches\(\s*r?(?P<quote>['\"])(?P<pattern>[^'\"\\]*)(?P=quote)\s*\)"
)
_EVERY_ADDRESS = r"\bcidr\(\s*['\"](?:0\.0\.0\.0|::)/0['\"]\s*\)\.containsIP\([^()]*\)"
_TRIVIAL = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (_SAME.format("==|<=|>="), "true"),
        (_SAME.format("!=|<|>"), "false"),
        (rf"(?P<own>{FIELD})\s*\bin\s*\[\s*(?P=own)\s*\]", "true"),
        (rf"{_SIZE}\s*(?:>=\s*0|>\s*-1)\b", "true"),
        (rf"{_SIZE}\s*<\s*0\b", "false"),
        (_PART, "true"),
        (_EVERY_ADDRESS, "true"),
    )
)
"""Comparisons that have the same result for every value, each with its result."""


def constant_of(source: str) -> bool | None:
    """Return the value of an expression if it is the same for every request; else None.

    `a.b == 1 || true` is always true, as CEL's `||` and `&&` ignore an operand that fails. So are
    `a == a`, and the prefix, suffix or part "" of any text.
    """
    for pattern, text in _TRIVIAL if len(source) <= MAX_SOURCE else ():
        source = pattern.sub(text, source)
    source = _MATCH.sub(lambda it: "true" if matches_all(it["pattern"]) else it[0], source)
    text = bare(source)
    names = {*_NAME.findall(text)} - {*_MACRO_ITEM.findall(text)}
    # Names without a constant beside them decide themselves.
    if not names <= _LITERALS and names.isdisjoint({"true", "false"}):
        return None
    return evaluate_truth(source, {}, names - _LITERALS)


def evaluate_truth(
    source: str, data: Mapping[str, CelValue], others: Collection[str] = ()
) -> bool | None:
    """Return an expression's boolean value, with no values for `others`; None if it has none."""
    try:
        program = compile_base(source, tuple(sorted({*data, *others})))
        program.check("")
        value = evaluate_over(program.expression, data)
    except UnevaluableError:
        return None
    return value if isinstance(value, bool) else None


def _decoded(value: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    # Larger integers would change as doubles.
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _EXACT:
        return float(value)
    return map_children(value, _decoded)


def _encoded(value: Any) -> Any:  # noqa: ANN401  (whatever CEL makes)
    # CEL's maps may have keys of any type.
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _encoded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_encoded(item) for item in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= _EXACT else value
    if value is None or isinstance(value, str | bool | int):
        return value
    raise UnevaluableError("it comes to something that JSON has no word for")
