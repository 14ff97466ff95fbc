"""The table of longer wordings: words of the network -> phrases that are read as them.

Written as in `po3d.language.read.synonyms`, and put together with it in `po3d.language.read.phrases`. By theme; within one, the
plain way of saying it comes first.
"""

# Naming, pointing, sameness and number.
GENERAL: dict[str, str] = {
    # "The color of" is read as "the same color as", so the question for what has it needs words of its own.
    "what have the same color as": "what is the same color as|what is the same colour as|whats the same color as|"
    "whats the same colour as|which is the same color as|which is the same colour as",
    "is a": "is it a|was it a|is it any|could it be a|might it be a|is it some",
    "what is": "identify|what would be|what might be|what could be|whats|wats|what s|what are|what was|what might|what would|"
    "what does it say is|what can be said of",
    "what is the": "name the|give the|give me the|state the|report the|specify the|what would be the|mention the|tell the|tell me the|"
    "what s the|whats the|report me the|spell out the|describe the|indicate the|tell its|let me know the|let us know the|"
    "can you tell me the|could you tell me the|can you give me the|could you give me the|i need the|i want the|"
    "please state the|please give the|please give me the|please tell me the|may i know the|may i have the|find the|"
    "find out the|determine the|provide the|provide me with the|provide me the|show me the",
    "what is its": "tell me its|give its|state its|mention its|kindly mention its|name its",
    "have the same": "come in the same|comes in the same|come with the same|comes with the same|sport the same|sports the same|wear the same|"
    "wears the same|show the same|shows the same|boast the same|possess the same|possesses the same",
    "if": "let us imagine|let us suppose|let us say|let us assume|let us pretend|let us imagine that|let us suppose that|"
    "let us say that|in case|in the event that|given that|on condition that|what if|should|say that|picture|let|assume that|"
    "assuming that|suppose that|imagine that|supposing that|pretend|pretend that|say if|and if|so if|now if|but if|even if",
    "on": "off the side of|over on|off to|off on|over to",
    "the thing that is": "whatever is|whatever stands|whatever sits|whichever is|whatever it is that is",
    "the thing that": "whatever|whichever thing|whatever it is that",
    "the other thing that is": "whatever else is",
    "the": "take the|consider the|look at the|have a look at the|take a look at the|regarding the|concerning the|as for the|about the|"
    "as regards the|think of the|you see the|you know the|locate the|pick out the|focus on the|note the|notice the|"
    "out of all of the|of all of the|this very|that very|the one and only|"
    "of the various|of the different",
    "of the": "out of the|from among the|amongst the|among the|among all the|out of all the|of all the|amongst all the|from all the|"
    "within the|of all those|among those",
    "a": "at least one|any of|some of|one of|one of these|one of those|any one of|at least some|some of these|even one|"
    "even a single|as much as one|some one|any single",
    "a thing": "anything|something|any thing|a thing|some thing|anyone|anybody|someone|somebody|any one thing|a single thing|"
    "any object at all",
    "a other thing": "anything else|something else|any other thing|another thing|another one|anyone else|anybody else|someone else|"
    "some other vehicle|any other vehicle|another vehicle|another object|some other thing|some other object|any other object|"
    "other things|other objects|other vehicles|others|other stuff|everything else|the rest|anything other|any others|"
    "some others|some other one|any other one",
    "other thing": "other one|other ones",
    "thing": "everything|everything that is|stuff that is|all things|all objects|all the things|all the objects|all vehicles|"
    "all the vehicles|all|all those things|everything that|"
    "every one",
    "there is a": "there is one|i see one|there seems to be a|there appears to be a|there must be a|there is this|there is just one|"
    "there seems to be just one|there is exactly one|there is only one|there would be a|there happens to be a|there sits a|"
    "there stands a|there should be a|there is but one|there is one single|we have got a|i have got a|you will see a|"
    "you will find a|you see a|take a|consider a|notice a|note a|see a|spot a|find a",
    "there is": "there is|there are|i see|you see|we see|i can see|you can see|we can see|there exists|i spot|there stands|there sits|"
    "i have|we have|there lies|there seems to be|there appears to be|there must be|there would be|there happens to be|"
    "there was|there were|one sees|you will find|you will see|you find|you can find|we find|we can find|we have got|i have got|"
    "i notice|we notice|i can make out|you can make out|one can see|i could see|we spot|you spot|there seem to be|"
    "there appear to be",
    "is there": "would i find|could i find|do i see|would you find|will i find|can i find|could you find|do i find|is there at all|"
    "are there|is there|can you see|do you see|can we see|do we see|can i see|do you spot|can you spot|can you find|"
    "can you make out|do you notice|can be seen|can be found|may be seen|are visible|is visible|is seen|are seen|exist|exists|"
    "does it show|does it contain|have we got|have they got|have you got|do we have|do they have|has it got|have i got|"
    "do i have|is there perhaps|is there possibly|is there maybe|would there be|will there be|could there be|might there be|"
    "can there be|may there be|does there exist|do there exist|does there seem to be|do there seem to be|"
    "does there appear to be|do there appear to be|does there happen to be|do there happen to be|would there happen to be|"
    "did you see|did you spot|did you find|did anyone park|has anyone parked|has anyone left|has anybody parked|"
    "has anybody left|has someone parked|has somebody parked|has someone left|has somebody left|has anyone put|has someone put|"
    "do we find|will we find|would we find|could we find|can we find|can we spot|do we spot|can i spot|do i spot|can one see|"
    "does one see|can one find|can anyone see|can anybody see|does anyone see|do you happen to see|can you happen to see|"
    "are you seeing|are you able to see|am i seeing|are we seeing|have you seen|do you make out|can we make out|can i make out|"
    "could you make out|could you see|could you spot|would you see|would you spot|can you detect|do you detect|"
    "can you identify|can you locate|do you locate|could you locate|can you observe|do you observe|can you discern|"
    "is it possible to see|is there such a thing as|is there such thing as|somebody has left|someone has left|somebody left|"
    "someone left|somebody has parked|someone has parked|does the picture show|do we get|can you point to|can you point out|"
    "can you show me|do you find|does one find|do you see there|is there perchance|i am looking for|we are looking for|"
    "looking for",
    "made of": "made of|made out of|made from|built of|built from|built out of|consist of|consists of|consisting of|composed of|"
    "constructed of|constructed from|formed of|fashioned from|crafted from|made up of|made up from|manufactured from|"
    "manufactured of|manufactured out of|produced from|composed from|formed from|formed out of|fabricated from|fabricated of|"
    "built up of|constructed out of|crafted of|crafted out of|done in|finished in|in the material|cast in|cast from|"
    "moulded from|molded from",
    "in": "in terms of|when it comes to|with regard to",
    "how big": "how big|how large|how small|how huge|how sized|how tall",
    "as big as": "as big as|as large as|as small as|as huge as|just as big as|just as large as",
    "the same": "exactly the same|the very same|an identical|an equal|one and the same|the exact same|just the same|the self same|"
    "precisely the same",
    "the same color": "painted the same|colored the same|coloured the same|painted alike|colored alike|coloured alike|the same hue|"
    "a matching color|a matching colour|matching colors|matching colours|of one color|of one colour|one color|one colour|"
    "one and the same colour|one and the same color|painted in the same color|painted in the same colour|"
    "painted the same color|painted the same colour|same colored|same coloured|similarly colored|similarly coloured|"
    "identically colored|identically coloured|alike in color|alike in colour|color matched|colour matched|the same colored|"
    "the same coloured|like colored|like coloured",
    "the same color as": "colored like|coloured like|painted like|in the color of|in the colour of|the color of|the colour of|"
    "of the same color with|of the same colour with|the same color with|the same colour with|as colored as",
    "the same size as": "sized like|as large in size as|of the size of|the same size with",
    "the same shape as": "shaped like|of the type of|of the kind of|the same type with|of the same type with",
    "the same material as": "made like|made from the same material as|the same material with",
    "the same size": "sized the same|equally sized|equal in size|the same in size|of equal size|of one size|one size|equally large|"
    "equally small|same sized|the same sized|similarly sized|identically sized|alike in size|like sized",
    "the same material": "one material|of one material|the same stuff|one and the same material|of the same stuff",
    "the same shape": "the same model|the same type|the same kind|one type|one kind|of one kind|of one type|the same sort|one and the same type|"
    "one and the same kind|the same sort of vehicle|the same kind of vehicle|the same type of vehicle|the same sort of thing|"
    "the same kind of thing",
    "the same number of": "the same number of|an equal number of|an identical number of|equal numbers of|the same amount of|an equal amount of|"
    "just as many|as many|the same count of|equally many|exactly as many",
    "equal_in_number": "in equal numbers|come in equal numbers|comes in equal numbers|come in the same number|equal in count|as numerous|"
    "equally many in number|the same in number|equally common|balanced in number|evenly matched in number",
    "more numerous": "more common|more frequent|more plentiful|more abundant|greater in number|larger in number|higher in number|more in number|"
    "in the majority",
    "less numerous": "less common|less frequent|rarer|scarcer|fewer in number|smaller in number|lower in number|less in number|in the minority|"
    "less plentiful",
    "how_many": "how many|count all of the|count every one of the|what number of|what is the number of|what is the total number of|"
    "what is the count of|what is the amount of|"
    "the total number of|how much|count|count the|count up|count up the|give the number of|what the number of|the number of|"
    "number of|amount of|quantity of|total number of|what quantity of|what amount of|count of|the count of|"
    "give me the number of|state the number of|how large is the number of|what 's the number of|what is the total count of|"
    "what total number of|give the count of|the total count of|total|the total|total of|a total of|tally|the tally of|tally of|"
    "head count of|headcount of|head count|headcount|head count of the|the head count of|the headcount of|the sum of|sum of|"
    "add up|add up the|tot up|tot up the|tally up|tally up the|tally the|total up|total up the|count all|count all the|"
    "count of all|how may|how menny|in what number|what is the tally of|what is the total of|what is the headcount of|"
    "what is the head count of|what is the sum of|give me a head count of the|give me a head count of|give me a headcount of|"
    "give me a count of|give me the count of|give me the total of|give me the total number of|a count of|a count of the|"
    "a head count of|what count of|can you count|can you count the|could you count|could you count the|please count|"
    "please count the|kindly count|kindly count the|count how many|count up how many|work out how many|how numerous|"
    "how numerous are|exactly how many|precisely how many|just how many|so how many|about how many|roughly how many|"
    "what is the total|what is the tally|the number|number|numbers of|the numbers of|how large a number of|"
    "how great a number of|what is the quantity of|the quantity of|number count of|total count of|what total of|"
    "give the total of|give the total number of|give the tally of|report the number of|report the count of|counting|"
    "when counting|how many of all the|how many different|how many separate|how many individual|the amount of|"
    "what are the numbers of|how many in all|how many total|how many in total|how large a count of|no of|the no of|nr of|"
    "qty of|find the number of|find the total number of|find out the number of|find out how many|tell the number of|"
    "tell me the number of|tell me how many|state how many|say how many|name the number of|need the number of|"
    "i need the number of|need a count of|i need a count of|need number of|i want the number of|what do i get|what do we get|"
    "what do you get|what is the result|what would the total be|how many do i get|how many do we get|how many do you get|"
    "how many does that make|how many is that|how many would that be|how many does it make|how many are there then|"
    "what is the sum|what is the number|how many of them|how many of those|how many of these|can you see how many|"
    "could you make out how many|can you make out how many|do you see how many|can you tell how many|do you know how many|"
    "could you see how many|see how many|make out how many|could you count how many|can you count how many",
}

