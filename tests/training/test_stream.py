"""The stream of samples: a function of the step, shared by the processes, each sample once an
epoch.
"""

import os
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytorch_lightning.utilities.parsing import AttributeDict
from tiny_trainings import NoiseData

from po3d.io.seeding import rng
from po3d.training.samplers import (
    SORTED,
    BatchStream,
    IndexedByStep,
    StreamData,
    length_stream,
    replay_order,
    shuffled,
    validation_batches,
)


def stream(kind: str, size: int, batch: int, stop: int, **place):
    if kind == "plain":
        return BatchStream(shuffled(size, 1), batch, stop, **place)
    return length_stream(
        rng(0, "lengths", size).integers(1, 30, size).tolist(), 1, batch, stop, **place
    )


@given(
    st.sampled_from(["plain", "lengths"]),
    st.integers(1, 40),
    st.integers(1, 5),
    st.integers(0, 120),
    st.data(),
)
def test_a_stream_read_from_any_step_is_the_rest_of_the_whole(kind, size, batch, stop, data):
    whole = list(stream(kind, size, batch, stop))
    start = data.draw(st.integers(0, stop))
    assert list(stream(kind, size, batch, stop, start=lambda: start)) == whole[start:]
    assert len(whole) == stop


@given(
    st.sampled_from(["plain", "lengths"]), st.integers(1, 40), st.integers(1, 4), st.integers(1, 4)
)
def test_processes_share_the_global_batches_of_one(kind, size, batch, world):
    alone = list(stream(kind, size, batch * world, 60))
    ranks = [list(stream(kind, size, batch, 60, rank=r, world=world)) for r in range(world)]
    for step, together in enumerate(alone):
        parts = [rank[step] for rank in ranks]
        assert {len(part) for part in parts} == {batch}
        assert sorted(n for part in parts for n in part) == sorted(together)


