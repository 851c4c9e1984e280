import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { parseJson } from "~/core/parse";
import { type ChatModel, type ChatModelPart, type ChatModelResult, withCalls } from "./language-model";
import { KeptStep, type ProviderMetadata, type StepState } from "./step-state.schema";

type AssistantMessage = Extract<LanguageModelV3Message, { role: "assistant" }>;

/** What the adapters say of parts and want to see again, by adapter. Everything else is for reading alone. */
const RETURNED: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["signature", "redactedData"],
  google: ["thoughtSignature"],
  openai: ["itemId", "reasoningEncryptedContent", "phase"],
  openaiCompatible: ["thoughtSignature", "reasoningField", "reasoningDetails"],
};

/** The part of a provider's metadata that it wants to see again; undefined without any. */
function toReturn(metadata: ProviderMetadata | undefined): ProviderMetadata | undefined {
  const returned = Object.entries(metadata ?? {}).flatMap(([name, values]) => {
    const own = Object.entries(values).filter(
      ([key, value]) => RETURNED[name]?.includes(key) && value != null,
    );
    return own.length > 0 ? [[name, Object.fromEntries(own)]] : [];
  });
  return returned.length > 0 ? Object.fromEntries(returned) : undefined;
}

type Piece = KeptStep["parts"][number];

/** OpenAI names each item; a name says nothing without the thoughts before it. */
const isSigned = ({ kind, metadata }: Piece): boolean =>
  Object.keys(metadata).some((name) => kind === "reasoning" || name !== "openai");

/** Characters of reasoning from which on a step's isn't kept: an endless stream must not fill memory. */
const MAX_REASONING = 2_000_000;

/** Collects what a provider wants to see again of a step, whose parts have the order in which they began. */
export class StepStateCollector {
  readonly #pieces: Piece[] = [];
  /** The last part of each kind and id, since adapters use an id again. */
  readonly #open = new Map<string, Piece>();
  #message: ProviderMetadata | undefined;
  #reasoning = 0;

  take(part: ChatModelPart): void {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#begin(part.type === "text-start" ? "text" : "reasoning", part.id, part.providerMetadata);
        break;
      case "text-delta":
      case "text-end":
        this.#note("text", part.id, part.providerMetadata);
        break;
      case "reasoning-delta":
        this.#note("reasoning", part.id, part.providerMetadata, part.delta);
        break;
      case "reasoning-end":
        this.#note("reasoning", part.id, part.providerMetadata);
        break;
      case "tool-input-start":
        this.#begin("tool", part.id, part.providerMetadata);
        break;
      case "tool-call":
        if (part.providerExecuted) break;
        if (!this.#open.has(`tool ${part.toolCallId}`)) this.#begin("tool", part.toolCallId, undefined);
        this.#note("tool", part.toolCallId, part.providerMetadata);
        break;
      case "finish":
        this.#message = toReturn(part.providerMetadata);
        break;
      default:
        break;
    }
  }

  /** A response in one piece. */
  takeWhole({ content, providerMetadata }: ChatModelResult): void {
    for (const [at, part] of content.entries()) {
      if (part.type === "text" || part.type === "reasoning") {
        this.#begin(part.type, String(at), part.providerMetadata);
        if (part.type === "reasoning") this.#note("reasoning", String(at), undefined, part.text);
      } else if (part.type === "tool-call" && !part.providerExecuted)
        this.#begin("tool", part.toolCallId, part.providerMetadata);
    }
    this.#message = toReturn(providerMetadata);
  }

  /** Undefined for a step that its provider needn't see but as text and calls. */
  state(step: number, writer: string): StepState | undefined {
    if (!this.#isKept || !(this.#isSigned || this.#pieces.some(({ kind }) => kind === "reasoning")))
      return undefined;
    const noted = this.#pieces.flatMap(({ metadata }, at) =>
      Object.keys(metadata).length > 0 ? [[at, metadata]] : [],
    );
    const message = this.#message;
    return { step, writtenBy: writer, parts: Object.fromEntries(noted), ...(message && { message }) };
  }

  /** For a program, which brings it along with its next call; undefined without anything that a provider signed. */
  kept(writer: string): KeptStep | undefined {
    if (!this.#isKept || !this.#isSigned) return undefined;
    const message = this.#message;
    return { writtenBy: writer, parts: this.#pieces, ...(message && { message }) };
  }

  get #isKept(): boolean {
    return this.#reasoning <= MAX_REASONING;
  }

  get #isSigned(): boolean {
    return this.#message !== undefined || this.#pieces.some(isSigned);
  }

