"""Reports held against the schemas that others publish (`schemas/README.md`)."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import xmlschema
from jsonschema import Draft4Validator  # type: ignore[import-untyped]

SCHEMAS = Path(__file__).parent / "schemas"


def sarif(text: str) -> list[dict[str, Any]]:
    """The results of a SARIF log of one run, which is what OASIS' schema says."""
    log = json.loads(text)
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_bytes())
    assert log["$schema"] == schema["id"]
    Draft4Validator(schema).validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    found: list[dict[str, Any]] = run["results"]
    return found


def junit(text: str) -> ET.Element:
    """The root of a JUnit log, which is what Jenkins' schema says, with sums that are right."""
    xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").validate(text)
    root = ET.fromstring(text.encode())  # noqa: S314  (ours)
    for suite in root:
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
    return root


def junit_cases(text: str) -> dict[tuple[str, str], str]:
    """The first line of what failed in each case, empty where nothing did."""
    return {
        (case.attrib["classname"], case.attrib["name"]): (case.findtext("failure") or "").split(
            "\n"
        )[0]
        for case in junit(text).iter("testcase")
    }
