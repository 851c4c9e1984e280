import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import type { JobActor } from "./job-actor";
import type { JobTypeOf } from "./job-kind.service.server";
import { deleteFinishedJob, findActiveJob, insertJob, updateJob } from "./jobs.repo.server";
import { wakeDispatcher } from "./wake.server";

interface EnqueueOptions {
  /** Defaults to the system. */
  actor?: Actor;
  orgId?: string;
  /** User id for fair scheduling; defaults to the actor. */
  owner?: string;
  /** The id of a feature's record; replaces a finished job. */
  id?: string;
  /** Subject, such as `document:doc_…`. */
  subject?: string;
  /** Unique among unfinished jobs of the kind. */
  dedupeKey?: string;
  /** In ms since the epoch; defaults to now. */
  runAt?: number;
  /** Higher ones of the same owner run first. */
  priority?: number;
}

const SYSTEM: JobActor = { kind: "system", userId: "system", role: "owner" };

function jobActor({ kind, userId, role, tokenId, gateway, requestId, address }: Actor): JobActor {
  return {
    kind,
    userId,
    role,
    ...(tokenId ? { tokenId } : {}),
    ...(gateway ? { gateway } : {}),
    ...(requestId ? { requestId } : {}),
    ...(address ? { address } : {}),
  };
}

/**
 * Adds a job within a transaction, to start after the commit.
 * @returns its id, or the unfinished job's with the same dedupe key, due at the earlier time
 * @throws ZodError for invalid input, a bug
 */
export function enqueue<Input>(
  tx: Db,
  kind: JobTypeOf<Input>,
  input: Input,
  options: EnqueueOptions = {},
): string {
  const { actor, dedupeKey, subject, runAt, priority = 0 } = options;
  const at = now();
  const existing = dedupeKey === undefined ? undefined : findActiveJob(tx, kind.kind, dedupeKey);
  if (existing) {
    if (existing.state === "scheduled" && (runAt ?? at) < existing.runAt) {
      updateJob(tx, existing.id, ["scheduled"], { runAt: runAt ?? at });
      wakeDispatcher();
    }
    return existing.id;
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
