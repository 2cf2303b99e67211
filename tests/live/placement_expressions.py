"""Random expressions over a ManagedCluster, of types that mostly fit, and a cluster to ask of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from tests.live.placements import obj

Json = dict[str, Any]
WRONG = 40
"""One in so many parts is of another type than it should be."""
DEEPEST = 4


def world() -> list[Json]:
    """A cluster with something of each sort, and its scores."""
    metadata = {
        "labels": {"env": "prod", "n": "10", "v": "1.30.0", "": "x", "a/b": "c"},
        "annotations": {"note": "a, b", "json": '{"a": [1, 2.5, {"b": null}], "ip": "10.0.0.1"}'},
    }
    taints = [
        {"key": "gpu", "value": "a", "effect": "NoSelect", "timeAdded": "2026-01-02T03:04:05Z"},
        {"key": "team", "effect": "PreferNoSelect"},
    ]
    status = {
        "allocatable": {"cpu": "1e1", "memory": "0.5Gi", "gpu": "1500m"},
        "capacity": {"cpu": "16", "memory": "1Gi"},
        "clusterClaims": [
            {"name": "version", "value": "v1.30.2"},
            {"name": "cidr", "value": "10.0.0.0/8"},
            {"name": "url", "value": "https://u:p@api.example.com:6443/a%20b?x=1&x=2&y=#f"},
            {"name": "odd", "value": " Grüße\t"},
        ],
        "version": {"kubernetes": "v1.30.2"},
        "conditions": [
            {
                "type": "ManagedClusterJoined",
                "status": "True",
                "reason": "Joined",
                "message": "",
                "lastTransitionTime": "2026-01-02T03:04:05Z",
            }
        ],
    }
    spec = {"hubAcceptsClient": True, "taints": taints, "leaseDurationSeconds": 60}
    scores = [{"name": "cpu", "value": 3}, {"name": "memory", "value": -4}]
    return [
        obj("ManagedCluster", "c1", metadata=metadata, spec=spec, status=status),
        obj("AddOnPlacementScore", "load", "c1", status={"scores": scores}),
        obj("AddOnPlacementScore", "none", "c1", status={"scores": []}),
    ]


def expression(random: Random) -> str:
    """An expression, mostly one that comes to a boolean."""
    return _Writer(random).write("bool" if random.randrange(20) else "any", 0)


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.names: list[tuple[str, str]] = []

    def write(self, kind: str, depth: int) -> str:
        random = self.random
        if kind == "any" or not random.randrange(WRONG):
            kind = random.choice(ANY)
        named = [name for name, of in self.names if of in {kind, "dyn"}]
        if named and random.randrange(2):
            return random.choice(named)
        forms = FORMS.get(kind, ())
        if depth >= DEEPEST or not forms or not random.randrange(4):
            return random.choice(LEAVES[kind])
        return self.fill(random.choice(forms), depth)

    def fill(self, form: str, depth: int) -> str:
        """Put something in place of each `<type>`; one as `<type:item>` is about a named item."""

        def written(match: re.Match[str]) -> str:
            kind, item = match.groups()
            if not item:
                return self.write(kind, depth + 1)
            name = f"x{len(self.names)}"
            self.names.append((name, item))
            body = self.write(kind, depth + 1)
            self.names.pop()
            return f"{name}, {body}"

        return re.sub(r"<(\w+)(?::(\w+))?>", written, form)


CLAIM = "managedCluster.status.clusterClaims"
LEAVES: Mapping[str, Sequence[str]] = {
    "bool": (
        "true",
        "false",
        "managedCluster.spec.hubAcceptsClient",
        "has(managedCluster.metadata.labels)",
        "has(managedCluster.spec.taints)",
        "has(managedCluster.metadata.labels.env)",
        "has(managedCluster.status.nothing)",
        '"env" in managedCluster.metadata.labels',
        "managedCluster.status.conditions == null",
        "isQuantity('1.5Gi')",
        "isSemver('1.2.3-rc.1+b')",
    ),
    "int": (
        "0",
        "1",
        "-1",
        "3",
        "60",
        "9223372036854775807",
        "0x1F",
        "managedCluster.spec.leaseDurationSeconds",
        "managedCluster.scores('load')[0].value",
        f"{CLAIM}.size()",
        "size('Grüße')",
    ),
    "uint": ("0u", "1u", "60u", "uint(3)"),
    "double": ("0.0", "1.5", "-2.5", "1e3", "60.0", "0.1", "double('NaN')", "1.0 / 0.0"),
    "string": (
        '""',
        '"a"',
        '"env"',
        '"prod"',
        "'10'",
        "'1.30.0'",
        "'a,b,,c'",
        "'Grüße'",
        "' x\\t'",
        r"r'\d+'",
        "'1.5Gi'",
        "'10.0.0.1'",
        '"load"',
        "managedCluster.metadata.name",
        "managedCluster.metadata.labels.env",
        'managedCluster.metadata.labels["n"]',
        "managedCluster.metadata.labels.gone",
        f"{CLAIM}[0].value",
        f"{CLAIM}[3].value",
        "managedCluster.spec.taints[0].key",
        "managedCluster.spec.taints[1].value",
        "managedCluster.spec.taints[0].timeAdded",
        "managedCluster.status.allocatable.memory",
        "managedCluster.status.allocatable.gpu",
        "managedCluster.status.version.kubernetes",
        "managedCluster.metadata.annotations.json",
        "dyn('a')",
        "string(1)",
    ),
    "number": (
        "'1'",
        "'500m'",
        "'1.5Gi'",
        "'1e3'",
        "'0.1'",
        "'-2'",
        "'1k'",
        "'1.0'",
        "'x'",
        "'1Ki'",
        "'0'",
        "'9Ei'",
        "'1n'",
        "'.5'",
        "'1.'",
        "managedCluster.status.allocatable.memory",
        "managedCluster.status.allocatable.cpu",
        "managedCluster.status.allocatable.gpu",
    ),
    "version": (
        "'1.2.3'",
        "'1.10.0'",
        "'1.2.3-rc.1'",
        "'1.2.3-rc.2+b'",
        "'v1.2.3'",
        "'1.2'",
        "'01.2.3'",
        "'1.2.3-01'",
        "'1.2.3-a..b'",
        "'1.2.3+'",
        "managedCluster.metadata.labels.v",
        "'0.0.0'",
        "'1.2.3-x-y.z'",
        "'1.2.3+b_c'",
    ),
    "address": (
        "'10.0.0.1'",
        "'::1'",
        "'0:0::1'",
        "'::ffff:1.2.3.4'",
        "'fe80::1%eth0'",
        "'224.0.0.1'",
        "'0.0.0.0'",
        "'169.254.1.1'",
        "'010.0.0.1'",
        "'255.255.255.255'",
        "'2001:DB8::A'",
        "'x'",
        "'ff02::1'",
    ),
    "network": (
        "'10.0.0.0/8'",
        "'10.1.2.3/16'",
        "'::/0'",
        "'2001:db8::/32'",
        "'10.0.0.0/33'",
        "'10.0.0.0'",
        "'10.0.0.0/08'",
        "'::ffff:10.0.0.0/120'",
        f"{CLAIM}[1].value",
        "'10.1.0.0/16'",
    ),
    "place": (
        "'https://example.com'",
        "'http://u:p@h:80/a%20b?x=1&x=2#f'",
        "'/a/b?c'",
        "'a/b'",
        "''",
        "'https://[::1]:443/'",
        "'mailto:a@b'",
        f"{CLAIM}[2].value",
        "'https://h/ä b'",
        "'https://h:x/'",
        "'https:opaque?q=1'",
        "'//h/p'",
        "'http://h?a=%zz'",
        "'HTTP://H'",
        "'http://h/a;b?c;d=1'",
    ),
    "json": (
        "'{\"a\": 1}'",
        '\'{"b": 1, "a": "x"}\'',
        "'[1, 2, 3]'",
        '\'{"a": {"b": [true, null, "x"]}}\'',
        "'1'",
        "'\"a\"'",
        "'null'",
        "'{'",
        "''",
        '\'{"a": 1, "a": 2}\'',
        "'1e400'",
        "'NaN'",
        "'[1,]'",
        "' [ 1 ] '",
        "'{\"a\": 1} x'",
        "'\"\\\\ud800\"'",
        "'01'",
        "'-0'",
        "'\"a\\tb\"'",
        "'123456789012345678901'",
        "managedCluster.metadata.annotations.json",
    ),
    "pattern": (
        "'^a'",
        "'[0-9]+'",
        r"r'\d+'",
        "'('",
        "'a|b|c'",
        "'.*'",
        "''",
        "'(?i)PROD'",
        "'(a)(b)?'",
        "'a*?'",
        r"r'\bprod\b'",
        "'ü'",
        "'^.$'",
        "'[[:alpha:]]+'",
        r"r'\pL'",
        "'a{2,1}'",
        "'(?<n>a)'",
        "'x*'",
        r"r'(a)\1'",
    ),
    "strings": (
        "[]",
        "['a', 'b']",
        "['b', 'a', 'b']",
        "'a,b,,c'.split(',')",
        f"{CLAIM}.map(c, c.name)",
    ),
    "ints": ("[1, 2, 3]", "[3, 1]", "[0]", "managedCluster.scores('load').map(s, s.value)"),
    "doubles": ("[1.5, 2.5]", "[0.1]"),
    "dyns": (
        "[]",
        "[1, 'a']",
        "[dyn(1), dyn('a'), dyn(null)]",
        "managedCluster.scores('load')",
        "managedCluster.scores('none')",
        "managedCluster.scores('gone')",
        CLAIM,
        "managedCluster.spec.taints",
    ),
    "map": (
        "{}",
        "{'a': 1}",
        "{'a': 1, 'b': 'x'}",
        "managedCluster",
        "managedCluster.metadata",
        "managedCluster.metadata.labels",
        "managedCluster.status.version",
        "managedCluster.status.allocatable",
    ),
    "null": ("null", "managedCluster.spec.taints[1].timeAdded"),
    "dyn": (
        "managedCluster.spec.taints[0]",
        "managedCluster.status.conditions[0]",
        "managedCluster.nothing",
        "managedCluster.metadata.uid",
        "dyn(1)",
        "dyn(1.0)",
        "dyn('x')",
        "dyn([1])",
        "dyn(null)",
    ),
    "timestamp": (
        "timestamp('2026-01-02T03:04:05Z')",
        "timestamp('2026-01-02T03:04:05.5+02:00')",
        "timestamp('x')",
        "timestamp(managedCluster.spec.taints[0].timeAdded)",
        "timestamp(0)",
    ),
    "duration": (
        "duration('1h')",
        "duration('90s')",
        "duration('1.5h')",
        "duration('x')",
        "duration('-1m')",
    ),
    "bytes": ("b'a'", "bytes('Grüße')", "b''"),
    "quantity": ("quantity('1Gi')",),
    "semver": ("semver('1.2.3')",),
    "ip": ("ip('10.0.0.1')", "cidr('10.1.2.3/8').ip()"),
    "cidr": ("cidr('10.0.0.0/8')", "cidr('10.1.2.3/8').masked()"),
    "url": ("url('https://example.com:80/a')",),
    "optional": (
        "optional.none()",
        "optional.of('a')",
        "managedCluster.?metadata.?labels.?env",
        "managedCluster.metadata.labels[?'gone']",
    ),
    "type": (
        "int",
        "string",
        "type(1)",
        "type(managedCluster)",
        "type(null)",
        "list",
        "map",
        "bool",
    ),
    "format": (
        "format.dns1123Label()",
        "format.labelValue()",
        "format.uri()",
        "format.uuid()",
        "format.byte()",
        "format.date()",
        "format.datetime()",
        "format.dns1035LabelPrefix()",
    ),
}
ANY = tuple(kind for kind in LEAVES if kind != "type")
COMPARABLE = ("int", "string", "double", "uint", "timestamp", "duration", "bytes", "bool")
OF_ALL = (
    "int",
    "string",
    "double",
    "dyn",
    "strings",
    "map",
    "null",
    "quantity",
    "semver",
    "ip",
    "cidr",
    "url",
    "any",
    "type",
    "optional",
)
FORMS: Mapping[str, Sequence[str]] = {
    "bool": (
        *(f"<{kind}> {sign} <{kind}>" for kind in COMPARABLE for sign in ("<", "<=", ">", ">=")),
        *(f"<{kind}> {sign} <{kind}>" for kind in OF_ALL for sign in ("==", "!=")),
        *(f"<dyn> {sign} <{kind}>" for kind in ("int", "string", "double") for sign in ("==", "<")),
        *("<bool> && <bool>", "<bool> || <bool>", "!<bool>", "<bool> ? <bool> : <bool>") * 3,
        "(<bool>) == (<bool>)",
        "<string> in <strings>",
        "<int> in <ints>",
        "<dyn> in <dyns>",
        "<string> in <map>",
        "<any> in <any>",
        *("<strings>.exists(<bool:string>)", "<dyns>.exists(<bool:dyn>)", "<ints>.all(<bool:int>)")
        * 2,
        "<dyns>.all(<bool:dyn>)",
        "<strings>.exists_one(<bool:string>)",
        "<map>.exists(<bool:string>)",
        "<map>.all(<bool:string>)",
        *(f"<string>.{name}(<string>)" for name in ("startsWith", "endsWith", "contains")),
        "<string>.matches(<pattern>)",
        "matches(<string>, <pattern>)",
        "<quantity>.isGreaterThan(<quantity>)",
        "<quantity>.isLessThan(<quantity>)",
        "<quantity>.isInteger()",
        "isQuantity(<number>)",
        "<semver>.isGreaterThan(<semver>)",
        "<semver>.isLessThan(<semver>)",
        "isSemver(<version>)",
        "isSemver(<string>, true)",
        "isIP(<address>)",
        "isCIDR(<network>)",
        "isURL(<place>)",
        "ip.isCanonical(<address>)",
        *(
            f"<ip>.{name}()"
            for name in (
                "isUnspecified",
                "isLoopback",
                "isLinkLocalUnicast",
                "isLinkLocalMulticast",
                "isGlobalUnicast",
            )
        ),
        "<cidr>.containsIP(<ip>)",
        "<cidr>.containsIP(<address>)",
        "<cidr>.containsCIDR(<cidr>)",
        "<cidr>.containsCIDR(<network>)",
        "<ints>.isSorted()",
        "<strings>.isSorted()",
        "<dyns>.isSorted()",
        "<optional>.hasValue()",
        "<format>.validate(<string>).hasValue()",
        "has(<map>.a)",
        "has(<dyn>.key)",
        "has(<dyn>.a.key)",
        "format.named(<string>).hasValue()",
        "bool(<dyn>)",
        "<json>.parseJSON() == <any>",
        "<json>.parseJSON().a == <any>",
        "bool(<string>)",
        "cel.bind(y, 1, y == 1)",
        "sets.contains([1], [1])",
        "math.greatest(1, 2) == 2",
        "hasConditions(managedCluster.status)",
        "<any>.isGreaterThan(<any>)",
        "<any>.contains(<any>)",
        "<string>.isLessThan(<string>)",
        "<bool> == true",
        "type(<any>) == <type>",
    ),
    "int": (
        *(f"<int> {sign} <int>" for sign in ("+", "-", "*", "/", "%")),
        "-<int>",
        "size(<string>)",
        "<strings>.size()",
        "<map>.size()",
        "size(<any>)",
        "int(<double>)",
        "int(<string>)",
        "int(<timestamp>)",
        "int(<uint>)",
        "<string>.indexOf(<string>)",
        "<string>.indexOf(<string>, <int>)",
        "<string>.lastIndexOf(<string>)",
        "<string>.lastIndexOf(<string>, <int>)",
        "<strings>.indexOf(<string>)",
        "<ints>.lastIndexOf(<int>)",
        "<dyns>.indexOf(<any>)",
        "<quantity>.compareTo(<quantity>)",
        "<quantity>.asInteger()",
        "sign(<quantity>)",
        "<semver>.compareTo(<semver>)",
        *(f"<semver>.{name}()" for name in ("major", "minor", "patch")),
        "<ip>.family()",
        "<cidr>.prefixLength()",
        "<ints>.sum()",
        "<ints>.max()",
        "<ints>.min()",
        "<ints>[<int>]",
        "<bool> ? <int> : <int>",
        *(
            f"<timestamp>.{name}()"
            for name in ("getFullYear", "getMonth", "getDate", "getDayOfWeek", "getHours")
        ),
        "<duration>.getMinutes()",
        "<optional>.orValue(<int>)",
        "<any>.compareTo(<any>)",
    ),
    "uint": ("<uint> + <uint>", "<uint> - <uint>", "uint(<int>)", "uint(<double>)"),
    "double": (
        "<double> + <double>",
        "<double> / <double>",
        "<double> * <double>",
        "double(<int>)",
        "double(<string>)",
        "<quantity>.asApproximateFloat()",
        "<doubles>.sum()",
        "<doubles>.max()",
        "-<double>",
    ),
    "string": (
        "<string> + <string>",
        "<string>.charAt(<int>)",
        "<string>.lowerAscii()",
        "<string>.upperAscii()",
        "<string>.trim()",
        "<string>.reverse()",
        "<string>.replace(<string>, <string>)",
        "<string>.replace(<string>, <string>, <int>)",
        "<string>.substring(<int>)",
        "<string>.substring(<int>, <int>)",
        "<strings>.join()",
        "<strings>.join(<string>)",
        "strings.quote(<string>)",
        "'%s'.format([<any>])",
        "'%d %s'.format([<int>, <string>])",
        "'%.2f'.format([<double>])",
        "'%e'.format([<double>])",
        "'%x %X %o %b'.format([<int>, <int>, <int>, <int>])",
        "'%d'.format([<any>])",
        "<string>.format([<any>])",
        "<string>.find(<pattern>)",
        "string(<int>)",
        "string(<double>)",
        "string(<any>)",
        "string(<timestamp>)",
        "string(<duration>)",
        "string(<bytes>)",
        "<strings>[<int>]",
        "<strings>.max()",
        "<strings>.min()",
        *(
            f"<url>.{name}()"
            for name in ("getScheme", "getHost", "getHostname", "getPort", "getEscapedPath")
        ),
        "<url>.getQuery()['x'][0]",
        "<optional>.orValue(<string>)",
        "<optional>.value()",
        "<map>.a",
        "<map>[<string>]",
        "<bool> ? <string> : <string>",
        "string(<ip>)",
        "<dyn>.key",
        "<dyn>.name",
    ),
    "strings": (
        "<string>.split(<string>)",
        "<string>.split(<string>, <int>)",
        "<string>.findAll(<pattern>)",
        "<string>.findAll(<pattern>, <int>)",
        "<strings>.filter(<bool:string>)",
        "<strings>.map(<string:string>)",
        "<dyns>.map(<string:dyn>)",
        "<strings> + <strings>",
        "[<string>, <string>]",
        "<map>.map(<string:string>)",
        "<map>.filter(<bool:string>)",
        "<json>.parseJSON().map(<string:dyn>)",
        "<dyn>.filter(<bool:dyn>)",
        "<string>.findAll(<string>)",
    ),
    "ints": (
        "[<int>, <int>]",
        "<ints>.filter(<bool:int>)",
        "<strings>.map(<int:string>)",
        "<ints> + <ints>",
    ),
    "doubles": ("[<double>, <double>]",),
    "dyns": (
        "[<any>, <any>]",
        "<dyns>.filter(<bool:dyn>)",
        "managedCluster.scores(<string>)",
        "<map>.scores(<string>)",
        "[<any>]",
    ),
    "map": ("{<string>: <any>}", "{'a': <any>, 'b': <int>}"),
    "dyn": (
        "<json>.parseJSON()",
        "<dyns>[<int>]",
        "<map>[<string>]",
        "dyn(<any>)",
        "<dyn>.a",
        "<string>.parseJSON()",
    ),
    "timestamp": ("<timestamp> + <duration>", "timestamp(<string>)"),
    "duration": ("<duration> + <duration>", "<timestamp> - <timestamp>", "duration(<string>)"),
    "bytes": ("bytes(<string>)", "<bytes> + <bytes>"),
    "quantity": (
        "quantity(<number>)",
        "<quantity>.add(<quantity>)",
        "<quantity>.sub(<quantity>)",
        "<quantity>.add(<int>)",
        "quantity(<string>)",
        "<quantity>.sub(<int>)",
    ),
    "semver": ("semver(<version>)", "semver(<string>)", "semver(<string>, true)"),
    "ip": ("ip(<address>)", "<cidr>.ip()"),
    "cidr": ("cidr(<network>)", "<cidr>.masked()"),
    "url": ("url(<place>)",),
    "optional": (
        "optional.of(<string>)",
        "optional.ofNonZeroValue(<int>)",
        "<map>[?<string>]",
        "<map>.?a",
        "<optional>.or(<optional>)",
        "<optional>.optMap(<string:dyn>)",
    ),
    "format": ("format.qualifiedName()",),
}
