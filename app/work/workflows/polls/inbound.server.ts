import { z } from "zod";
import type { Feed } from "~/core/parse-feed";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import type { Json } from "../steps/step-type";
import type { InboundTask, ReadInbound, ReadMail } from "./inbound.schema";

export interface PollContext {
  orgId: string;
  /** Runs that may start now; what is more waits for the next check. */
  limit: number;
  signal: AbortSignal;
}

/** What a check found: a run to start, and the state to keep once it has started. */
export interface Polled {
  start?: {
    /** The same each time that it is found, unique within the trigger. */
    key: string;
    payload: Record<string, Json>;
    /** For the run, which gets them as `files`. */
    files?: readonly { name: string; type: string; bytes: Uint8Array }[];
  };
  state?: unknown;
}

const reader = new ProcessPool<InboundTask, ReadInbound>({
  name: "read-inbound",
  entry: bundledWorker("inbound"),
  // Made by our own process, which bounds its texts.
  output: z.custom<ReadInbound>((value) => typeof value === "object" && value !== null),
  size: 1,
  timeoutMs: 20_000,
  memoryMb: () => 384,
  tooLarge: "Reading it needs too much memory.",
  tooLong: "Reading it took longer than 20 seconds.",
});

/**
 * @throws AppError `unprocessable` for what isn't a feed, `invalid` for a message that can't be read; `unavailable`
 * beyond the limits
 */
export async function readInbound<K extends InboundTask["kind"]>(
  task: Extract<InboundTask, { kind: K }>,
  signal: AbortSignal,
): Promise<K extends "feed" ? Feed : ReadMail> {
  return (await reader.run(task, signal)) as K extends "feed" ? Feed : ReadMail;
}
