"""Context of the manual's page about rules: code, title and hint of every rule."""

from django.conf import settings

# Importing annotations.annotation_rules registers the rules.
import annotations.annotation_rules  # noqa: F401
from annotations.formats.rules import FILE_RULES
from annotations.identifiers.verification import UNKNOWN_IDENTIFIER
from annotations.rule_registry import ANNOTATION_RULES
from annotations.rules.digital_abstract_rules import DIGITAL_ABSTRACT_RULES
from servers.protocols.answer_fields import ANSWER_RULES

RuleRow = tuple[str, str, str]

EXISTENCE_RULE = (
    UNKNOWN_IDENTIFIER,
    "An identifier must exist in its database.",
    "Send an identifier that is in the database. An identifier that was withdrawn or has not been looked up yet "
    "breaks no rule; the page marks it.",
)


def build_answer_and_file_rules_context() -> dict[str, object]:
    return {
        "answer_rules": _list_answer_rules(),
        "digital_abstract_rules": DIGITAL_ABSTRACT_RULES,
        "file_rules": _list_file_rules(),
        "registry_days": settings.REGISTRY_DAYS,
    }


def _list_answer_rules() -> list[RuleRow]:
    rows = [
        *((rule.code, rule.title, rule.hint) for rule in ANNOTATION_RULES.values()),
        *((rule.code, rule.title, rule.mend) for rule in ANSWER_RULES.values()),
        EXISTENCE_RULE,
    ]
    return sorted(rows)


def _list_file_rules() -> list[RuleRow]:
    return [(rule.code, rule.title, rule.mend) for rule in FILE_RULES]


def list_rule_codes() -> list[str]:
    """The code of every rule, in ascending order."""
    return sorted(code for code, _, _ in (*_list_answer_rules(), *DIGITAL_ABSTRACT_RULES, *_list_file_rules()))
