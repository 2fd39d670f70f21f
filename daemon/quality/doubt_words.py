"""Words by which a sentence is no plain statement of what was found, in folded English and Spanish.

They err towards doubt: a result that is told in plain words has none of them.
"""

from __future__ import annotations

import re

# Behind which a figure is a bound, a guess or a range.
ROUNDED = re.compile(
    r"(?:\b(?:about|around|approximately|approx|roughly|nearly|almost|some|over|more than|less than|under|above"
    r"|below|beyond|within|(?:up|down) to|(?:(?:up|down) to|hasta) (?:and including|(?:a|un) total (?:of|de)|the full)"
    r"|(?:limit(?:ed)?|cap(?:ped)?|ceiling|floor|tope|techo|limite|piso)(?: (?:of|at|to|en|de|a))?|as (?:high|low) as"
    r"|top(?:s|ped)?|beat(?:s|en)?|surpass(?:es|ed)?|(?:super|inferi|superi)\w+(?: (?:a|de))?|rebas\w+|exced\w+"
    r"|sobrepas\w+|rond(?:a|an|aba|aban|o|aron)|hover(?:s|ed)?(?: (?:at|around))?"
    r"|in the (?:region|neighbou?rhood|order|range) of|del orden de"
    r"|(?:por )?(?:debajo|encima) de|no (?:pasan?|llegan?) (?:a|de)"
    r"|(?:a lo|cuando) (?:mas|mucho)"
    r"|at least|at most|close to|circa|ca|fewer than|between|from|exceed(?:s|ing)?|(?:minimum|maximum)(?: of)?"
    r"|(?:min|max)\.?|upwards of|north of|just short of|as (?:many|few|much|little) as|in excess of|a good"
    r"|no (?:more|less|fewer) than|shy of|unos|unas|cerca de|casi"
    r"|aproximadamente|alrededor de|mas de|menos de|hasta|al menos|como (?:minimo|maximo|mucho)|a lo sumo"
    r"|(?:por lo|cuando) menos|(?:un )?(?:minimo|maximo)(?: de)?|entre|desde)"
    r"|[~≈<>≥≤±])[ ~$€£]{0,3}(?:us\$|usd )?$"
    r"|\b(?:at (?:the )?(?:very )?(?:most|least)|max(?:imum)?|min(?:imum)?|como (?:mucho|minimo|maximo)|al menos"
    r"|a lo (?:sumo|mas|mucho)|cuando (?:mas|mucho|menos)|por lo menos),[ ~$€£]{0,3}(?:us\$|usd )?$"
)
# A minus in front: what is below nothing is never read as what is above it.
SIGNED = re.compile(
    r"(?:(?:^|[\s(=:|])[-\u2212\u2013][ ]?(?:us\$|usd |[$€£])?|\b(?:minus|negative|menos) )$"
)
# How much something changed, a part or a multiple, a period that is over: the figure is not the measure's.
RELATIVE = re.compile(
    r"\b(?:by|times|x|half(?: of)?|(?:third|quarter|tenth|fraction|part) of|doubl(?:e|ed)(?: of)?|twice|triple"
    r"|(?:up|down|grew|grown|rose|risen|fell|fallen|dropped|gained|lost|increased|decreased)"
    r"|the (?:last|past|previous|first|next)|past|previous|(?:los|las) (?:ultim|primer|proxim)[oa]s"
    r"|plus|an?other|additional|further|extra|otr[oa]s|adicionales|mitad de|(?:tercio|cuarto|decimo|parte) de"
    r"|doble(?: de)?|triple(?: de)?|veces"
    r"|(?:subio|bajo|crecio|cayo|aumento|disminuyo)(?: en| un)?) (?:[$€£]|us\$|usd )?$"
    r"|\b(?!us\$)[a-z]{1,3}\$ ?$"
)
RELATIVE_BEHIND = re.compile(
    r"[^\w.,;:]{0,3}(?:(?:%|per cent|percent|por ciento|usd|dollars|dolares|[a-z]+)[^\w.,;:]{0,2}){0,2}"
    r"\b(?:more|less|fewer|shorter|longer|higher|lower|faster|slower|better|worse|up|down|ago|earlier|later"
    r"|mas|menos|mayor|menor|antes|atras)\b|-?ish\b"
    r"|[^\w.,;:]{0,2}(?:(?:usd|dollars?|dolares)[^\w.,;:]{0,2})?(?:per|each|an?|por|cada|al)\b(?! cent| ciento)"
    r"|[^\w.,;:]{0,2}(?:cad|aud|mxn|nzd|hkd|sgd|brl|cop|pen|clp|ars|jpy|cny|inr|chf|canadi\w+|australian\w*"
    r"|mexican\w*|colombian\w*|argentin\w+|chilen\w*|new zealand|hong kong|singapore|pesos?|soles|reales|reais"
    r"|francs?|francos?|yen(?:es)?|yuan(?:es)?|rupees?|rupias?|bolivar\w*|guarani\w*)\b"
)
# Behind which a count is the whole of some part that has no figure: "one of the 9", "Of 9 clients only ...".
PARTITIVE = re.compile(
    r"(?:(?:^|[,;:(.]) ?|\b(?:one|half|most|some|few|many|several|each|any|part|rest|majority|minority|handful"
    r"|bulk|uno|una"
    r"|mitad|mayoria|minoria|algun[oa]s?|parte|resto|poc[oa]s|much[oa]s|vari[oa]s|cualquiera"
    r"|cada un[oa]) )(?:of|de|among"
    r"|entre|from) (?:(?:the|our|those|these|all|these|them|los|las|nuestr[oa]s|est[oa]s|es[oa]s|tod[oa]s) ){0,3}$"
)
# In front of a figure and of a comma: "With 5 clients signed, the lease is covered."
GIVEN = re.compile(
    r"[\"'(*_ ]*(?:(?:with|given|con|dad[oa]s?|in order to|a fin de|con el fin de)\b"
    r"|to (?!date\b|this\b|our\b|the\b|that\b|these\b)|para [a-z]+(?:[aei]r|[aei]rse)\b)[^,]*$"
)
# The same behind the figure, at most two words away: "5 clients at least", "5 or so".
ROUNDED_BEHIND = re.compile(
    r"(?: ?%)?(?:[^\w.;:]{1,2}[a-z]+){0,2}?[^\w.;:]{0,3}\b(?:or so|or thereabouts|odd|plus|give or take"
    r"|at (?:the )?(?:very )?"
    r"(?:least|most|best)|approximately|approx|or (?:more|less|fewer)|if not more|o asi|y pico|y tant[oa]s"
    r"|tops|max(?:imum)?|min(?:imum)?|at the (?:very )?outside|or (?:above|below|over|under)|(?:como|al) (?:mucho"
    r"|minimo|maximo)|(?:a lo|cuando) (?:mas|mucho)|a lo sumo|por lo menos|al menos|mas o menos|aproximadamente"
    r"|cuando menos)\b"
)
# Behind which a number is a name.
LABEL = re.compile(
    r"\b(?:version|v|table|section|figure|page|chapter|step|part|level|art|article|question|round|phase|no|nos"
    r"|number|tabla|seccion|pagina|capitulo|figura|articulo|pregunta|numero|fase|ronda|paso)\.? ?$"
)
# What is wanted, supposed, hearsay or left open, against what was found.
GOAL = re.compile(
    r"\b(?:if|would|could|should|might|must|will|shall|goals?|targets?|thresholds?|plan(?:s|ned)?|expect\w*"
    r"|aim\w*|wants?|needs?|hop(?:e|es|ing)|forecast\w*|project(?:ed|ions?)|estimat\w+|assum\w+|suppos\w+"
    r"|hypothe\w+|criteri(?:on|a)|propos\w+|require[ds]?|unless|whether"
    r"|until(?! (?:the )?(?: {2}|(?:signature|signing|closing?|payment|delivery)\b))|unknown|perhaps|possibly|likely"
    r"|intend\w*|intention\w*|promis\w+|consider\w*|willing\w*|interested|ready to|agreed? to|try(?:ing)? to"
    r"|can|going to|(?:are|is|were|was) to|have to|ask(?:s|ed)? (?:for|to|that|us|them|him|her|whether|if|about)"
    r"|request\w*|wait\w*|await\w*|pending|drafts?"
    r"|drafted|review(?:s|ing)|under review|ideal\w*|imagin\w+|pretend\w*|look(?:s|ed|ing)? for|simulat\w+"
    r"|modell?ed|examples?|next (?:week|month|quarter|year)|by (?:20\d\d|the end)|so far|as yet|for now"
    r"|alleg\w+|rumou?r\w*|reportedly|claim(?:s|ed|ing)?|is said|say that|we hear|hearsay|gossip"
    r"|intencion\w*|prometi?\w+|dispuest\w+|interesad\w+|considera\w*"
    r"|si|podr[ia]\w*|deber[ia]\w*|debe\w*|seria\w*|metas?|objetivos?|umbral(?:es)?|planea\w*|esper\w+"
    r"|necesita\w*|estima\w*|supone\w*|hipotesis|criterios?|propuest\w+|requier\w+|salvo|hasta que"
    r"|quiza\w*|posiblemente|sera\w?|tendra\w*|pagar(?:a|an|ia|ian)|tal vez|a lo mejor|acaso|puede[n]?"
    r"|han? de|van? a|pendientes?|borrador\w*|solicit\w+|pid(?:e|en|io|ieron)|en revision|simula\w+|ideal\w*"
    r"|ejemplos?|proxim[oa]s? (?:semana|mes|trimestre|ano)s?|hasta ahora|por ahora|dicen|se dice|rumor\w*"
    r"|presunt\w+|supuest\w+|probabl\w+|maybe|presumabl\w+|seem(?:s|ed|ingly)?|appear(?:s|ed)? to|apparent\w*"
    r"|believ\w+|think|thinks|thought|guess\w*|feels?|dream\w*|wish\w*|desir\w+|ambition\w*|vision\w*|pledg\w+"
    r"|vow\w*|bets?|soon|potential\w*|prospect\w*|would-be|fictiti\w+|fictional|dummy|mock|imaginary|made-up"
    r"|(?:count|rel(?:y|ie))(?:s|ing)? on|budget\w*|depend\w*|cuenta con|contamos con|presupuest\w+"
    r"|annuali[sz]ed|extrapolat\w+|run[- ]?rate|times (?:twelve|four|ten|\d+)|multipl(?:y|ied)\w*|pro[- ]?rata"
    r"|equivalent\w*"
    r"|suena\w* con|dese(?:a|an|amos|o|os)|quier\w+|quer(?:emos|ia|ian)|quis\w+|ambicion\w*|apuest\w+|cree(?:n|mos)?"
    r"|piensan?|parece\w*|aparent\w+|seguramente|ficticio\w*|ficticia\w*|imaginari\w+|potencial\w*|anualizad\w+"
    r"|extrapolad\w+|por doce|multiplicad\w+|prorrate\w+|equival\w+|ojala|como si|en caso de|siempre que|con tal de"
    r"|a condicion de|de haber|supon\w+|digamos|pongamos|in case|provided that|as long as|as if|as though)\b|\?"
    r"|¿|\b(?:green|amber|red|verde|ambar|rojo)\b ?:|^[\"'(*_ ]*(?:let|had|were|say|imagine|picture|provided|once)\b"
)
# Of a statement; of a figure it may be how it was found ("44 % of the users that we asked").
ASKED = re.compile(r"\basked\b")
# What holds only where all goes well or ill, and what something takes: a case, a need or a point of balance.
CASE = re.compile(
    r"\b(?:(?:best|worst|base|bull|bear|upside|downside)[- ]?cases?|in the (?:best|worst) (?:of|possible)"
    r"|at (?:(?:the )?(?:very )?)(?:best|worst)|at the (?:very )?outside|scenarios?|(?:with|given) (?:\w+ ){0,2}luck"
    r"|once (?:the|a|we|it|they|our|all|this|that|those|these)|as soon as|(?:up)?coming|tomorrow|ballpark|by eye"
    r"|(?:back of|rule of) (?:the|an?) (?:envelope|thumb)|rule of thumb|off the top of|from memory"
    r"|in (?:theory|principle)|(?:number|bar|mark|level|point|size) (?:(?:at|from|for|to|above|beyond) which|where)"
    r"|(?:numero|nivel|punto) (?:a partir d|desde |en )el cual|que (?:llega|entra|empieza)n?"
    r"|(?:that|which) (?:arrives?|lands?|comes? in)"
    r"|theoretical\w*|call it|take it that|in (?:our|their|my|his|her) (?:heads?|minds?)|pitch(?:es)?|slides?|decks?"
    r"|mandat\w+|prescrib\w+|stipulat\w+|dictates?|likes? to (?:see|hear)"
    r"|usually|typically|normally|generally|commonly|customar\w+"
    r"|una vez que|en cuanto|tan pronto|que viene|venider\w+|a ojo|de memoria|en (?:teoria|principio)|teoric\w+"
    r"|pon(?:gan|ga|ed)? que|ha(?:z|gan|ga) de cuenta|mandan?|impon\w+|obliga\w*|estipul\w+|prescri\w+"
    r"|diapositivas?|suelen?|solian?|normalmente|generalmente|habitual\w*|por lo general"
    r"|luck (?:permitting|willing|holds)|optimis\w+|pessimis\w+|best of all worlds"
    r"|need(?:s|ing)?|needed(?! [\w.,-]+ (?:hours?|days?|weeks?|months?)\b)"
    r"|requirements?|necessary|necessit\w+|prerequisit\w+|it takes?|what \w[^.;]{0,40}? takes?"
    r"|calls? for|hinges? on|enough to|suffices?|quotas?|break(?:s|ing)?[- ]?even|pays? for (?:itself|themselves)"
    r"|en el (?:mejor|peor)(?: de)?|(?:mejor|peor) (?:caso|escenario)\w*|escenarios?|con (?:\w+ ){0,2}suerte"
    r"|pesimis\w+|hac(?:en|e|ian|ia) falta|hay que|tien\w+ que|tenemos que|necesari\w+|requisitos?|exig\w+"
    r"|bastan?|cuotas?|(?:punto|umbral) de (?:equilibrio|rentabilidad)|sale a mano|salir a mano)\b"
    r"|^[\"'(*_ ]*(?:in order to|to (?!date\b|this\b|our\b|the\b|that\b|these\b)"
    r"|para [a-z]+(?:[aei]r|[aei]rse)\b)[^,]*,"
    r"|(?:^|[,(—–] ?)(?:on|en(?: el)?) (?:paper|papel)\b|\b(?:on paper|en(?: el)? papel)[).]*$"
)
# Behind the figure and all words of the measure: something is said of the figure, and not the figure itself.
SAID_OF = re.compile(
    r"(?:[^\w,;:.()|—–]+(?!(?:and|or|who|that|which|as|y|o|que|quien\w*|como)\b)\w+){0,3}?[^\w,;:.()|—–]+"
    r"(?:is|are|was|were|remains?|es|son|fue|fueron|era|eran|esta|estan|queda|quedan)[^\w,;:.()]+"
    r"(?!(?:now |already |all |ya |hoy )?(?:in|on|kept|listed|attached|filed|archived|recorded|en|list|anot|archiv"
    r"|adjunt|registr)\w*\b)\w"
)
# Who is spoken of is somebody else, unless a thing of theirs is only where something was found: "of the vendor's list".
OTHERS = re.compile(
    r"(?<!['’])\b(?:rivals?|competit(?:ors?|ion)|vendors?|resellers?|sellers?|suppliers?|(?:the|our|their) industry"
    r"|peers"
    r"|(?:an?other|other) (?:compan(?:y|ies)|vendors?|startups?)"
    r"|competidor\w*|competencia|vendedor\w*|proveedor\w*|otr[oa]s? (?:empresas?|companias?)"
    r"|(?:la|el|los|las|that|those|the ones?) (?:of|de) (?:an?other|otr[oa]s?) \w+)\b"
    r"(?!['’]?s?['’]? (?:list|index|catalog|register)\w*)"
)
OF_OTHERS = re.compile(
    r"\b(?:of|from|by|than|de|del|por|que)(?: (?:the|an?|our|la|el|los|las|una?|nuestr[oa]s?))?(?: \w+)? $"
)
# Told with scorn: what is said so is meant to be disbelieved.
SCORN = re.compile(
    r"\b(?:pigs? (?:can |may |might |will )?(?:fly|flew|have wings)|hell (?:freezes|froze)|yeah|my foot|nonsense"
    r"|rubbish|hogwash|baloney|sarcas\w+|ironic\w*|irony|ironi\w+|so-called|fairy[- ]?tales?|fables?|fantas\w+"
    r"|what an? \w+[!.]*$|you|yours?|or so (?:the|they|he|she|it|we|goes|says)|so (?:they say|goes the|the story)"
    r"|ha(?:ha)+|ja(?:ja)+|lol|quote[- ]unquote|ostensibl\w+"
    r"|(?:stor(?:y|ies)|tales?|jokes?|fiction|legends?) (?:for|of|to|told|that|we|they|he|she)"
    r"|(?:is|are|was|were) (?:just |only |pure |mere |but )?(?:an? )?(?:nice |pretty |good |tall |bad )?"
    r"(?:stor(?:y|ies)|tales?|jokes?|fiction|legends?)"
    r"|(?:and )?(?:i am|i['’]m|soy) (?:the|a|el|la|un|una) \w+|ranas crien|vuelan los (?:cerdos|burros)"
    r"|(?:burros|cerdos|vacas) (?:vuel\w+|volar\w*)|si,? claro|claro que si|ya,? claro|como no|tonterias?|pamplinas"
    r"|patranas?|cuentos?|chistes?|bromas?|fabulas?|leyendas?|ficcion)\b"
    r"|^[\"'(*_¡ ]*(?:sure|right|oh|ah|of course|naturally|claro|por supuesto|como no|ya|vaya|desde luego)\b ?[,.!:—–-]"
    r"|[,;—–(] ?(?:sure|right|of course|naturally|claro(?: esta)?|por supuesto|seguro)[)\"'!. ]*$|\(sic\)|[🙄😂🤣😉😏]"
)
# A future or a conditional of Spanish, told by its accent; of the text as it is written, in lower case.
GOAL_ENDING = re.compile(r"\b[^\W\d_]{2,}(?:[aei]rán?|[aei]rían|[aei]remos|[aei]ríamos)\b")
# That somebody else said so. Behind SAYING stands what was said, unless OWN_RECORD stands in front of it.
HEARSAY = re.compile(
    r"\b(?:in the words? of|as told by|quot(?:es?|ed|ing)|en (?:las )?palabras de|a decir de|al decir de|dizque"
    r"|press release"
    r"|newsletters?|brochures?|advert\w*|comunicado de prensa|boletin\w*|folletos?|publicidad|anuncio\w*)\b"
)
SAYING = re.compile(
    r"\b(?:according to|segun|says?|said|tells?|told|writes?|wrote|states that|stated|insist\w*|announc\w+|boast\w*"
    r"|brag\w*|assert\w*|assur\w+|reports|reported|tweet\w*|dice|dijo|dij(?:imos|eron)|cuentan?|conto que"
    r"|afirm\w+|asegur\w+|anunci\w+|sostien\w+|sostuv\w+|escrib\w+|presum\w+|inform(?:a|o|an|aron))\b"
)
OWN_RECORD = re.compile(
    r"\b(?:logs?|records?|registers?|registry|notes?|counts?|lists?|minutes|books?|ledgers?|files?|tables?"
    r"|surveys?|invoices?"
    r"|contracts?|registros?|notas?|conteos?|listas?|actas?|libros?|archivos?|tablas?|encuestas?|facturas?"
    r"|contratos?)\b"
)
# What must follow a verb of saying where no figure tells what was said.
SAID_THAT = re.compile(r"(?:[^\w.,:;]{1,2}\w+){0,3}?[^\w.:;]{0,2}(?:\bthat\b|\bque\b|:|,)")
# Rates over one period each: a figure of one is none of another.
PERIODS = tuple(
    re.compile(rf"\b(?:{words})\b")
    for words in (
        r"annual\w*|yearly|per year|an? year|each year|per annum|p\.a|al ano|por ano|cada ano|anual\w*",
        r"quarterly|per quarter|a quarter|trimestral\w*|por trimestre|al trimestre",
        r"monthly|months?|mensual\w*|mes|meses",
        r"weekly|per week|a week|semanal\w*|por semana|a la semana",
        r"daily|per day|a day|diari[oa]s?|por dia|al dia",
    )
)
# An amount of several periods in one.
SUMMED = re.compile(
    r"\b(?:(?:over|across|throughout|a lo largo de|al cabo de) ?(?:the|this|last|that|a|l|el|este|un) (?:\w+ )?"
    r"(?:years?|quarters?|ano|trimestre)|(?:whole|full|entire|all) (?:year|quarter)|(?:ano|trimestre) entero"
    r"|todo (?:el|este|un) (?:ano|trimestre)|year[- ]to[- ]date|ytd|cumulat\w+|acumulad\w+"
    r"|(?:summed|totall?ed|add(?:s|ed)? up|suma(?:n|ron)?|totaliz\w+)\b.{0,60}\b(?:years?|anos?|quarters?|trimestres?)"
    r"|(?:of|for|over|de|por|en|across) (?:all |the |los |todos los ){0,2}(?:[2-9]|\d{2}|two|three|four|six|nine|twelve"
    r"|dos|tres|cuatro|seis|nueve|doce) (?:months|meses))\b"
)
# What says that it is not so, or not any more, or that all but these.
DENIED = re.compile(
    r"\b(?:not|no|nor|none|nobody|nothing|never|neither|without|cannot|refus\w+|declin\w+|reject\w+|cancel\w*"
    r"|stop\w*|ceas\w+|quit|dej(?:o|an|aron) de|fail\w*|yet to|(?:almost|nearly|casi)(?! ?[~$€£\d])|about to|verge"
    r"|a punto de|hardly|barely|scarcely|rarely|seldom|unable"
    r"|unpaid|lack\w*|unlikely|impossible|exclud\w+|except(?:ed|ing|ions?)?|all but|other than|aside from"
    r"|apart from|instead of|rather than|refund\w*|revok\w+|expire[ds]?|expir(?:y|ing)|postpon\w+|forged|fake\w*"
    r"|retract\w*|cross(?:ed|es)? out|str(?:uck|ikes?) (?:out|off|from)|scrapp\w+|voided|tach(?:o|aron|ad[oa]s?|amos)"
    r"|deshech\w+"
    r"|obsolete|supersed\w+|outdated|formerly|used to|invalid\w*|mistak\w+|erroneous\w*|untrue"
    r"|untruth\w*|myths?|li(?:e|es|ed)|doubt\w*|dubious|disput\w+|overturn\w*|lapsed"
    r"|churn\w*|(?:walk|back|pull|dropp|opt)(?:ed)? (?:away|out)|undone|terminat\w+|annul\w*|bogus|hoax\w*"
    r"|inflated|overstat\w+"
    r"|desist\w+|echaron atras|echo atras|dieron de baja|dio de baja|se fueron|rescind\w+|infl(?:o|aron|ad[oa]s?)"
    r"|withdr[ae]w\w*|sin|nunca|ningun\w*|nadie|nada|tampoco|ni|rechaz\w+|retir\w+|fals[eo]\w*|wrong\w*"
    r"|den(?:y|ies|ied)|deni?eg\w+|nieg\w+|neg[oó]|apenas|excepto|excluy\w+|aparte de|en lugar de"
    r"|reembols\w+|devolvi\w+|revoc\w+|vencid[oa]s?|caduc\w+|aplaz\w+|mentiras?|mitos?|dud(?:a|oso|osa)s?"
    r"|falt(?:a|an|o|aron)|carec\w+|incapa\w+|imposible|nul[oa]s?|anul\w+|obsolet[oa]s?|erroneo?\w*)\b"
    r"|n['’´`]t\b"
)
# What a whole passage says of itself.
RETRACTED = re.compile(
    r"\b(?:retract\w*|supersed\w+|obsolete|no longer (?:true|holds?|valid|correct)|disregard\w*"
    r"|obsolet[oa]s?|ya no (?:vale|es cierto|rige)|sin efecto|retractad[oa]s?)\b"
)
