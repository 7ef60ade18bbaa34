"""The discussion of a challenge: its threads, the page of each, and what organizers do in them."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.challenges.discussion.forms import HidingForm, PostForm, ThreadForm
from evaluation.challenges.discussion.models import DiscussionPost, DiscussionThread
from evaluation.challenges.discussion.moderation import hide_post, lock_or_pin_thread, show_hidden_post
from evaluation.challenges.discussion.posts import begin_thread, explain_silence, remove_own_post, reply_in_thread
from evaluation.challenges.discussion.queries import (
    list_posts_of_thread,
    list_threads_of_challenge,
    list_threads_with_post_counts,
)
from evaluation.challenges.followers.list_pages import render_list_beside_mail_choice
from evaluation.challenges.form_pages import apply_or_add_error
from evaluation.challenges.lookup import get_challenge_or_404
from evaluation.challenges.permissions import can_organize
from evaluation.errors import ChallengeError

THREADS_ON_A_PAGE = 30
POSTS_ON_A_PAGE = 30


@require_safe
def show_discussion(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = get_challenge_or_404(request.user, slug)
    threads, silence = list_threads_with_post_counts(challenge), explain_silence(challenge)
    template = "evaluation/challenges/discussion.html"
    return render_list_beside_mail_choice(request, challenge, threads, THREADS_ON_A_PAGE, template, silence=silence)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def write_thread(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = get_challenge_or_404(request.user, slug)
    form = ThreadForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        if apply_or_add_error(form, lambda: begin_thread(challenge, request.user, **data)):
            return redirect("challenge-discussion", slug)
    context = {"challenge": challenge, "form": form, "silence": explain_silence(challenge)}
    context["organizes"] = can_organize(request.user, challenge)
    return render(request, "evaluation/challenges/new_thread.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def show_thread_or_reply(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    challenge = get_challenge_or_404(request.user, slug)
    thread = get_object_or_404(list_threads_of_challenge(challenge).select_related("challenge"), pk=number)
    form = PostForm(request.POST or None, label_suffix="")
    if request.method == "POST":
        if not request.user.is_authenticated:
            raise PermissionDenied("Log in to write in the discussion.")
        if form.is_valid() and apply_or_add_error(
            form, lambda: reply_in_thread(thread, request.user, form.cleaned_data["text"])
        ):
            return redirect(f"{reverse('challenge-thread', args=[slug, thread.pk])}?page=last#reply")
    organizes = can_organize(request.user, challenge)
    pages = Paginator(list_posts_of_thread(thread), POSTS_ON_A_PAGE)
    wanted = request.GET.get("page")
    context = {
        "challenge": challenge,
        "thread": thread,
        "posts": pages.get_page(pages.num_pages if wanted == "last" else wanted),
        "form": form,
        "silence": explain_silence(challenge),
        "may_reply": request.user.is_authenticated and (organizes or not thread.locked),
        "organizes": organizes,
        "organizers": set(challenge.organizers.values_list("pk", flat=True)),
    }
    return render(request, "evaluation/challenges/thread.html", context, status=422 if form.errors else 200)


def _act_on_post(
    request: HttpRequest, slug: str, number: int, act: Callable[[DiscussionPost, bool], str]
) -> HttpResponse:
    """Run an action on a post of a challenge; `act` gets the post and whether the user organizes the challenge, and
    returns a message.
    """
    challenge = get_challenge_or_404(request.user, slug)
    posts = DiscussionPost.objects.select_related("thread__challenge").filter(thread__challenge=challenge)
    post = get_object_or_404(posts, pk=number)
    try:
        messages.success(request, act(post, can_organize(request.user, challenge)))
    except ChallengeError as error:
        messages.error(request, str(error))
    return redirect(f"{reverse('challenge-thread', args=[slug, post.thread_id])}#post-{post.pk}")


@login_required
@require_POST
def remove_post(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The author removes a post of their own."""

    def remove(post: DiscussionPost, organizes: bool) -> str:
        if post.author_id != request.user.pk:
            raise PermissionDenied("Only its author can remove a post. Organizers can hide it.")
        remove_own_post(post, request.user)
        return "Your post is removed."

    return _act_on_post(request, slug, number, remove)


@login_required
@require_POST
def hide_or_show_post(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """An organizer hides a post with a reason, or shows it again."""

    def change(post: DiscussionPost, organizes: bool) -> str:
        if not organizes:
            raise PermissionDenied("Only the organizers can hide posts. Ask one of them.")
        # What is asked for decides, and not the present state: a second click changes nothing.
        if "show" in request.POST:
            show_hidden_post(post)
            return "The post is shown again."
        form = HidingForm(request.POST)
        if not form.is_valid():
            raise ChallengeError("Say why the post is hidden, in at most 500 characters. Readers see the reason.")
        hide_post(post, request.user, form.cleaned_data["reason"])
        return "The post is hidden."

    return _act_on_post(request, slug, number, change)


@login_required
@require_POST
def change_thread(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """An organizer locks or unlocks, pins or unpins a thread."""
    challenge = get_challenge_or_404(request.user, slug)
    if not can_organize(request.user, challenge):
        raise PermissionDenied("Only the organizers can lock and pin threads. Ask one of them.")
    thread: DiscussionThread = get_object_or_404(challenge.threads.select_related("challenge"), pk=number)
    lock_or_pin_thread(thread, locked="locked" in request.POST, pinned="pinned" in request.POST)
    messages.success(request, "Thread saved.")
    return redirect("challenge-thread", slug, number)
