"""Which user names are allowed, so that nobody can look like somebody else.

A name contains no "@", so that it is never an e-mail address. It is stored in Unicode normalization form NFKC, has
letters of one script, does not look like Latin letters if it has none, is not like the names of closed accounts, and
differs from every other name by more than case, accents and the choice of separators. The database refuses two names
that are equal without case, too (bcms/migrations/0002_unique_user_names.py).
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.validators import MaxLengthValidator
from django.db.models import CharField, Func, QuerySet, Value
from django.db.models.functions import Cast

# Django's own text allows "@", which find_user_name_fault refuses.
CHARACTER_VALIDATORS = [
    UnicodeUsernameValidator(message="A user name has letters, digits and . + - _ only. Leave out other characters."),
    MaxLengthValidator(150),
]
# Scripts that one language writes together (Unicode Technical Standard 39, "highly restrictive").
EAST_ASIAN_SCRIPTS = frozenset({"HAN", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})
# Characters that belong to any script.
SHARED_SCRIPTS = frozenset({"COMMON", "INHERITED"})


# Names of closed accounts have spaces (bcms/accounts/closing.py), which no name that is chosen can have.
LIKE_CLOSED_ACCOUNT = re.compile(r"former[._+-]*member[._+-]*\d*", re.IGNORECASE)


class NormalizedName(Func):
    """The form of a user name that has to be unique, in SQL: without case and accents, and with one separator.

    Marks of other scripts than Latin, Greek and Cyrillic are kept, as they make different letters.
    """

    template = (
        "lower(regexp_replace(translate(normalize(%(expressions)s, NFKD), '.- ', '___'), '[\\u0300-\\u036F]', '', 'g'))"
    )


def normalize_user_name(name: str) -> str:
    """The form in which a name is stored: NFKC, which replaces full-width and other variants of letters."""
    return unicodedata.normalize("NFKC", name)


def find_user_name_fault(name: str) -> str | None:
    """What is wrong with a normalized name, and how to change it; None for a name that is allowed."""
    if "@" in name:
        return "A user name cannot contain “@”, so that it cannot be mistaken for an e-mail address. Leave it out."
    if not name[:1].isalnum():
        return "A user name begins with a letter or a digit. Change the first character."
    if LIKE_CLOSED_ACCOUNT.fullmatch(_strip_marks(name)):
        return "Names such as “former member 9” are for closed accounts. Choose another one."
    scripts = _list_letter_scripts(name)
    if len(scripts) > 1 and not scripts <= EAST_ASIAN_SCRIPTS:
        found = " and ".join(sorted(script.title() for script in scripts))
        return f"This name mixes letters of {found}. Use letters of one script."
    if scripts and "LATIN" not in scripts and all(_looks_latin(letter) for letter in _iter_letters(name)):
        return "This name looks as if it had Latin letters. Type it in Latin letters, or choose another one."
    return None


def is_user_name_taken(name: str) -> bool:
    """Whether an account has this name, or one that differs only by case, accents or separators."""
    accounts = annotate_normalized_names(User.objects.all())
    return accounts.filter(normalized=NormalizedName(Cast(Value(name), CharField()))).exists()


def annotate_normalized_names(accounts: QuerySet[User]) -> QuerySet[Any]:
    """Accounts with `normalized`, the form of their names that has to be unique."""
    return accounts.annotate(normalized=NormalizedName("username"))


def _strip_marks(name: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))


def _iter_letters(name: str) -> Iterator[str]:
    return (character for character in name if unicodedata.category(character).startswith("L"))


def _list_letter_scripts(name: str) -> frozenset[str]:
    # Imported here, because it reads large tables, which only sign-up needs.
    from confusable_homoglyphs import categories

    return frozenset(categories.unique_aliases("".join(_iter_letters(name)))) - SHARED_SCRIPTS


def _looks_latin(letter: str) -> bool:
    """Whether a letter of another script is easily confused with one of A to Z."""
    from confusable_homoglyphs import confusables

    entries = confusables.is_confusable(letter, greedy=True) or []
    alike = {other["c"] for entry in entries for other in entry["homoglyphs"]}
    return any(len(text) == 1 and text.isascii() and text.isalpha() for text in alike)
