import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3ToolChoice,
} from "@ai-sdk/provider";
import { tokensInCall, unpackStep } from "~/ai/models/models.service.server";
import {
  type AnthropicMessage,
  type AnthropicTool,
  CountTokensRequest,
  ImageSource,
  type MessageBlock,
  MessagesRequest,
  type PlainBlock,
  ResultContent,
} from "./anthropic-messages.schema";
import {
  isAny,
  isList,
  openAiOptions,
  refuseUntranslatable,
  type Untranslatable,
  unsupported,
} from "./call-options";
import { checkContent, invalidField, parseRequest } from "./content";
import { ProtocolRefusal } from "./errors";
import {
  type AssistantPart,
  asJsonSchema,
  asToolInput,
  base64Image,
  checkTools,
  type FunctionTool,
  imagePart,
  type Path,
  PromptBuilder,
  present,
  type SupportedUrls,
  type UserPart,
} from "./prompt";

function* blocksOf(request: CountTokensRequest): Generator<PlainBlock | MessageBlock> {
  for (const content of [request.system, ...request.messages.map((message) => message.content)]) {
    for (const block of asBlocks(content)) {
      yield block;
      if (block.type === "tool_result") yield* resultBlocks(block);
    }
  }
}

function asBlocks<T extends PlainBlock>(content: string | T[] | null | undefined): (T | PlainBlock)[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}

const resultBlocks = (block: MessageBlock | PlainBlock) => asBlocks(ResultContent.parse(block.content));

function* textsOf(blocks: Iterable<PlainBlock>): Generator<string> {
  for (const block of blocks) {
    if (block.text !== undefined) yield block.text;
    if (block.type === "tool_use") yield JSON.stringify(block.input ?? {});
  }
}

function checked<T extends CountTokensRequest>(request: T): T {
  const blocks = [...blocksOf(request)];
  checkContent(textsOf(blocks), blocks.filter((block) => block.type === "image").length);
  return request;
}

/** @throws AppError `invalid` with the field, `too_large` */
export const parseMessagesRequest = (body: unknown): MessagesRequest =>
  checked(parseRequest(MessagesRequest, body));

/** @throws as `parseMessagesRequest` */
export const parseCountRequest = (body: unknown): CountTokensRequest =>
  checked(parseRequest(CountTokensRequest, body));

function plainText(blocks: readonly PlainBlock[], path: Path): string {
  const texts = blocks.map((block, index) => {
    if (block.type === "text") return block.text ?? "";
    throw invalidField([...path, index], `A block of type ${block.type} isn't allowed here.`);
  });
  return texts.join("\n\n");
}

function userPart(block: PlainBlock, supported: SupportedUrls, path: Path): UserPart {
  if (block.type === "text") return { type: "text", text: block.text ?? "" };
  const source = block.type === "image" ? ImageSource.parse(block.source) : undefined;
  const at = [...path, "source"];
  if (source?.type === "base64") return base64Image(source.media_type ?? "", source.data ?? "", at);
  if (source?.type === "url") return imagePart(source.url ?? "", supported, at);
  throw invalidField(
    path,
    `This model's provider supports text and images, not blocks of type ${block.type}.`,
  );
}

/** Tool results come first, as the protocol requires. */
function addUser(prompt: PromptBuilder, message: AnthropicMessage, supported: SupportedUrls, at: Path): void {
  const parts: UserPart[] = [];
  for (const [index, block] of asBlocks(message.content).entries()) {
    const path = [...at, index];
    if (block.type !== "tool_result") {
      parts.push(userPart(block, supported, path));
      continue;
    }
    const contents = resultBlocks(block).map((one, nth) =>
      userPart(one, supported, [...path, "content", nth]),
    );
    const type = "is_error" in block && block.is_error ? "error-text" : "text";
    prompt.addToolResult(String(block.tool_use_id ?? ""), contents, [...path, "tool_use_id"], type);
  }
  prompt.addUser(parts);
}

/** Other thinking than what the gateway packed is dropped: only its own model can verify its signature. */
function assistantParts(block: MessageBlock | PlainBlock, path: Path): AssistantPart[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text ?? "" }];
    case "tool_use": {
      const [toolCallId, toolName] = [String(block.id), String(block.name)];
      return [{ type: "tool-call", toolCallId, toolName, input: block.input ?? {} }];
    }
    case "thinking":
    case "redacted_thinking":
      return [];
    default:
      throw invalidField(path, `This model's provider doesn't support blocks of type ${block.type}.`);
  }
}

function toPrompt(request: MessagesRequest, supported: SupportedUrls): LanguageModelV3Message[] {
  const prompt = new PromptBuilder();
  prompt.addSystem(plainText(asBlocks(request.system), ["system"]));
  for (const [index, message] of request.messages.entries()) {
    const path = ["messages", index, "content"];
    const blocks = asBlocks(message.content);
    if (message.role === "system") prompt.addSystem(plainText(blocks, path));
    else if (message.role === "user") addUser(prompt, message, supported, path);
    else {
      const content = blocks.flatMap((block, nth) => assistantParts(block, [...path, nth]));
      const kept = blocks.flatMap(
        (block) => unpackStep(block.type === "redacted_thinking" && block.data) ?? [],
      );
      prompt.addAssistant(content, path, kept.at(-1));
    }
  }
  return prompt.build();
}

