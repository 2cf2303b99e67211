"""What an attacker, or a tired person, writes where something else is expected."""

from random import Random
from typing import Any

RAW = "@@raw{}@@"
"""Stands in data for a text of YAML that no data says, until the file is written."""

ODD_TEXTS = (
    "", " ", "\t", "\n", "a\nb", "a\n", " a", "a ", "-", "--", "---", "...", "- a", "a: b", "a #b", "#",
    "null", "~", "yes", "No", "on", "true", "0x1F", "0o7", "1_000", "1:20", "1e3", "+1", ".5", "2024-01-01",
    ".inf", "-.INF", ".nan", "<<", "=", "*", "*a", "&a", "!!str", "!a", "|", ">", "%", "@", "`", "'", '"',
    "\\", "{", "}", "[", "]", ",", "?", ":", "é", "ß", "ﬁ", "İ", "𝟙", "一", "🙂", "e\u0301", "\x7f", "\x85", "\xa0",
    "\u2028", "\u2029", "a\nb\u2028", "\u200b", "\u202e", "\u2066", "\ufeff", "\ufffe", "\uffff", "\ue000", "\uf8ff",
    "\U0010fffe", "\U0010ffff", "\U000e0001", "\x00", "\x07", "\x1b[31m", "\x1b]0;x\x07", "\r", "\r\n", "a\rb",
    "\ud800", "\udc00", "\ud800\ud802\ud801", "\ud83d\ude42",
    "a" * 64, "a" * 254, "a" * 300, "a." * 130, "9" * 30, "9" * 5000, "a" * 20_000, "é" * 200, " " * 5000,
    "# rendered by spokerender", "# Rendered by spokerender; do not edit.", "---\nkind: Secret\n",
    "x\n---\napiVersion: v1\nkind: Secret\n", "::error::x", "::set-output name=a::b", "%0A::error::",
    "$(touch x)", "`touch x`", "; touch x", "%s%n", "--help", "-o", "@x", "~root",
)  # fmt: skip

NAMES = (
    "..", ".", "/", "//", "../..", "../../outside", "a/b", "a/b/c", "a/../b", "./a", "/etc/passwd", "/proc/self/environ",
    "/dev/null", "/dev/zero", "/dev/stdin", "\\", "C:\\a", "_cluster", "_fleet", "_a", ".git", ".hidden",
    "kustomization", "kustomization.yaml", "clusters", "clusters/", "hub", "hub/", "published", "fleet.yaml",
    "con", "nul", "A", "Ä", "a..b", "a.", ".a", "a-", "-a", "*.example.com", "*", "*.", "*.*", "example.com.",
    "infra/web", "shop/cart", "Gateway/infra/web", "authpolicy/shop/cart", "web|x", "a@b", "root:shop:team-a",
    "x" * 63, "x" * 253, "east", "web", "infra", "shop", "default", "kube-system", "Secret", "secret", "Secret ", "core/v1",
    "v1", "v2", "apps/v1", "a/v1/b", "/v1", "v1/", "gateway.networking.k8s.io/v1", "kuadrant.io/v1",
    "config.kubernetes.io/local-config", "internal.config.kubernetes.io/path", "kustomize.toolkit.fluxcd.io/prune",
    "argocd.argoproj.io/sync-options", "kuadrant.io/managed", "gateway.networking.k8s.io/gateway-name",
)  # fmt: skip

