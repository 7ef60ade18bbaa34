"""The demo's manuscript, which waits for its author, sent in by the operations that a journal uses by REST."""

from pathlib import Path

from django.contrib.auth.models import User
from django.utils import timezone

from annotations.curation.manuscripts.links import create_link
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.manuscripts.states import LinkRole
from annotations.curation.manuscripts.submission import ManuscriptInput
from bcms.manuscripts.intake import build_article_of_passages, store_and_enqueue_manuscript

REFERENCE = "EMBER-2041"
GUIDELINES = (
    "Name the organisms first. Accept only genes and proteins that your experiments are about. "
    "Give each interaction at least one detection method, with the sentence that reports it."
)
# Written for the demo: it describes no experiment.
TITLE = "E-cadherin recruits beta-catenin to early cell contacts"
PASSAGES = (
    {
        "type": "abstract",
        "text": "Human epithelial cells form contacts within minutes after they meet. We asked which partners of "
        "E-cadherin (CDH1) arrive first. In a two hybrid screen, the tail of CDH1 interacted with beta-catenin "
        "(CTNNB1) and with p120 catenin (CTNND1). Pull down assays confirmed that CDH1 binds CTNNB1. Vinculin (VCL) "
        "came later, and did not bind CDH1 without alpha-catenin (CTNNA1). Breast cancer cells without CDH1 formed no "
        "contacts.",
    },
)


def submit_demo_manuscript_once(token_file: Path) -> None:
    """Send the manuscript in, and keep the token of a link for its author in this file, unless it is there."""
    journal = User.objects.get(username="ember")
    now = timezone.now()
    manuscript = Manuscript.objects.filter(journal=journal, reference=REFERENCE).first()
    if manuscript is None:
        article = build_article_of_passages(TITLE, PASSAGES)
        given = ManuscriptInput(reference=REFERENCE, guidelines=GUIDELINES)
        manuscript = store_and_enqueue_manuscript(journal, article, given, now)
    elif token_file.exists():
        return
    token_file.touch(mode=0o600)
    token_file.write_text(create_link(manuscript, LinkRole.AUTHOR, now), encoding="ascii")