function toTool(tool: AnthropicTool, index: number): FunctionTool {
  if ((tool.type && tool.type !== "custom") || !tool.name) {
    throw invalidField(["tools", index], `This model's provider doesn't support the tool ${tool.type}.`);
  }
  return {
    type: "function",
    name: tool.name,
    inputSchema: asToolInput(tool.input_schema),
    ...present({ description: tool.description, strict: tool.strict }),
  };
}

function toToolChoice(choice: MessagesRequest["tool_choice"]): LanguageModelV3ToolChoice | undefined {
  if (!choice) return undefined;
  if (choice.type === "any") return { type: "required" };
  if (choice.type === "auto" || choice.type === "none") return { type: choice.type };
  if (choice.type === "tool" && choice.name) return { type: "tool", toolName: choice.name };
  throw invalidField(["tool_choice"], "The tool choice must be auto, any, none or a tool with a name.");
}

function toResponseFormat(
  format: MessagesRequest["output_format"],
  path: Path,
): LanguageModelV3CallOptions["responseFormat"] {
  if (!format) return undefined;
  if (format.type === "json_schema" && format.schema) {
    return { type: "json", schema: asJsonSchema(format.schema) };
  }
  throw invalidField(path, "The format must be json_schema with a schema.");
}

/** Whether OpenAI's strict mode takes a schema: all of each object's properties are required, and no others allowed. */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (typeof schema !== "object" || schema === null) return true;
  const { type, properties, required = [], additionalProperties } = schema as Record<string, unknown>;
  const isObject = properties !== undefined || [type].flat().includes("object");
  const isWhole = Object.keys(Object(properties)).every((name) => [required].flat().includes(name));
  const isClosed = !isObject || (additionalProperties === false && isWhole);
  return isClosed && Object.values(schema).every(isStrict);
}

function providerOptions({
  output_config,
  output_format,
  thinking,
  tool_choice,
}: MessagesRequest): LanguageModelV3CallOptions["providerOptions"] {
  const schema = (output_config?.format ?? output_format)?.schema;
  return openAiOptions({
    effort: output_config?.effort,
    thinking,
    parallel: tool_choice?.disable_parallel_tool_use ? false : undefined,
    // Anthropic allows optional properties, which OpenAI's strict mode refuses.
    strictSchema: schema && isStrict(schema),
  });
}

/** Thoughts aren't sent as text anyway. */
function dropsThoughts(edit: unknown): boolean {
  const { type } = Object(edit) as { type?: unknown };
  return typeof type === "string" && type.startsWith("clear_thinking");
}

const UNTRANSLATABLE: readonly Untranslatable[] = [
  ["mcp_servers", isList, unsupported("MCP servers that Anthropic calls. Offer their tools instead")],
  ["container", isAny, unsupported("containers")],
  [
    "context_management",
    (value) => {
      const { edits = [] } = Object(value) as { edits?: unknown };
      return !Array.isArray(edits) || !edits.every(dropsThoughts);
    },
    unsupported("edits of the context. Leave them out"),
  ],
  ["inference_geo", isAny, unsupported("a choice of its place")],
];

/** Anthropic's own details, on which its client sends the whole conversation itself. */
const NO_THREADS = { error_code: "thread_unsupported_request", unsupported: ["thread"] };

function refuseThread({ thread }: MessagesRequest): void {
  if (!thread) return;
  const refusal = invalidField(["thread"], "This model's provider doesn't support message threads.");
  throw new ProtocolRefusal(refusal, { details: NO_THREADS });
}

/**
 * Converts a Messages request for an adapter. Hints are dropped: metadata, service tier, speed, cache control.
 * @throws AppError `invalid` for what can't be expressed
 */
export function messagesToCall(
  request: MessagesRequest,
  supported: SupportedUrls,
): LanguageModelV3CallOptions {
  refuseThread(request);
  refuseUntranslatable(request, UNTRANSLATABLE);
  const tools = checkTools((request.tools ?? []).map(toTool));
  return {
    prompt: toPrompt(request, supported),
    maxOutputTokens: request.max_tokens,
    ...(tools.length > 0 ? { tools, ...present({ toolChoice: toToolChoice(request.tool_choice) }) } : {}),
    ...present({
      temperature: request.temperature,
      topP: request.top_p,
      topK: request.top_k,
      stopSequences: request.stop_sequences,
      responseFormat: request.output_config?.format
        ? toResponseFormat(request.output_config.format, ["output_config", "format"])
        : toResponseFormat(request.output_format, ["output_format"]),
      providerOptions: providerOptions(request),
    }),
  };
}

/** About how many tokens a request sends. @throws as `messagesToCall` */
export const estimateTokens = (request: CountTokensRequest): number =>
  tokensInCall(messagesToCall({ ...request, max_tokens: 1 }, { "*": [/./] }));
