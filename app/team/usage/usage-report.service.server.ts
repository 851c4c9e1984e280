import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { CSV_TYPE, csvHead, toCsvRow } from "~/core/csv";
import { db } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { readInThread } from "~/core/read-pool.server";
import { authorName } from "~/platform/audit/actor-name.shared";
import { authorise, may } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { namesOfActors } from "~/team/members/member-names.service.server";
import { SERIES_COLORS } from "~/ui/chart.shared";
import { layOutUsage } from "./chart.server";
import { addFigures, type DetailedUsage, figuresOf, NO_SUMS, type UsageSums } from "./figures.shared";
import type { SOURCES, UsageFilter, UsageQuery, UsageReport } from "./usage.schema";
import { DIMENSIONS, type UsageDimension, type UsageMetric } from "./usage.shared";
import { boundsOf, type ResolvedRange, resolveRange } from "./usage-range.shared";
import {
  exportQuery,
  FIGURES,
  firstUseQuery,
  readGroupNames,
  reportQuery,
  type UsageScope,
} from "./usage-report.repo.server";

const MAX_GROUPS = 100;

/** Labels of no group, and of deleted groups. */
const GROUP_LABELS: Record<UsageDimension, [none: string, deleted: string]> = {
  model: ["No model", ""],
  provider: ["Built-in model", "Removed provider"],
  person: ["System", "Removed member"],
  persona: ["No persona", "Removed persona"],
  workflow: ["No workflow", "Removed workflow"],
  token: ["No API token", "Removed API token"],
  source: ["Unknown", "Unknown"],
  tool: ["No tool", ""],
};

const SOURCE_LABELS = new Map<string, string>(
  Object.entries({
    chat: "Chat",
    comparison: "Comparisons",
    gateway: "Gateway",
    knowledge: "Documents",
    workflow: "Workflows",
    mcp: "MCP clients",
    evaluation: "Evaluations",
    widget: "Widgets",
  } satisfies Record<(typeof SOURCES)[number], string>),
);

function readLabels(actor: Actor, by: UsageDimension): (key: string) => string {
  const [none, deleted] = GROUP_LABELS[by];
  if (by === "model" || by === "tool") return (key) => key || none;
  if (by === "person") {
    const people = namesOfActors(actor);
    return (key) => (key === "" ? none : authorName({ userId: key }, people));
  }
  const names =
    by === "source"
      ? SOURCE_LABELS
      : new Map(readGroupNames(db(), actor.orgId, by).map(({ id, name }) => [id, name]));
  return (key) => (key === "" ? none : (names.get(key) ?? deleted));
}

/** @throws as `readUsageReport` */
export async function readUsage(actor: Actor, query: UsageQuery): Promise<UsageReport> {
  const { parts, shown, colors, ...report } = await readUsageReport(actor, query);
  return report;
}

/** Below admin, only the actor's own calls. */
function scopeOf(actor: Actor, query: UsageQuery): UsageScope & { range: ResolvedRange } {
  const all = may(actor, "usage.all");
  if (!all) authorise(actor, "usage.own");
  const filter = Object.fromEntries(DIMENSIONS.map((name) => [name, query[name]])) as UsageFilter;
  return {
    orgId: actor.orgId,
    userId: all ? undefined : actor.userId,
    range: resolveRange(query, now(), orgTimeZone(actor.orgId)),
    filter,
    tools: query.by === "tool" || query.tool !== undefined,
  };
}

const Figure = z
  .number()
  .nullable()
  .transform((value) => value ?? 0);
const Sums = z.array(Figure).length(FIGURES.length);

function readSums(figures: readonly unknown[]): UsageSums {
  const values = Sums.parse(figures);
  return Object.fromEntries(FIGURES.map((name, at) => [name, values[at] ?? 0])) as UsageSums;
}

/** By key; a group without any usage yet has the first one's. */
async function readColors(actor: Actor, by: UsageDimension, keys: readonly string[]): Promise<number[]> {
  if (keys.length === 0) return [];
  const [rows = []] = await readInThread("screen", [firstUseQuery(actor.orgId, by, keys)]);
  const numbers = new Map(rows.map(([key, number]) => [String(key), z.number().parse(number)]));
  return keys.map((key) => (numbers.get(key) ?? 0) % SERIES_COLORS);
}

const Rank = z.number().nullable();
const Key = z.string().nullable();
const Bucket = z.union([z.string(), z.number()]);

/**
 * Reads the usage of a range by group and by day or hour, in a read thread.
 *
 * @param topCount number of the largest groups listed separately in `parts`
 * @throws AppError `forbidden`; `unavailable` when it takes too long
 */
