import { z } from "zod";
import { AppError } from "~/core/errors";
import { optionsOf } from "~/core/field.schema";
import { definePlugin, definePluginTool, type PluginContext } from "../../plugin";
import { CHART_TYPES, type ChartData, drawChart, MAX_SLICES } from "./chart";
import { drawFlow, SHAPES } from "./flow";

const MAX_ROWS = 200;
const MAX_SERIES = 8;
const MAX_NODES = 60;

const Title = z.string().trim().min(1).max(120).describe("Shown above the picture");
const Cell = z.union([z.string().max(1000), z.number(), z.boolean(), z.null()]);
const Id = z.string().trim().min(1).max(60);

const isNumeric = (value: unknown) =>
  typeof value === "number" ||
  (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)));

const toNumber = (value: unknown): number | null => (isNumeric(value) ? Number(value) : null);

type Rows = readonly Readonly<Record<string, z.infer<typeof Cell>>>[];

/** The requested columns, else the first and the numeric ones. */
function columnsOf(rows: Rows, requested: { label?: string | undefined; values?: string[] | undefined }) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isColumn = (name: string) => names.includes(name);
  const unknown = [requested.label, ...(requested.values ?? [])].find(
    (name) => name !== undefined && !isColumn(name),
  );
  if (unknown !== undefined)
    throw new AppError("invalid", `There is no column ${unknown}. The rows have ${names.join(", ")}.`);
  const label =
    requested.label ?? names.find((name) => rows.some((row) => toNumber(row[name]) === null)) ?? names[0];
  const numeric = names.filter((name) => name !== label && rows.some((row) => toNumber(row[name]) !== null));
  const values = (requested.values ?? numeric).slice(0, MAX_SERIES);
  if (label === undefined || values.length === 0)
    throw new AppError("invalid", "The rows have no column with numbers to draw.");
  return { label, values };
}

async function picture(svg: string, title: string, { keepFile }: PluginContext) {
  const file = await keepFile({ name: `${title}.svg`, bytes: Buffer.from(svg) });
  // Without a stored conversation or run, the SVG is returned.
  return file ? { files: [file] } : { svg };
}

export const diagramMaker = definePlugin(
  {
    id: "diagram-maker",
    title: "Diagram Maker",
    icon: "ChartColumn",
    description:
      "Draws charts from rows of data and flow diagrams from boxes and arrows, as SVG pictures that appear in chat and in workflow runs. Everything is drawn on this server; no data leave it.",
    tags: ["charts", "diagrams", "svg"],
    version: "1.0.0",
    released: "2026-11-23",
    featured: true,
    categories: ["data", "productivity"],
    requests: { effects: ["reads"] },
    brings: {
      prompts: [
        {
          id: "chart",
          name: "Draw a chart",
          text: "Draw a {{type=bar}} chart of this data, and say in two sentences what it shows:\n\n{{data}}",
        },
      ],
      steps: [
        {
          name: "chart",
          label: "Draw Chart",
          description: "Draw a chart from rows, such as those of Database Query.",
          category: "Data",
          tool: "chart",
          fields: [
            { name: "title", label: "Title", required: true, control: { kind: "text", default: "Chart" } },
            {
              name: "type",
              label: "Type",
              control: { kind: "select", default: "bar", options: optionsOf(CHART_TYPES) },
            },
            {
              name: "rows",
              label: "Rows",
              required: true,
              hint: "Enter a list of maps, such as steps.query.rows.",
              control: { kind: "expression" },
            },
            {
              name: "label",
              label: "Label column",
              hint: "Leave blank to use the first column with text.",
              control: { kind: "text" },
            },
          ],
          outputs: { files: "List with the picture", columns: "The columns that were drawn" },
        },
      ],
      templates: [
        {
          id: "chart-a-query",
          name: "Chart a database query",
          description: "Query the workspace database and draw the result as a bar chart.",
          triggers: [{ id: "by_hand", type: "manual", config: {} }],
          steps: [
            {
              id: "query",
              type: "database_query",
              config: {
                connection: "",
                sql: "SELECT 'Example' AS name, 3 AS amount UNION ALL SELECT 'Other', 5",
                parameters: "",
                write: false,
                maxRows: 100,
              },
            },
            {
              id: "chart",
              type: "diagram-maker.chart",
              config: { title: "Amounts", type: "bar", rows: "steps.query.rows", label: "" },
            },
          ],
          connections: [],
        },
      ],
    },
  },
  [
    definePluginTool({
      name: "chart",
      title: "Draw a chart",
      description: `Draws a ${CHART_TYPES.join(", ")} chart from rows, such as [{"month": "May", "sales": 3}], as a picture that the user sees. Use it whenever the user asks for a chart, and don't draw one in text.`,
      effect: "reads",
      input: z.object({
        title: Title,
        type: z.enum(CHART_TYPES).default("bar"),
        rows: z
          .array(z.record(z.string().max(100), Cell))
          .min(1)
          .max(MAX_ROWS)
          .describe("Data by column"),
        label: z
          .string()
          .max(100)
          .optional()
          .describe("Column that names the rows; the first text by default"),
        values: z
          .array(z.string().max(100))
          .min(1)
          .max(MAX_SERIES)
          .optional()
          .describe("Columns to draw; every one with numbers by default"),
      }),
      timeoutMs: 10_000,
      async run({ title, type, rows, ...requested }, context) {
        const columns = columnsOf(rows, requested);
        if (type === "pie" && rows.length > MAX_SLICES)
          throw new AppError(
            "invalid",
            `A pie shows at most ${MAX_SLICES} rows. Use bars, or add up the smallest.`,
          );
        const data: ChartData = {
          type,
          title,
          labels: rows.map((row) => String(row[columns.label] ?? "")),
          series: (type === "pie" ? columns.values.slice(0, 1) : columns.values).map((name) => ({
            name,
            values: rows.map((row) => toNumber(row[name])),
          })),
        };
        return {
          title,
          type,
          columns,
          rows: rows.length,
          ...(await picture(drawChart(data), title, context)),
        };
      },
    }),
    definePluginTool({
      name: "flow",
      title: "Draw a flow diagram",
      description:
        "Draws boxes and arrows, laid out automatically, as a picture that the user sees: processes, dependencies, org charts, architectures.",
      effect: "reads",
      input: z.object({
        title: Title,
        direction: z.enum(["down", "right"]).default("down"),
        nodes: z
          .array(
            z.object({
              id: Id,
              label: z.string().trim().min(1).max(200),
              shape: z.enum(SHAPES).default("box"),
            }),
          )
          .min(1)
          .max(MAX_NODES),
        edges: z
          .array(z.object({ from: Id, to: Id, label: z.string().trim().max(40).default("") }))
          .max(2 * MAX_NODES)
          .default([])
          .describe("Arrows between the ids of nodes"),
      }),
      timeoutMs: 10_000,
      async run({ title, direction, nodes, edges }, context) {
        const ids = new Set(nodes.map(({ id }) => id));
        if (ids.size < nodes.length) throw new AppError("invalid", "Two nodes have the same id.");
        const missing = edges.flatMap(({ from, to }) => [from, to]).find((id) => !ids.has(id));
        if (missing !== undefined)
          throw new AppError("invalid", `An arrow names ${missing}, which isn't a node.`);
        const svg = drawFlow({ title, direction, nodes, edges });
        return { title, nodes: nodes.length, edges: edges.length, ...(await picture(svg, title, context)) };
      },
    }),
  ],
);
