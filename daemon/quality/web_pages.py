"""What stands on a web page around its content, in place of content: lists of hits, walls, pointers.

One such sign means nothing. Several different ones in a short text are a page that nobody read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from daemon.quality.normalise import Reading, count_words
from daemon.quality.verdict import Defect, Profile

_SHORT_WORDS = 300
_WALL_WORDS = 120
_POINTER_WORDS = 60
_LEAST_SIGNS = 3
_LEAST_WALL_SIGNS = 2

_SEARCH_SIGNS = tuple(
    re.compile(sign, re.MULTILINE)
    for sign in (
        (
            r"^\W{0,6}(?:showing )?(?:search )?(?:results|resultados|resultats|risultati"
            r"|ergebnisse) (?:for|para|de la"
            r" busqueda|pour|per|fur)\b|^\W{0,6}(?:search|busqueda|buscar)\W{1,3}\S"
        ),
        (
            r"\b(?:did you mean|showing results for|search instead|quizas quisiste decir|quiza quiso decir"
            r"|tal vez quiso"
            r"|mostrando resultados|buscar en su lugar|meintest du|essayez avec|forse cercavi)\b"
        ),
        (
            r"(?:^|[·|] ?)\W{0,6}(?:ad|ads|sponsored|anuncio|anuncios|patrocinado|publicidad|anzeige"
            r"|annonce|gesponsert"
            r"|annuncio|sponsorizzato)\b(?=\W|$)"
        ),
        (
            r"\b(?:images?|imagenes|imagens|bilder|immagini)\b[^\n]{0,20}\b(?:videos?|maps?|mapas|news"
            r"|noticias|shopping)\b"
            r"|^\W{0,4}(?:videos?|images?|imagenes|maps?|mapas|news|noticias|shopping)\b(?: results"
            r"| resultados)?[ ·|:]"
        ),
        (
            r"\b(?:people also|related searches|searches related|related:|relacionad[oa]s?:|otras personas|busquedas"
            r" relacionadas|preguntas relacionadas|la gente tambien|usuarios tambien)\b|^\W{0,4}related\b"
        ),
        (
            r"^\W{0,6}(?:1 ){0,1}(?:[\d ]{3,40} )?(?:next|siguiente|proxima|suivant|weiter|avanti|more results|mas"
            r" resultados|ver mas resultados)\W{0,4}$|\b1 2 3 4 5\b"
        ),
        (
            r"\b\d+ ?(?:-|to|a|al) ?\d+ (?:of|de) (?:about |cerca de )?[\d.,]{1,40} ?(?:results|resultados)?"
            r"|\b(?:about|cerca de"
            r"|aproximadamente)? ?[\d.,]{1,40} (?:results|resultados)\b"
        ),
        (
            r"(?:^|\d\. |\.\.\. )[^\n.]{3,80} (?:-|\||–|›) (?:quora|reddit|wikipedia|facebook|instagram"
            r"|linkedin|youtube|tripadvisor|home"
            r"|inicio|tiktok"
            r"|mercado libre|amazon|blog|yelp|pdf)\b"
        ),
        (
            r"\b(?:call now|book online|reserve en linea|llame ahora|cached|similar pages|en cache"
            r"|translate this page"
            r"|traducir esta pagina)\b|\b\d[.,]\d ?★|★ ?\(?\d|\b24/7\b|⋅"
        ),
        r"\bwww\.\S+ ?(?:›|>|·|—)|› \S|^[^\n]{3,60} [–-] [a-z0-9-]+\.[a-z]{2,8}$",
        r"(?:\.\.\.|…)[^\n]{0,200}(?:\.\.\.|…)|(?:(?:\.\.\.|…)[ \t]*\n[^\n]{0,300}){2}",
        (
            r"\b(?:near me|cerca de mi|get a (?:free )?quote|cotice (?:hoy|ya|gratis)|cotiza (?:hoy|ya)"
            r"|we are (?:the )?leaders"
            r"|somos lideres|contact us today|contactanos|best prices|mejores precios|compare (?:quotes|prices) now)\b"
        ),
        (
            r"^\W{0,4}(?:top results|resultados destacados|also searched|tambien se busca|web results|resultados web"
            r"|results from the web)\b"
        ),
        (
            r"^[^\n]{0,6}(?:[a-z]{3}\.? \d{1,2}, 20\d\d|\d{1,2} (?:de )?[a-z]{3,10}\.? (?:de )?20\d\d|\d+ (?:days"
            r"|hours) ago"
            r"|hace \d+ (?:dias|horas)) ?(?:—|–|-|·|\.\.\.)"
        ),
    )
)
_WALL_SIGNS = tuple(
    re.compile(sign)
    for sign in (
        (
            r"\b(?:this|our|the|este|nuestro|el) (?:web)?(?:site|page|sitio|pagina)(?: web)? (?:uses"
            r"|utiliza|usa|emplea)"
            r" (?:\w+ ){0,3}cookies\b|\b(?:we use|usamos|utilizamos|uses) (?:\w+ ){0,3}cookies\b"
            r"|\b(?:questo sito|il sito|ce site|notre site|diese (?:web)?seite|este site"
            r"|nosso site) (?:web )?(?:utilizza|usa"
            r"|utilise|verwendet|nutzt|utiliza)(?: \w+){0,3} cookies?\b|\b(?:nous utilisons|utilizziamo|usiamo"
            r"|wir verwenden|nos usamos)(?: \w+){0,3} cookies?\b"
        ),
        (
            r"\b(?:accept|reject|allow|aceptar|rechazar|permitir)(?: (?:all|todas|todo|las|cookies))*\b\W{1,3}"
            r"(?:\w+ ){0,2}(?:accept|reject|manage|only|settings|more|necessary|aceptar|rechazar"
            r"|configurar|gestionar|solo"
            r"|mas)\b"
        ),
        (
            r"\b(?:manage|gestionar|configurar|administrar) (?:\w+ )?(?:preferences|cookies|consent"
            r"|settings|preferencias"
            r"|consentimiento|opciones)\b|\b(?:only necessary|strictly necessary|solo (?:las )?necesarias)\b"
            r"|\b(?:accetta|rifiuta|accetto|gestisci|accepter|refuser|tout (?:accepter|refuser)|gerer|aceitar"
            r"|rejeitar|gerir"
            r"|akzeptieren|ablehnen)(?: (?:tutt[oie]|tudo|tous|toutes|mes|le|les|i|alle|all"
            r"|\w+))?(?: (?:preferenze|cookies?"
            r"|preferences|preferencias))?[.|·\n]"
        ),
        (
            r"\b(?:i'm not a robot|i am not a robot|no soy un robot|ich bin kein roboter"
            r"|je ne suis pas un robot|non sono un"
            r" robot|nao sou um robo)\b"
        ),
        r"\b(?:re|h)?captcha\b",
        (
            r"\b(?:select|click|choose|mark|pick|seleccion[ea]\w{0,2}|marqu[ea]\w{0,2}|marca|elija"
            r"|haga clic)\b[^.\n]{0,30}"
            r"\b(?:images|squares|tiles|pictures|imagenes|casillas|cuadros|recuadros)\b"
        ),
        r"\b(?:traffic lights|crosswalks|bicycles|buses|hydrants|semaforos|bicicletas|pasos de cebra|autobuses)\b",
        (
            r"\b(?:checking|verifying|comprobando|verificando|revisando)\b[^.\n]{0,30}\b(?:connection"
            r"|browser|human|secure"
            r"|conexion|navegador|humano|segur[oa])\b"
        ),
        (
            r"\b(?:may|might|could|puede|podria) (?:take|tardar|tomar) (?:a few|some|several|unos|algunos|varios)"
            r" (?:seconds|moments|segundos|instantes)\b|\bwait a (?:few seconds|moment)\b"
        ),
        r"\bray id\b|\bcloudflare\b|\bsecurity by\b|\bddos\b|\bincapsula\b|\bakamai\b",
        r"\b(?:enable|activ[ea]|habilit[ea]) (?:javascript|cookies)\b",
        (
            r"\b(?:free|monthly|gratuitos?|gratis|mensual)\b[^.\n]{0,20}\b(?:articles?|limit|articulos?|limite)\b"
            r"|\b(?:article|articulos) limit\b|\blimite de articulos\b"
        ),
        (
            r"\b(?:log in|sign in|sign up|subscribe|register|create an account|inicie sesion|inicia sesion|suscribase"
            r"|suscribete|registrese|registrate|cree una cuenta)\b[^.\n]{0,40}\b(?:continue|keep|read|view"
            r"|access|unlock"
            r"|account|continuar|seguir|leer|acceder|ver)\b"
        ),
        r"\bto continue\b|\bpara continuar\b|\bkeep reading\b|\bseguir leyendo\b|\bcontinue reading\b",
        r"\b(?:privacy|privacidad) ?[-·|] ?(?:terms|condiciones|terminos)\b",
        r"\b(?:access denied|acceso denegado|forbidden|you have been blocked|ha sido bloqueado)\b",
    )
)
_ADDRESS = re.compile(r"https?://\S+|\bwww\.\S+")
_DIGIT = re.compile(r"\d")
_POINTS = re.compile(
    r"\b(?:everything|all (?:of )?(?:this|that|the)|details?|explain\w*|explanation|refer to|see|visit"
    r"|consult|available"
    r"|find|found|covers?|information|in full|there|read|check|set out|published (?:at|on|in)|todo|todos"
    r"|todas|detalles?"
    r"|explica\w*|vea|vease|visite|consult\w+|disponibles?|encontrar\w*|encuentra\w*|informacion|alli|ahi"
    r"|lea|revis\w+"
    r"|cuanto|complet[oa]|siguiente enlace|constan?|figuran?)\b"
)


def web_page(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """A page of hits, a wall in front of a page, or nothing but the way to a page."""
    if profile in ("code", "template") or reading.words > _SHORT_WORDS:
        return
    text = reading.open
    if _signs(text, _SEARCH_SIGNS) >= _LEAST_SIGNS:
        message = "It is a search engine's page, not a finding."
        yield Defect("structure.search_page", message, rejects=True)
    elif reading.words <= _WALL_WORDS and _signs(text, _WALL_SIGNS) >= _LEAST_WALL_SIGNS:
        message = "It is the wall in front of a page, not the page."
        yield Defect("structure.wall", message, rejects=True)
    elif profile == "report" and _only_points(reading):
        message = "It points to a page in place of the analysis."
        yield Defect("structure.points_to_page", message, rejects=True)


def _signs(text: str, signs: Sequence[re.Pattern[str]]) -> int:
    return sum(sign.search(text) is not None for sign in signs)


def _only_points(reading: Reading) -> bool:
    """A few words, an address, no figure beside it, and in each sentence that all is to be read there."""
    if reading.words > _POINTER_WORDS or not _ADDRESS.search(reading.open):
        return False
    bare = _ADDRESS.sub(" ", reading.open)
    if _DIGIT.search(bare):
        return False
    parts = [part for part in re.split(r"[.!?;]\s|\n", bare) if count_words(part) >= 2]
    return bool(parts) and all(_POINTS.search(part) for part in parts)
