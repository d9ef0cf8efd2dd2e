/**
 * Label selectors as Kubernetes means them: all of matchLabels and of matchExpressions must hold; an empty selector
 * matches everything; NotIn and DoesNotExist hold for a label that is not there.
 */
import { type JsonObject, textAt } from "../pod/json.ts";
import type { PolicySpec } from "./schema.ts";

/** A selector of a policy. */
export type Selector = NonNullable<PolicySpec["selector"]>;

/** Whether labels satisfy a selector. */
export function matches(selector: Selector, labels: JsonObject): boolean {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (textAt(labels, key) !== value) return false;
  }
  return (selector.matchExpressions ?? []).every(({ key = "", operator, values = [] }) => {
    const value = textAt(labels, key);
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      default:
        return value === undefined;
    }
  });
}
