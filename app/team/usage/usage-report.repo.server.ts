import { and, between, eq, gte, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Db } from "~/core/db.server";
import { DAY, HOUR } from "~/core/durations";
import { apiTokens, personas, providers, usageDays, usageRecords, workflows } from "~db/schema";
import type { UsageDimension } from "./usage.shared";

type Range =
  | { unit: "day"; from: string; to: string }
  | { unit: "hour"; from: string; day?: string | undefined };

export interface UsageScope {
  orgId: string;
  /** Undefined for everyone. */
  userId: string | undefined;
  range: Range;
  filter: Partial<Record<UsageDimension, string | undefined>>;
  /** Tool calls instead of model calls. */
  tools: boolean;
}

interface UsageSource {
  bucket: SQLWrapper;
  keys: Record<UsageDimension, SQLWrapper>;
  figures: SQL[];
  from: SQLWrapper;
  where: SQL | undefined;
}

/** The figures, in the order in which they follow the group's key. */
export const FIGURES = [
  "requests",
  "errors",
  "inputTokens",
  "outputTokens",
  "costMicros",
  "unpriced",
  "firstTokenMs",
  "firstTokens",
  "estimated",
  "cacheReadTokens",
  "cacheWriteTokens",
  "searchUnits",
  "images",
  "audioSeconds",
  "characters",
] as const;

function daySource(orgId: string, range: Extract<Range, { unit: "day" }>): UsageSource {
  const { day, model, personaId, providerId, source, tokenId, tool, userId, workflowId } = usageDays;
  return {
    bucket: day,
    keys: {
      model,
      provider: providerId,
      person: userId,
      persona: personaId,
      workflow: workflowId,
      token: tokenId,
      source,
      tool,
    },
    figures: FIGURES.map((name) => sql`sum(${usageDays[name]})`),
    from: usageDays,
    where: and(eq(usageDays.orgId, orgId), between(day, range.from, range.to)),
  };
}

function recordSource(orgId: string, range: Extract<Range, { unit: "hour" }>): UsageSource {
  const { model, providerId, userId, personaId, workflowId, tokenId, source, tool, createdAt, ...columns } =
    usageRecords;
  const {
    outcome,
    inputTokens,
    outputTokens,
    costMicros,
    firstTokenMs,
    estimated,
    cacheReadTokens,
    cacheWriteTokens,
    searchUnits,
    images,
    audioSeconds,
    characters,
  } = columns;
  const orEmpty = (column: SQLWrapper) => sql`coalesce(${column}, '')`;
  const { day } = range;
  return {
    bucket: sql`${createdAt} / ${sql.raw(String(HOUR))}`,
    keys: {
      model,
      provider: orEmpty(providerId),
      person: userId,
      persona: orEmpty(personaId),
      workflow: orEmpty(workflowId),
      token: orEmpty(tokenId),
      source,
      tool: orEmpty(tool),
    },
    figures: [
      sql`count(*)`,
      sql`sum(${outcome} = 'error')`,
      sql`sum(coalesce(${inputTokens}, 0))`,
      sql`sum(coalesce(${outputTokens}, 0))`,
      sql`sum(coalesce(${costMicros}, 0))`,
      // As the sums of days count them.
      sql`sum(${costMicros} IS NULL AND (${outcome} <> 'error' OR ${inputTokens} IS NOT NULL))`,
      sql`sum(coalesce(${firstTokenMs}, 0))`,
      sql`count(${firstTokenMs})`,
      sql`sum(${estimated})`,
      sql`sum(coalesce(${cacheReadTokens}, 0))`,
      sql`sum(coalesce(${cacheWriteTokens}, 0))`,
      sql`sum(coalesce(${searchUnits}, 0))`,
      sql`sum(coalesce(${images}, 0))`,
      sql`sum(coalesce(${audioSeconds}, 0))`,
      sql`sum(coalesce(${characters}, 0))`,
    ],
    from: usageRecords,
    where: day
      ? and(
          eq(usageRecords.orgId, orgId),
          eq(usageRecords.day, day),
          between(createdAt, Date.parse(day) - DAY, Date.parse(day) + 2 * DAY),
        )
      : and(eq(usageRecords.orgId, orgId), gte(createdAt, Date.parse(range.from))),
  };
}

