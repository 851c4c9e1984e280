import { z } from "zod";
import { listModels, newChatModel, offerModels } from "~/ai/models/models.service.server";
import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { db, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { authorise, may, refusal } from "~/platform/rights/authorization.server";
import { titleOf } from "~/work/chat/chat.service.server";
import {
  beginCompared,
  continueCompared,
  listCompared,
  readCompared,
  stopCompared,
} from "~/work/chat/compared.service.server";
import { followAnswer, hasEventsAfter } from "~/work/chat/conversations.service.server";
import { findRetention } from "~/work/chat/retention/retention.service.server";
import { COLUMNS, parsePosition, positionOf } from "./columns.shared";
import {
  type ComparisonRow,
  countExpiredRows,
  deleteComparisonRow,
  findComparison,
  insertComparison,
  listComparisonRows,
  listExpiredRows,
} from "./comparisons.repo.server";
import type { Comparison, ComparisonInput, ComparisonSummary, ComparisonsQuery } from "./comparisons.schema";

function missing(): never {
  throw new AppError("not_found", "Comparison not found.");
}

function requireRow(actor: Actor, id: string): ComparisonRow {
  return findComparison(db(), actor, id) ?? missing();
}

/** Reports an unavailable model at the models' field. */
function withModelsField(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.code.startsWith("provider_")) return error;
  return new AppError(error.code, error.message, { cause: error, fields: { models: [error.message] } });
}

/**
 * Sends a prompt to two to four models; their answers continue in the background.
 * @throws AppError for an unavailable model, storing nothing
 */
export async function createComparison(actor: Actor, input: ComparisonInput): Promise<Comparison> {
  authorise(actor, "chat.use");
  const id = newId("cmp");
  try {
    await beginCompared(actor, input, (tx) => {
      const { orgId, userId } = actor;
      insertComparison(tx, { id, orgId, userId, prompt: input.prompt, createdAt: now() });
      append(tx, actor, {
        action: "comparison.created",
        resource: `comparison:${id}`,
        details: { models: input.models },
      });
      return id;
    });
  } catch (error) {
    throw withModelsField(error);
  }
  return readComparison(actor, id);
}

export function readComparison(actor: Actor, id: string): Comparison {
  authorise(actor, "chat.use");
  const { prompt, createdAt } = requireRow(actor, id);
  return { id, prompt, createdAt: new Date(createdAt).toISOString(), answers: readCompared(actor, id) };
}

const pages = keyset(z.object({ createdAt: KeyNumber, id: KeyId }));

export function listComparisons(
  actor: Actor,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): { comparisons: ComparisonSummary[]; next?: string } {
  authorise(actor, "chat.use");
  const results = listComparisonRows(db(), actor, limit + 1, pages.decode(cursor));
  const { rows, ...next } = pages.page(results, limit, ({ createdAt, id }) => ({ createdAt, id }));
  const compared = listCompared(
    actor,
    rows.map(({ id }) => id),
  );
  return {
    comparisons: rows.map(({ id, prompt, createdAt }) => ({
      id,
      title: titleOf(prompt),
      models: compared.get(id)?.models ?? [],
      running: compared.get(id)?.running ?? false,
      createdAt: new Date(createdAt).toISOString(),
    })),
    ...next,
  };
}

/** Stops running answers, at the providers too, and keeps their text. */
export async function stopComparison(actor: Actor, id: string): Promise<void> {
  authorise(actor, "chat.use");
  requireRow(actor, id);
  if (!listCompared(actor, [id]).get(id)?.running) return;
  transaction((tx) => append(tx, actor, { action: "comparison.stopped", resource: `comparison:${id}` }));
  await stopCompared(actor, id);
}

/** Keeps continued conversations and usage records. */
export async function deleteComparison(actor: Actor, id: string): Promise<void> {
  authorise(actor, "chat.use");
  requireRow(actor, id);
  // A running answer needs its row.
  await stopCompared(actor, id);
  transaction((tx) => {
    if (!deleteComparisonRow(tx, actor, id)) missing();
    append(tx, actor, { action: "comparison.deleted", resource: `comparison:${id}` });
  });
}

/** Per transaction; each has up to four answers. */
const EXPIRED_AT_ONCE = 10;

/** How many comparisons a retention of so many days would delete, by a clock that is right. */
export function countExpiredComparisons(actor: Actor, days: number): number {
  authorise(actor, "settings.manage");
  return countExpiredRows(db(), actor.orgId, now() - days * DAY);
}

export function hasExpiredComparisons(): boolean {
  const retention = findRetention();
  return retention !== undefined && listExpiredRows(db(), retention.orgId, retention.before, 1).length > 0;
}

