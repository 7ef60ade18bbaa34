"""The discussion of a challenge, by REST."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, ChallengeAPIView
from evaluation.challenges.discussion.forms import LONGEST_POST, PostForm, ThreadForm
from evaluation.challenges.discussion.models import DiscussionPost, DiscussionThread
from evaluation.challenges.discussion.posts import begin_thread, reply_in_thread
from evaluation.challenges.discussion.queries import list_posts_of_thread, list_threads_with_post_counts
from evaluation.challenges.lookup import get_challenge_or_404


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
