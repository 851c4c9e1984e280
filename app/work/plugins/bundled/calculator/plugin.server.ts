import { z } from "zod";
import { definePlugin, definePluginTool } from "../../plugin";
import { calculate } from "./arithmetic";
import { convert, unitNames } from "./units";

export const calculator = definePlugin(
  {
    id: "calculator",
    title: "Calculator & Units",
    author: "Quarterdeck",
    icon: "Calculator",
    description:
      "Exact arithmetic for models that guess: expressions with brackets, powers and functions, and conversion between units of length, mass, time, data, energy and more.",
    tags: ["math", "units", "conversion"],
    version: "1.0.0",
    released: "2026-11-20",
    featured: true,
    categories: ["productivity", "data"],
    requests: { effects: ["reads"] },
  },
  [
    definePluginTool({
      name: "calculate",
      title: "Calculate",
      description:
        "Computes an arithmetic expression such as (12.5 + 3) * 2^10 / sqrt(7). Operators + - * / % ^, functions abs ceil cos exp floor ln log log2 max min round(value, digits) sin sqrt tan, constants pi and e. Use it for any arithmetic beyond two small numbers.",
      effect: "reads",
      input: z.object({
        expression: z
          .string()
          .trim()
          .min(1)
          .max(2000)
          .describe("The expression, with a point as decimal separator"),
      }),
      timeoutMs: 2000,
      run: async ({ expression }) => ({ expression, value: calculate(expression) }),
    }),
    definePluginTool({
      name: "convert",
      title: "Convert units",
      description: `Converts a value between two units of the same quantity. Units: ${unitNames()}.`,
      effect: "reads",
      input: z.object({
        value: z.number(),
        from: z.string().min(1).max(20).describe("Unit of the value, such as km"),
        to: z.string().min(1).max(20).describe("Unit of the result, such as mi"),
      }),
      timeoutMs: 2000,
      run: async ({ value, from, to }) => ({ from, to, ...convert(value, from, to) }),
    }),
  ],
);
