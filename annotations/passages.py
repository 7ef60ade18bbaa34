"""Evidence passages: sentences that a producer copied from an article to show why it reports a pair.

Passages that differ in white space alone are one passage: line breaks and tabs do not survive every protocol and file,
so where they stand says nothing about what was copied.
"""

from annotations.sentences import sentences
from bcms.lib.text import one_spaced

MOST_SENTENCES = 3
PASSAGES_PER_PAIR = 5


def is_copied(passage: str, article: str) -> bool:
    """Whether the passage stands in the article but for white space; article: its text, one-spaced."""
    copied = one_spaced(passage)
    return bool(copied) and copied in article


def too_long(passage: str) -> bool:
    """Whether the passage has more than MOST_SENTENCES sentences, as annotations/sentences.py finds them."""
    return len(sentences(passage)) > MOST_SENTENCES
