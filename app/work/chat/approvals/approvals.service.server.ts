import type { z } from "zod";
import { availableModel, listModels } from "~/ai/models/models.service.server";
import { AnswerMetrics } from "~/ai/tools/answer-stream.schema";
import { validateToolInput } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { parseWellFormed } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.server";
import { assertNotStopping, findActiveGeneration, foldStored } from "../answer/active-generation.server";
import { endInterrupted, startGeneration, type UnfinishedAnswer } from "../answer/answers.server";
import { NOT_REPEATED, REFUSED } from "../answer/approval-gate.server";
import { buildPrompt } from "../answer/prompt.server";
import type { AnswerPlan } from "../answer/run-answer.server";
import { type AnswerState, decisionEvents, emptyAnswer, isUndecided } from "../answer-state.shared";
import {
  appendEvents,
  type ConversationRow,
  listWaiting,
  type MessageRow,
  updateConversation,
  updateMessage,
} from "../chat.repo.server";
import type { ChatMessage, Conversation, MessagePart, ToolPart } from "../chat.schema";
import { partsOf, readBack, requireConversation, stepStatesOf, toHistory } from "../chat.service.server";
import { NOT_JSON } from "../chat-choices.shared";
import { toMessage, usableSettings } from "../conversations.service.server";
import { changeTool, decideTool, foldChunk } from "../fold-answer.shared";
import { type Prepared, planPrompt, prepare } from "../plan-answer.server";
import { type DecisionForm, DecisionInput } from "./approvals.schema";

type Decided = Pick<Conversation, "lastEventId"> & { message: ChatMessage };

function requireWaiting(conversationId: string, toolCallId: string): { row: MessageRow; part: ToolPart } {
  const [row] = findActiveGeneration(conversationId) ? [] : listWaiting(db(), conversationId);
  const part = row && partsOf(row).find((one) => isUndecided(one) && one.toolCallId === toolCallId);
  if (row && part?.type === "tool") return { row, part };
  throw new AppError("conflict", "This call is no longer waiting for approval. Reload the page.");
}

type AnsweredIn = Pick<ConversationRow, "model" | "folderId">;

/** An answer's own model, tools and persona, as far as they are still there. */
export function prepareAgain(actor: Actor, conversation: AnsweredIn, row: MessageRow): Prepared {
  const {
    personaId: persona,
    reasoningEffort = "default",
    tools = [],
    ...settings
  } = usableSettings(actor, row.settings);
  return prepare(actor, {
    ...settings,
    model: availableModel(listModels(actor), row.model ?? conversation.model),
    folderId: conversation.folderId,
    persona,
    tools,
    reasoningEffort,
  });
}

/** Context of a continued answer: earlier messages that fit beside it, and attachments. */
async function planContinuation(
  actor: Actor,
  conversation: AnsweredIn,
  row: MessageRow,
): Promise<AnswerPlan> {
  const prepared = prepareAgain(actor, conversation, row);
  const before = AnswerMetrics.safeParse(row.metrics).data ?? null;
  const [question, ...earlier] = readBack(row.parentId);
  if (!question) return { ...prepared.plan, before, prompt: buildPrompt(prepared.system, []) };
  const { conversationId } = row;
  const exchange = { conversationId, question, begun: toHistory(row), isDecided: true, earlier };
  return { ...(await planPrompt(actor, prepared, exchange)), before };
}

function applyDecision(parts: readonly MessagePart[], part: ToolPart, input: DecisionInput): MessagePart[] {
  const { toolCallId } = part;
  if (input.decision === "refuse") {
    const refusal = part.begun ? NOT_REPEATED : REFUSED;
    const error = input.reason ? `${refusal} Reason: ${input.reason}` : refusal;
    const failed = changeTool(parts, toolCallId, { state: "failed", error, begun: undefined });
    return decideTool(failed, toolCallId, "refused");
  }
  const edited = isEdited(part, input.input);
  const changed = edited ? changeTool(parts, toolCallId, { input: input.input }) : parts;
  return decideTool(changed, toolCallId, "approved", edited);
}

/** Stores the decisions on a step's calls, which a crash must not forget. @returns the continued answer's state */
function storeDecisions(tx: Db, messageId: string, lastEventId: number, decided: readonly MessagePart[]) {
  const chunks = decisionEvents(decided);
  const parts = chunks.reduce(foldChunk, { ...emptyAnswer(), parts: [...decided] }).parts;
  appendEvents(tx, messageId, lastEventId, chunks);
  return { parts, lastEventId: lastEventId + chunks.length };
}

const isEdited = (part: ToolPart, input: unknown) =>
  input !== undefined && JSON.stringify(input) !== JSON.stringify(part.input);

