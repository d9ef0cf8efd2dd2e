/**
 * `make sbom`: what the program is made of, as CycloneDX and SPDX.
 *
 *   node scripts/sbom.ts [FOLDER]
 *
 * npm writes both from the lock file; what no file of the bundle comes from is taken out again, since the image does not hold
 * it. Node and the base image are not in it: a scanner reads those from the image.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BundledPackage } from "./bundled-packages.ts";

interface CycloneDx {
  readonly metadata: { readonly component: { readonly "bom-ref": string; name: string } };
  components: { readonly "bom-ref": string }[];
  dependencies: { readonly ref: string; dependsOn: string[] }[];
}

interface Spdx {
  packages: { readonly SPDXID: string; readonly name: string; readonly versionInfo: string }[];
  relationships: { readonly spdxElementId: string; readonly relatedSpdxElement: string }[];
}

/** Both documents, of the packages of a bundle and nothing else. */
export interface Sbom {
  readonly cyclonedx: CycloneDx;
  readonly spdx: Spdx;
}

/**
 * @throws where the lock file lacks a package that is in the bundle
 */
export function sbomOf(packages: readonly BundledPackage[]): Sbom {
  const bundled = new Set(packages.map(({ name, version }) => `${name}@${version}`));

  const cyclonedx = npmSbom("cyclonedx") as CycloneDx;
  const { component } = cyclonedx.metadata;
  // npm names it after the folder that it lies in.
  component.name = component["bom-ref"].replace(/@[^@]*$/, "");
  cyclonedx.components = cyclonedx.components.filter((one) => bundled.has(one["bom-ref"]));
  cyclonedx.dependencies = cyclonedx.dependencies
    .filter(({ ref }) => bundled.has(ref) || ref === component["bom-ref"])
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((to) => bundled.has(to)) }));

  const spdx = npmSbom("spdx") as Spdx;
  const [program, ...others] = spdx.packages;
  if (program === undefined) throw new Error("npm sbom named no package");
  const held = others.filter(({ name, versionInfo }) => bundled.has(`${name}@${versionInfo}`));
  const ids = new Set(["SPDXRef-DOCUMENT", ...[program, ...held].map(({ SPDXID }) => SPDXID)]);
  spdx.packages = [program, ...held];
  spdx.relationships = spdx.relationships.filter(
    ({ spdxElementId, relatedSpdxElement }) => ids.has(spdxElementId) && ids.has(relatedSpdxElement),
  );

  const listed = new Set(cyclonedx.components.map((one) => one["bom-ref"]));
  const missing = [...bundled].filter((name) => !listed.has(name));
  if (missing.length > 0 || held.length < bundled.size)
    throw new Error(`in the bundle and not in package-lock.json: ${missing.join(", ")}`);
  return { cyclonedx, spdx };
}

function npmSbom(format: "cyclonedx" | "spdx"): unknown {
  const what = ["--omit", "dev", "--package-lock-only", "--sbom-type", "application"];
  return JSON.parse(
    execFileSync("npm", ["sbom", "--sbom-format", format, ...what], { encoding: "utf8", maxBuffer: 2 ** 26 }),
  );
}

if (import.meta.main) {
  const { bundle } = await import("./bundle.ts");
  const folder = process.argv[2] ?? "dist";
  const { packages } = await bundle(folder, { write: false });
  const { cyclonedx, spdx } = sbomOf(packages);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "sbom.cyclonedx.json"), `${JSON.stringify(cyclonedx, undefined, 2)}\n`);
  writeFileSync(join(folder, "sbom.spdx.json"), `${JSON.stringify(spdx, undefined, 2)}\n`);
  process.stderr.write(`${folder}/sbom.cyclonedx.json, ${folder}/sbom.spdx.json: ${packages.length} packages\n`);
}
