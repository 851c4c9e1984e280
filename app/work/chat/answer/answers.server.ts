import { recordedModel } from "~/ai/models/pricing.service.server";
import type { AnswerMetrics } from "~/ai/tools/answer-stream.schema";
import type { Actor } from "~/core/actor";
import { runNext } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, db, groupedTransaction, transaction } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { recordUsage } from "~/team/usage/usage.service.server";
import {
  type AnswerState,
  canContinue,
  closeOpenTools,
  interruptionEvents,
  isUndecided,
} from "../answer-state.shared";
import { notifyWaiting, sendWaitingNotice } from "../approvals/waiting.server";
import {
  appendEvents,
  deleteOldEvents,
  listStreaming,
  updateConversation,
  updateMessage,
} from "../chat.repo.server";
import { ConversationSettings } from "../chat.schema";
import { ANSWER_MINUTES } from "../chat-choices.shared";
import { foldChunk } from "../fold-answer.shared";
import { announceConversations } from "../list/announce.server";
import { planTitle } from "../title/plan-title.server";
import {
  ActiveGeneration,
  activeAnswers,
  type EventLog,
  foldStored,
  type StartedGeneration,
  type StopReason,
} from "./active-generation.server";
import { priceOf, recordCall, recordSteps } from "./record-calls.server";
import { type AnswerPlan, type ModelCall, runAnswer } from "./run-answer.server";

/** How long a finished answer's events can be resumed, in ms. */
const EVENT_RETENTION = 60 * 60_000;
/** Delays before the end of an answer is stored again after a database error, in ms. Shutdown waits for them. */
const STORE_RETRY_DELAYS = [250, 1000, 4000];
/** Delay before an unstored answer is marked as interrupted again, in ms. */
const RECOVERY_RETRY_DELAY = 30_000;

const STOP_MESSAGES: Record<StopReason, string> = {
  stopped: "The answer was stopped.",
  interrupted: "The answer was interrupted before it was complete.",
  revoked: "The answer was stopped because its owner's permissions changed.",
  "time-limit": `The answer was stopped at its time limit of ${ANSWER_MINUTES} minutes.`,
};

function storeEnd(tx: Db, live: ActiveGeneration, plan: AnswerPlan, metrics: AnswerMetrics): void {
  const { conversationId, messageId, lastEventId, actor, state, stopReason } = live;
  const stepStates = state.stepStates ?? null;
  // The next start continues it, as after a crash.
  if (stopReason === "interrupted" && state.status !== "waiting" && canContinue(state.parts)) {
    updateMessage(tx, messageId, { parts: state.parts, stepStates });
    updateConversation(tx, conversationId, { lastEventId });
    return;
  }
  const status = state.status === "streaming" ? "complete" : state.status;
  const waits = status === "waiting";
  const reason = stopReason ? STOP_MESSAGES[stopReason] : "The answer is complete.";
  updateMessage(tx, messageId, {
    status,
    parts: waits ? state.parts : closeOpenTools(state.parts, reason),
    stepStates,
    error: state.error,
    metrics,
    // The events of a waiting answer are kept until it has ended.
    finishedAt: waits ? null : now(),
  });
  if (waits) notifyWaiting(tx, live);
  // A page reports that it has read the end: its connection may be lost, or it has just left. Programs don't.
  const isRead = actor.tokenId !== undefined && live.isFollowed;
  const unread = waits || isRead ? {} : { unreadAt: now() };
  updateConversation(tx, conversationId, { lastEventId, updatedAt: now(), ...unread });
  if (status === "complete" && plan.source === "chat")
    planTitle(tx, actor, conversationId, plan.model.modelId);
}

type Outcome = Awaited<ReturnType<typeof runAnswer>>;

/** Stores the end of an answer, and the usage of its calls; of a temporary one the usage alone. */
async function store(live: ActiveGeneration, plan: AnswerPlan, { calls, metrics }: Outcome): Promise<void> {
  // A savepoint of its own: if the answer's fails, the events are committed and recovery finds them.
  const flushed = activeAnswers().eventBuffer.flushTogether();
  const work = (tx: Db) => {
    if (plan.source !== "temporary") storeEnd(tx, live, plan, metrics);
    for (const call of calls) recordCall(tx, live, plan, call);
  };
  await Promise.all([flushed, groupedTransaction(work)]);
}