function audit(tx: Db, actor: Actor, conversationId: string, part: ToolPart, input: DecisionInput): void {
  const refused = input.decision === "refuse";
  const scope = input.decision === "approve-for-conversation" ? "conversation" : "call";
  append(tx, actor, {
    action: refused ? "conversation.tool_refused" : "conversation.tool_approved",
    resource: `conversation:${conversationId}`,
    details: {
      tool: part.toolName,
      reason: part.approval?.reason,
      ...(refused ? {} : { edited: isEdited(part, input.input), scope }),
    },
  });
}

/**
 * Approves or refuses a waiting call; the last decision continues the answer.
 * @throws AppError `invalid` for arguments that don't fit the tool, `conflict` if the call no longer waits, `not_found`
 * for another person's conversation
 */
export async function decideCall(
  actor: Actor,
  conversationId: string,
  input: DecisionInput,
): Promise<Decided> {
  authorise(actor, "chat.use");
  const asked = requireConversation(actor, conversationId);
  const waiting = requireWaiting(conversationId, input.toolCallId);
  if (input.decision !== "refuse" && isEdited(waiting.part, input.input))
    await validateToolInput(actor, waiting.part.toolName, input.input);
  const plan = await planContinuation(actor, asked, waiting.row);
  const decided = transaction((tx) => {
    assertNotStopping();
    const conversation = requireConversation(actor, conversationId);
    const { row, part } = requireWaiting(conversationId, input.toolCallId);
    const decided = applyDecision(partsOf(row), part, input);
    const continued = !decided.some(isUndecided);
    const { parts, lastEventId } = continued
      ? storeDecisions(tx, row.id, conversation.lastEventId, decided)
      : { parts: decided, lastEventId: conversation.lastEventId };
    const status = continued ? ("streaming" as const) : row.status;
    audit(tx, actor, conversationId, part, input);
    updateMessage(tx, row.id, { parts, status });
    updateConversation(tx, conversationId, { lastEventId });
    if (input.decision === "approve-for-conversation") {
      const toolApprovals = { ...conversation.toolApprovals, [part.toolName]: now() };
      updateConversation(tx, conversationId, { toolApprovals });
    }
    return { row: { ...row, parts, status }, parts, continued, lastEventId };
  });
  const { row, parts, continued, lastEventId } = decided;
  if (continued) {
    const before: AnswerState = {
      ...emptyAnswer(),
      status: "waiting",
      parts,
      stepStates: stepStatesOf(row),
    };
    startGeneration(actor, { conversationId, messageId: row.id, lastEventId }, plan, before);
  }
  return { message: toMessage(row), lastEventId };
}

/** After a restart: continues an answer whose calls were all decided. */
export async function continueDecided({ message, conversation }: UnfinishedAnswer): Promise<void> {
  const { id: conversationId, orgId, userId } = conversation;
  try {
    const role = roleOf(db(), orgId, userId);
    if (!role) throw new AppError("forbidden", "The conversation's owner can no longer use the chat.");
    const actor: Actor = { kind: "user", userId, orgId, role };
    authorise(actor, "chat.use");
    const plan = await planContinuation(actor, conversation, message);
    const { state, lastId: lastEventId } = foldStored(message.id);
    if (findActiveGeneration(conversationId)) throw new AppError("conflict", "Another answer has begun.");
    const { parts, stepStates } = state;
    const before: AnswerState = { ...emptyAnswer(), parts, ...(stepStates && { stepStates }) };
    startGeneration(actor, { conversationId, messageId: message.id, lastEventId }, plan, before);
  } catch (error) {
    log.warn("a decided answer could not be continued", { error, messageId: message.id });
    transaction((tx) => endInterrupted(tx, message.id, foldStored(message.id).state));
  }
}

export async function decideByForm(
  actor: Actor,
  conversationId: string,
  { input: json, ...rest }: z.infer<typeof DecisionForm>,
): Promise<Decided> {
  let input: unknown;
  try {
    input = json?.trim() ? parseWellFormed(json) : undefined;
  } catch {
    // Not JSON: the schema below refuses it beside the field.
    input = null;
  }
  const parsed = DecisionInput.safeParse({ ...rest, input });
  if (!parsed.success) throw new AppError("invalid", NOT_JSON, { fields: { input: [NOT_JSON] } });
  return decideCall(actor, conversationId, parsed.data);
}

export function withdrawApproval(actor: Actor, conversationId: string, tool: string): void {
  authorise(actor, "chat.use");
  transaction((tx) => {
    const { toolApprovals } = requireConversation(actor, conversationId);
    if (!Object.hasOwn(toolApprovals, tool)) return;
    const { [tool]: _, ...others } = toolApprovals;
    updateConversation(tx, conversationId, { toolApprovals: others });
    append(tx, actor, {
      action: "conversation.tool_approval_withdrawn",
      resource: `conversation:${conversationId}`,
      details: { tool },
    });
  });
}
