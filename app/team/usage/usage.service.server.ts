import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { type Db, db, onCommit, runInBatches, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { newId } from "~/core/ids.server";
import { currentPurpose } from "~/core/purpose.server";
import { readInThread } from "~/core/read-pool.server";
import { type CallDetails, callDetails, reportCall } from "~/core/telemetry.server";
import { dayIn } from "~/core/time-zone";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { publish } from "~/platform/events/events.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import {
  findOrgRecord,
  installationOrgId,
  orgTimeZone,
  saveOrgRecord,
} from "~/platform/settings/settings.service.server";
import {
  addToDay,
  type DaySums,
  hasModelUsage,
  insertUsage,
  listProviderCalls,
  listUnsummed,
  listUsageAfter,
  listUsageByIds,
  moveToDay,
  type SummedRow,
  subtractFromDay,
  sumDay,
  sumProviderDay,
  sumUntilQuery,
  type UsageRow,
} from "./usage.repo.server";
import type { OUTCOMES, SOURCES, UsageSummary } from "./usage.schema";

export const usageSums = declareJob({ kind: "usage.sum-old", input: z.object({}), lane: "maintenance" });

interface UsageLinks {
  conversationId?: string | null | undefined;
  messageId?: string | null | undefined;
  personaId?: string | null | undefined;
  workflowId?: string | null | undefined;
  runId?: string | null | undefined;
  stepId?: string | null | undefined;
}

export interface UsageSource extends UsageLinks {
  kind: (typeof SOURCES)[number];
}

export interface UsageInput extends UsageLinks {
  providerId: string | null;
  providerType: string;
  model: string;
  /** Undefined or null if unknown, which isn't zero. */
  inputTokens?: number | null | undefined;
  outputTokens?: number | null | undefined;
  /** Parts of the input. */
  cacheReadTokens?: number | null | undefined;
  cacheWriteTokens?: number | null | undefined;
  /** What rerankers count. */
  searchUnits?: number | null | undefined;
  /** That were made. */
  images?: number | null | undefined;
  /** What was transcribed, and the text that was read aloud. */
  audioSeconds?: number | null | undefined;
  characters?: number | null | undefined;
  /** Whether the console counted them, since the provider reported none. */
  estimated?: boolean | undefined;
  firstTokenMs?: number | null | undefined;
  /** Null after a crash. */
  durationMs: number | null;
  outcome: (typeof OUTCOMES)[number];
  errorCode?: string | null | undefined;
  /** In millionths of a dollar; null if unknown. */
  costMicros: number | null;
  source?: (typeof SOURCES)[number];
  route?: RouteRecord | null | undefined;
  /** For traces, and not stored; by default those noted for the route. */
  details?: CallDetails | undefined;
}

/** Implausible counts are unknown. */
export function plausibleCount(value: number | null | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : null;
}

function linksOf(input: UsageLinks): Record<keyof UsageLinks, string | null> {
  const { conversationId, messageId, personaId } = input;
  const purpose = currentPurpose();
  const { workflowId, runId, stepId } = input.workflowId ? input : purpose;
  return {
    conversationId: conversationId ?? null,
    messageId: messageId ?? null,
    personaId: personaId ?? purpose.personaId ?? null,
    workflowId: workflowId ?? null,
    runId: runId ?? null,
    stepId: stepId ?? null,
  };
}

