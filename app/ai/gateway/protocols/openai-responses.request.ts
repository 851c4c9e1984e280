import type { LanguageModelV3CallOptions, LanguageModelV3ToolChoice } from "@ai-sdk/provider";
import {
  isAny,
  isList,
  openAiOptions,
  openAiResponseFormat,
  refuseUntranslatable,
  type Untranslatable,
  unsupported,
} from "./call-options";
import { checkContent, invalidField, parseRequest } from "./content";
import { refuseOwnItems, toPrompt } from "./openai-responses.input";
import { ResponsesRequest, type ResponsesToolChoice, TranslatableRequest } from "./openai-responses.schema";
import { callableTools, joinedName, toTool } from "./openai-responses.tools";
import { checkTools, present, type SupportedUrls } from "./prompt";

/** Members that hold a file, which isn't text. */
const FILES: ReadonlySet<string> = new Set(["image_url", "file_data"]);

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item);
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) if (!FILES.has(key)) yield* textsIn(item);
  }
}

/** @throws AppError `invalid` with the field, `too_large` */
export function parseResponsesRequest(body: unknown): ResponsesRequest {
  const request = parseRequest(ResponsesRequest, body);
  checkContent(textsIn([request.input, request.instructions]));
  return request;
}

const NOTHING_STORED = "Responses aren't stored here. Send the items of the conversation in input instead.";

const UNTRANSLATABLE: readonly Untranslatable[] = [
  ["previous_response_id", isAny, NOTHING_STORED],
  ["conversation", isAny, NOTHING_STORED],
  ["prompt", isAny, "Prompts aren't stored here. Send the instructions and the input themselves."],
  [
    "background",
    (value) => value === true,
    "Responses aren't stored here, so none can be fetched later. Leave out background, and stream the response.",
  ],
  ["context_management", isList, unsupported("OpenAI's compaction. Leave it out")],
  ["moderation", isAny, unsupported("OpenAI's moderation. Leave it out")],
  ["top_logprobs", (value) => value !== 0, unsupported("log probabilities")],
  [
    "include",
    (value) => isList(value) && (value as unknown[]).includes("message.output_text.logprobs"),
    unsupported("log probabilities"),
  ],
];

/** The others run at OpenAI. */
const TRANSLATED_TOOLS = new Set(["function", "custom", "namespace"]);

function refuseOwn(request: ResponsesRequest): void {
  refuseUntranslatable(request, UNTRANSLATABLE);
  refuseOwnItems(request.input);
  for (const [index, { type }] of (request.tools ?? []).entries()) {
    if (TRANSLATED_TOOLS.has(type)) continue;
    throw invalidField(["tools", index], `${unsupported(`the tool ${type}`)} Leave it out.`);
  }
}

interface Choice {
  toolChoice?: LanguageModelV3ToolChoice;
  /** Names of the only tools that may be called. */
  allowed?: ReadonlySet<string>;
}

function readToolChoice(choice: ResponsesToolChoice | null | undefined): Choice {
  if (!choice) return {};
  if (typeof choice === "string") return { toolChoice: { type: choice } };
  const { type, name, mode = "auto", tools = [] } = choice;
  if ((type === "function" || type === "custom") && name)
    return { toolChoice: { type: "tool", toolName: name } };
  if (type === "allowed_tools")
    return { toolChoice: { type: mode }, allowed: new Set(tools.map((tool) => tool.name ?? "")) };
  throw invalidField(["tool_choice"], unsupported("other choices than none, auto, required or functions"));
}

function toolsOf(request: TranslatableRequest) {
  const { toolChoice, allowed } = readToolChoice(request.tool_choice);
  const callable = callableTools(request.tools);
  const byName = new Map<string, string>();
  const tools = checkTools(callable.map(toTool));
  for (const [index, { name }] of tools.entries()) {
    if (byName.has(name)) throw invalidField(["tools", index], `Another tool is called ${name}, too.`);
    byName.set(name, name);
  }
  // A choice names a tool within a namespace by its own name.
  for (const { tool, namespace } of callable)
    if (!byName.has(tool.name)) byName.set(tool.name, joinedName(tool.name, namespace));
  const named = new Set([...(allowed ?? [])].map((name) => byName.get(name)));
  const offered = allowed ? tools.filter(({ name }) => named.has(name)) : tools;
  if (allowed && offered.length === 0)
    throw invalidField(["tool_choice"], "None of the allowed tools is among the tools. Name one of them.");
  if (offered.length === 0) return {};
  if (toolChoice?.type !== "tool") return { tools: offered, ...present({ toolChoice }) };
  const toolName = byName.get(toolChoice.toolName);
  if (toolName === undefined)
    throw invalidField(["tool_choice"], "The chosen tool isn't among the tools. Name one of them.");
  return { tools: offered, toolChoice: { type: "tool" as const, toolName } };
}

function providerOptions(request: TranslatableRequest): LanguageModelV3CallOptions["providerOptions"] {
  const { reasoning, user, safety_identifier, parallel_tool_calls: parallel, text } = request;
  return openAiOptions({
    effort: reasoning?.effort,
    user: safety_identifier ?? user,
    parallel,
    // The adapters' own default is strict, OpenAI's isn't.
    strictSchema: text?.format?.type === "json_schema" ? text.format.strict === true : undefined,
  });
}

/**
 * Converts a request for an adapter. Hints have no counterpart and are dropped: cache keys, service tier, verbosity,
 * truncation, and `store`, since nothing is stored.
 * @throws AppError `invalid` for what can't be expressed
 */
export function responsesToCall(
  request: ResponsesRequest,
  supported: SupportedUrls,
): LanguageModelV3CallOptions {
  refuseOwn(request);
  const call = parseRequest(TranslatableRequest, request);
  return {
    prompt: toPrompt(call, supported),
    ...toolsOf(call),
    ...present({
      maxOutputTokens: call.max_output_tokens,
      temperature: call.temperature,
      topP: call.top_p,
      responseFormat: openAiResponseFormat(call.text?.format, ["text", "format"]),
      providerOptions: providerOptions(call),
    }),
  };
}
