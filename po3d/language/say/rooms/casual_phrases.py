"""Small talk around changes of rooms: asides, stories, complaints about a thing before it is changed, and requests."""

ASIDES = (
    "you'll never guess(,|:)|you won't believe it(,|:)|guess what(,|:|!)|big news(:|,)|by the way(,|:)|oh and(,|)|"
    "listen(,|:)|look(,|!|:)|"
    "right(,|)|now then(,|)|just to let you know(,|:)|what a day(:|!|,)|good news(:|,)|bad news(:|,)|I must tell "
    "you(,|:| that)|"
    "have you heard(?|,|:)|did you know(:|?|,| that)|did I tell you(?|:|,| that)|would you believe it(,|:)|I (see|"
    "hear|notice|noticed|heard|saw)"
    "( that|)|they say( that|)|as you (know|can see|see)(,|)|rumour has it( that|)|I'm told( that|)|let me tell "
    "you(:|,)|attention(:|!)|"
    "for your information(,|:)|change of plan(:|,)|small change(:|,)|next(:|,)|today's job(:)|to do(:)|believe it "
    "or not(,|:)|you know what(?|,|:)|"
    "here's what happened(:|.)|what happened is( that|)|this is new(:|,)|a word about the room(:|.)|it so happens( "
    "that|)|in short(,|:)|"
    "since last time(,)|a little update(:|,|.)|remember this(:|,)|mind you(,|)|no joke(:|,)|I'd say( that|)|the "
    "latest(:|)|surprise(!|:)"
)
ENDS = (
    "ha ha|would you believe it|can you believe it|you know|you see|I swear|I tell you|isn't it nice|don't you "
    "think|for me|for me, dear|dear|if you "
    "please|if you don't mind|would you|will you|mate|sir|thank you|thanks a lot|that's that|as I told you|just "
    "like that|of all things|I hear|I think|"
    "so they say|it seems|believe it or not|to my surprise|at my request|all by (himself|herself|myself)|with "
    "great care|in no time|the other day|"
    "on Tuesday|while you were out|before breakfast|when nobody was looking|without telling anyone|after much "
    "debate|no big deal|right|what a shame|"
    "what a pity|I never liked it|poor thing|good riddance|as planned|as agreed|as you asked|like you said|hooray|"
    "at last|I'm afraid|to be honest|"
    "for the children|for the guests|for grandma|on doctor's orders|until further notice|for the summer|just in "
    "case|a minute ago|as we speak|"
    "so that's new|lucky us|and about time too"
)
STORIES = (
    "(two|some|a few|three|a couple of) (men|movers|people|friends|guys|workers) (came|turned up|stopped by|"
    "dropped in|were here|rang the bell) "
    "(with a (trolley|van|truck|ladder|toolbox)|yesterday|today|this morning|early|)|we had the (painters|builders|"
    "movers|cleaners|inspector) in|"
    "it is (spring|moving day|Sunday|cleaning day|our anniversary)|we (are redoing|did up|tidied) (this room|the "
    "place|everything)|"
    "(my aunt|my uncle|a colleague|the landlady|the new boss|my mother in law) (came to stay|dropped by|gave us an "
    "idea|is staying with us|was not happy)|"
    "you were (out|away|asleep) when it happened|a lot (happened|went on) while you were away|I could not sleep "
    "last night|the (baby|dog|cat) is "
    "(everywhere|teething|crawling now)|we (won|saved up|found a bargain|had a clear out|made a deal)"
)
COMPLAINTS = (  # what is said of a thing before it is changed
    "(was|is|kept|started) (leaking|falling apart|squeaking|wobbling|rattling)|never (worked|fitted in|looked "
    "right|suited us|closed properly)|"
    "(looked|was looking) (awful|tired|out of place|sad|shabby|boring|plain|worn)|smelled (bad|funny|of smoke)|"
    "(kept getting|was always|stood|was|got) in "
    "(my|our|the|everybody's) way|was (no use|not needed|too much|a nuisance|on its last legs|past its best|in the "
    "wrong place|far too heavy|no good|"
    "a birthday present|a bargain|an eyesore|my idea|annoying|never used|everybody's favourite|a mistake|too close "
    "for comfort|too far away)|"
    "did not (suit|match|fit|please|work for) (us|me|the room|anyone|the rest)|bothered (me|us|everyone)|had (seen "
    "better days|to be dealt with|lost its charm|"
    "a scratch|bored us)|gave (us|me) (trouble|a headache|no peace)|needed (a change|some attention)|got on my "
    "nerves|took up too much room"
)
DISLIKES = (
    "(did not like|was tired of|could not stand|had enough of|hated|complained about|tripped over|grew tired of|"
    "kept bumping into|was fed up with|"
    "never liked|felt sorry for|fell in love with|had plans for|took a dislike to|wanted a word about|was not fond "
    "of|needed to do something about)"
)
APPOSITIONS = (  # said after a thing, and nothing that tells it from others
    "the one (from IKEA|we bought last year|you like so much|with the scratches|I told you about|my aunt gave us|"
    "near the middle|you pointed at|"
    "I showed you|with the funny legs|the cat loves|from my parents|we got cheap|by the way)|dirty as it was|old "
    "as it was|heavy as it was|you know which|"
    "poor thing|bless it|that monster|my pride and joy|a gift from my aunt|the pride of the house|such as it is|"
    "which I never liked|which was in the way|"
    "which nobody used|which we got last year"
)
PLEAS = (
    "(could you|would you|can you|will you|I need you to|I'd ask you to|you could|you can|we could|we might|we'd "
    "better|I'd rather|I had to|I just had to|be so kind "
    "and|do me a favour and|be an angel and|why don't (we|you)|why not|let me|the plan is to|the idea is to|it was "
    "decided to|time to|help me|help me to|make sure to|"
    "don't forget to|remember to|it's time to|feel free to|just|all you do is|someone should|somebody must|you had "
    "better|I'd be glad if you)"
)
DID = (
    "( went and| has gone and| had gone and| went ahead and| got up and| came and| up and| came in and| came over "
    "and| finally| just|, bless him,|, of all people,|"
    ", would you believe it,| just now| even| must have| himself| herself| and I| decided and)"
)


