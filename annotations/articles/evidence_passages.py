"""Evidence passages: sentences that a producer copied from an article to support an interaction pair.

Passages that differ only in white space count as the same passage, because not every protocol and file format preserves
line breaks and tabs.
"""

from annotations.articles.sentences import split_sentences
from bcms.lib.text import collapse_white_space

MOST_SENTENCES = 3
PASSAGES_PER_PAIR = 5


def is_copied_passage(passage: str, article_text_with_collapsed_space: str) -> bool:
    """Whether the article has the passage, up to white space; article_text_with_collapsed_space is its text with
    collapsed white space.
    """
    copied = collapse_white_space(passage)
    return bool(copied) and copied in article_text_with_collapsed_space


def has_too_many_sentences(passage: str) -> bool:
    """Whether the passage has more than MOST_SENTENCES sentences, split as in annotations/articles/sentences.py."""
    return len(split_sentences(passage)) > MOST_SENTENCES
