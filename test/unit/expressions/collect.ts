/**
 * Every regular expression of src/: the literals, from the sources, and what is built when the modules are loaded
 * (`new RegExp`) and when the first policy is read (the patterns of its schema, which ajv builds); and the patterns that
 * others build from what src/ exports, the API server for one.
 */
import { globSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Node, parse, type Token } from "acorn";
import { policyObject, validatePolicy } from "../../../src/policy/validate.ts";

/** An expression, and where it comes from. */
export interface Expression {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

/** The files of src/ without their tests. */
export const sources = globSync("src/**/*.ts").filter((file) => !/\.(?:test|d)\.ts$/.test(file));

/** The literals of a module. The types go first, since they may look like anything. */
export function literalsOf(where: string, code: string): readonly Expression[] {
  const found: Expression[] = [];
  parse(stripTypeScriptTypes(code), {
    ecmaVersion: "latest",
    sourceType: "module",
    onToken(token: Token & { value?: { pattern: string; flags: string } }) {
      if (token.type.label !== "regexp" || token.value === undefined) return;
      found.push({ where, source: token.value.pattern, flags: token.value.flags });
    },
  });
  return found;
}

/** Expressions that a module builds inside of a function, where nobody sees them before they are used. */
export function builtLate(code: string): readonly string[] {
  const text = stripTypeScriptTypes(code);
  const late: string[] = [];
  const visit = (node: unknown, inFunction: boolean): void => {
    if (Array.isArray(node)) for (const element of node) visit(element, inFunction);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { type, callee, start, end } = node as Node & { callee?: { name?: string } };
    const isBuilt = (type === "NewExpression" || type === "CallExpression") && callee?.name === "RegExp";
    if (isBuilt && inFunction) late.push(text.slice(start, end));
    const inside = inFunction || /Function|MethodDefinition/.test(String(type));
    for (const part of Object.values(node)) visit(part, inside);
  };
  visit(parse(text, { ecmaVersion: "latest", sourceType: "module" }), false);
  return late;
}

/** What is built when all modules of src/ are loaded, but for those that start a program, and a policy is read. */
export async function builtExpressions(): Promise<readonly Expression[]> {
  const built = new Map<string, Expression>();
  const original = globalThis.RegExp;
  // Libraries build expressions for themselves while they are loaded; that is not because of a line of ours.
  const isOurs = () => /\/src\/[^)]*\.ts/.test(new Error().stack ?? "");
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const note = ([source, flags = ""]: readonly unknown[]) => {
    if (typeof source !== "string") return;
    built.set(`${source}/${String(flags)}`, { where: "built while src/ runs", source, flags: String(flags) });
  };
  globalThis.RegExp = new Proxy(original, {
    construct(target, args, self) {
      if (isOurs()) note(args);
      return Reflect.construct(target, args, self);
    },
    apply(target, self, args) {
      if (isOurs()) note(args);
      return Reflect.apply(target, self, args);
    },
  });
  try {
    for (const file of sources) {
      if (/(?:^|\/)main\.ts$/.test(file)) continue;
      const exported: Record<string, unknown> = await import(pathToFileURL(resolve(file)).href);
      for (const [name, value] of Object.entries(exported)) if (name.endsWith("PATTERN")) note([value]);
    }
    validatePolicy(policyObject("default", "shop", {}));
  } finally {
    globalThis.RegExp = original;
    Error.stackTraceLimit = stackTraceLimit;
  }
  return [...built.values()];
}
