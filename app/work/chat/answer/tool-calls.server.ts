import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { contextLength, type ResolvedModel } from "~/ai/models/models.service.server";
import type { ToolProgress } from "~/ai/tools/answer-stream.schema";
import { type CallGuard, callTool, type ToolOutcome } from "~/ai/tools/call-tool.service.server";
import type { AskedQuestion } from "~/ai/tools/question.schema";
import type { Delegation } from "~/ai/tools/tool.shared";
import type { ToolInfo } from "~/ai/tools/tools.schema";
import { nobodyToAsk, type OfferedTool, type PersonaApproval } from "~/ai/tools/tools.service.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { withPurpose } from "~/core/purpose.server";
import { clip } from "~/core/well-formed";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import type { UsageSource } from "~/team/usage/usage.service.server";
import { surroundingTokens } from "~/work/search/surroundings.service.server";
import { requestApproval } from "../answer-state.shared";
import { askPerson } from "../questions/ask-person.server";
import type { ActiveGeneration } from "./active-generation.server";
import { approvalReasons, guardSharing, noteOutsideContent } from "./approval-gate.server";
import { FIND_TOOLS, findTools, hiddenTools } from "./found-tools";
import type { RequestedCall } from "./model-step.server";
import { answerMessages, quotedDocuments } from "./prompt.server";

/** What the tool calls of an answer depend on. */
export interface CallPlan {
  model: ResolvedModel;
  prompt: LanguageModelV3Message[];
  /** Documents that the messages quote for which the prompt has a summary; without limit, so they aren't in it. */
  summarized?: readonly string[] | undefined;
  tools: readonly ToolInfo[];
  /** What to search the documents for, where the model can't call the search itself. */
  searchFor?: string | undefined;
  personaId?: string | undefined;
  /** The project that the conversation is in. */
  folderId?: string | undefined;
  /** The only category that a search finds documents of. */
  category?: string | undefined;
  /** Names of those that its persona has. */
  skills?: readonly string[] | undefined;
  approval?: PersonaApproval | undefined;
  /** Tools that nobody selected. */
  offered?: Readonly<Record<string, OfferedTool>>;
  delegation?: Delegation | undefined;
  /** The stored answer that an asked persona's calls count to. */
  countsTo?: { kind?: "widget"; conversationId?: string | undefined; messageId?: string | undefined };
  /** A temporary chat has no conversation, and only tools that read. */
  source: "chat" | "comparison" | "temporary";
}

type Answering = Pick<ActiveGeneration, "conversationId" | "messageId">;

/** What a call is recorded for. */
export const usageSourceOf = (
  { source, personaId, countsTo }: Pick<CallPlan, "source" | "personaId" | "countsTo">,
  { conversationId, messageId }: Answering,
): UsageSource =>
  source === "temporary"
    ? { kind: "chat", personaId, ...countsTo }
    : { kind: source, conversationId, messageId, personaId };

/** The built-in model only quotes what it is given. */
const readingContext = (orgId: string, modelId: string): number | undefined =>
  modelId === OFFLINE_MODEL ? undefined : (contextLength(orgId, modelId) ?? Number.POSITIVE_INFINITY);

/** Tool calls of a step that run concurrently. */
const PARALLEL_CALLS = 4;

function guardOf(plan: CallPlan, live: ActiveGeneration): CallGuard {
  const quoted = () => [
    ...(plan.summarized ?? []),
    ...quotedDocuments([...plan.prompt, ...answerMessages(live.state)]),
  ];
  return guardSharing(live.actor, live.conversationId, quoted);
}

/** The search reads what the model could have been given, so it is no call of a tool that a policy is about. */
function outcomeOfSearch({ tools }: CallPlan, input: unknown): ToolOutcome {
  try {
    return { ok: true, output: findTools(tools, input) };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, code: error.code, error: error.message };
    throw error;
  }
}

