/**
 * Texts that make an expression backtrack: derived from the expression itself, so that nobody has to think of them.
 *
 * An expression takes more than linear time where a repetition can begin, or end, at many places. So each repetition is
 * reached with the shortest text that leads to it, is fed with what it takes (each kind of character, each alternative, two
 * in turn), and then gets something that makes the whole fail.
 */
import { type AST, parseRegExpLiteral, visitRegExpAST } from "@eslint-community/regexpp";

/** The parts of a hostile text: it is prefix + pump × n + tail. */
export interface HostileText {
  readonly prefix: string;
  readonly pump: string;
  readonly tail: string;
}

/** Characters that every expression is tried with, and of which the members of its classes are taken. */
const KINDS = [..."0a A-_.:/\\\"'#=,;<>|&*!?~@%+()[]{}\t\n\r\u0000\u0085\u2028\u00b5\u00e9"];
const TAILS = ["", "\u0001", "x\n", "\n\u0001"];

/** Members of one class that are tried, different kinds first. */
const MEMBERS = 5;

/** Hostile texts for an expression. */
export function* hostileTexts(source: string, flags: string): Iterable<HostileText> {
  const expression = parseRegExpLiteral(new RegExp(source, flags));
  const quantifiers = quantifiersOf(expression.pattern);
  const prefixes = new Set<string>([""]);
  const pumps = new Set<string>([...KINDS, "\r\n", "x\r", "x\u2028", " \n", "a "]);
  const units = new Set<string>();
  for (const quantifier of quantifiers) {
    for (const least of [0, 1]) prefixes.add(before(quantifier, flags, least));
    for (const example of examples(quantifier.element, flags)) {
      units.add(example);
      const after = following(quantifier, flags);
      if (after !== "") pumps.add(example + after);
    }
  }
  for (const unit of [...units, ...literalsOf(expression.pattern)]) pumps.add(unit);
  const few = [...units].slice(0, 8);
  for (const one of few) for (const other of few) if (one !== other) pumps.add(one + other);
  for (const prefix of prefixes) {
    for (const pump of pumps) {
      if (pump === "") continue;
      for (const tail of TAILS) yield { prefix, pump, tail };
    }
  }
}

function quantifiersOf(pattern: AST.Pattern): readonly AST.Quantifier[] {
  const found: AST.Quantifier[] = [];
  visitRegExpAST(pattern, { onQuantifierEnter: (node) => void (node.max > 8 && found.push(node)) });
  return found;
}

/** The first characters that stand in an expression as they are. */
function literalsOf(pattern: AST.Pattern): readonly string[] {
  const found = new Set<string>();
  visitRegExpAST(pattern, { onCharacterEnter: ({ value }) => void found.add(String.fromCodePoint(value)) });
  return [...found].slice(0, 16);
}

/** The shortest text that leads to a node; what may be missing is there `least` times. */
function before(node: AST.Node, flags: string, least: number): string {
  const { parent } = node;
  if (parent === null || parent.type === "RegExpLiteral") return "";
  if (parent.type !== "Alternative") return before(parent, flags, least);
  const earlier = parent.elements.slice(0, parent.elements.indexOf(node as AST.Element));
  return before(parent, flags, least) + earlier.map((element) => example(element, flags, least)).join("");
}

/** A text for what stands behind a node in its alternative. */
function following(node: AST.Quantifier, flags: string): string {
  const { parent } = node;
  if (parent.type !== "Alternative") return "";
  const later = parent.elements.slice(parent.elements.indexOf(node) + 1);
  return later.map((element) => example(element, flags, 0)).join("");
}

function example(node: AST.Element, flags: string, least: number): string {
  if (node.type === "Quantifier") {
    return example(node.element, flags, least).repeat(Math.min(node.max, Math.max(node.min, least)));
  }
  return examples(node, flags)[0] ?? "";
}

/** Texts that a node takes, of different kinds. */
function examples(node: AST.Element, flags: string): readonly string[] {
  switch (node.type) {
    case "Character":
      return [String.fromCodePoint(node.value)];
    case "CharacterSet":
    case "CharacterClass": {
      const one = new RegExp(`^${node.raw}$`, flags.replace(/[gy]/g, ""));
      const literal = "elements" in node ? node.elements.flatMap(firstOf) : [];
      return [...new Set([...literal, ...KINDS])].filter((character) => one.test(character)).slice(0, MEMBERS);
    }
    case "Group":
    case "CapturingGroup":
      return node.alternatives.flatMap(({ elements }) => {
        const parts = elements.map((element) => examples(element, flags));
        const first = parts.map((some) => some[0] ?? "").join("");
        // A part with more than one kind of text shows them in its place.
        return [
          first,
          ...parts.flatMap((some, at) =>
            some.slice(1).map((text) => parts.map((other, index) => (index === at ? text : (other[0] ?? ""))).join("")),
          ),
        ].slice(0, MEMBERS);
      });
    case "Quantifier":
      return examples(node.element, flags).map((text) => text.repeat(Math.max(1, Math.min(node.min, 64))));
    default:
      return [];
  }
}

function firstOf(element: AST.CharacterClassElement): readonly string[] {
  if (element.type === "Character") return [String.fromCodePoint(element.value)];
  if (element.type === "CharacterClassRange") return [String.fromCodePoint(element.min.value)];
  return [];
}