/** A row's contribution to its day. */
function sumsOf(row: SummedRow, day: string): DaySums {
  return {
    orgId: row.orgId,
    day,
    source: row.source,
    model: row.model,
    providerId: row.providerId ?? "",
    userId: row.userId,
    personaId: row.personaId ?? "",
    workflowId: row.workflowId ?? "",
    tokenId: row.tokenId ?? "",
    tool: row.tool ?? "",
    requests: 1,
    errors: row.outcome === "error" ? 1 : 0,
    inputTokens: row.inputTokens ?? 0,
    outputTokens: row.outputTokens ?? 0,
    costMicros: row.costMicros ?? 0,
    // A call that failed before any token, as one that a budget refused, has no price to know.
    unpriced: row.costMicros === null && (row.outcome !== "error" || row.inputTokens !== null) ? 1 : 0,
    firstTokenMs: row.firstTokenMs ?? 0,
    firstTokens: row.firstTokenMs === null ? 0 : 1,
    cacheReadTokens: row.cacheReadTokens ?? 0,
    cacheWriteTokens: row.cacheWriteTokens ?? 0,
    searchUnits: row.searchUnits ?? 0,
    images: row.images ?? 0,
    audioSeconds: row.audioSeconds ?? 0,
    characters: row.characters ?? 0,
    estimated: row.estimated ? 1 : 0,
  };
}

/** Organizations with new records since the last event, including rolled back ones. */
const changedOrgIds = new Set<string>();

/** Records a call of a model within its answer's transaction. @returns the record's id */
export function recordUsage(
  tx: Db,
  { orgId, userId, tokenId }: Pick<Actor, "orgId" | "userId" | "tokenId">,
  input: UsageInput & { tool?: string; pluginId?: string | undefined },
): string {
  const links = linksOf(input);
  const createdAt = now();
  const day = dayIn(createdAt, orgTimeZone(orgId));
  const row: UsageRow = {
    id: newId("use"),
    orgId,
    userId,
    ...links,
    pluginId: input.pluginId ?? null,
    tool: input.tool ?? null,
    providerId: input.providerId,
    providerType: input.providerType,
    model: input.model,
    inputTokens: plausibleCount(input.inputTokens),
    outputTokens: plausibleCount(input.outputTokens),
    cacheReadTokens: plausibleCount(input.cacheReadTokens),
    cacheWriteTokens: plausibleCount(input.cacheWriteTokens),
    searchUnits: plausibleCount(input.searchUnits),
    images: plausibleCount(input.images),
    audioSeconds: plausibleCount(input.audioSeconds),
    characters: plausibleCount(input.characters),
    estimated: input.estimated ?? false,
    costMicros: input.costMicros,
    firstTokenMs: plausibleCount(input.firstTokenMs),
    durationMs: plausibleCount(input.durationMs),
    outcome: input.outcome,
    errorCode: input.errorCode ?? null,
    source: input.source ?? (links.workflowId ? "workflow" : "chat"),
    tokenId: tokenId ?? null,
    route: input.route ?? null,
    createdAt,
    day,
  };
  insertUsage(tx, row);
  addToDay(tx, sumsOf(row, day));
  changedOrgIds.add(orgId);
  reportCall({ ...row, details: input.details ?? (input.route ? callDetails(input.route) : {}) });
  return row.id;
}

interface ToolCallInput {
  tool: string;
  pluginId?: string | undefined;
  source: UsageSource;
  durationMs: number;
  outcome: (typeof OUTCOMES)[number];
  errorCode: string | null;
  details?: CallDetails | undefined;
}

/** Without model, tokens and cost. @returns the record's id */
export function recordToolCall(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "tokenId">,
  { source: { kind, ...links }, ...call }: ToolCallInput,
): string {
  const noModel = { providerId: null, providerType: "tool", model: "", costMicros: 0 };
  return recordUsage(tx, actor, { ...links, ...noModel, ...call, source: kind });
}

/** In the organization's time zone; undefined without calls. */
export function readProviderToday(
  { orgId }: Pick<Actor, "orgId">,
  providerId: string,
): { calls: number; costMicros: number | null } | undefined {
  const sums = sumProviderDay(db(), { orgId, day: dayIn(now(), orgTimeZone(orgId)), providerId });
  if (!sums) return undefined;
  return { calls: sums.requests, costMicros: sums.unpriced === sums.requests ? null : sums.costMicros };
}

/** In the organization's time zone. */
/** `unpriced` counts the calls whose price is unknown. */
export function readToday({ orgId }: Pick<Actor, "orgId">) {
  return sumDay(db(), { orgId, day: dayIn(now(), orgTimeZone(orgId)) });
}

