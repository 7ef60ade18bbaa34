"""The URLs of the REST API."""

from django.urls import path

from bcms.api import account as account_api
from bcms.api import views as api_views
from bcms.api import webhook_urls
from bcms.article_annotations import api as article_annotations_api
from bcms.article_page import api as article_page_api
from bcms.article_page.entries import api as entries_api
from bcms.article_page.mentions import api as mentions_api
from bcms.article_page.results import api as results_api
from bcms.article_requests import api as article_requests_api
from bcms.article_uploads import api as article_uploads_api
from bcms.audit_trail import api as audit_trail_api
from bcms.challenge_definitions import api as definitions_api
from bcms.challenge_review import api as challenge_review_api
from bcms.consensus import api as consensus_api
from bcms.corpora import api as corpora_api
from bcms.curation.continuation import api as continuation_api
from bcms.curation.rest import api as curation_api
from bcms.curation_projects import api as curation_projects_api
from bcms.curation_projects.outcomes import api as outcomes_api
from bcms.curation_projects.questionnaires import api as questionnaires_api
from bcms.curation_projects.results import api as project_results_api
from bcms.data_sets import api as data_sets_api
from bcms.digital_abstracts import api as digital_abstracts_api
from bcms.draft_archives import api as draft_archives_api
from bcms.manuscripts import api as manuscripts_api
from bcms.manuscripts.results import api as manuscript_results_api
from bcms.pasted_texts import api as pasted_texts_api
from bcms.search.exports import api as exports_api
from bcms.search.suggestions import api as suggestions_api
from bcms.server_page import api as server_page_api
from bcms.server_page.calls import api as calls_api
from bcms.server_page.decisions import api as decisions_api
from bcms.server_page.editing import api as editing_api
from bcms.server_page.review import api as review_api
from bcms.server_page.trials import api as trials_api
from evaluation.agreement import api as agreement_api
from evaluation.archives import api as archives_api
from evaluation.challenges.announcements import api as announcements_api
from evaluation.challenges.deletion import api as deletion_api
from evaluation.challenges.discussion import api as discussion_api
from evaluation.challenges.dry_run import api as dry_run_api
from evaluation.challenges.matrix import api as matrix_api
from evaluation.challenges.organizers import api as organizers_api
from evaluation.challenges.participants import api as participants_api
from evaluation.challenges.phases import api as phases_api
from evaluation.challenges.pictures import api as pictures_api
from evaluation.challenges.publication import api as publication_api
from evaluation.challenges.setup import api as setup_api
from evaluation.challenges.states import api as states_api
from evaluation.gold import api as gold_api
from evaluation.labelling.organizing import api as organizing_api
from evaluation.labelling.session import api as session_api
from evaluation.leaderboards import api as leaderboards_api
from evaluation.leaderboards.mean_ranks import api as mean_ranks_api
from evaluation.manual_annotations import api as manual_annotations_api
from evaluation.pooling import api as pooling_api
from evaluation.retrieval import api as retrieval_api
from evaluation.runs.descriptions import api as descriptions_api
from evaluation.runs.run_page import api as run_page_api
from evaluation.runs.uploads import api as uploads_api
from evaluation.scoring import api as scoring_api
from servers.availability import api as availability_api
from servers.credentials import api as credentials_api
from servers.inbox import api as inbox_api
from servers.teams import api as teams_api

ARTICLE = "articles/<slug:identifier>/"
SERVER = "servers/<slug:slug>/"
CHALLENGE = "challenges/<slug:slug>/"
RUN = "runs/<int:pk>/"
PHASE = CHALLENGE + "phases/<slug:phase>/"
LABELLING = CHALLENGE + "labellings/<slug:corpus>/"
LABEL = "labels/<int:pk>/"
BOARD = CHALLENGE + "<slug:phase>/<slug:task>/"
POOL = BOARD + "pool/"
DATA_SET = "data/<int:pk>/"
CURATION_PROJECT = "curation-projects/<int:pk>/"
CURATION = "curations/<int:pk>/"
MANUSCRIPT = "manuscripts/<int:pk>/"

