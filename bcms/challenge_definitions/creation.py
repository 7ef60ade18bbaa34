"""Create a challenge from a definition, as a draft: all of it, or nothing."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from rest_framework.exceptions import ValidationError

from annotations.articles.models import Corpus
from annotations.formats.errors import MAX_FAULTS_PER_RULE, FormatError, RefusedFileError, replace_unprintable
from bcms.challenge_definitions.serializers import ChallengeDefinition
from bcms.challenge_definitions.yaml_reader import LocatedDocument, YamlError, read_yaml
from bcms.lib.pictures.page_picture import PagePicture
from bcms.lib.rest.problems import convert_form_errors, iter_validation_faults
from bcms.lib.rest.validation import get_cleaned_form_data
from evaluation.challenges.models import Challenge
from evaluation.challenges.phases.forms import PhaseRulesForm
from evaluation.challenges.pictures.forms import list_picture_faults
from evaluation.challenges.pictures.models import ChallengePicture
from evaluation.challenges.pictures.queries import load_picture_contents
from evaluation.challenges.pictures.storage import NewPicture, add_pictures, check_limits
from evaluation.challenges.pictures.visibility import find_visible_pictures_of_any_challenge
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.api import build_phase_rules_form
from evaluation.challenges.setup.corpora import create_challenge_corpus, list_corpora_challenge_may_use
from evaluation.challenges.setup.forms import (
    ChallengeForm,
    ChallengeRulesForm,
    CorpusForm,
    TaskForm,
    get_task_fields,
)
from evaluation.errors import ChallengeError
from servers.teams.permissions import User

DEFINITION_SYNTAX_RULE, DEFINITION_VALUE_RULE = "R761", "R762"
LONGEST_PATH = 100
NO_SUCH_PICTURE = (
    "No challenge that you can see has this picture. Remove it here, and upload it to the new challenge after that."
)
PICTURE_NAMED_TWICE = "The definition names this picture twice. Remove one of them."
NO_SUCH_CORPUS = (
    "There is no corpus with this name in URLs, or the challenge cannot use it. Define it under corpora, or remove the "
    "phase and add it later."
)
# A new phase has no tasks in mean_rank_tasks, and its caps are fields of their own in the form.
PHASE_RULES = [name for name in PhaseRulesForm.Meta.fields if name != "mean_rank_tasks"]


def create_challenge_from_file(
    content: bytes, file_name: str, organizer: User, changes: Mapping[str, str] | None = None
) -> Challenge:
    """Create the challenge that a YAML or JSON file defines, as a draft. changes: values to put in place of its own.

    RefusedFileError, with the line of each fault; nothing is stored then.
    """
    try:
        document = read_yaml(content)
    except YamlError as error:
        fault = FormatError(file_name, error.line, error.column, DEFINITION_SYNTAX_RULE, str(error))
        raise RefusedFileError([fault]) from None
    given = document.content
    try:
        return _create_challenge_with_its_pictures(
            {**given, **(changes or {})} if isinstance(given, dict) else given, organizer
        )
    except ValidationError as error:
        raise RefusedFileError(_list_located_faults(error, document, file_name)) from None


@transaction.atomic
def _create_challenge_with_its_pictures(definition: object, organizer: User) -> Challenge:
    """What create_challenge_from_definition creates. ValidationError also if pages would show a picture in the
    description as a link. Copies and archives have it then, as nobody can correct them.
    """
    challenge = create_challenge_from_definition(definition, organizer)
    if faults := list_picture_faults(challenge, challenge.description):
        raise ValidationError({"description": faults})
    return challenge


def _list_located_faults(error: ValidationError, document: LocatedDocument, file_name: str) -> list[FormatError]:
    """In the order of their lines, the first MAX_FAULTS_PER_RULE of them."""
    faults = [
        FormatError(
            file_name,
            document.find_line(fault.loc),
            1,
            DEFINITION_VALUE_RULE,
            f"{_clip_path(fault.loc)}: {fault.message}" if fault.loc else fault.message,
        )
        for fault in iter_validation_faults(error.detail)
    ]
    faults.sort(key=lambda fault: fault.line)
    listed, others = faults[:MAX_FAULTS_PER_RULE], faults[MAX_FAULTS_PER_RULE:]
    if others:
        more = f"There are {len(others):,} more faults. Correct those above first."
        listed.append(FormatError(file_name, others[0].line, 1, DEFINITION_VALUE_RULE, more))
    return listed


def _clip_path(path: str) -> str:
    """The path for one line of a message: its names are what the sender wrote."""
    return replace_unprintable(path if len(path) <= LONGEST_PATH else f"{path[:LONGEST_PATH]}…")


@transaction.atomic
def create_challenge_from_definition(definition: object, organizer: User) -> Challenge:
    """Create the challenge that a document as ChallengeDefinition defines. ValidationError with all that is wrong, by
    where it is; nothing is stored then.
    """
    serializer = ChallengeDefinition(data=definition)
    serializer.is_valid(raise_exception=True)
    sent = serializer.validated_data
    challenge = _create_challenge_with_rules(sent, organizer)
    faults = _PartFaults()
    _copy_pictures(challenge, sent.get("pictures", ()), organizer, faults)
    for place, task in enumerate(sent.get("tasks", ())):
        with faults.note("tasks", place):
            form = TaskForm(challenge, task, task_settings=task["settings"])
            get_cleaned_form_data(form)
            creation.create_task(challenge, **get_task_fields(form))
    for place, corpus in enumerate(sent.get("corpora", ())):
        with faults.note("corpora", place):
            data = get_cleaned_form_data(CorpusForm(challenge, {**corpus, "articles": "\n".join(corpus["articles"])}))
            create_challenge_corpus(challenge, **data)
    # Phases need tasks and corpora: their faults would follow from those of the others.
    faults.raise_any()
    for place, phase in enumerate(sent.get("phases", ())):
        with faults.note("phases", place):
            _create_phase_with_rules(challenge, phase, organizer)
    faults.raise_any()
    return challenge


class _PartFaults:
    """What is wrong with the parts of a definition, by where it is."""

    def __init__(self) -> None:
        self.faults: dict[str, Any] = {}

    @contextmanager
    def note(self, name: str, place: int) -> Iterator[None]:
        """Keep an error of the part with this place in the list, so that the others are checked, too."""
        try:
            with transaction.atomic():
                yield
        except ValidationError as error:
            self.faults[f"{name}.{place}"] = error.detail
        except ChallengeError as error:
            self.faults[f"{name}.{place}"] = [str(error)]

    def raise_any(self) -> None:
        if self.faults:
            raise ValidationError(self.faults)


def _create_challenge_with_rules(sent: Mapping[str, Any], organizer: User) -> Challenge:
    form = ChallengeForm(
        {"description": "", **{name: sent[name] for name in ChallengeForm.Meta.fields if name in sent}}
    )
    data = get_cleaned_form_data(form)
    try:
        challenge = creation.create_challenge(data["name"], data["slug"], data["description"], organizer)
    except ChallengeError as error:
        raise ValidationError({"slug": [str(error)]}) from None
    fields = ChallengeRulesForm.Meta.fields
    rules = ChallengeRulesForm({name: sent.get(name, getattr(challenge, name)) for name in fields}, instance=challenge)
    if not rules.is_valid():
        raise convert_form_errors(rules)
    return rules.save()


def _copy_pictures(
    challenge: Challenge, sent: Sequence[Mapping[str, Any]], organizer: User, faults: _PartFaults
) -> None:
    """Give the challenge pictures that the organizer sees in other challenges."""
    names = [each["name"] for each in sent]
    found = find_visible_pictures_of_any_challenge(organizer, names)
    for place, name in enumerate(names):
        with faults.note("pictures", place):
            if name not in found:
                raise ValidationError({"name": [NO_SUCH_PICTURE]})
            if name in names[:place]:
                raise ValidationError({"name": [PICTURE_NAMED_TWICE]})
    texts = {each["name"]: each.get("alternative_text", "") for each in sent if each["name"] in found}
    try:
        # Before any of them is read, which takes memory.
        check_limits(challenge, [found[name].size for name in texts])
        contents = load_picture_contents(found.values())
        add_pictures(challenge, [_copy_picture(found[name], contents, text) for name, text in texts.items()])
    except ChallengeError as error:
        raise ValidationError({"pictures": [str(error)]}) from None


def _copy_picture(picture: ChallengePicture, contents: Mapping[int, bytes], alternative_text: str) -> NewPicture:
    if picture.pk not in contents:
        raise ChallengeError(f"The picture {picture.name} was deleted in the meantime. Try again.")
    page_picture = PagePicture(contents[picture.pk], picture.width, picture.height)
    return NewPicture(picture.file_name, page_picture, alternative_text)


def _create_phase_with_rules(challenge: Challenge, sent: Mapping[str, Any], organizer: User) -> None:
    corpus: Corpus | None = list_corpora_challenge_may_use(challenge, organizer).filter(slug=sent["corpus"]).first()
    if corpus is None:
        raise ValidationError({"corpus": [NO_SUCH_CORPUS]})
    phase = creation.create_phase_claiming_blind_corpus(
        challenge, sent["sort"], corpus, sent.get("closes"), sent.get("opens")
    )
    phase.refresh_from_db()
    rules = {name: getattr(phase, name) for name in PHASE_RULES} | {"mean_rank_tasks": [], "upload_caps": {}}
    form = build_phase_rules_form(phase, {**rules, **{name: sent[name] for name in rules if name in sent}})
    get_cleaned_form_data(form)
    form.save()
