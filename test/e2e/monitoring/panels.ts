/**
 * The panels of the dashboard, read from the JSON that the chart ships, with Grafana's variables filled in.
 */
import { readFileSync } from "node:fs";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../src/pod/json.ts";

/** One panel, ready to be asked for. */
export interface Panel {
  readonly title: string;
  readonly drawing: string;
  readonly unit: string;
  readonly queries: readonly { readonly expr: string; readonly legend: string; readonly isInstant: boolean }[];
  /** Words for values: the states of the timeline. */
  readonly words: ReadonlyMap<number, string>;
}

/** Every panel but the headings of rows. */
export function dashboardPanels(rate: string, range: string): readonly Panel[] {
  const dashboard = JSON.parse(readFileSync("charts/gracegate/files/dashboard.json", "utf8")) as JsonObject;
  const filled = (expr: string) =>
    expr
      .replaceAll("$__rate_interval", rate)
      .replaceAll("$__range", range)
      .replaceAll(/\$(namespace|pod)/g, ".*");
  return objectsAt(dashboard, "panels")
    .filter(({ type }) => type !== "row")
    .map((panel) => {
      const defaults = objectAt(objectAt(panel, "fieldConfig"), "defaults");
      const [mapping] = objectsAt(defaults, "mappings");
      return {
        title: textAt(panel, "title") ?? "",
        drawing: textAt(panel, "type") ?? "",
        unit: textAt(defaults, "unit") ?? "",
        queries: objectsAt(panel, "targets").map((target) => ({
          expr: filled(textAt(target, "expr") ?? ""),
          legend: textAt(target, "legendFormat") ?? "",
          isInstant: target.instant === true,
        })),
        words: new Map(
          Object.entries(objectAt(mapping, "options")).map(([value, option]) => [
            Number(value),
            textAt(option, "text") ?? "",
          ]),
        ),
      };
    });
}

/** A series' name, as Grafana makes it of a legend and labels. */
export function nameOf(legend: string, labels: Readonly<Record<string, string>>): string {
  return legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? "");
}
