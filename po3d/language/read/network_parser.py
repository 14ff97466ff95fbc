"""Base class of the parsers that run a trained network."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Self

from po3d.io import checkpoint
from po3d.io.devices import device_of
from po3d.language.read.parse import Parse
from po3d.language.read.seq2seq import Seq2Seq, Written, restored
from po3d.language.read.type_table import TokenLanguage


class NetworkParser(ABC):
    """Network and vocabulary of a checkpoint; subclasses define the language and text handling."""

    kind: ClassVar[str]  # `kind` of its checkpoints
    language: ClassVar[TokenLanguage]
    sorts: ClassVar[tuple[str, ...]] = ("question",)  # of programs
    least_probability: float  # parses of lower probability get the status "unparsed"

    def __init__(
        self,
        network: Seq2Seq,
        words: Sequence[str],
        least_probability: float | None = None,
        device: str = "cpu",
    ) -> None:
        self.network = network.eval().to(device_of(device))
        self.index = {word: k for k, word in enumerate(words)}
        if least_probability is not None:
            self.least_probability = least_probability

    @classmethod
    def from_checkpoint(cls, path: str | Path, **options) -> Self:
        """Load the parser of a checkpoint pair.

        Raise InputError if the pair is missing, damaged or was trained for another program
        language.
        """
        weights, record = checkpoint.load(path, cls.kind)
        config = record["config"]
        network = restored(config["words"], cls.language, config["network"], weights, path)
        result = cls(network, config["words"], **options)
        result.checkpoint = str(path)
        return result

    def parse(self, texts: Sequence[str], sort: str = "question") -> list[Parse]:
        """Parse the texts; return one Parse for each, in order."""
        prepared = [self._prepared(text, sort) for text in texts]
        ready = [item[0] for item in prepared if not isinstance(item, Parse)]
        written = iter(self.network.read(ready, self.sorts.index(sort)))
        for k, item in enumerate(prepared):
            if not isinstance(item, Parse):
                prepared[k] = self._likely(next(written), item[1])
        return prepared

    @abstractmethod
    def _prepared(
        self, text: str, sort: str
    ) -> Parse | tuple[list[int], Callable[[Written], Parse]]:
        """Prepare a text for the network.

        Return a failed Parse, or the word ids and the function that converts the network's output
        to a Parse.
        """

    def _likely(self, written: Written, parsed: Callable[[Written], Parse]) -> Parse:
        least, probability = self.least_probability, written[1]
        if probability < least:
            reason = (
                f"not understood: the best program has probability {probability:.2f}, below {least}"
            )
            return Parse("unparsed", None, probability, reason)
        return parsed(written)
