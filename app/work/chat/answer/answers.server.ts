import { priceFor } from "~/ai/models/pricing.service.server";
import { StreamChunk } from "~/ai/tools/answer-stream.schema";
import { onAccessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { runNext } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, db, groupedTransaction, transaction } from "~/core/db.server";
import { AppError, RESTARTING } from "~/core/errors";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { recordUsage } from "~/team/usage/usage.service.server";
import {
  type AnswerState,
  canContinue,
  closeOpenTools,
  emptyAnswer,
  foldChunk,
  interruptionEvents,
  isUndecided,
} from "../answer-state.shared";
import { notifyWaiting, sendWaitingNotice } from "../approvals/notify-waiting.server";
import {
  appendEvents,
  deleteOldEvents,
  listEventGroups,
  listStreaming,
  updateConversation,
  updateMessage,
} from "../chat.repo.server";
import { ConversationSettings, type MessagePart } from "../chat.schema";
import { ANSWER_MINUTES } from "../chat-choices.shared";
import { announceConversations } from "../list/announce.server";
import { planTitle } from "../title/plan-title.server";
import { ActiveGeneration, type StopReason } from "./active-generation.server";
import { EventBuffer } from "./event-buffer.server";
import { type AnswerPlan, type ModelCall, runAnswer } from "./run-answer.server";

/** How long a finished answer's events can be resumed, in ms. */
const EVENT_RETENTION = 60 * 60_000;
/** Delays before the end of an answer is stored again after a database error, in ms. Shutdown waits for them. */
const STORE_RETRY_DELAYS = [250, 1000, 4000];
/** Delay before an unstored answer is marked as interrupted again, in ms. */
const RECOVERY_RETRY_DELAY = 30_000;

interface Answers {
  eventBuffer: EventBuffer;
  live: Map<string, ActiveGeneration>;
  stopListening: () => void;
  /** Set on shutdown. */
  stopping: boolean;
}

const holder = () => kept("answers", (): { answers?: Answers | undefined } => ({}));

function newAnswers(): Answers {
  const live = new Map<string, ActiveGeneration>();
  const stopListening = onAccessChanged((userId, { tokenId }) => {
    for (const answer of live.values()) {
      if (answer.actor.userId !== userId) continue;
      if (tokenId === undefined || answer.actor.tokenId === tokenId) answer.stop("revoked");
    }
  });
  return { eventBuffer: new EventBuffer(), live, stopListening, stopping: false };
}

function answers(): Answers {
  const here = holder();
  here.answers ??= newAnswers();
  return here.answers;
}

/** A conversation's running generation. */
export function findActiveGeneration(conversationId: string): ActiveGeneration | undefined {
  return answers().live.get(conversationId);
}

const STOP_MESSAGES: Record<StopReason, string> = {
  stopped: "The answer was stopped.",
  interrupted: "The answer was interrupted before it was complete.",
  revoked: "The answer was stopped because its owner's permissions changed.",
  "time-limit": `The answer was stopped at its time limit of ${ANSWER_MINUTES} minutes.`,
};

async function store(
  live: ActiveGeneration,
  plan: AnswerPlan,
  { calls, metrics }: Awaited<ReturnType<typeof runAnswer>>,
  written: () => void,
): Promise<void> {
  const { eventBuffer } = answers();
  const { state } = live;
  // The next start continues it, as after a crash.
  if (live.stopReason === "interrupted" && state.status !== "waiting" && canContinue(state.parts))
    return storeUnfinished(live, plan, calls, written);
  const status = state.status === "streaming" ? "complete" : state.status;
  const waits = status === "waiting";
  // A savepoint of its own: if the answer's fails, the events are committed and recovery finds them.
  const flushed = eventBuffer.flushTogether();
  const end = (tx: Db) => {
    updateMessage(tx, live.messageId, {
      status,
      parts: waits
        ? live.state.parts
        : closeOpenTools(
            live.state.parts,
            live.stopReason ? STOP_MESSAGES[live.stopReason] : "The answer is complete.",
          ),
      error: live.state.error,
      metrics,
      // The events of a waiting answer are kept until it has ended.
      finishedAt: waits ? null : now(),
    });
    if (waits) notifyWaiting(tx, live);
    // A page reports that it has read the end: its connection may be lost, or it has just left. Programs don't.
    const isRead = live.actor.tokenId !== undefined && live.isFollowed;
    const unread = waits || isRead ? {} : { unreadAt: now() };
    updateConversation(tx, live.conversationId, {
      lastEventId: live.lastEventId,
      updatedAt: now(),
      ...unread,
    });
    for (const call of calls) recordCall(tx, live, plan, call);
    if (status === "complete" && plan.source === "chat") {
      planTitle(tx, live.actor, live.conversationId, plan.model.modelId);
    }
  };
  await Promise.all([flushed, groupedTransaction(end, { inThread: true, written })]);
}

