"""What cannot be done in a challenge, in one sentence for the person who tried, with how to mend it."""


class ChallengeError(Exception):
    pass