function prepareSource(scope: UsageScope) {
  const { orgId, range } = scope;
  const source = range.unit === "day" ? daySource(orgId, range) : recordSource(orgId, range);
  const narrowed = Object.entries(scope.filter).map(([dimension, key]) =>
    key === undefined ? undefined : eq(source.keys[dimension as UsageDimension], key),
  );
  const where = and(
    source.where,
    scope.userId === undefined ? undefined : eq(source.keys.person, scope.userId),
    scope.tools ? ne(source.keys.tool, "") : eq(source.keys.tool, ""),
    ...narrowed,
  );
  return { ...source, where };
}

/** `figure_0` and so on. */
const alias = (name: (typeof FIGURES)[number]) => sql.raw(`figure_${FIGURES.indexOf(name)}`);

const ORDERS = {
  tokens: sql`${alias("inputTokens")} + ${alias("outputTokens")}`,
  spend: alias("costMicros"),
  requests: alias("requests"),
  "first-token": sql`CASE WHEN ${alias("firstTokens")} > 0 THEN ${alias("firstTokenMs")} * 1.0 / ${alias("firstTokens")} END`,
  errors: alias("errors"),
};

const figureColumns = (figures: readonly SQL[]) =>
  sql.join(
    figures.map((figure, at) => sql`${figure} AS ${sql.raw(`figure_${at}`)}`),
    sql`, `,
  );

/** For a read thread. */
const compile = (statement: SQL) => new SQLiteSyncDialect().sqlToQuery(statement);

const summedFigures = figureColumns(FIGURES.map((name) => sql`sum(${alias(name)})`));
const aliases = sql.join(FIGURES.map(alias), sql`, `);

/** One scan: top groups by metric (rank from 1), then sums per bucket (no rank; key null for the rest). */
export function reportQuery(
  scope: UsageScope,
  by: UsageDimension,
  metric: keyof typeof ORDERS,
  { groups, shown }: { groups: number; shown: number },
) {
  const { bucket, figures, from, keys, where } = prepareSource(scope);
  const order = sql`${ORDERS[metric]} DESC, ${alias("requests")} DESC, key`;
  return compile(
    sql`WITH cells AS MATERIALIZED (
        SELECT ${bucket} AS bucket, ${keys[by]} AS key, ${figureColumns(figures)} FROM ${from} WHERE ${where} GROUP BY 1, 2
      ), sums AS (
        SELECT key, ${summedFigures} FROM cells GROUP BY key
      ), ranked AS MATERIALIZED (
        SELECT row_number() OVER (ORDER BY ${order}) AS rank, * FROM sums ORDER BY rank LIMIT ${groups}
      )
      SELECT rank, NULL AS bucket, key, ${aliases} FROM ranked
      UNION ALL
      SELECT NULL, bucket,
        CASE WHEN key IN (SELECT key FROM ranked WHERE rank <= ${shown}) THEN key END AS part, ${summedFigures}
      FROM cells GROUP BY bucket, part`,
  );
}

/**
 * Numbers groups by their first use, which nothing later changes: their colors follow from it. The row's id orders the
 * first day's, as a day's row is added by its first call.
 */
export function firstUseQuery(orgId: string, by: UsageDimension, keys: readonly string[]) {
  const key = daySource(orgId, { unit: "day", from: "", to: "" }).keys[by];
  return compile(
    sql`SELECT key, number FROM (
        SELECT ${key} AS key, row_number() OVER (ORDER BY min(${usageDays.day}), min(rowid)) - 1 AS number
        FROM ${usageDays} WHERE ${usageDays.orgId} = ${orgId} AND ${by === "tool" ? ne(usageDays.tool, "") : eq(usageDays.tool, "")}
        GROUP BY 1
      ) WHERE key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`,
  );
}

export function exportQuery(scope: UsageScope, by: UsageDimension) {
  const { bucket, figures, from, keys, where } = prepareSource(scope);
  return compile(
    sql`SELECT ${bucket} AS bucket, ${keys[by]} AS key, ${figureColumns(figures)} FROM ${from} WHERE ${where}
      GROUP BY 1, 2 ORDER BY 1, 2`,
  );
}

/** Names by id; few, so all are read. */
export function readGroupNames(db: Db, orgId: string, by: "persona" | "workflow" | "token" | "provider") {
  const table = { persona: personas, workflow: workflows, token: apiTokens, provider: providers }[by];
  const name = "displayName" in table ? table.displayName : table.name;
  return db.select({ id: table.id, name }).from(table).where(eq(table.orgId, orgId)).all();
}