export async function runCalls(
  calls: readonly RequestedCall[],
  plan: CallPlan,
  live: ActiveGeneration,
): Promise<void> {
  const waiting = [...calls];
  const { actor, signal } = live;
  const isTemporary = plan.source === "temporary";
  const source = usageSourceOf(plan, live);
  const modelContext = readingContext(actor.orgId, plan.model.modelId);
  const guard = isTemporary ? {} : { guard: guardOf(plan, live) };
  // Nobody is asked in a temporary chat.
  const approval = isTemporary ? ("none" as const) : ("given" as const);
  const canAsk = plan.source === "chat" && actor.kind === "user";
  const worker = async () => {
    for (let call = waiting.shift(); call && !signal.aborted; call = waiting.shift()) {
      const { toolCallId, toolName, input } = call;
      const isApproved = live.state.parts.some(
        (part) => part.type === "tool" && part.toolCallId === toolCallId && part.approval !== undefined,
      );
      const options = {
        source,
        signal,
        approval,
        modelContext,
        delegation: plan.delegation,
        folderId: plan.folderId,
        category: plan.category,
        skills: plan.skills,
        callId: toolCallId,
        ...guard,
        ...(canAsk && {
          onQuestion: (asked: AskedQuestion, ended: AbortSignal) =>
            askPerson(live, { toolCallId, toolName }, asked, ended),
        }),
        // On disk before the tool acts, so that a restart repeats no effect, and no approved call for ever.
        onBegin: async (effect: string) => {
          if (effect === "reads" && !isApproved) return;
          await live.emitStored({ type: "data-tool-begun", id: toolCallId, data: {}, transient: true });
        },
        onProgress: (data: ToolProgress) =>
          live.emit({ type: "data-tool-progress", id: toolCallId, data, transient: true }),
      };
      const outcome =
        toolName === FIND_TOOLS && hiddenTools(plan.tools).length > 0
          ? outcomeOfSearch(plan, input)
          : await withPurpose({ personaId: plan.personaId }, () => callTool(actor, toolName, input, options));
      if (signal.aborted) return;
      if (!isTemporary && (outcome.ok || outcome.hasRun))
        noteOutsideContent(live, toolName, outcome.ok ? outcome.output : undefined);
      if (outcome.ok) live.emit({ type: "tool-output-available", toolCallId, output: outcome.output });
      else live.emit({ type: "tool-output-error", toolCallId, errorText: outcome.error });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_CALLS }, worker));
}

/** @returns whether calls await approval; the others have run, or were refused where nobody can be asked */
export async function takeCalls(
  calls: readonly RequestedCall[],
  plan: CallPlan,
  live: ActiveGeneration,
): Promise<boolean> {
  const valid = calls.filter((call) => call.error === undefined);
  const reasons = await approvalReasons(valid, plan, live, guardOf(plan, live));
  const withoutApproval = valid.filter(({ toolCallId }) => !reasons.has(toolCallId));
  await runCalls(withoutApproval, plan, live);
  if (live.signal.aborted) return false;
  // Only at a screen; a program has nobody before it.
  const asks = live.actor.kind === "user";
  for (const { toolCallId, toolName } of valid) {
    const reason = reasons.get(toolCallId);
    if (reason && asks) live.emit(requestApproval(toolCallId, reason));
    else if (reason) live.emit({ type: "tool-output-error", toolCallId, errorText: nobodyToAsk(toolName) });
  }
  return asks && reasons.size > 0;
}

const SEARCH = "qdrant.search";
/** About as long as a passage is, with its title and address. */
const PASSAGE_TOKENS = 500;
/** Characters that its search takes. */
const MAX_QUERY = 2000;
/** Tokens of a context that five passages would fill. */
const SHORT_CONTEXT = 8192;

/** How many passages a model without tools is given. */
const passagesFor = (orgId: string, modelId: string): number =>
  (contextLength(orgId, modelId) ?? SHORT_CONTEXT + 1) <= SHORT_CONTEXT ? 2 : 5;

/** Tokens to keep free for the passages that a model without tools is given, and for what is around them. */
export const passageTokens = (orgId: string, modelId: string, tools: CallPlan["tools"]): number =>
  tools.some(({ name }) => name === SEARCH)
    ? passagesFor(orgId, modelId) * PASSAGE_TOKENS + surroundingTokens(readingContext(orgId, modelId) ?? 0)
    : 0;

/** Searches the documents in the model's place; it then reads the passages as the result of a call. */
export async function searchFirst(plan: CallPlan, live: ActiveGeneration): Promise<void> {
  const query = clip((plan.searchFor ?? "").trim(), MAX_QUERY);
  if (query === "" || !plan.tools.some(({ name }) => name === SEARCH)) return;
  const input = { query, topK: passagesFor(live.actor.orgId, plan.model.modelId) };
  const call = { toolCallId: newId("call"), toolName: SEARCH, input };
  live.emit({ type: "start-step" });
  live.emit({ type: "tool-input-start", toolCallId: call.toolCallId, toolName: SEARCH });
  live.emit({ type: "tool-input-available", ...call });
  const reasons = await approvalReasons([call], plan, live, guardOf(plan, live));
  if (reasons.size === 0) await runCalls([call], plan, live);
  else
    live.emit({
      type: "tool-output-error",
      toolCallId: call.toolCallId,
      errorText: "Not searched: the model doesn't take tools, and this one asks for an approval.",
    });
  live.emit({ type: "finish-step" });
}
