import type {
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
} from "@ai-sdk/provider";
import { imagesIn, type MadeImage } from "~/ai/models/beside-text.schema";

/** The response's id and its creation time (seconds since 1970). */
export interface ResponseMeta {
  id: string;
  created: number;
  model: string;
}

interface Delta {
  role?: "assistant";
  content?: string | null;
  refusal?: null;
  /** Not in OpenAI's API, but known to its clients. */
  reasoning_content?: string;
  tool_calls?: {
    index: number;
    id?: string;
    type?: "function";
    function: { name?: string; arguments?: string };
    extra_content?: ReturnType<typeof signatureOf>;
  }[];
  reasoning_details?: ReturnType<typeof keptDetails>;
  images?: ReturnType<typeof toImages>;
}

/** As OpenRouter gives images that a model made. */
const toImages = (images: readonly MadeImage[]) =>
  images.map(({ mediaType, base64 }, index) => ({
    type: "image_url" as const,
    image_url: { url: `data:${mediaType};base64,${base64}` },
    index,
  }));

/** As OpenRouter gives encrypted thoughts, which its clients hand back. */
const keptDetails = (packed: string) => [
  { type: "reasoning.encrypted" as const, data: packed, format: "quarterdeck-v1" as const, index: 0 },
];

/** A call's signature as Google's own compatible API gives it. */
function signatureOf(metadata: SharedV3ProviderMetadata | undefined) {
  const signature = metadata?.google?.thoughtSignature;
  return typeof signature === "string" ? { google: { thought_signature: signature } } : undefined;
}

type Finish = "stop" | "length" | "tool_calls" | "content_filter";

export interface ChatChunk extends ResponseMeta {
  object: "chat.completion.chunk";
  choices: { index: 0; delta: Delta; logprobs: null; finish_reason: Finish | null }[];
  usage?: ReturnType<typeof toUsage> | null;
}

const FINISH: Record<LanguageModelV3FinishReason["unified"], Finish> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "stop",
  other: "stop",
};

/** Some models end tool calls with another reason. */
function finishOf(reason: LanguageModelV3FinishReason, callsTools: boolean): Finish {
  const finish = FINISH[reason.unified];
  return finish === "stop" && callsTools ? "tool_calls" : finish;
}

/** Without both figures there is no usage: unknown isn't zero. */
function toUsage({ inputTokens, outputTokens }: LanguageModelV3Usage) {
  const { total: prompt, cacheRead } = inputTokens;
  const { total: completion, reasoning } = outputTokens;
  if (prompt === undefined || completion === undefined) return undefined;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: cacheRead === undefined ? undefined : { cached_tokens: cacheRead },
    completion_tokens_details: reasoning === undefined ? undefined : { reasoning_tokens: reasoning },
  };
}

/** Builds a stream's chunks. `error` parts are handled by the caller. */
export class ChatChunks {
  readonly #meta: ResponseMeta;
  readonly #includeUsage: boolean;
  #begun = false;
  /** Tool calls so far, with the length of the arguments sent. */
  readonly #calls = new Map<string, { index: number; sent: number; streams: boolean }>();

  constructor({ includeUsage, ...meta }: ResponseMeta & { includeUsage: boolean }) {
    this.#meta = meta;
    this.#includeUsage = includeUsage;
  }

  take(part: LanguageModelV3StreamPart): ChatChunk[] {
    const images = imagesIn(part);
    const shown = images.length > 0 ? this.#delta({ images: toImages(images) }) : [];
    return [...shown, ...this.#take(part)];
  }

  #take(part: LanguageModelV3StreamPart): ChatChunk[] {
    switch (part.type) {
      case "text-delta":
        return part.delta === "" ? [] : this.#delta({ content: part.delta });
      case "reasoning-delta":
        return part.delta === "" ? [] : this.#delta({ reasoning_content: part.delta });
      case "tool-input-start":
        return part.providerExecuted
          ? []
          : this.#startCall(part.id, part.toolName, part.inputEncoding !== "text", part.providerMetadata);
      case "tool-input-delta":
        return this.#callDelta(part.id, part.delta);
      case "tool-call":
        return part.providerExecuted ? [] : this.#wholeCall(part);
      case "finish":
        return this.#finish(part.finishReason, part.usage);
      default:
        return [];
    }
  }

