"""The local ids in an answer, by which relations name mentions."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from annotations.rule_registry import ANNOTATION_RULES
from annotations.rules.relations import ARGUMENT_RULE
from annotations.schema import AnnotationData
from bcms.lib.text import clip_text_replacing_unprintable
from servers.protocols.answer_fields import LONGEST_SHOWN_NAME, MalformedValueError

NESTED_RELATION_RULE, AMBIGUOUS_ID_RULE = "R128", "R208"
# The number of relations in a row that are followed to find out whether they form a circle.
MOST_FOLLOWED = 100


class LocalIds:
    """The mentions and relations of one answer by their ids.

    mentions and relations are elements as the server sent them. read_mention reads one, or raises MalformedValueError.
    """

    def __init__(
        self, mentions: object, relations: object, read_mention: Callable[[dict[str, object]], AnnotationData]
    ) -> None:
        self._mentions, self._relations = _group_structs_by_id(mentions), _group_structs_by_id(relations)
        self._read_mention = read_mention
        self._mentions_read: dict[str, AnnotationData] = {}

    def has(self, local_id: str) -> bool:
        return local_id in self._mentions or local_id in self._relations

    def find_mention(self, local_id: str, where: str) -> AnnotationData:
        """The mention with an id; MalformedValueError, for the argument at where, if there is not exactly one."""
        if local_id not in self._mentions_read:
            self._mentions_read[local_id] = self._read_only_mention(local_id, where)
        return self._mentions_read[local_id]

    def _read_only_mention(self, local_id: str, where: str) -> AnnotationData:
        shown = f'"{clip_text_replacing_unprintable(local_id, LONGEST_SHOWN_NAME)}"'
        found = self._mentions.get(local_id, [])
        if local_id in self._relations and not found:
            raise MalformedValueError(NESTED_RELATION_RULE, where, self._explain_relation(local_id, shown))
        if len(found) > 1:
            raise MalformedValueError(AMBIGUOUS_ID_RULE, where, f"{len(found):,} mentions have the id {shown}.")
        hint = ANNOTATION_RULES[ARGUMENT_RULE].hint
        if not found:
            raise MalformedValueError(ARGUMENT_RULE, where, f"No mention of the answer has the id {shown}.", hint)
        try:
            return self._read_mention(found[0])
        except MalformedValueError as error:
            raise MalformedValueError(ARGUMENT_RULE, where, f"The mention {shown} cannot be read.", hint) from error

    def _explain_relation(self, relation_id: str, shown: str) -> str:
        if self._is_in_circle(relation_id):
            return f"{shown} is a relation, and relations refer to each other in a circle."
        return f"{shown} is a relation, not a mention."

    def _is_in_circle(self, relation_id: str) -> bool:
        followed: set[str] = set()
        waiting = [relation_id]
        while waiting and len(followed) < MOST_FOLLOWED:
            for relation in self._relations.get(waiting.pop(), []):
                named = _list_named_ids(relation)
                if relation_id in named:
                    return True
                waiting += [each for each in named if each in self._relations and each not in followed]
                followed.update(named)
        return False


def format_local_id(value: object) -> str | None:
    """A local id, which is a string or a number; None for anything else."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _group_structs_by_id(elements: object) -> dict[str, list[dict[str, object]]]:
    structs: dict[str, list[dict[str, object]]] = defaultdict(list)
    for element in elements if isinstance(elements, list) else []:
        if isinstance(element, dict) and (local_id := format_local_id(element.get("id"))) is not None:
            structs[local_id].append(element)
    return dict(structs)


def _list_named_ids(relation: dict[str, object]) -> Sequence[str]:
    arguments = relation.get("arguments")
    values = [
        argument.get("mention") if isinstance(argument, dict) else argument
        for argument in (arguments if isinstance(arguments, list) else [])
    ]
    return [local_id for value in values if (local_id := format_local_id(value)) is not None]
