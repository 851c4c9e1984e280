import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import {
  IMAGE_LEFT_OUT,
  imagesIn,
  MAX_MADE_IMAGES,
  type MadeImage,
  sourcesIn,
} from "~/ai/models/beside-text.schema";
import {
  type CallHooks,
  type OutputLimit,
  type ResolvedModel,
  type RouteTarget,
  StepStateCollector,
  type Wait,
} from "~/ai/models/models.service.server";
import { writtenName } from "~/ai/models/wire-names.service.server";
import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import type { ResultFile } from "~/ai/tools/files/result-files.shared";
import { AppError } from "~/core/errors";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { fileChunk } from "./begun-answer";
import { readToolInput } from "./prompt.server";

export function timeReasoning(emit: (chunk: StreamChunk) => void): (chunk: StreamChunk) => void {
  const begun = new Map<string, number>();
  return (chunk) => {
    if (chunk.type === "reasoning-start") begun.set(chunk.id, performance.now());
    const start = chunk.type === "reasoning-end" ? begun.get(chunk.id) : undefined;
    if (chunk.type !== "reasoning-end" || start === undefined) return emit(chunk);
    const durationMs = Math.round(performance.now() - start);
    emit({ ...chunk, providerMetadata: { console: { durationMs } } });
  };
}

/** After which silence an answer says what it waits for, in ms. */
const SAID_AFTER = 10_000;

const others = (count: number) => (count === 1 ? "another call" : `${count} other calls`);

function inWords(wait: Wait): string {
  const { provider } = wait;
  if ("before" in wait)
    return wait.before > 0
      ? `Waiting for ${others(wait.before)} at ${provider}…`
      : `Waiting for its turn at ${provider}…`;
  return wait.isLoading
    ? `Waiting for ${provider}, which loads the model first…`
    : `Waiting for ${provider} to answer…`;
}

/** Emits what a step waits for, once that takes long. */
class Patience {
  #timer: NodeJS.Timeout | undefined;
  readonly #since = performance.now();

  constructor(private readonly emit: (chunk: StreamChunk) => void) {}

