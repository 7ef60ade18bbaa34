"""The examples of the manual's page about the open annotation model: a server, and one annotation of each shape.

tests/integration/bcms/manual/test_open_model_examples.py registers the server and lets it answer with them.
"""

from collections.abc import Mapping

EXAMPLE_TITLE, EXAMPLE_ABSTRACT = "BRCA1 and breast cancer", "BRCA1 and 2 are associated with breast cancer."
REGISTERED_SERVER: Mapping[str, object] = {
    "team": "your-team",
    "name": "Open tagger",
    "url": "https://example.org/annotate",
    "protocol": "rest",
    "kinds": ["mention", "entity", "relation", "label"],
    "entity_types": ["Gene", "Disease"],
}
MENTIONS: Mapping[str, object] = {
    "mention": [
        {"id": "T1", "start": 0, "end": 5, "text": "BRCA1", "type": "Gene", "identifiers": ["ncbigene:672"]},
        {
            "id": "T2",
            "start": 10,
            "end": 23,
            "text": "breast cancer",
            "type": "Disease",
            "identifiers": ["MESH:D001943"],
        },
        {"id": "T3", "spans": [[24, 28], [34, 35]], "text": "BRCA 2", "type": "Gene", "identifiers": ["ncbigene:675"]},
    ]
}
ENTITY: Mapping[str, object] = {"entity": [{"curie": "MESH:D001943", "type": "Disease", "confidence": 0.9}]}
RELATION: Mapping[str, object] = {
    "relation": [
        {
            "type": "associated",
            "arguments": [{"role": "gene", "mention": "T1"}, {"role": "disease", "mention": "T2"}],
            "qualifiers": {"novelty": "No"},
            "evidence": [[24, 70]],
        }
    ]
}
LABEL: Mapping[str, object] = {"label": [{"name": "topic", "value": "genetics", "confidence": 0.75}]}
# A relation names mentions of the same answer.
ANSWERED_ANNOTATIONS: Mapping[str, object] = {**MENTIONS, **ENTITY, **RELATION, **LABEL}
EXAMPLES_BY_NAME: Mapping[str, Mapping[str, object]] = {
    "registered_server": REGISTERED_SERVER,
    "mentions": MENTIONS,
    "entity": ENTITY,
    "relation": RELATION,
    "label": LABEL,
}
