"""The discussion of a challenge, by REST: reading, writing, and what organizers and authors change."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, NOT_A_NUMBER_RESPONSE, ChallengeAPIView, OrganizerAPIView
from evaluation.challenges.discussion.forms import LONGEST_POST, HidingForm, PostForm, ThreadForm
from evaluation.challenges.discussion.models import DiscussionPost, DiscussionThread
from evaluation.challenges.discussion.moderation import hide_post, lock_or_pin_thread, show_hidden_post
from evaluation.challenges.discussion.posts import begin_thread, remove_own_post, reply_in_thread
from evaluation.challenges.discussion.queries import list_posts_of_thread, list_threads_with_post_counts
from evaluation.challenges.lookup import get_challenge_or_404
from evaluation.challenges.models import Challenge


class ThreadOfDiscussion(serializers.ModelSerializer[DiscussionThread]):
    title = serializers.CharField(source="shown_title")
    author = serializers.CharField(source="begun_by.username", allow_null=True, default=None)
    posts = serializers.IntegerField(source="number", help_text="how many, with hidden and removed ones")

    class Meta:
        model = DiscussionThread
        fields = ["id", "title", "author", "created", "last_post", "posts", "locked", "pinned"]


class PostOfThread(serializers.ModelSerializer[DiscussionPost]):
    author = serializers.CharField(source="author.username", allow_null=True, default=None)
    text = serializers.SerializerMethodField(help_text="Markdown; empty if it was removed or hidden")
    hidden = serializers.SerializerMethodField(help_text="why the organizers hid it, else empty")

    class Meta:
        model = DiscussionPost
        fields = ["id", "author", "at", "text", "hidden"]

    def get_text(self, post: DiscussionPost) -> str:
        return "" if post.hidden or post.removed else post.text

    def get_hidden(self, post: DiscussionPost) -> str:
        return post.hidden_reason


class NewPost(RequestSerializer[Any]):
    text = serializers.CharField(max_length=LONGEST_POST, help_text="Markdown")


class NewThread(NewPost):
    title = serializers.CharField(max_length=200)


@extend_schema_view(get=extend_schema(summary="List the threads of a discussion"))
class ThreadCollection(ChallengeAPIView, generics.ListAPIView[DiscussionThread]):
    """The threads of a challenge: pinned ones first, then by last post."""

    permission_classes = [permissions.IsAuthenticatedOrReadOnly]
    serializer_class = ThreadOfDiscussion
    pagination_class = OffsetPages
    queryset = DiscussionThread.objects.none()

    def get_queryset(self) -> QuerySet[DiscussionThread]:
        return list_threads_with_post_counts(get_challenge_or_404(self.request.user, self.kwargs["slug"]))

    @extend_schema(
        summary="Begin a thread", request=NewThread, responses={201: ThreadOfDiscussion, **CONFLICT_RESPONSE}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Everybody who sees the challenge can read it, with your user name. Sent again within ten minutes, the same
        thread is not begun twice."""
        challenge = get_challenge_or_404(request.user, slug)
        sent = get_cleaned_form_data(ThreadForm(validate_request_data(NewThread, request)))
        thread = begin_thread(challenge, request.user, title=sent["title"], text=sent["text"])
        begun = list_threads_with_post_counts(challenge).get(pk=thread.pk)
        return Response(ThreadOfDiscussion(begun).data, status=status.HTTP_201_CREATED)


@extend_schema_view(get=extend_schema(summary="List the posts of a thread"))
class PostCollection(ChallengeAPIView, generics.ListAPIView[DiscussionPost]):
    """The posts of a thread, oldest first. Hidden and removed posts have no text."""

    permission_classes = [permissions.IsAuthenticatedOrReadOnly]
    serializer_class = PostOfThread
    pagination_class = OffsetPages
    queryset = DiscussionPost.objects.none()

    def get_thread(self) -> DiscussionThread:
        challenge = get_challenge_or_404(self.request.user, self.kwargs["slug"])
        thread: DiscussionThread = get_object_or_404(challenge.threads, pk=self.kwargs["number"])
        return thread

    def get_queryset(self) -> QuerySet[DiscussionPost]:
        return list_posts_of_thread(self.get_thread())

    @extend_schema(summary="Reply in a thread", request=NewPost, responses={201: PostOfThread, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Nobody but organizers can reply in a locked thread. Sent again within ten minutes, the same reply is not
        stored twice."""
        thread = self.get_thread()
        sent = get_cleaned_form_data(PostForm(validate_request_data(NewPost, request)))
        return Response(
            PostOfThread(reply_in_thread(thread, request.user, sent["text"])).data, status=status.HTTP_201_CREATED
        )


class NewThreadState(RequestSerializer[Any]):
    locked = serializers.BooleanField(help_text="whether only organizers can reply")
    pinned = serializers.BooleanField(help_text="whether it is first in the list")


class HiddenPost(RequestSerializer[Any]):
    reason = serializers.CharField(max_length=500, help_text="shown to readers in place of the post")


class ThreadState(OrganizerAPIView):
    @extend_schema(summary="Lock or pin a thread", request=NewThreadState, responses=ThreadOfDiscussion)
    def put(self, request: Request, slug: str, number: int) -> Response:
        """For organizers of the challenge."""
        challenge = self.get_challenge()
        thread: DiscussionThread = get_object_or_404(challenge.threads.select_related("challenge"), pk=number)
        lock_or_pin_thread(thread, **validate_request_data(NewThreadState, request))
        return Response(ThreadOfDiscussion(list_threads_with_post_counts(challenge).get(pk=number)).data)


class PostVisibility(OrganizerAPIView):
    @extend_schema(summary="Hide a post", request=HiddenPost, responses=PostOfThread)
    def put(self, request: Request, slug: str, number: int) -> Response:
        """For organizers of the challenge, who still read it. One that is hidden keeps its first reason."""
        post = _get_post_or_404(self.get_challenge(), number)
        sent = get_cleaned_form_data(HidingForm(validate_request_data(HiddenPost, request)))
        hide_post(post, request.user, sent["reason"])
        return _describe_post(post)

    @extend_schema(summary="Show a hidden post again", request=None, responses={200: PostOfThread})
    def delete(self, request: Request, slug: str, number: int) -> Response:
        """For organizers of the challenge."""
        post = _get_post_or_404(self.get_challenge(), number)
        show_hidden_post(post)
        return _describe_post(post)


class OwnPost(ChallengeAPIView):
    @extend_schema(summary="Remove a post of yours", responses={204: None, 405: NOT_A_NUMBER_RESPONSE})
    def delete(self, request: Request, slug: str, number: int) -> Response:
        """Its text is deleted, and its place stays. With the first post of a thread, the title is deleted, too."""
        post = _get_post_or_404(get_challenge_or_404(request.user, slug), number)
        if post.author_id != request.user.pk:
            raise PermissionDenied("Only its author can remove a post. Organizers can hide it.")
        remove_own_post(post, request.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _get_post_or_404(challenge: Challenge, number: int) -> DiscussionPost:
    posts = DiscussionPost.objects.select_related("thread__challenge")
    return get_object_or_404(posts, thread__challenge=challenge, pk=number)


def _describe_post(post: DiscussionPost) -> Response:
    return Response(PostOfThread(DiscussionPost.objects.select_related("author").get(pk=post.pk)).data)
