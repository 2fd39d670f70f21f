from __future__ import annotations

import pytest

from daemon.quality.addresses import parse_address
from tests.unit.quality.references import look_up, only, status_of

NOTE = (
    "The rulings are at https://www.tribunal-andino.org/rulings/2021/44-ip?lang=es and the list of"
    " lawyers at colegio-quito.ec. The survey has the DOI 10.5555/quito.2023.17."
    " The shop is at http://xn--caf-dma.com/menu and the paper at https://papers.net/a_(b)/c."
)
SAME = (
    "https://www.tribunal-andino.org/rulings/2021/44-ip?lang=es",
    "http://tribunal-andino.org/rulings/2021/44-ip?lang=es",
    "HTTPS://WWW.Tribunal-Andino.ORG/rulings/2021/44-ip?lang=es",
    "https://tribunal-andino.org:443/rulings/2021/44-ip/?lang=es",
    "https://www.tribunal-andino.org/rulings/2021/44-ip?lang=es#top",
    "https://www.tribunal-andino.org/rulings/2021/44-ip?utm_source=mail&lang=es&fbclid=1",
    "https://www.tribunal-andino.org/rulings/2021/44%2Dip?lang=es",
    "[the rulings](https://www.tribunal-andino.org/rulings/2021/44-ip?lang=es)",
    "<https://www.tribunal-andino.org/rulings/2021/44-ip?lang=es>",
    "**https://www.tribunal-andino.org/rulings/2021/44-ip?lang=es**",
    "(see www.tribunal-andino.org/rulings/2021/44-ip?lang=es).",
    "tribunal-andino.org/rulings/2021/44-ip?lang=es",
    "`https://www.tribunal-andino.org/rulings/2021/44-ip?lang=es`",
    "doi:10.5555/quito.2023.17.",
    "https://doi.org/10.5555/QUITO.2023.17",
    "https://dx.doi.org/10.5555/quito.2023.17",
    "https://café.com/menu",
    "https://papers.net/a_(b)/c",
)


@pytest.mark.parametrize("written", SAME)
def test_the_same_address_is_supported_however_it_is_written(written: str) -> None:
    """Scheme, www, port, case of the host, fragment, tracking and punctuation do not matter."""
    claim = only(f"It says so at {written} and goes on.", NOTE)
    assert (claim.kind, claim.status, claim.source) == ("url", "supported", "law.n0")


def test_another_path_of_a_known_host_is_absent_and_says_what_the_notes_have() -> None:
    """An invented path is the commonest invented source."""
    claim = only("See https://www.tribunal-andino.org/rulings/2022/91-ip for it.", NOTE)
    assert claim.status == "absent"
    assert claim.note == "the notes have tribunal-andino.org/rulings/2021/44-ip?lang=es"
    assert claim.source == ""
    assert claim.place is None


@pytest.mark.parametrize(
    "written",
    [
        "https://www.example.com/bookstore-positioning-differences",
        "http://localhost:8000/report",
        "https://your-website.com/a",
        "https://nobody-fetched-this.org/a/b",
        "legal-quito-data.com",
        "10.5555/quito.2023.18",
        "colegio-quito.ec/list",
    ],
)
def test_what_no_note_has_is_absent(written: str) -> None:
    """Only what stands in the notes exists; a dummy host never does."""
    assert status_of(f"See {written} for it.", NOTE) == "absent"


@pytest.mark.parametrize("written", ["colegio-quito.ec", "www.tribunal-andino.org", "papers.net"])
def test_a_site_is_supported_by_its_name_or_any_address_of_it(written: str) -> None:
    """Naming the site that the notes used claims no page of it."""
    assert status_of(f"It is listed on {written}.", NOTE) == "supported"


@pytest.mark.parametrize(
    "written",
    [
        "https://tribunal-andino.org/rulings/2021/44-ip",
        "https://tribunal-andino.org/rulings/2021",
        "Papeleria.com",
    ],
)
def test_what_the_notes_have_in_part_is_weak(written: str) -> None:
    """Without its query, a folder above it, or a firm that is called like a site."""
    assert status_of(f"See {written} for it.", NOTE) == "weak"


def test_a_dummy_host_that_a_note_really_has_is_supported() -> None:
    """A memo about a test server may name its address."""
    note = "The test server answers at http://localhost:8000/health within a second."
    assert status_of("Ask http://localhost:8000/health for it.", note) == "supported"


@pytest.mark.parametrize(
    "text",
    [
        "It is written in ASP.NET and Node.js, e.g. for v2.0 of config.toml and README.md.",
        "Write to maria.lopez@firma-legal.com.",
        "The price fell.Es the lowest; 3.500 dollars; etc.",
        "```\nGET https://api.example.com/v1/items\n```",
    ],
)
def test_what_only_looks_like_an_address_is_no_claim(text: str) -> None:
    """File names, mail addresses, missing blanks and code blocks."""
    assert look_up(text, NOTE) == []


def test_an_address_of_the_question_is_no_claim() -> None:
    """Repeating the task invents nothing; its complaints about the last attempt excuse nothing."""
    text = "The page https://asked.net/a has three tables."
    assert look_up(text, NOTE, question="What is on https://www.asked.net/a/?") == []
    complaints = (
        "Task\n\n# Why the last attempt was rejected; do not repeat it\n- https://asked.net/a"
    )
    (claim,) = look_up(text, NOTE, prompt_text=complaints)
    assert claim.status == "absent"


def test_the_place_and_the_passage_are_those_of_the_note() -> None:
    """A reader can open the note where the address stands."""
    note = "Intro: ﬁrst, the “rules”. Then https://a-site.org/x is the page. The end."
    claim = only("Read https://a-site.org/x now.", note)
    assert claim.place is not None
    assert note[slice(*claim.place)] == "https://a-site.org/x"
    assert claim.passage == "Then https://a-site.org/x is the page."


def test_the_span_is_that_of_the_text() -> None:
    """Quotes and ligatures in front of it move nothing."""
    text = "“ﬁrst” — see https://a-site.org/x."
    claim = only(text, "https://a-site.org/x")
    assert text[slice(*claim.span)] == claim.text == "https://a-site.org/x"


@pytest.mark.parametrize("broken", ["", "http://", "://", "http://[::1", "http://" + "ñ" * 80])
def test_a_broken_address_is_read_without_an_error(broken: str) -> None:
    """What has no host is no address; a host that no network could have is compared as it is."""
    address = parse_address(broken)
    assert address is None or address.host
