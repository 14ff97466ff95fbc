"""The phrases of room sentences: sides, neighbourhood, purposes, people, and the small talk around a statement.

Alternatives stand in brackets, "(a|b|)", and `Speaker.fill` picks among them.
"""

SIDE_PHRASES = {
    "left": "(to the left of|left of|on the left of|on the left side of|on the left hand side of|"
        "to the left side of|west of|off to the left of|at the left of)",
    "right": "(to the right of|right of|on the right of|on the right side of|on the right hand side of|"
        "to the right side of|east of|off to the right of|at the right of)",
    "front": "(in front of|to the front of|before|ahead of|at the front of|on the front side of|in front of)",
    "back": "(behind|in back of|to the back of|at the back of|to the rear of|on the far side of|"
        "on the back side of|behind)",
}  # fmt: skip
NEXT_TO = "(next to|beside|by|near|adjacent to|right next to|close to|alongside|in the vicinity of|right by|at the side of|just beside|right beside)"
ON = "(on|on top of|sitting on|lying on|placed on|resting on|upon|atop|standing on)"
UNDER = "(under|underneath|below|beneath|directly below|directly under)"
SAME_USE = (
    "(with a similar function to|with the same purpose as|that can be used like|that serves the same purpose as|"
    "that provides functionality similar to|that can be used for the same as|that does the same job as|"
    "that could stand in for|"
    "used for the same purpose as|with the same function as)"
)
USES = {
    "sitting": "(for sitting|to sit on|as a seat|for someone to sit down|to take a seat|to rest your legs|"
        "to sit down on|to sit down|for sitting down|for a guest to sit on|to have a seat|to sit)",
    "sleeping": "(for sleeping|to sleep on|to sleep in|to take a nap|to lie down on|to lie down|to sleep|"
        "for a nap|to spend the night on|to have a nap on)",
    "storage": "(for storage|to store things|to keep things in|for storing items|to put things away|"
        "to store things in|for keeping things|to put my things in|for storing stuff)",
    "lighting": "(for lighting|to light up the room|as a light source|for illumination|to give us light|"
        "to see better in the dark|for light|to see better|to give light|to make the room brighter|"
        "to brighten the room|to light the room|to shed some light|to read by)",
    "washing": "(to wash your hands|for cleaning oneself|for washing|to wash|to get things clean|"
        "for washing up|to wash my hands|to wash something|to get clean|to rinse something|for washing things)",
    "drying": "(for drying|to dry oneself|to dry off|to dry my hands|to dry your hands|to get dry)",
    "cooking": "(for cooking|to cook|to prepare food|to heat food|to cook on|to cook a meal|"
        "to warm up dinner|to heat up my soup|to make dinner|to fry an egg)",
    "cooling": "(to keep food cold|to cool down|for cooling|to cool things|to keep cool|"
        "to keep drinks cold|to keep milk fresh|to chill something|against the heat)",
    "heating": "(for heating|to heat the room|for warmth|to warm up the room|to keep warm|"
        "to keep the room warm|to get warm|against the cold)",
    "printing": "(for printing|to print documents|to print|to print something|to print a letter|"
        "to print out a page)",
    "typing": "(for typing|to type|to type on|to type a letter|to type something)",
    "viewing": "(for viewing|to watch videos|for watching movies|to display images|to watch a film|"
        "to watch the news|to watch something|to watch a movie on)",
    "reflection": "(for reflection|to look at oneself|to check your appearance|to check my hair|"
        "to see yourself|to see myself in|to look at yourself in)",
    "telling time": "(for telling time|to tell the time|to know what time it is|to see what time it is|"
        "to read the time from|to check the time)",
    "reading": "(for reading|to read|to read in)",
    "drinking": "(for drinking|to drink from|to drink|to drink out of|to have a drink from|to drink tea from)",
    "waste": "(to throw rubbish into|for throwing things away|for waste|to throw trash away|"
        "to dispose of rubbish|for garbage|to throw my rubbish in|to get rid of rubbish|"
        "to throw away a wrapper|for rubbish|to put the garbage in|to throw something away)",
    "calling": "(for calling|to call someone|to make a call|to phone somebody|to call for help|"
        "to make a phone call)",
    "music": "(for music|to make music|to play music on|to play a tune on|to play a song|for making music|"
        "to play on)",
    "carrying": "(for carrying|to carry belongings|for travel|to pack for a trip|to pack my clothes in|"
        "to carry my things)",
    "decoration": "(for decoration|to decorate the room|as decoration|to make the room prettier|as an ornament)",
    "writing": "(for writing|to write on|to write something on|to scribble on)",
    "eating": "(for eating|to eat at|for dining|to have a meal at|to have dinner at|to eat lunch at)",
    "working": "(for working|to work at|to do office work|to do my homework at|to work on)",
}  # fmt: skip
USED_CLAUSES = {  # after "the thing": what it does, said with a verb of its own
    "sitting": "you sit on|people sit on|one sits on", "sleeping": "you sleep in|someone sleeps in",
    "cooking": "you cook on|that cooks food|you cook with",
    "washing": "you wash in|that washes things", "lighting": "that gives light|that lights the room|that shines",
    "storage": "that stores things|you keep things in",
    "cooling": "that keeps food cold|that cools things", "heating": "that heats the room|that keeps us warm",
    "telling time": "that tells the time|that shows the time",
    "reading": "you read|people read", "drinking": "you drink from|one drinks from", "waste": "you throw rubbish into|that holds the garbage",
    "viewing": "you watch films on|that shows pictures", "reflection": "you see yourself in", "music": "that makes music|a musician plays",
    "typing": "you type on", "printing": "that prints pages", "drying": "you dry yourself with", "calling": "you call people with|that rings",
    "writing": "you write on", "working": "you work at", "eating": "you eat at",
}  # fmt: skip
NEEDS = {  # what somebody says who needs a thing of this purpose
    "sitting": "(I am tired|my legs hurt|I need a rest|my feet are sore|a guest wants to sit down|my back aches)",
    "sleeping": "(I am sleepy|it is late|I need a nap|it is bedtime)",
    "lighting": "(it is getting dark|it gets dark|it is dark outside|the sun is down|it is too dark in here)",
    "washing": "(my hands are dirty|I want to wash my hands|I need to wash my hands)",
    "cooking": "(I am hungry|it is dinner time|I would like a hot meal)",
    "cooling": "(the milk goes bad|it is hot|it is hot in here)",
    "heating": "(it is cold|I am freezing|it is chilly)",
    "drinking": "(I am thirsty|I would like some water)",
    "waste": "(I have some rubbish|there is a wrapper in my hand)",
    "reflection": "(I want to check my hair)",
    "telling time": "(I wonder what time it is|I have no watch)",
    "drying": "(my hands are wet)",
}  # fmt: skip
ASKS = {  # questions for what serves a purpose, said with a verb of its own
    "music": ("which object would a musician (pick up|play|use)", "what could a musician play"),
    "sitting": ("what can I sit (down|) on", "where can I sit down", "what would you sit on",
        "what can a tired person sit on"),
    "lighting": ("what (could|can) I (turn|switch) on to see better", "what (in the room|) (could|can|"
        "would) give us (some|) light", "what gives light"),
    "sleeping": ("what can I sleep on", "where could someone sleep"),
    "washing": ("where can I wash my hands", "what can I wash my hands in"),
    "cooking": ("what can I cook on", "where could I cook (something|a meal)"),
    "waste": ("where can I throw (this|) rubbish", "where does the rubbish go"),
    "telling time": ("what tells (me|us|you|) the time", "what shows the time"),
    "reading": ("what could I read", "what can I read"),
    "drinking": ("what can I drink from", "what could I drink out of"),
    "printing": ("what prints documents", "where can I print a page"),
    "heating": ("what (keeps|makes) the room warm", "what heats the room"),
    "cooling": ("what keeps food cold", "what keeps things cool"),
    "calling": ("what can I call someone with", "what rings when someone calls"),
    "reflection": ("where can I see myself", "in what can I see myself"),
    "viewing": ("what can I watch a film on", "what can I watch"),
    "typing": ("what can I type on",),
    "storage": ("where can I store things", "what can I keep things in"),
    "carrying": ("what can I pack for a trip",),
}  # fmt: skip
TOUCHED = {
    "movement": "moved|relocated|repositioned|displaced|shifted|just moved|recently moved",
    "addition": "new|added|newly added|newly placed|extra|brand new|additional|just added",
    "removal": "removed|missing|taken away|former|discarded|vanished",
    "replacement": "new|replacement|newly placed|substituted|brand new|substitute",
    "attribute": "changed|altered|modified|updated|just changed",
}
TOUCHED_CLAUSES = {
    "movement": "that (was|has been|got|was just|has just been) (moved|relocated|shifted|repositioned)|"
        "you (just|) moved|they moved|that somebody moved",
    "addition": "that (was|has been|was just) (added|brought in|placed there)|they (added|brought)",
    "removal": "that (was|has been|got|was just) (removed|taken away|taken out|thrown out)|that is (gone|"
        "missing) (now|)|they (removed|took away)",
    "replacement": "that (was|has been) put (there|in its place) (instead|)|that came instead",
    "attribute": "that (was|has been|was just) (changed|altered|modified)|that changed|"
        "that looks different (now|)",
}  # fmt: skip
REPAINTED = "that (was|has been|was just|got|has just been) (painted|repainted|dyed)|they painted"
THE_NEW_ONE = {
    "movement": "the (moved|shifted|relocated) (object|item|thing)|the (object|item|thing) that (was|"
        "has been) moved|the thing they moved",
    "addition": "the (new|added|newly added) (object|item|thing)|the newcomer|the new arrival|the addition|"
        "the thing that was added",
    "removal": "the (removed|missing) (object|item|thing)|the (object|thing) that (was removed|is gone)",
    "replacement": "the (new|newly placed) (object|item|thing)|the replacement|the substitute|the newcomer",
    "attribute": "the (changed|altered|modified) (object|item|thing)|the thing that (changed|was changed)",
}  # fmt: skip

