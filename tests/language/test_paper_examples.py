"""The examples that the four papers print, each with its program, read by the readers of the benchmarks' wording. Quoted as formats are."""

import pytest

from po3d.language.programs.rooms import ROOMS
from po3d.language.programs.scope import SCOPE
from po3d.language.programs.street import STREET
from po3d.language.programs.threedsrbench import THREEDSRBENCH
from po3d.language.read.omissions import DENIED
from po3d.reasoning.questions import Question
from po3d.systems import orbit, photographs, rooms, street
from po3d.systems.answer_options import strip_prompt_template

READERS = {
    "street": street.benchmark_parser,
    "photographs": photographs.question_parser,
    "orbit": orbit.question_parser,
    "rooms": rooms.benchmark_parser,
}
# parser's programs -> the wording of the examples' programs
DIALECTS = {"street": STREET, "photographs": THREEDSRBENCH, "orbit": SCOPE, "rooms": ROOMS}
EXAMPLES = {
    "street": [
        (
            "Are there fewer bicycles right of the purple jet than tiny gray utility bikes?",
            "less_than(count(filter[shape=bicycle](relate[right,task](unique(filter[color=purple](filter[shape=jet](scene)))))), count(filter[size=small](filter[color=gray](filter[shape=utility](scene)))))",
        ),
        (
            "What is the color of the car which faces to the right?",
            "query[color](unique(filter[shape=car](filter[facing=right](scene))))",
        ),
        (
            "Is the number of small purple aeroplanes in front of the tiny aeroplane greater than the number of tiny cars behind the road bike?",
            "greater_than(count(filter[size=small](filter[color=purple](filter[shape=aeroplane](relate[front,task](unique(filter[size=small](filter[shape=aeroplane](scene)))))))), count(filter[size=small](filter[shape=car](relate[behind,task](unique(filter[shape=road](scene)))))))",
        ),
        (
            "What is the shape of the small brown thing?",
            "query[shape](unique(filter[size=small](filter[color=brown](scene))))",
        ),
        (
            "How many things are either large blue double buses or tiny road bikes?",
            "count(union(filter[size=large](filter[color=blue](filter[shape=double](scene))), filter[size=small](filter[shape=road](scene))))",
        ),
        (
            "What is the color of the object that is occluded by the jet?",
            "query[color](unique(occludees(unique(filter[shape=jet](scene)))))",
        ),
        (
            "There is a bus will be collided by the small wagon if it moving forward; what size is it?",
            "query[size](unique(filter[shape=bus](collide[forward](unique(filter[size=small](filter[shape=wagon](scene)))))))",
        ),
        ("Which direction the SUV is facing?", "query[facing](unique(filter[shape=suv](scene)))"),
        (
            "How many things are either large red buses on the right side of the cruiser or aeroplanes on the right side of the large double bus?",
            "count(union(filter[size=large](filter[color=red](filter[shape=bus](relate[right,task](unique(filter[shape=cruiser](scene)))))), filter[shape=aeroplane](relate[right,task](unique(filter[size=large](filter[shape=double](scene)))))))",
        ),
        (
            "What is the color of the articulated bus?",
            "query[color](unique(filter[shape=articulated](scene)))",
        ),
        (
            "The other big object that is the same color as the articulated bus is what shape?",
            "query[shape](unique(filter[size=large](same[color](unique(filter[shape=articulated](scene))))))",
        ),
        (
            "How many things are either objects that are behind the cruiser or big cars that are to the left of the green object?",
            "count(union(relate[behind,task](unique(filter[shape=cruiser](scene))), filter[size=large](filter[shape=car](relate[left,task](unique(filter[color=green](scene)))))))",
        ),
        (
            "What is the size of the red object that is occluded?",
            "query[size](unique(filter[color=red](filter[occlusion=occluded](scene))))",
        ),
        (
            "What is the shape of the small thing that the red bus will collide with if it moves backward?",
            "query[shape](unique(filter[size=small](collide[backward](unique(filter[color=red](filter[shape=bus](scene)))))))",
        ),
        (
            "What is the size of the gray object that faces the vertical direction as the gray motorbike?",
            "query[size](unique(filter[color=gray](aligned[vertical](unique(filter[color=gray](filter[shape=motorbike](scene)))))))",
        ),
        (
            "Does the large aeroplane to the right side of the blue motorbike have the same color as the big aeroplane that is on the left side of the big gray articulated bus?",
            "equal[color](query[color](unique(filter[size=large](filter[shape=aeroplane](relate[right,task](unique(filter[color=blue](filter[shape=motorbike](scene)))))))), query[color](unique(filter[size=large](filter[shape=aeroplane](relate[left,task](unique(filter[size=large](filter[color=gray](filter[shape=articulated](scene))))))))))",
        ),
        ("What is the color of the jet?", "query[color](unique(filter[shape=jet](scene)))"),
        (
            "What number of purple objects are big jets or small trucks?",
            "count(filter[color=purple](union(filter[size=large](filter[shape=jet](scene)), filter[size=small](filter[shape=truck](scene)))))",
        ),
        (
            "Does the big blue thing that is to the left of the purple aeroplane have the same shape as the tiny thing?",
            "equal[shape](query[shape](unique(filter[size=large](filter[color=blue](relate[left,task](unique(filter[color=purple](filter[shape=aeroplane](scene)))))))), query[shape](unique(filter[size=small](scene))))",
        ),
        (
            "What is the shape of the thing that is occluded by the scooter?",
            "query[shape](unique(occludees(unique(filter[shape=scooter](scene)))))",
        ),
        (
            "What is the color of the object the scooter will collide with if it moves backward?",
            "query[color](unique(collide[backward](unique(filter[shape=scooter](scene)))))",
        ),
        (
            "What is the shape of the big yellow thing?",
            "query[shape](unique(filter[size=large](filter[color=yellow](scene))))",
        ),
        (
            "Is there any other thing that is the same color as the small utility bike?",
            "exist(same[color](unique(filter[size=small](filter[shape=utility](scene)))))",
        ),
        (
            "Is there a gray mountain bike that is to the left of the gray thing that is behind the tiny chopper?",
            "exist(filter[color=gray](filter[shape=mountain](relate[left,task](unique(filter[color=gray](relate[behind,task](unique(filter[size=small](filter[shape=chopper](scene))))))))))",
        ),
        (
            "What is the size of the object that is occluded by the truck?",
            "query[size](unique(occludees(unique(filter[shape=truck](scene)))))",
        ),
        ("Which direction the suv is facing?", "query[facing](unique(filter[shape=suv](scene)))"),
        (
            "There is a small bicycle that is behind the aeroplane; how many tiny purple fighters are on the right side of it?",
            "count(filter[size=small](filter[color=purple](filter[shape=fighter](relate[right,task](unique(filter[size=small](filter[shape=bicycle](relate[behind,task](unique(filter[shape=aeroplane](scene)))))))))))",
        ),
        (
            "There is a aeroplane; how many tiny brown bicycles will it collide if it moving forward?",
            "count(filter[size=small](filter[color=brown](filter[shape=bicycle](collide[forward](unique(filter[shape=aeroplane](scene)))))))",
        ),
        (
            "What is the shape of the object to the left of the chopper?",
            "query[shape](unique(relate[left,task](unique(filter[shape=chopper](scene)))))",
        ),
        (
            "How many objects are to the right of the red wagon?",
            "count(relate[right,task](unique(filter[color=red](filter[shape=wagon](scene)))))",
        ),
        (
            "Will the red wagon collide with a yellow bus if it moves forward?",
            "exist(filter[color=yellow](filter[shape=bus](collide[forward](unique(filter[color=red](filter[shape=wagon](scene)))))))",
        ),
        ("What color is the double bus?", "query[color](unique(filter[shape=double](scene)))"),
        (
            "Is there another object of the same color as the double bus?",
            "exist(same[color](unique(filter[shape=double](scene))))",
        ),
        (
            "What shape is the object to the left of the chopper?",
            "query[shape](unique(relate[left,task](unique(filter[shape=chopper](scene)))))",
        ),
        (
            "What shape is the object that is parallel to the brown object?",
            "query[shape](unique(aligned[parallel](unique(filter[color=brown](scene)))))",
        ),
        (
            "Is the red wagon occluded by the yellow bus?",
            "exist(filter[color=red](filter[shape=wagon](occludees(unique(filter[color=yellow](filter[shape=bus](scene)))))))",
        ),
    ],
    "photographs": [
        (
            "From the perspective of the man, is the bottled water on the left or right side of him?",
            'on_the_left("man", "bottled water")',
        ),
        ("Are the street lights directly above the train?", 'above("street lights", "train")'),
        (
            "Are the white sign and the stop sign parallel or perpendicular to each other?",
            'parallel("white sign", "stop sign")',
        ),
        (
            "Which object closer to the camera, the fruits on the ground or the white pickup truck?",
            'nearer_camera("fruits on the ground", "white pickup truck")',
        ),
        (
            "Consider the real-world 3D locations of the objects. Which object is higher in 3D world space, the cyclist in orange suit or the yellow board?",
            'higher("cyclist in orange suit", "yellow board")',
        ),
        (
            "Consider the real-world 3D locations of the objects. Which object is higher in 3D world space, the bicycle traffic light or the blue forward sign?",
            'higher("bicycle traffic light", "blue forward sign")',
        ),
        (
            "Consider the real-world 3D locations of the objects. Is the man with a suitcase next to or far from the fire hydrant?",
            'next_to("man with a suitcase", "fire hydrant")',
        ),
        (
            "Consider the real-world 3D locations of the objects. Is the couple next to or far from the ocean waves?",
            'next_to("couple", "ocean waves")',
        ),
        (
            "Consider the real-world 3D locations of the objects. Is the blue sign directly above the pedestrian crossing?",
            'above("blue sign", "pedestrian crossing")',
        ),
        (
            "Consider the real-world 3D location of the objects. Which is closer to the camera, the man in grey jacket or the man in blue suit?",
            'nearer_camera("man in grey jacket", "man in blue suit")',
        ),
        (
            "Consider the real-world 3D location of the objects. Which is closer to the camera, the white pickup truck or the cargo trailer?",
            'nearer_camera("white pickup truck", "cargo trailer")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Which side of the octagonal sign is facing the camera?",
            'side_to_camera("octagonal sign")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Which side of the bench is facing the camera?",
            'side_to_camera("bench")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. If I stand at the man's location facing where it is facing, is the bottled water on the left or right side of me?",
            'on_the_left("man", "bottled water")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. If I stand at the taxi's location facing where it is facing, is the steel gate on the left or right side of me?",
            'on_the_left("taxi", "steel gate")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Is the airport ground crew in front or behind the baggage tractor?",
            'in_front_of("baggage tractor", "airport ground crew")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Is the motorcycle handle in front or behind the cat?",
            'in_front_of("cat", "motorcycle handle")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Which object is closer to the fire hydrant, the bus or the potted plants?",
            'closer_to("fire hydrant", "bus", "potted plants")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Is the air conditioner facing towards the potted plants or the sofa?",
            'facing("air conditioner", "potted plants", "sofa")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Which side of the horse is facing towards the red sign?",
            'side_to("horse", "red sign")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Is the yellow cow facing the same direction as the red car?",
            'same_direction("yellow cow", "red car")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Which object is closer to the coffee table, the TV or the surfboard?",
            'closer_to("coffee table", "TV", "surfboard")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Is the dog with orange shoes facing towards the man or the dog without shoes?",
            'facing("dog with orange shoes", "man", "dog without shoes")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Which side of the dog is facing towards the speakers?",
            'side_to("dog", "speakers")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Is the blue bridge parallel or perpendicular to the train with orange stripes?",
            'parallel("blue bridge", "train with orange stripes")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Is the tram facing the same direction as the arrow on the black sign?",
            'same_direction("tram", "arrow on the black sign")',
        ),
        (
            "If I stand at the location of the red bus facing where it is facing, is the red sign on my left side or my right side?",
            'on_the_left("red bus", "red sign")',
        ),
        (
            "If I stand at the location of the woman facing where she is facing, is the wood barrel on my left side or my right side?",
            'on_the_left("woman", "wood barrel")',
        ),
        (
            "Consider the real-world 3D locations and orientations of the objects. Which side of the horse is facing towards the red sign? Answer with front, left, back, or right.",
            'side_to("horse", "red sign")',
        ),
    ],
    "orbit": [
        (
            "From the camera's perspective, where is the bench relative to the trash can?",
            'where(thing("bench"), thing("trash can"), camera)',
        ),
        (
            "From the camera's perspective, where is the cap relative to the pouch?",
            'where(thing("cap"), thing("pouch"), camera)',
        ),
        (
            "From the camera's perspective, where is the smartphone relative to the apple?",
            'where(thing("smartphone"), thing("apple"), camera)',
        ),
        (
            "From the camera's perspective, where is the green trash can relative to the orange trash can?",
            'where(thing("green trash can"), thing("orange trash can"), camera)',
        ),
        (
            "From the perspective of a standing man, where is rock relative to a standing man?",
            'where(thing("rock"), thing("standing man"), own(thing("standing man")))',
        ),
        (
            "Imagine you are sitting on the bench. From your perspective, where is the black tile relative to you?",
            'where(thing("black tile"), thing("bench"), own(thing("bench")))',
        ),
        (
            "From the perspective of a shepherd dog, where is bed relative to a shepherd dog?",
            'where(thing("bed"), thing("shepherd dog"), own(thing("shepherd dog")))',
        ),
        (
            "Imagine you are sitting on the bench. From your perspective, where is metal drum relative to you?",
            'where(thing("metal drum"), thing("bench"), own(thing("bench")))',
        ),
        (
            "Consider the scene from the viewer's perspective. Imagine a point exactly between the bicycle and the trash can. Rotate 90° counter-clockwise around this point. Now, where is the bicycle relative to the trash can?",
            'turned("90", thing("bicycle"), thing("trash can"), where(thing("bicycle"), thing("trash can"), camera))',
        ),
        (
            "Consider the scene from the viewer's perspective. Imagine a point exactly between the plastic chair and the black parking sign. Rotate 90° counter-clockwise around this point. Now, where is the plastic chair relative to the black parking sign?",
            'turned("90", thing("plastic chair"), thing("black parking sign"), where(thing("plastic chair"), thing("black parking sign"), camera))',
        ),
        (
            "Imagine a point exactly between a standing man and a cat. Rotate 90° counter-clockwise around this point. Now, from the perspective of the man, where is the cat?",
            'turned("90", thing("standing man"), thing("cat"), where(thing("cat"), thing("man"), own(thing("man"))))',
        ),
        (
            "Imagine a point exactly between the bench and the road. Rotate 180° counter-clockwise around this point. Now imagine you are sitting on the bench. From your perspective, where is the road relative to you?",
            'turned("180", thing("bench"), thing("road"), where(thing("road"), thing("bench"), own(thing("bench"))))',
        ),
        (
            "From the camera's perspective, a cup is to the left of a black cellphone. When seeing these four images (First Image is 0° , Second Image is 90° , Third Image is 180° , Fourth Image is 270°), at which scene is this statement true? Answer with one of [First Image, Second Image, Third Image, Fourth Image].",
            'which_view("left", thing("cup"), thing("black cellphone"))',
        ),
        (
            "From the standing human's perspective, there is an object behind them. What is the nearest object to it? When seeing these four images (First Image is 45° , Second Image is 135° , Third Image is 225° , Fourth Image is 315°), answer with one of the given choices. Choices: [rock, bicycle, box, dog].",
            'name(nearest(toward("behind", thing("standing human"))))',
        ),
    ],
    "rooms": [
        (
            "Which direct distance is shorter: from the nightstand to the window or to the box?",
            'name(nearest(only(all("nightstand")), pair(only(all("window")), only(all("box")))))',
        ),
        (
            "What item is directly positioned below the shelf now?",
            'name(only(beneath(only(all("shelf")), all("object"))))',
        ),
        (
            "What is the largest item remaining on the bed now?",
            'name(largest(upon(only(all("bed")), all("object"))))',
        ),
        (
            "What item in the room now provides storage functionality similar to the removed shelf?",
            'name(only(same_use(was(only(all("shelf"))), all("object"))))',
        ),
        (
            "What is the current count of chairs next to the table?",
            'count(beside(only(all("table")), all("chair")))',
        ),
        (
            "Which direction should you move from the plant to reach the new chair?",
            'whither(only(all("plant")), only(touched(all("chair"))))',
        ),
        (
            "Is the box positioned higher or lower than the keyboards?",
            'height(only(all("box")), only(all("keyboard")))',
        ),
        (
            "What is the relative position of the armchair to the footstool now?",
            'whither(only(all("footstool")), only(all("armchair")))',
        ),
        (
            "How many different colors of the table are in the room now?",
            'kinds(color, all("table"))',
        ),
        (
            "Is the direct path from the trash can’s new location to the fire alarm obstructed by any objects?",
            'exist(obstacles(only(all("trash can")), only(all("fire alarm"))))',
        ),
        (
            "Are you closer to the repositioned trash can or the copier when you’re next to the door?",
            'name(nearest(only(all("door")), pair(only(touched(all("trash can"))), only(all("copier")))))',
        ),
    ],
}
# Read otherwise than they are meant; the number may only fall.
MISSES = {"street": 0, "photographs": 0, "orbit": 0, "rooms": 2}


