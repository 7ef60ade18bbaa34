"""The models of all topics, imported here so that Django finds them."""

from evaluation.archives.models import ArchivePiece, ChallengeArchive, DraftArchive, RestoredChallenge
from evaluation.calibration.models import Calibration
from evaluation.challenges.announcements.models import Announcement
from evaluation.challenges.discussion.models import DiscussionPost, DiscussionThread
from evaluation.challenges.followers.models import ChallengeFollower
from evaluation.challenges.models import (
    Challenge,
    CorpusOwner,
    Entrant,
    ExcludedArticle,
    Phase,
    PhaseEvent,
    Task,
)
from evaluation.challenges.pictures.models import ChallengePicture
from evaluation.gold.models import Alternatives, GoldStandard
from evaluation.labelling.models import Label, Labeller, Labelling, Ruling
from evaluation.leaderboards.models import Ranking
from evaluation.manual_annotations.models import ManualAnnotationSet
from evaluation.pooling.models import Judgement, Pool, PooledPassage, PoolJudge
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload, UploadedFile
from evaluation.scoring.models import Score

__all__ = [
    "Alternatives",
    "Announcement",
    "ArchivePiece",
    "Calibration",
    "Challenge",
    "ChallengeArchive",
    "ChallengeFollower",
    "ChallengePicture",
    "CorpusOwner",
    "DiscussionPost",
    "DiscussionThread",
    "DraftArchive",
    "Entrant",
    "ExcludedArticle",
    "GoldStandard",
    "Judgement",
    "Label",
    "Labeller",
    "Labelling",
    "ManualAnnotationSet",
    "Phase",
    "PhaseEvent",
    "Pool",
    "PoolJudge",
    "PooledPassage",
    "Ranking",
    "RestoredChallenge",
    "Ruling",
    "Run",
    "Score",
    "Task",
    "Upload",
    "UploadedFile",
]