  keep(packed: string): ChatChunk[] {
    return this.#delta({ reasoning_details: keptDetails(packed) });
  }

  #chunk(delta: Delta, finish: Finish | null = null): ChatChunk {
    return {
      ...this.#meta,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(this.#includeUsage ? { usage: null } : {}),
    };
  }

  /** The first delta is the role. */
  #delta(delta: Delta, finish: Finish | null = null): ChatChunk[] {
    const chunk = this.#chunk(delta, finish);
    if (this.#begun) return [chunk];
    this.#begun = true;
    return [this.#chunk({ role: "assistant", content: "", refusal: null }), chunk];
  }

  #startCall(
    id: string,
    name: string,
    streams: boolean,
    metadata: SharedV3ProviderMetadata | undefined,
  ): ChatChunk[] {
    const index = this.#calls.size;
    this.#calls.set(id, { index, sent: 0, streams });
    const call = { index, id, type: "function" as const, function: { name, arguments: "" } };
    const extra_content = signatureOf(metadata);
    return this.#delta({ tool_calls: [{ ...call, ...(extra_content && { extra_content }) }] });
  }

  #callDelta(id: string, delta: string): ChatChunk[] {
    const call = this.#calls.get(id);
    if (!call?.streams || delta === "") return [];
    call.sent += delta.length;
    return this.#delta({ tool_calls: [{ index: call.index, function: { arguments: delta } }] });
  }

  #wholeCall({ toolCallId: id, toolName, input, providerMetadata }: LanguageModelV3ToolCall): ChatChunk[] {
    const started = this.#calls.has(id) ? [] : this.#startCall(id, toolName, true, providerMetadata);
    const call = this.#calls.get(id);
    if (!call || call.sent > 0) return started;
    call.streams = true;
    return [...started, ...this.#callDelta(id, input)];
  }

  #finish(reason: LanguageModelV3FinishReason, usage: LanguageModelV3Usage): ChatChunk[] {
    const chunks = this.#delta({}, finishOf(reason, this.#calls.size > 0));
    const reported = this.#includeUsage ? toUsage(usage) : undefined;
    return reported ? [...chunks, { ...this.#chunk({}), choices: [], usage: reported }] : chunks;
  }
}

export type ChatCompletion = ReturnType<typeof toChatCompletion>;

export function toChatCompletion(
  result: LanguageModelV3GenerateResult,
  { id, created, model }: ResponseMeta,
  packed?: string,
) {
  const { content } = result;
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const thinking = content.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
  const calls = content.flatMap((part) => {
    if (part.type !== "tool-call" || part.providerExecuted) return [];
    const { toolCallId, toolName, input, providerMetadata } = part;
    const call = { name: toolName, arguments: input === "" ? "{}" : input };
    const extra_content = signatureOf(providerMetadata);
    return [{ id: toolCallId, type: "function" as const, function: call, extra_content }];
  });
  const images = [...content, { type: "finish" as const, ...result }].flatMap(imagesIn);
  const message = {
    role: "assistant" as const,
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    reasoning_content: thinking || undefined,
    reasoning_details: packed === undefined ? undefined : keptDetails(packed),
    tool_calls: calls.length > 0 ? calls : undefined,
    images: images.length > 0 ? toImages(images) : undefined,
  };
  const finish_reason = finishOf(result.finishReason, calls.length > 0);
  const usage = toUsage(result.usage);
  return {
    id,
    object: "chat.completion" as const,
    created,
    model,
    choices: [{ index: 0 as const, message, logprobs: null, finish_reason }],
    ...(usage ? { usage } : {}),
  };
}
