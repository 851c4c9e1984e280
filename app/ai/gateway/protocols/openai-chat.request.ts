import type { LanguageModelV3CallOptions, LanguageModelV3ToolChoice } from "@ai-sdk/provider";
import { unpackStep, writerName } from "~/ai/models/models.service.server";
import type { KeptStep } from "~/ai/models/step-state.schema";
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
import { type ChatMessage, type ChatPart, ChatRequest, type ChatTool } from "./openai-chat.schema";
import {
  asToolInput,
  checkTools,
  type FunctionTool,
  imagePart,
  type Path,
  PromptBuilder,
  parseToolArguments,
  present,
  type SupportedUrls,
} from "./prompt";

function* textsOf(messages: readonly ChatMessage[]): Generator<string> {
  for (const { content, tool_calls } of messages) {
    if (typeof content === "string") yield content;
    else for (const part of content ?? []) if (part.text !== undefined) yield part.text;
    for (const call of tool_calls ?? []) yield call.function?.arguments ?? "";
  }
}

function countImages(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => {
    const parts = Array.isArray(content) ? content : [];
    return sum + parts.filter((part) => part.type === "image_url").length;
  }, 0);
}

/** @throws AppError `invalid` with the field, `too_large` */
export function parseChatRequest(body: unknown): ChatRequest {
  const request = parseRequest(ChatRequest, body);
  checkContent(textsOf(request.messages), countImages(request.messages));
  return request;
}

/** The last are those of vLLM and its like, which change an answer as well. */
const UNTRANSLATABLE: readonly Untranslatable[] = [
  ["n", (value) => value !== 1, unsupported("several choices at once")],
  ["logprobs", (value) => value === true, unsupported("log probabilities")],
  ["audio", isAny, unsupported("spoken answers")],
  [
    "modalities",
    (value) => isList(value) && (value as unknown[]).some((one) => one !== "text"),
    unsupported("answers other than text"),
  ],
  ["functions", isAny, unsupported("deprecated functions. Use tools instead")],
  ["web_search_options", isAny, unsupported("OpenAI's web search")],
  ["logit_bias", (value) => Object.keys(Object(value)).length > 0, unsupported("a bias of tokens")],
  ["prediction", isAny, unsupported("predicted outputs. Leave the prediction out")],
  ["min_p", (value) => value !== 0, unsupported("min_p")],
  ["repetition_penalty", (value) => value !== 1, unsupported("a penalty for repetition")],
  ...["guided_json", "guided_regex", "guided_choice", "guided_grammar", "structured_outputs"].map(
    (field): Untranslatable => [field, isAny, unsupported("guided output. Use response_format instead")],
  ),
];

function plainText(content: ChatMessage["content"], path: Path): string {
  if (typeof content === "string") return content;
  const texts = (content ?? []).map((part, index) => {
    if (part.type === "text") return part.text ?? "";
    if (part.type === "refusal" && typeof part.refusal === "string") return part.refusal;
    throw invalidField([...path, "content", index], `A part of type ${part.type} isn't allowed here.`);
  });
  return texts.join("\n");
}

function userPart(part: ChatPart, supported: SupportedUrls, path: Path) {
  if (part.type === "text") return { type: "text" as const, text: part.text ?? "" };
  if (part.type === "image_url") {
    return imagePart(part.image_url?.url ?? "", supported, [...path, "image_url"]);
  }
  throw invalidField(path, `This model's provider supports text and images, not parts of type ${part.type}.`);
}

/** Signatures that a client hands back on the calls alone, as Google's compatible API gives them. */
function signedCalls({ tool_calls }: ChatMessage, hasText: boolean, model: string): KeptStep | undefined {
  const calls = (tool_calls ?? []).map(({ id, extra_content }): KeptStep["parts"][number] => {
    const thoughtSignature = extra_content?.google?.thought_signature;
    return { kind: "tool", id, text: "", metadata: thoughtSignature ? { google: { thoughtSignature } } : {} };
  });
  if (calls.every(({ metadata }) => metadata.google === undefined)) return undefined;
  const text: KeptStep["parts"] = hasText ? [{ kind: "text", id: "", text: "", metadata: {} }] : [];
  return { writtenBy: writerName("google", model), parts: [...text, ...calls] };
}

