/**
 * istiod, built from Istio's Go module, with Istio's charts beside it: the path is their folder.
 */
import { join } from "node:path";
import { type Component, cacheFolder, had, run } from "./components.ts";

/** Builds istiod of a module version: `pilot-discovery` and `charts/` in the folder. */
export function istiod(version: string): Component {
  return had("istiod", () => {
    const folder = join(cacheFolder, `istiod-${version}`);
    run("bash", [join(import.meta.dirname, "istiod.sh"), version, folder]);
    return folder;
  });
}
