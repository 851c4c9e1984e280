import { z } from "zod";
import { AppError } from "~/core/errors";
import { evaluateExpression } from "~/core/expressions/expressions.server";
import { parseWellFormed } from "~/core/well-formed";
import { definePlugin, definePluginTool } from "../../plugin";
import { readOutsideText } from "../outside-text.server";

const MAX_LENGTH = 200_000;

function parse(json: string): unknown {
  try {
    return parseWellFormed(json);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message.slice(0, 200) : "";
    throw new AppError("invalid", `The text isn't JSON: ${message}`, { cause });
  }
}

export const dataTransformer = definePlugin(
  {
    id: "data-transformer",
    title: "JSON & XML Transformer",
    icon: "Braces",
    description:
      "Picks, filters and reshapes JSON with an expression, and turns XML into JSON. Exact where a model would copy values and sometimes miss one.",
    tags: ["json", "xml", "transform"],
    version: "1.0.0",
    released: "2026-11-20",
    categories: ["data", "developer"],
    requests: { effects: ["reads"] },
  },
  [
    definePluginTool({
      name: "json",
      title: "Transform JSON",
      description:
        'Evaluates a CEL expression over a JSON document, which is `item`: item.users.filter(u, u.age > 30).map(u, u.name), item.total * 2, size(item.list), {"id": item.id}. Returns the value.',
      effect: "reads",
      input: z.object({
        json: z.string().min(1).max(MAX_LENGTH).describe("The JSON document as text"),
        expression: z.string().trim().min(1).max(4000),
      }),
      timeoutMs: 5000,
      run: async ({ json, expression }) => ({ value: evaluateExpression(expression, { item: parse(json) }) }),
    }),
    definePluginTool({
      name: "xml",
      title: "XML to JSON",
      description:
        'Turns XML into JSON: attributes begin with "@", repeated elements are lists, text beside other content is "#text". An expression over `item` can pick a part.',
      effect: "reads",
      input: z.object({
        xml: z.string().min(1).max(MAX_LENGTH),
        expression: z.string().trim().max(4000).default("").describe("Optional CEL expression over `item`"),
      }),
      timeoutMs: 5000,
      async run({ xml, expression }, { signal }) {
        const item = await readOutsideText({ kind: "xml", text: xml }, signal);
        return { value: expression ? evaluateExpression(expression, { item }) : item };
      },
    }),
  ],
);
