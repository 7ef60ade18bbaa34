"""Markdown of people becomes HTML that can do nothing but be read."""

from importlib import import_module

import pytest

from bcms.lib.writing.markdown import (
    MarkdownPicture,
    PictureInMarkdown,
    clip_markdown_excerpt,
    list_pictures_in_markdown,
    render_markdown,
)

FLOW = MarkdownPicture("0f.webp", "/challenges/x/pictures/0f.webp", 800, 600)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and *italic*", "<p><strong>bold</strong> and <em>italic</em></p>"),
        ("one\ntwo", "<p>one<br>\ntwo</p>"),
        ("# Top", "<h3>Top</h3>"),
        ("###### Deep", "<h6>Deep</h6>"),
        ("`a < b`", "<p><code>a &lt; b</code></p>"),
        (
            "https://example.org/x_y",
            '<p><a href="https://example.org/x_y" rel="nofollow ugc noopener noreferrer">https://example.org/x_y</a></p>',
        ),
        ("run.py", "<p>run.py</p>"),
        ("3. third", '<ol start="3">\n<li>third</li>\n</ol>'),
    ],
)
def test_it_reads_markdown(text, html):
    assert render_markdown(text).strip() == html


def test_it_lets_a_wide_table_scroll():
    html = render_markdown("| a | b |\n|---|---|\n| 1 | 2 |")
    assert html.startswith('<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
    assert "<td>1</td>" in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "![x](https://example.org/spy.png)",
        '![x" onerror="alert(1)](https://example.org/a.png)',
        '[x](https://example.org/"onmouseover="alert(1))',
        "<style>body{display:none}</style>",
        '<div class="message">You won</div>',
        '<a href="https://example.org" style="position:fixed">x</a>',
        "<iframe src=https://example.org>",
        "<form action=https://example.org><input name=password>",
    ],
)
def test_it_leaves_nothing_that_acts(text):
    html = render_markdown(text)
    for tag in ("<script", "<img", "<style", "<iframe", "<form", "<input", "<div", 'javascript:alert(1)"'):
        assert tag not in html.lower()
    assert " onerror=" not in html.replace("&quot;", "'").split(">")[0]


def test_a_picture_of_another_site_is_a_link_to_it():
    html = render_markdown("![A <plot>](https://example.org/a.png)")
    assert 'href="https://example.org/a.png"' in html.replace("&#47;", "/")
    assert "<img" not in html
    assert "plot" in html


def test_it_clips_an_excerpt_to_plain_words():
    assert clip_markdown_excerpt("# Hi & <b>\n\n**more** text") == "Hi & <b> more text"
    assert len(clip_markdown_excerpt("word " * 100)) <= 200


def test_it_reads_a_long_hostile_text_in_time_that_grows_with_its_length():
    for text in ("[" * 20_000, "*a " * 6_000, "> " * 10_000, "`" * 20_000, "|" * 20_000 + "\n" + "|-" * 5_000):
        assert isinstance(render_markdown(text[:20_000]), str)


# The package has a function of the same name.
linkify = import_module("markdown_it.rules_inline.linkify")


class CountingPattern:
    """Counts the characters in which it is searched for."""

    def __init__(self, pattern):
        self.pattern, self.characters = pattern, 0

    def search(self, text):
        self.characters += len(text)
        return self.pattern.search(text)


@pytest.mark.parametrize("part", ["://", "http://a.", "http:// "])
def test_many_addresses_do_not_take_longer_than_other_texts(monkeypatch, part):
    """A page of posts that are made for it would keep a web server busy for a minute."""
    pattern = CountingPattern(linkify.SCHEME_RE)
    monkeypatch.setattr(linkify, "SCHEME_RE", pattern)
    render_markdown((part * 20_000)[:20_000])
    assert pattern.characters < 5_000_000


def test_it_links_each_of_many_addresses():
    html = render_markdown("See https://example.org/x_y now. " * 500)
    assert html.count('<a href="https://example.org/x_y" rel="nofollow ugc noopener noreferrer">') == 500


@pytest.mark.parametrize(
    "text",
    [
        "|" * 2_000 + "\n" + "|-" * 2_000 + "|\n" + "|x\n" * 3_000,
        "|" * 40 + "\n" + "|-" * 39 + "|\n" + "x\n" * 9_900,
        "[a]: " + "x" * 1_000 + "\n\n" + "[a]" * 6_000,
        "http://a.b " * 1_800,
    ],
)
def test_a_short_text_becomes_no_huge_page(text):
    assert "<td" not in render_markdown(text)
    assert len(render_markdown(text)) < 12 * len(text)


