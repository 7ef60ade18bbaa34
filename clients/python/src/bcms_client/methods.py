"""The methods of Client and AsyncClient. What each sends and returns is described in `operations`."""

from bcms_client.binding import FileDownload, Listing, Operation
from bcms_client.operations import account, articles, challenges, curation, runs, servers


class ApiMethods:
    """Every method once, for both clients."""

    get_account = Operation(account.get_account)

    list_teams = Listing(servers.list_teams)
    list_servers = Listing(servers.list_servers)
    get_server = Operation(servers.get_server)
    get_availability = Operation(servers.get_availability)
    register_server = Operation(servers.register_server)
    start_server = Operation(servers.start_server)
    stop_server = Operation(servers.stop_server)
    load_articles = Operation(servers.load_articles)
    act_on_queue = Operation(servers.act_on_queue)
    list_calls = Listing(servers.list_calls)

    list_challenges = Listing(challenges.list_challenges)
    get_challenge = Operation(challenges.get_challenge)
    get_leaderboard = Operation(challenges.get_leaderboard)
    download_phase_articles = FileDownload(challenges.download_phase_articles)

    list_runs = Operation(runs.list_runs)
    check_run = Operation(runs.check_run)
    upload_run = Operation(runs.upload_run)
    get_upload = Operation(runs.get_upload)
    wait_for_upload = Operation(runs.wait_for_upload)
    get_run = Operation(runs.get_run)
    describe_run = Operation(runs.describe_run)
    tag_run_as_final = Operation(runs.tag_run_as_final)
    untag_run = Operation(runs.untag_run)
    withdraw_run = Operation(runs.withdraw_run)

    get_worklist = Operation(curation.get_worklist)
    list_curation_projects = Listing(curation.list_curation_projects)
    list_curations = Listing(curation.list_curations)
    begin_curation = Operation(curation.begin_curation)
    get_curation = Operation(curation.get_curation)
    upload_digital_abstract = Operation(curation.upload_digital_abstract)
    finish_curation = Operation(curation.finish_curation)
    list_digital_abstract_formats = Operation(curation.list_digital_abstract_formats)
    get_digital_abstract = Operation(curation.get_digital_abstract)
    download_digital_abstract = FileDownload(curation.download_digital_abstract)
    download_digital_abstracts = FileDownload(curation.download_digital_abstracts)

    list_articles = Listing(articles.list_articles)
    get_article = Operation(articles.get_article)
    get_annotations = Operation(articles.get_annotations)
    get_consensus = Operation(articles.get_consensus)
    list_article_servers = Operation(articles.list_article_servers)
    call_article_servers = Operation(articles.call_article_servers)
    list_corpora = Listing(articles.list_corpora)
    get_corpus = Operation(articles.get_corpus)
    list_export_formats = Operation(articles.list_export_formats)
    export_article = FileDownload(articles.export_article)
    export_articles = FileDownload(articles.export_articles)
