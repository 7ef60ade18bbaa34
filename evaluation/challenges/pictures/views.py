"""The pictures of a challenge as files, and the organizers' page on which they upload, describe and delete them."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bcms.lib.confirmation import UNDONE, ConfirmationQuestion, ask_unless_confirmed
from evaluation.challenges.form_pages import apply_or_add_error, check_form_or_add_messages, organizer_required
from evaluation.challenges.lookup import get_challenge_or_404
from evaluation.challenges.models import Challenge, ChallengeState
from evaluation.challenges.pictures import storage
from evaluation.challenges.pictures.forms import AlternativeTextForm, PictureUploadForm
from evaluation.challenges.pictures.models import ChallengePicture
from evaluation.challenges.pictures.queries import (
    find_picture_content,
    find_shown_names,
    list_pictures_for_organizers,
)
from evaluation.challenges.pictures.visibility import list_visible_pictures
from evaluation.errors import ChallengeError

CONTENT_TYPE = "image/webp"
# Opened by itself, a picture is nothing but a picture.
PICTURE_POLICY = "default-src 'none'; sandbox"
# After that, caches ask again: what organizers have hidden or deleted is not shown for longer.
CACHE_SECONDS = 600


@require_safe
def show_picture(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """The picture for those who see it: everybody who sees the challenge, if the description shows it."""
    challenge = get_challenge_or_404(request.user, slug)
    if not list_visible_pictures(request.user, challenge).filter(name=name).exists():
        raise Http404("The challenge has no such picture.")
    etag = f'"{name}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        content = find_picture_content(challenge, name)
        if content is None:
            raise Http404("The picture was deleted just now.")
        response = HttpResponse(content, content_type=CONTENT_TYPE)
    response.headers["ETag"] = etag
    response.headers["Content-Security-Policy"] = PICTURE_POLICY
    if challenge.state == ChallengeState.DRAFT or name not in find_shown_names(challenge.description):
        # Who organizes it no more, or shares a browser with an organizer, sees it no more.
        patch_cache_control(response, private=True, no_cache=True)
    else:
        patch_cache_control(response, public=True, max_age=CACHE_SECONDS)
    return response


@never_cache
@organizer_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_or_add_pictures(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = PictureUploadForm(request.POST, request.FILES) if request.method == "POST" else PictureUploadForm()
    if form.is_bound and form.is_valid():
        new = form.list_new_pictures()
        if apply_or_add_error(form, lambda: storage.add_pictures_unless_removed(challenge, new, request.user)):
            messages.success(request, f"{len(new)} picture{'s' * (len(new) != 1)} uploaded.")
            for note in form.list_notes():
                messages.warning(request, note)
            return redirect("challenge-pictures", challenge.slug)
    form.label_suffix = ""
    context = {"challenge": challenge, "upload": form, "pictures": list_pictures_for_organizers(challenge)}
    return render(request, "evaluation/challenges/pictures/pictures.html", context, status=422 if form.errors else 200)


@organizer_required
@require_POST
def change_alternative_text(request: HttpRequest, challenge: Challenge, name: str) -> HttpResponse:
    picture = _get_picture(challenge, name)
    form = AlternativeTextForm(request.POST)
    if check_form_or_add_messages(request, form):
        try:
            storage.replace_alternative_text(picture, form.cleaned_data["alternative_text"])
        except ChallengeError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, f"Alternative text of {picture} saved.")
    return redirect("challenge-pictures", challenge.slug)


@organizer_required
@require_POST
def delete_picture_once_confirmed(request: HttpRequest, challenge: Challenge, name: str) -> HttpResponse:
    picture = _get_picture(challenge, name)
    back = reverse("challenge-pictures", args=[challenge.slug])
    question = ConfirmationQuestion(f"Delete {picture}?", [f"The picture {name} is deleted.", UNDONE], "Delete", back)
    try:
        storage.check_picture_is_unused(challenge, picture)
        if page := ask_unless_confirmed(request, question):
            return page
        storage.delete_unused_picture(picture)
    except ChallengeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{picture} deleted.")
    return redirect(back)


def _get_picture(challenge: Challenge, name: str) -> ChallengePicture:
    return get_object_or_404(
        ChallengePicture.objects.defer("content").select_related("challenge"), challenge=challenge, name=name
    )