@given(st.integers(1, 30), st.integers(1, 4), st.integers(1, 3))
def test_every_sample_comes_once_an_epoch(size, batch, epochs):
    numbers = [n for part in stream("plain", size, batch, -(-epochs * size // batch)) for n in part]
    for epoch in range(epochs):
        assert sorted(numbers[epoch * size : (epoch + 1) * size]) == list(
            range(epoch * size, (epoch + 1) * size)
        )


@given(st.integers(1, 7), st.integers(1, 3))
def test_every_sentence_comes_once_an_epoch_and_with_others_of_its_length(epochs, batch):
    size = SORTED * batch // epochs
    lengths = rng(0, "lengths", size).integers(1, 30, size).tolist()
    batches = list(length_stream(lengths, 1, batch, SORTED))
    numbers = [n for part in batches for n in part]
    assert sorted(numbers)[: epochs * size] == list(range(epochs * size))
    spread = [
        max(lengths[n % size] for n in part) - min(lengths[n % size] for n in part)
        for part in batches
    ]
    assert sum(spread) <= 29  # sorted, so that all steps together span the lengths once


def test_batches_of_a_block_have_the_samples_of_its_steps():
    lengths, batch, order = [3, 1, 4, 1, 5, 9, 2], 2, shuffled(7, 3)
    stream = length_stream(lengths, 3, batch, 3 * SORTED)
    for block in range(3):
        steps = range(block * SORTED, (block + 1) * SORTED)
        numbers = [n for step in steps for n in stream.together(step)]
        positions = range(batch * steps.start, batch * steps.stop)
        assert sorted(numbers) == sorted(map(order, positions))


def test_epochs_differ_in_their_order():
    order = shuffled(20, 0)
    first, second = ([order(e * 20 + k) % 20 for k in range(20)] for e in (0, 1))
    assert first != second


def test_fresh_scenes_come_once_half_of_them_in_the_mirror():
    order = replay_order(0)
    numbers = [order(position) for position in range(400)]
    assert [n // 2 for n in numbers] == list(range(400))
    assert 150 < sum(n % 2 for n in numbers) < 250


@given(st.integers(1, 4), st.integers(1, 9), st.integers(1, 7), st.floats(0, 0.6))
def test_new_samples_come_visits_times_within_as_many_rounds_and_the_folder_s_share_beside_them(
    visits, chunk, standing, share
):
    order = replay_order(3, visits, chunk, False, standing, share)
    old, rounds = round(share / (1 - share) * visits * chunk), 2 * visits + 3
    size = visits * chunk + old
    numbers = np.array([order(position) for position in range(rounds * size)]).reshape(rounds, size)
    assert ((numbers < standing).sum(1) == old).all()
    fresh = numbers - standing
    for sample in range((visits - 1) * chunk, (rounds - visits) * chunk):
        visible = np.flatnonzero((fresh == sample).any(1))
        assert (fresh == sample).sum() == visits
        assert visible.tolist() == list(range(sample // chunk - visits + 1, sample // chunk + 1))


def test_a_revisited_stream_is_the_same_from_any_position():
    whole = [replay_order(1, 3, 5, True, 4, 0.2)(p) for p in range(90)]
    order = replay_order(1, 3, 5, True, 4, 0.2)
    assert [order(p) for p in reversed(range(90))] == whole[::-1]


@pytest.mark.parametrize(("size", "world"), [(16, 1), (17, 1), (17, 2), (3, 4)])
def test_validation_is_shared_without_repeats_in_equally_many_batches(size, world):
    ranks = [list(validation_batches(range(size), 2, r, world)) for r in range(world)]
    assert len({len(rank) for rank in ranks}) == 1
    numbers = sorted(n for rank in ranks for part in rank for n in part)
    assert numbers == list(range(size - size % world))


def test_the_place_is_of_the_trainer_alone():
    data = NoiseData()
    data.trainer = SimpleNamespace(
        max_steps=6, global_step=0, accumulate_grad_batches=2, global_rank=0, world_size=1
    )
    sampler = data.train_stream()
    whole = list(sampler)
    data.trainer.global_step = 4
    assert list(sampler) == whole[8:]
    assert len(whole) == 12
    assert len(sampler) == 12


def test_without_a_folder_all_samples_of_a_round_are_new():
    order = replay_order(0, 2, 3, False, 0, 0.4)
    assert sorted(order(position) for position in range(6)) == list(range(6))
    with_folder = replay_order(0, 2, 3, True, 5, 0.25)
    numbers = [with_folder(position) for position in range(8)]
    assert sorted(n // 2 for n in numbers if n // 2 >= 5) == list(range(5, 11))


def test_standing_samples_come_in_the_order_of_epochs():
    order, own = replay_order(4, 1, 2, False, 3, 0.5), shuffled(3, 4)
    for block in range(6):
        numbers = [order(4 * block + k) for k in range(4)]
        want = [own(2 * block + k) % 3 for k in range(2)]
        assert sorted(n for n in numbers if n < 3) == sorted(want)
        assert sorted(n for n in numbers if n >= 3) == [3 + 2 * block, 4 + 2 * block]


@given(st.integers(0, 40), st.integers(1, 5), st.integers(1, 4))
def test_validation_batches_are_slices_in_order_of_which_each_process_takes_its_share(
    size, batch, world
):
    order = [7 * k % 101 for k in range(size)]
    whole = order[: size - size % world]
    ranks = [validation_batches(order, batch, r, world) for r in range(world)]
    for r, rank in enumerate(ranks):
        want = []
        for begin in range(0, len(whole), batch * world):
            want.append(whole[begin : begin + batch * world][r::world])
        assert list(rank) == want
        assert len(rank) == len(want)
    assert list(validation_batches(order, batch)) == [
        order[k : k + batch] for k in range(0, size, batch)
    ]


def test_samples_are_indexed_modulo_their_number():
    samples = IndexedByStep(list("abc"))
    assert len(samples) == 3
    assert [samples[k] for k in (0, 2, 3, 7)] == ["a", "c", "a", "b"]


def placed_data(device: str = "cpu", processes: int | None = None, **hparams) -> StreamData:
    data = NoiseData()
    strategy = SimpleNamespace(root_device=SimpleNamespace(type=device))
    if processes is not None:
        strategy.num_processes = processes
    data.trainer = SimpleNamespace(
        max_steps=6,
        global_step=0,
        accumulate_grad_batches=1,
        global_rank=1,
        world_size=2,
        strategy=strategy,
    )
    data._hparams = AttributeDict({**data.hparams, **hparams})
    return data


def test_readers_are_those_of_the_settings_or_the_cpus_of_a_process(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert placed_data().readers() == 0
    assert placed_data(num_workers=3).readers() == 3
    assert placed_data(num_workers=0, device="cuda").readers() == 0
    assert placed_data(num_workers=None).readers() == 0
    assert placed_data(num_workers=None, device="cuda").readers() == 8
    assert placed_data(num_workers=None, device="cuda", processes=3).readers() == 2
    assert placed_data(num_workers=None, device="cuda", processes=20).readers() == 1


@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_loaders_have_the_batches_of_this_process():
    data = placed_data(num_workers=2)
    train, validation = data.train_dataloader(), data.val_dataloader()
    assert list(train.batch_sampler) == list(BatchStream(shuffled(16, 0), 2, 6, rank=1, world=2))
    assert list(validation.batch_sampler) == [[1, 3], [5, 7]]
    assert (train.num_workers, validation.num_workers) == (2, 0)
    assert (train.persistent_workers, validation.persistent_workers) == (True, False)
    assert train.multiprocessing_context.get_start_method() == "spawn"
    assert validation.multiprocessing_context is None
    assert train.collate_fn == data.collate
    assert len(train.dataset) == 16
    assert validation.dataset is data.validation
    (first,) = (batch for batch, _ in zip(validation, range(1)))
    pixels = np.moveaxis(data.validation[3]["image"], -1, 0)
    np.testing.assert_array_equal(first["image"][1], pixels)


def test_data_without_scenes_says_so():
    class Plain(StreamData):
        train = validation = range(3)

    data = Plain()
    assert (data.models(), data.scenes(), data.judged(None, 4)) == (set(), {}, None)
    assert list(data.validation_order()) == [0, 1, 2]
    assert data.kind == ""
    assert data.train_samples()[4] == 1
