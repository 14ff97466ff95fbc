"""What people say around a question, which changes no answer: to whom they speak, how politely, where the looking is
done, how sure they are. The tokenizer drops these phrases; a word that stands in none of them is still unknown.

Lower case, no punctuation, hyphens are blanks, as in `po3d.language.read.synonyms`. Not here, because they would change an
answer: "only", "exactly", "nothing", numbers, comparisons.
"""

from collections.abc import Iterator
from itertools import product

from po3d.language.read.synonyms import split

# To whom: said at either end of a question.
_ADDRESS = split(
    "hey|hello|hi|sir|madam|miss|mister|mate|buddy|pal|dear|my dear|my friend|friend|love|darling|guys|folks|everyone|mummy|mum|mom|"
    "mommy|daddy|dad|granny|grandpa|boss|chief|bro|dude|lads|old chap|old boy|my good man|good sir|robot|computer|"
    "assistant|yaar|ji|hey there|hi there|hello there|hiya|yo|oi|greetings|good morning|good afternoon|good evening|"
    "good day|excuse me|pardon|pardon me|sorry|apologies|forgive me|i beg your pardon|beg your pardon|ma am"
)
_SOUNDS = split(
    "uh|oh|um|umm|er|erm|hm|hmm|ah|aha|wow|whoa|gosh|oops|uh oh|oh no|oh dear|oh my|aw|eh|huh|ha|phew|look"
)
_POLITE = split(
    "please|kindly|pls|plz|please do|if you please|if you would|if you can|if you could|if you do not mind|"
    "if you would not mind|if you would be so kind|if i may ask|if i may|may i ask|can i ask|might i ask|could i ask|"
    "let me ask|i ask|i have a question|i have got a question|quick question|one question|one more question|"
    "next question|first question|last question|question|another question|my question is|the question is|"
    "be so kind as to|be so good as to|would you be so kind as to|would you kindly|would you please|could you please|"
    "can you please|be a dear and|be a good lad and|do me a favour and|do me a favor and|do me a favour|do me a favor|"
    "help me out here|help me out|help me|thanks|thank you|many thanks|thank you very much|thank you kindly|thanks a lot|"
    "thank you in advance|cheers|thx|ta|much obliged|much appreciated|for me|for us|go on|come on|carefully"
)
_ASIDE = split(
    "so|well|now|then|ok|okay|okay so|ok so|ok then|right then|now then|alright|all right|let us see|let us say|let me see|"
    "shall we say|say|for a start|first of all|firstly|to begin with|just|simply|actually|really|currently|in fact|"
    "in reality|basically|essentially|honestly|frankly|truly|indeed|quite|pretty|clearly|obviously|apparently|"
    "possibly|perhaps|maybe|probably|presumably|supposedly|hypothetically|theoretically|in theory|in principle|"
    "out of curiosity|just out of curiosity|out of interest|just curious|curious|i am curious|for the record|"
    "for my report|for the report|for the log|to be precise|to be clear|to be exact|strictly speaking|in your opinion|"
    "in your estimation|by your reckoning|as far as you can tell|as far as you can see|as far as we can see|"
    "as far as i can see|as far as i can tell|as far as one can tell|from what you can see|from what i can see|"
    "by the look of it|by the looks of it|from the look of it|judging by the picture|judging from the picture|"
    "on earth|in the world|the heck|the hell|by any chance|by chance|per chance|on the whole|all things considered|"
    "anyway|anyhow|by the way|incidentally|again|once more|once again|ever|at all|then again|of course|as it happens|"
    "to your mind|to my mind|you know|i mean|i say|like i said|if possible|if any|if anything|to my knowledge|"
    "i have to ask|given the scene|given this picture|looking at the scene|taking a look|going by|if you look|"
    "take a look|have a look|take a look at the picture|look closely|look carefully|looking closely|looking carefully|"
    "at first glance|on closer inspection|is it true that|is it the case that|is it right that|is it correct that|"
    "is it so that|is it a fact that|do i see correctly that|am i right that|am i right in thinking that|"
    "am i right in thinking|am i correct that|is it possible that|could it be that|might it be that|can it be that|"
    "would it be true that|it seems that|it seems|it looks like|it appears that|it looks as if|i think|i believe|"
    "i guess|i suppose|i reckon|i see that|i notice that|i notice|would you say|would you say that|do you think|"
    "do you think that|do you believe|do you believe that|do you reckon|do you suppose|do you guess|do you feel|"
    "in your view of things|my guess is that|am i wrong or|or am i wrong|or not|or no|true or false|yes or no"
)
_WHEN = split(
    "at the moment|right now|today|tonight|this morning|this evening|this time|at this moment|presently|at present|"
    "as of now|nowadays|for now|here and now|at this point|immediately|directly|this instant"
)
_WHERE = split(
    "here|in here|in there|out there|out here|over there|over here|over|there|around|around here|round here|hereabouts|"
    "around there|round there|around the place|about the place|about the lot|somewhere|anywhere|somewhere here|"
    "in the car park|in this car park|in the parking lot|in this parking lot|on the parking lot|on the lot|on this lot|"
    "in the lot|in this lot|in the yard|on the forecourt|on site|on the premises|on display|on show|on view|on screen|"
    "on the screen|on the street|in the street|on this street|on the road|on the ground|on the floor|on the tarmac|"
    "on the pavement|on the square|in town|on the field|on the plain|in the area|in this area|in the vicinity|nearby|"
    "in the picture here|present here|shown here|seen here|in the middle of all this|in this mess|in this bunch|"
    "in this lot of vehicles|in the group|in the crowd|among them|among these|among those|amongst them|among them all|"
    "of them|of these|of those|of them all|of the lot|of the bunch|in the bunch|in the set|in the collection|"
    "in sight|in view|within view|within sight|into view|into the picture|into the scene|into the frame|"
    "in our sight|in my sight|in your sight|before us|before me|before you|in front of us|in front of me"
)
_PICTURE = split(
    "picture|image|photo|photograph|scene|frame|shot|render|rendering|snapshot|snap|pic|view|display|screenshot|"
    "illustration|photo here|image here|scene here"
)
_SUM = split(
    "altogether|all together|in total|overall|in all|all in all|in sum|all told|as a total|in number|combined|together|"
    "put together|taken together|when put together|counted together|summed up|as a whole|if you add them up|"
    "if i add them up|if you count them|if you count them all|when you count them|as well|too|also|both|either|each"
)
_STANDING = split(
    "visible|shown|present|parked|standing|standing still|sitting|located|situated|positioned|placed|stationed|waiting|"
    "stopped|stationary|found|lying|resting|stands|is located at|seen|been|painted|stood|displayed|depicted|pictured|"
    "appearing|left standing|parked up|idling|kept|available|to be seen|to be found|going"
)
_EMPTY = split(
    "about|how about|what about|partly|partially|in part|at least in part|at least partly|somewhat|a bit|a good way|"
    "a little way|some way|a long way|a few metres|a few meters|a metre|a meter|a few feet|put|if i put|if you put|if we put|"
    "if i take|if we take|if you take|if i count|if we count|if you count|if i add|if we add|if you add|add|if i add up|"
    "if we add up|if you add up|namely|that is to say|badly|neatly|quickly|slowly|suddenly|merrily|happily|"
    "by itself|all of a sudden|by accident|accidentally|by mistake|for a while|a while|for some time|for a moment|"
    "from view|from sight|from our view|from our sight|from the view|single|as each other|to each other|"
    "with each other|to one another|as one another|with one another|'s nose|"
    "'s front end|any part of|some part of|parts of|a part of|part of|our view of|the view of|my view of|the nose of|"
    "at least|itself|themselves|himself|herself|particular|specific|certain|up|whether|do tell|according to you|"
    "or other|so to speak|as it were|or so|only just|and so on|and the like|or whatever|or something|"
    "wondering|i wonder|displaying|good old|for sure|for certain|lovely|nice|pretty little|poor|fine looking|there there"
)

