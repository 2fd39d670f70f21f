"""A link leads where a reader takes it to lead, or it is none."""

from __future__ import annotations

from daemon.web.markdown import render_markdown
from daemon.web.markdown_links import leads_where_it_says

EVIL = (
    "https://trusted.example@evil.example/",
    "https://trusted.example:443@evil.example/",
    f"https://{'a' * 300}@evil.example/",
    "https://trusted.example%40evil.example/",
    "https://trusted.example%2Fx.evil.example/",
    f"https://trusted.example.{'a.' * 150}evil.example/",
    "https:///evil.example",
    "https:evil.example",
    "//evil.example",
    "https://x.example:99999/",
    "https://x.example:80:80/",
    "ftp://x.example",
)


def test_an_address_that_reads_like_another_host_is_no_link() -> None:
    """Its words and the whole of it stay, the host that it leads to among them."""
    for address in EVIL:
        assert not leads_where_it_says(address)
        shown = render_markdown(f"[report]({address})")
        assert "<a" not in shown
        assert f"report ({address})" in shown
        assert "<a" not in render_markdown(f"<{address}>")


def test_a_host_behind_other_marks_than_two_slashes_is_no_link() -> None:
    """A browser reads a backslash as a slash, and adds those that are missing."""
    for address in ("https://evil.example\\@trusted.example", "https:\\\\evil.example"):
        assert "<a" not in render_markdown(f"[x]({address})")


def test_ordinary_addresses_are_links() -> None:
    """With a port, a number for a name, and with an @ where it means nothing."""
    for address in (
        "https://x.example/@user?mail=a@b.example",
        "http://x.example:8080/a",
        "https://[::1]:8443/",
        "https://sub.x_y.example",
    ):
        assert leads_where_it_says(address)
        assert f'href="{address}"' in render_markdown(f"[x]({address})")


def test_letters_of_other_scripts_are_told_in_the_form_of_the_net() -> None:
    """A Cyrillic name looks like a Latin one."""
    look_alike = "https://\u0430\u0440\u0440\u04cf\u0435.com/x"
    for text in (f"[x]({look_alike})", f"<{look_alike}>"):
        assert "</a> (https://xn--80ak6aa92e.com/x)" in render_markdown(text)


def test_an_address_that_is_no_link_stands_once_where_it_is_its_own_words() -> None:
    shown = render_markdown("<https://a.example@evil.example/>")
    assert shown.count("evil.example") == 1
