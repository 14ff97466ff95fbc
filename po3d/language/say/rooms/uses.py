"""What people do with the things of a room, as pieces from which questions for a purpose are built.

`DOINGS` holds what is done and the word that the thing then takes ("sit down", "on": "what can I sit down on?", "on what
could one sit down?", "somewhere to sit down"); `LACKS` what somebody tells who needs such a thing.
"""

from po3d.language.say.rooms.phrasing import Phrasing

# Purpose: (what is done, the word before or after the thing), parted by strokes; the word may be missing.
_DOINGS = {
    "sitting": "sit down,on|sit,on|take a seat,on|rest my legs,on|have a seat,on|park myself,on|sit and read,on|"
    "take the weight off my feet,on|sit and wait,on|have a sit down,on|seat a visitor,on|rest for a minute,on",
    "sleeping": "sleep,in|sleep,on|take a nap,on|lie down,on|lie down,in|spend the night,in|get some sleep,in|doze,on|"
    "have a nap,on|go to bed,in|stretch out,on|have a lie down,on|put the baby to sleep,in|get a good night's "
    "rest,in",
    "storage": "store things,in|keep my clothes,in|put my things away,in|keep books,in|stow things away,in|store my papers,in|"
    "put away the laundry,in|hide presents,in|put my folded shirts,in|tidy things away,in|keep my socks,in|store "
    "stuff,in",
    "lighting": "light the room,with|get more light,from|see in the dark,with|brighten up the room,with|read by,|see better,with|"
    "switch on when it gets dark,|turn on at night,|make it less dark,with|get some light,from|light up the "
    "place,with",
    "washing": "wash my hands,in|have a wash,in|wash up,in|get clean,in|wash the dishes,in|rinse a cup,in|do the laundry,in|"
    "wash,in|get the dirt off my hands,in|clean myself,in|wash my face,in|wash something,in",
    "drying": "dry my hands,with|dry myself,with|dry off,with|get dry,with|dry my hair,with|wipe my wet hands,on|dry my face,on|"
    "rub myself dry,with",
    "cooking": "cook,on|cook a meal,on|heat up my soup,on|boil an egg,on|make dinner,on|fry an egg,on|warm up leftovers,in|"
    "prepare a hot meal,on|boil water,on|cook some pasta,on|make some soup,on|heat food,in",
    "cooling": "keep milk cold,in|chill drinks,in|cool down,with|keep food fresh,in|keep the butter cool,in|cool off,with|"
    "stop the milk going off,in|keep things cold,in|keep the beer cold,in",
    "heating": "warm the room,with|keep warm,with|heat the room,with|get warm,by|warm my hands,by|warm up,by|"
    "take the chill off,with|make it less cold,with|warm my feet,by",
    "printing": "print a letter,with|print,with|print something out,on|print a document,on|print my ticket,on|"
    "get a page printed,on|put my essay on paper,with|make a paper copy,with",
    "typing": "type,on|type a letter,on|write an email,on|type up my notes,on|type something,with|type in a password,on|"
    "write a program,on",
    "viewing": "watch a film,on|watch the news,on|watch tv,on|see a movie,on|watch a video,on|watch the match,on|"
    "follow a series,on|look at videos,on|watch something,on",
    "reflection": "see myself,in|look at myself,in|check my hair,in|check how I look,in|see my face,in|comb my hair in front,of|"
    "admire myself,in|check my make up,in|fix my tie in front,of",
    "telling time": "tell the time,by|see what time it is,on|check the time,on|see how late it is,on|know the hour,from|"
    "read the time,off|find out the time,from|see whether I am late,on|look at to know the time,|learn what time "
    "it is,from",
    "reading": "read,|read in bed,|read a story,in|read on the train,|read something,in|spend a rainy day reading,|"
    "read to the children,from",
    "drinking": "drink,from|drink,out of|have some tea,from|drink some water,from|have my coffee,from|sip,from|have a drink,from|"
    "serve a drink,in",
    "waste": "throw rubbish,into|throw a tissue away,in|put the trash,in|throw away a wrapper,in|get rid of garbage,in|"
    "drop my litter,in|throw this out,in|chuck an apple core,into|put this banana peel,in|throw things away,in|"
    "dump the waste,in",
    "calling": "call someone,with|phone my mother,with|ring somebody,with|make a call,with|order a pizza,with|call for help,with|"
    "call a doctor,with|reach somebody far away,with",
    "music": "make music,on|play a tune,on|play music,on|play a song,on|strum,|accompany a singer,on|practise my scales,on|"
    "play some chords,on|make music,with",
    "carrying": "carry my things,in|pack for a trip,in|take my clothes along,in|travel,with|take on a journey,|pack my stuff,in|"
    "carry my books to school,in|take on holiday,",
    "decoration": "decorate the room,with|brighten up the shelf,with|make the place prettier,with|cheer up the room,with|"
    "make it look nicer,with|adorn the room,with",
    "writing": "write,on|write something,on|draw a diagram,on|scribble,on|write down ideas for everyone,on|write with a marker,on|"
    "explain a formula,on|sketch a plan for the team,on",
    "eating": "eat,at|have dinner,at|eat lunch,at|have a meal,at|have breakfast,at|dine,at|sit down to a meal,at|"
    "serve dinner,on",
    "working": "work,at|do my homework,at|do office work,at|do my work,at|do paperwork,at|study,at|get some work done,at|"
    "do my taxes,at|work on my thesis,at",
}  # fmt: skip
DOINGS = {p: [tuple(d.split(",")) for d in text.split("|")] for p, text in _DOINGS.items()}
LACKS = {  # what somebody says first who then asks for a thing of this purpose
    "sitting": "my feet hurt|I have been on my feet all day|grandma needs a rest|I am worn out|we have a visitor",
    "sleeping": "I am dead tired|I can hardly keep my eyes open|I have not slept all night|it has been a long day|I am yawning",
    "storage": "there is stuff all over the floor|my clothes lie about|I want to tidy up|the room is a mess",
    "lighting": "I can not see a thing|it is dark already|the sun has gone down|it is gloomy in here|night is falling",
    "washing": "I have been gardening|my hands are sticky|I have paint on my fingers|my face is dirty|I got all muddy",
    "drying": "I just came in from the rain|I am soaking wet|my hair is wet|I have just had a shower|my hands are dripping",
    "cooking": "I am starving|everybody is hungry|I bought some eggs|dinner must be hot|I could eat a horse",
    "cooling": "the butter is melting|I bought milk|it is boiling hot today|I bought ice cream|I am sweating",
    "heating": "my hands are like ice|it is freezing in here|I am shivering|it is snowing outside",
    "printing": "I need this on paper|I have to hand in my essay|they want a paper copy|I need a copy of my ticket",
    "typing": "I have to write an email|I need to finish a letter|my report is due",
    "viewing": "the match starts soon|I am bored tonight|there is a film on|I want to see the news",
    "reflection": "I have a date tonight|my hair is a mess|is there something on my face|I am trying on a dress",
    "telling time": "my watch is broken|I must not be late|I have no watch on me|I have lost track of time|my train leaves at six",
    "reading": "I can not sleep|I need a good story|it is a rainy day|I am bored",
    "drinking": "my throat is dry|I made some tea|the coffee is ready|I could do with a coffee",
    "waste": "I have peeled an orange|I finished my sandwich|here is an empty wrapper|I have a tissue to throw away|this is rubbish",
    "calling": "I must speak to my mother|there has been an accident|I want to order a pizza|my friend waits to hear from me",
    "music": "I want to practise|I feel like a song|my friend is a musician|let us have some music",
    "carrying": "I leave for Rome tomorrow|we are going on holiday|I am off to school|I go hiking tomorrow",
    "decoration": "the room looks bare|it is rather dull in here",
    "writing": "I am going to explain it to the class|the team needs a plan|I have a marker here",
    "eating": "dinner is ready|breakfast is served|the soup is on the plates",
    "working": "I have a report to write|my homework is due|I have got work to do",
}  # fmt: skip
WHICH = "(what|which object|which thing|which item|what thing|which of the things|which piece of furniture|what object)"