function addMessage(
  prompt: PromptBuilder,
  message: ChatMessage,
  supported: SupportedUrls,
  path: Path,
  model: string,
): void {
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer":
      prompt.addSystem(plainText(content, path));
      break;
    case "user": {
      const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
      prompt.addUser(parts.map((part, index) => userPart(part, supported, [...path, "content", index])));
      break;
    }
    case "assistant": {
      const text = plainText(content, path);
      const calls = (message.tool_calls ?? []).map((call, index) => {
        if (call.function) {
          const { name: toolName, arguments: json } = call.function;
          return {
            type: "tool-call" as const,
            toolCallId: call.id,
            toolName,
            input: parseToolArguments(json),
          };
        }
        throw invalidField(
          [...path, "tool_calls", index],
          "This model's provider supports function calls only.",
        );
      });
      const signed = signedCalls(message, text !== "", model);
      const details = Array.isArray(message.reasoning_details) ? message.reasoning_details : [];
      const kept = details.flatMap((detail: unknown) => unpackStep(Object(detail).data) ?? []);
      const said = text === "" ? [] : [{ type: "text" as const, text }];
      prompt.addAssistant([...said, ...calls], path, kept.at(-1) ?? signed);
      break;
    }
    case "tool": {
      const output = [{ type: "text" as const, text: plainText(content, path) }];
      prompt.addToolResult(message.tool_call_id ?? "", output, [...path, "tool_call_id"]);
      break;
    }
    case "function":
      throw invalidField(
        [...path, "role"],
        "This model's provider doesn't support functions. Use tools instead.",
      );
  }
}

function toTool(tool: ChatTool, index: number): FunctionTool {
  const { function: definition } = tool;
  if (tool.type !== "function" || !definition) {
    throw invalidField(["tools", index], "This model's provider supports tools of type function only.");
  }
  return {
    type: "function",
    name: definition.name,
    inputSchema: asToolInput(definition.parameters),
    ...present({ description: definition.description, strict: definition.strict }),
  };
}

function toToolChoice(choice: ChatRequest["tool_choice"]): LanguageModelV3ToolChoice | undefined {
  if (typeof choice === "string") return { type: choice };
  if (!choice) return undefined;
  if (choice.type === "function" && choice.function) {
    return { type: "tool", toolName: choice.function.name };
  }
  throw invalidField(["tool_choice"], "This model's provider supports none, auto, required or one function.");
}

/** Converts a request for an adapter. @throws AppError `invalid` for what can't be expressed */
export function toCall(request: ChatRequest, supported: SupportedUrls): LanguageModelV3CallOptions {
  refuseUntranslatable(request, UNTRANSLATABLE);
  const prompt = new PromptBuilder();
  for (const [index, message] of request.messages.entries()) {
    addMessage(prompt, message, supported, ["messages", index], request.model);
  }
  const tools = checkTools((request.tools ?? []).map(toTool));
  const format = request.response_format;
  return {
    prompt: prompt.build(),
    ...(tools.length > 0 ? { tools, ...present({ toolChoice: toToolChoice(request.tool_choice) }) } : {}),
    ...present({
      maxOutputTokens: request.max_completion_tokens ?? request.max_tokens,
      temperature: request.temperature,
      topP: request.top_p,
      stopSequences: typeof request.stop === "string" ? [request.stop] : request.stop,
      topK: request.top_k,
      seed: request.seed,
      // 0 is no penalty, which many clients send.
      presencePenalty: request.presence_penalty || undefined,
      frequencyPenalty: request.frequency_penalty || undefined,
      responseFormat: openAiResponseFormat(format && { ...format.json_schema, type: format.type }, [
        "response_format",
      ]),
      providerOptions: openAiOptions({
        effort: request.reasoning_effort,
        thinking: request.thinking,
        user: request.user,
        parallel: request.parallel_tool_calls,
      }),
    }),
  };
}