@pytest.mark.parametrize("world", EXAMPLES)
def test_examples_of_the_papers_are_read(world):
    questions = [
        Question(str(k), "", text, "2d", "") for k, (text, _) in enumerate(EXAMPLES[world])
    ]
    missed = []
    for (text, program), reading in zip(
        EXAMPLES[world], READERS[world]().read(questions), strict=True
    ):
        result = reading.question.program
        written = "" if result is None else DIALECTS[world].text(result)
        missed += [text] * (written != program)
    assert len(missed) == MISSES[world], missed


@pytest.mark.parametrize(
    ("change", "denied"),
    [
        ("Nobody took the chair.", True),
        ("The armchair was not moved.", True),
        ("The lamp hasn't been removed.", True),
        ("Nothing but the chair was moved.", False),
        ("The lamp is not on the desk any more.", False),
        ("The chair that was not red was moved to the door.", False),
        ("The spade was taken; the rake was not.", False),
        ("The pot plant did not survive as well,", False),
        ("The chair was removed.", False),
        ("Nothing remains on the dresser.", False),
        ("Nothing is left on the dresser.", False),
        ("Nothing has been moved.", True),
    ],
)
def test_a_denied_change_changes_nothing(change, denied):
    assert bool(DENIED.fullmatch(change)) is denied
    query = Question("1", "", "How many chairs are there?", "2d", "", change=change)
    assert strip_prompt_template(query).change == ("" if denied else change)
