"""What changes on the pages of a manuscript while they are open: answers of servers, keywords and comments."""

import zlib

from annotations.curation.manuscripts.models import Manuscript, ManuscriptComment
from annotations.curation.manuscripts.states import LinkRole
from annotations.curation.models import Curation
from bcms.manuscripts.keywords import list_keywords
from bcms.manuscripts.server_answers import ANSWERED, AWAITED, list_server_answers, summarize_answers


def build_news_context(
    manuscript: Manuscript, role: LinkRole, *, in_workspace: bool = False, step: str = ""
) -> dict[str, object]:
    """What templates/manuscripts/_news.html shows: 6 queries. answered: changes with what servers propose.
    in_workspace, step: whether it is shown there, and at which step, so that its buttons lead back."""
    answers = list_server_answers(manuscript.article)
    keywords = list_keywords(manuscript.article)
    comments = list(manuscript.comments.order_by("pk"))
    seen = [answers, keywords, [(comment.pk, comment.done) for comment in comments]]
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
        "comments": comments,
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
        return {
            "comments": list(ManuscriptComment.objects.filter(manuscript__curation=curation.basis_id).order_by("pk"))
        }
    manuscript = Manuscript.objects.select_related("article").filter(curation=curation.pk).first()
    return build_news_context(manuscript, LinkRole.AUTHOR, in_workspace=True, step=step) if manuscript else {}
