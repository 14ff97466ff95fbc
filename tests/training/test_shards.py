"""Shards hold what was written, say what is wrong with them, and are read once an epoch by any
number of processes.
"""

import http.server
import json
import shutil
import threading
from collections import Counter
from functools import partial
from types import SimpleNamespace

import pytest
from coloured_shards import COUNT, EACH, SIZE, coloured, number
from torch.utils.data import DataLoader, Dataset

from po3d.benchmarks.scene_ids import from_list, scene_ids
from po3d.io.errors import InputError
from po3d.training.shards import BLOCK, INDEX, ShardData, ShardedScenes, fetched, mixed_order

webdataset = pytest.importorskip("webdataset")


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    return coloured(tmp_path_factory.mktemp("pictures"))


def data(
    root, batch: int, rank: int = 0, world: int = 1, start: int = 0, steps: int = 100, **options
) -> ShardData:
    result = ShardData(str(root), width=SIZE[0], height=SIZE[1], batch=batch, flip=False, **options)
    result.trainer = SimpleNamespace(
        max_steps=steps,
        global_step=start,
        accumulate_grad_batches=1,
        global_rank=rank,
        world_size=world,
    )
    result.setup("fit")
    return result


def test_samples_are_what_was_written_and_webdataset_reads_them(shards):
    scenes = ShardedScenes(fetched(str(shards), ""), *SIZE)
    assert [number(scenes[k]["image"]) for k in range(COUNT)] == [*range(COUNT)]
    urls = sorted(str(p) for p in shards.glob("*.tar"))
    read = list(webdataset.WebDataset(urls, shardshuffle=False))
    assert len(read) == COUNT
    assert len(json.loads(read[3]["json"])["objects"]) == scenes[3]["present"].sum()


class Numbers(Dataset):
    """The numbers of the samples alone."""

    def __init__(self, samples: Dataset) -> None:
        self.samples = samples

    def __getitem__(self, index: int) -> int:
        return number(self.samples[index]["image"])


@pytest.mark.slow
def test_every_sample_comes_once_an_epoch_in_two_processes_with_three_readers_each(shards):
    train = len(data(shards, 1).train)  # the others are for validation
    epochs, batch, world = 3, 1, 2
    steps = epochs * train // (batch * world)
    visible = [[], []]
    for rank in range(world):
        own = data(shards, batch, rank, world, steps=steps)
        loader = DataLoader(
            Numbers(own.train_samples()),
            batch_sampler=own.train_stream(),
            num_workers=3,
            multiprocessing_context="fork",
        )
        visible[rank] = [n for numbers in loader for n in numbers.tolist()]
    assert len(visible[0]) == len(visible[1])
    assert Counter(visible[0] + visible[1]) == Counter(dict.fromkeys(range(train), epochs))


@pytest.mark.parametrize("world", [1, 2, 3])
def test_a_resumed_run_reads_the_rest_of_the_epoch(shards, world):
    whole = [list(data(shards, 2, rank, world).train_stream()) for rank in range(world)]
    rest = [list(data(shards, 2, rank, world, start=7).train_stream()) for rank in range(world)]
    assert rest == [numbers[7:] for numbers in whole]


def test_sources_are_mixed_by_their_weights_and_each_is_read_once_an_epoch(shards):
    order = mixed_order([7, 400], [1, 3], 0)
    sampled = [order(k) for k in range(4 * BLOCK)]
    assert sum(n < 7 for n in sampled) == BLOCK
    of_second = [n for n in sampled if n >= 7]
    assert Counter(of_second[:400]).keys() | Counter(of_second).keys() == set(range(7, 407))
    assert max(Counter(of_second).values()) - min(Counter(of_second).values()) <= 1
    assert [mixed_order([7, 400], [1, 3], 0)(k) for k in (3999, 0, 1500)] == [
        sampled[k] for k in (3999, 0, 1500)
    ]
    both = ShardData([str(shards), str(shards)], [1, 3], width=SIZE[0], height=SIZE[1], batch=4)
    both.trainer = data(shards, 1).trainer
    both.setup("fit")
    first = len(both.parts[0])
    sampled = [n for numbers in both.train_stream() for n in numbers]
    assert sum(n < first for n in sampled) == pytest.approx(len(sampled) / 4, abs=30)
    with pytest.raises(InputError, match="2 positive numbers"):
        ShardData([str(shards), str(shards)], [1])


@pytest.fixture
def copied(shards, tmp_path):
    for path in shards.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


