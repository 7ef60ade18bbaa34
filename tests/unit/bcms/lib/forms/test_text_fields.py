"""Form fields refuse what nobody sees."""

import pytest
from django.core.exceptions import ValidationError

from bcms.accounts.forms import TokenForm
from bcms.curation_projects.forms import ProjectForm
from bcms.data_sets.forms import DataSetForm
from bcms.lib.forms.text_fields import OneLineField, ShownTextField
from bcms.server_page.review.forms import ReviewForm
from evaluation.challenges.announcements.forms import AnnouncementForm
from evaluation.challenges.discussion.forms import HidingForm, ThreadForm
from evaluation.challenges.setup.forms import ChallengeForm, ChallengeRulesForm, CorpusForm, TaskForm
from evaluation.manual_annotations.forms import ManualAnnotationForm
from servers.registry.forms import ServerForm
from servers.teams.forms import TeamForm

FIELDS = {
    OneLineField: [
        *((ServerForm, "name"), (ServerForm, "stated_version"), (TeamForm, "name"), (TokenForm, "name")),
        *((ChallengeForm, "name"), (TaskForm, "title"), (CorpusForm, "name"), (ProjectForm, "name")),
        *((ChallengeRulesForm, name) for name in ("name", "organizer_names", "contact", "doi", "data_licence")),
        *((AnnouncementForm, "title"), (ThreadForm, "title"), (HidingForm, "reason"), (DataSetForm, "name")),
        (ManualAnnotationForm, "who"),
    ],
    ShownTextField: [
        *((ServerForm, "description"), (ChallengeForm, "description"), (TaskForm, "note"), (CorpusForm, "description")),
        *((ChallengeRulesForm, "description"), (ChallengeRulesForm, "terms"), (ChallengeRulesForm, "citation")),
        *((AnnouncementForm, "text"), (ThreadForm, "text"), (ProjectForm, "guideline"), (DataSetForm, "description")),
        (ReviewForm, "note"),
    ],
}


def test_a_line_has_one_space_for_each_white_space():
    assert OneLineField().clean("  Genes\r\nand\u00a0 proteins\t") == "Genes and proteins"
    assert OneLineField(required=False).clean(None) == ""


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x07", "\ufeff", "\ue000"])
def test_a_line_has_no_invisible_character(hidden):
    with pytest.raises(ValidationError, match=r"invisible character. Type it again"):
        OneLineField().clean(f"Ge{hidden}nes")


def test_a_text_has_no_control_character_but_tabs_and_line_breaks():
    text = "One\tline\r\nand another,\n\u200cwith joiners of other scripts"
    assert ShownTextField().clean(text) == text
    for control in ("\x07", "\x1b", "\x7f", "\x9b"):
        with pytest.raises(ValidationError, match="control character"):
            ShownTextField().clean(f"text{control}")


@pytest.mark.parametrize(
    ("kind", "form", "name"),
    [(kind, *field) for kind, fields in FIELDS.items() for field in fields],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_what_others_read_is_in_such_fields(kind, form, name):
    assert type(form.base_fields[name]) is kind