async function storeWithRetries(live: ActiveGeneration, plan: AnswerPlan, outcome: Outcome): Promise<void> {
  for (const delay of STORE_RETRY_DELAYS) {
    try {
      return await store(live, plan, outcome);
    } catch (error) {
      if (activeAnswers().stopping) throw error;
      const { messageId } = live;
      log.warn("the end of an answer could not be stored; retrying", { error, messageId });
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
  return store(live, plan, outcome);
}

type OnCost = (micros: number | null, live: ActiveGeneration) => void;

async function write(live: ActiveGeneration, plan: AnswerPlan, onCost?: OnCost): Promise<void> {
  const isTemporary = plan.source === "temporary";
  try {
    const steps = recordSteps(live, plan);
    const onStep = (call: ModelCall) => {
      steps.onStep(call);
      onCost?.(priceOf(live, call), live);
    };
    const { calls, metrics } = await runAnswer(plan, live, (call) => priceOf(live, call), onStep);
    const outcome = { calls: await steps.findUnrecorded(calls), metrics };
    await storeWithRetries(live, plan, outcome);
  } catch (error) {
    log.error("an answer could not be stored", { error, messageId: live.messageId });
    if (!isTemporary) markInterrupted(live.messageId);
  } finally {
    activeAnswers().live.delete(live.conversationId);
    if (!isTemporary) announceConversations(live.actor);
    live.finish();
  }
}

/**
 * Starts the generation of an already stored message. It continues without listeners.
 * @param before content so far of a message that waited for approvals
 */
export function startGeneration(
  actor: Actor,
  { conversationId, messageId, lastEventId }: StartedGeneration,
  plan: AnswerPlan,
  before?: AnswerState,
): ActiveGeneration {
  const { live, eventBuffer } = activeAnswers();
  const answer = new ActiveGeneration(conversationId, messageId, actor, lastEventId, eventBuffer, before);
  live.set(conversationId, answer);
  announceConversations(actor);
  // Deferred, so that the caller can subscribe before the first event.
  runNext("an answer", () => write(answer, plan));
  return answer;
}

const NOT_KEPT: EventLog = { add: () => undefined, flushTogether: async () => true };

/**
 * Generates an answer of which nothing is stored but its usage. It begins in the next turn of the event loop, so that the
 * caller can listen before, and ends with its caller: nothing could be resumed.
 * @param onCost called with the cost of each finished model call while the answer goes on, null if unknown
 */
export function startTemporary(actor: Actor, plan: AnswerPlan, onCost?: OnCost): ActiveGeneration {
  const id = newId("msg");
  const answer = new ActiveGeneration(id, id, actor, 0, NOT_KEPT);
  activeAnswers().live.set(id, answer);
  runNext("a temporary answer", () => write(answer, plan, onCost));
  return answer;
}

export type UnfinishedAnswer = ReturnType<typeof listStreaming>[number];

function recordInterrupted(tx: Db, { message, conversation }: UnfinishedAnswer): void {
  recordUsage(tx, conversation, {
    conversationId: conversation.id,
    messageId: message.id,
    personaId: ConversationSettings.safeParse(conversation.settings).data?.personaId,
    providerId: null,
    providerType: "unknown",
    model: recordedModel(undefined, message.model ?? conversation.model),
    source: conversation.comparisonId === null ? "chat" : "comparison",
    costMicros: null,
    durationMs: null,
    outcome: "interrupted",
  });
}

/** @returns whether it can continue, since all its calls are decided */
function recoverAnswer({ message, conversation }: UnfinishedAnswer): boolean {
  const { state, lastId } = foldStored(message.id);
  const isChat = conversation.comparisonId === null;
  const asked = isChat ? interruptionEvents(state.parts) : [];
  const recovered = asked.reduce(foldChunk, state);
  const { parts, stepStates = null } = recovered;
  const waits = parts.some(isUndecided);
  const continues = isChat && !waits && canContinue(parts);
  const lastEventId = Math.max(lastId + asked.length, conversation.lastEventId);
  transaction((tx) => {
    appendEvents(tx, message.id, lastId, asked);
    updateConversation(tx, conversation.id, { lastEventId, ...(continues ? {} : { unreadAt: now() }) });
    // A clean stop has recorded its calls; before a continuation the model isn't called.
    if (!continues && state.status !== "interrupted") recordInterrupted(tx, { message, conversation });
    if (continues) return updateMessage(tx, message.id, { parts, stepStates });
    if (!waits) return endInterrupted(tx, message.id, recovered);
    updateMessage(tx, message.id, { status: "waiting", parts, stepStates });
    sendWaitingNotice(tx, conversation, message.id, parts);
  });
  return continues;
}

/** Marks an answer as interrupted, with the text and the decisions so far. */
export function endInterrupted(tx: Db, messageId: string, { parts, stepStates }: AnswerState): void {
  updateMessage(tx, messageId, {
    status: "interrupted",
    parts: closeOpenTools(parts, STOP_MESSAGES.interrupted),
    stepStates: stepStates ?? null,
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
  const current = activeAnswers();
  try {
    const answer = listStreaming(db()).find(({ message }) => message.id === messageId);
    if (answer) recoverAnswer(answer);
  } catch (error) {
    log.error("an answer could not be marked as interrupted; retrying", { error, messageId });
    const retry = () => {
      if (activeAnswers() === current && !current.stopping) markInterrupted(messageId);
    };
    setTimeout(retry, RECOVERY_RETRY_DELAY).unref();
  }
}

export function pruneEvents(): void {
  transaction((tx) => deleteOldEvents(tx, now() - EVENT_RETENTION));
}

/** Stops all generations, keeping their text, and refuses new ones. Call on shutdown. */
export async function stopAllAnswers(): Promise<void> {
  const current = activeAnswers();
  current.stopping = true;
  while (current.live.size > 0) {
    const running = [...current.live.values()];
    for (const answer of running) answer.stop("interrupted");
    await Promise.all(running.map((answer) => answer.done));
  }
  current.stopListening();
}
