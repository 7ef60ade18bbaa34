"""The rules of the files that come in, for the manual: R4xx articles and tables of names, R5xx gold standards of
challenges, R6xx and R7xx what `python -m evaluation` reads, R701 to R709 files as TREC writes them, R711
to R722 what a phase of a challenge asks for of the runs that teams upload.

Each fault of a file names its rule with the line; here is what the rule asks for.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileRule:
    """One rule about files; title and mend are sentences."""

    code: str
    title: str
    mend: str


FILE_RULES = (
    FileRule(
        "R401", "An archive of articles is whole.", "Download it again, and compare its size or checksum with PubMed's."
    ),
    FileRule("R402", "A file of articles is PubMed XML.", "Take it from PubMed: its root is PubmedArticleSet."),
    FileRule(
        "R403",
        "NCBI answers with articles, not with an error.",
        "Ask again later, for fewer articles at once; mend the question if the error says so.",
    ),
    FileRule(
        "R404", "A file of articles is well-formed XML.", "Take it from PubMed again, and do not edit it by hand."
    ),
    FileRule("R405", "A file of articles defines no entities.", "Take it from PubMed, whose files never define any."),
    FileRule(
        "R406",
        "Each article has a PMID of digits.",
        "Take the file from PubMed again; import what has no PMID otherwise.",
    ),
    FileRule(
        "R411",
        "HGNC's table of human genes gives numbers of NCBI Gene and UniProt accessions.",
        "Take the table as HGNC published it.",
    ),
    FileRule("R421", "The table of species has a number for each taxon.", "Write NCBI Taxonomy numbers."),
    FileRule(
        "R430",
        "A table of identifiers is one of those that are known.",
        "Bring it as its database published it, header line included; the message names the tables.",
    ),
    FileRule("R431", "A packed table of identifiers is whole.", "Download it again, and compare its size."),
    FileRule("R432", "A table of identifiers is text in UTF-8.", "Save it as UTF-8, or download it again."),
    FileRule("R433", "A table of identifiers has its columns.", "Take it with its header line and all columns."),
    FileRule("R434", "Each line has as many cells as the table has columns.", "Download the table again."),
    FileRule("R435", "Each identifier has the form of its database.", "Take the table as published."),
    FileRule("R436", "Each entry is complete.", "Download the table again; it was cut off or edited."),
    FileRule("R441", "JATS is well-formed XML.", "Fetch the file again, and do not edit it by hand."),
    FileRule("R442", "A file of JATS has an article.", "Save the article with its whole text as JATS XML."),
    FileRule("R443", "A file of JATS needs no entities of its own.", "Write the characters themselves."),
    FileRule("R444", "A page of the web is HTML.", "Save the article's page anew."),
    FileRule("R445", "Text is in UTF-8, a page in the character set that it names.", "Save the file as UTF-8."),
    FileRule(
        "R446",
        "A document of annotated text has a text; one without is left out, and warned of.",
        "Write its title or abstract, or import the article otherwise.",
    ),
    FileRule("R447", "An article has a text.", "Look whether the file is what you meant, and whole."),
    FileRule(
        "R448",
        "An article has at most 3,000,000 characters in 50,000 passages; a file at most 512 MiB when unpacked, one "
        "with a single article 64 MiB.",
        "Split it, or leave out its pictures.",
    ),
    FileRule("R449", "A text has characters only, no NUL and no half of a surrogate pair.", "Remove what is none."),
    FileRule(
        "R450",
        "A file of articles is PubMed XML, JATS, BioC, PubTator, PubAnnotation, HTML, PDF, DOCX or text in UTF-8, and "
        "no list of citations, such as BibTeX.",
        "Save it as one of these; of a text that is taken for a list, name the format.",
    ),
    FileRule("R451", "A document of Word is whole, and DOCX.", "Open it in Word and save it anew."),
    FileRule("R452", "A document of Word unpacks to 200 MiB at most.", "Save its text alone, without pictures."),
    FileRule("R453", "A document of Word has no password.", "Save it without one."),
    FileRule("R454", "A PDF is whole.", "Fetch it again, or print it to a new PDF."),
    FileRule("R455", "A PDF has no password.", "Save it without one."),
    FileRule("R456", "A PDF has 2,000 pages and 3,000,000 characters at most.", "Split it."),
    FileRule("R457", "The pages of a PDF have text.", "Run character recognition (OCR) on scanned pages first."),
    FileRule(
        "R458",
        "Reading a PDF or a document of Word takes a minute and a gigabyte of memory at most.",
        "Save its text alone as DOCX, PDF or text.",
    ),
    FileRule("R501", "A gold standard is text in UTF-8, without a byte order mark.", "Save it as plain UTF-8 text."),
    FileRule("R502", "No line of a gold standard is blank.", "Remove the blank line."),
    FileRule(
        "R503", "Each line has two columns with one tab between.", "Write the article's id, a tab, and the value."
    ),
    FileRule("R504", "An article's id has no white space at its ends.", "Remove the white space."),
    FileRule(
        "R505",
        "A value has the form that its task asks for.",
        "Write a class (0 or 1, true or false, t or f, y or n, + or -), or one identifier: an NCBI Taxonomy number, an "
        "NCBI Gene number or UniProt accession, a PSI-MI identifier.",
    ),
    FileRule("R506", "Nothing is said twice.", "Keep one of the two lines that the message names."),
    FileRule("R507", "A gold standard is not empty.", "Write one line for each article and annotation."),
    FileRule(
        "R508",
        "Each article is in the corpus of the phase.",
        "Remove the line, or add the article to the corpus first.",
    ),
    FileRule("R509", "Each article of the corpus has a class.", "Add a line for the article, negative ones too."),
    FileRule(
        "R510", "No article is given under two of its names.", "Use its PMID, its DOI or its opaque id throughout."
    ),
    FileRule(
        "R601", "A run begins with its first result, not with a byte order mark.", "Save it as UTF-8 without one."
    ),
    FileRule("R602", "No line is blank.", "Remove the blank line, also at the end of the file."),
    FileRule(
        "R603",
        "Each line has the columns of its task: article and class; article and identifier; article and two "
        "interactors, or these and a passage. In a run rank and confidence may follow, in this order.",
        "Write the same columns in every line and no others, with one tab between.",
    ),
    FileRule("R604", "No identifier is empty.", "Write it, or remove the line."),
    FileRule("R605", "A class is 0 or 1, true or false, t or f, y or n, + or -.", "Write one of these."),
    FileRule("R606", "A rank is a whole number from 1.", "Number the results of an article 1, 2, 3 and so on."),
    FileRule("R607", "A confidence is a number above 0 and at most 1.", "Write one, with a point: 0.85."),
    FileRule(
        "R608", "Nothing is said twice of an article; pairs have no direction.", "Keep the better of the two lines."
    ),
    FileRule(
        "R609",
        "No two results of an article have the same rank (ACT: of a class; ISS: of a pair).",
        "Give each result a rank of its own.",
    ),
    FileRule("R610", "A gold standard is not empty.", "Write one line for each right item."),
    FileRule(
        "R611",
        "BioCreative II.5 asks for rank and confidence, BioCreative III for the confidence.",
        "Add the column, or use the rules of the library.",
    ),
    FileRule("R612", "By the rules of BioCreative II.5 ranks have no gap.", "Number the results 1, 2, 3 and so on."),
    FileRule(
        "R613",
        "By the rules of BioCreative II.5 confidence falls with the rank; a rise is warned of.",
        "Mend rank or confidence, if the rise is not meant.",
    ),
    FileRule(
        "R614",
        "White space at the ends of an identifier belongs to it; it is warned of.",
        "Remove it, if it is not meant.",
    ),
    FileRule(
        "R615",
        "A map of organisms gives one taxon for each accession, and has all accessions of the gold standard.",
        "Write the accession, a tab and the taxon, one accession a line.",
    ),
    FileRule(
        "R616",
        "A map of homonyms gives an accession and, after a tab, those that count as it, with commas between.",
        "Write one accession a line; put all its homonyms into the second column.",
    ),
    FileRule("R617", "A list of accessions has one a line.", "Write each accession in a line of its own."),
    FileRule(
        "R618",
        "A table of names gives a name and, after a tab, the identifier that it stands for.",
        "Write one name a line, such as GRB2_HUMAN and P62993.",
    ),
    FileRule("R619", "A best passage is relevant.", "Write 1 in both columns, or 0 for best."),
    FileRule(
        "R620",
        "A file of times gives the name of a run and the seconds that an article took it, above 0.",
        "Write the name, a tab and the seconds, one article a line, or one line with the mean.",
    ),
    FileRule(
        "R621", "A list for TAP-k begins with the query and, if it has one, its weight.", "Write a weight above 0."
    ),
    FileRule("R622", "Then comes how many relevant records there are.", "Write a whole number from 0."),
    FileRule("R623", "Then come the records, best first.", "Write 1 or 0, a space, and the score as a number."),
    FileRule("R624", "Each query has one list.", "Keep one of the two."),
    FileRule("R625", "No more records are marked relevant than there are.", "Correct the number or the marks."),
    FileRule("R626", "Scores rise or fall throughout.", "Sort the records of every query best first."),
    FileRule("R627", "A file for TAP-k has a list.", "Write one for each query, with blank lines between."),
    FileRule(
        "R628",
        "All lists for TAP-k agree whether high or low scores are best, and half of them have k errors.",
        "Sort every list best first; choose a smaller k, or pad the lists with --pad.",
    ),
    FileRule(
        "R629",
        "A file is text: neither packed nor in UTF-16, and without zero bytes.",
        "Unpack it, or save it as UTF-8 text.",
    ),
    FileRule(
        "R631",
        "BioCreative II XML is text in UTF-8, or in the encoding that it declares (ISO-8859-1, Windows-1252).",
        "Save it as UTF-8 text; --mend reads single bytes that are none as Windows-1252.",
    ),
    FileRule("R632", "It declares no document type and no entities.", "Remove the declaration; it is never read."),
    FileRule(
        "R633",
        "Every element is closed, and every closing tag closes one.",
        "Close it; --mend closes it where another element shows that it is over.",
    ),
    FileRule(
        "R634",
        "Every element is one of the format and stands where the format has it, and so does all text.",
        "Correct its name or its place; --mend leaves out what is not of the format.",
    ),
    FileRule(
        "R635",
        "In text < and & are written &lt; and &amp;, and there are no entities but those of XML.",
        "Write them so; --mend reads them as text, and entities of HTML as their characters.",
    ),
    FileRule(
        "R636",
        "Each ENTRY has the PMID of its article.",
        "Write it; --mend joins an ENTRY without one with that before it.",
    ),
    FileRule(
        "R637",
        "Each ENTRY has a result of its task, a pair has two interactors, and a method has an identifier.",
        "Write what is lacking; --mend leaves out an ENTRY without a result.",
    ),
    FileRule(
        "R638",
        "No element stands twice in another, but pairs and methods in an ENTRY; each passage has its own ENTRY.",
        "Keep one; --mend takes passages with as many ranks for an ENTRY each.",
    ),
    FileRule(
        "R639",
        "The results of an article stand in one ENTRY, or in one each, next to each other.",
        "Join or sort the entries; --mend joins them.",
    ),
    FileRule("R640", "No value is empty or over 100,000 characters long.", "Write it, or close its element."),
    FileRule(
        "R641",
        "A file is one run of one team for one subtask: BC2_PPI_IPS, BC2_PPI_IMS or BC2_PPI_ISS.",
        "Write one file for each run; --mend passes over subtasks that do not exist.",
    ),
    FileRule(
        "R642",
        "An interactor is a UniProt accession, or an NCBI Gene number.",
        "Write it so; --mend removes a prefix and replaces the names that --names FILE has, such as GRB2_HUMAN.",
    ),
    FileRule(
        "R643",
        "A method is a PSI-MI identifier.",
        "Write it so; --mend adds a lacking prefix and replaces the names that --names FILE has, such as two hybrid.",
    ),
    FileRule(
        "R644",
        "All results have a rank, or none has.",
        "Write the ranks that are lacking; --mend puts results without one last.",
    ),
    FileRule("R645", "Judgements of passages are tab-separated values.", "Write them so, with relevant and best."),
    FileRule("R646", "A file in BioCreative II XML has an ENTRY.", "Write one for each result."),
    FileRule("R651", "A file of annotated text is UTF-8.", "Save it as UTF-8 text."),
    FileRule(
        "R652",
        "A line of PubTator is ID|t|title, ID|a|abstract, a mention (ID, start, end, text, type and, if it has some, "
        "identifiers), or a relation (ID, type and two identifiers).",
        "Put one tab between the columns.",
    ),
    FileRule("R653", "Each document has an ID.", "Write the article's PMID, or what else the task calls it."),
    FileRule(
        "R654",
        "A mention has the place where it starts and the one after its last character, counted from 0 in characters "
        "over title, one separator and abstract.",
        "Write both as whole numbers.",
    ),
    FileRule("R655", "A mention stands in the text.", "Count characters, not bytes, from the start of the title."),
    FileRule("R656", "A mention of PubTator has a type.", "Write one, such as Gene or Species."),
    FileRule(
        "R657",
        "The text of a mention is what stands at its place; anything else is warned of.",
        "Mend one of the two, if it is not meant so.",
    ),
    FileRule("R658", "Each document is there once.", "Keep one of the two, or put all of its mentions under one."),
    FileRule("R659", "A file of annotated text has a document.", "Write one at least."),
    FileRule(
        "R661",
        "A protein-protein interaction of BioC has two partners.",
        "Write Gene1 and Gene2, or two nodes that are annotations with identifiers.",
    ),
    FileRule("R662", "A document of BioC is relevant or not.", "Write yes or no."),
    FileRule("R663", "BioC is well-formed XML.", "Write it with a program that writes XML."),
    FileRule("R664", "A file of BioC has no entities of its own.", "Write the characters themselves."),
    FileRule(
        "R665",
        "A file of BioC has the elements of BioC.dtd, each in its place.",
        "Mend the name of the element, or remove it.",
    ),
    FileRule("R666", "BioC and PubAnnotation are JSON.", "Write it with a program that writes JSON."),
    FileRule(
        "R667",
        "BioC and PubAnnotation in JSON have objects and lists where their formats say so.",
        "Write a collection, a document or a list of them.",
    ),
    FileRule(
        "R691",
        "A line of gene mentions has the sentence, the place and the text, with bars between; the text may be empty.",
        "Write sentence|start end|text.",
    ),
    FileRule(
        "R692",
        "A place is two whole numbers from 0 with one space between.",
        "Write how many characters, white space not counted, stand in the sentence before the first character of the "
        "mention and before its last one.",
    ),
    FileRule("R693", "No mention ends before it begins.", "Write where the first character stands, then the last one."),
    FileRule(
        "R694", "A gene mention that stands twice counts once, which is warned of.", "Remove one of the two lines."
    ),
    FileRule(
        "R695",
        "Gene mentions are given in a format that has their places.",
        "Write them as GENE.eval, PubTator, BioC or PubAnnotation.",
    ),
    FileRule(
        "R701",
        "A line of a TREC run has topic, Q0, docno, rank, score and tag; of judgements topic, iteration, docno and "
        "relevance.",
        "Write the same columns in every line and no others, with white space between.",
    ),
    FileRule("R702", "A score is a finite number.", "Write one, with a point: 14.25."),
    FileRule("R703", "A relevance is a whole number, above 0 for what is right.", "Write 0 or 1."),
    FileRule("R704", "No docno stands twice in a topic; pairs have no direction.", "Keep the better of the two lines."),
    FileRule(
        "R705",
        "Scores fall with the rank; a rise is warned of, because only scores count, as in trec_eval.",
        "Mend the scores, if the ranks are meant.",
    ),
    FileRule("R706", "The docno of a pair is both partners with a colon between.", "Write it as A:B."),
    FileRule("R707", "Judgements have something relevant.", "Give what is right a relevance of 1."),
    FileRule(
        "R711",
        "An uploaded run is in a format that has results of its task.",
        "Write tab-separated values, which have those of every task.",
    ),
    FileRule(
        "R712",
        "An identifier of an uploaded run has the form of its database.",
        "Write NCBI Taxonomy, NCBI Gene and PSI-MI identifiers and UniProt accessions as their databases do; an entry "
        "name such as P53_HUMAN is no accession.",
    ),
    FileRule(
        "R713",
        "An uploaded run has an article of the phase; others are counted and listed.",
        "Call articles as the phase's file of articles does, in a blind phase by their opaque ids.",
    ),
    FileRule(
        "R714",
        "An article has no more results than the phase takes.",
        "Leave out those with the lowest confidence or the last ranks.",
    ),
    FileRule("R715", "No article of a run is given under two of its names.", "Use one of them throughout."),
    FileRule(
        "R716",
        "A team has no more runs in a task and phase than the phase allows.",
        "Keep those that you have, or withdraw one where the rules allow that.",
    ),
    FileRule(
        "R717",
        "A passage of an uploaded run is copied from its article; white space alone may differ.",
        "Write whole sentences letter by letter as the phase's file of articles has them.",
    ),
    FileRule("R718", "A passage has at most three sentences.", "Leave out those that say least."),
    FileRule("R719", "A pair has at most five passages in an article.", "Leave out the least sure."),
    FileRule("R720", "A passage of a pair is given once, whatever its white space.", "Keep one of the lines."),
    FileRule(
        "R721",
        "A mention of an uploaded run or a gold standard stands within the text of its article.",
        "Count in the text of the phase's file of articles: title, one separator, abstract and so on.",
    ),
    FileRule(
        "R722",
        "The text of a mention is what its article has at the place; white space may differ, and of a mention in "
        "several parts what is between. Up to a tenth of others is warned of.",
        "Count characters, not bytes, in the text of the phase's file of articles.",
    ),
)
