"""URLs of the worklist of curators and of curation projects."""

from django.urls import path

from bcms.curation_projects import views
from bcms.curation_projects.outcomes import views as outcomes_views
from bcms.curation_projects.questionnaires import views as questionnaire_views
from bcms.curation_projects.results import views as results_views

PROJECT = "projects/<int:pk>/"

urlpatterns = [
    path("", views.show_worklist, name="curation-worklist"),
    path("<int:pk>/hand-over/", views.hand_over_curation, name="curation-hand-over"),
    path("<int:pk>/accept/", views.accept_consensus_by_rule, name="curation-accept"),
    path("<int:pk>/questionnaire/", questionnaire_views.answer_questionnaire, name="curation-questionnaire"),
    path("projects/new/", views.create_project_from_form, name="curation-project-new"),
    path(PROJECT, views.show_project, name="curation-project"),
    path(PROJECT + "curators/", views.add_project_curator, name="curation-project-curator-add"),
    path(PROJECT + "release/", views.remove_project_curator, name="curation-project-curator-remove"),
    path(PROJECT + "leave/", views.leave_project, name="curation-project-leave"),
    path(PROJECT + "adjudicators/", views.add_project_adjudicator, name="curation-project-adjudicator-add"),
    path(PROJECT + "split/", views.split_project_corpus, name="curation-project-split"),
    path(PROJECT + "assign/", views.assign_project_article, name="curation-project-assign"),
    path(PROJECT + "hand-over/", views.hand_over_project_article, name="curation-project-hand-over"),
    path(PROJECT + "take/", views.take_project_article, name="curation-project-take"),
    path(PROJECT + "close/", views.close_or_open_project, name="curation-project-close"),
    path(PROJECT + "outcome/", outcomes_views.show_outcome, name="curation-project-outcome"),
    path(PROJECT + "results/", results_views.show_results, name="curation-project-results"),
    path(
        PROJECT + "results/<slug:table>.csv", results_views.download_results_csv, name="curation-project-results-table"
    ),
    path(PROJECT + "articles/<str:ident>/", outcomes_views.adjudicate_article, name="curation-project-article"),
    path(
        PROJECT + "articles/<str:ident>/live/",
        outcomes_views.report_open_comparison,
        name="curation-project-article-live",
    ),
    path(PROJECT + "agreed/", outcomes_views.accept_agreed, name="curation-project-agreed"),
    path(PROJECT + "gold/", outcomes_views.make_outcome_gold, name="curation-project-gold"),
]