PEOPLE = (
    "my sister|dad|grandpa|the kids|the cleaner|a friend|the movers|my son|mom|the landlord|someone|"
    "somebody|someone|somebody|a person|"
    "the owner|they|they|they|we|we|I|I|you|she|he|my (wife|husband|brother|mother|father|uncle|aunt|"
    "cousin|roommate|flatmate|boss|"
    "neighbour|daughter|grandson|grandma|nephew)|the (cat|dog|caretaker|janitor|cleaning lady|new tenant|"
    "designer|burglars|plumber|"
    "electrician|students|teacher|nurse|guests|tenants|cleaners)|our (neighbour|landlady|guest|son|"
    "daughter)|Anna|Tom|Peter|Maria|Jack|Emma|Ben"
)
OPENINGS = (
    "imagine (that|)|imagine|suppose (that|)|suppose|assume (that|)|let's say (that|)|say|what if|after|"
    "now that|picture this:|if|once|since|"
    "let's assume (that|)|let us suppose|as|when|because|so|well,|first,|consider that|pretend (that|)|"
    "what would change if|just so you know,|note that|"
    "here is the change:|change:|update:|in the meantime,|by now|it turns out (that|)|given that|provided|"
    "it seems that|let's imagine (that|)|news:|"
    "guess what,|FYI,|remember,|in the new version,|this time|in this variant,|in this scenario"
)
REASONS = (
    "to make some (room|space)|because of the (heat|noise|cold|draught|dust|party|rain)|"
    "to brighten the place up|before the party|as guests are coming|"
    "yesterday|over the weekend|this morning|last night|while (cleaning up|tidying|hoovering|dancing|"
    "playing)|as part of the renovation|in the meantime|"
    "later|later on|during the (party|move|day|night|spring cleaning|redecoration)|for (safety|comfort|"
    "convenience|more light|more space|a change|fun)|"
    "after (lunch|dinner|breakfast|work|the party|some thought|the flood)|on (Monday|Sunday|a whim|"
    "purpose)|earlier today|with some effort|with a friend's help|"
    "for once|all of a sudden|by mistake|out of boredom|in the afternoon|at noon|at long last|in the end|"
    "to be able to (work|relax|study|breathe)"
)
TIMES = (
    "this morning|last night|over the weekend|for repair|before going to bed|a moment ago|today|just now|"
    "yesterday|to make space|for a change|"
    "in the evening|an hour ago|a while ago|last week|on Sunday|at last|by accident|again|instead|as well|"
    "too|for the party|for good|once and for all|"
    "to create more space|to get more light|in order to (relax|work|clean)|so that (nobody trips|"
    "there is more space|it looks better|we can relax)|"
    "without asking|before the guests arrived|because it was in the way|as it was in the way|"
    "since it was in the way|for the time being|already|for now"
)
TALK = (
    # What people tell before they come to the point; `Speaker.fill` expands it.
    "(guests are coming|the kids had lunch|it is draughty|it is cold|it is hot|I felt creative|"
    "we needed more space|I keep (tripping|spilling things|dropping things)|"
    "I was bored|it was raining|the party is tonight|my back hurts|someone spilled coffee|"
    "we had an argument|it smelled bad|it was in the way|"
    "(we|I|they) (had|have) (visitors|a party|some time|no space|an idea|a plan|enough of it|a baby now|"
    "new neighbours)|(the room|it) (looked|was) (empty|crowded|dark|dull|boring|messy|gloomy|stuffy)|"
    "(we|I|they) (wanted|needed|longed for|asked for) (a change|more room|more light|some order|some quiet|"
    "fresh air|something new)|"
    "(my sister|the landlord|dad|a friend|my boss|the neighbour) (complained|insisted|came over|"
    "had a birthday|paid a visit|moved in|suggested it|tripped over it)|"
    "(spring|winter|summer|Christmas|my birthday|the weekend|school) (is|was) (coming|here|over|near)|"
    "there was a (flood|party|storm|sale|draught|leak|power cut)|"
    "(I|we|you) (like|love|prefer) it (that way|cosy|tidy|better)|(the sun|the noise|the smell|"
    "the draught) (bothers|bothered|annoyed|woke) (me|us|everyone)|"
    "(we|they) are (redecorating|renovating|moving out|tidying up|expecting a baby))"
)  # fmt: skip
TOLD = (
    # What those did before who then make the change.
    "(I|we|they|she|he|my sister|dad) (felt creative|was bored|were bored|had some time|took some paint|"
    "got up early|needed more space|came home|had an idea|went shopping|"
    "tidied up|lost patience|had enough|wanted a change|had a look around|cleaned up|rolled up the sleeves|"
    "thought about it|had lunch|called a friend|took a deep breath)"
)
AFTERTHOUGHTS = (
    "it looks (better|nicer|good) there|nothing else (changed|was touched|has changed)|"
    "everything else (stayed the same|is as it was)|"
    "the rest of the room is (unchanged|the same)|what a difference|that is all|much better|I like it|"
    "it was about time|finally|don't ask me why|"
    "it was in the way|it bothered me|nobody noticed|the others stayed|that was hard work"
)
OUTSIDE = (
    "(to|into) (another room|the attic|the cellar|the basement|the garage|the hallway|"
    "the kitchen next door|the garden|the shed|the dump|storage|"
    "the next room|the room next door|a neighbour|my neighbour|charity|a friend|the balcony|the car|"
    "the office upstairs|the repair shop)"
)
FROM = (
    "from (its|the|their) (usual place|old place|old spot|place|corner|original position|position|spot)|"
    "from where it (was|stood)|away from the {noun}|"
    "from the {noun}|off the {noun}|from its {noun}|out of the (corner|way)|from its place (by|next to|"
    "near|on) the {noun}|from the (middle|other side) of the room"
)
NOW = (
    "now|now|now|after the change|after this change|at present|in the changed room|currently|"
    "in the updated scene|after that|after all that|"
    "in the new arrangement|after the move|once that is done|as things stand|at this point|by now|"
    "these days|in the resulting room|in the new layout"
)
QUESTION_OPENINGS = (
    "so|and|then|well,|tell me|I wonder|can you tell me|in that case|with that|say|I'd like to know:|"
    "quick question:|could you tell me|ok,|"
    "now|so now|and now|after this|I want to know|please tell me|do you know|let me know|just wondering,|"
    "given this,|afterwards,|next question:|"
    "I'm curious,|any idea|what do you think,|looking around,|would you know|I need to know|"
    "out of curiosity,|from what you see,|and then|with that in mind|"
    "all right,|one question:|help me out:|remind me,|just checking:|here's a question:|be honest,|do tell me|may "
    "I ask,|a quick one:|"
    "and tell me this:|what I want to know:|you tell me:|one last thing:|"
    "from above,|on the floor plan,|thinking of the room,|in this case|under these circumstances"
)
QUESTION_ENDINGS = (
    "then|in the end|after that|in here|in this room|would you say|please|still|afterwards|do you think|"
    "in the room|right now|at all|now, please|"
    "I wonder|may I ask|do you reckon|if you had to say|as far as you can tell|in your opinion|for sure|can you tell|"
    "now that it is done|by the looks of it|"
    "from now on|in that case|exactly|by the way|if anything|any more|would you guess|there|after all"
)
