import { AppError } from "~/core/errors";
import type { ChatModel, ChatModelCall, ChatModelPart, ChatModelResult } from "../language-model";

/** In characters: each piece of an answer is compared with all of them. */
const MAX_LENGTH = 1000;

/** As Anthropic's adapter says which sequence ended an answer. */
const STOPPED = { unified: "stop", raw: "stop_sequence" } as const;
const said = (stop: string) => ({ anthropic: { stopSequence: stop } });

/** Where the text ends, and by which sequence: the first one in it. */
function findStop(text: string, stops: readonly string[]): { at: number; stop: string } | undefined {
  let found: { at: number; stop: string } | undefined;
  for (const stop of stops) {
    const at = text.indexOf(stop);
    if (at >= 0 && (!found || at < found.at)) found = { at, stop };
  }
  return found;
}

/** From where on the text may be the beginning of a sequence. */
function beginningOf(text: string, stops: readonly string[], longest: number): number {
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
    const end = text.slice(at);
    if (stops.some((stop) => stop.startsWith(end))) return at;
  }
  return text.length;
}

class CutParts {
  readonly #longest: number;
  /** What may be the beginning of a sequence, by the id of its text. */
  readonly #waiting = new Map<string, string>();
  #stop: string | undefined;

  constructor(private readonly stops: readonly string[]) {
    this.#longest = Math.max(...stops.map(({ length }) => length));
  }

  take(part: ChatModelPart): ChatModelPart[] {
    if (this.#stop !== undefined) return this.#afterwards(part, this.#stop);
    if (part.type === "text-delta") return this.#text(part);
    if (part.type !== "text-end") return [part];
    const delta = this.#waiting.get(part.id);
    this.#waiting.delete(part.id);
    return delta ? [{ type: "text-delta", id: part.id, delta }, part] : [part];
  }

  #text(part: Extract<ChatModelPart, { type: "text-delta" }>): ChatModelPart[] {
    const text = (this.#waiting.get(part.id) ?? "") + part.delta;
    const found = findStop(text, this.stops);
    const until = found?.at ?? beginningOf(text, this.stops, this.#longest);
    const delta: ChatModelPart[] = until > 0 ? [{ ...part, delta: text.slice(0, until) }] : [];
    this.#waiting.set(part.id, text.slice(until));
    if (!found) return delta;
    this.#stop = found.stop;
    return [...delta, { type: "text-end", id: part.id }];
  }

  /** The rest of the answer is read for its usage alone: what isn't read is paid for and not reported. */
  #afterwards(part: ChatModelPart, stop: string): ChatModelPart[] {
    if (part.type === "finish")
      return [
        {
          ...part,
          // An answer that was broken off isn't whole, also in the part that isn't shown.
          finishReason: part.finishReason.unified === "error" ? part.finishReason : STOPPED,
          providerMetadata: { ...part.providerMetadata, ...said(stop) },
        },
      ];
    return part.type === "error" || part.type === "response-metadata" ? [part] : [];
  }
}

function cutStream(source: ReadableStream<ChatModelPart>, stops: readonly string[]) {
  const reader = source.getReader();
  const parts = new CutParts(stops);
  return new ReadableStream<ChatModelPart>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          const taken = parts.take(value);
          for (const part of taken) controller.enqueue(part);
          if (taken.length > 0) return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function cutResult(result: ChatModelResult, stops: readonly string[]): ChatModelResult {
  for (const [index, part] of result.content.entries()) {
    const found = part.type === "text" ? findStop(part.text, stops) : undefined;
    if (!found || part.type !== "text") continue;
    const last = { ...part, text: part.text.slice(0, found.at) };
    return {
      ...result,
      content: [...result.content.slice(0, index), last],
      finishReason: STOPPED,
      providerMetadata: { ...result.providerMetadata, ...said(found.stop) },
    };
  }
  return result;
}

/** A model that has no stop sequences: its answers are cut here, as the others cut theirs. */
export function cuttingAtStops(model: ChatModel): ChatModel {
  const split = ({ stopSequences = [], ...call }: ChatModelCall) => {
    if (stopSequences.some(({ length }) => length > MAX_LENGTH))
      throw new AppError(
        "invalid",
        `Use stop sequences of at most ${MAX_LENGTH} characters with this model.`,
      );
    return { call, stops: stopSequences.filter((stop) => stop !== "") };
  };
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(given) {
      const { call, stops } = split(given);
      const result = await model.doGenerate(call);
      return stops.length > 0 ? cutResult(result, stops) : result;
    },
    async doStream(given) {
      const { call, stops } = split(given);
      const result = await model.doStream(call);
      return stops.length > 0 ? { ...result, stream: cutStream(result.stream, stops) } : result;
    },
  };
}
