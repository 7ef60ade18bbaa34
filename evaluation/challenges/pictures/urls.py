"""URLs of the pictures of a challenge."""

from django.urls import path

from evaluation.challenges.pictures import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

PICTURES_URL = CHALLENGE_URL + "pictures/"

urlpatterns = [
    path(PICTURES_URL, views.show_or_add_pictures, name="challenge-pictures"),
    path(PICTURES_URL + "<str:name>", views.show_picture, name="challenge-picture"),
    path(PICTURES_URL + "<str:name>/text/", views.change_alternative_text, name="challenge-picture-text"),
    path(PICTURES_URL + "<str:name>/delete/", views.delete_picture_once_confirmed, name="challenge-picture-delete"),
]
