# ruff: noqa: E501 - each text is one literal, as a model would write it
"""Kinds of failure and of good work, one text each: the whole gate, not one pattern, must get them right."""

from __future__ import annotations

import pytest

from tests.unit.quality.judging import judge, rejecting

REJECTED = [
    (
        "explicit refusal",
        "en",
        "I'm sorry, but as an AI developed to be safe I won't produce that analysis.",
    ),
    (
        "explicit refusal",
        "es",
        "Lo siento, pero como asistente de IA no puedo realizar ese análisis.",
    ),
    (
        "redirect only",
        "en",
        "For questions about court fees, please contact the Judiciary Council or visit its official website.",
    ),
    (
        "redirect only",
        "es",
        "Para conocer las tasas, consulte con el Consejo de la Judicatura o visite su página oficial.",
    ),
    ("redirect only", "es", "Te sugiero que acudas a un profesional del derecho."),
    (
        "refusal followed by filler",
        "en",
        "I can't give you pricing for named competitors. Pricing is an important aspect of any business. There are many factors that influence pricing, and companies should think carefully about their strategy.",
    ),
    (
        "refusal followed by filler",
        "es",
        "No puedo darle precios de competidores concretos. El precio es un aspecto importante de todo negocio. Hay muchos factores que influyen y las empresas deben pensar bien su estrategia.",
    ),
    (
        "refusal dressed as a report",
        "en",
        "# Market report\n\n## Summary\nThis report cannot be completed owing to content restrictions.\n\n## Conclusion\nNo analysis is offered.",
    ),
    (
        "refusal dressed as a report",
        "es",
        "# Informe de mercado\n\n## Resumen\nEste informe no puede completarse por restricciones de contenido.\n\n## Conclusión\nNo se ofrece análisis.",
    ),
    (
        "no opinion",
        "en",
        "As a language model I do not hold opinions, so I won't say whether it is a GO.",
    ),
    ("no opinion", "es", "No tengo opiniones propias, así que no diré si es GO o NO-GO."),
    (
        "knowledge cut-off",
        "en",
        "My training data only goes up to April 2023, so I can't tell what the fees are today.",
    ),
    (
        "knowledge cut-off",
        "es",
        "Mi información llega hasta abril de 2023, así que no sé cuáles son las tasas hoy.",
    ),
    (
        "no memory of earlier work",
        "en",
        "I don't have any record of what was found in previous sprints.",
    ),
    ("no memory of earlier work", "es", "No tengo registro de lo hallado en sprints anteriores."),
    (
        "asks for inputs",
        "en",
        "To write this section I would need the interview transcripts. Please upload them.",
    ),
    (
        "asks for inputs",
        "es",
        "Para redactar esta sección necesito las transcripciones. Por favor, súbalas.",
    ),
    ("asks permission", "en", "I can look into the competitors. Would you like me to proceed?"),
    ("asks permission", "es", "Puedo investigar a los competidores. ¿Quiere que continúe?"),
    ("let me search", "en", "Let me look up the latest statistics on court backlogs."),
    ("let me search", "es", "Déjame buscar las últimas estadísticas sobre congestión judicial."),
    ("promise for later", "en", "I'll get back to you with the full analysis within 24 hours."),
    ("promise for later", "es", "Le enviaré el análisis completo en las próximas 24 horas."),
    ("promise for later", "en", "The detailed report will be delivered in the next sprint."),
    (
        "outline of empty headings",
        "en",
        "# Market size\n\n# Competitors\n\n# Pricing\n\n# Conclusion",
    ),
    (
        "outline of empty headings",
        "es",
        "## Tamaño del mercado\n\n## Competidores\n\n## Precios\n\n## Conclusión",
    ),
    (
        "future-tense report",
        "en",
        "This report will analyse the legal market of Ecuador. It will identify competitors and will assess demand. Finally, it will present recommendations.",
    ),
    (
        "future-tense report",
        "es",
        "Este informe analizará el mercado legal del Ecuador. Se identificarán los competidores y se evaluará la demanda. Por último, se presentarán recomendaciones.",
    ),
    ("delegation", "en", "This question is best handled by the finance agent; I am passing it on."),
    ("delegation", "es", "Esta pregunta le corresponde al agente financiero; se la traslado."),
    (
        "no results as findings",
        "en",
        "## Findings\nThe search did not return any results. No information was found about the topic.",
    ),
    (
        "no results as findings",
        "es",
        "## Hallazgos\nLa búsqueda no devolvió resultados. No se encontró información sobre el tema.",
    ),
    (
        "bare link list",
        "en",
        "- https://example.org/a\n- https://example.org/b\n- https://example.org/c",
    ),
    (
        "bare link list",
        "es",
        "1. [Portal judicial](https://example.org/a)\n2. [Registro](https://example.org/b)",
    ),
    (
        "table of N/A",
        "en",
        "| Firm | Price | Users |\n|---|---|---|\n| Clio | N/A | N/A |\n| LegalSoft | N/A | N/A |",
    ),
    (
        "table of N/A",
        "es",
        "| Firma | Precio | Usuarios |\n|---|---|---|\n| Clio | N/D | N/D |\n| LegalSoft | s/d | N/D |",
    ),
    (
        "error shown as success",
        "en",
        "Task completed successfully. Result: Error 500 - Internal Server Error",
    ),
    (
        "error shown as success",
        "es",
        "Tarea completada con éxito. Resultado: error 500 del servidor",
    ),
    ("error shown as success", "en", "HTTP 429 Too Many Requests"),
    ("near-empty", "en", "Done."),
    ("near-empty", "es", "Listo."),
    (
        "XML call",
        "en",
        '<tool_call>{"name": "web_search", "arguments": {"query": "fees"}}</tool_call>',
    ),
    (
        "XML call",
        "es",
        '<function_calls>\n<invoke name="buscar">\n<parameter name="q">tasas</parameter>\n</invoke>\n</function_calls>',
    ),
    ("XML call", "en", "<search>legal tech ecuador</search>"),
    (
        "invented observation",
        "en",
        "Thought: I should search.\nAction: web_search[court fees]\nObservation: The fee is $35.\nFinal Answer: $35",
    ),
    (
        "invented observation",
        "es",
        "Pensamiento: debo buscar.\nAcción: buscar[tasas]\nObservación: La tasa es de $35.",
    ),
    ("shell command", "en", "```bash\ncurl https://api.example.org/stats | jq .\n```"),
    ("shell command", "es", '```\ngrep -r "tasa" memory/\n```'),
    (
        "simulated output",
        "en",
        "Since I have no browser, here is a simulated search result: LegalSoft leads the market.",
    ),
    (
        "simulated output",
        "es",
        "Como no tengo navegador, este es un resultado simulado: LegalSoft lidera el mercado.",
    ),
    ("schema echo", "en", '{"type": "object", "properties": {"title": {"type": "string"}}}'),
    ("schema echo", "es", '{"titulo": "string", "hallazgos": "string"}'),
    ("TBD and lorem ipsum", "en", "The market is worth $XX million and grew XX% (TBD)."),
    ("TBD and lorem ipsum", "es", "El mercado vale $XX millones y creció XX% (TBD)."),
    ("TBD and lorem ipsum", "en", "Lorem ipsum dolor sit amet, consectetur adipiscing elit."),
    ("unrendered variables", "en", "Report for {{client}} on {{date}}: demand is ${demand}."),
    (
        "unrendered variables",
        "es",
        "Informe para {{cliente}} del {{fecha}}: la demanda es ${demanda}.",
    ),
    ("token degeneration", "en", "The market is is is is is is is is is is is is is is growing"),
    (
        "token degeneration",
        "es",
        "el mercado el mercado el mercado el mercado el mercado el mercado el mercado el mercado",
    ),
    (
        "pleasantries",
        "en",
        "What a fascinating question! I'd be delighted to help you with your research.",
    ),
    (
        "pleasantries",
        "es",
        "¡Qué pregunta tan interesante! Será un placer ayudarle con su investigación.",
    ),
    (
        "citation out of range",
        "en",
        "Demand is 312 firms [1] and the fee is $35 [7].\n\n## Sources\n1. Survey, 2024\n2. Fee table, 2024",
    ),
]

