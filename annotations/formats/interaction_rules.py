"""The rules of files of molecular interactions: R741 to R745 for PSI-MI XML, R751 to R755 for PSI-MITAB."""

from annotations.formats.errors import FileRule

INTERACTION_FILE_RULES = (
    FileRule(
        "R741",
        "PSI-MI XML begins with entrySet in the namespace of version 2.5.3, 2.5.4 or 3.0.0.",
        "Choose another file, or write one of these versions.",
    ),
    FileRule(
        "R742",
        "The elements of PSI-MI XML are where its schemas have them.",
        "Correct the name of the element, or move it to the element that it belongs to.",
    ),
    FileRule(
        "R743",
        "Each experiment and interactor in a list of PSI-MI XML has its own id, and references are to ids of the same "
        "entry.",
        "Correct the number, or add what it refers to.",
    ),
    FileRule(
        "R744",
        "An interaction has participants, a participant has an interactor with a name or a reference to a database, "
        "and an experiment has a detection method and the reference of its article.",
        "Add what is missing.",
    ),
    FileRule(
        "R745",
        "Values in PSI-MI XML have the form that the message describes: taxa are numbers of NCBI Taxonomy, flags are "
        "true or false, and attributes whose names begin with sda- are as exports write them.",
        "Correct the value.",
    ),
    FileRule(
        "R751",
        "PSI-MITAB has 15 columns (version 2.5), 36 (2.6) or 42 (2.7), separated by tabs.",
        "Write one of these versions.",
    ),
    FileRule(
        "R752",
        "All lines of PSI-MITAB have as many columns as the first.",
        "Complete the line that is cut off, and write a dash for an empty field.",
    ),
    FileRule(
        "R753",
        "A value in PSI-MITAB is database:identifier, which a text in parentheses may follow; bars separate values.",
        "Write the name of the database before the identifier, and put reserved characters in quotation marks.",
    ),
    FileRule(
        "R754",
        "A line of PSI-MITAB has an identifier of interactor A and one of the article.",
        "Write uniprotkb:P04637 and pubmed:12345678, for instance.",
    ),
    FileRule(
        "R755",
        "In PSI-MITAB, methods, types, roles and expansion methods are PSI-MI identifiers, organisms are NCBI Taxonomy "
        "numbers, and negative is true or false.",
        'Write psi-mi:"MI:0018"(two hybrid), taxid:9606(human) and true.',
    ),
)
