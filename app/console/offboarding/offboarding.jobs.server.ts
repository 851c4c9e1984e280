import { z } from "zod";
import { yieldToEventLoop } from "~/core/background.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import type { Decision, Owner, Ownership } from "~/platform/catalogue/ownership";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { countOf } from "~/ui/format";
import { OwnedKind } from "./offboarding.schema";
import { canReceive, OWNERSHIPS } from "./ownerships.server";

const BATCH = 50;

async function applyToAll(
  ownership: Ownership,
  owner: Owner,
  decision: Decision,
  signal: AbortSignal,
): Promise<void> {
  const { recipient } = decision;
  for (let changed = 1; changed > 0; ) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    const after: (() => void)[] = [];
    changed = transaction((tx) => {
      if (recipient !== undefined && !canReceive(tx, owner.orgId, ownership, recipient))
        throw new AppError(
          "conflict",
          `The recipient can no longer receive ${ownership.noun}. Restore their role, then retry.`,
        );
      return ownership.apply(tx, owner, decision, BATCH, after);
    });
    for (const call of after) call();
  }
}

/** Runs after the transaction that removed the member. */
export const offboardingJob = defineJob({
  kind: "members.offboarding",
  title: "Transfer or delete a removed member's data",
  input: z.object({
    userId: z.string(),
    decisions: z.array(z.object({ kind: OwnedKind, recipient: z.string().optional() })),
  }),
  lane: "maintenance",
  mustFinish: true,
  timeoutMs: 60 * 60_000,
  retry: { attempts: 8, backoffMs: [2000, 10_000, 60_000] },
  async run({ orgId, input, signal }) {
    const owner = { orgId: orgId ?? "", userId: input.userId };
    let remaining = 0;
    for (const { kind, recipient } of input.decisions) {
      const ownership = OWNERSHIPS.find((one) => one.kind === kind);
      if (!ownership) continue;
      await applyToAll(ownership, owner, recipient === undefined ? {} : { recipient }, signal);
      remaining += ownership.count(db(), owner);
    }
    // A conversation with a running answer can't be transferred, for example.
    if (remaining > 0)
      throw new AppError("unavailable", `Still in use: ${countOf(remaining, "item")}. Retry later.`);
  },
});

export const offboardingJobs: readonly JobKind[] = [offboardingJob];
