"""Codes of the faults that the XML-RPC service returns."""

import xmlrpc.client

UNKNOWN_PMID, UNKNOWN_SERVER, NO_ANNOTATION, UNKNOWN_CONSENSUS, NO_DIGITAL_ABSTRACT = 1, 2, 3, 4, 5
# The HTTP code; like every fault, it is sent with status 200, as XML-RPC specifies.
TOO_OFTEN = 429
# The codes of the "Specification for Fault Code Interoperability".
NOT_WELL_FORMED, NOT_XMLRPC, UNKNOWN_METHOD, WRONG_PARAMETER = -32700, -32600, -32601, -32602
RpcFault = xmlrpc.client.Fault
