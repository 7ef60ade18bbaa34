"""Show a form again as it was sent, with the fault of a field, so that nothing that was typed is lost."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from lxml import html
from lxml.html import HtmlElement

TICKED = ("checkbox", "radio")
# Their values are of the page and not typed.
UNTYPED = ("hidden", "submit")
FAULT_ID = "form-error"


@dataclass(frozen=True, slots=True)
class TypedForm:
    """What was sent with a form, and what is wrong with it.

    values: by name; fields of one name have them in their order. field: that with the fault, by its name or data-field.
    describe: the text of a choice that the page does not offer, by its value.
    """

    values: Mapping[str, Sequence[str]]
    field: str
    fault: str
    describe: Callable[[str], str]


def show_typed_form(page: str, form_path: str, typed: TypedForm) -> str:
    """The HTML of a page with the form at an XPath filled in, and the fault after its field or at the head of the form.

    Choices that the page does not offer are added to the list of the same data-field. Folded parts with the fault are
    opened.
    """
    document: HtmlElement = html.document_fromstring(page)
    form: HtmlElement = document.xpath(form_path)[0]
    _fill(form, typed.values)
    _add_choices(form, typed)
    _note_fault(form, typed.field, typed.fault)
    return str(html.tostring(document, doctype="<!doctype html>", encoding="unicode"))


def _fill(form: HtmlElement, values: Mapping[str, Sequence[str]]) -> None:
    filled: Counter[str] = Counter()
    for element in form.iter("input", "select", "textarea"):
        name, kind = element.get("name", ""), element.get("type", "")
        if not name or kind in UNTYPED:
            continue
        given = values.get(name, ())
        if kind in TICKED:
            element.checked = element.get("value", "on") in given
            continue
        # A choice that the page does not offer stays as it is.
        with suppress(ValueError):
            element.value = given[filled[name]] if filled[name] < len(given) else ""
        filled[name] += 1


def _add_choices(form: HtmlElement, typed: TypedForm) -> None:
    for choices in form.xpath(".//ul[@data-field]"):
        name = choices.get("data-field")
        offered = set(choices.xpath(".//input/@value"))
        for value in typed.values.get(name, ()):
            if value not in offered:
                label = html.Element("label")
                ticked = {"type": "checkbox", "name": name, "value": value, "checked": ""}
                label.append(html.Element("input", ticked))
                label[0].tail = f" {typed.describe(value)}"
                choices.append(html.Element("li"))
                choices[-1].append(label)


def _note_fault(form: HtmlElement, field: str, fault: str) -> None:
    note = html.Element("p", {"class": "message error field-error", "id": FAULT_ID, "role": "alert"})
    note.text = fault
    found = form.xpath(".//*[@data-field=$field or @name=$field]", field=field) if field else []
    if not found:
        form.insert(0, note)
        return
    found[0].set("aria-invalid", "true")
    found[0].set("aria-describedby", FAULT_ID)
    found[0].addnext(note)
    for part in note.iterancestors("details"):
        part.set("open", "")
