"""The beginnings of URLs that several topics share."""

CHALLENGE_URL = "challenges/<slug:slug>/"
PHASE_URL = CHALLENGE_URL + "phases/<slug:phase>/"
LEADERBOARD_URL = CHALLENGE_URL + "<slug:phase>/<slug:task>/"
