import { z } from "zod";
import { DIMENSIONS, MAX_RANGE_DAYS, METRICS, RANGES } from "./usage.shared";

export const OUTCOMES = ["ok", "stopped", "interrupted", "error"] as const;
export const SOURCES = [
  "chat",
  "comparison",
  "gateway",
  "knowledge",
  "workflow",
  "mcp",
  "evaluation",
  "widget",
] as const;

/** Null if not reported. */
export const UsageSummary = z.object({
  id: z.string(),
  model: z.string(),
  inputTokens: z.number().int().nullable(),
  outputTokens: z.number().int().nullable(),
  costMicros: z.number().int().nullable().describe("Millionths of a US dollar"),
  firstTokenMs: z.number().int().nullable(),
  durationMs: z.number().int().nullable(),
  outcome: z.enum(OUTCOMES),
});
export type UsageSummary = z.infer<typeof UsageSummary>;

const Id = z.string().max(300).optional();
const Day = z.iso.date().optional();

/** By id; model, source and tool by name. */
export const UsageFilter = z.object({
  model: Id,
  provider: Id,
  person: Id,
  persona: Id,
  workflow: Id,
  token: Id,
  source: z
    .string()
    .max(300)
    .optional()
    .describe(`One of ${SOURCES.join(", ")}`),
  tool: Id,
});
export type UsageFilter = z.infer<typeof UsageFilter>;

export const UsageQuery = UsageFilter.extend({
  range: z.enum(RANGES).default("30d").describe("Up to now. `custom` takes `from` and `to`"),
  from: Day.describe("First day of a custom range, in the organization's time zone"),
  to: Day.describe(`Last day of a custom range; at most ${MAX_RANGE_DAYS} days after the first`),
  metric: z.enum(METRICS).default("tokens").describe("Figure by which groups are ordered"),
  by: z.enum(DIMENSIONS).default("model").describe("Grouping of the calls; `tool` counts tool calls"),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

const { shape } = UsageQuery;

/** Invalid parameters have defaults, so that old links work. */
export const UsageScreenQuery = z.object({
  model: Id.catch(undefined),
  provider: Id.catch(undefined),
  person: Id.catch(undefined),
  persona: Id.catch(undefined),
  workflow: Id.catch(undefined),
  token: Id.catch(undefined),
  source: Id.catch(undefined),
  tool: Id.catch(undefined),
  range: shape.range.catch("30d"),
  from: shape.from.catch(undefined),
  to: shape.to.catch(undefined),
  metric: shape.metric.catch("tokens"),
  by: shape.by.catch("model"),
});

export const UsageFigures = z.object({
  requests: z.number().int(),
  errors: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  costMicros: z.number().int().describe("Millionths of a US dollar, of the calls with a known price"),
  unpriced: z.number().int().describe("Calls without a known price"),
  cacheReadTokens: z.number().int().describe("Part of the input that providers read from their caches"),
  cacheWriteTokens: z.number().int().describe("Part of the input that providers wrote to their caches"),
  searchUnits: z.number().int().describe("What rerankers count, where their provider reports it"),
  images: z.number().int().describe("Images that were made"),
  audioSeconds: z.number().int().describe("Length of what was transcribed"),
  characters: z.number().int().describe("Length of the texts that were read aloud"),
  estimated: z
    .number()
    .int()
    .describe("Calls whose tokens the console counted: their provider reported none"),
  firstTokenMs: z.number().int().nullable().describe("Average; null without a measurement"),
});
export type UsageFigures = z.infer<typeof UsageFigures>;

export const UsageGroup = UsageFigures.extend({
  key: z.string().describe("ID of the group, empty for calls that belong to none"),
  label: z.string(),
});
export type UsageGroup = z.infer<typeof UsageGroup>;

export const UsagePoint = UsageFigures.extend({
  at: z.string().describe("A day, such as 2026-03-29, or the start of an hour"),
});
export type UsagePoint = z.infer<typeof UsagePoint>;

export const UsageReport = z.object({
  scope: z.enum(["organization", "own"]).describe("`own` below admin: only the caller's calls"),
  unit: z.enum(["hour", "day"]),
  from: z.string(),
  to: z.string(),
  totals: UsageFigures,
  groups: z.array(UsageGroup).describe("At most 100, the largest first"),
  points: z.array(UsagePoint).describe("Every day or hour of the range, the oldest first"),
});
export type UsageReport = z.infer<typeof UsageReport>;
