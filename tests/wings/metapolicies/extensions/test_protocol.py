"""The messages that we declare are those of the `.proto` file, which is for everybody else."""

from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2

from spokerender.authoring import protocol
from tests.support import each

FOLDER = Path(protocol.__file__).parent


def compiled(folder: Path) -> descriptor_pb2.FileDescriptorProto:
    protoc = pytest.importorskip("grpc_tools.protoc", reason="grpcio-tools is not installed")
    made = folder / "made"
    arguments = ["protoc", f"-I{FOLDER}", f"--descriptor_set_out={made}", "extension.proto"]
    assert protoc.main(arguments) == 0
    (file,) = descriptor_pb2.FileDescriptorSet.FromString(made.read_bytes()).file
    return file


def test_the_messages_are_what_protoc_makes_of_the_file(tmp_path: Path) -> None:
    file = compiled(tmp_path)
    file.ClearField("service")
    for message in file.message_type:
        for item in message.field:
            item.ClearField("json_name")
    assert protocol.describe_messages() == file


def test_the_methods_are_those_of_the_service(tmp_path: Path) -> None:
    file = compiled(tmp_path)
    (service,) = file.service
    assert f"{file.package}.{service.name}" == protocol.SERVICE
    assert {
        method.name: (
            method.input_type.removeprefix(f".{file.package}."),
            method.output_type.removeprefix(f".{file.package}."),
        )
        for method in service.method
    } == protocol.METHODS
    assert not any(each.client_streaming or each.server_streaming for each in service.method)


@each(2**53 + 1, -(2**63), 1.5, True, None)
def test_numbers_keep_their_digits(number: object) -> None:
    assert protocol.decoded(protocol.encoded({"n": number})) == {"n": number}


@each(b"NaN", b'{"a":', b"\xff", b"Infinity")
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (of whichever library looked first)
        protocol.decoded(data)