EXPRESSIONS = (
    "{{", "}}", "{%", "{#", "{{}}", "{{ }}", "{{ x }}", "{{ spoke }}", "{{ spoke.name }}", "{{ spoke.nmae }}",
    "{{ spoke.values }}", "{{ spoke.values.domain }}", "a{{ spoke.values.weight }}b", "{{ spoke.values.weight }}",
    "{{ spoke.labels }}", "{{ gateway.labels.team }}", "{{ policy.name }}", "{{ spoke.values.zones }}",
    "{{ spoke.values.zones[0] }}", "{{ spoke.values.zones[9] }}", "{{ spoke.values.more.deep.er }}",
    "{{ spoke.name ~ '\\n---\\nkind: Secret' }}", "{{ '\\ud800\\ud802\\ud801' }}", "{{ '\\x00' }}", "{{ '\\x1b[2J' }}",
    "{{ '\\udc00' ~ spoke.name ~ '\\udc02' }}", "{{ '\\ue000' }}", "{{ 9 ** 9 ** 9 }}", "{{ 'a' * 999999999 }}",
    "{{ 999999999999 * 999999999999 }}", "{{ '%999999999d' % 1 }}", "{{ 'a' | center(999999999) }}", "{{ 1 / 0 }}",
    "{{ 1 % 0 }}", "{{ 1.5 // 0 }}", "{{ 1e999 }}", "{{ 1e308 * 10 }}", "{{ -1 }}", "{{ 0 }}", "{{ none }}", "{{ true }}", "{{ [] }}",
    "{{ {} }}", "{{ {1: 2} }}", "{{ {none: 2} }}", "{{ [1, [2, [3]]] }}", "{{ (1, 2) }}", "{{ range(9) }}", "{{ spoke.name.upper() }}",
    "{{ ''.__class__ }}", "{{ spoke['__class__'] }}", "{{ self }}", "{{ _x }}", "{{ namespace }}", "{{ cycler }}",
    "{{ spoke | tojson }}", "{{ spoke | tojson | tojson | tojson | tojson }}", "{{ spoke.name | list | join(spoke.name) }}",
    "{{ spoke.name | replace('', spoke.name) }}", "{{ spoke.name | split('') }}", "{{ spoke.name | title | lower }}",
    "{{ [spoke.name] * 9 }}", "{{ spoke.name[::-1] }}", "{{ spoke.name[1:] }}", "{{ spoke.name < 'm' }}", "{{ 'a' in spoke.name }}",
    "{{ spoke.values.weight | string | int }}", "{{ '9' * 9 | int }}", "{{ spoke.values.weight ~ '' }}", "{{ '1' | int }}",
    "{{ 'x' | int }}", "{{ '1e5' | float }}", "{{ 'nan' | float }}", "{{ 'inf' | float | int }}", "{{ x if y }}", "{{ x | default('d') }}",
    "{{ spoke.values.domain | default }}", "{{ [3, 'a'] | sort }}", "{{ [{}, {}] | unique }}", "{{ [] | first }}", "{{ [] | max }}",
    "{{ 'a' is divisibleby 0 }}", "{{ 3 is divisibleby 0 }}", "{{ 1 is in 2 }}", "{{ 'a' | abs }}", "{{ 5 | length }}", "{{ 9" + "9" * 5000 + " }}",
    "{{ " + "(" * 200 + "1" + ")" * 200 + " }}", "{{ " + "not " * 500 + "1 }}", "{{ " + "-" * 500 + "1 }}", "{{ " + "[" * 150 + "]" * 150 + " }}",
    "{{ " + "1+" * 900 + "1 }}", "{{ a" + ".a" * 500 + " }}", "{{ a" + "|string" * 300 + " }}", "{% for a in range(999999999) %}{% endfor %}",
    "{% set x = 1 %}{{ x }}", "{% raw %}{{ x }}{% endraw %}", "{% include 'x' %}", "{{ '{{' }}{{ '}}' }}", "{{ ' ' }}", "{{ '' }}",
)  # fmt: skip

GO_TEMPLATES = (
    "{{ .Object }}", "{{ .LocalObject.metadata.name }}", "{{ .Object.metadata.name | upper }}", "{{ . }}", "{{ .x.y.z }}",
    "{{ range .Object }}{{ . }}{{ end }}", '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}',
    '{{ repeat 999999999 "a" }}', "{{ until 999999999 }}", '{{ printf "%999999999d" 1 }}', '{{ printf "%s" . }}',
    "{{ range until 9999 }}{{ range until 9999 }}a{{ end }}{{ end }}", "{{ with $x := . }}{{ $x }}{{ end }}", '{{ index .Object "metadata" "name" }}',
    "{{ index .Object 5 }}", "{{ toJson . }}", "{{ sha256sum .Object.metadata.name }}", '{{ env "HOME" }}', "{{ now }}", "{{ randAlpha 5 }}",
    "{{ if", "{{ end }}", "{{ else }}", "{{ . | nosuch }}", "{{ 1 | div 0 }}", "{{ div 1 0 }}", '{{ substr 5 1 "abc" }}', '{{ regexMatch "(a+)+$" "aaa" }}',
    "{{" + " (" * 200 + ")" * 200 + "}}", "{{ $x := 1 }}{{ $x = 2 }}{{ $x }}", "{{/* c */}}", '{{- "a" -}}',
)  # fmt: skip

