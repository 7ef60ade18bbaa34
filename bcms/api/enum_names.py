"""Names in the OpenAPI document for choices that fields of one name have in several resources."""

ENUM_NAMES = {
    "Kind": "annotations.results.models.KIND_CHOICES",
    "ResultKind": "annotations.results.models.RESULT_KIND_CHOICES",
    "PhaseSort": "evaluation.challenges.models.Phase.Type",
    "ChallengeState": "evaluation.challenges.models.ChallengeState",
    "TeamRole": "servers.teams.models.Membership.Role",
    "LinkRole": "annotations.curation.manuscripts.states.LINK_ROLE_CHOICES",
    "ReviewState": "servers.review.states.REVIEW_CHOICES",
    "ConsensusMethod": "annotations.results.consensus.methods.CONSENSUS_METHOD_CHOICES",
    "ChallengeReviewState": "evaluation.challenges.models.CHALLENGE_REVIEW_CHOICES",
    "CuratedItemKind": "annotations.curation.models.ITEM_KIND_CHOICES",
    "CuratedItemState": "annotations.curation.models.ITEM_STATE_CHOICES",
    "OriginEnum": "bcms.digital_abstracts.serializers.ORIGINS",
    "BasisOrigin": "bcms.curation.continuation.taking_over.BASIS_ORIGIN_CHOICES",
    "CuratorVerdict": "evaluation.curation.server_feedback.CURATOR_VERDICT_CHOICES",
    "CurationState": "annotations.curation.models.CURATION_STATE_CHOICES",
    "DigitalAbstractState": "bcms.digital_abstracts.serializers.ABSTRACT_STATE_CHOICES",
}
