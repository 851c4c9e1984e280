import type { JSONValue, LanguageModelV3Message } from "@ai-sdk/provider";
import { z } from "zod";
import { type ChatModel, isAttached, withCalls } from "../language-model";
import { compatibleTurns } from "./compatible-turns";

// Servers with OpenAI's chat completions API have no common place for reasoning. What came in a field goes back in it.

type Message = LanguageModelV3Message;
type AssistantMessage = Extract<Message, { role: "assistant" }>;
type Details = Record<string, JSONValue>;

/** The fields in use: DeepSeek's, and the shorter one of OpenRouter, Groq, Ollama and newer vLLM. */
const FIELDS = ["reasoning_content", "reasoning"] as const;
/** Where Mistral has its thoughts, as parts beside the text. */
const IN_PARTS = "content";

const Said = z.object({
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  reasoning_details: z.array(z.record(z.string(), z.unknown())).nullish(),
});
/** As `readingChatCompletions` writes it. */
const Response = z.object({
  choices: z.array(z.object({ delta: z.unknown(), message: z.unknown() }).partial()).min(1),
  sources: z.array(z.string()).optional(),
  images: z.array(z.string()).optional(),
  thinksInParts: z.boolean().optional(),
});

/** Texts that a stream sends in pieces; of other members the last counts. */
const PIECES = ["text", "summary", "data"];

function joined(before: Details, next: Details): Details {
  const pieces = PIECES.flatMap((name) =>
    typeof before[name] === "string" && typeof next[name] === "string"
      ? [[name, before[name] + next[name]]]
      : [],
  );
  return { ...before, ...next, ...Object.fromEntries(pieces) };
}

const isSameBlock = (a: Details, b: Details) =>
  a.type === b.type && a.index === b.index && (a.id ?? b.id) === (b.id ?? a.id);

/** Finds how a response gives its reasoning, and what comes beside its text. */
class ResponseShape {
  #beside: Omit<z.infer<typeof Response>, "choices" | "thinksInParts"> = {};
  #field: string | undefined;
  readonly #details: Details[] = [];

  take(body: unknown): void {
    const { choices = [], thinksInParts, ...beside } = Response.safeParse(body).data ?? {};
    this.#beside = { ...this.#beside, ...beside };
    if (thinksInParts) this.#field ??= IN_PARTS;
    const { delta, message } = choices[0] ?? {};
    const said = Said.safeParse(delta ?? message).data;
    if (!said) return;
    this.#field ??= FIELDS.find((name) => said[name]);
    // They have been JSON.
    for (const next of (said.reasoning_details ?? []) as Details[]) {
      const last = this.#details.at(-1);
      if (last && isSameBlock(last, next)) this.#details[this.#details.length - 1] = joined(last, next);
      else this.#details.push(next);
    }
  }

  metadata() {
    return {
      openaiCompatible: {
        ...this.#beside,
        ...(this.#field ? { reasoningField: this.#field } : {}),
        ...(this.#details.length > 0 ? { reasoningDetails: this.#details } : {}),
      },
    };
  }
}

export const responseShape = {
  async extractMetadata({ parsedBody }: { parsedBody: unknown }) {
    const shape = new ResponseShape();
    shape.take(parsedBody);
    return shape.metadata();
  },
  createStreamExtractor() {
    const shape = new ResponseShape();
    return {
      processChunk: (chunk: unknown) => shape.take(chunk),
      buildMetadata: () => shape.metadata(),
    };
  },
};

/**
 * Models that read the thoughts of all earlier turns: https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
 * and https://platform.minimax.io/docs/guides/text-m2-function-call. The others read those of turns with tool calls,
 * and servers drop what they don't read.
 */
const READS_ALL = /kimi|moonshot|minimax|mimo/i;
/** Of every turn too: https://github.com/mistralai/client-python/blob/main/examples/mistral/chat/reasoning_multi_turn.py */
const thinksInParts = (message: Message) =>
  message.role === "assistant" && shapeOf(message).reasoningField === IN_PARTS;
/** Refuses calls without it, also where the model didn't think: https://api-docs.deepseek.com/guides/thinking_mode */
const WANTS_EMPTY = /deepseek/i;

/** Whether a person begins another turn; images of tool results don't. */
const beginsTurn = (message: Message) =>
  message.role === "user" && message.content.some((part) => part.type === "text" && !isAttached(part));

const hasCalls = (message: Message) =>
  message.role === "assistant" && message.content.some(({ type }) => type === "tool-call");

/** The messages whose reasoning is sent: of the present turn, and of those that called tools. */
function withReasoning(prompt: readonly Message[], modelId: string): Set<Message> {
  const turns: Message[][] = [[]];
  for (const message of prompt) {
    if (beginsTurn(message)) turns.push([]);
    turns.at(-1)?.push(message);
  }
  return new Set(
    turns
      .filter(
        (turn, at) =>
          at === turns.length - 1 ||
          READS_ALL.test(modelId) ||
          turn.some((message) => hasCalls(message) || thinksInParts(message)),
      )
      .flat(),
  );
}

const shapeOf = ({ providerOptions }: AssistantMessage) => providerOptions?.openaiCompatible ?? {};

function fieldsOf(message: AssistantMessage): Details {
  const { reasoningField, reasoningDetails } = shapeOf(message);
  if (reasoningDetails !== undefined) return { reasoning_details: reasoningDetails };
  const textsOf = (type: "reasoning" | "text") =>
    message.content.flatMap((part) => (part.type === type ? [part.text] : []));
  const text = textsOf("reasoning").join("");
  if (reasoningField === IN_PARTS && text !== "") {
    // It takes one part of thoughts at most, the first.
    const thinking = { type: "thinking", thinking: [{ type: "text", text }] };
    return { content: [thinking, ...textsOf("text").map((said) => ({ type: "text", text: said }))] };
  }
  const field = FIELDS.find((name) => name === reasoningField);
  return field ? { [field]: text } : {};
}

/** The adapter writes a thought signature where Google's own compatible API has it. */
function signedCall(part: AssistantMessage["content"][number]): AssistantMessage["content"][number][] {
  if (part.type === "reasoning") return [];
  const { thoughtSignature } = part.providerOptions?.openaiCompatible ?? {};
  const { providerOptions: _, ...rest } = part;
  return [
    thoughtSignature === undefined ? rest : { ...rest, providerOptions: { google: { thoughtSignature } } },
  ];
}

function toCompatible(prompt: readonly Message[], modelId: string): Message[] {
  const sent = withReasoning(prompt, modelId);
  const used = FIELDS.find((name) =>
    prompt.some((message) => message.role === "assistant" && shapeOf(message).reasoningField === name),
  );
  const messages = prompt.flatMap((message): Message[] => {
    if (message.role !== "assistant") return [message];
    const content = message.content.flatMap(signedCall);
    if (content.length === 0) return [];
    const fields = sent.has(message) ? fieldsOf(message) : {};
    const empty = used && WANTS_EMPTY.test(modelId) && hasCalls(message) ? { [used]: "" } : {};
    return [{ role: "assistant", content, providerOptions: { openaiCompatible: { ...empty, ...fields } } }];
  });
  return compatibleTurns(messages, modelId);
}

/** Sends a model's earlier reasoning in the shape in which its server gave it. */
export const returningReasoning = (model: ChatModel): ChatModel =>
  withCalls(model, (call) => ({ ...call, prompt: toCompatible(call.prompt, model.modelId) }));
