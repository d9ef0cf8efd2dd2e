/**
 * A plan for a terminal of 80 columns, and as Markdown for a page or a ticket.
 */
import { formatDuration, inSeconds } from "../../units/milliseconds.ts";
import type { Paint } from "../paint.ts";
import { wrapText } from "../wrap-text.ts";
import { adviceFor } from "./advice.ts";
import type { Plan } from "./plan.ts";
import { type Reach, snippetsOf, titleOf } from "./present.ts";

/** Columns of the text. */
const WIDTH = 80;

/** A plan as text. */
export function planText(plan: Plan, reach: Reach, paint: Paint): string {
  const { warnings, recommendations } = adviceFor(plan);
  const nameWidth = Math.max(...plan.terms.map(({ name }) => name.length));
  const numberWidth = Math.max(...plan.terms.map(({ span }) => formatDuration(span).length));
  const rows = plan.terms.map(({ name, span, arithmetic }) => {
    const number = paint("green", formatDuration(span).padStart(numberWidth));
    const [first, ...more] = wrapText(arithmetic, WIDTH - nameWidth - numberWidth - 8).split("\n");
    const indented = more.map((line) => `\n${" ".repeat(nameWidth + numberWidth + 8)}${line}`);
    return `  ${name.padEnd(nameWidth)}  ${number}  ${first}${indented.join("")}`;
  });
  const sections = [
    [paint("bold", titleOf(plan)), ...rows],
    ...snippetsOf(plan, reach).map(({ title, text }) => [paint("bold", title), indent(text)]),
    ...(warnings.length === 0
      ? []
      : [
          [
            paint("bold", "know this"),
            ...warnings.map((sentence) => paint("yellow", wrapText(sentence, WIDTH, "  ! ", "    "))),
          ],
        ]),
    ...(recommendations.length === 0
      ? []
      : [
          [
            paint("bold", "to lose nothing, best first"),
            ...recommendations.map((sentence, index) => wrapText(sentence, WIDTH, `  ${index + 1}. `, "     ")),
          ],
        ]),
  ];
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function indent(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, "  ");
}

/** A plan as Markdown. */
export function planMarkdown(plan: Plan, reach: Reach): string {
  const { warnings, recommendations } = adviceFor(plan);
  const sections = [
    `# Plan: ${titleOf(plan)}`,
    [
      "| number | | how |",
      "| --- | --: | --- |",
      ...plan.terms.map(({ name, span, arithmetic }) => `| ${name} | ${inSeconds(span)} s | ${arithmetic} |`),
    ].join("\n"),
    ...snippetsOf(plan, reach).map(({ title, language, text }) => `## ${title}\n\n\`\`\`${language}\n${text}\`\`\``),
    ...(warnings.length === 0 ? [] : [`## Know this\n\n${warnings.map((sentence) => `- ${sentence}`).join("\n")}`]),
    ...(recommendations.length === 0
      ? []
      : [
          `## To lose nothing, best first\n\n${recommendations.map((sentence, at) => `${at + 1}. ${sentence}`).join("\n")}`,
        ]),
  ];
  return `${sections.join("\n\n")}\n`;
}
