"""The rules R4xx of files with articles and of tables of identifiers."""

from annotations.formats.errors import FileRule

ARTICLE_FILE_RULES = (
    FileRule(
        "R401",
        "An archive of articles is complete and undamaged.",
        "Download it again, and compare its size or checksum with the original's. A zip archive has no password.",
    ),
    FileRule(
        "R402", "A file of articles is PubMed XML.", "Download it from PubMed. Its root element is PubmedArticleSet."
    ),
    FileRule(
        "R403",
        "NCBI answers with articles, not with an error.",
        "Try again later with fewer articles per request. If the error is about the query, correct the query.",
    ),
    FileRule(
        "R404", "A file of articles is well-formed XML.", "Download it from PubMed again, and do not edit it by hand."
    ),
    FileRule(
        "R405", "A file of articles defines no entities.", "Download it from PubMed, whose files never define entities."
    ),
    FileRule(
        "R406",
        "Each article has a numeric PMID.",
        "Download the file from PubMed again. Import articles without a PMID in another format.",
    ),
    FileRule(
        "R411",
        "HGNC's table of human genes contains HGNC and NCBI Gene numbers and UniProt accessions.",
        "Use the table as published by HGNC.",
    ),
    FileRule(
        "R421", "The table of species has an NCBI Taxonomy number for each taxon.", "Write NCBI Taxonomy numbers."
    ),
    FileRule(
        "R430",
        "A table of identifiers is one of the supported tables.",
        "Use the file as its database publishes it, including the header line. The message lists the supported tables.",
    ),
    FileRule(
        "R431",
        "A compressed table of identifiers is complete and undamaged.",
        "Download it again, and compare its size.",
    ),
    FileRule("R432", "A table of identifiers is text in UTF-8.", "Save it as UTF-8, or download it again."),
    FileRule(
        "R433", "A table of identifiers has all its columns.", "Use the table with its header line and all columns."
    ),
    FileRule("R434", "Each line has as many cells as the table has columns.", "Download the table again."),
    FileRule("R435", "Each identifier has the format of its database.", "Use the table as published."),
    FileRule("R436", "Each entry is complete.", "Download the table again. It was truncated or edited."),
    FileRule(
        "R437",
        "An ontology or table in OBO, XML or JSON is well-formed.",
        "Download it again, or convert it with the tools of its publisher.",
    ),
    FileRule("R441", "JATS is well-formed XML.", "Download the file again, and do not edit it by hand."),
    FileRule("R442", "A JATS file contains an article.", "Save the full article as JATS XML."),
    FileRule(
        "R443",
        "A JATS file defines no entities and uses only standard ones.",
        "Replace other entities with the characters themselves.",
    ),
    FileRule("R444", "A web page is HTML.", "Save the article's page again."),
    FileRule(
        "R445", "Text is encoded in UTF-8, and a web page in the character set it declares.", "Save the file as UTF-8."
    ),
    FileRule(
        "R446",
        "Each document in a file of annotated text has a text. Documents without one are skipped with a warning.",
        "Add its title or abstract, or import the article in another format.",
    ),
    FileRule("R447", "An article has text.", "Check that you chose the right file and that it is complete."),
    FileRule(
        "R448",
        "An article has at most 3,000,000 characters and 50,000 passages. A file has at most 512 MiB "
        "uncompressed, or 64 MiB if it holds a single article or is a zip archive.",
        "Split the file, or remove its pictures.",
    ),
    FileRule("R449", "Text contains no NUL characters and no unpaired surrogates.", "Remove these characters."),
    FileRule(
        "R450",
        "A file of articles is PubMed XML, JATS, BioC, PubTator, PubAnnotation, brat standoff, UIMA "
        "XMI, Web Annotation, HTML, PDF, DOCX or UTF-8 text, not a list of citations such as BibTeX.",
        "Save it in one of these formats. If a text is mistaken for a list, choose its format explicitly.",
    ),
    FileRule("R451", "A Word document is undamaged and in DOCX format.", "Open it in Word and save it again."),
    FileRule(
        "R452", "A Word document unpacks to at most 200 MiB and 5,000 parts.", "Save only its text, without pictures."
    ),
    FileRule("R453", "A Word document has no password.", "Save it without one."),
    FileRule("R454", "A PDF is undamaged.", "Download it again, or print it to a new PDF."),
    FileRule("R455", "A PDF has no password.", "Save it without one."),
    FileRule("R456", "A PDF has at most 2,000 pages and 3,000,000 characters.", "Split it."),
    FileRule("R457", "The pages of a PDF contain text.", "Run character recognition (OCR) on scanned pages first."),
    FileRule(
        "R458",
        "Reading a PDF or a Word document takes at most one minute and one gigabyte of memory.",
        "Save only its text, as DOCX, PDF or plain text.",
    ),
)
