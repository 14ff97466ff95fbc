"""What is wrong with a grammar file: brackets, slots, phrases, rules that are never said."""

from collections.abc import Iterator, Sequence

from po3d.language.grammar import Grammar, GrammarError, Pattern, compiled


def problems(grammar: Grammar, starts: Sequence[str] = ()) -> list[str]:
    """A line a fault: brackets that don't match, slots that nothing is bound to, phrases that are missing or (where it is known
    from which keys a sentence `starts`) said by nothing, rules that can't be reached, wordings that stand twice."""
    found, used = [], set(starts)
    for rule in grammar.rules:
        where = f"{grammar.name}.grammar, line {rule.line}"
        capitals = set(rule.pattern.capitals()) if rule.pattern else None
        for wording in rule.wordings:
            try:
                parts = list(_nodes(compiled(wording)))
            except GrammarError as error:
                found.append(f"{where}: {error}")
                continue
            for kind, *rest in parts:
                if kind == "phrase":
                    used.add(rest[0])
                    if rest[0] not in grammar.of:
                        found.append(f"{where}: there is no phrase <{rest[0]}>")
                elif kind == "slot":
                    used.add(rest[1])
                    if capitals is not None and rest[0] not in capitals:
                        found.append(f"{where}: nothing is bound to {{{rest[0]}}}")
        if rule.pattern and len(set(rule.wordings)) < len(rule.wordings):
            found.append(f"{where}: a wording stands twice")
        for earlier in grammar.of[rule.key]:
            always = earlier.line < rule.line and earlier.only and not earlier.facts and earlier.pattern
            if always and rule.pattern and _covers(earlier.pattern, rule.pattern, {}):
                found.append(f"{where}: line {earlier.line} is said instead, always")
    if starts:
        found += [f"{grammar.name}.grammar: nothing says <{key}>" for key in grammar.of if key not in used]
    return found


def _nodes(node: tuple) -> Iterator[tuple]:
    yield node
    if node[0] in ("all", "choice"):
        for part in node[1:]:
            yield from _nodes(part)


def _covers(wide: Pattern, narrow: Pattern, bound: dict[str, Pattern]) -> bool:
    """Whether whatever fits one pattern fits the other."""
    if wide.free:
        return wide.op == "_" or bound.setdefault(wide.op, narrow) == narrow
    return (
        not narrow.free
        and wide.op == narrow.op
        and len(wide.args) == len(narrow.args)
        and all(_covers(a, b, bound) for a, b in zip(wide.args, narrow.args))
    )
