"""The article in a request of the meta-server, whichever parts of it were sent."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KitArticle:
    """One article to annotate.

    identifier is its id at the meta-server: a PMID, an opaque id in a blind test, empty when only text was sent. pmid
    is None when it was not sent. text is the canonical text, to which positions refer: title, one newline, abstract.
    title, abstract and text are empty when only a PMID was sent.
    """

    identifier: str
    pmid: int | None
    title: str
    abstract: str
    text: str


def parse_xmlrpc_article_parameter(struct_or_pmid_or_text: object) -> KitArticle:
    """The article in the parameter of an XML-RPC call: a struct {id, title, abstract, text}, a PMID or plain text.

    The first line of plain text is the title. Raises ValueError with a sentence for the sender.
    Source: the BCMS XML-RPC protocol.
    """
    if isinstance(struct_or_pmid_or_text, Mapping):
        return parse_xmlrpc_article_struct(struct_or_pmid_or_text)
    if isinstance(struct_or_pmid_or_text, str):
        return _make_article_of_text("", None, struct_or_pmid_or_text)
    if isinstance(struct_or_pmid_or_text, int) and not isinstance(struct_or_pmid_or_text, bool):
        return KitArticle(str(struct_or_pmid_or_text), struct_or_pmid_or_text, "", "", "")
    raise ValueError(f"The article must be a struct, a PMID or a text, not {type(struct_or_pmid_or_text).__name__}.")


def parse_xmlrpc_article_struct(article_struct: Mapping[str, object]) -> KitArticle:
    if "id" not in article_struct:
        raise ValueError('The struct has no "id"; send {id, title, abstract, text}.')
    identifier, title, abstract = (str(article_struct.get(part, "")) for part in ("id", "title", "abstract"))
    text = str(article_struct.get("text") or f"{title}\n{abstract}")
    return KitArticle(identifier, int(identifier) if identifier.isdecimal() else None, title, abstract, text)


def parse_rest_request(body: bytes) -> KitArticle | list[KitArticle]:
    """The article in a request of the REST protocol: {id, pmid, title, abstract, text}; or several, from an array.

    Only id is required. Without a title, the first line of the text is the title. Raises ValueError with a sentence for
    the sender.
    """
    return _parse_object_or_array(body, _read_rest_article)


def parse_pubannotation_request(body: bytes, content_type: str) -> KitArticle | list[KitArticle]:
    """The document in a request of PubAnnotation: {sourcedb, sourceid, text}, or plain text; or several, from an array.

    The first line of the text is the title. Raises ValueError with a sentence for the sender.
    """
    if content_type.partition(";")[0].strip().lower() == "text/plain":
        return _make_article_of_text("", None, body.decode("utf-8", "replace"))
    return _parse_object_or_array(body, _read_pubannotation_document)


def parse_becalm_request(body: bytes) -> Mapping[str, object]:
    """A call of BeCalm's protocol, {method, parameters}. Raises ValueError with a sentence for the sender."""
    call = _parse_json(body)
    if not isinstance(call, dict) or not isinstance(call.get("method"), str):
        raise ValueError('The request is not an object with a "method"; send {method, becalm_key, parameters}.')
    return call


def read_becalm_documents(call: Mapping[str, object]) -> tuple[str, list[KitArticle]]:
    """The communication id and the documents of a call of getAnnotations. Raises ValueError without them."""
    parameters = call.get("parameters")
    documents = parameters.get("documents") if isinstance(parameters, dict) else None
    if not isinstance(parameters, dict) or "communication_id" not in parameters or not isinstance(documents, list):
        raise ValueError('The request has no "parameters" with "documents" and a "communication_id".')
    return str(parameters["communication_id"]), list(map(_read_becalm_document, documents))


def _parse_object_or_array(body: bytes, read_article: Callable[[object], KitArticle]) -> KitArticle | list[KitArticle]:
    sent = _parse_json(body)
    return [read_article(each) for each in sent] if isinstance(sent, list) and sent else read_article(sent)


def _parse_json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"The request is not JSON: {error}.") from error


def _read_rest_article(sent: object) -> KitArticle:
    if not isinstance(sent, dict) or not isinstance(sent.get("id"), str):
        raise ValueError('The request is not an object with an "id"; send {id, title, abstract, text}.')
    text, pmid = str(sent.get("text", "")), sent.get("pmid")
    first, _, rest = text.partition("\n")
    title, abstract = str(sent.get("title", first)), str(sent.get("abstract", rest))
    return KitArticle(sent["id"], pmid if isinstance(pmid, int) else None, title, abstract, text)


def _read_pubannotation_document(sent: object) -> KitArticle:
    if not isinstance(sent, dict) or not isinstance(sent.get("sourceid"), str):
        raise ValueError('The request is not a document with a "sourceid"; send {sourcedb, sourceid, text}.')
    source_id = sent["sourceid"]
    is_pmid = sent.get("sourcedb") == "PubMed" and source_id.isdecimal()
    return _make_article_of_text(source_id, int(source_id) if is_pmid else None, str(sent.get("text", "")))


def _read_becalm_document(sent: object) -> KitArticle:
    if not isinstance(sent, dict) or "document_id" not in sent:
        raise ValueError('A document has no "document_id".')
    identifier, title, abstract = (
        str(sent["document_id"]),
        str(sent.get("title", "")),
        str(sent.get("abstractText", "")),
    )
    is_pmid = sent.get("source") == "PUBMED" and identifier.isdecimal()
    text = str(sent.get("text") or (f"{title}\n{abstract}" if title or abstract else ""))
    return KitArticle(identifier, int(identifier) if is_pmid else None, title, abstract, text)


def _make_article_of_text(identifier: str, pmid: int | None, text: str) -> KitArticle:
    title, _, abstract = text.partition("\n")
    return KitArticle(identifier, pmid, title, abstract, text)
