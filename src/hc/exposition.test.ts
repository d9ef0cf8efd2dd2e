import assert from "node:assert/strict";
import { test } from "node:test";
import { exposition } from "./exposition.ts";

test("a family has its help, its type and its samples", () => {
  const text = exposition([
    {
      name: "a_total",
      type: "counter",
      help: "As.",
      samples: [{ labels: { x: "1", y: "z" }, value: 3 }, { value: 0 }],
    },
  ]);
  assert.equal(text, '# HELP a_total As.\n# TYPE a_total counter\na_total{x="1",y="z"} 3\na_total 0\n');
});

test("what is not known has no sample, and not 0", () => {
  assert.equal(exposition([{ name: "a", type: "gauge", help: "A.", samples: [] }]), "# HELP a A.\n# TYPE a gauge\n");
});

test("label values with quotes, backslashes and newlines stay one line", () => {
  const text = exposition([{ name: "a", type: "gauge", help: "A.", samples: [{ labels: { x: 'q"\\\n' }, value: 1 }] }]);
  assert.ok(text.endsWith('a{x="q\\"\\\\\\n"} 1\n'));
});
