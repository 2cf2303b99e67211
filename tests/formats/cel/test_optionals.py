"""No expression ends the process: optional values reach no function of ours.

They are evaluated in a process of their own, of which it is seen that it ends with all of them.
"""

import subprocess
import sys
from random import Random

from spokerender.formats.cel.clusters import _FUNCTIONS as OF_CLUSTERS
from spokerender.formats.cel.environment import _FUNCTIONS as OF_RULES
from spokerender.formats.cel.functions import Function
from tests.support import cases, rows_of

EVALUATE: str = rows_of(__file__, "evaluate")
OPTIONALS = rows_of(__file__, "optionals")
"""Ways to an optional value, and to values that have one in them."""
PLAIN = {"string": "'a'", "int": "1", "list(string)": "['a']", "double": "1.0", "bool": "true"}
CHAINS = (
    *("{}", "{}.value()", "{}.a", "[{}]", "{}.orValue({})", "dyn({})", "{}.optMap(v, {})"),
    *("[{}].filter(v, true)", "{}[0]", "({} == {} ? {} : {})", "[?{}]"),
)
ASKING = (
    *("{}", "{} == 1", "has({}.a)", "cidr('::/0') != {}", "bool({})"),
    *("{} in [ip('::1')]", "string({})", "double({})"),
)


def calls(function: Function, optional: str) -> list[str]:
    """Call a function with the optional value in place of each of its arguments."""
    count = len(function.parameters)
    written = [PLAIN.get(kind, "dyn('a')") for kind in function.parameters]
    ways = []
    for place in range(count):
        values = [*written[:place], optional, *written[place + 1 :]]
        if function.is_member:
            ways.append(f"{values[0]}.{function.name}({', '.join(values[1:])})")
        else:
            ways.append(f"{function.name}({', '.join(values)})")
    return ways


def sources(root: str, functions: tuple[Function, ...]) -> list[str]:
    """Each function by itself, then random ones of which one is in the other."""
    random = Random(root)  # noqa: S311  (no secrets)
    rows = [row for row in functions if row.parameters]
    forms = [form.format(root=root) for form in OPTIONALS]
    simple = [call for row in rows for form in forms for call in calls(row, form)]
    nested = []
    for _ in range(4000):
        value = random.choice(forms)
        for _ in range(random.randint(1, 3)):
            value = random.choice(CHAINS).replace("{}", value)
        value = random.choice(calls(random.choice(rows), value))
        nested.append(random.choice(ASKING).replace("{}", value))
    return [f"{call} == {root}.list" if root == "self" else call for call in (*simple, *nested)]


@cases(("managedCluster", OF_CLUSTERS), ("self", OF_RULES))
def test_a_process_outlives_optional_values(root: str, functions: tuple[Function, ...]) -> None:
    asked = list(dict.fromkeys(sources(root, functions)))
    done = subprocess.run(
        [sys.executable, "-c", EVALUATE],
        input="\0".join(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.split("\n")[-2:]
    assert int(done.stdout) > 50, "some of them are evaluated"