# Who hides whom, and what can be seen.
SEEING: dict[str, str] = {
    "hide": "blocks my view of|block my view of|blocks the view on|in front of and hiding|keep from view|keeps from view|"
    "keep out of sight|keeps out of sight|stand in front of and hide|stands in front of and hides|stand in front of and cover|"
    "stands in front of and covers|get in the way of seeing|gets in the way of seeing|block my sight of|blocks our sight of|"
    "blocks my sight of|block our sight of|cut off|cuts off|blot out|blots out|keep us from seeing|keeps us from seeing|"
    "stop us from seeing|stops us from seeing|stop us seeing|stops us seeing|prevent us from seeing|prevents us from seeing|"
    "eclipse|eclipses|overlap|overlaps|stand in the way of our view of|stands in the way of our view of|spoil our view of|"
    "spoils our view of|spoil the view of|spoils the view of|do the hiding of|shroud|shrouds",
    "hiding": "blocking my view of|blocking the view on|keeping from view|keeping out of sight|blocking our sight of|"
    "blocking my sight of|blocking our view on|cutting off|blotting out|keeping us from seeing|stopping us from seeing|"
    "stopping us seeing|preventing us from seeing|eclipsing|overlapping|getting in the way of seeing|spoiling our view of|"
    "spoiling the view of|in the way of our view of|in the way of seeing|shrouding",
    "hide a thing": "do the blocking|does the blocking|doing the blocking|do the hiding|does the hiding|doing the hiding|do the covering|"
    "does the covering|doing the covering",
    "hidden": "cut off|cut off from view|blotted out|eclipsed|overlapped|shrouded|kept from view|kept out of sight|only partly in view|"
    "only partially in view|only half visible|half visible|only partly seen|only partially seen|partly seen|partially seen|"
    "partly in view|partially in view|half hidden from view|not wholly visible|not quite visible|not totally visible|"
    "not visible in full|not seen in full|not visible as a whole|not shown in full|not entirely in view|not completely in view|"
    "not all visible|obstructed from view|out of view|partly out of view|partially out of view|partially out of sight|"
    "in part out of sight|incompletely visible|missing a part of itself behind|hided|hided away|hidden away|tucked away|"
    "tucked away behind something|tucked away behind something else|peeking out|peeping out|peeking out from behind something|"
    "peeping out from behind something|we can only see partly|we can only see partially|we can only see in part|"
    "we only see partly|we only see partially|we only see in part|we can only partly see|we can only partially see|"
    "can only be partly seen|can only be seen partly|can only be seen in part|that can only partly be seen|"
    "we can not see completely|we can not see fully|we can not fully see|we can not see in full|we can not see entirely|"
    "we can not see all of|i can not see fully|i can not see completely|i can not fully see|i can not see all of|"
    "you can not see fully|you can not see completely|you can not see all of|you can not fully see|can not be seen completely|"
    "can not be seen fully|can not be fully seen|can not be seen in full|can not fully be seen|not to be seen in full|"
    "only visible in part|visible only in part|only visible partly|visible only partly|visible in part|"
    "partly obscured by something|in hiding|with something in front of it covering it|got something in front of it covering it|"
    "got something in front of it|has something in front of it covering it|screened off|masked off|"
    "peeping from behind something|obscured from sight|covered up|covered over|blocked off|blocked from sight|"
    "shielded from sight|shielded from view|peeking from behind something|not entirely seen|only just visible|barely visible|"
    "mostly hidden|largely hidden|slightly hidden|a bit hidden|a little hidden|partly masked|in part hidden|in part covered|"
    "in part blocked|hidden a bit|hidden a little|hidden in part|covered in part",
    "hidden behind": "behind and hidden by|out of sight behind|half behind|peeping out behind|peeping out from behind|poking out from behind|"
    "sticking out behind|poking out behind|peering out from behind|in hiding behind|sheltered behind|"
    "partly out of sight behind|partially out of sight behind|kept from view by|kept out of sight by|cut off by|blotted out by|"
    "eclipsed by|overlapped by|out of sight because of|out of sight due to|partly out of sight because of|invisible because of|"
    "hard to see because of|not fully visible because of|not fully visible due to",
    "unhidden": "in full|visible in full|seen in full|completely in view|wholly in view|fully in view|entirely in view|fully in sight|"
    "in the clear|in clear view|in open view|out in the open|in plain view with nothing covering it|"
    "with nothing in front of it|with nothing in front|with nothing in the way|that nothing hides|that nothing covers|"
    "that nothing blocks|that nothing is hiding|that nothing is covering|that nothing is blocking|nothing hides|nothing covers|"
    "nothing blocks|nothing is hiding|nothing is covering|nothing is blocking|with no obstruction|without obstruction|"
    "without any obstruction|with no obstructions|without anything in front of it|without anything in front|"
    "without anything in the way|free of obstruction|free of obstructions|we can see fully|we can see completely|"
    "we can see entirely|we can see in full|we can see all of|we see in full|we see completely|we see fully|we fully see|"
    "we can fully see|i can see fully|i can see completely|i can see in full|i can see all of|you can see fully|"
    "you can see completely|you can see in full|you can see all of|you can fully see|can be seen completely|can be seen fully|"
    "can be fully seen|can fully be seen|can be seen in full|can be seen entirely|can be seen whole|seen completely|seen fully|"
    "seen entirely|seen whole|shown in full|shown completely|shown whole|not covered up at all|not obstructed|not blocked|"
    "not covered|free and clear|wholly unobstructed|completely unobstructed|fully unobstructed|totally unobstructed|"
    "not hidden in any way|not covered in any way|not blocked in any way|completely unhindered|fully on view|on full view|"
    "shown in its entirety|visible in its entirety|visible in their entirety|seen in its entirety|seen in their entirety|"
    "in its entirety|in their entirety|visible from nose to tail|unhindered|uncut|showing completely|showing in full|"
    "not obscured by anything|not behind anything|entirely unobscured|not concealed",
}

