import type {
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import type { ModelKind } from "~/ai/models/models.schema";
import type { CallSize, RouteTarget } from "~/ai/models/models.service.server";
import type { CallDetails } from "~/core/telemetry.server";
import type { ErrorFormat, StreamProgress } from "./errors";
import type { SupportedUrls } from "./prompt";
import type { FrameKind, ReadFrame } from "./sse-frames";
import type { TokenCounts, WireUsage } from "./wire-usage";

/** The part of a request that the gateway reads, independent of its protocol. */
export interface Envelope {
  model: string;
  stream: boolean;
  /** Members to set for a provider that speaks the caller's protocol, as JSON. */
  changes: Record<string, string>;
  /** True if the caller requested the usage frame, which the gateway always requests. */
  showsUsage: boolean;
  /** True if the caller requested base64 vectors. Not every provider supports them. */
  inBase64: boolean;
  maxOutput?: number | undefined;
}

export interface CheckedRequest {
  envelope: Envelope;
  request: unknown;
}

/** A checked request with the envelope that most protocols share; `own` overrides parts of it. */
export function toChecked(
  request: { model: string; stream?: boolean | null | undefined },
  own: Partial<Envelope> = {},
): CheckedRequest {
  const { model, stream } = request;
  const shared = { model, stream: stream === true, showsUsage: true, inBase64: false, changes: {} };
  return { request, envelope: { ...shared, ...own } };
}

/** Builds the frames of a streamed response; `end` returns what follows the last part. */
export interface FrameMaker {
  take(part: LanguageModelV3StreamPart): string;
  /** The packed step, which the caller hands back with its next call; before the finish part. */
  keep(packed: string): string;
  end(): string;
  /** Absent where errors don't repeat it. */
  progress?(): StreamProgress;
}

export interface Translation {
  /**
   * @param request checked by the protocol's `check`
   * @throws AppError `invalid` for what the adapter can't express
   */
  toCall(request: unknown, supported: SupportedUrls): LanguageModelV3CallOptions;
  /** Members of the protocol by the adapters' name of the setting, where one isn't just the other's spelling. */
  members: Readonly<Record<string, string>>;
  stream(checked: CheckedRequest): FrameMaker;
  /** @param packed the step, as in a stream */
  toResponse(checked: CheckedRequest, result: LanguageModelV3GenerateResult, packed?: string): unknown;
}

export interface StreamFormat {
  /** A frame without content that keeps a silent stream open; a comment by default. */
  heartbeat?: string;
  classify(frame: ReadFrame): FrameKind;
  /** True if the response is complete although the stream's end marker may not follow. */
  endsResponse?(frame: ReadFrame): boolean;
  /** A frame with the usage, for a caller who asked for one that its provider doesn't send. */
  usageFrame?(details: CallDetails, usage: { inputTokens: number; outputTokens: number }): string;
  /** What a frame says of the progress; absent where errors don't repeat it. */
  progressOf?(frame: ReadFrame): StreamProgress;
}

/** A protocol that callers speak: a file here and a line in the registry. */
export interface Protocol {
  kind: ModelKind;
  /**
   * Checks what every provider would reject, and reads the envelope.
   *
   * @throws AppError `invalid` whose `fields` name the position, `too_large`
   */
  check(body: unknown): CheckedRequest;
  /** The list that every successful non-streaming response has. */
  resultMember: string;
  countTokens(usage: NonNullable<WireUsage>): TokenCounts;
  /** Search units that a call will likely use, before it is made. @param request as `check` returned it */
  searchUnitsOf?(request: unknown): number;
  /** What a call will likely use, where its body's length doesn't say that. @param request as above */
  sizeOf?(request: unknown): CallSize;
  /** What of a response's body is counted beside its usage. */
  countBody?(body: unknown): TokenCounts;
  errors: ErrorFormat;
  /** Request headers that a provider with the same protocol receives too. */
  passedHeaders: readonly string[];
  /** Absent where nothing is streamed. */
  stream?: StreamFormat;
  /** Absent where only a provider with the same protocol can serve the call. */
  translation?: Translation;
  /**
   * Calls a provider that serves the protocol in a shape of its own; absent where bytes pass through.
   *
   * @returns the response's body
   */
  answer?(target: RouteTarget, checked: CheckedRequest, signal: AbortSignal): Promise<object>;
}