urlpatterns = [
    path("", api_views.ApiRoot.as_view(), name="api-root"),
    path("schema/", api_views.ApiDocument.as_view(), name="api-schema"),
    path("docs/", api_views.show_api_docs, name="api-docs"),
    path("console/", api_views.show_api_console, name="api-console"),
    path("articles/", article_uploads_api.ArticleCollection.as_view(), name="api-articles"),
    path(ARTICLE, article_page_api.ArticleDetail.as_view(), name="api-article"),
    path(ARTICLE + "annotations/", article_annotations_api.ArticleAnnotations.as_view(), name="api-annotations"),
    path(ARTICLE + "entries/", entries_api.ArticleEntries.as_view(), name="api-article-entries"),
    path(
        ARTICLE + "mentions/<int:start>-<int:end>/",
        mentions_api.ArticleMention.as_view(),
        name="api-article-mention",
    ),
    path(ARTICLE + "results/<int:pk>/", results_api.ArticleResult.as_view(), name="api-article-result"),
    path(ARTICLE + "servers/", article_page_api.ArticleServers.as_view(), name="api-article-servers"),
    path(
        ARTICLE + "digital-abstract/",
        digital_abstracts_api.ArticleDigitalAbstract.as_view(),
        name="api-article-digital-abstract",
    ),
    path(
        ARTICLE + "digital-abstract/withdraw/",
        digital_abstracts_api.ArticleDigitalAbstractWithdrawal.as_view(),
        name="api-article-digital-abstract-withdraw",
    ),
    path(
        ARTICLE + "digital-abstract/<str:slug>/",
        digital_abstracts_api.ArticleDigitalAbstractFile.as_view(),
        name="api-article-digital-abstract-file",
    ),
    path(ARTICLE + "consensus/", consensus_api.ArticleConsensus.as_view(), name="api-consensus"),
    path("consensus-methods/", consensus_api.ConsensusMethods.as_view(), name="api-consensus-methods"),
    path("article-requests/", article_requests_api.ArticleRequests.as_view(), name="api-article-requests"),
    path("article-requests/<int:pk>/", article_requests_api.ArticleRequestDetail.as_view(), name="api-article-request"),
    path("entries/", suggestions_api.EntryList.as_view(), name="api-entries"),
    path("corpora/", corpora_api.CorpusList.as_view(), name="api-corpora"),
    path("corpora/<slug:slug>/", corpora_api.CorpusDetail.as_view(), name="api-corpus"),
    path("corpora/<slug:slug>/croissant/", corpora_api.CorpusCroissant.as_view(), name="api-corpus-croissant"),
    path("corpora/<slug:slug>/compare/", agreement_api.CorpusComparison.as_view(), name="api-corpus-compare"),
    path("data/", data_sets_api.DataSetList.as_view(), name="api-data"),
    path("data/curations/", digital_abstracts_api.CurationsDataSet.as_view(), name="api-curations-data"),
    path(
        "data/curations/files/<slug:slug>/",
        digital_abstracts_api.CurationsDataSetFile.as_view(),
        name="api-curations-data-file",
    ),
    path("digital-abstracts/", digital_abstracts_api.DigitalAbstractFormatList.as_view(), name="api-digital-abstracts"),
    path(
        "digital-abstracts/<str:slug>/",
        digital_abstracts_api.SearchDigitalAbstractsFile.as_view(),
        name="api-digital-abstracts-file",
    ),
    path(DATA_SET, data_sets_api.DataSetDetail.as_view(), name="api-data-set"),
    path(DATA_SET + "files/<slug:slug>/", data_sets_api.DataSetFile.as_view(), name="api-data-set-file"),
    path(DATA_SET + "update/", data_sets_api.UpdateDataSet.as_view(), name="api-data-set-update"),
    path(DATA_SET + "propose/", data_sets_api.ProposeDataSet.as_view(), name="api-data-set-propose"),
    path(DATA_SET + "review/", data_sets_api.ReviewDataSet.as_view(), name="api-data-set-review"),
    path(DATA_SET + "withdraw/", data_sets_api.WithdrawDataSet.as_view(), name="api-data-set-withdraw"),
    path(DATA_SET + "baseline/", data_sets_api.EnterDataSetAsBaseline.as_view(), name="api-data-set-baseline"),
    path(DATA_SET + "run/", data_sets_api.EnterDataSetAsRun.as_view(), name="api-data-set-run"),
    path("curation-worklist/", curation_projects_api.CurationWorklist.as_view(), name="api-curation-worklist"),
    path(
        "curations/<int:pk>/hand-over/", curation_projects_api.HandCurationOver.as_view(), name="api-curation-hand-over"
    ),
    path("curations/<int:pk>/accept/", curation_projects_api.AcceptConsensus.as_view(), name="api-curation-accept"),
    path("curation-projects/", curation_projects_api.CurationProjectList.as_view(), name="api-curation-projects"),
    path(CURATION_PROJECT, curation_projects_api.CurationProjectDetail.as_view(), name="api-curation-project"),
    path(
        CURATION_PROJECT + "curators/",
        curation_projects_api.AddProjectCurator.as_view(),
        name="api-curation-project-curator-add",
    ),
    path(
        CURATION_PROJECT + "release/",
        curation_projects_api.RemoveProjectCurator.as_view(),
        name="api-curation-project-curator-remove",
    ),
    path(CURATION_PROJECT + "leave/", curation_projects_api.LeaveProject.as_view(), name="api-curation-project-leave"),
    path(
        CURATION_PROJECT + "adjudicators/",
        curation_projects_api.AddProjectAdjudicator.as_view(),
        name="api-curation-project-adjudicator-add",
    ),
    path(
        CURATION_PROJECT + "split/",
        curation_projects_api.SplitProjectCorpus.as_view(),
        name="api-curation-project-split",
    ),
    path(
        CURATION_PROJECT + "assign/",
        curation_projects_api.AssignProjectArticle.as_view(),
        name="api-curation-project-assign",
    ),
    path(
        CURATION_PROJECT + "take/", curation_projects_api.TakeProjectArticle.as_view(), name="api-curation-project-take"
    ),
    path(CURATION_PROJECT + "close/", curation_projects_api.CloseProject.as_view(), name="api-curation-project-close"),
    path(
        CURATION_PROJECT + "outcome/",
        outcomes_api.CurationProjectOutcome.as_view(),
        name="api-curation-project-outcome",
    ),
    path(
        CURATION_PROJECT + "articles/<slug:identifier>/",
        outcomes_api.CurationProjectArticle.as_view(),
        name="api-curation-project-article",
    ),
    path(
        CURATION_PROJECT + "results/",
        project_results_api.CurationProjectResults.as_view(),
        name="api-curation-project-results",
    ),
    path(
        CURATION_PROJECT + "results/<slug:table>.csv/",
        project_results_api.CurationProjectResultsTable.as_view(),
        name="api-curation-project-results-table",
    ),
    path(CURATION_PROJECT + "agreed/", outcomes_api.AcceptAgreedArticles.as_view(), name="api-curation-project-agreed"),
    path(CURATION_PROJECT + "gold/", outcomes_api.MakeOutcomeGold.as_view(), name="api-curation-project-gold"),
    path("manuscripts/", manuscripts_api.ManuscriptList.as_view(), name="api-manuscripts"),
    path(
        "manuscripts/results/",
        manuscript_results_api.ManuscriptResultsOfJournal.as_view(),
        name="api-manuscript-results",
    ),
    path(MANUSCRIPT, manuscripts_api.ManuscriptDetail.as_view(), name="api-manuscript"),
    path(MANUSCRIPT + "links/", manuscripts_api.ManuscriptLinks.as_view(), name="api-manuscript-links"),
    path(MANUSCRIPT + "links/<int:link>/", manuscripts_api.ManuscriptLinkDetail.as_view(), name="api-manuscript-link"),
    path(MANUSCRIPT + "curators/", manuscripts_api.ManuscriptCurators.as_view(), name="api-manuscript-curators"),
    path(
        MANUSCRIPT + "curators/<int:curation>/",
        manuscripts_api.ManuscriptCuratorDetail.as_view(),
        name="api-manuscript-curator",
    ),
    path(MANUSCRIPT + "refuse/", manuscripts_api.RefuseManuscript.as_view(), name="api-manuscript-refuse"),
    path(MANUSCRIPT + "remind/", manuscripts_api.RemindAuthor.as_view(), name="api-manuscript-remind"),
    path(MANUSCRIPT + "withdraw/", manuscripts_api.WithdrawManuscript.as_view(), name="api-manuscript-withdraw"),
    path(MANUSCRIPT + "publish/", manuscripts_api.PublishManuscript.as_view(), name="api-manuscript-publish"),
    path("servers/", server_page_api.ServerList.as_view(), name="api-servers"),
    path(SERVER, editing_api.EditableServer.as_view(), name="api-server"),
    path("challenge-reviews/", challenge_review_api.ChallengesToReview.as_view(), name="api-challenge-reviews"),
    path(CHALLENGE + "review/", challenge_review_api.ChallengeReview.as_view(), name="api-challenge-review"),
    path("server-reviews/", review_api.ServersToReview.as_view(), name="api-server-reviews"),
    path(SERVER + "review/", review_api.ServerReview.as_view(), name="api-server-review"),
    path(SERVER + "decisions/", decisions_api.ServerDecisions.as_view(), name="api-server-decisions"),
    path(SERVER + "visibility/", review_api.ServerVisibility.as_view(), name="api-server-visibility"),
    path(SERVER + "start/", server_page_api.StartServer.as_view(), name="api-server-start"),
    path(SERVER + "credentials/", credentials_api.ServerCredentials.as_view(), name="api-server-credentials"),
    path(SERVER + "signing-secret/", credentials_api.ServerSigningSecret.as_view(), name="api-server-signing-secret"),
    path(SERVER + "halt/", server_page_api.HaltServer.as_view(), name="api-server-stop"),
    path(SERVER + "halt-hard/", server_page_api.HaltServerHard.as_view(), name="api-server-stop-now"),
    path(SERVER + "availability/", availability_api.ServerAvailability.as_view(), name="api-server-availability"),
    path(SERVER + "load/", server_page_api.LoadServer.as_view(), name="api-server-load"),
    path(SERVER + "queues/<int:queue>/<slug:action>/", server_page_api.ActOnQueue.as_view(), name="api-server-queue"),
    path(SERVER + "trials/", trials_api.TryServer.as_view(), name="api-server-try"),
    path(SERVER + "trials/<int:pk>/", trials_api.TrialDetail.as_view(), name="api-server-trial"),
    path(SERVER + "calls/", calls_api.CallList.as_view(), name="api-calls"),
    path(SERVER + "attempts/", calls_api.AttemptList.as_view(), name="api-attempts"),
    path(SERVER + "attempts/<int:pk>/", calls_api.AttemptDetail.as_view(), name="api-attempt"),
    *webhook_urls.urlpatterns,
    path("pasted-texts/", pasted_texts_api.PastedTextCollection.as_view(), name="api-pasted-texts"),
    path("pasted-texts/servers/", pasted_texts_api.ReceivingServerList.as_view(), name="api-pasted-text-servers"),
    path("pasted-texts/<uuid:key>/", pasted_texts_api.PastedTextDetail.as_view(), name="api-pasted-text"),
    path("notifications/", inbox_api.Inbox.as_view(), name="api-inbox"),
    path("notifications/read/", inbox_api.InboxRead.as_view(), name="api-inbox-read"),
    path("account/", account_api.ReadOwnAccount.as_view(), name="api-account"),
    path("teams/", teams_api.TeamList.as_view(), name="api-teams"),
    path("teams/<slug:slug>/audit/", audit_trail_api.TeamTrail.as_view(), name="api-team-audit"),
    path(CHALLENGE + "audit/", audit_trail_api.ChallengeTrail.as_view(), name="api-challenge-audit"),
    path("audit/", audit_trail_api.SiteTrail.as_view(), name="api-audit"),
    path("curations/", curation_api.CurationCollection.as_view(), name="api-curations"),
    path(CURATION, curation_api.CurationOfArticle.as_view(), name="api-curation"),
    path(CURATION + "open/", curation_api.OpenCuration.as_view(), name="api-curation-open"),
    path(CURATION + "candidates/", curation_api.CurationCandidates.as_view(), name="api-curation-candidates"),
    path(CURATION + "decisions/", curation_api.CurationDecisions.as_view(), name="api-curation-decisions"),
    path(CURATION + "file/", continuation_api.CurationFile.as_view(), name="api-curation-file"),
    path(CURATION + "finish/", curation_api.FinishCuration.as_view(), name="api-curation-finish"),
    path(
        CURATION + "questionnaire/",
        questionnaires_api.CurationQuestionnaire.as_view(),
        name="api-curation-questionnaire",
    ),
    path(CURATION + "reopen/", curation_api.ReopenCuration.as_view(), name="api-curation-reopen"),
    path(CURATION + "propose/", curation_api.ProposeCuration.as_view(), name="api-curation-propose"),
    path("measures/", scoring_api.MeasureList.as_view(), name="api-measures"),
    path("tapk/", retrieval_api.RetrievalLists.as_view(), name="api-tapk"),
    path("challenges/", setup_api.ChallengeCollection.as_view(), name="api-challenges"),
    path("challenges/from-file/", definitions_api.NewChallengeFromFile.as_view(), name="api-challenge-from-file"),
    path(
        "challenges/from-file/<int:pk>/",
        draft_archives_api.DraftArchiveState.as_view(),
        name="api-challenge-draft-archive",
    ),
    path(CHALLENGE + "definition/", definitions_api.DefinitionOfChallenge.as_view(), name="api-challenge-definition"),
    path(CHALLENGE, deletion_api.DeletableChallenge.as_view(), name="api-challenge"),
    path(CHALLENGE + "rules/", setup_api.ChallengeRulesDetail.as_view(), name="api-challenge-rules"),
    path(CHALLENGE + "pictures/", pictures_api.PictureCollection.as_view(), name="api-challenge-pictures"),
    path(CHALLENGE + "pictures/<str:name>/", pictures_api.PictureDetail.as_view(), name="api-challenge-picture"),
    path(CHALLENGE + "state/", states_api.ChallengeStateChange.as_view(), name="api-challenge-state"),
    path(CHALLENGE + "tasks/", setup_api.TaskCollection.as_view(), name="api-challenge-tasks"),
    path(CHALLENGE + "tasks/<slug:task>/", setup_api.TaskDetail.as_view(), name="api-challenge-task"),
    path(CHALLENGE + "organizers/", organizers_api.OrganizerCollection.as_view(), name="api-challenge-organizers"),
    path(CHALLENGE + "corpora/", setup_api.CorpusCollection.as_view(), name="api-challenge-corpora"),
    path(
        CHALLENGE + "corpora/<slug:corpus>/articles/",
        article_uploads_api.BlindCorpusArticles.as_view(),
        name="api-challenge-corpus-articles",
    ),
    path(CHALLENGE + "corpora/<slug:corpus>/", deletion_api.ChallengeCorpus.as_view(), name="api-challenge-corpus"),
    path(CHALLENGE + "teams/", participants_api.EntrantCollection.as_view(), name="api-challenge-teams"),
    path(CHALLENGE + "join/", participants_api.AcceptTerms.as_view(), name="api-challenge-join"),
    path(
        CHALLENGE + "announcements/",
        announcements_api.AnnouncementCollection.as_view(),
        name="api-challenge-announcements",
    ),
    path(
        CHALLENGE + "announcements/<int:number>/",
        announcements_api.PublishedAnnouncement.as_view(),
        name="api-challenge-announcement",
    ),
    path(CHALLENGE + "discussion/", discussion_api.ThreadCollection.as_view(), name="api-challenge-discussion"),
    path(
        CHALLENGE + "discussion/<int:number>/posts/",
        discussion_api.PostCollection.as_view(),
        name="api-challenge-thread",
    ),
    path(
        CHALLENGE + "discussion/<int:number>/state/",
        discussion_api.ThreadState.as_view(),
        name="api-challenge-thread-state",
    ),
    path(CHALLENGE + "posts/<int:number>/", discussion_api.OwnPost.as_view(), name="api-challenge-post"),
    path(
        CHALLENGE + "posts/<int:number>/hidden/",
        discussion_api.PostVisibility.as_view(),
        name="api-challenge-post-hidden",
    ),
    path(CHALLENGE + "dry-run/", dry_run_api.ChallengeDryRun.as_view(), name="api-challenge-dry-run"),
    path(CHALLENGE + "archive/", archives_api.ChallengeArchiveState.as_view(), name="api-challenge-archive"),
    path(CHALLENGE + "archive/file/", archives_api.ChallengeArchiveFile.as_view(), name="api-challenge-archive-file"),
    path(
        CHALLENGE + "by-hand/",
        manual_annotations_api.ManualAnnotationCollection.as_view(),
        name="api-challenge-manual-annotations",
    ),
    path(
        CHALLENGE + "by-hand/<int:pk>/",
        manual_annotations_api.ManualAnnotationDetail.as_view(),
        name="api-manual-annotations",
    ),
    path(CHALLENGE + "labellings/", organizing_api.LabellingCollection.as_view(), name="api-labellings"),
    path(LABELLING, organizing_api.LabellingState.as_view(), name="api-labelling"),
    path(LABELLING + "curators/", organizing_api.LabellingCurators.as_view(), name="api-labelling-curators"),
    path(LABELLING + "rulings/", organizing_api.LabellingRulings.as_view(), name="api-labelling-adjudications"),
    path(LABELLING + "gold/", organizing_api.LabellingGold.as_view(), name="api-labelling-gold"),
    path("labels/", session_api.OwnLabellingList.as_view(), name="api-labels"),
    path(LABEL, session_api.LabellingSession.as_view(), name="api-label"),
    path(LABEL + "show/", session_api.ShowArticle.as_view(), name="api-label-show"),
    path(LABEL + "answer/", session_api.GiveLabel.as_view(), name="api-label-answer"),
    path(LABEL + "undo/", session_api.TakeBackLabel.as_view(), name="api-label-undo"),
    path(LABEL + "pause/", session_api.PauseLabelling.as_view(), name="api-label-pause"),
    path(LABEL + "resume/", session_api.ResumeLabelling.as_view(), name="api-label-resume"),
    path(LABEL + "clock/", session_api.LabellingClock.as_view(), name="api-label-clock"),
    path(CHALLENGE + "phases/", setup_api.PhaseCollection.as_view(), name="api-challenge-phases"),
    path(PHASE, setup_api.PhaseDetail.as_view(), name="api-phase"),
    path(PHASE + "enter/", participants_api.EnterServer.as_view(), name="api-phase-enter"),
    path(PHASE + "load/", participants_api.LoadPhase.as_view(), name="api-phase-load"),
    path(PHASE + "gold/<slug:task>/", gold_api.GoldStandardUpload.as_view(), name="api-phase-gold"),
    path(PHASE + "matrix/", matrix_api.PhaseMatrix.as_view(), name="api-phase-matrix"),
    path(PHASE + "matrix/resend/", matrix_api.ResendArticles.as_view(), name="api-phase-resend"),
    path(PHASE + "begin/", phases_api.BeginPhase.as_view(), name="api-phase-begin"),
    path(PHASE + "end/", phases_api.EndPhase.as_view(), name="api-phase-end"),
    path(PHASE + "freeze/", phases_api.FreezePhase.as_view(), name="api-phase-freeze"),
    path(PHASE + "thaw/", phases_api.ThawPhase.as_view(), name="api-phase-unfreeze"),
    path(PHASE + "move-end/", phases_api.MovePhaseEnd.as_view(), name="api-phase-move-end"),
    path(PHASE + "exclude/", phases_api.ExcludeArticle.as_view(), name="api-phase-exclude"),
    path(PHASE + "include/", phases_api.IncludeArticle.as_view(), name="api-phase-include"),
    path(PHASE + "baselines/<slug:task>/", leaderboards_api.MakeBaselines.as_view(), name="api-phase-baselines"),
    path(PHASE + "mean-ranks/", mean_ranks_api.PhaseMeanRanks.as_view(), name="api-phase-mean-ranks"),
    path(PHASE + "rescore/", phases_api.RescorePhase.as_view(), name="api-phase-rescore"),
    path(PHASE + "publish/", publication_api.PublishPhase.as_view(), name="api-phase-publish"),
    path(PHASE + "publish/<slug:task>/", publication_api.PublishTask.as_view(), name="api-phase-publish-task"),
    path(BOARD, leaderboards_api.LeaderboardDetail.as_view(), name="api-leaderboard"),
    path(BOARD + "pairs/", leaderboards_api.LeaderboardPairs.as_view(), name="api-leaderboard-pairs"),
    path(BOARD + "scores/<int:run>/", leaderboards_api.BoardRunScores.as_view(), name="api-leaderboard-score"),
    path(BOARD + "files/run-<int:run>.tsv/", leaderboards_api.BoardRunFile.as_view(), name="api-leaderboard-run"),
    path(BOARD + "files/<str:file>/", leaderboards_api.BoardGoldFile.as_view(), name="api-leaderboard-file"),
    path(POOL, pooling_api.PoolState.as_view(), name="api-pool"),
    path(POOL + "collect/", pooling_api.CollectPassages.as_view(), name="api-pool-collect"),
    path(POOL + "judges/", pooling_api.PoolJudges.as_view(), name="api-pool-judges"),
    path(POOL + "close/", pooling_api.ClosePool.as_view(), name="api-pool-close"),
    path(POOL + "reopen/", pooling_api.ReopenPool.as_view(), name="api-pool-reopen"),
    path(POOL + "decisions/", pooling_api.PoolDecisions.as_view(), name="api-pool-decisions"),
    path(POOL + "judgements/", pooling_api.PoolJudgements.as_view(), name="api-pool-judgements"),
    path(POOL + "judging/", pooling_api.PoolJudging.as_view(), name="api-pool-judging"),
    path(POOL + "adjudicating/", pooling_api.PoolAdjudication.as_view(), name="api-pool-adjudicating"),
    path(ARTICLE + "export/<slug:slug>/", exports_api.ArticleExport.as_view(), name="api-article-export"),
    path("export/", exports_api.ExportFormatList.as_view(), name="api-export"),
    path("export/<slug:slug>/", exports_api.SearchExport.as_view(), name="api-search-export"),
    path(PHASE + "articles/", participants_api.PhaseArticleFile.as_view(), name="api-phase-articles"),
    path(BOARD + "runs/", uploads_api.TeamRunCollection.as_view(), name="api-team-runs"),
    path("uploads/<int:pk>/", uploads_api.UploadDetail.as_view(), name="api-upload"),
    path(RUN, run_page_api.RunDetail.as_view(), name="api-run"),
    path(RUN + "analysis/", run_page_api.RunAnalysis.as_view(), name="api-run-analysis"),
    path(RUN + "articles/", run_page_api.RunArticles.as_view(), name="api-run-articles"),
    path(RUN + "cut/", run_page_api.CutRun.as_view(), name="api-run-cut"),
    path(RUN + "withdraw/", run_page_api.WithdrawRun.as_view(), name="api-run-withdraw"),
    path(RUN + "baseline/", run_page_api.BaselineMark.as_view(), name="api-run-baseline"),
    path(RUN + "description/", descriptions_api.RunDescriptionView.as_view(), name="api-run-description"),
    path(RUN + "final/", run_page_api.FinalRun.as_view(), name="api-run-final"),
    path("<path:rest>/", api_views.UnknownApiAddress.as_view(), name="api-unknown"),
]