# How an indirect question opens, in pieces that are dropped one by one: "we would like to", "know whether".
_WHO = split("i|we|she|he|they|my wife|my husband|my son|my daughter|my little girl|my little boy|my boss|the boss|"
             "my friend|my client|the client|the kids|someone|somebody|everybody|people|my colleague|my mate")  # fmt: skip
_WANT = split(
    "want to|wants to|need to|needs to|wish to|would like to|would love to|would be curious to|would be glad to|"
    "would be happy to|would be interested to|am curious to|am keen to|am dying to|am trying to|am hoping to|have to|"
    "has to|is curious to|is trying to|was hoping to|would appreciate to|would just like to|just want to|just need to|"
    "am not able to|was told to|must|should|ought to"
)
_LEARN = split("know|find out|learn|work out|figure out|hear|ask|ask you|check|determine|understand|confirm|be told|"
               "establish|decide|be sure|verify|be informed|get told|make sure|ascertain")  # fmt: skip
_MAY = tuple(
    f"{may} {you}"
    for may in split("can|could|will|would|wo not|do|may|might")
    for you in split("you|u|you guys")
)
_SAY = split(
    "tell me|tell us|inform me|inform us|let me know|let us know|show me|advise me|advise|remind me|explain|say for me|"
    "point out|state|mention|specify|indicate|report|answer me|answer this|look and tell me|look and see|say to me|"
    "look at it and tell me|look at the picture and tell me|look at this picture and tell me|have a look and tell me|"
    "take a look and tell me|then tell me|now tell me|and tell me|then say|describe to me|go and see|"
    "kindly mention|please mention|kindly state|please state|please say|help me find out|help me see"
)
_DOUBT = split(
    "any idea|any clue|any guess|any chance|no idea|not sure|i am not sure|i have no idea|no clue|i can not tell|"
    "i could not tell|i do not know|i did not see|i forget|i forgot|i am unsure|unsure|i am wondering|i was wondering|"
    "we were wondering|we are wondering|i have been wondering|he wonders|she wonders|we wonder|i ask myself|i wonder|"
    "it would be good to know|it would be nice to know|it would help to know|it is important to know|have you any idea|"
    "do you have any idea|do you have an idea|have you got any idea|do you happen to know|do you know|do you remember|"
    "do you recall|could i know|can i know|may i know|might i know|i need|we need|need|i want|wanted|needed|i require|"
    "required|i am interested in|interested in|i can not decide|i could not make out|i missed|i can not remember"
)
_HAPPEN = split("happen to|happens to|happened to|chance to|turn out to|turns out to")
_LINK = (
    "",
    "if",
    "whether",
    "about",
    "as to",
    "as to whether",
    "of",
    "that",
    "for me",
    "for me if",
    "for us",
)


