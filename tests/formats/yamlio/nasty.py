"""YAML as nobody would want it: for laws about files that people own."""

from hypothesis import strategies as st

SCALARS = (
    "12345678901234567890", "0100", "1.10", "2024-01-01", "1e3", "0x1F", "~", "on", "'it''s'",
    '"a\\tb"', "plain text", "'# no comment'", '"a: b"', "http://x/#y", "''", "1_000", "12:30",
)  # fmt: skip
BLOCKS = (
    ("|", "one", "", "  two"),
    ("|-", "# no comment", "- no item"),
    (">-", "folded", "text"),
    ("|+", "kept", "", ""),
    ("|2", "  indented"),
)
COMMENTS = ("# why", "#", "# - name: old", "# it's {odd]")

Lines = list[str]
keys = st.sampled_from(("a", "b-c", "'d e'", '"f"', "x/y.z", "name"))
comments = st.sampled_from(("", "", "", *COMMENTS))


@st.composite
def flows(draw: st.DrawFn, depth: int = 2) -> Lines:
    """Draw a value in flow style, perhaps on several lines."""
    if not depth or draw(st.booleans()):
        return [draw(st.sampled_from(SCALARS))]
    is_mapping = draw(st.booleans())
    names = draw(st.lists(keys, min_size=1, max_size=3, unique=True))
    parts = [draw(flows(depth - 1)) for _ in names]
    opening, closing = "{}" if is_mapping else "[]"
    members = [
        [f"{name}: {part[0]}" if is_mapping else part[0], *part[1:]]
        for name, part in zip(names, parts, strict=True)
    ]
    trailing = draw(st.sampled_from(("", ",")))
    if any(len(member) > 1 for member in members) or draw(st.booleans()):
        lines = [opening]
        for at, member in enumerate(members):
            comma = "," if at < len(members) - 1 else trailing
            note = draw(comments)
            end = f"{comma}  {note}" if note else comma
            lines += [f"  {line}" for line in member[:-1]] + [f"  {member[-1]}{end}"]
        return [*lines, f"  {closing}"]
    space = draw(st.sampled_from(("", " ")))
    inner = f",{draw(st.sampled_from(('', ' ', '   ')))}".join(member[0] for member in members)
    return [f"{opening}{space}{inner}{trailing}{space}{closing}"]


@st.composite
def leaves(draw: st.DrawFn) -> Lines:
    """Draw what follows a colon or a dash, and the lines after that, from column 0."""
    if draw(st.integers(0, 3)) == 0:
        header, *body = draw(st.sampled_from(BLOCKS))
        return [header, *(f"  {line}" if line else "" for line in body)]
    first, *rest = draw(flows())
    note = draw(comments)
    lines = [first, *rest]
    return [*lines[:-1], f"{lines[-1]}  {note}"] if note else lines


@st.composite
def blocks(draw: st.DrawFn, depth: int = 2, *, is_mapping: bool = True) -> Lines:
    """Draw a collection in block style."""
    lines: Lines = []
    for name in draw(st.lists(keys, min_size=1, max_size=3, unique=True)):
        note = draw(comments)
        lines += ["", note] if note and draw(st.booleans()) else [note] if note else []
        lead = f"{name}:" if is_mapping else "-"
        if not depth or draw(st.booleans()):
            first, *rest = draw(leaves())
            lines += [f"{lead} {first}", *indented(rest, "  ")]
            continue
        below = draw(st.booleans())
        value = draw(blocks(depth - 1, is_mapping=below))
        if not is_mapping and value[0] and not value[0].startswith("#") and draw(st.booleans()):
            lines += [f"-   {value[0]}", *indented(value[1:], "    ")]
            continue
        indent = draw(st.sampled_from((1, 2, 4) if below or not is_mapping else (0, 2, 3)))
        lines += [
            f"{lead}{draw(st.sampled_from(('', ' ', '  # here')))}",
            *indented(value, " " * indent),
        ]
    return lines


def indented(lines: Lines, indent: str) -> Lines:
    """Indent lines that are not empty."""
    return [f"{indent}{line}" if line else "" for line in lines]
