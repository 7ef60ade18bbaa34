"""The article that a meta-server sends, whatever it sends of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KitArticle:
    """One article to annotate.

    identifier is what the meta-server calls it: a PMID, an opaque id in a blind test, empty when bare text was sent.
    pmid is None when it is not told. text is the canonical text, in which positions count: title, one newline,
    abstract. All three texts are empty when only a PMID was sent.
    """

    identifier: str
    pmid: int | None
    title: str
    abstract: str
    text: str


def read_article(sent: object) -> KitArticle:
    """The article in the one parameter of a call: a struct {id, title, abstract, text}, a PMID or the plain text.

    The first line of plain text is the title. Raises ValueError, with a sentence for the sender, for anything else.
    Source: the BCMS XML-RPC protocol.
    """
    if isinstance(sent, Mapping):
        return of_struct(sent)
    if isinstance(sent, str):
        title, _, abstract = sent.partition("\n")
        return KitArticle("", None, title, abstract, sent)
    if isinstance(sent, int) and not isinstance(sent, bool):
        return KitArticle(str(sent), sent, "", "", "")
    raise ValueError(f"The article must be a struct, a PMID or a text, not {type(sent).__name__}.")


def of_struct(sent: Mapping[str, object]) -> KitArticle:
    if "id" not in sent:
        raise ValueError('The struct has no "id"; send {id, title, abstract, text}.')
    identifier, title, abstract = (str(sent.get(part, "")) for part in ("id", "title", "abstract"))
    text = str(sent.get("text") or f"{title}\n{abstract}")
    return KitArticle(identifier, int(identifier) if identifier.isdecimal() else None, title, abstract, text)


def read_question(body: bytes) -> KitArticle:
    """The article in a question of the REST protocol: {id, pmid, title, abstract, text}, as far as they are sent.

    The first line of a text without a title is the title. Raises ValueError, with a sentence for the sender.
    """
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"The request is not JSON: {error}.") from error
    if not isinstance(sent, dict) or not isinstance(sent.get("id"), str):
        raise ValueError('The request is no object with an "id"; send {id, title, abstract, text}.')
    text, pmid = str(sent.get("text", "")), sent.get("pmid")
    first, _, rest = text.partition("\n")
    title, abstract = str(sent.get("title", first)), str(sent.get("abstract", rest))
    return KitArticle(sent["id"], pmid if isinstance(pmid, int) else None, title, abstract, text)
