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


def read_article_parameter(sent: object) -> KitArticle:
    """The article in the parameter of an XML-RPC call: a struct {id, title, abstract, text}, a PMID or plain text.

    The first line of plain text is the title. Raises ValueError with a sentence for the sender.
    Source: the BCMS XML-RPC protocol.
    """
    if isinstance(sent, Mapping):
        return read_article_struct(sent)
    if isinstance(sent, str):
        title, _, abstract = sent.partition("\n")
        return KitArticle("", None, title, abstract, sent)
    if isinstance(sent, int) and not isinstance(sent, bool):
        return KitArticle(str(sent), sent, "", "", "")
    raise ValueError(f"The article must be a struct, a PMID or a text, not {type(sent).__name__}.")


def read_article_struct(sent: Mapping[str, object]) -> KitArticle:
    if "id" not in sent:
        raise ValueError('The struct has no "id"; send {id, title, abstract, text}.')
    identifier, title, abstract = (str(sent.get(part, "")) for part in ("id", "title", "abstract"))
    text = str(sent.get("text") or f"{title}\n{abstract}")
    return KitArticle(identifier, int(identifier) if identifier.isdecimal() else None, title, abstract, text)


def parse_rest_request(body: bytes) -> KitArticle:
    """The article in a request of the REST protocol: {id, pmid, title, abstract, text}; only id is required.

    Without a title, the first line of the text is the title. Raises ValueError with a sentence for the sender.
    """
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"The request is not JSON: {error}.") from error
    if not isinstance(sent, dict) or not isinstance(sent.get("id"), str):
        raise ValueError('The request is not an object with an "id"; send {id, title, abstract, text}.')
    text, pmid = str(sent.get("text", "")), sent.get("pmid")
    first, _, rest = text.partition("\n")
    title, abstract = str(sent.get("title", first)), str(sent.get("abstract", rest))
    return KitArticle(sent["id"], pmid if isinstance(pmid, int) else None, title, abstract, text)
