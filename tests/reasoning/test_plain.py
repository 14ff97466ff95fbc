from generators import random_program, random_scene

from po3d.io.seeding import rng
from po3d.reasoning.execute import execute
from po3d.reasoning.outcome import ExecutionFailure
from tools.plain import plain_answer


def test_the_plain_interpreter_and_the_executor_agree():
    answered = 0
    for k in range(600):
        r = rng(457, "plain", k)
        scene = random_scene(r, int(r.integers(1, 9)), occlusion=k % 10 > 0)
        program, task = random_program(r, scene), ("2d", "6d")[k % 2]
        try:
            answer = plain_answer(program, scene, task)
        except ExecutionFailure:
            answer = None
        outcome = execute(program, scene, task)
        assert answer == outcome.answer, (program.text(), outcome.reason)
        answered += answer is not None
    assert answered > 300