# Where things face, and how two of them stand.
TURNING: dict[str, str] = {
    "face away": "with its back to us|with its back to the camera|has its back to us|has its back to the camera|have their backs to us|"
    "have their backs to the camera|have its back to us|have its back to the camera|with its back turned to us|"
    "with its back turned to the camera|showing its back|turned away|its back to the camera|show us its back|shows us its back|"
    "showing us its back|show us its rear|shows us its rear|showing us its rear|showing us its rear end|"
    "showing us their rear end|showing us their rear|showing us their back|show us their back|show us their rear|"
    "show us their rear end|shows its back to us|show their back to us|showing its tail|shows its tail|show their tail|"
    "with its tail to us|with its tail towards us|with its rear to us|with its rear towards us|with its rear end towards us|"
    "with its back towards us|with their backs to us|with their backs to the camera|has its tail to us|has its rear to us|"
    "turning its back on us|turning its back to us|turns its back on us|turn their back on us|turned its back on us|"
    "has turned its back to us|turned its back to us|heading off into the distance|driving away from us|driving away|"
    "driving off|going away from us|going away|moving away from us|moving away|heading away from us|heading away|"
    "leaving us behind|whose back we see|whose rear we see|whose tail we see|seen from behind|seen from the back|"
    "viewed from behind|seen from the rear|that we see from behind|we see from behind|that we see the back of|"
    "we see the back of|tail towards us|tail to us|rear towards us|rear to us|back towards us|back to us|back to the camera|"
    "rear to the camera|its back to us|their backs to us",
    "face camera": "head on|coming towards us|coming toward us|coming our way|driving towards us|driving toward us|face on|coming at us|"
    "coming at the camera|coming straight at us|coming straight at the camera|coming right at us|coming towards the camera|"
    "coming toward the camera|heading for us|heading our way|headed our way|driving at us|driving straight at us|"
    "driving towards the camera|driving our way|going towards us|going toward us|moving towards us|moving toward us|"
    "approaching us|approaching the camera|approaching|coming head on|coming at us head on|coming at the camera head on|"
    "driving at us head on|with its front to us|with its front towards us|with its nose to us|with its nose towards us|"
    "with its face to us|with its face towards us|whose front we see|whose nose we see|whose face we see|seen from the front|"
    "viewed from the front|we see from the front|that we see from the front|that we see the front of|front on|"
    "showing its front|showing us its front|showing us its face|showing us its nose|shows us its front|show us their front|"
    "shows its front|nose towards us|nose to us|nose to the camera|front to the camera|front towards us|front to us|"
    "towards us head on|looking us in the eye|looks us in the eye|staring at us|staring into the camera|stares at us|"
    "gazing at us|looking into the camera|looks into the camera",
    "to camera": "in our direction|in the direction of the camera|straight at the camera|straight at us|at the camera|"
    "in the camera 's direction|in the viewer 's direction|into the camera|straight into the camera|into the lens|"
    "towards where we are|toward where we are|towards where we stand|to where we stand|in my direction|in your direction|"
    "to our side|right at us|right at the camera|dead at us",
    "away": "away from the camera|away from us|away from the viewer|away from me|away from you|away|away from the observer|"
    "away from the photographer|off into the distance|into the distance|into the background|towards the background|"
    "away from the lens|to the background",
    "camera": "the camera|the viewer|the observer|the photographer|the lens|us|me|our way|our direction|the foreground|the spectator|"
    "the front of the picture",
    "opposite direction": "the other way|the other direction|the opposite way|the opposite direction|opposite directions|opposite ways|"
    "the reverse direction|contrary directions|the other way round|the other way around|the opposite way round|"
    "the opposite way around|the reverse way|the wrong way round|the wrong way around|just the other way|exactly the other way|"
    "exactly the opposite way|the contrary direction|the contrary way|directly opposite directions|exactly opposite directions|"
    "a contrary direction|an opposite direction|an opposing direction|opposing directions|the opposing direction",
    "same direction": "the same way|the same direction|the same heading|the same orientation|the same way round|the same way around|"
    "the very same way|the very same direction|exactly the same way|exactly the same direction|just the same way|"
    "one and the same direction|one direction|an identical direction|identical directions|a matching direction|"
    "the like direction|the same bearing|the same line|a common direction",
    "same direction as": "the same direction like|the same way like|in line with|in step with|in keeping with",
    "parallel to": "parallel with|running parallel with|running parallel to|lying parallel to|lying parallel with|standing parallel to|"
    "standing parallel with|parked parallel to|parked parallel with|in parallel with|in parallel to|alongside in direction",
    "perpendicular to": "at a right angle with|at right angles with|square to|at 90 degrees to|at ninety degrees to|crossways to|crosswise to|"
    "sideways to|across from the direction of|in a cross direction to|perpendicular with|orthogonal with|broadside to|"
    "side on to|at a 90 degree angle to|at a ninety degree angle to|at a right angle to the direction of",
    "right_angle": "a right angle|right angles|90 degrees|ninety degrees|a 90 degree angle|a ninety degree angle",
}

