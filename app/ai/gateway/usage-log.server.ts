import { AsyncLocalStorage } from "node:async_hooks";
import { type ModelCall, recordCall } from "~/ai/models/pricing.service.server";
import type { Actor } from "~/core/actor";
import { runLater } from "~/core/background.server";
import { groupedTransaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { isStorageFault } from "~/core/storage-faults.server";

/** Delay before a flush (ms), so that several calls share one commit. */
const FLUSH_DELAY = 50;
/** Delay before records that a full disk or a damaged database refused are written again, in ms. */
const RETRY_DELAY = 5000;
/** Of those, kept at most. */
const MAX_REFUSED = 10_000;

interface Entry {
  actor: Pick<Actor, "orgId" | "userId" | "tokenId">;
  input: ModelCall;
  /** Runs work as the call does: an entry is written in the turn of another. */
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

let pending: Entry[] = [];
let timer: NodeJS.Timeout | undefined;
const writing = new Set<Promise<void>>();

function flush(): void {
  timer = undefined;
  const entries = pending;
  pending = [];
  for (const entry of entries) {
    const record = () => groupedTransaction((tx) => recordCall(tx, entry.actor, entry.input));
    const written: Promise<void> = entry
      .inContext(record)
      .then(
        () => undefined,
        (error: unknown) => keepRefused(entry, error),
      )
      .finally(() => writing.delete(written));
    writing.add(written);
  }
}

function keepRefused(entry: Entry, error: unknown): void {
  log.error("a call's usage was not recorded", { error, model: entry.input.model });
  // What fails by itself would fail again.
  if (!isStorageFault(error) || pending.length >= MAX_REFUSED) return;
  pending.push(entry);
  timer ??= runLater("the usage of calls", RETRY_DELAY, flush);
}

/** Records usage without blocking the response. */
export function queueUsage(actor: Entry["actor"], input: ModelCall): void {
  pending.push({ actor, input, inContext: AsyncLocalStorage.snapshot() });
  timer ??= runLater("the usage of calls", FLUSH_DELAY, flush);
}

export async function flushUsageLog(): Promise<void> {
  clearTimeout(timer);
  flush();
  await Promise.all(writing);
}
