"""The general parser's network: a pretrained sentence encoder and a small program decoder.

The encoder's embeddings are frozen, its layers are fine-tuned. The decoder writes tokens of the
program language under the type table, and points at the ends of copied spans.
"""

from dataclasses import asdict

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from po3d.io.errors import InputError
from po3d.language.read.reader_tokens import FARTHEST, SEGMENTS, SORTS
from po3d.language.read.reader_vocabulary import LONGEST_PROGRAM, Vocabulary
from po3d.language.read.seq2seq import Decoded
from po3d.language.read.transformer import MINILM, DecoderLayer, Encoder, Shape
from po3d.language.read.type_table import TypeTable

FROZEN = "encoder.embeddings."  # parameters that are not trained
LEAVE = 0.8  # finished inputs are removed from the batch when at most this share is still running


class ReaderNetwork(nn.Module):
    """Maps inputs (`reader_tokens.EncodedInput`) to programs.

    `words` (B, T) marks word starts, which the pointer may select.
    """

    def __init__(
        self, vocabulary: Vocabulary, shape: Shape = MINILM, smoothing: float = 0.0
    ) -> None:
        super().__init__()
        self.shape, d = shape, shape.decoder
        self.smoothing = smoothing  # label smoothing in the training loss
        self.types = TypeTable(vocabulary.language)
        count = len(vocabulary.tokens)
        self.encoder = Encoder(shape)
        self.segment = nn.Embedding(len(SEGMENTS), shape.width)
        nn.init.zeros_(self.segment.weight)
        self.narrow = nn.Linear(shape.width, d)
        self.token = nn.Embedding(count + len(SORTS), d)  # with one start token per sort
        self.owed = nn.ModuleList(nn.Embedding(self.types.count, d) for _ in range(2))
        self.place = nn.Embedding(LONGEST_PROGRAM, d)
        self.blocks = nn.ModuleList(DecoderLayer(shape) for _ in range(shape.decoder_layers))
        self.norm = nn.LayerNorm(d)
        self.write = nn.Linear(d, count)
        self.first, self.last = nn.Linear(d, d), nn.Linear(2 * d, d)
        self.pointed = nn.Linear(d, d)
        for table in (self.token, *self.owed, self.place):
            nn.init.normal_(table.weight, std=0.05)

    def config(self) -> dict:
        return asdict(self.shape)

    def start_from(self, weights: dict[str, Tensor], still: int = 0) -> None:
        """Load the published encoder; freeze its embeddings and its first `still` layers."""
        missing, unexpected = self.load_state_dict(weights, strict=False)
        if unexpected or any(name.startswith("encoder.") for name in missing):
            raise InputError("the weights are not those of all-MiniLM-L6-v2")
        frozen = (FROZEN, *(f"encoder.encoder.layer.{k}." for k in range(still)))
        for name, weight in self.named_parameters():
            weight.requires_grad_(not name.startswith(frozen))
        for layer in self.encoder.encoder["layer"][:still]:
            layer.drop.p = 0.0

    def groups(self, rate: float, encoder_rate: float) -> list[dict]:
        """Return the optimiser's parameter groups: the decoder, and the encoder's layers."""
        groups = [{"params": [], "lr": rate}, {"params": [], "lr": encoder_rate}]
        for name, weight in self.named_parameters():
            if weight.requires_grad:
                groups[name.startswith("encoder.")]["params"].append(weight)
        return groups

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Encode the inputs: (B, T, d), with d the decoder's width."""
        return self.narrow(self.encoder(ids, self.segment(segments), mask[:, None, None]))

    def _memories(self, encoded: Tensor, of: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Return each block's keys and values of the inputs `of` (R,), for cross-attention."""
        memories = []
        for block in self.blocks:
            key, value = block.memory(encoded)
            memories.append((key[of], value[of]))
        return memories

    def _inputs(self, before: Tensor, copied: Tensor, stacks: Tensor, start: int) -> Tensor:
        """Embed the decoder's inputs.

        `before` (B, L): previous tokens; `copied` (B, L, d): encoder states that they copied;
        `stacks` (B, L, 2): required types.
        """
        places = self.place.weight[start : start + before.shape[1]]
        owed = sum(table(stacks[..., k]) for k, table in enumerate(self.owed))
        return self.token(before) + owed + places + self.pointed(copied)

    def _ends(self, hidden: Tensor, encoded: Tensor, first: Tensor | None, words: Tensor) -> Tensor:
        """Return pointer scores (B, L, T) of the words.

        Scores of a span's first word or, given `first` (B, L), of its last word.
        """
        if first is None:
            aim = self.first(hidden)
        else:
            aim = self.last(torch.cat([hidden, _taken(encoded, first)], -1))
        scores = (aim @ encoded.transpose(1, 2)).float() / aim.shape[-1] ** 0.5
        allowed = words[:, None]
        if first is not None:
            place = torch.arange(words.shape[1], device=words.device)
            allowed = allowed & (place >= first[..., None]) & (place < first[..., None] + FARTHEST)
        return scores.masked_fill(~allowed, -1e4)

    def forward(
        self,
        ids: Tensor,
        segments: Tensor,
        words: Tensor,
        sorts: Tensor,
        of: Tensor,
        program: Tensor,
        spans: Tensor,
    ) -> Tensor:
        """Return the negative log-likelihood (R,) of programs (R, L) and their spans (R, L, 2).

        `program` is padded with -1; `ids` (B, T) is padded with 0; `sorts` and `of` (R,): the sort
        of each program, and the index of its input. Invalid tokens are masked by the type table.
        """
        encoded = self.encode(ids, segments, mask := ids > 0)
        memories = self._memories(encoded, of)
        encoded, mask, words = encoded[of], mask[of], words[of]
        gold, there = program.clamp(min=0), program >= 0
        stack = self.types.start(sorts, 32)
        stacks = []
        for k in range(program.shape[1]):
            stacks.append(stack[:, :2])
            stack = self.types.step(stack, gold[:, k])
        owed = torch.stack(stacks, 1)
        copies = self.types.copies[gold] & there
        copied = _taken(encoded, spans[..., 0]) * copies[..., None]
        before = torch.cat([len(self.write.weight) + sorts[:, None], gold[:, :-1]], 1)
        x = self._inputs(before, F.pad(copied[:, :-1], (0, 0, 1, 0)), owed, 0)
        for block, memory in zip(self.blocks, memories, strict=True):
            x = block(x, memory, mask[:, None, None])
        x = self.norm(x)
        scores = self.write(x).float().masked_fill(~self.types.allowed[owed[..., 0]], -1e4)
        loss = F.cross_entropy(scores.transpose(1, 2), gold, reduction="none")
        if self.training and self.smoothing:
            allowed = self.types.allowed[owed[..., 0]]
            even = -(scores.log_softmax(-1) * allowed).sum(-1) / allowed.sum(-1).clamp(min=1)
            loss = (1 - self.smoothing) * loss + self.smoothing * even
        loss = loss * there
        for k, first in ((0, None), (1, spans[..., 0])):
            ends = self._ends(x, encoded, first, words).transpose(1, 2)
            loss = loss + F.cross_entropy(ends, spans[..., k], reduction="none") * copies
        return loss.sum(1)

    @torch.inference_mode()
    def beam(
        self, ids: Tensor, segments: Tensor, words: Tensor, sorts: Tensor, of: Tensor, width: int
    ) -> Decoded:
        """Return the `width` most probable programs for each of `sorts`, most probable first.

        The result is a Decoded whose tensors have a second axis of size `width`.
        """
        encoded = self.encode(ids, segments, ids > 0)
        count, longest, device = len(of), LONGEST_PROGRAM, ids.device
        memories = self._memories(encoded, of)
        encoded, mask, words = encoded[of], (ids > 0)[of], words[of]
        done = Decoded(
            ids.new_zeros(count, width, longest),
            ids.new_zeros(count, width),
            torch.zeros(count, width, device=device),
            ids.new_zeros(count, width, longest, 2),
        )
        still = torch.arange(count, device=device)  # inputs whose programs are not all complete
        # Row tensors: `width` beams per input, grouped by input.
        rows = sorts.repeat_interleave(width)
        stack = self.types.start(rows, longest + 4)
        tokens, spans = ids.new_zeros(len(rows), longest), ids.new_zeros(len(rows), longest, 2)
        lengths = ids.new_zeros(len(rows))
        total = torch.full((count, width), -torch.inf, device=device)
        total[:, 0] = 0  # all beams of an input are equal at first, so only one counts
        total = total.flatten()
        past: list = [None] * len(self.blocks)
        before, copied = (
            len(self.write.weight) + rows,
            encoded.new_zeros(len(rows), encoded.shape[-1]),
        )
        for k in range(longest):
            x = self._inputs(before[:, None], copied[:, None], stack[:, None, :2], k).view(
                len(still), width, -1
            )
            for n, block in enumerate(self.blocks):
                x, past[n] = block.step(x, memories[n], mask[:, None, None], past[n])
            x = self.norm(x)
            may = self.types.mask(stack, longest - k)
            scores = self.write(x).flatten(0, 1).float().masked_fill(~may, -1e4).log_softmax(-1)
            running = stack[:, 0] > 0
            # Each beam continues with `width` tokens or `width` copied spans; a complete one is
            # kept unchanged.
            plain, token = scores.masked_fill(self.types.copies, -torch.inf).topk(width)
            copies, (first, last) = self._copies(
                x, encoded, words, running & (may & self.types.copies).any(1)
            )
            ways = torch.cat([plain, scores[:, self.types.copies] + copies], 1)
            whole = torch.full_like(ways, -torch.inf)
            whole[:, 0] = 0
            ways = total[:, None] + torch.where(running[:, None], ways, whole)
            total, best = ways.view(len(still), -1).topk(width)
            row = (
                torch.arange(len(still), device=device)[:, None] * width + best // ways.shape[1]
            ).flatten()
            way, total = (best % ways.shape[1]).flatten(), total.flatten()
            running, copying = running[row], (way >= width) & running[row]
            which = (way - width).clamp(min=0)[:, None]
            tokens, spans, lengths, stack = (
                tokens[row],
                spans[row],
                lengths[row] + running,
                stack[row],
            )
            chosen = token[row].gather(1, way.clamp(max=width - 1)[:, None])[:, 0]
            before = torch.where(copying, int(self.types.copies.nonzero()[0]), chosen)
            span = (
                torch.cat([first[row].gather(1, which), last[row].gather(1, which)], 1)
                * copying[:, None]
            )
            tokens[:, k], spans[:, k] = before * running, span
            copied = _taken(encoded, span[:, 0].view(-1, width)).flatten(0, 1) * copying[:, None]
            stack = self.types.step(stack, before)
            going = (stack[:, 0] > 0).view(-1, width).any(1)
            ends = k + 1 == longest or not going.any()
            if ends or going.sum() <= LEAVE * len(going):  # finished inputs leave the batch
                for place, part in zip(done, (tokens, lengths, total.exp(), spans), strict=True):
                    place[still] = part.view(len(still), width, *part.shape[1:])
                if ends:
                    break
                still, encoded, mask, words = (t[going] for t in (still, encoded, mask, words))
                memories = [(key[going], value[going]) for key, value in memories]
                stays = going.repeat_interleave(width)
                row, stack, tokens, spans, lengths, total, before, copied = (
                    t[stays] for t in (row, stack, tokens, spans, lengths, total, before, copied)
                )
            past = [(key[row], value[row]) for key, value in past]
        return done

    def _copies(
        self, x: Tensor, encoded: Tensor, words: Tensor, may: Tensor
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return the most probable copied spans for the beams `x` (B, W, d) that `may` (B W,) copy.

        Return log-probabilities and first and last words of the spans, (B W, spans) each; other
        rows get -1e4.
        """
        width, count = x.shape[1], min(x.shape[1], words.shape[1])
        scores = x.new_full((len(may), count), -1e4).float()
        first, last = torch.zeros(2, len(may), count, dtype=torch.long, device=x.device)
        of = may.nonzero()[:, 0]
        if len(of):
            hidden, states, there = (
                x.flatten(0, 1)[of][:, None],
                encoded[of // width],
                words[of // width],
            )
            first_score, first[of] = (
                self._ends(hidden, states, None, there)[:, 0].log_softmax(-1).topk(count)
            )
            ends = self._ends(hidden.expand(-1, count, -1), states, first[of], there)
            two, last[of] = ends.log_softmax(-1).max(-1)
            scores[of] = first_score + two
        return scores, (first, last)


def _taken(encoded: Tensor, places: Tensor) -> Tensor:
    """Gather the states (B, L, d) at places (B, L)."""
    return encoded.gather(1, places[..., None].expand(-1, -1, encoded.shape[-1]))
