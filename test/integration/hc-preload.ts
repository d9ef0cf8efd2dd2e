/**
 * Loaded into hc before anything else (`node --import`), for tests: on SIGUSR2 the wall clock jumps by a day, an exception
 * is thrown and a promise rejected that nobody awaits. It also lists what hc loads.
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

const DAY_MS = 86_400_000;

process.on("SIGUSR2", () => {
  const realNow = Date.now;
  Date.now = () => realNow() + DAY_MS;
  const list = process.env.LOADED_FILE;
  if (list !== undefined) writeFileSync(list, loaded.join("\n"));
  void Promise.reject(new Error("a rejection that nobody awaits"));
  throw new Error("an exception from nowhere");
});