const Sums = z.tuple([z.number(), z.number()]);

/** Up to 24 hours ago. */
export async function readYesterdayUntilNow({ orgId }: Pick<Actor, "orgId">) {
  const until = now() - DAY;
  const day = dayIn(until, orgTimeZone(orgId));
  const query = sumUntilQuery(db(), { orgId, day, after: until - DAY - DAY, until });
  const [rows] = await readInThread("screen", [query]);
  const [tokens, costMicros] = Sums.parse(rows?.[0]);
  return { tokens, costMicros };
}

export const hasUsage = ({ orgId }: Pick<Actor, "orgId">): boolean => hasModelUsage(db(), orgId);

/** Newest first, at most 200. */
export const readProviderCalls = (providerId: string, since: number) =>
  listProviderCalls(db(), providerId, since, 200);

/** By record id; ids of other organizations are ignored. */
export function readUsage(actor: Pick<Actor, "orgId">, ids: readonly string[]): Map<string, UsageSummary> {
  const rows = ids.length > 0 ? listUsageByIds(db(), actor.orgId, ids) : [];
  return new Map(rows.map((row) => [row.id, row]));
}

function takeChangedOrgIds(): string[] {
  const orgIds = [...changedOrgIds];
  changedOrgIds.clear();
  return orgIds;
}

export function startUsageEvents(): () => void {
  changedOrgIds.clear();
  const stops = [
    onCommit("live usage", () => {
      for (const orgId of takeChangedOrgIds()) publish({ topic: "usage", orgId });
    }),
    onConfigChanged(["settings:organisation"], () => transaction((tx) => enqueue(tx, usageSums, {}))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

const BATCH = 100;
/** Delay between batches, in ms. */
const BATCH_DELAY = 15;

/** Row and sums share a commit. @returns false if the row was moved meanwhile */
function moveSums(tx: Db, row: SummedRow, day: string): boolean {
  if (!moveToDay(tx, row, day)) return false;
  if (row.day !== null) subtractFromDay(tx, sumsOf(row, row.day));
  addToDay(tx, sumsOf(row, day));
  return true;
}

function* readUnsummed(): Generator<SummedRow> {
  for (let rows = listUnsummed(db(), BATCH); rows.length > 0; rows = listUnsummed(db(), BATCH)) yield* rows;
}

/** Adds rows that predate the daily sums. @returns the number of rows */
export function sumOldUsage(signal: AbortSignal): Promise<number> {
  return runInBatches(
    readUnsummed(),
    (tx, row) => void moveSums(tx, row, dayIn(row.createdAt, orgTimeZone(row.orgId))),
    // A power loss reverts mark and sums together.
    { signal, durable: false },
  );
}

function* readAll(orgId: string): Generator<SummedRow> {
  let after = { createdAt: 0, id: "" };
  for (;;) {
    const rows = listUsageAfter(db(), orgId, after, BATCH);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last;
  }
}

/** Time zone of all daily sums. */
const UsageZone = z.object({ timeZone: z.string().optional().catch(undefined) });

/** Moves rows after a change of time zone. @returns the number of rows */
export async function moveToTimeZone(signal: AbortSignal): Promise<number> {
  const orgId = installationOrgId();
  if (orgId === undefined) return 0;
  const timeZone = orgTimeZone(orgId);
  if (UsageZone.parse(findOrgRecord(db(), orgId, "usage-zone")).timeZone === timeZone) return 0;
  let moved = 0;
  await runInBatches(
    readAll(orgId),
    (tx, row) => {
      const day = dayIn(row.createdAt, timeZone);
      if (row.day !== day && moveSums(tx, row, day)) moved += 1;
    },
    { signal, durable: false, after: () => delay(BATCH_DELAY, undefined, { ref: false }) },
  );
  transaction((tx) => saveOrgRecord(tx, orgId, "usage-zone", { timeZone }));
  return moved;
}
