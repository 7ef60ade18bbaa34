"""What relates to what: the ends of a relation, its qualifiers and its evidence, for the list of relations."""

from annotations.schema import NEGATION_QUALIFIER, TRUE_QUALIFIER, AnnotationData, RelationArgument
from bcms.article_page.entry_names import EntryNames
from bcms.article_page.template_data import NamedEntity, RelationEnd, RelationRow


def build_relation_row(annotation: AnnotationData, article_text: str, names: EntryNames) -> RelationRow | None:
    """The parts of a relation of any type; None for other annotations."""
    relation = annotation.relation
    if relation is None:
        return None
    qualifiers = [
        f"{each.name}: {each.value}" for each in relation.qualifiers if each != (NEGATION_QUALIFIER, TRUE_QUALIFIER)
    ]
    return RelationRow(
        type=annotation.type,
        ends=[_build_relation_end(each, names) for each in relation.arguments],
        directed=relation.directed,
        negated=relation.is_negated(),
        qualifiers=qualifiers,
        evidence=[article_text[start:end] for start, end in relation.evidence],
    )


def _build_relation_end(argument: RelationArgument, names: EntryNames) -> RelationEnd:
    references = [names.build_reference(*entity_id) for entity_id in argument.identifiers]
    return RelationEnd(argument.role, argument.text, argument.type, NamedEntity(references) if references else None)
