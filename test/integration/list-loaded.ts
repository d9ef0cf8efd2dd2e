/**
 * Loaded into a process before anything else (`node --import`): when the process ends, it writes the list of the modules
 * that it loaded into the file LOADED_FILE.
 */
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const loaded: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url);
    return nextLoad(url, context);
  },
});
process.on("exit", () => writeFileSync(process.env.LOADED_FILE ?? "", loaded.join("\n")));
