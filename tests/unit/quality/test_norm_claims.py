from __future__ import annotations

import pytest

from daemon.quality.instruments import Instrument, abbreviates, same_instrument
from tests.unit.quality.references import look_up, only

NOTE = """# Data protection and reasons

The Constitución de la República del Ecuador (CRE) asks in artículo 76, numeral 7, literal l) for reasons.
The Ley Orgánica de Protección de Datos Personales stands in the Registro Oficial Suplemento 459 of 26 May
2021; its art. 33 has the duty to notify. Art. 12 del COIP is another matter, and so is art. 121 COGEP.
Colombia: Ley 1581 de 2012 and ruling T-760 de 2008. Europe: Directive (EU) 2019/790, and under Article
6(1)(f) of Regulation (EU) 2016/679 (GDPR) interests are weighed; see Case C-131/12, Google Spain v. AEPD.
Systems: ISO/IEC 27001:2022, RFC 9110, NIST SP 800-53. The Court decided 1158-17-EP/21 on reasons.
The charity rule is 26 U.S.C. § 501(c)(3). Mata v. Avianca, Inc., 678 F. Supp. 3d 443, fined two lawyers.
"""
SUPPORTED = (
    "Art. 76 CRE", "Article 76 of the Constitution", "artículo 76.7.l de la Constitución",
    "art. 76, numeral 7, literal l de la CRE", "Art. 33 LOPDP", "LOPDP, art. 33",
    "artículo 33 de la Ley Orgánica de Protección de Datos Personales",
    "Article 33 of the Organic Law on Personal Data Protection", "article 12 of the COIP",
    "artículo 121 del Código Orgánico General de Procesos", "Registro Oficial Suplemento 459",
    "Registro Oficial No. 459", "Ley 1581 de 2012", "Law 1581 of 2012", "Ley 1581/2012",
    "Sentencia T-760/08", "T-760 de 2008, sentencia T-760/08", "Directive (EU) 2019/790",
    "Directiva 2019/790", "Article 6(1)(f) GDPR", "Art. 6.1.f RGPD", "C-131/12", "ISO 27001",
    "ISO/IEC 27001:2022", "RFC 9110", "RFC-9110", "SP 800-53", "ruling 1158-17-EP/21",
    "26 U.S.C. § 501(c)(3)", "26 USC 501", "Mata v. Avianca", "Mata v. Avianca, Inc.",
    "Google Spain v. AEPD", "the case Mata vs Avianca", "el caso Google Spain vs. AEPD",
)  # fmt: skip
ABSENT = (
    "Art. 77 CRE", "Article 214 of the LOPDP", "Art. 12 LOPDP",
    "Registro Oficial Suplemento 460", "Ley 1581 de 2013", "Ley 1582 de 2012", "T-761/08",
    "Directive (EU) 2019/791", "Article 9 GDPR", "C-132/12", "ISO 9001", "ISO/IEC 27001:2013",
    "RFC 9111", "SP 800-171", "Sentencia 001-10-PJO-CC", "Ruling 0381-2019", "26 U.S.C. § 502",
    "Directive 95/46/EC", "Public Law 104-191", "Ruling 1158-17-EP/22", "678 F.3d 443",
)  # fmt: skip
INVENTED_CASES = (
    "Varghese v. China Southern Airlines", "Shaboon v. EgyptAir", "Petersen v. Iran Air",
    "Martinez v. Delta Air Lines", "Estate of Durden v. KLM Royal Dutch Airlines",
    "Miller v. United Airlines",
)  # fmt: skip


@pytest.mark.parametrize("written", SUPPORTED)
def test_a_norm_of_the_notes_is_supported_however_it_is_cited(written: str) -> None:
    """Acronym or full name, English or Spanish, paragraph or not, year of two digits or four."""
    claims = look_up(f"It rests on {written}.", NOTE)
    assert {(claim.kind, claim.status) for claim in claims} == {("norm", "supported")}


