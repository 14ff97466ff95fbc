"""The parser's network: a convolutional encoder and a decoder with a short memory and location-aware
attention.

Both are local on purpose. The encoder sees a few dozen words around each word, never a position in the
sentence; the decoder sees its last tokens, the types still owed, and where it looked before. So a chain of
five relations is read step by step like a chain of one, which is what lets it go deeper than it was
trained.

Decoding is constrained by the type table of the program language: every output is a valid program.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from po3d.reasoning.program import ANSWER_TYPES, TOKENS, token_types

PAD = 0  # of the input vocabulary
MEMORY = 4  # output tokens that the decoder remembers
OWED = 2  # types at the top of the stack that it sees


class Decoded(NamedTuple):
    """Greedy output for a batch: token ids (B, L), lengths (B,), and the product of the masked softmax
    (B,)."""

    tokens: Tensor
    lengths: Tensor
    probability: Tensor


def _types() -> tuple[str, ...]:
    types = [token_types(t) for t in TOKENS]
    return tuple(sorted({t.output for t in types} | {i for t in types for i in t.inputs}))


class TypeTable(nn.Module):
    """The signatures as dense tensors, and the stack of types that a partial prefix program still owes.

    Type 0 is the empty stack, 1 the answer (any of ANSWER_TYPES); others follow `_types`.
    """

    def __init__(self):
        super().__init__()
        names = ("", "answer", *_types())
        index = {name: k for k, name in enumerate(names)}
        allowed = torch.zeros(len(names), len(TOKENS), dtype=torch.bool)
        inputs = torch.zeros(len(TOKENS), 2, dtype=torch.long)
        for k, token in enumerate(TOKENS):
            types = token_types(token)
            allowed[index[types.output], k] = True
            if types.output in ANSWER_TYPES:
                allowed[index["answer"], k] = True
            for slot, name in enumerate(types.inputs):
                inputs[k, slot] = index[name]
        # Shortest way to pay a type, by fixed point: a token costs 1 and its inputs.
        cost = torch.full((len(names),), 10_000, dtype=torch.long)
        cost[0] = 0
        for _ in names:
            token_cost = 1 + cost[inputs].sum(1)
            best = torch.where(allowed, token_cost, torch.full_like(token_cost, 10_000)).min(1).values
            cost = torch.minimum(cost, best)
            cost[0] = 0
        self.count = len(names)
        for name, value in (
            ("allowed", allowed),
            ("inputs", inputs),
            ("cost", cost),
            ("token_cost", 1 + cost[inputs].sum(1)),
        ):
            self.register_buffer(name, value, persistent=False)

    def start(self, batch: int, depth: int, device) -> Tensor:
        """(batch, depth) stacks, top first, that owe one answer."""
        stack = torch.zeros(batch, depth, dtype=torch.long, device=device)
        stack[:, 0] = 1
        return stack

    def mask(self, stack: Tensor, left: int) -> Tensor:
        """(B, tokens): what may come next so that at most `left` tokens, this one included, close the
        program."""
        rest = self.cost[stack[:, 1:]].sum(1, keepdim=True)
        return self.allowed[stack[:, 0]] & (self.token_cost[None] + rest <= left)

    def step(self, stack: Tensor, tokens: Tensor) -> Tensor:
        """The stacks after the tokens; an empty stack stays empty."""
        owed = self.inputs[tokens]
        number = (owed > 0).sum(1)  # 0, 1 or 2 types pushed for the one popped
        depth = stack.shape[1]
        source = torch.arange(depth, device=stack.device)[None] + 1 - number[:, None]
        tail = F.pad(stack, (0, 1)).gather(1, source.clamp(0, depth))
        place = torch.arange(depth, device=stack.device)[None]
        pushed = F.pad(owed, (0, depth - 2))
        new = torch.where(place < number[:, None], pushed, tail)
        return torch.where(stack[:, :1] > 0, new, stack)


class _Block(nn.Module):
    """Gated dilated convolution over three words, with a residual path. Written as one product over shifted
    copies: on a CPU that is several times faster than Conv1d at these sizes."""

    def __init__(self, width: int, dilation: int):
        super().__init__()
        self.dilation = dilation
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Linear(3 * width, 2 * width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        d, length = self.dilation, x.shape[1]
        y = F.pad(self.norm(x) * mask, (0, 0, d, d))
        y = torch.cat([y[:, :length], y[:, d : d + length], y[:, 2 * d :]], -1)
        return x + F.glu(self.mix(y), -1) * mask

    def lookup(self, x: Tensor, table: Tensor, words: Tensor) -> Tensor:
        """What `forward` gives for x = table[words] (padding 0), by one row a tap and word instead of a product."""
        d, length = self.dilation, words.shape[1]
        known = torch.arange(len(table), device=words.device)[:, None] != PAD
        taps = [(self.norm(table) * known) @ w.T for w in self.mix.weight.chunk(3, 1)]
        ids = F.pad(words, (d, d), value=PAD)
        y = taps[0][ids[:, :length]] + taps[1][ids[:, d : d + length]] + taps[2][ids[:, 2 * d :]]
        return x + F.glu(y + self.mix.bias, -1) * (words != PAD)[..., None]


class Seq2Seq(nn.Module):
    """Question token ids (B, T) to program tokens, in prefix order."""

    def __init__(
        self,
        words: int,
        width: int = 128,
        dilations: tuple[int, ...] = (1, 2, 4, 8, 1, 2),
        heads: int = 4,
        reach: int = 15,
        dropout: float = 0.1,
        longest: int = 72,
    ):
        super().__init__()
        self.heads, self.longest = heads, longest
        self.types = TypeTable()
        self.embed = nn.Embedding(words, width, padding_idx=PAD)
        self.blocks = nn.ModuleList(_Block(width, d) for d in dilations)
        self.norm = nn.LayerNorm(width)
        self.key_value = nn.Linear(width, 2 * width)
        self.previous = nn.ModuleList(nn.Embedding(len(TOKENS) + 1, width // 2) for _ in range(MEMORY))
        self.owed = nn.ModuleList(nn.Embedding(self.types.count, 32) for _ in range(OWED))
        memory = MEMORY * (width // 2) + OWED * 32
        self.look = nn.Sequential(
            nn.Linear(memory + width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        # Where each head looked last and ever, as seen from every word: one bias a head, gated by the query.
        self.where = nn.Conv1d(2 * heads, 4 * heads, 2 * reach + 1, padding=reach)
        self.gate = nn.Linear(width, 4 * heads)
        self.write = nn.Sequential(
            nn.Linear(memory + 2 * width, 2 * width),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(2 * width, len(TOKENS)),
        )
        self.drop = nn.Dropout(dropout)

    def encode(self, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Keys and values (B, heads, T, d) and the padding mask (B, T)."""
        mask = words != PAD
        x = self.drop(self.embed(words))
        first, *others = self.blocks
        x = first(x, mask[..., None]) if self.training else first.lookup(x, self.embed.weight, words)
        for block in others:
            x = block(x, mask[..., None])
        key, value = self.key_value(self.norm(x)).chunk(2, -1)
        split = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)  # noqa: E731
        return split(key), split(value), mask

    def _tables(self) -> list[Tensor]:
        """For each remembered token and owed type, its share of the first layers of `look` and `write` by id:
        (ids, 4 width). Those layers are linear, so one lookup replaces an embedding and a product at every step."""
        tables, start = [], 0
        for embed in (*self.previous, *self.owed):
            end = start + embed.embedding_dim
            weight = torch.cat([self.look[0].weight[:, start:end], self.write[0].weight[:, start:end]])
            tables.append(embed.weight @ weight.T)
            start = end
        return tables

    def _step(
        self, tables: list[Tensor], last: Tensor, stack: Tensor, state: tuple[Tensor, Tensor, Tensor], encoded
    ) -> tuple[Tensor, tuple]:
        """Logits (B, tokens) and the new state (context, where it looked last, where it ever looked)."""
        key, value, mask = encoded
        context, looked, ever = state
        ids = [last[:, k] for k in range(MEMORY)] + [stack[:, k] for k in range(OWED)]
        memory = sum(table[i] for table, i in zip(tables, ids, strict=True))
        remember_look, remember_write = memory.chunk(2, 1)
        first, first_write = self.look[0], self.write[0]
        size = first.in_features - context.shape[1]
        query = self.look[1:](remember_look + F.linear(context, first.weight[:, size:], first.bias))
        place = self.where(torch.cat([looked, ever.clamp(max=2.0)], 1))  # (B, 4 heads, T)
        bias = (place * self.gate(query)[..., None]).unflatten(1, (self.heads, 4)).sum(2)
        q = query.unflatten(-1, (self.heads, -1))
        score = torch.einsum("bhd,bhtd->bht", q, key) / q.shape[-1] ** 0.5 + bias
        weight = score.masked_fill(~mask[:, None], -1e4).softmax(-1)
        context = torch.einsum("bht,bhtd->bhd", weight, value).flatten(1)
        seen = F.linear(torch.cat([query, context], 1), first_write.weight[:, size:], first_write.bias)
        return self.write[1:](remember_write + seen), (context, weight, ever + weight)

    def _start(self, encoded) -> tuple[Tensor, Tensor, Tensor]:
        key = encoded[0]
        batch, heads, length, size = key.shape
        nothing = key.new_zeros(batch, heads, length)
        return key.new_zeros(batch, heads * size), nothing, nothing

    def forward(self, words: Tensor, program: Tensor) -> Tensor:
        """Teacher-forced negative log-likelihood (B,) of programs (B, L), padded with -1, under the type
        table."""
        encoded = self.encode(words)
        state, tables = self._start(encoded), self._tables()
        batch, length = program.shape
        stack = self.types.start(batch, 12, words.device)
        last = words.new_full((batch, MEMORY), len(TOKENS))
        loss = words.new_zeros(batch, dtype=torch.float32)
        for k in range(length):
            gold = program[:, k]
            logits, state = self._step(tables, last, stack, state, encoded)
            allowed = self.types.allowed[stack[:, 0]]
            safe = gold.clamp(min=0)
            scores = logits.float().masked_fill(~allowed, -1e4)
            loss = loss + F.cross_entropy(scores, safe, reduction="none") * (gold >= 0)
            stack = self.types.step(stack, safe)
            last = torch.cat([safe[:, None], last[:, :-1]], 1)
        return loss

    @torch.inference_mode()
    def greedy(self, words: Tensor) -> Decoded:
        """The greedy program of each question; always valid, never longer than `longest` tokens."""
        encoded = self.encode(words)
        state, tables = self._start(encoded), self._tables()
        batch = len(words)
        stack = self.types.start(batch, self.longest + 2, words.device)
        last = words.new_full((batch, MEMORY), len(TOKENS))
        tokens = words.new_zeros(batch, self.longest)
        lengths = words.new_zeros(batch)
        log_probability = torch.zeros(batch, device=words.device)
        rows = torch.arange(batch, device=words.device)  # the row of the output that each running row writes
        for k in range(self.longest):
            logits, state = self._step(tables, last, stack, state, encoded)
            scores = logits.float().masked_fill(~self.types.mask(stack, self.longest - k), -1e4)
            best, token = scores.log_softmax(-1).max(-1)
            running = stack[:, 0] > 0
            tokens[rows, k] = token
            log_probability[rows] += best * running
            lengths[rows] += running
            stack = self.types.step(stack, token)
            last = torch.cat([token[:, None], last[:, :-1]], 1)
            going = stack[:, 0] > 0
            if not going.any():
                break
            if going.sum() < 0.75 * len(rows):  # finished rows leave the batch
                rows, stack, last = rows[going], stack[going], last[going]
                state = tuple(t[going] for t in state)
                encoded = tuple(t[going] for t in encoded)
        return Decoded(tokens, lengths, log_probability.exp())
