/**
 * Values that are not what a fresh installation has: those of an older chart, some taken away, and a list that changes.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chartValues } from "../../scripts/chart-values.ts";
import { type JsonObject, objectAt } from "../../src/pod/json.ts";
import { nested, render } from "./chart.ts";
import { helm } from "./install/components.ts";

const helmBinary = helm();
const skip = helmBinary.missing ?? false;

describe("the chart with other values than a fresh installation's", { skip }, () => {
  it("takes a value that is missing as the default where that is empty, and names it where not", () => {
    const plain = render(helmBinary.path).text;
    for (const { path, value } of chartValues()) {
      const { status, stderr, text } = render(helmBinary.path, nested(path, null));
      const isNothing = [false, ""].includes(value as never) || ["[]", "{}"].includes(JSON.stringify(value));
      if (isNothing) assert.equal(text, plain, `${path}: ${stderr}`);
      // What only Kubernetes knows may be none at all.
      else if (typeof value === "object" && !Array.isArray(value)) assert.equal(status, 0, `${path}: ${stderr}`);
      else {
        assert.notEqual(status, 0, path);
        assert.match(stderr, new RegExp(`missing.*${path.split(".").at(-1)}`), path);
      }
    }
    for (const group of ["hc", "review"]) assert.match(render(helmBinary.path, { [group]: null }).stderr, /missing/);
    assert.match(render(helmBinary.path, { metrics: { dashboard: null } }).stderr, /missing.*dashboard/);
  });

  it("keeps the Service of a gateway when one before it is taken out of the list", () => {
    const gateways = ["a", "b"].map((app, index) => ({ namespace: "e", selector: { app }, nodePort: 30_180 + index }));
    const services = (list: JsonObject[]) =>
      render(helmBinary.path, { gateways: list }).objects.filter(
        ({ kind, spec }) => kind === "Service" && objectAt({ spec: spec ?? {} }, "spec").type === "NodePort",
      );
    const [, second] = services(gateways);
    assert.ok(second);
    assert.deepEqual(services(gateways.slice(1)), [second]);
  });
});
