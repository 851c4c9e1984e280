import {
  availableModel,
  contextLength,
  listModels,
  newChatModel,
  resolveModel,
  takes,
} from "~/ai/models/models.service.server";
import { StepState } from "~/ai/models/step-state.schema";
import type { ToolInfo } from "~/ai/tools/tools.schema";
import { explainMissingTool, listTools, offerTools } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, groupedTransaction, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import type { Persona } from "~/work/personas/personas.schema";
import { findPersona, personaPrompt } from "~/work/personas/personas.service.server";
import {
  type ActiveGeneration,
  assertNotStopping,
  findActiveGeneration,
  type StartedGeneration,
} from "./answer/active-generation.server";
import { startGeneration } from "./answer/answers.server";
import { buildPrompt, type HistoryMessage, readContents } from "./answer/prompt.server";
import type { AnswerPlan } from "./answer/run-answer.server";
import { passageTokens } from "./answer/tool-calls.server";
import { refuseWaiting } from "./approvals/waiting.server";
import {
  assertModelAccepts,
  attachmentParts,
  keepAttachments,
  seesImages,
} from "./attachments/attachments.service.server";
import {
  type ConversationRow,
  findConversation,
  findMessageStatus,
  insertConversation,
  insertMessage,
  listBranch,
  type MessageRow,
  nextPosition,
  updateConversation,
} from "./chat.repo.server";
import { type ChatRequest, type ConversationSettings, MessagePart } from "./chat.schema";
import { type Context, fitContext } from "./context/fit-context.server";
import { listSummaries } from "./context/summaries.repo.server";
import { summarizeFirst } from "./context/summaries.service.server";

const TITLE_LENGTH = 80;
/** Messages read per query while walking back a branch. */
const READ_AT_ONCE = 40;

type Offered = NonNullable<ConversationSettings["offered"]>;
type Options = Pick<
  ChatRequest,
  "model" | "tools" | "offeredTools" | "maxSteps" | "persona" | "reasoningEffort"
> & {
  /** Stored with a conversation. */
  offered?: Offered | undefined;
};

export interface Prepared {
  plan: Omit<AnswerPlan, "prompt">;
  system: string | undefined;
  personaName: string | undefined;
  toolNames: string[];
}

function defaultModelOf(actor: Actor, persona: Persona | undefined): string {
  const models = listModels(actor);
  const own = models.find(({ id }) => id === persona?.defaultModel);
  return own?.id ?? newChatModel(actor, models);
}

function chosenTools(actor: Actor, names: readonly string[]): ToolInfo[] {
  const byName = new Map(listTools(actor).map((tool) => [tool.name, tool]));
  return [...new Set(names)].map((name) => {
    const tool = byName.get(name);
    if (tool && tool.policy !== "never") return tool;
    const message = tool
      ? `${name} is turned off. Ask an admin to allow it.`
      : explainMissingTool(actor, name);
    throw new AppError("invalid", message, { fields: { tools: [message] } });
  });
}

/** Without tools that are disabled or uninstalled: the user didn't select them. */
function personaTools(actor: Actor, persona: Persona | undefined): ToolInfo[] {
  const offered = offerTools(actor);
  return (persona?.tools ?? []).flatMap((name) => offered.find((tool) => tool.name === name) ?? []);
}

/** A persona's list offers tools; only a person's selection approves those that change or send data. */
function offeredOf({ tools: selected, offeredTools = [], offered }: Options, tools: ToolInfo[]): Offered {
  const names = selected ? [] : tools.filter((tool) => tool.changesOrSends).map(({ name }) => name);
  return {
    ...Object.fromEntries(names.map((name) => [name, "always" as const])),
    ...Object.fromEntries(offeredTools.map((name) => [name, "changes" as const])),
    ...offered,
  };
}

