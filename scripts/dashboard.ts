/**
 * The dashboard for Grafana, as the JSON that Grafana imports, made from scripts/dashboard-panels.ts.
 */
import type { JsonObject } from "../src/pod/json.ts";
import { type Panel, ROWS, STATE_NUMBERS } from "./dashboard-panels.ts";

/** Height of a panel, and of a stat, in Grafana's units. */
const HEIGHT = 8;

/** Columns of Grafana's grid. */
const COLUMNS = 24;

const DATASOURCE = { type: "prometheus", uid: `\${datasource}` };

const COLOURS = ["blue", "green", "yellow", "orange", "red"];

/** The dashboard. */
export function dashboard(): JsonObject {
  return {
    uid: "gracegate",
    title: "Gracegate",
    tags: ["gracegate", "istio"],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: "10s",
    time: { from: "now-1h", to: "now" },
    templating: { list: [datasource(), variable("namespace", ""), variable("pod", 'namespace=~"$namespace"')] },
    annotations: { list: [] },
    links: [],
    panels: [...panels()],
  };
}

function* panels(): Generator<JsonObject> {
  let id = 1;
  let y = 0;
  for (const { title, panels } of ROWS) {
    yield { id: id++, type: "row", title, collapsed: false, gridPos: { x: 0, y, w: COLUMNS, h: 1 }, panels: [] };
    y += 1;
    let x = 0;
    for (const one of panels) {
      if (x + one.width > COLUMNS) {
        x = 0;
        y += HEIGHT;
      }
      yield panel(one, id++, { x, y, w: one.width, h: HEIGHT });
      x += one.width;
    }
    y += HEIGHT;
  }
}

function panel({ title, meaning, drawing, unit, targets }: Panel, id: number, gridPos: JsonObject): JsonObject {
  // What is counted over the whole range is asked for once, at its end.
  const isInstant = drawing === "stat" || drawing === "bargauge";
  return {
    id,
    type: drawing,
    title,
    description: meaning,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0, ...(drawing === "state-timeline" ? states() : {}) }, overrides: [] },
    options: options(drawing),
    targets: targets.map(({ expr, legend }, at) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + at),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
      ...(isInstant ? { instant: true, range: false } : { instant: false, range: true }),
    })),
  };
}

function options(drawing: Panel["drawing"]): JsonObject {
  switch (drawing) {
    case "stat":
    case "bargauge":
      return { reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false } };
    case "state-timeline":
      return { mergeValues: true, showValue: "auto", legend: { displayMode: "list", placement: "bottom" } };
    case "timeseries":
      return { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } };
  }
}

function states(): JsonObject {
  const words = STATE_NUMBERS.map((text, index) => [String(index), { text, index, color: COLOURS[index] ?? "text" }]);
  return { mappings: [{ type: "value", options: Object.fromEntries(words) }], custom: { fillOpacity: 80 } };
}

function datasource(): JsonObject {
  return { name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" };
}

function variable(name: string, selector: string): JsonObject {
  return {
    name,
    type: "query",
    datasource: DATASOURCE,
    query: { query: `label_values(gracegate_hc_state{${selector}}, ${name})`, refId: name },
    includeAll: true,
    multi: true,
    allValue: ".*",
    current: { text: "All", value: "$__all" },
    refresh: 2,
    sort: 1,
  };
}
