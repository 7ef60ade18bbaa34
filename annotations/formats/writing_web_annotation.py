"""W3C Web Annotation: one page of annotations in JSON-LD, each with its target, its body and who made it.

A mention targets a stretch of the article by position, in code points of the canonical text, and by quotation; other
kinds target the article. Bodies are types, words, and the pages of database entries. `finding` holds all that was said,
as JSON. Relative addresses are those of the site. Source: https://www.w3.org/TR/annotation-model/
"""

import json
from collections.abc import Iterable, Iterator

from annotations.databases import entry_page
from annotations.formats.collected import AnnotatedArticle, NamedProducer, said_in
from annotations.kinds import Finding, Kind

Json = dict[str, object]
CONTEXT = ["http://www.w3.org/ns/anno.jsonld", {"finding": {"@id": "tag:bcms,2026:finding", "@type": "@json"}}]
HEAD = f'{{"@context": {json.dumps(CONTEXT)}, "type": "AnnotationPage", "items": [\n'
PROGRAMS = ("server", "run", "consensus")
# So many characters before and after a mention tell it from others of the same words.
AROUND = 32


def write_web_annotation(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """One page, an annotation a line."""
    between = HEAD
    for article in articles:
        text = article.text
        for number, (producer, finding) in enumerate(article.of_kind(*Kind), 1):
            own = annotation_of(article, text, f"#{article.id}-{number}", producer, finding)
            yield between + json.dumps(own, ensure_ascii=False)
            between = ",\n"
    yield (HEAD if between == HEAD else "\n") + "]}\n"


def annotation_of(article: AnnotatedArticle, text: str, name: str, producer: NamedProducer, finding: Finding) -> Json:
    return {
        "id": name,
        "type": "Annotation",
        "motivation": "tagging" if finding.kind is Kind.MENTION else "classifying",
        "creator": {"type": "Software" if producer.sort in PROGRAMS else "Agent", "name": producer.name},
        "target": target_of(article, text, finding),
        "body": list(bodies_of(finding)),
        "finding": producer.told() | {"article": article.id, "kind": finding.kind.value} | dict(said_in(finding)),
    }


def target_of(article: AnnotatedArticle, text: str, finding: Finding) -> Json | str:
    source = address_of(article)
    start, end = finding.start, finding.end
    if start is None or end is None:
        return source
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    quote = {"type": "TextQuoteSelector", "exact": text[start:end], "prefix": before, "suffix": after}
    place = {"type": "TextPositionSelector", "start": start, "end": end}
    return {"type": "SpecificResource", "source": source, "selector": [place, quote]}


def address_of(article: AnnotatedArticle) -> str:
    """Where the world has the article, or where the site has one without a PMID or DOI."""
    pubmed, doi = entry_page("pubmed", str(article.name.pmid or "")), entry_page("doi", article.name.doi)
    return pubmed or doi or f"/articles/{article.id}/"


def bodies_of(finding: Finding) -> Iterator[Json]:
    """What is said, readable by any program: words and pages of entries."""
    if finding.kind is Kind.CLASSIFICATION:
        yield tag("interaction article" if finding.relevant else "no interaction article")
    if finding.type:
        yield tag(finding.type)
    for identifier in filter(None, (finding.identifier, finding.partner)):
        page = entry_page(finding.database, identifier)
        yield {"id": page, "purpose": "identifying"} if page else tag(f"{finding.database}:{identifier}")
    if finding.kind is Kind.PASSAGE:
        yield {"type": "TextualBody", "purpose": "describing", "value": finding.text}


def tag(words: str) -> Json:
    return {"type": "TextualBody", "purpose": "tagging", "value": words}