export async function readUsageReport(actor: Actor, query: UsageQuery, topCount = 0): Promise<DetailedUsage> {
  const scope = scopeOf(actor, query);
  const { range } = scope;
  const [rows = []] = await readInThread("screen", [
    reportQuery(scope, query.by, query.metric, { groups: MAX_GROUPS, shown: topCount }),
  ]);
  const parsed = rows.map(([rank, bucket, key, ...sums]) => ({
    rank: Rank.parse(rank),
    bucket,
    key: Key.parse(key),
    sums: readSums(sums),
  }));
  const labelOf = readLabels(actor, query.by);
  const largest = parsed.flatMap(({ rank, key, sums }) => (rank ? [{ rank, key: key ?? "", sums }] : []));
  const groups = largest
    .sort((a, b) => a.rank - b.rank)
    .map(({ key, sums }) => ({ key, label: labelOf(key), ...figuresOf(sums) }));
  const keys = groups.slice(0, topCount).map(({ key }) => key);
  const parts = new Map<string | number, UsageSums[]>();
  for (const bucket of range.buckets)
    parts.set(
      bucket,
      Array.from({ length: keys.length + 1 }, () => NO_SUMS),
    );
  for (const { rank, bucket, key, sums } of parsed) {
    if (rank) continue;
    const part = parts.get(Bucket.parse(bucket));
    if (part) part[key === null ? keys.length : keys.indexOf(key)] = sums;
  }
  const points = [...parts].map(([bucket, sums]) => ({
    at: typeof bucket === "number" ? new Date(bucket * HOUR).toISOString() : bucket,
    ...figuresOf(addFigures(sums)),
  }));
  return {
    scope: scope.userId === undefined ? "organization" : "own",
    unit: range.unit,
    from: range.from,
    to: range.to,
    totals: figuresOf(addFigures([...parts.values()].flat())),
    groups,
    points,
    shown: keys,
    colors: await readColors(actor, query.by, keys),
    parts: [...parts.values()],
  };
}

const SERIES = 5;

/** @throws AppError `forbidden`; `unavailable` when too slow */
export async function viewUsage(actor: Actor, query: UsageQuery) {
  const { parts, shown, colors, ...report } = await readUsageReport(actor, query, SERIES);
  const narrowed = DIMENSIONS.flatMap((name) => {
    const key = query[name];
    return key === undefined ? [] : [[name, readLabels(actor, name)(key)]];
  });
  const timeZone = orgTimeZone(actor.orgId);
  return {
    ...report,
    chart: layOutUsage({ ...report, parts, shown, colors }, query, timeZone),
    narrowed: Object.fromEntries(narrowed) as Partial<Record<UsageDimension, string>>,
    bounds: boundsOf(scopeOf(actor, query).range, timeZone),
  };
}

/** Of the last 14 days, by model: spend, tokens, and errors of all models together. */
export async function plotUsage(
  actor: Actor,
  height: { wide: number; narrow: number },
  limit: { value: number; label: string } | undefined,
) {
  const query = (metric: UsageMetric): UsageQuery => ({ range: "14d", by: "model", metric });
  const report = await readUsageReport(actor, query("tokens"), SERIES);
  const timeZone = orgTimeZone(actor.orgId);
  const layOut = (metric: UsageMetric, options: Parameters<typeof layOutUsage>[3]) =>
    layOutUsage(report, query(metric), timeZone, options);
  // Models that failed before they counted a token are among the others, so errors aren't divided.
  const errors = {
    ...report,
    shown: [],
    colors: [],
    parts: report.parts.map((parts) => [addFigures(parts)]),
  };
  return {
    scope: report.scope,
    totals: report.totals,
    spend: layOut("spend", { height: height.wide, limit }),
    tokens: layOut("tokens", { height: height.narrow }),
    errors: layOutUsage(errors, query("errors"), timeZone, {
      height: height.narrow,
      rest: ["Errors", "danger"],
    }),
  };
}

/** Days or hours per batch. */
const BATCH = 7;

const COLUMNS = [
  "requests",
  "errors",
  "input_tokens",
  "output_tokens",
  "cost_usd",
  "requests_without_price",
  "first_token_ms",
  "requests_estimated",
  "cache_read_tokens",
  "cache_write_tokens",
  "search_units",
  "images",
  "audio_seconds",
  "characters",
];

function partsOf(range: ResolvedRange): ResolvedRange[] {
  if (range.unit === "hour") return [range];
  const parts: ResolvedRange[] = [];
  for (let at = 0; at < range.buckets.length; at += BATCH) {
    const buckets = range.buckets.slice(at, at + BATCH);
    parts.push({ unit: "day", from: buckets[0] ?? "", to: buckets.at(-1) ?? "", buckets });
  }
  return parts;
}

async function* encodeAll(actor: Actor, query: UsageQuery) {
  const scope = scopeOf(actor, query);
  const labelOf = readLabels(actor, query.by);
  yield csvHead([scope.range.unit, query.by, `${query.by}_id`, ...COLUMNS]);
  for (const range of partsOf(scope.range)) {
    const [rows = []] = await readInThread("long", [exportQuery({ ...scope, range }, query.by)]);
    let text = "";
    for (const row of rows) {
      const [bucket, key] = row;
      const sums = readSums(row.slice(2));
      const id = String(key ?? "");
      text += toCsvRow([
        typeof bucket === "number" ? new Date(bucket * HOUR).toISOString() : String(bucket),
        labelOf(id),
        id,
        sums.requests,
        sums.errors,
        sums.inputTokens,
        sums.outputTokens,
        (sums.costMicros / 1_000_000).toFixed(6),
        sums.unpriced,
        sums.firstTokens > 0 ? Math.round(sums.firstTokenMs / sums.firstTokens) : null,
        sums.estimated,
        sums.cacheReadTokens,
        sums.cacheWriteTokens,
        sums.searchUnits,
        sums.images,
        sums.audioSeconds,
        sums.characters,
      ]);
    }
    if (text) yield text;
  }
}

/** CSV with a row per group and bucket, streamed. @throws AppError `forbidden` */
export function exportUsage(actor: Actor, query: UsageQuery) {
  const { range } = scopeOf(actor, query);
  const name = `usage-${query.by}-${range.from.slice(0, 10)}-${range.to.slice(0, 10)}.csv`;
  return { name, type: CSV_TYPE, pieces: encodeAll(actor, query) };
}
