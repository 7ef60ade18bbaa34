"""What the page of a curation shows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import accumulate, chain
from urllib.parse import urlencode

from django.db.models import Count, Exists, OuterRef
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.contents import read_annotation_content
from annotations.curation.decisions import has_items_of_basis
from annotations.curation.models import Candidate, Curation, Decision
from annotations.curation.projects.experiments import is_without_help_yet
from annotations.curation.session import load_digital_abstract
from annotations.curation.states import CurationState, DecisionAction, ItemKind, ItemState
from annotations.curation.timer import LONGEST_SIGHT
from annotations.entity_types import list_known_entity_types
from annotations.identifiers.queries import find_psi_mi_terms
from annotations.search.entry_suggestions import MOST_CHOSEN_ORGANISMS
from bcms.curation.item_rows import ROWS_PER_PAGE, ItemPage, ItemRow, load_item_page, load_item_rows
from bcms.curation.mentions.mention_rows import load_group_rows, load_mention_page
from bcms.curation.record_view import RecordView, build_record_view
from bcms.curation.steps import KIND_TITLES, STEPS, CurationStep, find_step

REASONS = (
    "not in this article",
    "wrong entity",
    "wrong organism",
    "wrong boundaries",
    "no experimental evidence",
    "other",
)


@dataclass(frozen=True, slots=True)
class ItemKindTab:
    """A kind of the open step: how many items it has, and how many are decided."""

    kind: ItemKind
    title: str
    total: int
    decided: int


def _build_tab(kind: ItemKind, proposed: int, decided: int, added: int) -> ItemKindTab:
    """added: how many of the decided ones are not among the proposed ones."""
    return ItemKindTab(kind, KIND_TITLES[kind], proposed + added, decided)


class Workspace:
    """A curation at one step, with the list of one kind of items."""

    def __init__(self, curation: Curation, step: str = "", kind: str = "", page: int = 1) -> None:
        self.curation = curation
        self.step: CurationStep = find_step(step)
        self._asked_kind = kind
        self.page = max(page, 1)

    @cached_property
    def kind(self) -> ItemKind | None:
        """The open list: the one that was asked for, otherwise the first of the step that has items."""
        kinds = self.step.kinds
        if self._asked_kind in kinds:
            return ItemKind(self._asked_kind)
        filled = (tab.kind for tab in self.tabs if tab.total)
        return next(filled, kinds[0] if kinds else None)

    @property
    def article(self) -> Article:
        return self.curation.article

    @property
    def ident(self) -> str:
        return format_pmid_or_opaque(self.article)

    @property
    def without_help(self) -> bool:
        """Whether it is part of an experiment, and the curator works from the text alone and is not done."""
        return is_without_help_yet(self.curation)

    @property
    def steps(self) -> Sequence[CurationStep]:
        return STEPS

    @property
    def reasons(self) -> Sequence[str]:
        return REASONS

    @cached_property
    def reason_options(self) -> SafeString:
        """The reasons as options, written once for all rows in which none is chosen."""
        return format_html_join("", "<option>{}</option>", ((reason,) for reason in REASONS))

    @cached_property
    def decide_url(self) -> str:
        """Where the forms of the open list are sent."""
        shown = {"step": self.step.slug, "kind": self.kind or "", "page": self.page}
        query = urlencode({**shown, "list": self.curation.candidates_id or ""})
        return f"{reverse('curation-decide', args=[self.curation.pk])}?{query}"

    @cached_property
    def item_url(self) -> str:
        """The page of an item, without its key."""
        query = urlencode({"step": self.step.slug, "kind": self.kind or ""})
        return f"{reverse('curation-item', args=[self.curation.pk])}?{query}"

    @property
    def entity_types(self) -> list[str]:
        """The names of the known types of entities, which a field suggests."""
        return [known.name for known in list_known_entity_types()]

    @property
    def is_open(self) -> bool:
        return self.curation.state != CurationState.FINISHED

    @property
    def timed_minutes(self) -> int:
        """The minutes for which the article was in sight before the page was opened."""
        return int(self.curation.seconds // 60)

    @property
    def longest_sight_seconds(self) -> int:
        """How long the timer runs without a decision."""
        return int(LONGEST_SIGHT.total_seconds())

    @cached_property
    def can_take_over(self) -> bool:
        """Whether there is a record to continue of which nothing has been taken over: 1 query if there is one."""
        return self.is_open and self.curation.basis is not None and not has_items_of_basis(self.curation)

    @property
    def passages(self) -> SafeString:
        """The text as elements with their positions in code points, which the script needs to find what is selected.

        A long article has hundreds of passages, for which a template takes ten times longer.
        """
        passages = self.article.passages
        starts = accumulate((len(passage["text"]) + 1 for passage in passages), initial=0)
        names = chain(["h1"], ("h2" if passage["type"] == "heading" else "p" for passage in passages[1:]))
        elements = (
            f'<{name} data-start="{start}">{escape(passage["text"])}</{name}>'
            for name, start, passage in zip(names, starts, passages, strict=False)
        )
        return mark_safe("\n".join(elements))

    @cached_property
    def chosen_taxa(self) -> list[int]:
        """The accepted organisms: 1 query."""
        rows = self.curation.items.filter(
            kind=ItemKind.ORGANISM, state=ItemState.ACCEPTED, superseded_by__isnull=True
        ).order_by("pk")
        return [int(read_annotation_content(item.content).identifier) for item in rows]

    @property
    def suggested_taxa(self) -> list[int]:
        """The organisms whose entries are suggested first: the accepted ones, at most as many as can be chosen."""
        return self.chosen_taxa[:MOST_CHOSEN_ORGANISMS]

    @cached_property
    def _item_page(self) -> ItemPage:
        if self.kind is None:
            return ItemPage((), 0)
        if self.kind is ItemKind.MENTION:
            return load_mention_page(self.curation, self.chosen_taxa, self.page)
        return load_item_page(self.curation, self.kind, self.chosen_taxa, self.page)

    def load_rows_of_item(self, key: str) -> Sequence[ItemRow]:
        """The row of one item of the open list, or of a group of mentions; the others are not read."""
        if self.kind is None:
            return ()
        if self.kind is ItemKind.MENTION:
            return load_group_rows(self.curation, self.chosen_taxa, key)
        return load_item_rows(self.curation, self.kind, self.chosen_taxa, [key])

    @property
    def rows(self) -> Sequence[ItemRow]:
        return self._item_page.rows

    @property
    def pages(self) -> int:
        return max(-(-self._item_page.total // ROWS_PER_PAGE), 1)

    @cached_property
    def tabs(self) -> list[ItemKindTab]:
        """The kinds of the step with the numbers of their items: 2 queries."""
        candidates = Candidate.objects.filter(candidate_list=self.curation.candidates_id)
        proposed = Counter(dict(candidates.values_list("kind").annotate(Count("pk")).order_by()))
        same = candidates.filter(kind=OuterRef("kind"), key=OuterRef("key"))
        current = self.curation.items.filter(superseded_by__isnull=True).values("kind").order_by()
        rows = current.annotate(number=Count("pk"), added=Count("pk", filter=~Exists(same)))
        decided = {row["kind"]: (row["number"], row["added"]) for row in rows}
        return [_build_tab(kind, proposed[kind], *decided.get(kind, (0, 0))) for kind in self.step.kinds]

    @cached_property
    def record(self) -> RecordView:
        """The record as it is now: 6 queries."""
        abstract = load_digital_abstract(self.curation)
        url = reverse("article", args=[self.ident])
        return build_record_view(self.article, abstract, url, find_psi_mi_terms())

    @cached_property
    def last_decision(self) -> Decision | None:
        """What Undo takes back; None if there is nothing."""
        rows = self.curation.decisions.filter(undone=False).exclude(action=DecisionAction.UNDO)
        return rows.order_by("-number").first()
