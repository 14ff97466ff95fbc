"""Layers of the general parser's network: a BERT encoder, and decoder layers.

The encoder (all-MiniLM-L6-v2: 6 layers, 384 wide) is in plain torch, with the parameter names of
its published weights. A decoder layer has causal self-attention and cross-attention to the input.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Shape:
    """Sizes of the network; the encoder's are those of all-MiniLM-L6-v2."""

    pieces: int = 30522
    width: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    positions: int = 512
    decoder: int = 256
    decoder_layers: int = 3
    decoder_heads: int = 4
    dropout: float = 0.1


MINILM = Shape()


class Dropout(nn.Dropout):
    """Dropout with one random byte per element, an eighth of torch's random bits on CPUs.

    This saves a sixth of a training step's time there. The probability is rounded to 1/256.
    """

    def forward(self, x: Tensor) -> Tensor:
        dropped = round(self.p * 256)
        if not (self.training and dropped and x.device.type == "cpu"):
            return super().forward(x)
        bits = torch.empty(-(-x.numel() // 8), dtype=torch.int64).random_(-(2**63), None)
        mask = bits.view(torch.uint8)[: x.numel()].view(x.shape) >= dropped
        return x * (mask * (256 / (256 - dropped))).to(x.dtype)


def _output(inner: int, width: int) -> nn.ModuleDict:
    return nn.ModuleDict(
        {"dense": nn.Linear(inner, width), "LayerNorm": nn.LayerNorm(width, eps=1e-12)}
    )


class _Layer(nn.Module):
    """One layer of BERT, with the submodule names of its published weights."""

    def __init__(self, s: Shape) -> None:
        super().__init__()
        self.heads, self.drop = s.heads, Dropout(s.dropout)
        of = {name: nn.Linear(s.width, s.width) for name in ("query", "key", "value")}
        self.attention = nn.ModuleDict(
            {"self": nn.ModuleDict(of), "output": _output(s.width, s.width)}
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(s.width, s.inner)})
        self.output = _output(s.inner, s.width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        of, output = self.attention["self"].values(), self.attention["output"]
        together = F.linear(x, torch.cat([f.weight for f in of]), torch.cat([f.bias for f in of]))
        q, k, v = (_split(part, self.heads) for part in together.chunk(3, -1))
        attended = _attention(q, k, v, mask).transpose(1, 2).flatten(2)
        x = output["LayerNorm"](x + self.drop(output["dense"](attended)))
        inner = F.gelu(self.intermediate["dense"](x))
        return self.output["LayerNorm"](x + self.drop(self.output["dense"](inner)))


class Encoder(nn.Module):
    """Encode word pieces (B, T) to states (B, T, width)."""

    def __init__(self, s: Shape) -> None:
        super().__init__()
        counts = {"word": s.pieces, "position": s.positions, "token_type": 2}
        tables = {f"{of}_embeddings": nn.Embedding(n, s.width) for of, n in counts.items()}
        self.embeddings = nn.ModuleDict({**tables, "LayerNorm": nn.LayerNorm(s.width, eps=1e-12)})
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(_Layer(s) for _ in range(s.layers))})
        self.drop = Dropout(s.dropout)

    def forward(self, ids: Tensor, extra: Tensor, mask: Tensor) -> Tensor:
        words, places, types, norm = self.embeddings.values()
        x = norm(words(ids) + places.weight[: ids.shape[1]] + types.weight[0] + extra)
        x = self.drop(x)
        # residuals in low precision: avoids a cast before each product
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))
        for layer in self.encoder["layer"]:
            x = layer(x, mask)
        return x


class DecoderLayer(nn.Module):
    """A decoder layer: self-attention, cross-attention to the input, feed-forward."""

    def __init__(self, s: Shape) -> None:
        super().__init__()
        d = s.decoder
        self.heads, self.drop = s.decoder_heads, Dropout(s.dropout)
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3))
        self.own, self.own_out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ask, self.seen, self.seen_out = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.inner, self.outer = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def memory(self, encoded: Tensor) -> tuple[Tensor, Tensor]:
        """Return keys and values of the input for cross-attention."""
        key, value = self.seen(encoded).chunk(2, -1)
        return _split(key, self.heads), _split(value, self.heads)

    def forward(self, x: Tensor, memory: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        """Process all L tokens of each program in parallel, (B, L, d), with a causal mask."""
        q, k, v = (_split(t, self.heads) for t in self.own(self.norms[0](x)).chunk(3, -1))
        before = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
        attended = _attention(q, k, v, before)
        return self._rest(x, attended.transpose(1, 2).flatten(2), memory, mask)

    def step(
        self,
        x: Tensor,
        memory: tuple[Tensor, Tensor],
        mask: Tensor,
        past: tuple[Tensor, Tensor] | None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Process the next token of W programs per input, (B, W, d).

        `past`: keys and values of the previous tokens, (B W, heads, L, d / heads).
        """
        q, k, v = (
            _split(t.flatten(0, 1)[:, None], self.heads)
            for t in self.own(self.norms[0](x)).chunk(3, -1)
        )
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        attended = F.scaled_dot_product_attention(q, k, v)
        return self._rest(x, attended.reshape(x.shape), memory, mask), (k, v)

    def _rest(
        self, x: Tensor, attended: Tensor, memory: tuple[Tensor, Tensor], mask: Tensor
    ) -> Tensor:
        """Apply what follows self-attention: cross-attention and feed-forward."""
        x = x + self.drop(self.own_out(attended))
        q = _split(self.ask(self.norms[1](x)), self.heads)
        attended = _attention(q, *memory, mask)
        x = x + self.drop(self.seen_out(attended.transpose(1, 2).flatten(2)))
        return x + self.drop(self.outer(F.gelu(self.inner(self.norms[2](x)))))


def _attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """Compute attention from (B, heads, T, d / heads) with a boolean mask.

    `mask` is broadcastable to (B, heads, T, S), true where attention is allowed.

    For bf16 training on CPUs it uses two products: the backward pass of torch's fused operator is
    twice as slow there.
    """
    if not (q.requires_grad and q.dtype == torch.bfloat16 and q.device.type == "cpu"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
    return scores.masked_fill_(~mask, -1e4).softmax(-1) @ v


def _split(x: Tensor, heads: int) -> Tensor:
    """Reshape (B, T, d) to (B, heads, T, d / heads)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)
