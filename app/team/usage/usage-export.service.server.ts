import type { Actor } from "~/core/actor";
import { toCsvRow } from "~/core/csv";
import { HOUR } from "~/core/durations";
import { readInThread } from "~/core/read-pool.server";
import type { UsageQuery } from "./usage.schema";
import type { ResolvedRange } from "./usage-range";
import { exportQuery } from "./usage-report.repo.server";
import { readLabels, readSums, scopeOf } from "./usage-report.service.server";

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
];

/** For sequential reading. */
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
  // The BOM makes spreadsheets read UTF-8.
  yield `\uFEFF${toCsvRow([scope.range.unit, query.by, `${query.by}_id`, ...COLUMNS])}`;
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
        String(sums.requests),
        String(sums.errors),
        String(sums.inputTokens),
        String(sums.outputTokens),
        (sums.costMicros / 1_000_000).toFixed(6),
        String(sums.unpriced),
        sums.firstTokens > 0 ? String(Math.round(sums.firstTokenMs / sums.firstTokens)) : "",
      ]);
    }
    if (text) yield text;
  }
}

/** CSV with a row per group and bucket, streamed. @throws AppError `forbidden` */
export function exportUsage(actor: Actor, query: UsageQuery) {
  const { range } = scopeOf(actor, query);
  const name = `usage-${query.by}-${range.from.slice(0, 10)}-${range.to.slice(0, 10)}.csv`;
  return { name, type: "text/csv; charset=utf-8", pieces: encodeAll(actor, query) };
}