/** Validates everything before anything is stored. */
export function prepare(actor: Actor, options: Options): Prepared {
  const persona = options.persona ? findPersona(actor, options.persona) : undefined;
  // A front end may send its default option.
  if (options.persona && options.persona !== "default" && !persona) {
    // Screens send IDs, which name nothing to the person.
    const message = /^per_\w{20,}$/.test(options.persona)
      ? "The selected persona is no longer available. Choose another one."
      : `Persona "${options.persona}" not found. Choose another one.`;
    throw new AppError("invalid", message, { fields: { persona: [message] } });
  }
  const tools = options.tools ? chosenTools(actor, options.tools) : personaTools(actor, persona);
  const modelId = options.model || defaultModelOf(actor, persona);
  return {
    plan: {
      model: resolveModel(actor, modelId, { personaId: persona?.id }),
      tools,
      maxSteps: options.maxSteps,
      effort: options.reasoningEffort ?? persona?.reasoningEffort ?? "default",
      source: "chat",
      personaId: persona?.id,
      approval: persona?.approval,
      offered: offeredOf(options, tools),
    },
    system: persona ? personaPrompt(persona) : undefined,
    personaName: persona?.name,
    toolNames: tools.map(({ name }) => name),
  };
}

export function requireConversation(actor: Actor, id: string): ConversationRow {
  const row = findConversation(db(), actor, id);
  if (!row)
    throw new AppError("not_found", "Conversation not found. It was deleted, or you don't have access.");
  return row;
}

export function partsOf(row: MessageRow): MessagePart[] {
  const parsed = MessagePart.array().safeParse(row.parts);
  if (!parsed.success)
    throw new AppError("internal", `The message ${row.id} can't be read.`, { cause: parsed.error });
  return parsed.data;
}

/** Unreadable ones are forgotten: the provider then begins to think anew. */
export const stepStatesOf = (row: Pick<MessageRow, "stepStates">): StepState[] =>
  StepState.array().safeParse(row.stepStates ?? []).data ?? [];

export const textPart = (text: string): MessagePart[] => [{ type: "text", id: "0", text }];

export function storeConversation(
  tx: Db,
  { orgId, userId }: Actor,
  row: Pick<ConversationRow, "id" | "title" | "model" | "settings"> & Partial<ConversationRow>,
): void {
  insertConversation(tx, { orgId, userId, createdAt: now(), updatedAt: now(), ...row });
}

export function storeMessage(
  tx: Db,
  row: Pick<MessageRow, "conversationId" | "position" | "role"> &
    Partial<Pick<MessageRow, "id" | "parentId" | "model">>,
  parts: readonly MessagePart[],
): string {
  const id = row.id ?? newId("msg");
  const at = now();
  insertMessage(tx, { ...row, id, status: "complete", parts: [...parts], createdAt: at, finishedAt: at });
  return id;
}

export function storeAnswer(
  tx: Db,
  row: Pick<MessageRow, "conversationId" | "position"> & { parentId?: string },
  prepared: Prepared,
): string {
  const id = newId("msg");
  insertMessage(tx, {
    ...row,
    id,
    role: "assistant",
    status: "streaming",
    parts: [],
    model: prepared.plan.model.modelId,
    personaName: prepared.personaName ?? null,
    settings: settingsOf(prepared),
    createdAt: now(),
  });
  return id;
}

export function settingsOf({ plan, toolNames: tools }: Prepared): Record<string, unknown> {
  const { maxSteps, offered, personaId, effort } = plan;
  const reasoningEffort = effort === "default" ? {} : { reasoningEffort: effort };
  return { maxSteps, tools, offered, ...reasoningEffort, ...(personaId && { personaId }) };
}

/** A comparison's answers are immutable; continuing one creates a copy. */
export function assertNotCompared(conversation: ConversationRow): void {
  if (conversation.comparisonId === null) return;
  throw new AppError("conflict", "This answer is part of a comparison. Continue it in chat first.");
}

/** Conversations whose next message is being stored. */
const starting = new Set<string>();

