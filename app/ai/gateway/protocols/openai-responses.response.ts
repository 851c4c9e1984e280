import type {
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3ToolCall,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import { IMAGE_LEFT_OUT, imagesIn } from "~/ai/models/beside-text.schema";
import { newId } from "~/core/ids.server";
import type { Block } from "./block-queue";
import type { ResponsesSettings } from "./openai-responses.schema";
import { type CallableTool, plainInput, toolsByName } from "./openai-responses.tools";

export type ItemStatus = "in_progress" | "completed" | "incomplete";
type Incomplete = "max_output_tokens" | "content_filter";

export const textPart = (text: string) => ({
  type: "output_text" as const,
  text,
  annotations: [] as never[],
  logprobs: [] as never[],
});
export const summaryPart = (text: string) => ({ type: "summary_text" as const, text });

interface MessageItem {
  type: "message";
  id: string;
  status: ItemStatus;
  role: "assistant";
  content: ReturnType<typeof textPart>[];
}
export interface ReasoningItem {
  type: "reasoning";
  id: string;
  summary: ReturnType<typeof summaryPart>[];
  encrypted_content?: string;
}
interface FunctionCallItem {
  type: "function_call";
  id: string;
  call_id: string;
  name: string;
  namespace?: string;
  arguments: string;
  status: ItemStatus;
}
interface CustomCallItem {
  type: "custom_tool_call";
  id: string;
  call_id: string;
  name: string;
  namespace?: string;
  input: string;
  status: ItemStatus;
}
export type OutputItem = MessageItem | ReasoningItem | FunctionCallItem | CustomCallItem;

/** The response's id, its creation time (seconds since 1970), and what its call said. */
export interface ResponsesMeta {
  id: string;
  created: number;
  model: string;
  settings: ResponsesSettings;
}

/** Without the totals there is no usage; the protocol requires their details, so an unknown one is 0. */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV3Usage) {
  const { total: input, cacheRead, cacheWrite } = inputTokens;
  const { total: output, reasoning } = outputTokens;
  if (input === undefined || output === undefined) return undefined;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead ?? 0, cache_write_tokens: cacheWrite ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: input + output,
  };
}

export interface State {
  status: "in_progress" | "completed" | "incomplete";
  output: readonly OutputItem[];
  incomplete?: Incomplete | undefined;
  usage?: ReturnType<typeof toUsage>;
}

const seconds = () => Math.floor(Date.now() / 1000);

export function toBody({ id, created, model, settings }: ResponsesMeta, state: State) {
  const { status, output, incomplete, usage } = state;
  const { reasoning, text, user } = settings;
  return {
    id,
    object: "response" as const,
    created_at: created,
    status,
    background: false,
    completed_at: status === "completed" ? seconds() : null,
    error: null,
    incomplete_details: incomplete ? { reason: incomplete } : null,
    instructions: settings.instructions ?? null,
    max_output_tokens: settings.max_output_tokens ?? null,
    metadata: settings.metadata ?? {},
    model,
    output: [...output],
    parallel_tool_calls: settings.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: settings.prompt_cache_key ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: settings.safety_identifier ?? null,
    service_tier: null,
    store: false,
    temperature: settings.temperature ?? null,
    text: { ...text, format: text?.format ?? { type: "text" as const } },
    tool_choice: settings.tool_choice ?? "auto",
    tools: settings.tools ?? [],
    top_p: settings.top_p ?? null,
    truncation: "disabled" as const,
    ...(usage ? { usage } : {}),
    ...(user ? { user } : {}),
  };
}
export type ResponseBody = ReturnType<typeof toBody>;

const INCOMPLETE: Partial<Record<LanguageModelV3FinishReason["unified"], Incomplete>> = {
  length: "max_output_tokens",
  "content-filter": "content_filter",
};

/** The state of a finished response. */
export const endOf = ({ unified }: LanguageModelV3FinishReason) => ({
  status: INCOMPLETE[unified] ? ("incomplete" as const) : ("completed" as const),
  incomplete: INCOMPLETE[unified],
});

/** An item with all of its block's text; an empty text begins it. */
export function itemOf(
  { kind, id: call_id, name: called }: Block,
  id: string,
  text: string,
  tool: CallableTool | undefined,
  status: ItemStatus,
): OutputItem {
  const isEmpty = text === "";
  if (kind === "thinking") return { type: "reasoning", id, summary: isEmpty ? [] : [summaryPart(text)] };
  if (kind === "text") {
    const content = isEmpty ? [] : [textPart(text)];
    return { type: "message", id, status, role: "assistant", content };
  }
  const { namespace } = tool ?? {};
  const call = { id, call_id, name: tool?.tool.name ?? called, ...(namespace && { namespace }), status };
  return tool?.tool.type === "custom"
    ? { type: "custom_tool_call", ...call, input: plainInput(text) }
    : { type: "function_call", ...call, arguments: text };
}

export const PREFIXES = { text: "msg", thinking: "rs", tool_use: "fc" } as const;

/** A last item that clients hand back unread, as OpenAI's encrypted thoughts. */
export const keptItem = (packed: string): ReasoningItem => ({
  type: "reasoning",
  id: newId("rs"),
  summary: [],
  encrypted_content: packed,
});

export function toResponsesBody(
  result: LanguageModelV3GenerateResult,
  meta: ResponsesMeta,
  packed?: string,
): ResponseBody {
  const { content, finishReason, usage } = result;
  const tools = toolsByName(meta.settings);
  const end = endOf(finishReason);
  const item = (kind: Block["kind"], text: string, call = "", name = "") =>
    itemOf({ kind, id: call, name }, newId(PREFIXES[kind]), text, tools.get(name), "completed");
  const argumentsOf = ({ input, toolName }: LanguageModelV3ToolCall) =>
    input === "" && tools.get(toolName)?.tool.type !== "custom" ? "{}" : input;
  const parts = [...content, { type: "finish" as const, ...result }];
  const output = parts.flatMap((part): OutputItem[] => {
    if (imagesIn(part).length > 0) return [item("text", IMAGE_LEFT_OUT.trimStart())];
    if (part.type === "text") return part.text === "" ? [] : [item("text", part.text)];
    if (part.type === "reasoning") return part.text === "" ? [] : [item("thinking", part.text)];
    if (part.type !== "tool-call" || part.providerExecuted) return [];
    return [item("tool_use", argumentsOf(part), part.toolCallId, part.toolName)];
  });
  // The item that was being written, as a stream has it.
  const last = output.at(-1);
  if (last && "status" in last) last.status = end.status;
  if (packed !== undefined) output.push(keptItem(packed));
  return toBody(meta, { ...end, output, usage: toUsage(usage) });
}
