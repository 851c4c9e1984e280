import type { Actor } from "~/core/actor";
import { groupedTransaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { recordUsage, type UsageInput } from "~/features/usage/usage.service.server";

/** Delay of a record so that others share its commit, in ms. */
const GATHER = 50;

interface Entry {
  actor: Pick<Actor, "orgId" | "userId" | "requestId">;
  input: UsageInput;
}

let waiting: Entry[] = [];
let timer: NodeJS.Timeout | undefined;
const writing = new Set<Promise<void>>();

function write(): void {
  timer = undefined;
  const entries = waiting;
  waiting = [];
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
export function recordSoon(actor: Entry["actor"], input: UsageInput): void {
  waiting.push({ actor, input });
  timer ??= setTimeout(write, GATHER);
}

/** Resolves when all records are written. */
export async function recordsWritten(): Promise<void> {
  clearTimeout(timer);
  write();
  await Promise.all(writing);
}
