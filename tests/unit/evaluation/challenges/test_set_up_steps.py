"""The steps of setting up a challenge: what is done, what is next, and what can be left out."""

from annotations.schema import Kind
from evaluation.challenges.models import Challenge, ChallengeState, Task
from evaluation.challenges.organizers.steps import list_set_up_steps
from evaluation.gold.models import GoldStandard

NER, ISS = Task(pk=1, name="NER", kind=Kind.MENTION), Task(pk=2, name="ISS", kind=Kind.PASSAGE)


def list_steps(challenge, tasks=(), articles=(), phases=()):
    return {step.title: step for step in list_set_up_steps(challenge, tasks, articles, phases)}


def find_next(steps):
    (title,) = [title for title, step in steps.items() if step.next]
    return title


def test_a_new_challenge_begins_with_its_description():
    steps = list_steps(Challenge())
    assert find_next(steps) == "Describe"
    assert not any(step.done for step in steps.values())
    assert find_next(list_steps(Challenge(description="What for."))) == "Corpus"


def test_the_next_step_is_the_first_that_is_missing():
    challenge = Challenge(description="What for.")
    steps = list_steps(challenge, [NER], [30], [[(NER, None)]])
    assert find_next(steps) == "Gold standards"
    assert steps["Gold standards"].detail == "Missing for NER."
    assert steps["Corpus"].detail == "30 articles in 1 corpus."
    assert find_next(list_steps(challenge, [NER], [30], [[(NER, GoldStandard())]])) == "Open"


def test_a_phase_without_tasks_has_no_gold_standards_yet():
    steps = list_steps(Challenge(description="What for."), [], [30], [[]])
    assert find_next(steps) == "Tasks"
    assert (steps["Gold standards"].done, steps["Gold standards"].url_name) == (False, "")


def test_judged_passages_need_no_gold_standard():
    steps = list_steps(Challenge(description="What for."), [ISS], [30], [[(ISS, None)]])
    assert find_next(steps) == "Open"


def test_nothing_is_next_once_the_challenge_is_listed():
    challenge = Challenge(description="What for.", state=ChallengeState.LISTED)
    steps = list_steps(challenge, [NER], [30], [[(NER, GoldStandard())]])
    assert not any(step.next for step in steps.values())
    assert steps["Dry run"].optional


def test_no_fourth_phase_is_offered():
    phases = [[(NER, GoldStandard())]] * 3
    assert list_steps(Challenge(), [NER], [30], phases)["Phase"].url_name == ""
