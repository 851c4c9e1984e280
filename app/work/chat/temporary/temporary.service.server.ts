import type { ToolInfo } from "~/ai/tools/tools.schema";
import { offerTools } from "~/ai/tools/tools.service.server";
import { onAbort } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import { areVisibleToAll } from "~/work/documents/documents.service.server";
import { type AnswerListener, assertNotStopping } from "../answer/active-generation.server";
import { startTemporary } from "../answer/answers.server";
import { documentsIn, type HistoryMessage } from "../answer/prompt.server";
import type { AnswerPlan } from "../answer/run-answer.server";
import { closeOpenTools, plainMessage, withAnswer } from "../answer-state.shared";
import type { ChatMessage, ChatRequest } from "../chat.schema";
import { storeConversation, storeMessage, textPart, titleOf } from "../chat.service.server";
import { announceConversations } from "../list/announce.server";
import { type Prepared, planPrompt, prepare, settingsOf } from "../plan-answer.server";
import { readChatScreen } from "../screen.service.server";
import type { KeptChat } from "./temporary.schema";

const TEMPORARY_OFF = "Temporary chats are turned off in this organization. Start a chat that is stored.";

export const areTemporaryAllowed = ({ orgId }: Pick<Actor, "orgId">): boolean =>
  readSetting(orgId, "security.allowTemporaryChats");

function assertAllowed(actor: Actor): void {
  authorise(actor, "chat.use");
  if (!areTemporaryAllowed(actor)) throw new AppError("forbidden", TEMPORARY_OFF);
}

/** It reads and asks nobody, so that its call stores nothing. */
export const onlyReads = ({ effect, policy }: ToolInfo) => effect === "reads" && policy === "always";

type Request = Omit<ChatRequest, "conversationId" | "attachments" | "messageId" | "temporary">;

/** Plans an answer of which nothing is stored but its usage, with the tools that only read. */
export function planUnstored(
  actor: Actor,
  prepared: Prepared,
  messages: Request["messages"],
  counted: Pick<AnswerPlan, "countsTo" | "category"> = {},
): Promise<AnswerPlan> {
  assertNotStopping();
  const tools = prepared.plan.tools.filter(onlyReads);
  const plan = { ...prepared.plan, ...counted, tools, source: "temporary" as const };
  const history = messages.map(
    ({ role, content }): HistoryMessage => ({ id: newId("msg"), role, parts: textPart(content.trim()) }),
  );
  const question = history.pop();
  if (!question) throw new AppError("invalid", "Enter a message");
  return planPrompt(actor, { ...prepared, plan }, { question, earlier: history.reverse() });
}

async function planAnswer(actor: Actor, { messages, ...options }: Request): Promise<AnswerPlan> {
  assertAllowed(actor);
  const prepared = prepare(actor, { ...options, memory: false });
  const other = options.tools && prepared.plan.tools.find((tool) => !onlyReads(tool));
  if (other) {
    const message = `${other.name} can't be used in a temporary chat, which only has tools that read and need no approval.`;
    throw new AppError("invalid", message, { fields: { tools: [message] } });
  }
  return planUnstored(actor, prepared, messages);
}

/**
 * Plans an answer of which nothing is stored but its usage.
 * @returns begins it for one reader, with whom it ends; that returns a function to stop
 * @throws AppError as `sendMessage`, `forbidden` where temporary chats are turned off
 */
export async function askTemporarily(
  actor: Actor,
  request: Request,
): Promise<(listener: AnswerListener) => () => void> {
  const plan = await planAnswer(actor, request);
  return (listener) => {
    const live = startTemporary(actor, plan);
    live.listen(listener);
    return () => live.stop("stopped");
  };
}

/** Answers as a whole. @param signal stops it */
export async function answerTemporarily(
  actor: Actor,
  request: Request,
  signal: AbortSignal,
): Promise<ChatMessage> {
  const plan = await planAnswer(actor, request);
  const live = startTemporary(actor, plan);
  onAbort(signal, () => live.stop("stopped"));
  await live.done;
  const parts = closeOpenTools(live.state.parts, "The answer has ended.");
  const message = plainMessage({ id: live.messageId, role: "assistant", content: "" }, isoTime(now()));
  return { ...withAnswer(message, { ...live.state, parts }), model: plan.model.modelId };
}

interface VisitorQuestion {
  model: string | undefined;
  persona: string | undefined;
  tools: string[];
  category: string | undefined;
  /** From the first message to the question. */
  messages: Request["messages"];
}

const VISITOR_STEPS = 5;

/**
 * Answers somebody outside the organization. The caller stores the messages.
 * @param actor sees what the visitor may
 * @returns begins the answer
 * @throws AppError as `prepare`; `unavailable` during shutdown
 */
export async function planForVisitor(actor: Actor, { messages, category, ...options }: VisitorQuestion) {
  authorise(actor, "chat.use");
  const prepared = prepare(actor, { ...options, maxSteps: VISITOR_STEPS, memory: false, isAlone: true });
  const countsTo = { kind: "widget" as const };
  const planned = await planUnstored(actor, prepared, messages, { countsTo, category });
  return () => startTemporary(actor, planned);
}

/**
 * Stores a chat as a conversation.
 * @returns its id
 * @throws AppError `invalid` for an unknown model, persona or tool
 */
export function keepChat(actor: Actor, { messages, ...options }: KeptChat): string {
  authorise(actor, "chat.use");
  const prepared = prepare(actor, options);
  const { modelId: model } = prepared.plan.model;
  const conversationId = newId("con");
  const first = messages.find(({ role }) => role === "user") ?? messages[0];
  const quoted = documentsIn(messages.map(({ content }) => content));
  transaction((tx) => {
    storeConversation(tx, actor, {
      id: conversationId,
      title: titleOf(first?.content ?? ""),
      model,
      settings: settingsOf(prepared),
      // The caller wrote the answers too, which may hold a stranger's words.
      outsideContentAt: now(),
      restrictedAt: areVisibleToAll(actor, quoted) ? null : now(),
    });
    for (const [index, { role, content }] of messages.entries()) {
      const row = { conversationId, position: index + 1, role, model: role === "assistant" ? model : null };
      storeMessage(tx, row, textPart(content));
    }
    append(tx, actor, {
      action: "conversation.created",
      resource: `conversation:${conversationId}`,
      details: { model, tools: prepared.toolNames, messages: messages.length },
    });
  });
  announceConversations(actor);
  return conversationId;
}

/** The chat's screen without a conversation, with the tools of temporary chats. */
export async function readTemporaryScreen(actor: Actor) {
  const { choices, defaults, asker, enterSends, refusal, voice } = await readChatScreen(actor, undefined);
  const names = new Set(offerTools(actor).flatMap((tool) => (onlyReads(tool) ? [tool.name] : [])));
  const usable = (tools: readonly string[]) => tools.filter((name) => names.has(name));
  return {
    choices: {
      ...choices,
      personas: choices.personas.map((persona) => ({ ...persona, tools: usable(persona.tools) })),
      tools: choices.tools.filter(({ name }) => names.has(name)),
      defaultTools: usable(choices.defaultTools),
      memory: false,
    },
    defaults: { ...defaults, tools: usable(defaults.tools), memory: false },
    asker,
    enterSends,
    dictates: voice.dictates,
    refusal: refusal ?? (areTemporaryAllowed(actor) ? undefined : TEMPORARY_OFF),
  };
}
