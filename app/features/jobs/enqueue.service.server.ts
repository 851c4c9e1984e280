import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import type { JobActor } from "./job-actor";
import type { JobTypeOf } from "./job-kind.service.server";
import { deleteFinishedJob, findActiveJob, insertJob, updateJob } from "./jobs.repo.server";
import { wakeDispatcher } from "./wake.server";

interface EnqueueOptions {
  /** The actor; by default the console itself. */
  actor?: Actor;
  orgId?: string;
  /** Who shares the lane fairly, where that isn't the actor: a user's id. */
  owner?: string;
  /** Its id, where a record of the feature has the same; a finished job with it is replaced. */
  id?: string;
  /** What it is about, such as `document:doc_…`. */
  subject?: string;
  /** While a job of the kind with this key is unfinished, no other is added. */
  dedupeKey?: string;
  /** When it is due (ms since the epoch); now without it. */
  runAt?: number;
  /** Higher ones of the same owner run first. */
  priority?: number;
}

const SYSTEM: JobActor = { kind: "system", userId: "system", role: "owner" };

function jobActor({ kind, userId, role, tokenId, requestId, address }: Actor): JobActor {
  return {
    kind,
    userId,
    role,
    ...(tokenId ? { tokenId } : {}),
    ...(requestId ? { requestId } : {}),
    ...(address ? { address } : {}),
  };
}

/**
 * Adds a job in the caller's transaction: it exists when that is committed, and starts right after it.
 *
 * @returns its id, or that of the unfinished job with the same dedupe key, which is due at the earlier of both times
 * @throws ZodError for an input that the kind's schema refuses: a defect of the caller
 */
export function enqueue<Input>(
  tx: Db,
  kind: JobTypeOf<Input>,
  input: Input,
  options: EnqueueOptions = {},
): string {
  const { actor, dedupeKey, subject, runAt, priority = 0 } = options;
  const at = now();
  const present = dedupeKey === undefined ? undefined : findActiveJob(tx, kind.kind, dedupeKey);
  if (present) {
    if (present.state === "scheduled" && (runAt ?? at) < present.runAt) {
      updateJob(tx, present.id, ["scheduled"], { runAt: runAt ?? at });
      wakeDispatcher();
    }
    return present.id;
  }
  kind.input.parse(input);
  const id = options.id ?? newId("job");
  if (options.id !== undefined) deleteFinishedJob(tx, id);
  insertJob(tx, {
    id,
    orgId: options.orgId ?? actor?.orgId ?? null,
    kind: kind.kind,
    lane: kind.lane,
    owner: options.owner ?? actor?.userId ?? SYSTEM.userId,
    subject: subject ?? null,
    dedupeKey: dedupeKey ?? null,
    state: runAt !== undefined && runAt > at ? "scheduled" : "queued",
    priority,
    runAt: runAt ?? at,
    input,
    actor: actor ? jobActor(actor) : SYSTEM,
    createdAt: at,
  });
  wakeDispatcher();
  return id;
}
