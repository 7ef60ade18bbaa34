"""The article in a request of the meta-server, whichever parts of it were sent."""

import json
from collections.abc import Mapping
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
        title, _, abstract = struct_or_pmid_or_text.partition("\n")
        return KitArticle("", None, title, abstract, struct_or_pmid_or_text)
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
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"The request is not JSON: {error}.") from error
    if isinstance(sent, list) and sent:
        return [_read_rest_article(each) for each in sent]
    return _read_rest_article(sent)


def _read_rest_article(sent: object) -> KitArticle:
    if not isinstance(sent, dict) or not isinstance(sent.get("id"), str):
        raise ValueError('The request is not an object with an "id"; send {id, title, abstract, text}.')
    text, pmid = str(sent.get("text", "")), sent.get("pmid")
    first, _, rest = text.partition("\n")
    title, abstract = str(sent.get("title", first)), str(sent.get("abstract", rest))
    return KitArticle(sent["id"], pmid if isinstance(pmid, int) else None, title, abstract, text)
