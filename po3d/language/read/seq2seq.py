"""The street and room parsers' network: convolutional encoder, short-memory decoder.

Both are local by design. The encoder has a receptive field of a few dozen words and no position
embedding. The decoder conditions on its last tokens, the types still required, and its previous
attention. A chain of five relations is therefore parsed step by step like a chain of one, which
lets the network generalise to deeper programs than in training.

Decoding is constrained by the type table of the program language, so every output is a valid
program. A language may have tokens that copy a span of the sentence (open names): for those the
decoder also points at the span's first and last word.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from po3d.io import checkpoint
from po3d.io.errors import InputError
from po3d.language.read.convolution import PAD, ConvolutionBlock
from po3d.language.read.type_table import TokenLanguage, TypeTable

MEMORY = 4  # previous output tokens that the decoder conditions on
OWED = 2  # types at the top of the stack that it conditions on
LONGEST_NAME = 5  # words of a copied span
# Kernels round the last rows and columns of odd shapes, and small row counts, differently. So
# sentences are padded to a multiple of COLUMNS words, only sentences of one padded length are
# decoded together, and matrix products have multiples of 16 rows: one per word in the encoder
# (ENCODED sentences of 8), one per sentence in the decoder. The parse of a sentence is then bitwise
# independent of the other sentences.
COLUMNS, ENCODED, ROWS = 8, 2, 16
BATCH = 256  # sentences per batch


class Decoded(NamedTuple):
    """Decoder output for a batch.

    `tokens` (B, L): ids; `lengths` (B,); `probability` (B,): product of the masked softmax; `spans`
    (B, L, 2): first and last word of the copied span, for tokens that copy.
    """

    tokens: Tensor
    lengths: Tensor
    probability: Tensor
    spans: Tensor


# Decoder output for a sentence: token ids, their probability, spans of copying tokens.
Written = tuple[list[int], float, list[list[int]]]


def _whole(rows: Tensor, multiple: int) -> Tensor:
    """Pad the rows to a multiple by repeating the last one."""
    count = -(-len(rows) // multiple) * multiple
    if count == len(rows):
        return rows
    return rows[torch.arange(count, device=rows.device).clamp(max=len(rows) - 1)]


def restored(
    words: Sequence[str],
    language: TokenLanguage,
    options: Mapping,
    weights: Mapping[str, torch.Tensor],
    path: str | Path,
) -> "Seq2Seq":
    """Restore the network of the checkpoint `path`, with input `words` and output `language`.

    Raise InputError if it was trained for another program language.
    """
    written = len(weights.get("write.3.weight", language.tokens))
    if written != len(language.tokens):
        raise InputError(
            f"checkpoint {path} was trained with another program vocabulary ({written}"
            f" tokens, not {len(language.tokens)}); train it again"
        )
    return checkpoint.restored(partial(Seq2Seq, len(words), language, **options), weights, path)


class Seq2Seq(nn.Module):
    """Maps question token ids (B, T) to program tokens in prefix order."""

    def __init__(
        self,
        words: int,
        language: TokenLanguage,
        width: int = 128,
        dilations: tuple[int, ...] = (1, 2, 4, 8, 1, 2),
        heads: int = 4,
        reach: int = 15,
        dropout: float = 0.1,
        longest: int = 72,
    ):
        super().__init__()
        count = len(language.tokens)
        self.heads, self.longest, self.tokens = heads, longest, count
        self.types = TypeTable(language)
        self.copying = bool(language.copies)
        self.embed = nn.Embedding(words, width, padding_idx=PAD)
        self.blocks = nn.ModuleList(ConvolutionBlock(width, d) for d in dilations)
        self.norm = nn.LayerNorm(width)
        self.key_value = nn.Linear(width, 2 * width)
        self.previous = nn.ModuleList(nn.Embedding(count + 1, width // 2) for _ in range(MEMORY))
        self.owed = nn.ModuleList(nn.Embedding(self.types.count, 32) for _ in range(OWED))
        memory = MEMORY * (width // 2) + OWED * 32
        self.look = nn.Sequential(
            nn.Linear(memory + width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        # Bias on the attention from each head's last and accumulated attention around every word,
        # gated by the query.
        self.where = nn.Conv1d(2 * heads, 4 * heads, 2 * reach + 1, padding=reach)
        self.gate = nn.Linear(width, 4 * heads)
        self.write = nn.Sequential(
            nn.Linear(memory + 2 * width, 2 * width),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(2 * width, count),
        )
        # Pointer to the ends of a copied span, from the decoder state and the attention nearby.
        if language.copies:
            self.point = nn.Linear(3 * width, 2 * width)
            self.near = nn.Conv1d(heads, 2, 9, padding=4)
        self.drop = nn.Dropout(dropout)

    @property
    def depth(self) -> int:
        """Size of a type stack that holds the types required by any program of `longest` tokens."""
        return self.longest + 2

    def encode(self, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return keys and values (B, heads, T, d) and the padding mask (B, T)."""
        mask = words != PAD
        x = self.drop(self.embed(words))
        first, *others = self.blocks
        x = (
            first(x, mask[..., None])
            if self.training
            else first.lookup(x, self.embed.weight, words)
        )
        for block in others:
            x = block(x, mask[..., None])
        key, value = self.key_value(self.norm(x)).chunk(2, -1)
        split = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2).contiguous()  # noqa: E731
        return split(key), split(value), mask

    def _tables(self) -> list[Tensor]:
        """Precompute the first layers of `look` and `write` for each past token and required type.

        Return one (ids, 4 width) table for each. Those layers are linear, so one lookup replaces an
        embedding and a product at every step.
        """
        embeds = [*self.previous, *self.owed]
        sizes = [embed.embedding_dim for embed in embeds]
        weights = torch.cat(
            [layer.weight[:, : sum(sizes)] for layer in (self.look[0], self.write[0])]
        )
        return [e.weight @ w.T for e, w in zip(embeds, weights.split(sizes, 1), strict=True)]

    def _step(
        self,
        tables: list[Tensor],
        last: Tensor,
        stack: Tensor,
        state: tuple[Tensor, Tensor, Tensor],
        encoded,
    ) -> tuple[Tensor, Tensor, tuple]:
        """Run one decoder step.

        Return logits (B, tokens), the input of `_pointers`, and the new state (context, last
        attention, accumulated attention).
        """
        key, value, mask = encoded
        context, attention, ever = state
        ids = [*last.unbind(1), *stack[:, :OWED].unbind(1)]
        memory = sum(table[i] for table, i in zip(tables, ids, strict=True))
        remember_look, remember_write = memory.chunk(2, 1)
        first, first_write = self.look[0], self.write[0]
        size = first.in_features - context.shape[1]
        query = self.look[1:](remember_look + F.linear(context, first.weight[:, size:], first.bias))
        place = self.where(torch.cat([attention, ever.clamp(max=2.0)], 1))  # (B, 4 heads, T)
        bias = (place * self.gate(query)[..., None]).unflatten(1, (self.heads, 4)).sum(2)
        q = query.unflatten(-1, (self.heads, -1))
        score = torch.einsum("bhd,bhtd->bht", q, key) / q.shape[-1] ** 0.5 + bias
        weight = score.masked_fill(~mask[:, None], -1e4).softmax(-1)
        context = torch.einsum("bht,bhtd->bhd", weight, value).flatten(1)
        projected = F.linear(
            torch.cat([query, context], 1), first_write.weight[:, size:], first_write.bias
        )
        hidden = remember_write + projected
        return (
            self.write[1:](hidden),
            torch.cat([F.gelu(hidden), query], 1),
            (context, weight, ever + weight),
        )

    def _pointers(self, aim: Tensor, attention: Tensor, encoded) -> Tensor:
        """Return pointer scores (B, 2, T) of the words as first and last word of a copied span."""
        key, _, mask = encoded
        ends = self.point(aim).unflatten(1, (2, -1))
        words = key.transpose(1, 2).flatten(2)  # (B, T, width)
        scores = torch.einsum("bed,btd->bet", ends, words) / words.shape[-1] ** 0.5 + self.near(
            attention
        )
        return scores.float().masked_fill(~mask[:, None], -torch.inf)  # padding is never copied

    def _start(self, encoded) -> tuple[Tensor, Tensor, Tensor]:
        key = encoded[0]
        batch, heads, length, size = key.shape
        nothing = key.new_zeros(batch, heads, length)
        return key.new_zeros(batch, heads * size), nothing, nothing

    def forward(
        self,
        words: Tensor,
        program: Tensor,
        sorts: Tensor | None = None,
        spans: Tensor | None = None,
    ) -> Tensor:
        """Return the teacher-forced negative log-likelihood (B,) under the type table.

        Args:
          program: (B, L) token ids, padded with -1.
          sorts: (B,) sort of each program; default 0.
          spans: (B, L, 2) first and last word of the spans of copying tokens; unused in a language
            without.
        """
        encoded = self.encode(words)
        state, tables = self._start(encoded), self._tables()
        batch, length = program.shape
        stack = self.types.start(words.new_zeros(batch) if sorts is None else sorts, self.depth)
        last = words.new_full((batch, MEMORY), self.tokens)
        loss = words.new_zeros(batch, dtype=torch.float32)
        for k in range(length):
            gold = program[:, k]
            logits, aim, state = self._step(tables, last, stack, state, encoded)
            allowed = self.types.allowed[stack[:, 0]]
            safe = gold.clamp(min=0)
            scores = logits.float().masked_fill(~allowed, -1e4)
            loss = loss + F.cross_entropy(scores, safe, reduction="none") * (gold >= 0)
            if self.copying and spans is not None:
                pointing = self.types.copies[safe] & (gold >= 0)
                ends = self._pointers(aim, state[1], encoded).flatten(0, 1)
                missed = (
                    F.cross_entropy(ends, spans[:, k].flatten(), reduction="none")
                    .view(batch, 2)
                    .sum(1)
                )
                loss = loss + missed * pointing
            stack = self.types.step(stack, safe)
            last = torch.cat([safe[:, None], last[:, :-1]], 1)
        return loss

    def read(self, sentences: Sequence[Sequence[int]], sort: int = 0) -> list[Written]:
        """Decode sentences of token ids greedily into programs of a sort, in order.

        Duplicates are decoded once.
        """
        device = self.embed.weight.device
        cache: dict[tuple[int, ...], Written] = {}
        columns = lambda ids: -(-len(ids) // COLUMNS) * COLUMNS  # noqa: E731
        distinct = sorted(dict.fromkeys(map(tuple, sentences)), key=len)
        for length, group in groupby(distinct, columns):
            same = list(group)
            for start in range(0, len(same), BATCH):
                part = same[start : start + BATCH]
                words = torch.tensor(
                    [[*ids, *[PAD] * (length - len(ids))] for ids in part], device=device
                )
                decoded = self.greedy(words, torch.full((len(part),), sort, device=device))
                counts, probability = decoded.lengths.tolist(), decoded.probability.tolist()
                tokens = decoded.tokens[:, : max(counts)].tolist()
                spans = (
                    decoded.spans[:, : max(counts)].tolist() if self.copying else [[]] * len(part)
                )
                for k, (ids, count) in enumerate(zip(part, counts)):
                    cache[ids] = tokens[k][:count], probability[k], spans[k][:count]
        return [cache[tuple(ids)] for ids in sentences]

    @torch.inference_mode()
    def greedy(self, words: Tensor, sorts: Tensor | None = None) -> Decoded:
        """Decode greedily; every program is valid and has at most `longest` tokens."""
        size = len(words)
        encoded = tuple(_whole(t, ROWS) for t in self.encode(_whole(words, ENCODED)))
        state, tables = self._start(encoded), self._tables()
        batch = len(encoded[0])
        sorts = words.new_zeros(batch) if sorts is None else _whole(sorts, batch)
        stack = self.types.start(sorts, self.depth)
        last = words.new_full((batch, MEMORY), self.tokens)
        tokens = words.new_zeros(batch, self.longest)
        spans = words.new_zeros(batch, self.longest, 2)
        lengths = words.new_zeros(batch)
        log_probability = torch.zeros(batch, device=words.device)
        rows = torch.arange(batch, device=words.device)  # output row of each running row
        for k in range(self.longest):
            logits, aim, state = self._step(tables, last, stack, state, encoded)
            scores = logits.float().masked_fill(~self.types.mask(stack, self.longest - k), -1e4)
            best, token = scores.log_softmax(-1).max(-1)
            running = stack[:, 0] > 0
            copying = self.types.copies[token] & running
            if self.copying and copying.any():
                ends, span = self._span(self._pointers(aim, state[1], encoded))
                spans[rows, k] = span
                best = best + ends * copying
            tokens[rows, k] = token
            log_probability[rows] += best * running
            lengths[rows] += running
            stack = self.types.step(stack, token)
            last = torch.cat([token[:, None], last[:, :-1]], 1)
            going = stack[:, 0] > 0
            if not going.any():
                break
            count = -(-int(going.sum()) // ROWS) * ROWS
            if count < 0.75 * len(rows):  # finished rows leave the batch
                active = going.sort(descending=True, stable=True).indices[:count]
                rows, stack, last = rows[active], stack[active], last[active]
                state = tuple(t[active] for t in state)
                encoded = tuple(t[active] for t in encoded)
        return Decoded(*(t[:size] for t in (tokens, lengths, log_probability.exp(), spans)))

    @staticmethod
    def _span(scores: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probability (B,) and ends (B, 2) of the best span of <= LONGEST_NAME words."""
        first, last = scores.log_softmax(-1).unbind(1)
        both = first[:, :, None] + last[:, None]  # (B, from, to)
        length = scores.shape[-1]
        near = (
            torch.ones(length, length, dtype=torch.bool, device=scores.device)
            .triu()
            .tril(LONGEST_NAME - 1)
        )
        best, where = both.masked_fill(~near, -torch.inf).flatten(1).max(1)
        return best, torch.stack([where // length, where % length], 1)
