"""No template makes a run of hours, or a text of gigabytes, however it is written."""

from unittest.mock import patch

import pytest

from spokerender.formats.templating import environment
from spokerender.formats.templating.template import compile_template, render_file
from spokerender.formats.templating.values import TemplateProblem
from tests.support import each

MANY = "range(99999)"
DOUBLED = "{% set n = namespace(a='x') %}{% for i in range(99) %}{% set n.a = "
LISTS = (
    "{% set n = namespace(a=[]) %}{% for i in range(99) %}{% set n.a = [n.a, n.a] %}{% endfor %}"
)

ENDLESS = {
    "loops in loops": f"{{% for a in {MANY} %}}{{% for b in {MANY} %}}{{% endfor %}}{{% endfor %}}",
    "loops that skip all": f"{{% set r = {MANY} %}}{{% for a in r %}}"
    "{% for b in r if false %}{% endfor %}{% endfor %}",
    "a loop that calls itself": "{% for a in [1, 2] recursive %}{{ loop([1, 2]) }}{% endfor %}",
    "a macro that calls itself twice": "{% macro m(a) %}{% if a %}{{ m(a - 1) }}{{ m(a - 1) }}"
    "{% endif %}{% endmacro %}{{ m(60) }}",
    "a caller": f"{{% macro m() %}}{{% for a in {MANY} %}}{{{{ caller() }}}}{{% endfor %}}"
    "{% endmacro %}{% call m() %}{% call m() %}{% call m() %}x{% endcall %}{% endcall %}"
    "{% endcall %}",
    "a block": f"{{% block a %}}{{% endblock %}}{{% set r = {MANY} %}}{{% for a in r %}}"
    "{% for b in r %}{{ self.a() }}{% endfor %}{% endfor %}",
    "includes of includes": "{% include 'two0' %}",
    "a text times a number": "{{ 'a' * 9999999999 }}",
    "a number times a text": "{{ 9999999999 * 'a' }}",
    "a list times a number": "{{ ([0] * 9999999999) | length }}",
    "a power": "{{ 9 ** (9 ** 9) }}",
    "products of products": "{% set n = namespace(a=9) %}{% for i in range(99) %}"
    "{% set n.a = n.a * n.a %}{% endfor %}",
    "sums of texts": DOUBLED + "n.a + n.a %}{% endfor %}",
    "texts that are joined": DOUBLED + "n.a ~ n.a %}{% endfor %}",
    "texts that are formatted": DOUBLED + "'%s%s' % (n.a, n.a) %}{% endfor %}",
    "texts of blocks": "{% set n = namespace(a='x') %}{% for i in range(99) %}{% set n.a %}"
    "{{ n.a }}{{ n.a }}{% endset %}{% endfor %}",
    "lists of the same list": LISTS + "{{ n.a }}",
    "JSON of the same list": LISTS + "{{ n.a | tojson }}",
    "the same list as a text": LISTS + "{{ n.a | string | length }}",
    "JSON of JSON": "{{ 'a\"'" + " | tojson" * 60 + " }}",
    "JSON of lists of JSON": "{{ 'abc'" + " | list | tojson" * 15 + " }}",
    "a constant that Jinja2 would fold": "{% set a = 'abc'" + " | list | tojson" * 15 + " %}",
    "a width": "{{ '%0999999999d' | format(1) }}",
    "a width by an operator": "{{ '%0999999999d' % 1 }}",
    "a width that is given": "{{ '%*d' | format(999999999, 1) }}",
    "a method that formats": "{{ '{:>999999999}'.format(1) }}",
    "a method that pads": "{{ 'a'.ljust(999999999) }}",
    "tabs": "{{ '\\t'.expandtabs(999999999) }}",
    "a centre": "{{ 'a' | center(999999999) }}",
    "an indentation": "{{ ('a\\n' * 9999) | indent(99999) }}",
    "a replacement": "{{ ('a' * 9999) | replace('a', 'b' * 9999) }}",
    "a separator": f"{{{{ {MANY} | join('b' * 9999) }}}}",
    "a wrapped text": "{{ ('a ' * 9999) | wordwrap(1, true, 'b' * 9999) }}",
    "batches": "{{ [1] | batch(999999999, 1) | list | length }}",
    "slices": "{{ [1] | slice(999999999) | list | length }}",
    "output without end": f"{{% for a in {MANY} %}}{'x' * 999}{{% endfor %}}",
    "a number of thousands of digits": "{{ 1" + "0" * 5000 + " }}",
    "thirty loops": "{% for a in [1] %}" * 30 + "{% endfor %}" * 30,
    "a chain of names": "{{ a" + ".a" * 2000 + " }}",
}

TEXTS = {f"two{i}": f"{{% include 'two{i + 1}' %}}" * 2 for i in range(60)} | {"two60": "x"}


@each(*ENDLESS)
def test_a_file_is_bounded(name: str) -> None:
    """A tenth of the limit shows it at a tenth of the cost."""
    limit = patch.object(environment, "WORK_OF_FILE", environment.WORK_OF_FILE // 10)
    with limit, pytest.raises(TemplateProblem):
        render_file({**TEXTS, "own": ENDLESS[name]}, "own", {})


def test_the_bound_is_told_with_its_place() -> None:
    text = "{% for a in [1] %}\n{{ range(999999) | length }}\n{% endfor %}"
    with pytest.raises(TemplateProblem) as told:
        render_file({"own": text}, "own", {})
    assert str(told.value) == "own:2: range() takes more than the limit of 30,000,000 steps"


def test_thousands_of_spokes_are_within_the_bound() -> None:
    spokes = [{"name": f"spoke-{i}", "labels": {"a": "b"}} for i in range(5000)]
    text = (
        "{% for s in spokes %}{{ s.name | tojson }}"
        "{% for k in s.labels %}{{ k ~ '=' }}{% endfor %}{% endfor %}"
    )
    assert len(render_file({"own": text}, "own", {"spokes": spokes})) > 5000


@each(
    "{{ " + "big ~ " * 9000 + "big }}",
    "{{ " + "big + " * 30 + "big }}",
    "{{ big }}" * 9000,
    "{{ big | upper }}" * 9000,
    "{{ [" + "big, " * 9000 + "] | tojson }}",
    "{{ [" + "big, " * 9000 + "] }}",
    "{{ " + " * ".join(["9223372036854775807"] * 35) + " }}",
    "{{ [1] + " + "many + " * 30 + "many }}",
    "{{ 'abc'" + " | list | tojson" * 15 + " }}",
    "{{ [" + "big | list, " * 200 + "] | length }}",
    "{{ [" + "many | sort, " * 200 + "] | length }}",
    ids=range(11),
)
def test_a_value_is_bounded(text: str) -> None:
    context = {"big": "x" * 60_000, "many": list(range(60_000))}
    with pytest.raises(TemplateProblem):
        compile_template(text).evaluate(context)