# Sides, of the picture and of a thing, and from where they are told.
SIDES: dict[str, str] = {
    "right_of": "on the starboard side of|to starboard of|right side of|righthand of|over on the right of|further right than|"
    "farther right than|more to the right than|rightwards of|rightward of",
    "left_of": "on the port side of|to port of|left side of|lefthand of|over on the left of|further left than|farther left than|"
    "more to the left than|leftwards of|leftward of",
    "'s view": "'s cockpit|'s cabin|'s cab|'s driver 's seat|'s driving seat|'s pilot 's seat|'s seat|'s saddle|'s windscreen|"
    "'s windshield|'s front window|'s steering wheel|'s position|'s place|'s angle|'s eyes|'s vantage|'s handlebars",
    "left": "the left|the left side|the left of the picture|the left of the image|the left edge|the left side of the picture|"
    "the left side of the image|the left edge of the picture|the left hand side|picture left|image left|left edge|"
    "image left side|left side of this picture|the left part of the picture|the left half of the picture|the left border|"
    "the left margin",
    "right": "the right|the right side|the right of the picture|the right of the image|the right edge|the right side of the picture|"
    "the right side of the image|the right edge of the picture|the right hand side|picture right|image right|right edge|"
    "image right side|the right part of the picture|the right half of the picture|the right border|the right margin",
    "its left": "my left|your left|their left|his left|her left",
    "its right": "my right|your right|their right|his right|her right",
    "on its left": "on its left hand side|on its left hand|at its left hand|on its left flank|off its left side|by its left side|"
    "off to its left|over on its left|on its near side|off its left wing|on its left wing side|under its left wing|"
    "beside its left wing|on its port side|to port|off its port bow|at its left side|down its left side|over to its left",
    "on its right": "on its right hand side|on its right hand|at its right hand|on its right flank|off its right side|by its right side|"
    "off to its right|over on its right|off its right wing|on its right wing side|under its right wing|beside its right wing|"
    "on its starboard side|to starboard|at its right side|down its right side|over to its right",
    "front_of it": "ahead of it|before its nose|in front of its nose|in front of its bonnet|in front of its windscreen|"
    "in front of its windshield|ahead of its nose|ahead of itself|in front of itself|at its front|to its front|at its nose",
    "behind it": "at its back|at its rear|to its rear|behind its tail|behind its back|at its tail|in its wake|in back of it|"
    "behind its rear end|behind itself|in its rear view mirror|in its rear view|in its mirror|in its rear mirror|"
    "in the rear view mirror|in the mirror|in its rear view mirrors|in its wing mirrors|over its shoulder",
    "the driver of": "whoever is driving|whoever drives|whoever rides|whoever is riding|whoever is flying|whoever flies|whoever sits in|"
    "whoever is in|whoever is on|whoever is at the wheel of|the person driving|the person riding|the person in|the person on|"
    "the person at the wheel of|the one driving|the one riding|the man in|the man on|the man driving|the woman driving|"
    "the woman in|the fellow in|the fellow on|the fellow driving|the guy in|the guy on|the guy driving|the lady in|"
    "the lady driving|someone driving|someone in|someone on|someone riding|somebody driving|somebody in|somebody on|"
    "a person in|a person on|a passenger in|a passenger of|the passengers of|the passengers in|the passenger in|"
    "the passenger of|the people in|the people on|the driver in|the driver on|the rider on|the riders on|the riders of|"
    "the pilot in|the crew of|the person in the cockpit of|the person in the driver 's seat of|the person behind the wheel of|"
    "the man behind the wheel of|the man at the wheel of|the one behind the wheel of|the one at the wheel of",
    "seen_from": "looking out of|looking out of the window of|looking out of the windscreen of|looking out of the windshield of|"
    "looking out of the front window of|looking out of the front of|looking out through the windscreen of|"
    "looking out through the windshield of|looking through the windscreen of|looking through the windshield of|"
    "looking through the front window of|through the windscreen of|through the windshield of|through the front window of|"
    "through the window of|out of the windscreen of|out of the window of|through the eyes of|with the eyes of|"
    "seen through the eyes of|in the eyes of|from the cab of|from the bridge of|from the steering wheel of|"
    "from the controls of|from the handlebars of|from the driver 's window of|from on top of|from the front seat of|"
    "from the driving seat of|from the pilot 's seat of|from the seat of|from the position of|from the place of|"
    "from the location of|from the front of|for the person in|for the person on|for the person driving|for the person riding|"
    "for the one driving|for the one in|for the man in|for the man on|for the man driving|for the woman in|"
    "for the woman driving|for whoever is driving|for whoever drives|for whoever is in|for whoever is on|for whoever rides|"
    "for whoever is riding|for whoever sits in|for someone at the wheel of|for somebody at the wheel of|for anyone in|"
    "for anyone on|for anyone driving|for those in|for those on|for people in|for people on|for the people in|"
    "for the people on|for passengers of|for passengers in|for the passengers of|for the passengers in|for the crew of|"
    "to the person driving|to the one driving|to whoever is driving|to the man driving|from the angle of|"
    "from the side of the driver of|as far as the driver of|according to the driver of|according to the pilot of|"
    "according to the rider of|if you ask the driver of|if you ask the pilot of|if you ask the rider of|ask the driver of|"
    "ask the pilot of|ask the rider of",
    "in_path it": "in its path|in its way|in its track|in its tracks|on its path|in the way of it|in his path|in their path|in my path|"
    "in the path|in its road|in its line|on its course|in his way|in their way|in my way",
    "see_whole": "can i see all of|can we see all of|can you see all of|do i see all of|do we see all of|do you see all of|"
    "can i see the whole of|can we see the whole of|can you see the whole of|do we see the whole of|can one see all of|"
    "is all of|is the whole of|can i fully see|can we fully see|can you fully see|do we fully see|do we see the entire|"
    "can i see the entire|can we see the entire|can you see the entire|can i see the whole|can we see the whole|"
    "can you see the whole|do we see the whole|is the entire|is the whole|can we see every part of|can you see every part of|"
    "do we have an unobstructed view of|do we have a clear view of|do i have a clear view of|is there a clear view of|"
    "do we have a full view of|can we get a full view of|is there an unobstructed view of|have we a clear view of|"
    "do i have an unobstructed view of|is there a full view of|do we get a full view of|do you have a clear view of|"
    "have we got a clear view of",
    "go to": "on course to|about to|bound to|set to|likely to|due to|on its way to|destined to|fixing to|gonna|on track to|"
    "in danger of|at risk of|liable to",
    "in_path": "in the path of|in the way of|on the path of|in the road of|along the path of|blocking the way of|in the track of|"
    "in the tracks of|in the line of|on the track of|in the course of|in the road ahead of",
}