CEL = (
    "self", "true", "1", "self.x", "has(self.x)", "self.all(a, self.all(b, self.all(c, true)))",
    "self.map(a, self.map(b, self)).size() > 0", "[1,2,3].map(a, [a, a]).map(b, [b, b]).size() < 9", "'a'.matches('(a+)+$')",
    "'a'.matches('[')", "'a'.matches('a{1000}{1000}')", "self.name.matches(self.name)", "self.name.replace('', self.name).size() < 9",
    "self.name + self.name + self.name == ''", "1/0 == 1", "9223372036854775807 + 1 > 0", "-9223372036854775808 / -1 == 1",
    "int('9') == 9", "duration(self.limit) < duration('1h')", "quantity('1Ki').isGreaterThan(quantity('1'))", "ip('1.2.3.4').family() == 4",
    "url('http://a').getHost() == 'a'", "optional.of(1).hasValue()", "self == oldSelf", "oldSelf.size() == 1", "dyn(self) == 1",
    "self.?x.orValue(1) == 1", "type(self) == string", "x", "self.", "'\\", "self.x.y.z.w == 1", "'%s'.format([self])",
    "'%.999f'.format([1.0]) == ''", "cel.bind(a, [1,2], a.all(b, b in a))", "(" * 300 + "true" + ")" * 300, "!" * 500 + "true",
    "true" + " && true" * 500, "[" * 100 + "]" * 100 + " == []", "self" + ".a" * 300, "'" + "a" * 5000 + "' == ''", "9" * 500 + " > 1",
    "self.transformMap(k, v, v) == {}", "self.all(k, k.size() > 0)", "sets.contains([1], [1])", "timestamp('x') > timestamp('y')",
    "self.items.sum() > 1", "string(self)", "b'\\xff' == b''", "{'a': self, 'a': self} == {}", "[self, 1, 'a'].isSorted()",
    "strings.quote(self.name) == ''", "'a'.lastIndexOf('b', -1) == 0", "'a'.substring(5) == ''", "'a'.charAt(-1) == ''",
)  # fmt: skip

PATTERNS = (
    "(a+)+$", "[", "(", ")", "*", "a{2,1}", "a{1001}", "a{1000}{1000}", "(?=a)", "(?<!a)b", "\\1", "\\p{L}", "\\p{X}", "^$", "(?i)a", "\\C",
    "(a|a)*b", "(" * 200 + ")" * 200, ".*.*.*.*.*=", "\\u0041", "\\x{110000}", "[^\\x00-\\x{10FFFF}]", "\\Q", "\\z", "(?P<a>b)", "a" * 5000,
)  # fmt: skip

POINTERS = (
    "", "/", "//", "/-", "/~", "/~2", "/~0~1", "a", "/metadata/name", "/metadata/namespace", "/metadata", "/kind", "/apiVersion",
    "/spec", "/spec/targetRef/name", "/spec/targetRef", "/spec/rules/0", "/spec/rules/" + "9" * 5000, "/spec/rules/-1", "/spec/rules/-",
    "/spec/rules/٣", "/spec/rules/0" + "/a" * 900, "/metadata/labels/a~1b", "/spec/limits/all/rates/0/limit", "/spec/listeners/0/port", "/status",
)  # fmt: skip

KEYS = (
    "$ref", "$schema", "$id", "allOf", "anyOf", "oneOf", "not", "pattern", "format", "default", "enum", "items", "properties",
    "additionalProperties", "x-kubernetes-validations", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-embedded-resource", "nullable", "maxLength", "minimum", "multipleOf",
    "<<", "=", "true", "null", "1", "1.5", "~", "a.b", "a/b", "generateName", "creationTimestamp", "deletionTimestamp", "ownerReferences", "uid",
    "finalizers", "managedFields", "status", "data", "stringData", "binaryData", "sectionName", "targetRefs", "targetSelectors", "parentRefs",
    "optional", "mode", "except", "__class__", "self", "copy", "keys", "items ", "Kind", "KIND",
)  # fmt: skip

NUMBERS = (
    0, 1, -1, 2, 3, 80, 443, 65535, 65536, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, 1.0, 1.5, -0.0, 1e21, 1e308, 5e-324, 1e-7,
)  # fmt: skip

RAW_TEXTS = (
    "9" * 5000, "-" + "9" * 5000, "0x" + "f" * 5000, "0." + "9" * 5000, "1e999999999", ".inf", "-.inf", ".nan", "0b" + "1" * 64, "0o777",
    "!!binary aGk=", "!!binary '!'", "!!set {a, b}", "!!omap [a: 1]", "!!python/object/apply:os.system [true]", "!a b", "!!str 1", "!!int a", "!!map []",
    "!!timestamp 2024-01-01", "&a [*a]", "*nosuch", "&a a", "{<<: {a: 1}}", "{<<: 1}", "{<<: [{a: 1}, {b: 2}], c: 3}", "{? [a, b]: c}", "{? {a: b}: c}",
    "{1: a, 1.0: b}", "{true: a, null: b}", "{.inf: a}", "{a: 1, a: 2}", "{a, b}", "[a, b: c]", "[,]", "{", "]", "'", '"', '"\\', '"\\x"', '"\\ud800"', '"\\U00110000"', '"\\/"',
    '"\\ud83d\\ude42"', "\n---\nkind: Secret\n---\n", "\n...\na: b\n", "\n%YAML 1.2\n---\n", "# a", "|\n a\n b", ">+\n a\n\n", "? a", "- - - a",
    "[&a [&b [&c [&d [&e [&f []]]]]], *a, *b, *c]", "[" * 50 + "]" * 50, "[" * 99 + "]" * 99, "[" * 5000 + "]" * 5000, "{a: " * 101 + "1" + "}" * 101, "[" * 5000,
    ("[&a [x,x,x,x,x,x,x,x,x,x], &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b], &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c], "
    "&e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d], &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]]"),
)  # fmt: skip

