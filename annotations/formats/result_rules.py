"""The rules of files with results.

R5xx: gold standards of challenges. R6xx and R701 to R709: files that `python -m evaluation` reads.
"""

from annotations.formats.errors import FileRule

RESULT_FILE_RULES = (
    FileRule("R501", "A gold standard is text in UTF-8, without a byte order mark.", "Save it as plain UTF-8 text."),
    FileRule("R502", "No line of a gold standard is blank.", "Remove the blank line."),
    FileRule(
        "R503", "Each line has two columns separated by one tab.", "Write the article's ID, a tab, and the value."
    ),
    FileRule("R504", "An article ID has no leading or trailing white space.", "Remove the white space."),
    FileRule(
        "R505",
        "A value has the format that its task requires.",
        "Write a class (0 or 1, true or false, t or f, y or n, + or -), or one identifier: an NCBI "
        "Taxonomy number, an NCBI Gene number or UniProt accession, a PSI-MI identifier.",
    ),
    FileRule("R506", "No annotation is given twice.", "Keep one of the two lines that the message names."),
    FileRule("R507", "A gold standard is not empty.", "Write one line for each article and annotation."),
    FileRule(
        "R508",
        "Each article is in the corpus of the phase.",
        "Remove the line, or add the article to the corpus first.",
    ),
    FileRule(
        "R509", "Each article of the corpus has a class.", "Add a line for each article, including negative ones."
    ),
    FileRule(
        "R510", "No article is given under two different IDs.", "Use its PMID, its DOI or its opaque ID throughout."
    ),
    FileRule(
        "R601", "A run begins with its first result, not with a byte order mark.", "Save it as UTF-8 without one."
    ),
    FileRule("R602", "No line is blank.", "Remove the blank line, including at the end of the file."),
    FileRule(
        "R603",
        "Each line has the columns of its task: article and class; article and identifier; article and "
        "two interactors; or article, two interactors and a passage. In a run, rank and confidence may "
        "follow, in this order. In a file of labels, a line with an article alone says that it has none.",
        "Write exactly these columns in every line, separated by one tab.",
    ),
    FileRule("R604", "No identifier is empty.", "Add the identifier, or remove the line."),
    FileRule("R605", "A class is 0 or 1, true or false, t or f, y or n, + or -.", "Write one of these."),
    FileRule("R606", "A rank is a whole number from 1.", "Number the results of an article 1, 2, 3 and so on."),
    FileRule(
        "R607", "A confidence is a number above 0 and at most 1.", "Write a number with a decimal point, such as 0.85."
    ),
    FileRule(
        "R608", "No result of an article is given twice. Pairs have no direction.", "Keep the better of the two lines."
    ),
    FileRule(
        "R609",
        "No two results of an article have the same rank (ACT: of a class; ISS: of a pair).",
        "Give each result a rank of its own.",
    ),
    FileRule("R610", "A gold standard is not empty.", "Write one line for each correct item."),
    FileRule(
        "R611",
        "BioCreative II.5 requires rank and confidence, BioCreative III requires the confidence.",
        "Add the column, or use the rules of the library.",
    ),
    FileRule(
        "R612", "Under the rules of BioCreative II.5, ranks have no gaps.", "Number the results 1, 2, 3 and so on."
    ),
    FileRule(
        "R613",
        "Under the rules of BioCreative II.5, confidence does not rise from one rank to the next. A rise "
        "causes a warning.",
        "Correct the rank or the confidence if the rise is not intended.",
    ),
    FileRule(
        "R614",
        "Leading or trailing white space counts as part of an identifier and causes a warning.",
        "Remove it if it is not intended.",
    ),
    FileRule(
        "R615",
        "A map of organisms gives one taxon for each accession and covers all accessions of the gold standard.",
        "Write the accession, a tab and the taxon, one accession per line.",
    ),
    FileRule(
        "R616",
        "A map of homonyms gives an accession and, after a tab, the accessions that count as equivalent, "
        "separated by commas.",
        "Write one accession per line, with all its homonyms in the second column.",
    ),
    FileRule("R617", "A list of accessions has one accession per line.", "Write each accession on a line of its own."),
    FileRule(
        "R618",
        "A table of names gives a name and, after a tab, the identifier that it stands for.",
        "Write one name per line, such as GRB2_HUMAN, a tab and P62993.",
    ),
    FileRule("R619", "A passage marked as best is also relevant.", "Write 1 in both columns, or 0 for best."),
    FileRule(
        "R620",
        "A file of times gives the name of a run and the seconds it took for an article, above 0.",
        "Write the name, a tab and the seconds: one line per article, or one line with the mean.",
    ),
    FileRule(
        "R621",
        "A list for TAP-k begins with the query and, if it has one, its weight.",
        "Write a weight above 0 and at most 1,000,000,000.",
    ),
    FileRule(
        "R622", "The second line of a list for TAP-k is the number of relevant records.", "Write a whole number from 0."
    ),
    FileRule(
        "R623",
        "The other lines of a list for TAP-k are the records, best first.",
        "Write 1 or 0, a space, and the score as a finite number.",
    ),
    FileRule("R624", "Each query has exactly one list.", "Keep one of the two."),
    FileRule(
        "R625", "No more records are marked as relevant than the list declares.", "Correct the number or the marks."
    ),
    FileRule("R626", "The scores of a query only rise or only fall.", "Sort the records of every query best first."),
    FileRule("R627", "A file for TAP-k has at least one list.", "Write one for each query, separated by blank lines."),
    FileRule(
        "R628",
        "All lists for TAP-k agree on whether high or low scores are best, and half of them have k errors.",
        "Sort every list best first. Choose a smaller k, or pad the lists with --pad.",
    ),
    FileRule(
        "R629",
        "A file is text: not compressed, not UTF-16, and without zero bytes. Zip archives of brat standoff and of UIMA "
        "XMI are read as they are.",
        "Decompress it, or save it as UTF-8 text.",
    ),
    FileRule(
        "R630",
        "Columns after rank and confidence are ignored by the rules of the evaluation library and cause a warning.",
        "Remove them, as other rules refuse them.",
    ),
    FileRule(
        "R631",
        "BioCreative II XML is text in UTF-8, or in the encoding that it declares (ISO-8859-1, Windows-1252).",
        "Save it as UTF-8 text. --mend reads invalid bytes as Windows-1252.",
    ),
    FileRule(
        "R632",
        "BioCreative II XML declares no document type and no entities.",
        "Remove the declaration. It is never read.",
    ),
    FileRule(
        "R633",
        "Every element is closed, and every closing tag matches an open element.",
        "Close the element. --mend closes it where the next element shows that it has ended.",
    ),
    FileRule(
        "R634",
        "All elements and all text belong to the format and are in the right place.",
        "Correct the name, or move the element. --mend skips what does not belong to the format.",
    ),
    FileRule(
        "R635",
        "In text, < and & are written as &lt; and &amp;, and only the entities of XML are used.",
        "Escape them. --mend reads them as text, and HTML entities as their characters.",
    ),
    FileRule(
        "R636",
        "Each ENTRY has the PMID of its article.",
        "Add the PMID. --mend joins an ENTRY without one to the ENTRY before it.",
    ),
    FileRule(
        "R637",
        "Each ENTRY has a result of its task, a pair has two interactors, and a method has an identifier.",
        "Add what is missing. --mend skips an ENTRY without a result.",
    ),
    FileRule(
        "R638",
        "No element is repeated within another, except pairs and methods in an ENTRY. Each passage has its own ENTRY.",
        "Keep one. --mend removes equal repetitions, and reads each passage of an ENTRY as its own ENTRY "
        "if pairs and ranks match.",
    ),
    FileRule(
        "R639",
        "The results of an article are in one ENTRY, or each in its own ENTRY, next to each other.",
        "Join or sort the entries. --mend joins them.",
    ),
    FileRule("R640", "No value is empty or longer than 100,000 characters.", "Add the value, or close its element."),
    FileRule(
        "R641",
        "A file contains one run of one team for one subtask: BC2_PPI_IPS, BC2_PPI_IMS or BC2_PPI_ISS.",
        "Write one file for each run. --mend ignores subtasks that do not exist.",
    ),
    FileRule(
        "R642",
        "An interactor is a UniProt accession or an NCBI Gene number.",
        "Write one of these. --mend removes prefixes and replaces the names listed in --names FILE, such "
        "as GRB2_HUMAN.",
    ),
    FileRule(
        "R643",
        "A method is a PSI-MI identifier.",
        "Write one. --mend adds a missing prefix and replaces the names listed in --names FILE, such as two hybrid.",
    ),
    FileRule(
        "R644",
        "All results have a rank, or none has.",
        "Add the missing ranks. --mend puts results without a rank last.",
    ),
    FileRule(
        "R645",
        "Judgements of passages are tab-separated values.",
        "Write them as tab-separated values, with the columns relevant and best.",
    ),
    FileRule("R646", "A file in BioCreative II XML has at least one ENTRY.", "Write one for each result."),
    FileRule(
        "R647",
        "RUN_NR is 1, 2 or 3, as a team had three runs in BioCreative II.",
        "Write the number of the run, or leave the element out.",
    ),
    FileRule("R651", "A file of annotated text is UTF-8.", "Save it as UTF-8 text."),
    FileRule(
        "R652",
        "A line of PubTator is ID|t|title, ID|a|abstract, a mention (ID, start, end, text, type and, if "
        "it has some, identifiers), or a relation (ID, type and two identifiers).",
        "Separate the columns with one tab.",
    ),
    FileRule("R653", "Each document has an ID.", "Write the article's PMID, or another ID that the task uses."),
    FileRule(
        "R654",
        "A mention has a start and an end: the positions of its first character and of the character "
        "after its last, counted from 0 over title, one separator and abstract.",
        "Write both as whole numbers.",
    ),
    FileRule("R655", "A mention lies within the text.", "Count characters, not bytes, from the start of the title."),
    FileRule("R656", "A PubTator mention has a type.", "Write one, such as Gene or Species."),
    FileRule(
        "R657",
        "The text of a mention matches the text at its position. A difference causes a warning.",
        "Correct the text or the position if the difference is not intended.",
    ),
    FileRule("R658", "Each document is given once.", "Keep one of the two, or put all mentions into one document."),
    FileRule("R659", "A file of annotated text has at least one document.", "Add a document."),
    FileRule(
        "R660",
        "What a file of annotated text says has a place in the open annotation model. What has none is left out with a "
        "warning, and the rest is read.",
        "Correct what the message names, or ignore the warning if nothing of it is needed.",
    ),
    FileRule(
        "R661",
        "A protein-protein interaction in BioC has two partners.",
        "Write Gene1 and Gene2, or two nodes that are annotations with identifiers.",
    ),
    FileRule("R662", "The infon relevant of a BioC document is yes or no.", "Write yes or no."),
    FileRule("R663", "BioC, UIMA XMI and PSI-MI XML are well-formed XML.", "Write it with a program that writes XML."),
    FileRule(
        "R664",
        "A file in BioC, UIMA XMI or PSI-MI XML has no entities of its own, and PSI-MI XML no document type.",
        "Write the characters themselves, and remove the declaration.",
    ),
    FileRule(
        "R665",
        "A BioC file has only the elements of BioC.dtd, each in its place.",
        "Correct the name of the element, or remove it.",
    ),
    FileRule(
        "R666",
        "A file in BioC JSON, PubAnnotation or Web Annotation, and each line of NDJSON, is valid JSON.",
        "Write it with a program that writes JSON.",
    ),
    FileRule(
        "R667",
        "A file in BioC JSON, PubAnnotation, Web Annotation or NDJSON has objects and lists where its format requires "
        "them.",
        "Write a collection, a document or a list of them.",
    ),
    FileRule(
        "R668",
        "An annotation that an export has written as JSON has the members of its kind.",
        "Export it again, or correct the member that the message names.",
    ),
    FileRule(
        "R671",
        "Each .ann file of brat standoff has a .txt file of the same name beside it.",
        "Put both into the same folder of the archive.",
    ),
    FileRule(
        "R672",
        "A line of brat standoff begins with T, R, E, *, A, M, N or #, and has the columns of this form.",
        "Separate the ID from the rest with one tab, and the rest with spaces.",
    ),
    FileRule(
        "R673",
        "In brat standoff, each annotation has its own ID, and relations, events, attributes and normalizations "
        "refer to annotations of the same file.",
        "Correct the ID.",
    ),
    FileRule(
        "R674",
        "No event of brat standoff is an argument of itself.",
        "Remove an argument that closes the cycle.",
    ),
    FileRule(
        "R675",
        "A Web Annotation that is read has the member finding or article, as exports do. Others are skipped with a "
        "warning, and a file of nothing else is rejected.",
        "Import annotations of other programs as BioC, PubAnnotation, PubTator or brat.",
    ),
    FileRule(
        "R676", "A page of Web Annotations in Turtle is valid Turtle.", "Write it with a program that writes RDF."
    ),
    FileRule(
        "R677",
        "UIMA XMI has a text (cas:Sofa); annotations have begin and end in UTF-16 code units within it, and refer to "
        "elements of the file.",
        "Write it with UIMA or dkpro-cassis, or correct what the message names.",
    ),
    FileRule(
        "R681",
        "A Parquet file of annotations has the columns of an export, and valid annotations in its rows.",
        "Export it as parquet-annotations, or use another format.",
    ),
    FileRule(
        "R691",
        "A line of gene mentions has the sentence ID, the position and the text, separated by bars. The "
        "text may be empty.",
        "Write sentence|start end|text.",
    ),
    FileRule(
        "R692",
        "A position is two whole numbers from 0 separated by one space.",
        "Count the characters, without white space, before the first and before the last character of the mention.",
    ),
    FileRule(
        "R693", "No mention ends before it begins.", "Write the position of the first character, then that of the last."
    ),
    FileRule("R694", "A repeated gene mention counts once and causes a warning.", "Remove one of the two lines."),
    FileRule(
        "R695",
        "Gene mentions are in a format with positions.",
        "Write them as GENE.eval, PubTator, BioC or PubAnnotation.",
    ),
    FileRule(
        "R701",
        "A line of a TREC run has topic, Q0, docno, rank, score and tag. A line of judgements has topic, "
        "iteration, docno and relevance.",
        "Write exactly these columns in every line, separated by white space.",
    ),
    FileRule("R702", "A score is a finite number.", "Write a number with a decimal point, such as 14.25."),
    FileRule("R703", "A relevance is a whole number, above 0 for relevant items.", "Write 0 or 1."),
    FileRule("R704", "No docno occurs twice in a topic. Pairs have no direction.", "Keep the better of the two lines."),
    FileRule(
        "R705",
        "Scores fall as ranks increase. A rise causes a warning, because only scores count, as in trec_eval.",
        "Correct the scores if the ranks give the intended order.",
    ),
    FileRule("R706", "The docno of a pair is both partners separated by a colon.", "Write it as A:B."),
    FileRule("R707", "At least one item is judged relevant.", "Give relevant items a relevance of 1."),
)