  #begin(kind: Piece["kind"], id: string, metadata: ProviderMetadata | undefined): void {
    const piece = { kind, id, text: "", metadata: toReturn(metadata) ?? {} };
    this.#pieces.push(piece);
    this.#open.set(`${kind} ${id}`, piece);
  }

  #note(kind: Piece["kind"], id: string, metadata: ProviderMetadata | undefined, text = ""): void {
    const piece = this.#open.get(`${kind} ${id}`);
    if (!piece) return;
    this.#reasoning += text.length;
    if (this.#isKept) piece.text += text;
    for (const [name, own] of Object.entries(toReturn(metadata) ?? {}))
      piece.metadata = { ...piece.metadata, [name]: { ...piece.metadata[name], ...own } };
  }
}

const PREFIX = "qd1.";
/** Maximum number of JSON values in a step that a program sends back, since reading more blocks the event loop. */
const MAX_VALUES = 100_000;

/** A step as text that a program hands back unread, as it does with any provider's encrypted thoughts. */
export const packStep = (kept: KeptStep): string =>
  PREFIX + Buffer.from(JSON.stringify(kept)).toString("base64url");

/** Undefined for what isn't ours. */
export function unpackStep(text: unknown): KeptStep | undefined {
  if (typeof text !== "string" || !text.startsWith(PREFIX)) return undefined;
  try {
    const value = parseJson(Buffer.from(text.slice(PREFIX.length), "base64url").toString(), MAX_VALUES);
    return KeptStep.safeParse(value).data;
  } catch {
    // Cut off by the program: without it the model begins to think from the start.
    return undefined;
  }
}

/**
 * A program's message with what it brought along, of which only what a provider wants to see again is taken. Parts that it
 * left out or changed stay as it sent them.
 */
export function withKeptStep(content: AssistantMessage["content"], kept: KeptStep): AssistantMessage {
  const waiting = new Map<string, (typeof content)[number][]>();
  for (const part of content) {
    const key = part.type === "tool-call" ? `tool ${part.toolCallId}` : part.type;
    const same = waiting.get(key);
    if (same) same.push(part);
    else waiting.set(key, [part]);
  }
  const taken = new Set<(typeof content)[number]>();
  const own = kept.parts.flatMap(({ kind, id, text, metadata }): AssistantMessage["content"] => {
    const providerOptions = toReturn(metadata) ?? {};
    if (kind === "reasoning") return [{ type: "reasoning", text, providerOptions }];
    const part = waiting.get(kind === "text" ? kind : `${kind} ${id}`)?.shift();
    if (!part) return [];
    taken.add(part);
    return [{ ...part, providerOptions }];
  });
  const rest = content.filter((part) => !taken.has(part));
  const options = writtenBy(kept.writtenBy, toReturn(kept.message));
  return { role: "assistant", content: [...own, ...rest], providerOptions: options };
}

/** @param owner the provider's id; its type, where any key of it understands what it signed */
export const writerName = (owner: string, modelId: string): string => `${owner}/${modelId}`;

/** Marks a message of a prompt with who wrote it (`RouteTarget.writtenBy`). */
export const writtenBy = (name: string, metadata: ProviderMetadata = {}): ProviderMetadata => ({
  ...metadata,
  console: { writtenBy: name },
});

/** A message as any model takes it: text, files and calls. */
function plain({ role, content }: AssistantMessage): AssistantMessage[] {
  const parts = content.flatMap((part) => {
    if (part.type === "reasoning") return [];
    const { providerOptions: _, ...rest } = part;
    return [rest as typeof part];
  });
  return parts.length > 0 ? [{ role, content: parts }] : [];
}

/**
 * Gives a model back what it wrote itself, reasoning and signatures, and of other models' messages text and calls alone:
 * providers refuse what they haven't signed.
 * @param name `RouteTarget.writtenBy`
 */
export const withOwnSteps = (model: ChatModel, name: string): ChatModel =>
  withCalls(model, (call) => ({
    ...call,
    prompt: call.prompt.flatMap((message): LanguageModelV3Message[] => {
      if (message.role !== "assistant") return [message];
      return message.providerOptions?.console?.writtenBy === name ? [message] : plain(message);
    }),
  }));