def _indirect() -> Iterator[str]:
    yield from (f"{who} {want}" for who, want in product(_WHO, _WANT))
    yield from ("want to", "need to", "would like to", "like to")
    yield from _MAY
    yield from (f"{phrase} {link}" for phrase, link in product(_LEARN + _SAY + _DOUBT, _LINK))


def _in_pictures() -> Iterator[str]:
    for lead, the, picture in product(
        ("in", "of", "from", "on", "within", "inside", "throughout", "across", "for", "according to", "based on",
         "looking at", "given", "considering", "judging from", "by"),
        ("the", "this", "that", "our", "my", "the whole", "the entire", "the given", "this whole", "your"),
        _PICTURE,
    ):  # fmt: skip
        if not (lead in ("from", "by") and picture == "view"):
            yield f"{lead} {the} {picture}"
    for lead, picture in product(("in", "on", "within"), ("frame", "shot", "picture")):
        yield f"{lead} {picture}"


def fillers() -> set[str]:
    """Every phrase that the tokenizer drops."""
    groups = (_ADDRESS, _SOUNDS, _POLITE, _ASIDE, _WHEN, _WHERE, _SUM, _STANDING, _EMPTY, _HAPPEN)
    spoken = {phrase for group in groups for phrase in group}
    spoken.update(" ".join(phrase.split()) for phrase in (*_indirect(), *_in_pictures()))
    return spoken - {""}
