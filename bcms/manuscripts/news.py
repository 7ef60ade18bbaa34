"""What changes on the pages of a manuscript while they are open: answers of servers, keywords and comments."""

import zlib

from annotations.curation.manuscripts.models import Manuscript, ManuscriptComment
from annotations.curation.manuscripts.states import LinkRole
from annotations.curation.models import Curation
from annotations.curation.states import CurationState
from bcms.manuscripts.keywords import list_keywords
from bcms.manuscripts.server_answers import ANSWERED, AWAITED, list_server_answers, summarize_answers
from bcms.manuscripts.suggestions import list_shown_comments


def build_news_context(
    manuscript: Manuscript, role: LinkRole, *, in_workspace: bool = False, step: str = ""
) -> dict[str, object]:
    """What templates/manuscripts/_news.html shows: 8 queries at most. answered: changes with what servers propose.
    in_workspace, step: whether it is shown there, and at which step, so that its buttons lead back. takes_over: the
    curation to which what reviewers suggest can be added, None for none."""
    answers = list_server_answers(manuscript.article)
    keywords = list_keywords(manuscript.article)
    comments = list(manuscript.comments.order_by("pk"))
    shown = list_shown_comments(comments, manuscript.curation)
    seen = [answers, keywords, [(each.comment.pk, each.comment.done, each.suggestion) for each in shown]]
    return {
        "manuscript": manuscript,
        "is_author": role == LinkRole.AUTHOR,
        "in_workspace": in_workspace,
        "step": step,
        "answers": answers,
        "answered": " ".join(each.slug for each in answers if each.state == ANSWERED),
        "awaited": [each.name for each in answers if each.state == AWAITED],
        "summary": summarize_answers(answers),
        "keywords": keywords,
        "comments": shown,
        "takes_over": _find_open_or_none(manuscript.curation) if in_workspace and role == LinkRole.AUTHOR else None,
        "open_comments": sum(comment.done is None and comment.role == LinkRole.REVIEWER for comment in comments),
        "version": f"{zlib.crc32(repr(seen).encode()):08x}",
    }


def find_news_for_workspace(curation: Curation, step: str) -> dict[str, object]:
    """What the workspace shows to the author of a manuscript, or only the comments to a curator whom the journal
    assigned; empty for any other curation, without a query for one of a public article. The caller has checked that the
    reader may open the curation."""
    if not curation.article.blind:
        return {}
    if curation.basis_id is not None:
        comments = ManuscriptComment.objects.filter(manuscript__curation=curation.basis_id).order_by("pk")
        return {"comments": list_shown_comments(comments, curation), "takes_over": _find_open_or_none(curation)}
    manuscript = Manuscript.objects.select_related("article", "curation").filter(curation=curation.pk).first()
    return build_news_context(manuscript, LinkRole.AUTHOR, in_workspace=True, step=step) if manuscript else {}


def _find_open_or_none(curation: Curation) -> Curation | None:
    return curation if curation.state == CurationState.OPEN else None
