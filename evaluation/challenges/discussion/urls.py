"""URLs of the discussion of a challenge."""

from django.urls import path

from evaluation.challenges.discussion import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

DISCUSSION_URL = CHALLENGE_URL + "discussion/"

urlpatterns = [
    path(DISCUSSION_URL, views.show_discussion, name="challenge-discussion"),
    path(DISCUSSION_URL + "new/", views.write_thread, name="challenge-thread-new"),
    path(DISCUSSION_URL + "<int:number>/", views.show_thread_or_reply, name="challenge-thread"),
    path(DISCUSSION_URL + "<int:number>/change/", views.change_thread, name="challenge-thread-change"),
    path(DISCUSSION_URL + "posts/<int:number>/remove/", views.remove_post, name="challenge-post-remove"),
    path(DISCUSSION_URL + "posts/<int:number>/hide/", views.hide_or_show_post, name="challenge-post-hide"),
]
