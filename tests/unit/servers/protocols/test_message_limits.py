"""How much a stranger's message may hold: 16 levels and 200,000 values, in XML-RPC and in JSON, to the last one."""

import pytest

from servers.calls.errors import CallError
from servers.protocols import json_messages
from servers.protocols.xmlrpc_messages import (
    MOST_NESTING,
    MOST_VALUES,
    XmlRpcError,
    XmlRpcFault,
    parse_bounded_xmlrpc_message,
)


def make_nested_xml(levels):
    inside = "<array><data><value>" * levels + "<int>1</int>" + "</value></data></array>" * levels
    return f"<methodResponse><params><param><value>{inside}</value></param></params></methodResponse>".encode()


def make_xml_values(values):
    """So many values, the array among them."""
    inside = "<array><data>" + "<value/>" * (values - 1) + "</data></array>"
    return f"<methodResponse><params><param><value>{inside}</value></param></params></methodResponse>".encode()


def make_nested_json(levels):
    return b'[{"a":' * (levels // 2) + b"1" + b"}]" * (levels // 2)


def make_json_values(values):
    """So many values, the array not among them."""
    return b"[" + b"1," * (values - 1) + b"1]"


def test_it_bounds_both_alike():
    assert (MOST_NESTING, MOST_VALUES) == (16, 200_000)


def test_it_takes_what_is_just_allowed():
    parse_bounded_xmlrpc_message(make_nested_xml(16))
    assert len(parse_bounded_xmlrpc_message(make_xml_values(200_000)).params[0]) == 199_999
    json_messages.parse_bounded_json_message(make_nested_json(16))
    assert len(json_messages.parse_bounded_json_message(make_json_values(200_000))) == 200_000


@pytest.mark.parametrize(
    ("body", "kind"), [(make_nested_xml(17), XmlRpcFault.TOO_DEEP), (make_xml_values(200_001), XmlRpcFault.TOO_MANY)]
)
def test_it_refuses_one_more_in_xml_rpc(body, kind):
    with pytest.raises(XmlRpcError) as caught:
        parse_bounded_xmlrpc_message(body)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("body", "code"), [(make_nested_json(18), "too-deep"), (make_json_values(200_001), "too-many-values")]
)
def test_it_refuses_one_more_in_json(body, code):
    with pytest.raises(CallError) as caught:
        json_messages.parse_bounded_json_message(body)
    assert caught.value.diagnosis.code == code


def test_it_counts_no_brackets_and_commas_of_strings():
    assert json_messages.parse_bounded_json_message(b'["' + b'[{,\\"' * 100_000 + b'"]')


def test_it_counts_what_stands_in_a_string_that_does_not_end_for_nothing():
    with pytest.raises(CallError) as caught:
        json_messages.parse_bounded_json_message(b'["' + b"[" * 1000)
    assert caught.value.diagnosis.code == "cut-off"
