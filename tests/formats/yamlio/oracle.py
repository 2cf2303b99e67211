"""What kubectl, and kustomize in it, read in a text; and strings that are easily misread."""

import json
import subprocess
from pathlib import Path
from typing import Any

NASTY = (
    *("", " ", "  ", "---", "...", "- a", "-", "?", ":", "a: b", "a:", ": a", " #", "a #b", "#a"),
    *("{{x}}", "{a", "[a", "}", "]", ",", "a,b", "*a", "&a", "!x", "!!str a", "@", "`", "%", "|"),
    *(">", "'", '"', "\\", "\\n", "it's", '"a"', "<<", "=", "~", "null", "Null", "nan", "inf"),
    *(
        "\t",
        "a\tb",
        "\ta",
        "a\t",
        " a",
        "a ",
        "\n",
        "\n\n",
        "a\n",
        "a\n\n",
        "\na",
        "a\nb",
        "a\n b\n",
    ),
    *(
        " a\nb\n",
        "a \nb",
        "a\n \nb",
        "a\n---\nb\n",
        "a\n...\nb\n",
        "#a\nb\n",
        "a\n#b\n",
        "a\n\n\nb\n",
    ),
    *(
        "\ta\n\tb\n",
        "a\n\tb\n",
        "package a\n\nallow {\n\tx\n}\n",
        "- a\n- b\n",
        "a: |\n  b\n",
        "|\n",
    ),
    *(
        "\r",
        "a\r\nb\r\n",
        "\0",
        "\x07",
        "\x1b[0m",
        "\u00a0",
        "a\u00a0\nb",
        "\u00ad",
        "\u200d",
        "\u202e",
    ),
    *("\u2028", "a\u2028b", "a\u2028b\nc", "\u2029", "\ufeff", "a\ufeff\nb\n", "\ufffd", "\ue000"),
    *("\U00100000", "\U0010fffd", "a\U0010fffe\nb\n", "\U0010ffff\n", "a: \U0010ffff # \U0010fffe"),
    *(
        "é",
        "e\u0301",
        "日本\n語\n",
        "😀",
        "a\n😀\n",
        "👩\u200d💻",
        "\U0001f600\ufe0f\nx\n",
        "\U000e0001",
    ),
    *("a" * 300, "a " * 200, "a" * 300 + "\n" + "b" * 300 + "\n", "GEO-EU", "a.b/c-d_e", "1.2.3.4"),
    *("0", "00", "1_", "0x", "0b2", ".", "..", "-.5", "+.5", "1e", "1,5", "2001-01-01 00:00:00"),
)


def values_in(output: str) -> list[Any]:
    """The JSON values in a stream, `List`s taken apart."""
    decoder = json.JSONDecoder()
    values: list[Any] = []
    while output := output.lstrip():
        value, end = decoder.raw_decode(output)
        values += value["items"] if value.get("kind") == "List" else [value]
        output = output[end:]
    return values


class RefusedError(Exception):
    """A program refuses a text, in these words."""


def _output(command: list[str], text: str = "") -> str:
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    if done.returncode:
        raise RefusedError(done.stderr.decode())
    return done.stdout.decode()


def kubectl_reads(kubectl: str, text: str) -> list[Any]:
    """The objects that kubectl reads in a stream. Raises `RefusedError`."""
    command = [kubectl, "annotate", "--local", "--filename=-", "--output=json", "probe=x"]
    values = values_in(_output(command, text))
    for value in values:
        del value["metadata"]["annotations"]["probe"]
        if not value["metadata"]["annotations"]:
            del value["metadata"]["annotations"]
    return values


def kustomize_writes(kubectl: str, folder: Path, text: str) -> str:
    """What kustomize makes of a stream. Raises `RefusedError`."""
    (folder / "kustomization.yaml").write_text("resources: [all.yaml]\n")
    (folder / "all.yaml").write_bytes(text.encode())
    return _output([kubectl, "kustomize", str(folder)])


def one_object(name: str, **fields: Any) -> dict[str, Any]:
    """An object that both programs accept."""
    return {"apiVersion": "v1", "kind": "Probe", "metadata": {"name": name}, **fields}
