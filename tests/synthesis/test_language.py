import pytest

from po3d.io.seeding import rng
from po3d.language.program import ProgramError
from po3d.language.programs.street import parse_text
from po3d.language.read.tokenizer import Tokenizer
from po3d.language.say.street.grammar import LINKS, analyse, assemble
from po3d.language.say.street.language import (
    DEEP_FAMILIES,
    FAMILIES,
    canonical,
    realise,
    sample_program,
)


def programs(stage, count, families=tuple(FAMILIES)):
    for index in range(count):
        random = rng(7, stage, index)
        yield sample_program(random, families[index % len(families)]), random


def test_phrase_trees_give_their_program_back():
    for program, _ in programs("tree", 600, (*FAMILIES, *DEEP_FAMILIES)):
        assert assemble(analyse(program)) == program
        assert canonical(program) == program


def test_canonical_sorts_filters_and_keeps_the_rest():
    program = parse_text("count(filter[shape=car](filter[size=small](filter[color=red](scene))))")
    assert (
        canonical(program).text()
        == "count(filter[size=small](filter[color=red](filter[shape=car](scene))))"
    )
    pair = parse_text("count(union(filter[shape=car](scene), filter[color=red](scene)))")
    assert canonical(pair) == pair  # the spoken order of a pair is kept


@pytest.mark.parametrize("style", ["benchmark", "wide"])
def test_one_text_never_means_two_programs(style):
    """On what the parser reads: equal tokens, equal program."""
    tokenizer = Tokenizer()
    meaning: dict[tuple[str, ...], str] = {}
    for program, random in programs(f"ambiguity-{style}", 5000):
        text = realise(program, random, style)
        tokens, unknown = tokenizer(text)
        assert not unknown, (text, unknown)
        assert meaning.setdefault(tokens, program.text()) == program.text(), text


def test_realise_is_a_function_of_its_seed():
    for program, _ in programs("seeded", 40):
        assert realise(program, rng(3, "say"), "wide") == realise(program, rng(3, "say"), "wide")


def test_every_template_is_filled():
    for program, random in programs("filled", 1500, (*FAMILIES, *DEEP_FAMILIES)):
        for style in ("benchmark", "wide"):
            text = realise(program, random, style)
            assert not set("[]{}|") & set(text), text
            assert text[-1] in "?."
            assert "  " not in text


def test_benchmark_questions_use_the_published_phrases():
    def said(text, seeds=60):
        program = parse_text(text)
        return {realise(program, rng(seed, "phrases"), "benchmark") for seed in range(seeds)}

    assert "Are there any red buss?" in said("exist(filter[color=red](filter[shape=bus](scene)))")
    assert said("query[facing](unique(filter[shape=jet](scene)))") >= {
        "Which direction the jet is facing?"
    }
    occluded = (
        "query[color](unique(filter[shape=car](occludees(unique(filter[shape=bus](scene))))))"
    )
    assert "What is the color of the car that is occluded by the bus?" in said(occluded)
    hit = "count(filter[shape=car](collide[forward](unique(filter[shape=bus](scene)))))"
    assert any("if it moving forward" in text for text in said(hit))
    same = "query[size](unique(filter[shape=car](aligned[same](unique(filter[shape=bus](scene))))))"
    assert any("faces the same direction as the bus" in text for text in said(same))


def test_materials_can_be_left_out():
    for index in range(300):
        program = sample_program(
            rng(5, "plain", index), tuple(FAMILIES)[index % len(FAMILIES)], materials=False
        )
        assert "material" not in program.text()


def test_deep_families_have_their_hops_and_training_families_at_most_three():
    assert sample_program(rng(0, "deep"), "five_hop").text().count("relate[") == 5
    for program, _ in programs("hops", 400):
        assert (
            max(
                len(group.links()) if not hasattr(group.source, "left") else 0
                for group in analyse(program).groups
            )
            <= 3
        )


def test_an_unknown_family_and_a_program_without_words_are_errors():
    with pytest.raises(ValueError, match="unknown family 'ten_hop'"):
        sample_program(rng(0, "x"), "ten_hop")
    facing = parse_text(
        "equal[facing](query[facing](unique(filter[shape=car](scene))), "
        "query[facing](unique(filter[shape=bus](scene))))"
    )
    with pytest.raises(ProgramError, match=r"aligned\[same\]"):
        realise(facing, rng(0, "x"))
    assert canonical(facing) == facing


def test_every_link_of_the_language_is_spoken():
    spoken = {
        link.op
        for program, _ in programs("links", 800)
        for group in analyse(program).groups
        for link in group.links()
    }
    assert spoken == set(LINKS)