/** Deletes some of the comparisons that the retention of conversations doesn't keep. @returns how many */
export function deleteExpiredComparisons(): number {
  const retention = findRetention();
  if (!retention) return 0;
  const { orgId, days, before } = retention;
  return transaction((tx) => {
    const rows = listExpiredRows(tx, orgId, before, EXPIRED_AT_ONCE);
    for (const { id, userId } of rows) {
      deleteComparisonRow(tx, { orgId, userId }, id);
      const system = { orgId, userId: "system" };
      const resource = `comparison:${id}`;
      append(tx, system, { action: "comparison.deleted", resource, details: { retentionDays: days } });
    }
    return rows.length;
  });
}

/**
 * Copies an answer into a new conversation.
 * @returns its id
 * @throws AppError `conflict` while the answer is being written
 */
export async function continueInChat(actor: Actor, id: string, conversationId: string): Promise<string> {
  const { answers } = readComparison(actor, id);
  if (!answers.some((answer) => answer.conversationId === conversationId)) {
    throw new AppError("not_found", "Answer not found in this comparison.");
  }
  return await continueCompared(actor, conversationId);
}

interface ColumnEvent {
  /** From 0. */
  column: number;
  chunk: StreamChunk;
  /** The chunk as stored. */
  json: string;
  /** The last event of every column. */
  position: string;
}

/** Whether there are events after a position. */
export function hasMore(actor: Actor, id: string, after: string): boolean {
  const position = parsePosition(after);
  return readComparison(actor, id).answers.some(({ conversationId }, column) =>
    hasEventsAfter(actor, conversationId, position[column] ?? 0),
  );
}

/**
 * Streams all answers of a comparison after a position; `undefined` marks the end, with a message if a restart cut an answer off.
 * @returns a function to unsubscribe, or undefined if nothing follows
 */
export function followComparison(
  actor: Actor,
  id: string,
  after: string,
  listener: (event: ColumnEvent | undefined, interruption?: string) => void,
): (() => void) | undefined {
  const { answers } = readComparison(actor, id);
  const position = parsePosition(after);
  const positions = answers.map((_, column) => position[column] ?? 0);
  let open = answers.length;
  let heard = false;
  let cutOff: string | undefined;
  const closed = (interruption?: string) => {
    open -= 1;
    cutOff ??= interruption;
    if (open === 0 && heard) listener(undefined, cutOff);
  };
  const subscriptions = answers.map(({ conversationId }, column) => {
    const unsubscribe = followAnswer(actor, conversationId, positions[column] ?? 0, (event, interruption) => {
      heard = true;
      if (!event) {
        if (interruption !== undefined) {
          const chunk = { type: "error" as const, errorText: interruption };
          listener({ column, chunk, json: JSON.stringify(chunk), position: positionOf(positions) });
        }
        return closed(interruption);
      }
      positions[column] = event.id;
      listener({ column, chunk: event.chunk, json: event.json, position: positionOf(positions) });
    });
    if (!unsubscribe) closed();
    return unsubscribe;
  });
  if (subscriptions.every((unsubscribe) => unsubscribe === undefined)) return undefined;
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe?.();
  };
}

const PAGE_SIZE = 12;

function offerOf(actor: Actor, from: string | undefined) {
  const models = listModels(actor);
  const first = newChatModel(actor, models);
  const others = models.filter(({ id }) => id !== first && id !== OFFLINE_MODEL);
  // A model of another provider makes a better comparison.
  const provider = models.find(({ id }) => id === first)?.providerId;
  const second = others.find((model) => model.providerId !== provider) ?? others[0];
  const earlier = from === undefined ? undefined : readComparison(actor, from);
  return {
    models: offerModels(actor),
    defaults: earlier
      ? { prompt: earlier.prompt, models: earlier.answers.map(({ model }) => model) }
      : { prompt: "", models: [first, ...(second ? [second.id] : [])].slice(0, COLUMNS.min) },
    mayAddProviders: may(actor, "providers.manage"),
  };
}

interface ComparisonsScreen {
  comparisons: ComparisonSummary[];
  next?: string;
  refusal: string | undefined;
  offer: ReturnType<typeof offerOf>;
}

export function readComparisonsScreen(
  actor: Actor,
  { cursor, from }: z.infer<typeof ComparisonsQuery>,
): ComparisonsScreen {
  if (!may(actor, "chat.use")) {
    const nothing = { models: [], defaults: { prompt: "", models: [] }, mayAddProviders: false };
    return { comparisons: [], refusal: refusal("chat.use"), offer: nothing };
  }
  return {
    ...listComparisons(actor, { limit: PAGE_SIZE, cursor }),
    refusal: undefined,
    offer: offerOf(actor, from),
  };
}

export function modelNames(actor: Actor): Record<string, string> {
  return Object.fromEntries(listModels(actor).map(({ id, name }) => [id, name]));
}