LINES = (
    "---", "--- a", "--- |", "...", "%YAML 1.1", "%TAG ! x:", "# comment", "#" + " " * 2000, " " * 2000, "\t", "<<: *a", "? a", "- a", "a: &a 1", "b: *a", "a",
    "\ufeff", "\x00", "\x85", "\u2028", "\ud800", "'", '"', "{", "[", "}", "kind: Secret", "kind: List", "items: []", "metadata: {name: a}", "<<<<<<< HEAD", "=======", ">>>>>>> b",
)  # fmt: skip

TEMPLATE_TEXTS = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "{% for a in range(9999) %}aaaaaaaaaa{% endfor %}",
    "{{ 'a' * 999999999 }}", "{{ 9 ** 99999999 }}", "{{ 'a' | center(999999999) }}", "{{ '%0999999999d' | format(1) }}", "{{ '%0999999999d' % 1 }}", "{{ [0] * 999999999 }}",
    "{% include 'argocd/applicationset.yaml.j2' %}", "{% include 'flux/kustomizations.yaml.j2' %}", "{% extends 'argocd/applicationset.yaml.j2' %}",
    "{% macro m(a) %}{{ m(a) }}{{ m(a) }}{% endmacro %}{{ m(1) }}", "{% import 'flux/kustomizations.yaml.j2' as x %}", "{% set x = [] %}{% for a in range(99) %}{% set x = x + x + [1] %}{% endfor %}",
    "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}", "{{ ''.join(['a'] * 9) }}", "{{ ('a' * 99).replace('', 'b' * 99) }}", "{{ dict(a=1) }}", "{{ namespace() }}",
    "{{ cycler('a') }}", "{{ joiner() }}", "{{ 'a' | urlize }}", "{{ ('a ' * 99) | wordwrap(1) }}", "{{ 'a' | indent(99999999) }}", "{{ {} | xmlattr }}", "{{ spokes | tojson }}",
    "{{ x }}", "{{ spokes | map(attribute='name') | list }}", "{{ spokes | groupby('name') }}", "{{ [1, 2] | batch(999999999) | list }}", "{{ [1] | slice(999999999) | list }}",
    "{{ 'a' | filesizeformat }}", "{{ '{:>999999999}'.format(1) }}", "{{ 'a'.ljust(999999999) }}", "{{ 'a'.zfill(999999999) }}", "{{ 'a'.expandtabs(999999999) }}", "{{ '\t'.expandtabs(999999999) }}",
    "{{ ''.__class__.__mro__ }}", "{{ self.__init__.__globals__ }}", "{{ (1).__class__ }}", "{{ ''.encode }}", "{{ 1 // 0 }}", "{{ 'a' | pprint }}", "{% do 1 %}", "{% debug %}",
    "{%", "{{", "{#", "#}", "\n---\nkind: Secret\nmetadata: {name: x}\n", "\ud800", "{{ '\\ud800' }}", "{% raw %}", "{% block a %}{{ self.a() }}{% endblock %}", "{% call x() %}{% endcall %}",
)  # fmt: skip


def value(random: Random) -> Any:
    """Something that is seldom what is expected."""
    texts = random.choice(
        (ODD_TEXTS, NAMES, NAMES, EXPRESSIONS, EXPRESSIONS, GO_TEMPLATES, CEL, PATTERNS, POINTERS)
    )
    return random.choice(
        (
            lambda: random.choice(texts),
            lambda: random.choice(texts),
            lambda: random.choice(texts),
            lambda: random.choice(NUMBERS),
            lambda: RAW.format(random.randrange(len(RAW_TEXTS))),
            lambda: random.choice(
                (None, True, False, [], {}, [None], [[]], {"a": None}, [{}], {"": ""})
            ),
            lambda: nested(random),
        )
    )()


def nested(random: Random) -> Any:
    """Lists in mappings in lists, around something."""
    found = value(random) if random.random() < 0.8 else "end"
    for _ in range(random.choice((1, 2, 3, 10, 40, 90))):
        found = [found] if random.random() < 0.5 else {random.choice(KEYS): found}
    return found


def key(random: Random) -> Any:
    """A key: mostly one that means something somewhere, or no text at all."""
    return random.choice(
        (
            lambda: random.choice(KEYS),
            lambda: random.choice(NAMES),
            lambda: random.choice(ODD_TEXTS),
            lambda: random.choice(EXPRESSIONS),
            lambda: random.choice((1, None, True, 1.5, 2**64)),
        )
    )()