STRIPPED = [
    (
        "tools epilogue",
        "en",
        "The fee is $35 in 21 of 24 provinces.\n\nTools used: web_search, read_file",
    ),
    (
        "tools epilogue",
        "es",
        "La tasa es de $35 en 21 de 24 provincias.\n\nHerramientas utilizadas: web_search, read_file",
    ),
    (
        "meta-assurance",
        "en",
        "The fee is $35 in 21 of 24 provinces. This report follows all the instructions and contains only verified information.",
    ),
    (
        "meta-assurance",
        "es",
        "La tasa es de $35 en 21 de 24 provincias. Este informe sigue todas las instrucciones y contiene solo información verificada.",
    ),
]

LEFT_ALONE = [
    (
        "quoted refusal",
        "en",
        "Vendors' chatbots answered \"I'm sorry, but I can't help with that\" in 12 of 40 trials.",
    ),
    (
        "quoted refusal",
        "es",
        "Los chatbots respondieron «lo siento, no puedo ayudar con eso» en 12 de 40 pruebas.",
    ),
    (
        "recommendations in the future tense",
        "en",
        "We recommend a pilot in Quito. The team will review prices every quarter and will hire two engineers.",
    ),
    (
        "recommendations in the future tense",
        "es",
        "Recomendamos un piloto en Quito. El equipo revisará precios cada trimestre y contratará a dos ingenieros.",
    ),
    (
        "negative finding with evidence",
        "en",
        "We searched the registry on 3 March: of 412 firms, none is licensed to resell rulings.",
    ),
    (
        "negative finding with evidence",
        "es",
        "Buscamos en el registro el 3 de marzo: de 412 estudios, ninguno tiene licencia para revender fallos.",
    ),
    (
        "API example",
        "en",
        'The client sends {"name": "search", "arguments": {"q": "fees"}} and gets a list of 40 rulings.',
    ),
    (
        "API example",
        "es",
        'El cliente envía {"name": "search", "arguments": {"q": "tasas"}} y recibe una lista de 40 fallos.',
    ),
    (
        "statute language",
        "en",
        "The judge shall not admit evidence obtained unlawfully and must give reasons for the decision.",
    ),
    (
        "statute language",
        "es",
        "El juez no podrá admitir prueba obtenida ilegalmente y deberá motivar su decisión.",
    ),
    ("form", "es", "Nombre: ________ Cédula: ________ Fecha: ________ Firma: ________"),
    (
        "honest not verified",
        "en",
        "Not verified: the number of clerks in Loja, for which we found no source.",
    ),
    (
        "honest not verified",
        "es",
        "No verificado: el número de secretarios en Loja, del que no hallamos fuente.",
    ),
    (
        "review of a chatbot",
        "en",
        "The chatbot says it cannot give legal advice and refers users to a lawyer in 9 of 10 cases.",
    ),
    (
        "review of a chatbot",
        "es",
        "El chatbot dice que no puede dar asesoría legal y remite a un abogado en 9 de 10 casos.",
    ),
    (
        "corporate apology",
        "es",
        "La empresa lamentó los inconvenientes y devolvió $12 a cada cliente.",
    ),
    (
        "analysis without figures",
        "en",
        "Partners trust colleagues more than software. They ask a friend first, then the clerk, and only then a database.",
    ),
    (
        "analysis without figures",
        "es",
        "Los socios confían más en colegas que en el software. Preguntan primero a un amigo y luego al secretario.",
    ),
    ("rounding", "en", "Roughly two thirds of firms (66.4%) would pay."),
    ("todo:", "es", "Esto lo resume todo: la espera media es de 14 meses."),
    (
        "AI as the subject",
        "en",
        "As an AI vendor, Clio sells mostly to small firms. AI cannot replace lawyers in court, the bar says.",
    ),
    (
        "AI as the subject",
        "es",
        "La IA no puede reemplazar al abogado en audiencia, según el colegio.",
    ),
    (
        "update of a report",
        "en",
        "Update of the March report: two new competitors, and the fee is now $35.",
    ),
    (
        "source quoted in another language",
        "es",
        'La ley dice: "No person shall be denied access to justice" y rige desde 2015.',
    ),
    (
        "next steps",
        "en",
        "Next steps: interview ten judges; check the fee table; prepare the pilot.",
    ),
    (
        "next steps",
        "es",
        "Próximos pasos: entrevistar a diez jueces; revisar la tabla de tasas; preparar el piloto.",
    ),
    ("a court that refused", "es", "El tribunal rechazó la demanda y se negó a ordenar el pago."),
]


@pytest.mark.parametrize(("kind", "language", "text"), REJECTED)
def test_each_kind_of_garbage_is_rejected(kind: str, language: str, text: str) -> None:
    """By a defect, not for being short."""
    assert rejecting(judge(text, "answer", language)), kind


@pytest.mark.parametrize(("kind", "language", "text"), STRIPPED)
def test_what_stands_around_the_work_is_cut_and_the_work_accepted(
    kind: str, language: str, text: str
) -> None:
    """The rest is judged on its own."""
    verdict = judge(text, "answer", language)
    assert verdict.stripped, kind
    assert verdict.accepted


@pytest.mark.parametrize(("kind", "language", "text"), LEFT_ALONE)
def test_each_kind_of_good_work_is_left_alone(kind: str, language: str, text: str) -> None:
    """However much it looks like garbage."""
    assert rejecting(judge(text, "answer", language)) == [], kind


def test_an_outline_of_bare_titles_is_no_report() -> None:
    """A short list of names may be an answer, it is never a report."""
    text = "1. Introduction\n2. Market size\n3. Competitors\n4. Conclusion"
    assert "structure.bare_outline" in rejecting(judge(text, "report"))
