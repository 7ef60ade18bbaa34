"""The HTTP end of the XML-RPC service: reads a method call and writes the method response."""

import xmlrpc.client

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from bcms.lib.rest.limits import TooManyRequests, count_request_and_check_limit
from bcms.xmlrpc.faults import NOT_WELL_FORMED, NOT_XMLRPC, TOO_OFTEN, UNKNOWN_METHOD, WRONG_PARAMETER, RpcFault
from bcms.xmlrpc.methods import RPC_METHODS
from servers.protocols.bcms_xmlrpc import NOT_IN_XML
from servers.protocols.xmlrpc_messages import XmlRpcError, XmlRpcFault, parse_bounded_xmlrpc_message

MOST_BYTES = 64 * 1024


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def answer_xmlrpc_call_or_list_methods(request: HttpRequest) -> HttpResponse:
    """Answer one method call; a GET lists the methods as plain text."""
    if request.method != "POST":
        return HttpResponse(_format_rpc_methods(request), content_type="text/plain; charset=utf-8")
    return HttpResponse(_answer_method_call(request), content_type="text/xml; charset=utf-8")


def _format_rpc_methods(request: HttpRequest) -> str:
    lines = [f"{name}({method.signature})\n    {method.about}" for name, method in RPC_METHODS.items()]
    address = request.build_absolute_uri(request.path)
    return "\n".join([f"This is an XML-RPC service: send method calls by POST to {address}.\n", *lines, ""])


def _answer_method_call(request: HttpRequest) -> str:
    try:
        count_request_and_check_limit(request)
        return _serialize_rpc_response((_run_method_call(request, _read_limited_body(request)),))
    except TooManyRequests as error:
        return _serialize_rpc_response(RpcFault(TOO_OFTEN, str(error.detail)))
    except RpcFault as fault:
        return _serialize_rpc_response(fault)


def _read_limited_body(request: HttpRequest) -> bytes:
    body = request.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise RpcFault(NOT_XMLRPC, f"The request is larger than {MOST_BYTES:,} bytes. Send a smaller one.")
    return body


def _run_method_call(request: HttpRequest, body: bytes) -> object:
    """Run the method call in the body and return its value; RpcFault if it cannot be read or run."""
    try:
        message = parse_bounded_xmlrpc_message(body)
    except XmlRpcError as error:
        raise _make_unreadable_fault(error) from error
    if message.method is None:
        raise RpcFault(NOT_XMLRPC, "This is a method response; send a method call.")
    method = RPC_METHODS.get(message.method)
    if method is None:
        raise RpcFault(
            UNKNOWN_METHOD, f"There is no method {message.method[:60]}. The methods are {', '.join(RPC_METHODS)}."
        )
    fewest = len(method.parameters)
    if not fewest <= len(message.params) <= fewest + method.with_options:
        expected = f"{fewest}: {method.signature}" if method.parameters else "none"
        raise RpcFault(
            WRONG_PARAMETER,
            f"The call of {message.method} has {len(message.params)} parameters, but the method takes {expected}.",
        )
    return method.function(request, *message.params)


def _make_unreadable_fault(error: XmlRpcError) -> RpcFault:
    not_well_formed = error.kind in (XmlRpcFault.NOT_XML, XmlRpcFault.CUT_OFF, XmlRpcFault.WRONG_ENCODING)
    code = NOT_WELL_FORMED if not_well_formed else NOT_XMLRPC
    detail = f" ({error.detail})" if error.detail else ""
    return RpcFault(code, f"The request cannot be read as an XML-RPC method call: {error.kind}{detail}.")


def _serialize_rpc_response(value: tuple[object] | RpcFault) -> str:
    """The method response; characters that XML forbids are replaced, and carriage returns are kept."""
    text = xmlrpc.client.dumps(value, methodresponse=True, encoding="utf-8")  # type: ignore[arg-type]
    return text.translate(NOT_IN_XML).replace("\r", "&#13;")