  waitFor(wait: Wait): void {
    clearTimeout(this.#timer);
    const say = () => this.emit({ type: "data-waiting", data: { text: inWords(wait) }, transient: true });
    this.#timer = setTimeout(say, Math.max(0, SAID_AFTER - (performance.now() - this.#since)));
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

export interface RequestedCall {
  toolCallId: string;
  toolName: string;
  input: unknown;
  /** The input wasn't JSON, or the tool wasn't offered. */
  error?: string;
}

/** Filled as parts arrive, so that it has the figures before a failure. */
export interface StepOutcome {
  calls: RequestedCall[];
  usage?: LanguageModelV3Usage;
  finishReason?: LanguageModelV3FinishReason["unified"];
  firstTokenMs: number | null;
  target?: RouteTarget;
  limit?: OutputLimit | undefined;
  /** That the model made. */
  images: number;
}

export const newStep = (): StepOutcome => ({ calls: [], firstTokenMs: null, images: 0 });

interface StepOptions {
  model: ResolvedModel;
  call: Pick<LanguageModelV3CallOptions, "prompt" | "tools" | "providerOptions" | "abortSignal">;
  toolNames: ReadonlyMap<string, string>;
  emit: (chunk: StreamChunk) => void;
  route: RouteRecord;
  /** The number of the running step, which makes part ids unique within the answer. */
  countSteps: () => number;
  /** Searches in the model's place where it takes no tools, as a step of its own. */
  withoutTools?: CallHooks["withoutTools"];
  /** Stores an image that the model made; undefined if it can't be stored, or isn't one. */
  keepImage(bytes: Buffer, number: number): Promise<ResultFile | undefined>;
}

/** As Markdown at the end of the text: definitions make its [1] a link. */
function notesOf(sources: readonly string[], isImageLost: boolean): string {
  const links = sources.flatMap((url, at) =>
    /^https?:/.test(url) && URL.canParse(url) ? [`[${at + 1}]: <${new URL(url).href}>`] : [],
  );
  return (isImageLost ? IMAGE_LEFT_OUT : "") + (links.length > 0 ? `\n\n${links.join("\n")}` : "");
}

/** Output limit of a call in characters, so that an endless stream can't fill the disk. */
const STEP_LIMIT = 2_000_000;

/** Calls the model once. @throws what the provider throws, after emitting the text received so far */
export async function streamStep(
  outcome: StepOutcome,
  { model, call, toolNames, emit: send, route, countSteps, withoutTools, keepImage }: StepOptions,
): Promise<void> {
  const patience = new Patience(send);
  const emit = timeReasoning((chunk) => {
    patience.end();
    send(chunk);
  });
  const started = performance.now();
  const { stream, target, usage, limit } = await model
    .open(call, route, { onWait: (wait) => patience.waitFor(wait), ...(withoutTools && { withoutTools }) })
    .finally(() => patience.end());
  Object.assign(outcome, { target, limit });
  const stepNumber = countSteps();
  const open = new Map<string, "text" | "reasoning">();
  const announced = new Set<string>();
  const state = new StepStateCollector();
  const toolNameOf = (name: string) => toolNames.get(name) ?? writtenName(name);
  let length = 0;
  /** The last text, whose end waits for what is said beside it. */
  let ending: string | undefined;

  const end = (id: string, kind: "text" | "reasoning") => {
    open.delete(id);
    emit({ type: `${kind}-end`, id });
  };

  const takeNotes = (notes: string) => {
    const id = ending ?? `${stepNumber}:notes`;
    if (ending === undefined) {
      open.set(id, "text");
      emit({ type: "text-start", id });
    }
    emit({ type: "text-delta", id, delta: ending === undefined ? notes.trimStart() : notes });
    end(id, "text");
    ending = undefined;
  };

  let isImageLost = false;
  const takeImage = async ({ base64 }: MadeImage) => {
    outcome.firstTokenMs ??= performance.now() - started;
    outcome.images += 1;
    const file =
      outcome.images > MAX_MADE_IMAGES
        ? undefined
        : await keepImage(Buffer.from(base64, "base64"), outcome.images);
    if (file) emit(fileChunk(file));
    else isImageLost = true;
  };

  const takeCall = (part: Extract<LanguageModelV3StreamPart, { type: "tool-call" }>) => {
    const toolName = toolNameOf(part.toolName);
    const parsed = readToolInput(part.input);
    const base = { toolCallId: part.toolCallId, toolName, input: parsed.input };
    const error = !toolNames.has(part.toolName)
      ? `The tool "${toolName}" isn't available in this conversation.`
      : parsed.ok
        ? undefined
        : "The input is not valid JSON.";
    if (!announced.has(part.toolCallId)) {
      announced.add(part.toolCallId);
      emit({ type: "tool-input-start", toolCallId: part.toolCallId, toolName });
    }
    if (error) emit({ type: "tool-input-error", ...base, errorText: error });
    else emit({ type: "tool-input-available", ...base });
    outcome.calls.push(error ? { ...base, error } : base);
  };

  const take = async (part: LanguageModelV3StreamPart) => {
    state.take(part);
    if (ending !== undefined && part.type !== "finish") {
      end(ending, "text");
      ending = undefined;
    }
    for (const image of imagesIn(part)) await takeImage(image);
    const id = "id" in part && typeof part.id === "string" ? `${stepNumber}:${part.id}` : "";
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        open.set(id, part.type === "text-start" ? "text" : "reasoning");
        emit({ type: part.type, id });
        break;
      case "text-delta":
      case "reasoning-delta":
        if (part.delta === "") break;
        outcome.firstTokenMs ??= performance.now() - started;
        length += part.delta.length;
        emit({ type: part.type, id, delta: part.delta });
        break;
      case "text-end":
        ending = id;
        break;
      case "reasoning-end":
        end(id, "reasoning");
        break;
      case "tool-input-start":
        outcome.firstTokenMs ??= performance.now() - started;
        announced.add(part.id);
        emit({ type: "tool-input-start", toolCallId: part.id, toolName: toolNameOf(part.toolName) });
        break;
      case "tool-input-delta":
        length += part.delta.length;
        emit({ type: "tool-input-delta", toolCallId: part.id, inputTextDelta: part.delta });
        break;
      case "tool-call":
        if (!part.providerExecuted) takeCall(part);
        break;
      case "finish": {
        outcome.usage = part.usage;
        outcome.finishReason = part.finishReason.unified;
        const notes = notesOf(sourcesIn(part), isImageLost);
        if (notes) takeNotes(notes);
        break;
      }
      case "error":
        throw part.error;
      default:
        break;
    }
    if (length > STEP_LIMIT) {
      throw new AppError(
        "provider_rejected",
        "The answer was cut off: the provider sent more than 2 million characters.",
      );
    }
  };

  try {
    for (let part = await stream.read(); part; part = await stream.read()) await take(part);
  } finally {
    // Also on an error, to close the provider's connection.
    stream.cancel();
    outcome.usage ??= usage();
    for (const [id, kind] of open) emit({ type: `${kind}-end`, id });
  }
  const data = state.state(stepNumber, target.writtenBy);
  if (data) emit({ type: "data-step-state", data, transient: true });
}