@pytest.mark.parametrize("written", ABSENT)
def test_a_norm_that_no_note_has_is_absent(written: str) -> None:
    """Another number, another law, another year, another kind."""
    claim = only(f"It rests on {written}.", NOTE)
    assert (claim.kind, claim.status) == ("norm", "absent")
    assert claim.note


@pytest.mark.parametrize("case", INVENTED_CASES)
def test_a_models_own_yes_does_not_make_a_case_real(case: str) -> None:
    """The six cases that a court fined lawyers for: "verified" is no evidence."""
    claims = look_up(f"{case} held so. Verified: yes, {case} is real, I checked it twice.", NOTE)
    assert [claim.status for claim in claims] == ["absent"] * len(claims)
    assert claims


@pytest.mark.parametrize("case", INVENTED_CASES)
def test_a_note_that_calls_a_case_invented_is_no_source_for_it(case: str) -> None:
    """The story of the fined lawyers names the cases too."""
    note = f"The lawyers cited fabricated cases: {case} was one of them."
    assert [claim.status for claim in look_up(f"As {case} held, it is late.", note)] == ["weak"]
    told = look_up(f"The filing cited the fabricated case {case}.", note)
    assert [claim.status for claim in told] == ["supported"]


@pytest.mark.parametrize(
    "written",
    [
        "Article 6(1)(a) GDPR",
        "Regulation (EU) 2019/790",
        "artículo 33 del COIP",
        "artículo 33 de la ley de turismo comunitario",
    ],
)
def test_the_number_without_its_paragraph_kind_or_law_is_weak(written: str) -> None:
    """The notes have something with this number; whether it is the same thing a person must see."""
    claims = look_up(f"It rests on {written}.", NOTE)
    assert "weak" in {claim.status for claim in claims}


def test_another_law_is_named_in_the_note_of_the_claim() -> None:
    """The next attempt can use it."""
    assert only("It rests on art. 12 LOPDP.", NOTE).note == "the notes have article 12 of COIP"
    assert "1581 de 2012" in only("It rests on Ley 1581 de 2013.", NOTE).note


def test_a_list_of_articles_is_looked_up_one_by_one() -> None:
    """One wrong number among right ones is found."""
    claims = look_up("Arts. 33, 34 and 76 say so.", NOTE)
    assert [(claim.text, claim.status) for claim in claims] == [
        ("33", "supported"),
        ("34", "absent"),
        ("76", "supported"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "See \\citet{arts2023two} and \u00a73 of it; MCP vs A2A: in which case a court would differ.",
        "GPT-4 vs. Claude: accuracy vs. cost, and version v. 2 of it.",
        "Section 3 has the case 2 with a resolution of 1080p in act 2.",
        "Ley de la oferta y Law 3 of motion; the case of 40 firms; start 5 articles.",
        "In the process 12 people left; regulation 5 times stricter; sentencia 3 veces.",
        "[law.n0] and https://a.org/ley-1234-2019 are marks and addresses.",
    ],
)
def test_ordinary_words_with_numbers_are_no_norms(text: str) -> None:
    """Products are compared and sections are counted in any report."""
    assert [claim for claim in look_up(text, NOTE) if claim.kind == "norm"] == []


def test_a_norm_of_the_question_is_no_claim() -> None:
    """Who is asked about article 400 may speak of it."""
    text = "Article 400 of the COIP is not discussed in the notes."
    assert look_up(text, NOTE, question="What does article 400 of the COIP say?") == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("lopdp", "ley organica de proteccion de datos personales", True),
        ("cogep", "codigo organico general de procesos", True),
        ("coip", "codigo organico integral penal", True),
        ("coip", "ley organica de proteccion de datos personales", None),
    ],
)
def test_an_acronym_is_told_from_the_beginnings_of_the_words(
    one: str, other: str, same: bool | None
) -> None:
    """What does not abbreviate may still be another name of the same law in another language."""
    assert same_instrument(Instrument(one, acronym=True), Instrument(other, acronym=False)) is same
    assert abbreviates(one, other) is (same is True)
