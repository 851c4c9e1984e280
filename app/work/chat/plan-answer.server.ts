import {
  contextLength,
  listModels,
  newChatModel,
  resolveModel,
  takes,
} from "~/ai/models/models.service.server";
import type { ToolInfo } from "~/ai/tools/tools.schema";
import { explainMissingTool, listTools, offerTools } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { readSetting } from "~/platform/settings/settings.service.server";
import type { Persona } from "~/work/personas/personas.schema";
import { findPersona, personaPrompt } from "~/work/personas/personas.service.server";
import type { ActiveGeneration } from "./answer/active-generation.server";
import { handedTools } from "./answer/found-tools";
import { buildPrompt, type HistoryMessage, readContents } from "./answer/prompt.server";
import type { AnswerPlan } from "./answer/run-answer.server";
import { passageTokens } from "./answer/tool-calls.server";
import { seesImages } from "./attachments/attachments.service.server";
import type { ChatRequest, ConversationSettings } from "./chat.schema";
import { type Context, fitContext } from "./context/fit-context.server";
import { listSummaries } from "./context/summaries.repo.server";
import { summarizeFirst } from "./context/summaries.service.server";

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

export function settingsOf({ plan, toolNames: tools }: Prepared): Record<string, unknown> {
  const { maxSteps, offered, personaId, effort } = plan;
  const reasoningEffort = effort === "default" ? {} : { reasoningEffort: effort };
  return { maxSteps, tools, offered, ...reasoningEffort, ...(personaId && { personaId }) };
}

/** The question, and the earlier messages, newest first. */
export interface Exchange {
  /** Absent for what isn't stored as a conversation. */
  conversationId?: string;
  question: HistoryMessage;
  /** What there is of an answer that goes on. */
  begun?: HistoryMessage | undefined;
  /** Whether it goes on after decisions on its calls. */
  isDecided?: boolean;
  earlier: Iterable<HistoryMessage>;
}

/**
 * The plan of an answer with its prompt: the messages that fit into the model's context, and their attachments. Where
 * older ones must be summarized first, the prompt is built again when the answer begins.
 * @throws AppError `invalid` if the question doesn't fit, unless the answer has begun and its calls are decided
 */
export async function planPrompt(
  actor: Actor,
  { plan, system }: Prepared,
  { conversationId, question, begun, isDecided, earlier }: Exchange,
): Promise<AnswerPlan> {
  const { orgId } = actor;
  const model = plan.model.modelId;
  const given = takes(orgId, model, "tools")
    ? { tools: handedTools(plan.tools), passages: 0 }
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
    isDecided,
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