def test_a_table_of_a_usual_size_is_one():
    text = "a|b|c\n-|-|-\n" + "1|2|3\n" * 200
    assert render_markdown(text).count("<td>") == 600


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("![The flow](0f.webp)", 'alt="The flow"'),
        ("![The flow](/challenges/x/pictures/0f.webp)", 'alt="The flow"'),
        ("![The flow](https://example.org/challenges/y/pictures/0f.webp)", 'alt="The flow"'),
        ('![A *good* \\[flow\\]](0f.webp "Hover")', 'alt="A good [flow]" title="Hover"'),
        ('![" onerror="alert(1)](0f.webp)', 'alt="&quot; onerror=&quot;alert(1)"'),
        ('![<b>](0f.webp "<i>")', 'alt="&lt;b&gt;" title="&lt;i&gt;"'),
        ("![](0f.webp)", 'alt=""'),
    ],
)
def test_it_shows_the_pictures_of_the_text_with_their_size(text, attributes):
    tag = f'<img src="/challenges/x/pictures/0f.webp" {attributes} width="800" height="600" loading="lazy">'
    assert render_markdown(text, (FLOW,)).strip() == f"<p>{tag}</p>"


@pytest.mark.parametrize("source", ["1e.webp", "https://example.org/1e.webp", "0f.webp?x=1", "0F.WEBP"])
def test_it_shows_no_other_pictures(source):
    html = render_markdown(f"![x]({source})", (FLOW,))
    assert "<img" not in html
    assert f'<a href="{source}"' in html


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[![A flow](https://example.com/flow.png)](https://example.org/)", "A flow"),
        ("[![](https://example.com/flow.png)](https://example.org/)", "picture"),
        ("[see ![a flow](https://example.com/flow.png) here](https://example.org/)", "see a flow here"),
        *((f"[{nothing}](https://example.org/)", f"{nothing}https://example.org/") for nothing in ("", " ", "\u200b")),
        ("[`code`](https://example.org/)", "<code>code</code>"),
    ],
)
def test_each_link_has_a_text_and_leads_to_one_place(text, name):
    assert render_markdown(text) == (
        f'<p><a href="https://example.org/" rel="nofollow ugc noopener noreferrer">{name}</a></p>\n'
    )


def test_a_picture_that_is_a_link_says_where_it_leads():
    picture = MarkdownPicture("0f.webp", "/pictures/0f.webp", 3, 4)
    assert 'alt="https://example.org/"' in render_markdown("[![](0f.webp)](https://example.org/)", (picture,))
    assert 'alt="One"' in render_markdown("[![One](0f.webp)](https://example.org/)", (picture,))
    assert 'alt=""' in render_markdown("[link](https://example.org/) ![](0f.webp)", (picture,))


def test_it_links_a_picture():
    html = render_markdown("[![The flow](0f.webp)](https://example.org/)", (FLOW,))
    assert html.startswith('<p><a href="https://example.org/"') and "<img" in html


def test_a_text_shows_only_the_pictures_that_it_gets():
    assert "<img" in render_markdown("![x](0f.webp)", (FLOW,))
    assert "<img" not in render_markdown("![x](0f.webp)")


def test_it_lists_the_pictures_of_a_text():
    text = "![One](0f.webp)\n\n- ![*Two*](https://example.org/a/b.png)\n\n`![code](c.webp)` [link](d.webp)"
    pictures = [PictureInMarkdown("0f.webp", "One"), PictureInMarkdown("https://example.org/a/b.png", "Two")]
    assert list_pictures_in_markdown(text) == pictures
    assert [(each.name, each.is_elsewhere) for each in pictures] == [("0f.webp", False), ("b.png", True)]


@pytest.mark.parametrize("source", ["0f.webp", "%30f.webp", "/challenges/example/pictures/%30f.webp", "a%2F0f.webp"])
def test_it_shows_exactly_the_pictures_that_it_lists(source):
    """A description is checked by what is listed."""
    pictures = (MarkdownPicture("0f.webp", "/0f.webp", 6, 4),)
    (listed,) = list_pictures_in_markdown(f"![x]({source})")
    assert listed.name == "0f.webp"
    assert '<img src="/0f.webp"' in render_markdown(f"![x]({source})", pictures)
