"""Every model of this app, imported from its topic, because Django looks for models here."""

from annotations.articles.models import (
    Article,
    ArticleRequest,
    ArticleSnapshot,
    ArticleTakedown,
    Corpus,
    CorpusArticle,
    ImportedFile,
    OlderText,
    Pace,
)
from annotations.curation.manuscripts.models import Manuscript, ManuscriptComment, ManuscriptLink
from annotations.curation.models import (
    Candidate,
    CandidateList,
    Contribution,
    Curation,
    Curator,
    CuratorProfile,
    DecidedItem,
    Decision,
    PublishedAbstract,
)
from annotations.curation.projects.models import AgreedDecision, CurationProject, QuestionnaireReply
from annotations.data_sets.models import DataSet, DataSetArticle
from annotations.identifiers.models import Entry
from annotations.results.models import AnnotatedTerm, Annotation, ArticleSummary, Producer, Reply, Result

__all__ = [
    "AgreedDecision",
    "AnnotatedTerm",
    "Annotation",
    "Article",
    "ArticleRequest",
    "ArticleSnapshot",
    "ArticleSummary",
    "ArticleTakedown",
    "Candidate",
    "CandidateList",
    "Contribution",
    "Corpus",
    "CorpusArticle",
    "Curation",
    "CurationProject",
    "Curator",
    "CuratorProfile",
    "DataSet",
    "DataSetArticle",
    "DecidedItem",
    "Decision",
    "Entry",
    "ImportedFile",
    "Manuscript",
    "ManuscriptComment",
    "ManuscriptLink",
    "OlderText",
    "Pace",
    "Producer",
    "PublishedAbstract",
    "QuestionnaireReply",
    "Reply",
    "Result",
]
