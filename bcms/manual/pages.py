"""The pages of the manual in reading order, with their sections.

The contents page and each page's own contents show this table. tests/integration/bcms/manual/test_manual_pages.py
compares the sections with the headings in templates/manual/pages/.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bcms.manual.command_help import COMMAND_ANCHORS
from bcms.manual.contexts.annotation_servers import build_starters_and_retry_limits_context
from bcms.manual.contexts.api import build_scopes_limits_and_exports_context
from bcms.manual.contexts.articles import build_kinds_and_consensus_methods_context
from bcms.manual.contexts.availability import build_downtime_and_probe_limits_context
from bcms.manual.contexts.challenges import build_access_table_and_limits_context
from bcms.manual.contexts.curation import build_abstract_formats_and_licence_context
from bcms.manual.contexts.manuscripts import build_manuscript_example_and_limits_context
from bcms.manual.contexts.measures import build_measures_with_kinds_context
from bcms.manual.contexts.open_model import build_open_model_examples_context
from bcms.manual.contexts.protocols import build_protocol_examples_and_limits_context
from bcms.manual.contexts.rules import build_answer_and_file_rules_context
from bcms.manual.contexts.runs import build_command_help_and_plot_context, build_site_url_context
from bcms.manual.contexts.teams import build_invitation_and_notification_context


@dataclass(frozen=True, slots=True)
class ManualSection:
    """A heading with an id, and one line about what is below it."""

    anchor: str
    title: str
    summary: str


@dataclass(frozen=True, slots=True)
class ManualPage:
    """A page at /manual/<slug>/; examples are the ids and names of further parts that the contents page links to."""

    slug: str
    title: str
    summary: str
    build_context: Callable[[], Mapping[str, object]]
    sections: tuple[ManualSection, ...]
    examples: Mapping[str, str] = field(default_factory=dict)

    @property
    def template(self) -> str:
        return f"manual/pages/{self.slug}.html"


MANUAL_PAGES = (
    ManualPage(
        "tour",
        "Tour in ninety seconds",
        "What you can do here, in six pictures.",
        dict,
        (
            ManualSection("tour-article", "All annotations of an article", "The heat map and the list beside it."),
            ManualSection("tour-mention", "Why a word is marked", "The card of a mention."),
            ManualSection("tour-comparison", "Two servers side by side", "What one marks and the other does not."),
            ManualSection("tour-trial", "Your program as a server", "Register, try and watch it."),
            ManualSection("tour-leaderboard", "Challenges", "Scores with intervals and shared ranks."),
            ManualSection("tour-curation", "From annotations to data", "Structured digital abstracts."),
        ),
    ),
    ManualPage(
        "articles",
        "Reading articles",
        "How an article page shows annotations, how to search, and how consensus and calibration work.",
        build_kinds_and_consensus_methods_context,
        (
            ManualSection("reading", "Read an article", "Marked mentions, entity cards, votes and filters."),
            ManualSection("types", "Types, links, relations and labels", "Annotations of more than genes."),
            ManualSection("compare", "Compare two servers", "The text twice, and what one or both report."),
            ManualSection("keys", "Keyboard shortcuts", "Keys on the article page."),
            ManualSection("missing-articles", "Open an article that is not here yet", "What is fetched from PubMed."),
            ManualSection("pasted-texts", "Annotate a text of your own", "Who sees it, and for how long."),
            ManualSection("embed", "Show annotations on your page", "A tag for the pages of journals and blogs."),
            ManualSection("finding", "Search for articles", "Query syntax, filters, order and disagreement."),
            ManualSection("consensus", "Consensus", "How the annotations of several servers become one list."),
            ManualSection("data-sets", "Data sets", "A consensus that is stored, published and updated."),
            ManualSection("calibration", "Calibrated confidence", "How often a server is right at each confidence."),
            ManualSection("kinds", "Kinds of annotation", "The kinds, their names in challenges, and positions."),
        ),
    ),
    ManualPage(
        "curation",
        "Curation",
        "What digital abstracts are, how to find and download them, and how to make one.",
        build_abstract_formats_and_licence_context,
        (
            ManualSection("digital-abstracts", "Digital abstracts", "What a record of an article has."),
            ManualSection("finding-records", "Find and download them", "Search, files, REST and XML-RPC."),
            ManualSection("curating", "Curate an article", "The four steps, and what happens to a decision."),
            ManualSection("relations-and-labels", "Relations and labels", "Add and correct what is no interaction."),
            ManualSection("continuing", "Continue from a file", "Take over what MITAB, PSI-MI XML or JSON has."),
            ManualSection("curation-keys", "Keys and time", "One key for each decision, and what is timed."),
            ManualSection("publishing", "Publish the record", "Who sees it before and after a review."),
            ManualSection("withdrawing", "Withdraw a published record", "Who may, and what is left of it."),
            ManualSection("curator-profile", "Your ORCID iD, and what teams see", "What you agree to, off by default."),
            ManualSection("curating-by-rest", "Curate by REST", "The same with programs."),
        ),
        {"decision-example": "Decision in JSON"},
    ),
    ManualPage(
        "annotation-servers",
        "Annotation servers",
        "Write, check and register a server, and what happens while it runs.",
        build_starters_and_retry_limits_context,
        (
            ManualSection("server", "Write a server", "Minimal servers in Python, and how to register one."),
            ManualSection("credentials", "Servers that need credentials", "Basic, bearer token or a header, sealed."),
            ManualSection("signed-calls", "Signed calls", "Verify that a call comes from this site."),
            ManualSection("starters", "Starter files", "Complete servers in several languages to copy."),
            ManualSection("model-server", "Ask a language model", "A server for any OpenAI-compatible endpoint."),
            ManualSection("check", "Check a server before you register it", "The command-line check."),
            ManualSection("replay", "Serve annotations from a file", "Turn existing results into a server."),
            ManualSection("review", "Review", "Who sees the annotations of a new server, and until when."),
            ManualSection("decisions", "What curators decided", "Accepted, corrected and rejected annotations."),
            ManualSection("life", "States and retries", "Online, offline and fail; what happens after a failed call."),
            ManualSection("test-queues", "Calls in a test phase", "Why a test queue stops and what you can do."),
        ),
        {
            "plain-server": "Server with the standard library",
            "kit-server": "Server with the kit",
            "model-start": "Start a server that asks a language model",
            "signed-server": "Server that verifies calls",
        },
    ),
    ManualPage(
        "open-model",
        "Annotations of any type",
        "Mentions, entities, relations and labels: one small example of each, and what becomes of them.",
        build_open_model_examples_context,
        (
            ManualSection("idea", "Four shapes for everything", "How the seven kinds fit into an open model."),
            ManualSection("register", "Register for it", "Kinds and types of a server."),
            ManualSection("mention", "A mention", "Position, parts, type and identifiers."),
            ManualSection("entity", "An entity", "What the article as a whole is about."),
            ManualSection("relation", "A relation", "Arguments, roles, qualifiers and evidence."),
            ManualSection("label", "A label", "A value of a named set."),
            ManualSection("after", "What happens next", "Checks, pages, exports and scores."),
        ),
        {"mention-example": "Mentions in JSON", "relation-example": "Relation in JSON"},
    ),
    ManualPage(
        "protocols",
        "Protocols",
        "The four protocols between the meta-server and annotation servers, with example messages.",
        build_protocol_examples_and_limits_context,
        (
            ManualSection("protocols", "What all protocols share", "Time limits, sizes, ports and empty answers."),
            ManualSection("protocol", "BCMS XML-RPC", "The original protocol: call, answer and fields."),
            ManualSection("rest", "JSON-REST", "JSON over HTTP, with optional asynchronous answers."),
            ManualSection(
                "open",
                "Entities, relations and labels",
                "Mentions of any type with identifiers, and what relates them.",
            ),
            ManualSection(
                "batches",
                "Several articles in one request",
                "Batches: what they look like, and what follows a failure.",
            ),
            ManualSection("pubannotation", "PubAnnotation", "For annotators written for PubAnnotation."),
            ManualSection("becalm", "BeCalm (TIPS)", "For servers written for BeCalm, with call-backs."),
        ),
        {
            "call": "XML-RPC call",
            "answer": "XML-RPC answer",
            "rest-request": "JSON-REST request",
            "rest-answer": "JSON-REST answer",
            "open-answer": "JSON-REST answer with relations",
            "batch-request": "JSON-REST request with two articles",
            "batch-answer": "JSON-REST answer to two articles",
            "pubannotation-request": "PubAnnotation request",
            "pubannotation-answer": "PubAnnotation answer",
            "pubannotation-open-answer": "PubAnnotation answer with relations",
            "becalm-request": "BeCalm request",
            "becalm-acknowledgement": "BeCalm acknowledgement",
            "becalm-answer": "BeCalm answer",
        },
    ),
    ManualPage(
        "rules",
        "Rules",
        "Every rule that answers, files and digital abstracts must follow, by code.",
        build_answer_and_file_rules_context,
        (
            ManualSection("rules", "Rules for answers", "What happens to an invalid answer, and all rules."),
            ManualSection(
                "digital-abstracts",
                "Rules for digital abstracts",
                "What is wrong with a curated record, and all rules.",
            ),
            ManualSection("files", "Rules for files", "Formats that can be imported or uploaded, and all rules."),
        ),
    ),
    ManualPage(
        "teams",
        "Teams and notifications",
        "Accounts, team roles, e-mail notifications and webhooks.",
        build_invitation_and_notification_context,
        (
            ManualSection("team", "Your account and your team", "Sign up, invite members, and what each role may do."),
            ManualSection("notifications", "Notifications", "Events that are sent to the team by e-mail."),
            ManualSection("weekly-report", "Weekly report", "What comes by mail on Mondays."),
            ManualSection("webhooks", "Webhooks", "Message format, signature, retries and an example receiver."),
            ManualSection(
                "challenge-webhooks",
                "Webhooks of teams and challenges",
                "What is sent about challenges, and to whom.",
            ),
            ManualSection("matrix", "Rooms of Matrix", "Create a token, invite the account, send messages to a room."),
        ),
        {"webhook-receiver": "Webhook receiver"},
    ),
    ManualPage(
        "availability",
        "Availability and response times",
        "How uptime, downtime and response times of servers are measured.",
        build_downtime_and_probe_limits_context,
        (
            ManualSection("availability", "Uptime and downtime", "Probes, pauses, maintenance and availability."),
            ManualSection("response-times", "Figures", "MTBF, MTTR, ART and the other measures of BeCalm."),
        ),
    ),
    ManualPage(
        "measures",
        "Measures and ranks",
        "The formula of each score, and how leaderboards are ranked.",
        build_measures_with_kinds_context,
        (
            ManualSection("measures", "Measures", "All measures with their formulas."),
            ManualSection("scores", "Scores", "Missing answers, signatures and how to recompute a score."),
            ManualSection("ranks", "Ranks", "The paired test, its correction, and confidence intervals."),
            ManualSection("scenarios", "Scenarios", "Filters on a leaderboard, baselines and the ensemble."),
            ManualSection("charts", "Charts", "Exact values of what you point at, and zoom."),
        ),
    ),
    ManualPage(
        "runs",
        "Runs in files",
        "Score and check runs on the command line, without the site.",
        build_command_help_and_plot_context,
        (
            ManualSection("command", "Score a run", "The command, the columns of a run, and the gold standard."),
            ManualSection("gene-mentions", "Gene mentions", "Runs in the format of BioCreative II, and span matching."),
            ManualSection("entities", "Entities, relations and labels of any type", "Tasks with types and namespaces."),
            ManualSection("passages", "Evidence passages", "Passages are scored against judgements."),
            ManualSection("bc2-xml", "XML of BioCreative II", "Reading and repairing XML runs."),
            ManualSection("other-formats", "Annotated text and TREC files", "What is read from other formats."),
            ManualSection("plots", "Plots", "Curves, overlaps and ranks as SVG."),
            ManualSection("reports", "Reports and exit status", "Messages, options that matter, and JSON output."),
            ManualSection("commands", "All commands", "The help text of each command."),
        ),
        COMMAND_ANCHORS,
    ),
    ManualPage(
        "submissions",
        "Taking part in a challenge",
        "Enter servers, upload runs and see your scores.",
        build_site_url_context,
        (
            ManualSection("runs", "Enter servers and upload runs", "Formats, rules and article ids."),
            ManualSection("mentions", "Runs of gene mentions", "Positions, accepted alternatives and scenarios."),
            ManualSection("open-runs", "Runs of any types", "Formats, checks and marks in the text."),
            ManualSection("run-limits", "Limits, figures and final runs", "How many runs count, and who sees what."),
            ManualSection("phase-articles", "Articles of a phase", "Download the articles that you annotate."),
            ManualSection("client", "Command-line client", "Do all of this with bcms.py."),
        ),
    ),
    ManualPage(
        "challenges",
        "Organizing a challenge",
        "Set up tasks, phases and gold standards; judge, label, compare and archive.",
        build_access_table_and_limits_context,
        (
            ManualSection("organizing", "Set up a challenge", "Organizers, tasks, corpora, phases and gold standards."),
            ManualSection("corpus-file", "From one file", "Corpus, phase, tasks and gold standards at once."),
            ManualSection(
                "definitions", "From a definition or another challenge", "YAML files and copies of challenges."
            ),
            ManualSection("draft-archives", "From an archive", "What an archive becomes here, and imported runs."),
            ManualSection("step-by-step", "Step by step", "Tasks, corpora, phases and gold standards one by one."),
            ManualSection(
                "open-tasks", "Tasks of any types", "Settings of mentions, identifiers, relations and labels."
            ),
            ManualSection("unpublished", "Articles that nobody may see yet", "Upload them straight to a blind corpus."),
            ManualSection("states", "Draft, listed, closed, archived", "Who sees a challenge and what teams can do."),
            ManualSection("dry-run", "Dry run", "Check the set-up and the power of the test set."),
            ManualSection("entry-rules", "Rules for teams", "Who may enter, terms, and limits of a phase."),
            ManualSection("pictures", "Pictures in the description", "Upload, describe and delete them."),
            ManualSection("talking", "Announcements and discussion", "Write to teams, moderate, name participants."),
            ManualSection("dates", "Dates", "What starts and ends by itself, and what you can change."),
            ManualSection("gold-standard", "Gold standard of a test", "Sealing, publishing and blind articles."),
            ManualSection("review", "Review of published results", "When articles show what a challenge published."),
            ManualSection("archive", "Archive", "Download a challenge as one file and restore it."),
            ManualSection("judging", "Judge evidence passages", "Pooling, judges and adjudication."),
            ManualSection("labelling", "Label articles", "Curators make a gold standard of relevant articles."),
            ManualSection(
                "comparing", "Inter-annotator agreement", "Compare servers, runs, curators and gold standards."
            ),
            ManualSection("by-hand", "Annotations of authors and curators", "Import annotations made elsewhere."),
            ManualSection("roles", "Access table", "Every URL of the site and who may use it."),
        ),
    ),
    ManualPage(
        "curation-projects",
        "Curation projects",
        "Curate a corpus with several people, measure their agreement, and decide on an outcome.",
        dict,
        (
            ManualSection("worklist", "Your worklist", "What is assigned to you, and articles to curate next."),
            ManualSection("project", "Start a project", "Curators, splitting a corpus, overlap and hand-over."),
            ManualSection("experiment", "An experiment: with or without help", "Articles with help drawn at random."),
            ManualSection("agreement", "Agreement", "Kappa, Krippendorff's alpha and F1, and what they compare."),
            ManualSection("results", "Results: time, scores, agreement, answers", "What helped, as page and files."),
            ManualSection("adjudication", "Adjudication", "Records side by side, and the outcome."),
            ManualSection("gold", "From the outcome to a gold standard", "Who sees what once it is sealed."),
            ManualSection("rest", "Projects by REST", "The same with programs."),
        ),
    ),
    ManualPage(
        "manuscripts",
        "Manuscripts",
        "How journals have manuscripts checked by their authors before publication, and what stays secret.",
        build_manuscript_example_and_limits_context,
        (
            ManualSection("submit", "Submit a manuscript", "What a journal sends, and which servers get it."),
            ManualSection("links", "Links for the author and reviewers", "What they open, and until when."),
            ManualSection("publish", "Follow and publish it", "States, refusal, withdrawal, PMID and DOI."),
            ManualSection("secrecy", "Who sees a manuscript", "Before it is published."),
            ManualSection("terms", "Confidentiality terms for servers", "What a team promises."),
        ),
    ),
    ManualPage(
        "api",
        "REST and exports",
        "Use the site from programs: REST, XML-RPC, tokens, limits and export formats.",
        build_scopes_limits_and_exports_context,
        (
            ManualSection("api", "REST and XML-RPC", "Where the data is, and the XML-RPC methods."),
            ManualSection(
                "open",
                "Parts, identifiers, entities, relations and labels",
                "Members of annotations of any type, in REST, XML-RPC and files.",
            ),
            ManualSection(
                "annotate", "Have an article annotated", "Calling the servers for an article without an account."
            ),
            ManualSection("python-client", "Python and the command line", "The package bcms-client and its command."),
            ManualSection("tokens", "Tokens", "Authentication and scopes."),
            ManualSection("limits", "Rate limits", "Requests and files per minute."),
            ManualSection("exports", "Exports", "Articles and searches as files, and what each format carries."),
            ManualSection("caching", "Other sites and caching", "CORS and ETag."),
        ),
    ),
)
MANUAL_PAGE_BY_SLUG = {page.slug: page for page in MANUAL_PAGES}


def find_previous_and_next_page(page: ManualPage) -> tuple[ManualPage | None, ManualPage | None]:
    """The previous and the next page in reading order; None at the ends."""
    number = MANUAL_PAGES.index(page)
    previous = MANUAL_PAGES[number - 1] if number else None
    following = MANUAL_PAGES[number + 1] if number + 1 < len(MANUAL_PAGES) else None
    return previous, following
