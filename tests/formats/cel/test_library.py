"""Functions that Kubernetes adds to CEL; examples of its documentation and of cel-go's."""

from __future__ import annotations

import pytest

from spokerender.formats import cel

TRUE = [
    # strings: cel-go, ext/strings.go
    "'hello'.charAt(4) == 'o'",
    "'hello'.charAt(5) == ''",
    "'hello mellow'.indexOf('ello') == 1",
    "'hello mellow'.indexOf('ello', 2) == 7",
    "'hello mellow'.indexOf('jello') == -1",
    "'hello mellow'.indexOf('') == 0",
    "'hello mellow'.lastIndexOf('ello') == 7",
    "'hello mellow'.lastIndexOf('ello', 6) == 1",
    "['hello', 'mellow'].join() == 'hellomellow'",
    "['hello', 'mellow'].join(' ') == 'hello mellow'",
    "'TacoCat'.lowerAscii() == 'tacocat'",
    "'TacoCÆt Xii'.lowerAscii() == 'tacocÆt xii'",
    "'TacoCÆt Xii'.upperAscii() == 'TACOCÆT XII'",
    "'hello hello'.replace('he', 'we') == 'wello wello'",
    "'hello hello'.replace('he', 'we', 1) == 'wello hello'",
    "'hello hello'.replace('he', 'we', 0) == 'hello hello'",
    "'hello hello hello'.split(' ') == ['hello', 'hello', 'hello']",
    "'hello hello hello'.split(' ', 0) == []",
    "'hello hello hello'.split(' ', 1) == ['hello hello hello']",
    "'hello hello hello'.split(' ', 2) == ['hello', 'hello hello']",
    "'hello hello hello'.split(' ', -1) == ['hello', 'hello', 'hello']",
    "'abc'.split('') == ['a', 'b', 'c']",
    "'tacocat'.substring(4) == 'cat'",
    "'tacocat'.substring(0, 4) == 'taco'",
    "'  \\ttrim\\n    '.trim() == 'trim'",
    "'gums'.reverse() == 'smug'",
    """strings.quote('a "b"') == '"a \\\\"b\\\\""'""",
    "'%s has %d and %.2f: %s'.format(['x', 3, 1.5, true]) == 'x has 3 and 1.50: true'",
    # Kubernetes: CEL in Kubernetes, "Kubernetes list library"
    "[1, 3].isSorted()",
    "![3, 1].isSorted()",
    "['hello', 'world'].isSorted()",
    "[1, 3].sum() == 4",
    "[1, 3].min() == 1",
    "[1, 3].max() == 3",
    "[1, 2, 2].indexOf(2) == 1",
    "['a', 'b', 'b', 'c'].lastIndexOf('b') == 2",
    "[1.0].indexOf(2.0) == -1",
    # "Kubernetes URL library"
    "isURL('https://example.com:80/')",
    "!isURL('example.com')",
    # Go: net/url, `validUserinfo`
    "isURL('https://a.b:c%20~@example.com/')",
    "!isURL('https://a b@example.com/')",
    "!isURL('https://a<b@example.com/')",
    "!isURL('https://a%2@example.com/')",
    "!isURL('https://[a]@example.com/')",
    "!isURL('')",
    "url('https://example.com:80/').getHost() == 'example.com:80'",
    "url('https://example.com/with%20spaces').getEscapedPath() == '/with%20spaces'",
    "url('https://[::1]:80/path').getHostname() == '::1'",
    "url('https://example.com:80/').getPort() == '80'",
    "url('/path').getScheme() == ''",
    "url('https://example.com/?k=a&k=b&e=').getQuery() == {'k': ['a', 'b'], 'e': ['']}",
    # "Kubernetes IP and CIDR library"
    "isIP('127.0.0.1')",
    "isIP('::ffff')",
    "!isIP('127.0.0.256')",
    "!isIP('fe80::1%en0')",
    "!isIP('::ffff:1.2.3.4')",
    "!isIP('my-host')",
    "ip.isCanonical('2001:db8::abcd')",
    "!ip.isCanonical('2001:DB8::ABCD')",
    "ip('2001:DB8::ABCD') == ip('2001:db8::abcd')",
    "ip('127.0.0.1').family() == 4",
    "ip('::1').isLoopback()",
    "!ip('192.168.0.1').isLoopback()",
    "ip('0.0.0.0').isUnspecified()",
    "ip('192.168.0.1').isGlobalUnicast()",
    "!ip('255.255.255.255').isGlobalUnicast()",
    "isCIDR('192.168.0.0/24')",
    "!isCIDR('192.168.0.0')",
    "!isCIDR('192.168.0.0/999')",
    "cidr('192.168.0.0/24').containsIP('192.168.0.1')",
    "!cidr('192.168.0.0/24').containsIP(ip('192.168.1.1'))",
    "cidr('192.168.0.0/16').containsCIDR(cidr('192.168.10.0/24'))",
    "!cidr('192.168.0.0/24').containsCIDR('192.168.0.0/23')",
    "!cidr('192.168.0.0/24').containsCIDR('::1/128')",
    "cidr('192.168.0.1/24').ip() == ip('192.168.0.1')",
    "cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24')",
    "cidr('192.168.0.0/24').prefixLength() == 24",
    # "Kubernetes quantity library"
    "isQuantity('1.3Gi')",
    "!isQuantity('1.3Gx')",
    "!isQuantity('')",
    "quantity('50k') == quantity('50000')",
    "quantity('1Gi') == quantity('1024Mi')",
    "quantity('150Mi').isGreaterThan(quantity('100Mi'))",
    "quantity('50M').isLessThan(quantity('100M'))",
    "quantity('50M').compareTo(quantity('50Mi')) == -1",
    "quantity('50k').add(quantity('20k')) == quantity('70k')",
    "quantity('50k').add(20) == quantity('50020')",
    "quantity('50k').sub(quantity('20k')) == quantity('30k')",
    "sign(quantity('-1')) == -1",
    "quantity('50k').isInteger() && quantity('50k').asInteger() == 50000",
    "!quantity('0.5').isInteger()",
    "quantity('50.7k').asApproximateFloat() == 50700.0",
    # "Kubernetes format library"
    "format.dns1123Label().validate('my-label') == null",
    "format.dns1123Label().validate('My_Label') != null",
    "format.qualifiedName().validate('example.com/name') == null",
    "format.dns1035Label().validate('1a') != null",
    "format.dns1123LabelPrefix().validate('my-') == null",
    "format.labelValue().validate('a b') != null",
]


@pytest.mark.parametrize("source", TRUE)
def test_the_library_of_kubernetes(source: str) -> None:
    assert cel.compile_rule(source).evaluate(cel.bind(None)) is True


@pytest.mark.parametrize(
    "source",
    [
        "'abc'.charAt(4) == ''",
        "'abc'.substring(2, 1) == ''",
        "sign(quantity('x')) == 0",
        "ip('x').family() == 4",
        "cidr('10.0.0.0').prefixLength() == 8",
        "url('x').getPort() == ''",
        "quantity('0.5').asInteger() == 0",
        "'%s%s'.format(['a']) == ''",
        "[].min() == 1",
    ],
)
def test_a_bad_argument_is_a_failure(source: str) -> None:
    assert isinstance(cel.compile_rule(source).evaluate(cel.bind(None)), cel.Failure)
