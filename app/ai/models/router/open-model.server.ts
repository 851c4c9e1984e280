import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { readSettings } from "~/platform/settings/read-settings.service.server";
import { ExplainedStream } from "../explained-stream.server";
import type { ChatModelCall, ChatModelPart, PartStream } from "../language-model";
import { MalformedResponse } from "../provider-errors.server";
import { PartReader, unwrapModel } from "../well-formed-model.server";
import type { Routed, RouteRequest } from "./attempts.server";
import { routeCall } from "./route-call.server";
import {
  type CallSize,
  type CallTokens,
  DEFAULT_OUTPUT_TOKENS,
  tokensIn,
  tokensInBytes,
} from "./spending.server";
import type { RouteTarget } from "./targets.server";

const IMAGE_TOKENS = 1000;

/** Estimates a call's tokens. */
function sizeOf({ prompt, tools, maxOutputTokens }: ChatModelCall): CallSize {
  const texts = tools ? [JSON.stringify(tools)] : [];
  let files = 0;
  for (const { content } of prompt) {
    if (typeof content === "string") texts.push(content);
    else
      for (const part of content) {
        if (part.type === "text" || part.type === "reasoning") texts.push(part.text);
        else if (part.type === "file") files += 1;
        else texts.push(JSON.stringify(part));
      }
  }
  return {
    input: tokensIn(...texts) + files * IMAGE_TOKENS,
    output: maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
  };
}

/** Collects usage from a stream's parts. */
class TokenCounter {
  private bytes = 0;
  tokens: CallTokens | undefined;

  get estimatedOutput(): number {
    return tokensInBytes(this.bytes);
  }

  take(part: ChatModelPart): void {
    if (part.type === "text-delta" || part.type === "reasoning-delta" || part.type === "tool-input-delta")
      this.bytes += Buffer.byteLength(part.delta);
    if (part.type !== "finish") return;
    const { inputTokens: input, outputTokens: output } = part.usage;
    const { cacheRead, cacheWrite } = input;
    this.tokens = { input: input.total, output: output.total, cacheRead, cacheWrite };
  }
}

/** OpenAI's API rejects other temperatures for these models. */
const FIXED_TEMPERATURE = /(^|\/)(gpt-[5-9]|o[1-9])/i;

/**
 * Applies the organization's default length and temperature to a call. Used by chat, personas, comparisons and workflow
 * steps; calls to `/v1` keep their own.
 *
 * @param modelId the provider's id of the model, since a fallback may be of another family
 */
function withGenerationDefaults(orgId: string, modelId: string, call: ChatModelCall): ChatModelCall {
  const { maxTokens, temperature } = readSettings(orgId, "ai");
  return {
    ...call,
    maxOutputTokens: call.maxOutputTokens ?? maxTokens,
    ...(FIXED_TEMPERATURE.test(modelId) ? {} : { temperature: call.temperature ?? temperature }),
  };
}

export interface OpenedModel {
  target: RouteTarget;
  /** All parts; later failures are `error` parts with a message for the user. */
  stream: PartStream;
}

/** Content parts: after the first there are no retries. */
const CONTENT_PARTS = new Set<ChatModelPart["type"]>([
  "text-delta",
  "reasoning-delta",
  "tool-input-start",
  "tool-call",
  "file",
]);
/** Maximum parts before the first token. */
const MAX_PARTS_BEFORE_TEXT = 1000;

interface OpenedStream {
  /** From the first part on. */
  reader: PartReader;
  firstTokenMs: number;
}

async function readToFirstToken(target: RouteTarget, call: ChatModelCall): Promise<OpenedStream> {
  const model = unwrapModel(await target.languageModel());
  const started = performance.now();
  const { stream, response } = await model.doStream(call);
  if (/^application\/json\b/i.test(response?.headers?.["content-type"] ?? "")) {
    await stream.cancel();
    throw new MalformedResponse();
  }
  const reader = new PartReader(stream);
  const parts: ChatModelPart[] = [];
  try {
    for (let part = await reader.read(); part; part = await reader.read()) {
      parts.push(part);
      if (part.type === "finish" || CONTENT_PARTS.has(part.type)) break;
      if (parts.length > MAX_PARTS_BEFORE_TEXT) throw new MalformedResponse();
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error;
  }
  reader.unread(parts);
  return { reader, firstTokenMs: performance.now() - started };
}

/**
 * Finds a provider for a stream. Fallback ends with the first token; later failures are `error` and `finish` parts.
 * @throws AppError for the user; the signal's reason
 */
export async function openModel(
  request: RouteRequest,
  record: RouteRecord,
  call: ChatModelCall,
): Promise<OpenedModel> {
  const signal = request.signal;
  const { orgId } = request.actor;
  const size = (target: RouteTarget) => sizeOf(withGenerationDefaults(orgId, target.modelId, call));
  const routed: Routed<OpenedStream> = await routeCall({ size, ...request }, record, (target) => {
    const complete = withGenerationDefaults(orgId, target.modelId, call);
    return readToFirstToken(target, signal ? { ...complete, abortSignal: signal } : complete);
  });
  const { target, value, receive, end } = routed;
  const counter = new TokenCounter();
  const errorTarget = { provider: target.displayName, model: target.modelId };
  const stream = new ExplainedStream(value.reader, errorTarget, {
    take(part) {
      counter.take(part);
      receive(counter.estimatedOutput);
    },
    end: (result) => {
      const stopped = signal?.aborted || result.outcome === "stopped";
      end({
        ...result,
        outcome: stopped ? "stopped" : result.outcome,
        firstTokenMs: value.firstTokenMs,
        tokens: counter.tokens,
        estimatedOutput: counter.estimatedOutput,
      });
    },
  });
  return { target, stream };
}
