/**
 * Prometheus' text format, as small as hc needs it: prom-client would cost hc its start time.
 */

/** A metric and its samples. */
export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** One sample; the suffix is for a histogram's series. */
export interface Sample {
  readonly suffix?: "_bucket" | "_sum" | "_count";
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The content type of the text. */
export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Writes the text. A family without samples has its help only: what is not known is not 0. */
export function exposition(families: readonly Family[]): string {
  return families
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(({ suffix = "", labels, value }) => `${name}${suffix}${labelsOf(labels)} ${value}`);
      return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join("\n")}\n`;
    })
    .join("");
}

function labelsOf(labels: Sample["labels"]): string {
  if (labels === undefined) return "";
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escaped)}"`);
  return `{${pairs.join(",")}}`;
}

function escaped(character: string): string {
  return character === "\n" ? "\\n" : `\\${character}`;
}
