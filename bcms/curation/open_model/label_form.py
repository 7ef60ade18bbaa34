"""Read a label from the form of the workspace: type, the name of the set of labels, and text, its value."""

from django.http import QueryDict

from annotations.schema import AnnotationData, make_label
from bcms.curation.open_model.annotation_items import check_annotation
from bcms.lib.text import replace_unstorable_characters


def read_label_form(form: QueryDict, article_text: str, before: AnnotationData | None = None) -> AnnotationData:
    """The label of a form; CurationError with the field at fault. before: what the form showed, None for nothing."""
    name, value = (replace_unstorable_characters(form.get(field, "")).strip() for field in ("type", "text"))
    label = make_label(name, value)
    check_annotation(label, article_text, before, str)
    return label
