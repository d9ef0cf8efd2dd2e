/**
 * The packages in a bundle, as esbuild's own list of written files has them, and the licences that they come under.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** A package of which a bundle has at least one byte. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** Its SPDX expression, from its package.json. */
  readonly licence: string;
  /** The texts of its licence and notice files; empty where it has none. */
  readonly text: string;
}

/**
 * Licences that ask for nothing but their text: what is bundled must come under one of these, or be read by a person first.
 *
 * Names are those of https://spdx.org/licenses.
 */
export const allowedLicences: readonly string[] = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "Unlicense",
];

/** The packages of a bundle's written files, in the order of their names. */
export function packagesOf({ outputs }: Metafile): BundledPackage[] {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = new Set(files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const packages = new Map<string, BundledPackage>();
  for (const folder of folders) {
    const found = packageIn(folder);
    packages.set(`${found.name}@${found.version}`, found);
  }
  return [...packages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found);
}

function packageIn(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  return {
    name: name ?? folder,
    version: version ?? "",
    licence: license ?? "",
    text: files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n"),
  };
}

/** The file that goes with the program: a list of what is in it, then every text once, with those it belongs to. */
export function licencesText(packages: readonly BundledPackage[]): string {
  const list = packages.map(({ name, version, licence }) => `${name} ${version}: ${licence}`);
  const texts = Map.groupBy(packages, ({ text }) => text);
  const parts = [...texts].map(
    ([text, of]) => `${of.map(({ name, version }) => `${name} ${version}`).join("\n")}\n\n${text}`,
  );
  const rule = `\n\n${"-".repeat(80)}\n\n`;
  return `${[`Gracegate holds these packages.\n\n${list.join("\n")}`, ...parts].join(rule)}\n`;
}
