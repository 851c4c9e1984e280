import { AppError } from "~/core/errors";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import type { ProtocolName } from "../protocols/index";
import type { Envelope } from "../protocols/protocol";
import { inspect } from "./inspect";
import {
  hasVectorArrays,
  type NonStreamingResponse,
  readNonStreamingResponse,
} from "./non-streaming-response";
import { countValues } from "./splice";
import { BodyResult, type BodyTask } from "./worker-task";

/** Bytes above which a body is parsed in a thread, as streams share the event loop. */
const MAX_INLINE_BYTES = 64 * 1024;
/** Bytes up to which the number of values decides: many small parts take longer than much text. */
const MAX_COUNTED_BYTES = 256 * 1024;
const MAX_INLINE_VALUES = 3000;

const pool = new WorkerPool<BodyTask, BodyResult>({
  name: "gateway-body",
  entry: bundledWorker("gateway-body"),
  output: BodyResult,
  size: 1,
  timeoutMs: 10_000,
  maxHeapMb: 512,
  maxQueue: 50,
});

export interface CallBody {
  envelope: Envelope;
  size: number;
  /** The body for a provider of the same protocol, with its model id. */
  forModel(modelId: string): string | Uint8Array<ArrayBuffer>;
  /** The parsed request, for a translation. */
  readRequest(signal: AbortSignal): Promise<unknown>;
}

async function runInWorker<K extends BodyResult["kind"]>(
  input: BodyTask,
  kinds: readonly K[],
  signal: AbortSignal,
): Promise<Extract<BodyResult, { kind: K }>> {
  const output = await pool.run(input, signal);
  if (output.kind === "refused") throw new AppError(output.code, output.message, { fields: output.fields });
  const isExpected = (one: BodyResult): one is Extract<BodyResult, { kind: K }> =>
    kinds.some((kind) => kind === one.kind);
  if (isExpected(output)) return output;
  throw new AppError("internal", "A worker sent an invalid response.");
}

/** True if parsing a body blocks the event loop for a few ms at most. */
function canParseInline(bytes: Uint8Array): boolean {
  if (bytes.byteLength <= MAX_INLINE_BYTES) return true;
  if (bytes.byteLength > MAX_COUNTED_BYTES) return false;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return countValues(text) <= MAX_INLINE_VALUES;
}

async function readLarge(protocol: ProtocolName, bytes: Uint8Array, signal: AbortSignal): Promise<CallBody> {
  const { envelope, pieces } = await runInWorker(
    { work: "check", protocol, bytes, inBase64: false },
    ["checked"],
    signal,
  );
  return {
    envelope,
    size: bytes.byteLength,
    forModel: (modelId) => {
      const id = Buffer.from(JSON.stringify(modelId));
      return Buffer.concat(pieces.flatMap((piece, index) => (index > 0 ? [id, piece] : [piece])));
    },
    readRequest: async (stop) => {
      const { request } = await runInWorker(
        { work: "request", protocol, bytes, inBase64: false },
        ["request"],
        stop,
      );
      return request;
    },
  };
}

/**
 * Validates a body for passing on or translation.
 * @throws AppError `invalid` with `fields`, `too_large`; `unavailable` on overload
 */
export async function readCallBody(
  protocol: ProtocolName,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<CallBody> {
  if (!canParseInline(bytes)) return readLarge(protocol, bytes, signal);
  const { envelope, request, pieces } = inspect(protocol, bytes);
  return {
    envelope,
    size: bytes.byteLength,
    forModel: (modelId) => pieces.join(JSON.stringify(modelId)),
    readRequest: async () => request,
  };
}

/**
 * Reads a provider's non-streaming response. A large one is passed on even if there is no time to parse it; only its
 * usage stays unknown.
 * @param inBase64 true to return vectors as base64
 */
export async function readResponse(
  protocol: ProtocolName,
  bytes: Uint8Array,
  inBase64: boolean,
  signal: AbortSignal,
): Promise<NonStreamingResponse> {
  if (canParseInline(bytes)) return readNonStreamingResponse(protocol, bytes, inBase64);
  try {
    const input = { work: "response" as const, protocol, bytes, inBase64 };
    const response = await runInWorker(input, ["response", "error", "broken"], signal);
    return response.kind === "response" ? { ...response, body: response.body ?? bytes } : response;
  } catch (error) {
    const unread = error instanceof AppError && error.code === "unavailable" && !signal.aborted;
    if (!unread || (inBase64 && hasVectorArrays(bytes))) throw error;
    return { kind: "response", usage: {}, body: bytes };
  }
}