_DOUBLED = frozenset(["put", "sit", "get", "strum", "rub", "drop", "stop", "sip"])


def gerund(do: str) -> str:
    """ "sit down": "sitting down"."""
    verb, space, rest = do.partition(" ")
    if verb == "lie":
        stem = "ly"
    elif verb in _DOUBLED:
        stem = verb + verb[-1]
    else:
        stem = verb[:-1] if verb.endswith("e") and not verb.endswith("ee") else verb
    return f"{stem}ing{space}{rest}"


class Uses(Phrasing):
    """Questions for a purpose; {u} of what they are for is chosen here."""

    def doing(self, purpose: str) -> tuple[str, str]:
        """What is done, and the word that the thing takes."""
        doings = DOINGS[purpose]
        return doings[int(self.random.integers(len(doings)))]

    def lack(self, purpose: str, share: float = 0.3) -> str:
        if purpose not in LACKS or not self.chance(share):
            return ""
        return self.fill(f"({LACKS[purpose]})(.|.|;|,|:|, so| and| -) ")

    def used_for(self, purpose: str) -> str:
        """ "What could I sit down on?", "Where does one wash one's hands?"."""
        do, with_ = self.doing(purpose)
        who = self.fill("(I|I|one|you|we|somebody|a person|people|my guest|someone|a visitor)")
        them = self.fill("(me|one|you|us|somebody|people|a person)")
        with_ = f" {with_}" if with_ else ""
        forms = (
            "{w} (can|could|would|should|might|do|may|shall|must) {who} (use to |){do}{on}|"
            "{w} (is|would be|could be|was) there (left |here |) to {do}{on}|"
            "{w} (is|was) (meant|made|built|intended|there|designed|good|right|suited|used|suitable|best|handy) "
            "(for people |"
            ")to {do}{on}|{w} (would help|helps|lets|allows|would let|enables) {them} (to |){do}|"
            "{w} (would|does|do|will|can|could) {who} (need|use|take|want|pick|choose|go for|turn to|look for) (if "
            "{who} (want|"
            "wants) |in order |)to {do}{on}|"
            "{w} (is|would be|here is|was) (meant|made|there|good|right|intended|used|suited|) for {ing}{on}|for "
            "{ing}{on}, {w} "
            "(is there|do I use|would you use|serves|is best|is right)|{w} (is there|do we have|is left|have we "
            "got) for "
            "{ing}{on}|"
            "(when|if) {who} (want|wants|would like|needs|had|need) to {do}, {w} (is|would be|will be) (the right "
            "thing|it|"
            "used|of help|of use|for that|useful|needed|best)|{w} (is|would be) (the best thing|the thing|the "
            "right thing|"
            "the object|the one thing here|the furniture) to {do}{on}|"
            "is there (something|anything) (here |around |in this room |)to {do}{on}(,| and) (and |)(if so(,|) |"
            ")(what|"
            "which thing) (is it|would that be|is it called|is that)|"
            "is there (something|anything) (here |)(that |){who} (could|can|might) {do}{on}, and (if so, |)(what|"
            "what is it|"
            "what is it called|which is it)|"
            "(I|we) (want|need|would like|wish|have|am dying|am going) to {do}(.|;|:|,) ({w} (do|should|would|"
            "could|can) (I|we) (use|"
            "take|go for|need)|{w} (is there|is good) for (it|that)|(is there|have we got) (something|anything) "
            "for (it|that)"
            "(,|) (and |)what (is it|is it called|would that be)|where)|"
            "(name|tell me|show me|find me|give me) (the|an|some|a) (thing|object|item|piece of furniture) to "
            "{do}{on}"
        )
        if with_.strip() in ("in", "on", "at", "into", "out of", "from", "by", "off"):
            forms += (
                "|where (can|could|would|should|might|do|does|in the room can|in here could|in this room would) "
                "{who} {do}|"
                "where (is|would be) (a|the) (good |right |best |)place to {do}|{on} what (can|could|do|would|"
                "should) {who} {do}|"
                "is there (somewhere|some place|anywhere) to {do}(, and | and | )where|where (is|'s) the place to "
                "{do}|"
                "{on} which (object|thing|item|piece of furniture) (can|could|do|would|should) {who} {do}"
            )
        return self.lack(purpose) + self.fill(
            forms, w=self.fill(WHICH), who=who, them=them, do=do, on=with_, ing=gerund(do)
        )

    def any_used_for(self, purpose: str) -> str:
        """ "Is there anywhere to sit down?"."""
        do, with_ = self.doing(purpose)
        who = self.fill("(I|I|one|you|we|somebody|people|a guest)")
        with_ = f" {with_}" if with_ else ""
        forms = (
            "(is there|would there be|is there still|do (we|you|I) (still |)have|have (we|you) (still |)got|does "
            "this room have|"
            "can (I|you|we) (still |)find|could (I|one) find) (anything|something|any object|a thing|anything left|"
            "anything here|something in here) (to|{who} could|{who} can|that lets {who}) {do}{on}|"
            "(can|could|would|will) {who} (still |) {do} (here|in here|in this room|anywhere in here|on anything "
            "here)|"
            "(is it|would it be|is it still) possible to {do} (here|in this room|in here)|"
            "(is|would) (anything|something) (here |in here |in the room |)(be |)(good|meant|fit|made|suitable|of "
            "use|useful) to {do}{on}|"
            "(would|will|could) {who} be able to {do} (here|in here|in this room)"
        )
        if with_.strip() in ("in", "on", "at", "into"):
            forms += "|is there (anywhere|somewhere|still somewhere|any place|a place) (left |)to {do}(| in here| in this room)"
        return self.lack(purpose) + self.fill(forms, who=who, do=do, on=with_)