async function storeUnfinished(
  live: ActiveGeneration,
  plan: AnswerPlan,
  calls: readonly ModelCall[],
  written: () => void,
): Promise<void> {
  const flushed = answers().eventBuffer.flushTogether();
  const work = (tx: Db) => {
    updateMessage(tx, live.messageId, { parts: live.state.parts });
    updateConversation(tx, live.conversationId, { lastEventId: live.lastEventId });
    for (const call of calls) recordCall(tx, live, plan, call);
  };
  await Promise.all([flushed, groupedTransaction(work, { inThread: true, written })]);
}

async function storeWithRetries(
  live: ActiveGeneration,
  plan: AnswerPlan,
  outcome: Awaited<ReturnType<typeof runAnswer>>,
): Promise<void> {
  let isWritten = false;
  const written = () => {
    isWritten = true;
  };
  for (const delay of STORE_RETRY_DELAYS) {
    try {
      return await store(live, plan, outcome, written);
    } catch (error) {
      // If only the disk sync failed, another attempt would record the usage twice.
      if (isWritten || answers().stopping) throw error;
      log.warn("the end of an answer could not be stored; retrying", { error, messageId: live.messageId });
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
  return store(live, plan, outcome, written);
}

function priceOf(live: ActiveGeneration, call: ModelCall): number | null {
  const { target, inputTokens: input, outputTokens: output } = call;
  const { cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite } = call;
  if (!target) return null;
  const priced = { ...target, model: target.modelId, requestedModel: target.requestedModel };
  return priceFor(live.actor.orgId, priced, { input, output, cacheRead, cacheWrite });
}

function recordCall(tx: Db, live: ActiveGeneration, plan: AnswerPlan, call: ModelCall): void {
  const { target, route, ...figures } = call;
  const lastAttempt = route.attempts.at(-1);
  recordUsage(tx, live.actor, {
    conversationId: live.conversationId,
    messageId: live.messageId,
    personaId: plan.personaId,
    providerId: target?.providerId ?? lastAttempt?.providerId ?? null,
    providerType: target?.providerType ?? lastAttempt?.providerType ?? "unknown",
    // A fallback's answer is its own model's.
    model: target?.modelId ?? plan.model.modelId,
    source: plan.source,
    ...figures,
    tokenId: live.actor.tokenId,
    route,
    costMicros: priceOf(live, call),
  });
}

async function write(live: ActiveGeneration, plan: AnswerPlan): Promise<void> {
  try {
    // A finished step is already paid for, so it is recorded at once.
    const recorded = new Set<ModelCall>();
    const records: Promise<void>[] = [];
    const onStep = (call: ModelCall) => {
      const work = (tx: Db) => recordCall(tx, live, plan, call);
      const record = groupedTransaction(work, { inThread: true, written: () => recorded.add(call) });
      const onError = (error: unknown) =>
        log.warn("a step's usage is recorded with the answer's end", { error, messageId: live.messageId });
      records.push(record.catch(onError));
    };
    const { calls, metrics } = await runAnswer(plan, live, (call) => priceOf(live, call), onStep);
    await Promise.all(records);
    await storeWithRetries(live, plan, { calls: calls.filter((call) => !recorded.has(call)), metrics });
  } catch (error) {
    log.error("an answer could not be stored", { error, messageId: live.messageId });
    markInterrupted(live.messageId);
  } finally {
    answers().live.delete(live.conversationId);
    announceConversations(live.actor);
    live.finish();
  }
}

/** Accepts generations again after `stopAllAnswers`, as in development. */
export function allowAnswers(): void {
  if (holder().answers?.stopping) holder().answers = undefined;
}

/** @throws AppError `unavailable` during shutdown */
export function assertNotStopping(): void {
  if (!answers().stopping) return;
  throw new AppError("unavailable", RESTARTING);
}

/**
 * Starts the generation of an already stored message. It continues without listeners.
 *
 * @param before content so far of a message that waited for approvals
 */
export function startGeneration(
  actor: Actor,
  target: { conversationId: string; messageId: string; lastEventId: number },
  plan: AnswerPlan,
  before?: AnswerState,
): ActiveGeneration {
  const { live, eventBuffer } = answers();
  const { conversationId, messageId, lastEventId } = target;
  const answer = new ActiveGeneration(conversationId, messageId, actor, lastEventId, eventBuffer, before);
  live.set(target.conversationId, answer);
  announceConversations(actor);
  // Deferred, so that the caller can subscribe before the first event.
  runNext("an answer", () => write(answer, plan));
  return answer;
}

export function eventsAfter(messageId: string, afterId: number): { id: number; json: string }[] {
  const events: { id: number; json: string }[] = [];
  for (const group of listEventGroups(db(), messageId, afterId)) {
    const chunks = JSON.parse(group.events) as unknown[];
    for (const [index, chunk] of chunks.entries()) {
      if (group.firstId + index > afterId)
        events.push({ id: group.firstId + index, json: JSON.stringify(chunk) });
    }
  }
  return [...events, ...pendingAfter(messageId, afterId)];
}

function pendingAfter(messageId: string, afterId: number): { id: number; json: string }[] {
  const { firstId = 0, events = [] } = answers().eventBuffer.pendingOf(messageId) ?? {};
  return events.map((json, index) => ({ id: firstId + index, json })).filter(({ id }) => id > afterId);
}

/** Events of a running answer after an id, from memory; undefined if some are already committed. */
export function uncommittedAfter(
  live: ActiveGeneration,
  afterId: number,
): { id: number; json: string }[] | undefined {
  const pending = pendingAfter(live.messageId, afterId);
  return pending.length === live.lastEventId - afterId ? pending : undefined;
}

/** Content and last event id of an answer whose end wasn't stored. */
export function foldStored(messageId: string): { state: AnswerState; lastId: number } {
  let state = emptyAnswer();
  let lastId = 0;
  for (const { id, json } of eventsAfter(messageId, 0)) {
    const chunk = StreamChunk.safeParse(JSON.parse(json));
    if (chunk.success) state = foldChunk(state, chunk.data);
    lastId = Math.max(lastId, id);
  }
  return { state, lastId };
}

export type UnfinishedAnswer = ReturnType<typeof listStreaming>[number];

function recordInterrupted(tx: Db, { message, conversation }: UnfinishedAnswer): void {
  recordUsage(
    tx,
    { userId: conversation.userId, orgId: conversation.orgId },
    {
      conversationId: conversation.id,
      messageId: message.id,
      personaId: ConversationSettings.safeParse(conversation.settings).data?.personaId,
      providerId: null,
      providerType: "unknown",
      model: message.model ?? conversation.model,
      source: conversation.comparisonId === null ? "chat" : "comparison",
      inputTokens: null,
      outputTokens: null,
      costMicros: null,
      firstTokenMs: null,
      durationMs: null,
      outcome: "interrupted",
      errorCode: null,
    },
  );
}

/** @returns whether it can continue, since all its calls are decided */
function recoverAnswer({ message, conversation }: UnfinishedAnswer): boolean {
  const { state, lastId } = foldStored(message.id);
  const isChat = conversation.comparisonId === null;
  const asked = isChat ? interruptionEvents(state.parts) : [];
  const { parts } = asked.reduce(foldChunk, state);
  const waits = parts.some(isUndecided);
  const continues = isChat && !waits && canContinue(parts);
  const lastEventId = Math.max(lastId + asked.length, conversation.lastEventId);
  const { orgId, userId } = conversation;
  transaction((tx) => {
    appendEvents(tx, message.id, lastId, asked);
    updateConversation(tx, conversation.id, { lastEventId, ...(continues ? {} : { unreadAt: now() }) });
    // A clean stop has recorded its calls; before a continuation the model isn't called.
    if (!continues && state.status !== "interrupted") recordInterrupted(tx, { message, conversation });
    if (continues) return updateMessage(tx, message.id, { parts });
    if (!waits) return endInterrupted(tx, message.id, parts);
    updateMessage(tx, message.id, { status: "waiting", parts });
    const target = { conversationId: conversation.id, messageId: message.id };
    sendWaitingNotice(tx, { ...target, owner: { orgId, userId }, parts });
  });
  return continues;
}

/** Marks an answer as interrupted, with the text and the decisions so far. */
export function endInterrupted(tx: Db, messageId: string, parts: readonly MessagePart[]): void {
  updateMessage(tx, messageId, {
    status: "interrupted",
    parts: closeOpenTools(parts, STOP_MESSAGES.interrupted),
    finishedAt: now(),
  });
}

/**
 * After a crash or a stop: marks unfinished answers as interrupted, or as waiting for decisions on their calls.
 * @returns how many, and those that can continue, since all their calls are decided
 */
export function recoverAnswers(): { count: number; decided: UnfinishedAnswer[] } {
  const unfinished = listStreaming(db());
  return { count: unfinished.length, decided: unfinished.filter(recoverAnswer) };
}

/** Does for an answer whose end can't be stored what the next start would do, and retries until it succeeds. */
function markInterrupted(messageId: string): void {
  const current = answers();
  try {
    const answer = listStreaming(db()).find(({ message }) => message.id === messageId);
    if (answer) recoverAnswer(answer);
  } catch (error) {
    log.error("an answer could not be marked as interrupted; retrying", { error, messageId });
    const retry = () => {
      if (holder().answers === current && !current.stopping) markInterrupted(messageId);
    };
    setTimeout(retry, RECOVERY_RETRY_DELAY).unref();
  }
}

/** Deletes events that can no longer be resumed. */
export function pruneEvents(): void {
  transaction((tx) => deleteOldEvents(tx, now() - EVENT_RETENTION));
}

/** Stops all generations, keeping their text, and refuses new ones. Call on shutdown. */
export async function stopAllAnswers(): Promise<void> {
  const current = answers();
  current.stopping = true;
  while (current.live.size > 0) {
    const running = [...current.live.values()];
    for (const answer of running) answer.stop("interrupted");
    await Promise.all(running.map((answer) => answer.done));
  }
  current.stopListening();
}