/** Whether an answer is written in it, or is about to be. */
export const isBusy = (conversationId: string): boolean =>
  findActiveGeneration(conversationId) !== undefined || starting.has(conversationId);

export function assertIdle(conversationId: string): void {
  if (!isBusy(conversationId)) return;
  throw new AppError(
    "conflict",
    "An answer is still being written in this conversation. Wait for it or stop it.",
  );
}

export function titleOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length <= TITLE_LENGTH ? line : `${clip(line, TITLE_LENGTH - 1)}…`;
}

export const toHistory = (row: MessageRow): HistoryMessage => ({
  id: row.id,
  role: row.role,
  parts: partsOf(row),
  stepStates: stepStatesOf(row),
});

/** A branch from its end, read lazily: unsent messages stay unread. */
export function* readBack(from: string | null): Generator<HistoryMessage> {
  for (let next = from; next !== null; ) {
    const rows = listBranch(db(), next, READ_AT_ONCE);
    yield* rows.toReversed().map(toHistory);
    next = rows[0]?.parentId ?? null;
  }
}

/** The question, and the earlier messages, newest first. */
interface Exchange {
  /** Absent for what isn't stored as a conversation. */
  conversationId?: string;
  question: HistoryMessage;
  /** What there is of an answer that goes on. */
  begun?: HistoryMessage | undefined;
  earlier: Iterable<HistoryMessage>;
}

/**
 * The plan of an answer with its prompt: the messages that fit into the model's context, and their attachments. Where
 * older ones are to be summarized first, the prompt is made anew when the answer begins.
 * @throws AppError `invalid` if the question doesn't fit
 */
export async function planPrompt(
  actor: Actor,
  { plan, system }: Prepared,
  { conversationId, question, begun, earlier }: Exchange,
): Promise<AnswerPlan> {
  const { orgId } = actor;
  const model = plan.model.modelId;
  const given = takes(orgId, model, "tools")
    ? { tools: plan.tools, passages: 0 }
    : { tools: [], passages: passageTokens(orgId, model, plan.tools) };
  const { long, ...sent } = fitContext({
    model,
    length: contextLength(orgId, model),
    answer: readSetting(orgId, "ai.maxTokens"),
    summarizeAt: readSetting(orgId, "ai.summarizeAt") / 100,
    system,
    ...given,
    question,
    begun,
    earlier,
    summaries: conversationId === undefined ? [] : listSummaries(db(), conversationId),
  });
  const promptOf = async ({ history, summary, use, trimmed }: Context) => {
    const contents = await readContents(actor, history, () => seesImages(actor, model));
    const { imagesLeftOut } = contents;
    const prompt = buildPrompt(system, history, contents, summary);
    return { prompt, summarized: summary?.documents, imagesLeftOut, context: use, trimmed };
  };
  const searchFor = question.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const by = { modelId: model, personaId: plan.personaId };
  return {
    ...plan,
    ...(await promptOf(sent)),
    searchFor: searchFor.join("\n"),
    // A summary is stored with its conversation.
    ...(long &&
      conversationId !== undefined && {
        shorten: async (live: ActiveGeneration) => promptOf(await summarizeFirst(live, by, sent, long)),
      }),
  };
}

/**
 * Stores a message, then starts its answer. The provider is called only after the commit, so that a crash can't leave an
 * unrecorded call; the promise resolves after the disk sync.
 * @throws AppError `invalid` if the question doesn't fit into the model's context
 */
export async function storeAndStart(
  actor: Actor,
  conversationId: string,
  prepared: Prepared,
  exchange: Omit<Exchange, "conversationId">,
  store: (tx: Db) => StartedGeneration,
): Promise<StartedGeneration> {
  starting.add(conversationId);
  try {
    assertModelAccepts(actor, prepared.plan.model.modelId, exchange.question.parts);
    const plan = await planPrompt(actor, prepared, { conversationId, ...exchange });
    const written = (begun: StartedGeneration) => void startGeneration(actor, begun, plan);
    const work = (tx: Db) => {
      // Checked in the transaction: shutdown may begin while it waits.
      assertNotStopping();
      refuseWaiting(tx, conversationId);
      return store(tx);
    };
    return await groupedTransaction(work, { inThread: true, written });
  } finally {
    starting.delete(conversationId);
  }
}

