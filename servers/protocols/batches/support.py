"""Which servers can be sent several articles in one request."""

from servers.protocols import pubannotation


def explain_missing_batches(protocol: str, url: str, method: str, send: str) -> str:
    """Why a server that is registered in this way cannot be sent several articles in one request; "" if it can."""
    if protocol == "bcms":
        return "XML-RPC has one article in a request: enter 1, or select another protocol."
    if protocol == "pubannotation" and not pubannotation.takes_documents(url, method, send):
        return (
            "PubAnnotation servers take several articles as an array of documents only: enter 1, or call the server "
            "with POST, without _text_, _sourcedb_ and _sourceid_ in its URL, and send it a struct or the PMID."
        )
    return ""