# Driving on and what comes of it.
MOVING: dict[str, str] = {
    "go backward": "is pushed back|is pushed backward|is pushed backwards|were pushed back|were pushed backwards|be pushed backwards|"
    "was pushed back|was pushed backwards|is moved back|is moved backwards|were moved backwards|is backed up|were backed up|"
    "is driven backwards|were driven backwards|was driven backwards|is reversed|were reversed|was reversed|roll away backwards|"
    "rolls away backwards|put in reverse|is put in reverse|were put in reverse|was put in reverse|is in reverse|"
    "were in reverse|goes back|go back|went back|going back|moves back|moved back|rolls back|rolled back|drives back|"
    "drove back|shifts into reverse|shifted into reverse|goes the other way",
    "go forward": "make its way forward|makes its way forward|take off forward|go on ahead|goes on ahead|keep its course|keeps its course|"
    "carry on forward|carries on forward|carry on ahead|carry straight on|carries straight on|carried on|carries on|carry on|"
    "carried straight on|plough on|ploughs on|pull out|pulls out|pulled out|pull off|pulls off|move off|moves off|moved off|"
    "roll on|rolls on|rolled on|drive on|drives on|drove on|go on|goes on|went on|start moving|started moving|gets moving|"
    "get moving|gets going|get going|got going|starts rolling|start rolling|starts driving|followed its nose|follows its nose|"
    "follow its nose|be driven forward|is driven forward|were driven forward|was driven forward|be pushed forward|"
    "is pushed forward|were pushed forward|was pushed forward|is moved forward|were moved forward|be moved forward|was let go|"
    "were let go|is let go|drive straight|drives straight|drove straight",
    "front_of": "infront of|in frontof|infront off|in front off",
    "on the": "off the",
    "or": "or else|or otherwise|or alternatively|or rather",
    "is": "did they paint|have they painted|did somebody paint|did someone paint|have they given|was painted|has been painted",
    "is going to": "is going to|are going to|is about to|are about to|is bound to|would end up|will end up|is on course to|are on course to|"
    "is on a course to|is set to|are set to|is likely to|are likely to|is due to|is destined to|is doomed to|is liable to|"
    "is on its way to|would be going to|would be about to|would be bound to|is sure to|stands to|risks to|would come to|"
    "would get to|will come to|will get to|is on course to|are on course to",
    "would it": "am i going to|am i about to|would i|will i|do i|might i|could i|shall i|am i",
    "it go forward": "it carries on|it keeps on|it keeps going|it sets off|it set off|it starts up|it takes off|it pulls away|"
    "it carries straight on|it carries on straight|it goes on|it goes straight|it goes straight on|it goes on its way|"
    "it continues on its way|it holds its course|it keeps its course|it stays on course|it stays its course|"
    "it follows its nose|it just keeps on|it just keeps going|it keeps on going|it just keeps on going|it goes front|"
    "it gets going|it started up|it just drove on|it leapt forward|it lurched forward|it jumped forward|it surged forward|"
    "it surges forward|it lurches forward|it runs forward",
    "push": "i push|you push|we push|someone pushes|one pushes|somebody pushes|i pushed|you pushed|we pushed|someone pushed|i move|"
    "you move|we move|i drive|you drive|we drive|someone moves|someone drives|i moved|you moved|i drove|you drove|i roll|"
    "we moved|we drove|i rolled|you rolled|you roll",
    "forward": "forward a bit|a bit forward|forwards a bit|a little forward|in the forward direction|in its forward direction|"
    "in its direction|straight on ahead|dead ahead|dead straight|on its way|to the front direction|frontways|"
    "in a forward direction|along its nose|full steam ahead|full speed ahead|along its heading|along its own heading|"
    "in the direction of its nose|in the direction it faces|in the direction it is facing|the way it is facing|"
    "the way it faces|where its nose points",
    "back": "in reverse gear|into reverse|into reverse gear|out backwards|out backward|backwards out|on the way back|"
    "in the backward direction|in the reverse direction|a bit back|back a bit|a little back|backwards a bit|backwards a little|"
    "a good way back|back a good way|in the back direction|on the way backwards|straight backwards|in reverse|into reverse",
    "hit": "collision|crash|collisions|crashes|an accident|accident|suffer from|get at|come up against|make impact with|"
    "collide together with|have a crash with|have an accident|be in a crash with|get into a crash with|crash and hit|"
    "get into contact with|cause damage to|do damage to|come in contact with|come in touch with|get in touch with|bring down|"
    "mow down|knock over|knocks over|knocking over|knock down|knocks down|run over|runs over|running over|drive over|"
    "drives over|driving over|roll over|rolls over|ride over|roll into|rolls into|rolled into|ride into|rides into|go into|"
    "goes into|went into|move into|moves into|travel into|slide into|slides into|fly into|flies into|taxi into|taxies into|"
    "plow into|plows into|plough into|ploughs into|ploughing into|plowing into|pile into|barge into|career into|careen into|"
    "bowl over|back into|backs into|backed into|backing into|reverse into|reverses into|reversing into|end up in|"
    "end up against|end up crashing into|end up colliding with|end up bumping into|end up touching|take out|takes out|wipe out|"
    "wipes out|tear into|meet up with|get stopped by|be stopped by|bump against|bump up against|come to hit|come to touch|"
    "get to hit|manage to hit|rear end|t bone|sideswipe|smack into|slap into|run smack into|run straight into|go straight into|"
    "drive straight into|straight into|run slap into|go smack into|slam straight into|run head on into|go head on into|"
    "drive head on into|run headlong into|run right into|go right into|drive right into|crash right into|crash straight into|"
    "smash straight into|collide head on with|run up against|come crashing into|come into collision with|kiss|butt into|"
    "tumble into|hurtle into|knock against|push against|bounce off|end up striking",
    "hit by": "flattened by|squashed by|crushed by|run over by|ran over by|knocked over by|knocked down by|driven over by|mown down by|"
    "dashed by|wiped out by|taken out by|in a collision with|backed into by|reversed into by|ploughed into by|plowed into by|"
    "rammed into by|in for a hit from|in danger from|in trouble from|caught by|clobbered by|struck down by|at risk from|"
    "touched by",
    "be hit": "get it|suffer|be in trouble|be in danger|get flattened|be flattened|be squashed|get squashed|be crushed|get crushed|"
    "be run over|get run over|be knocked over|get knocked over|be damaged|get damaged|be struck|get struck|come to harm|"
    "come to grief|be at risk|be affected|get in trouble|get clobbered|be clobbered|be harmed|be wiped out|be dented|"
    "get dented|be bumped|get bumped",
}

WORDINGS: dict[str, str] = GENERAL | SEEING | TURNING | SIDES | MOVING
