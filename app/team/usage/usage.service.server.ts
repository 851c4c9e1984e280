import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { type Db, db, onCommit, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { newId } from "~/core/ids.server";
import { readInThread } from "~/core/read-pool.server";
import { currentPurpose, reportCall } from "~/core/telemetry.server";
import { dayIn } from "~/core/time-zone";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { publish } from "~/platform/events/events.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { orgTimeZone } from "~/platform/settings/read-settings.service.server";
import { addUsage, takeChangedOrganisations } from "./sum-usage.server";
import { sumUsageJob } from "./usage.jobs.server";
import {
  hasModelUsage,
  listProviderUsage,
  listUsageByIds,
  sumUntilQuery,
  type UsageRow,
} from "./usage.repo.server";
import type { OUTCOMES, SOURCES, UsageSummary } from "./usage.schema";
import { sumDay, sumProviderDay } from "./usage-days.repo.server";

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
  firstTokenMs?: number | null | undefined;
  /** Null after a crash. */
  durationMs: number | null;
  outcome: (typeof OUTCOMES)[number];
  errorCode?: string | null | undefined;
  /** In millionths of a dollar; null if unknown. */
  costMicros: number | null;
  source?: (typeof SOURCES)[number];
  tokenId?: string | null | undefined;
  route?: RouteRecord | null | undefined;
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

function insert(
  tx: Db,
  row: Omit<UsageRow, "id" | "createdAt" | "day">,
  { requestId }: Pick<Actor, "requestId">,
): string {
  const id = newId("use");
  addUsage(tx, { ...row, id, createdAt: now() });
  reportCall(row, requestId);
  return id;
}

/** Records a call of a model within its answer's transaction. @returns the record's id */
export function recordUsage(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "requestId">,
  input: UsageInput,
): string {
  const links = linksOf(input);
  const row = {
    orgId: actor.orgId,
    userId: actor.userId,
    ...links,
    pluginId: null,
    tool: null,
    providerId: input.providerId,
    providerType: input.providerType,
    model: input.model,
    inputTokens: plausibleCount(input.inputTokens),
    outputTokens: plausibleCount(input.outputTokens),
    costMicros: input.costMicros,
    firstTokenMs: plausibleCount(input.firstTokenMs),
    durationMs: plausibleCount(input.durationMs),
    outcome: input.outcome,
    errorCode: input.errorCode ?? null,
    source: input.source ?? (links.workflowId ? "workflow" : "chat"),
    tokenId: input.tokenId ?? null,
    route: input.route ?? null,
  };
  return insert(tx, row, actor);
}

interface ToolCallInput {
  tool: string;
  pluginId?: string | undefined;
  source: UsageSource;
  durationMs: number;
  outcome: (typeof OUTCOMES)[number];
  errorCode: string | null;
}

/** Without model, tokens and cost. @returns the record's id */
export function recordToolCall(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">,
  { tool, pluginId, source, durationMs, outcome, errorCode }: ToolCallInput,
): string {
  const row = {
    orgId: actor.orgId,
    userId: actor.userId,
    ...linksOf(source),
    pluginId: pluginId ?? null,
    tool,
    providerId: null,
    providerType: "tool",
    model: "",
    inputTokens: null,
    outputTokens: null,
    costMicros: 0,
    firstTokenMs: null,
    durationMs: plausibleCount(durationMs),
    outcome,
    errorCode,
    source: source.kind,
    tokenId: actor.tokenId ?? null,
    route: null,
  };
  return insert(tx, row, actor);
}

/** In the organization's time zone; undefined without calls. */
export function readProviderToday(
  actor: Pick<Actor, "orgId">,
  providerId: string,
): { calls: number; costMicros: number | null } | undefined {
  const { orgId } = actor;
  const sums = sumProviderDay(db(), { orgId, day: dayIn(now(), orgTimeZone(orgId)), providerId });
  if (!sums) return undefined;
  return { calls: sums.requests, costMicros: sums.unpriced === sums.requests ? null : sums.costMicros };
}

/** In the organization's time zone. */
export function readToday({ orgId }: Pick<Actor, "orgId">): { tokens: number; costMicros: number } {
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
export function readProviderCalls(providerId: string, since: number) {
  return listProviderUsage(db(), providerId, since, 200).map((row) => ({
    at: row.createdAt,
    outcome: row.outcome,
    errorCode: row.errorCode,
    model: row.model,
    firstTokenMs: row.firstTokenMs,
  }));
}

/** By record id; ids of other organizations are ignored. */
export function readUsage(actor: Pick<Actor, "orgId">, ids: readonly string[]): Map<string, UsageSummary> {
  const rows = listUsageByIds(db(), actor.orgId, ids);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        model: row.model,
        inputTokens: row.inputTokens,
        outputTokens: row.outputTokens,
        costMicros: row.costMicros,
        firstTokenMs: row.firstTokenMs,
        durationMs: row.durationMs,
        outcome: row.outcome,
      },
    ]),
  );
}

export function startUsageEvents(): () => void {
  takeChangedOrganisations();
  const stops = [
    onCommit("live usage", () => {
      for (const orgId of takeChangedOrganisations()) publish({ topic: "usage", orgId });
    }),
    onConfigChanged(["settings:organisation"], () => transaction((tx) => enqueue(tx, sumUsageJob, {}))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