@pytest.mark.parametrize("what", ["cut", "changed", "missing"])
def test_a_shard_that_is_not_whole_is_named(copied, what):
    path = copied / "000002.tar"
    content = path.read_bytes()
    if what == "missing":
        path.unlink()
    else:
        path.write_bytes(
            content[:-700] if what == "cut" else content.replace(b"color", b"colob", 1)
        )
    with pytest.raises(InputError, match=r"000002\.tar"):
        fetched(str(copied), "")


def test_a_shard_with_too_few_samples_is_named_even_with_a_digest_that_fits(copied):
    index = json.loads((copied / INDEX).read_text())
    index["shards"][1]["samples"] += 1
    (copied / INDEX).write_text(json.dumps(index))
    with pytest.raises(InputError, match=r"000001\.tar has 5 complete samples, not 6"):
        ShardedScenes(copied, *SIZE)[EACH]


@pytest.mark.parametrize("text", ["[]", "{}", '{"shards": []}', '{"shards": [{"name": "../x"}]}'])
def test_what_is_no_index_is_reported(tmp_path, text):
    (tmp_path / INDEX).write_text(text)
    with pytest.raises(InputError, match=INDEX):
        fetched(str(tmp_path), "")


@pytest.mark.parametrize(
    "change",
    [{"models": 5}, {"models": [[1]]}]
    + [{"shards": [{"samples": n}]} for n in (-1, 0, 10**30, True, 1.5)]
    + [{"shards": [{"bytes": True}]}, {"shards": [{"name": "../x"}]}, {"shards": {}}],
)
def test_an_index_with_a_wrong_value_is_none(copied, change):
    index = json.loads((copied / INDEX).read_text())
    if isinstance(change.get("shards"), list):
        change = {"shards": [index["shards"][0] | change["shards"][0], *index["shards"][1:]]}
    (copied / INDEX).write_text(json.dumps(index | change))
    for read in (lambda: fetched(str(copied), ""), lambda: ShardedScenes(copied, *SIZE)):
        with pytest.raises(InputError, match=rf"{INDEX} is not an index of shards.*: .* should"):
            read()


def test_shards_come_from_a_url_and_a_copy_that_was_cut_off_is_fetched_again(shards, tmp_path):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    there = shutil.copytree(shards, tmp_path / "there")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(there)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}"
        folder = fetched(url, tmp_path / "cache")
        assert number(ShardedScenes(folder, *SIZE)[11]["image"]) == 11
        (folder / "000001.tar").write_bytes(b"torn")
        fetched(url, tmp_path / "cache")
        assert number(ShardedScenes(folder, *SIZE)[6]["image"]) == 6
        with pytest.raises(InputError, match="cannot be downloaded"):
            fetched(f"{url}/none", tmp_path / "cache")
        (folder / "000001.tar").unlink()
        with open(there / "000001.tar", "ab") as file:  # more than the index says
            file.write(bytes(5_000_000))
        with pytest.raises(InputError, match=r"000001\.tar is larger than the expected .* bytes"):
            fetched(url, tmp_path / "cache")
        assert sorted(path.name for path in folder.iterdir()) == sorted(
            path.name for path in there.iterdir() if path.name != "000001.tar"
        )
    finally:
        server.shutdown()
        server.server_close()


def test_the_scenes_of_a_training_are_those_of_its_shards_without_the_validation(shards, tmp_path):
    result = data(shards, 1, validation=2)
    whole = result.validation.dataset
    names = [whole.record(k)["image_filename"] for k in range(COUNT)]
    trained = scene_ids(shards, [names[k] for k in result.parts[0].indices])
    assert sum(map(len, trained.values())) == COUNT - 2
    assert result.scenes() == trained
    index = json.loads((shards / INDEX).read_text())
    assert from_list(index["shards"][0]["scenes"]) == scene_ids(shards, names[:EACH])
    # An index of other tools lists no scenes: the records are read.
    shutil.copytree(shards, tmp_path / "bare")
    for shard in index["shards"]:
        del shard["scenes"]
    (tmp_path / "bare" / INDEX).write_text(json.dumps(index))
    assert data(tmp_path / "bare", 1, validation=2).scenes() == trained
    both = ShardData(
        [str(shards), str(tmp_path / "bare")], width=SIZE[0], height=SIZE[1], validation=2
    )
    assert both.scenes() == scene_ids(shards, names)


def test_shards_of_a_twin_have_the_ids_of_that_twin(tmp_path):
    (tmp_path / "twin.json").write_text(json.dumps({"format": "twin-1", "size": COUNT, "seed": 3}))
    shards = coloured(tmp_path, root=tmp_path)
    (group,) = data(shards, 1, validation=2).scenes()
    assert group.startswith("twin seed=3 ")