/**
 * Stores a message and starts its answer, which continues in the background.
 * @throws AppError `invalid` for an unknown model, persona or tool, `conflict` while an answer is being written or for a
 * message that was sent before, `provider_missing`, `not_found` for another person's conversation
 */
export async function sendMessage(actor: Actor, input: ChatRequest): Promise<StartedGeneration> {
  authorise(actor, "chat.use");
  const existing = input.conversationId ? requireConversation(actor, input.conversationId) : undefined;
  if (existing) {
    assertNotCompared(existing);
    assertIdle(existing.id);
  }
  const model =
    input.model ||
    (existing && !input.persona ? availableModel(listModels(actor), existing.model) : undefined);
  const prepared = prepare(actor, { ...input, ...(model ? { model } : {}) });
  const conversationId = existing?.id ?? newId("con");
  const text = input.messages.at(-1)?.content.trim() ?? "";
  const files = attachmentParts(actor, input.attachments ?? [], existing?.id);
  const parts = [...files, ...(text === "" ? [] : textPart(text))];
  const question: HistoryMessage = { id: input.messageId ?? newId("msg"), role: "user", parts };
  // With an id the server's history is used, else the caller's.
  const given = existing
    ? []
    : input.messages
        .slice(0, -1)
        .map(({ role, content }): HistoryMessage => ({ id: newId("msg"), role, parts: textPart(content) }));
  const earlier = existing ? readBack(existing.activeMessageId) : given.toReversed();
  return storeAndStart(actor, conversationId, prepared, { question, earlier }, (tx) => {
    const model = prepared.plan.model.modelId;
    const settings = settingsOf(prepared);
    if (findMessageStatus(tx, question.id))
      throw new AppError("conflict", "This message was sent before. Reload the page to see it.");
    if (existing) updateConversation(tx, existing.id, { model, settings, updatedAt: now() });
    else {
      const first = input.messages.find((message) => message.role === "user")?.content ?? text;
      const title = titleOf(first.trim() || (files[0]?.name ?? ""));
      storeConversation(tx, actor, { id: conversationId, title, model, settings });
    }
    let position = nextPosition(tx, conversationId);
    keepAttachments(tx, files, conversationId);
    if (files.length > 0 && !existing?.outsideContentAt)
      updateConversation(tx, conversationId, { outsideContentAt: now() });
    for (const { id, role, parts } of [...given, question]) {
      storeMessage(tx, { id, conversationId, position: position++, role }, parts);
    }
    const messageId = storeAnswer(tx, { conversationId, position }, prepared);
    append(tx, actor, {
      action: existing ? "conversation.continued" : "conversation.created",
      resource: `conversation:${conversationId}`,
      details: {
        model,
        tools: prepared.toolNames,
        ...(files.length > 0 ? { attachments: files.length } : {}),
        ...(prepared.personaName ? { persona: prepared.personaName } : {}),
      },
    });
    return { conversationId, messageId, lastEventId: existing?.lastEventId ?? 0 };
  });
}

export async function stopAnswer(actor: Actor, conversationId: string): Promise<void> {
  authorise(actor, "chat.use");
  const conversation = requireConversation(actor, conversationId);
  const live = findActiveGeneration(conversation.id);
  transaction((tx) => {
    const refused = live ? 0 : refuseWaiting(tx, conversation.id);
    if (live || refused > 0)
      append(tx, actor, { action: "conversation.stopped", resource: `conversation:${conversation.id}` });
  });
  live?.stop("stopped");
  await live?.done;
}