def paired(text: str) -> tuple[tuple[str, str], ...]:
    """Past and base forms of verbs: "a,b|c,d"."""
    return tuple((past, base) for past, base in (verb.split(",") for verb in text.split("|")))


WIPED = paired(  # removals whose past form is the participle
    "ripped out,rip out|chucked out,chuck out|chucked,chuck|binned,bin|tipped,tip|returned,return|"
    "shipped off,ship off|wheeled away,wheel away|whisked away,whisk away|carted away,cart away|"
    "pulled out,pull out|hauled off,haul off|evicted,evict|ditched,ditch|dumped,dump|"
    "auctioned off,auction off|banished,banish|demolished,demolish|junked,junk|collected,collect|"
    "confiscated,confiscate|handed on,hand on|passed on,pass on|shifted out of here,shift out of here|"
    "pinched,pinch|nicked,nick|tossed out,toss out|dragged out,drag out|"
    "moved elsewhere,move elsewhere|lifted out,lift out|kicked out,kick out|swept away,sweep away|"
    "burned,burn|put in storage,put in storage|put on the street,put on the street|"
    "rolled out,roll out|cleared off,clear off"
)
PUT = paired(  # the same for moves
    "plonked,plonk|plopped,plop|popped,pop|popped,pop|propped,prop|dumped,dump|chucked,chuck|"
    "swung,swing|parked,park|sat,sit|tucked,tuck|stashed,stash|slipped,slip|squeezed,squeeze|"
    "wedged,wedge|planted,plant|hoisted,hoist|heaved,heave|flung,fling|slung,sling|lugged,lug|"
    "wheeled,wheel|nestled,nestle|stationed,station|stowed,stow|moved over,move over|stuck,stick|"
    "rehoused,rehouse|marched,march|hung,hang|stood,stand|set,set|put,put|put,put|settled,settle"
)
