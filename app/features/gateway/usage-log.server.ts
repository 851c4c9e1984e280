import type { Actor } from "~/core/actor";
import { runLater } from "~/core/background.server";
import { groupedTransaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { recordUsage, type UsageInput } from "~/features/usage/usage.service.server";

/** Delay before a flush (ms), so that several calls share one commit. */
const FLUSH_DELAY = 50;

interface Entry {
  actor: Pick<Actor, "orgId" | "userId" | "requestId">;
  input: UsageInput;
}

let pending: Entry[] = [];
let timer: NodeJS.Timeout | undefined;
const writing = new Set<Promise<void>>();

function flush(): void {
  timer = undefined;
  const entries = pending;
  pending = [];
  for (const { actor, input } of entries) {
    const written: Promise<void> = groupedTransaction((tx) => recordUsage(tx, actor, input), {
      inThread: true,
    })
      .then(
        () => undefined,
        (error: unknown) => log.error("a call's usage was not recorded", { error, model: input.model }),
      )
      .finally(() => writing.delete(written));
    writing.add(written);
  }
}

/** Records usage without blocking the response. */
export function queueUsage(actor: Entry["actor"], input: UsageInput): void {
  pending.push({ actor, input });
  timer ??= runLater("the usage of calls", FLUSH_DELAY, flush);
}

/** Resolves when all records are written. */
export async function flushUsageLog(): Promise<void> {
  clearTimeout(timer);
  flush();
  await Promise.all(writing);
}
