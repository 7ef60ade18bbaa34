"""The URLs of all topics. The order matters: the first pattern that matches a URL is used.

URLs of leaderboards match those of other topics, such as challenges/<slug>/tasks/<task>/, and so come last. The URL of
the page of a challenge matches challenges/new/ and so comes after those to set one up.
"""

from django.urls import include, path

urlpatterns = [
    path("", include("evaluation.challenges.setup.urls")),
    path("", include("evaluation.challenges.challenge_page.urls")),
    path("", include("evaluation.challenges.pictures.urls")),
    path("", include("evaluation.challenges.citation.urls")),
    path("", include("evaluation.challenges.followers.urls")),
    path("", include("evaluation.challenges.announcements.urls")),
    path("", include("evaluation.challenges.discussion.urls")),
    path("", include("evaluation.challenges.participants.urls")),
    path("", include("evaluation.challenges.organizers.urls")),
    path("", include("evaluation.challenges.states.urls")),
    path("", include("evaluation.challenges.deletion.urls")),
    path("", include("evaluation.challenges.dry_run.urls")),
    path("", include("evaluation.challenges.phases.urls")),
    path("", include("evaluation.challenges.publication.urls")),
    path("", include("evaluation.challenges.matrix.urls")),
    path("", include("evaluation.gold.urls")),
    path("", include("evaluation.archives.urls")),
    path("", include("evaluation.manual_annotations.urls")),
    path("", include("evaluation.labelling.urls")),
    path("", include("evaluation.pooling.urls")),
    path("", include("evaluation.retrieval.urls")),
    path("", include("evaluation.runs.uploads.urls")),
    path("", include("evaluation.runs.run_page.urls")),
    path("", include("evaluation.runs.descriptions.urls")),
    path("", include("evaluation.leaderboards.mean_ranks.urls")),
    path("", include("evaluation.leaderboards.urls")),
]
