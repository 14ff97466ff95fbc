"""The types of a program language as tensors, which constrain decoding to valid programs."""

from itertools import chain
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class TokenLanguage(NamedTuple):
    """The tokens of a program language and their types.

    `starts`: the sorts of programs that can be requested.
    """

    tokens: tuple[str, ...]
    inputs: tuple[tuple[str, ...], ...]  # of each token
    outputs: tuple[str, ...]
    starts: tuple[tuple[str, ...], ...]  # for each sort, the allowed types of the first token
    copies: frozenset[str] = frozenset()  # tokens that copy a span of the sentence


class TypeTable(nn.Module):
    """Signatures as tensors, and operations on the stack of types a prefix program requires.

    Type 0 is the empty stack, 1 + k the answer of a program of sort k; others follow in sorted
    order.
    """

    def __init__(self, language: TokenLanguage):
        super().__init__()
        known = {*language.outputs, *chain(*language.inputs)}
        sorts = tuple(f"sort {k}" for k in range(len(language.starts)))
        names = ("", *sorts, *sorted(known))
        index = {name: k for k, name in enumerate(names)}
        arity = max(map(len, language.inputs))
        allowed = torch.zeros(len(names), len(language.tokens), dtype=torch.bool)
        inputs = torch.zeros(len(language.tokens), arity, dtype=torch.long)  # right-aligned
        for k, output in enumerate(language.outputs):
            allowed[index[output], k] = True
            for sort, types in zip(sorts, language.starts, strict=True):
                if output in types:
                    allowed[index[sort], k] = True
            for slot, name in enumerate(reversed(language.inputs[k]), 1):
                inputs[k, -slot] = index[name]
        # Least number of tokens that completes each type, by fixed-point iteration: a token costs 1
        # plus the cost of its inputs.
        cost = torch.full((len(names),), 10_000, dtype=torch.long)
        cost[0] = 0
        for _ in names:
            token_cost = 1 + cost[inputs].sum(1)
            best = (
                torch.where(allowed, token_cost, torch.full_like(token_cost, 10_000)).min(1).values
            )
            cost = torch.minimum(cost, best)
            cost[0] = 0
        self.count = len(names)
        for name, value in (
            ("allowed", allowed),
            ("inputs", inputs),
            ("unused", (inputs == 0).sum(1, keepdim=True)),
            ("cost", cost),
            ("token_cost", 1 + cost[inputs].sum(1)),
            ("copies", torch.tensor(list(map(language.copies.__contains__, language.tokens)))),
        ):
            self.register_buffer(name, value, persistent=False)

    def start(self, sorts: Tensor, depth: int) -> Tensor:
        """Return stacks (B, depth), top first, that require one program of the sorts (B,)."""
        stack = sorts.new_zeros(len(sorts), depth)
        stack[:, 0] = 1 + sorts
        return stack

    def mask(self, stack: Tensor, left: int) -> Tensor:
        """Return (B, tokens): the tokens that may come next.

        A token is allowed if at most `left` tokens, including it, can complete the program.
        """
        rest = self.cost[stack[:, 1:]].sum(1, keepdim=True)
        return self.allowed[stack[:, 0]] & (self.token_cost[None] + rest <= left)

    def step(self, stack: Tensor, tokens: Tensor) -> Tensor:
        """Return the stacks after appending the tokens; an empty stack stays empty."""
        pushed, rest = self.inputs[tokens], F.pad(stack[:, 1:], (0, 1))
        place = torch.arange(stack.shape[1], device=stack.device)
        new = torch.cat([pushed, rest], 1).gather(1, self.unused[tokens] + place)
        return torch.where(stack[:, :1] > 0, new, stack)
