import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Actor } from "~/core/actor";
import { dataDir, env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newSecret } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { append } from "~/platform/audit/audit.service.server";
import { chainKeyFingerprint, continueRestoredTrail } from "~/platform/audit/verify.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { installationOrgId } from "~/platform/settings/settings.service.server";
import {
  readWriter,
  recordReplica,
  saveWriter,
  type Writer,
} from "~/platform/settings/writer.service.server";
import { notifyFault } from "~/team/notifications/notify.service.server";
import { requestRestart } from "./maintenance.service.server";

// A standby is a restored copy of a console that may still run. With STANDBY=1 it works on nothing and refuses changes
// until an owner takes over.

const markFile = () => join(dataDir(), "standby.taken-over");

function hasTakenOver(): boolean {
  const orgId = installationOrgId();
  if (orgId === undefined || !existsSync(markFile())) return false;
  const { takeOver } = readWriter(orgId);
  return takeOver !== undefined && readFileSync(markFile(), "utf8") === takeOver;
}

const state = () => kept("standby", () => ({ isHeld: false }));

/** Whether this console is a standby that nobody has taken over. */
export const isStandby = (): boolean => state().isHeld;

/** Decides at the start whether this console works, before any of its work begins. */
export function holdStandby(): void {
  state().isHeld = env().STANDBY && !hasTakenOver();
  if (isStandby()) log.warn("this console is a standby: it works on nothing until an owner takes over");
}

/** Keeps the address of the replica in the database, unless this console doesn't write it. */
export function recordOwnReplica(): void {
  const orgId = installationOrgId();
  if (orgId !== undefined && !isStandby()) recordReplica(orgId);
}

const NOT_STANDBY = "This console isn't a standby.";

/** Why a take-over can't begin yet; undefined if it can. */
function findObstacle({ replica: former }: Writer): string | undefined {
  const own = env().LITESTREAM_URL;
  if (!own)
    return "A take-over needs a replica path of its own. Set LITESTREAM_URL to a new one and start the standby again.";
  if (own === former)
    return `LITESTREAM_URL is ${own}, which belongs to the former console: two consoles on one path make it unusable. Set a new one and start the standby again.`;
  return undefined;
}

/** @throws AppError `forbidden` */
export function readStandby(actor: Actor) {
  authorise(actor, "backup.manage");
  const writer = readWriter(actor.orgId);
  return {
    isStandby: isStandby(),
    own: env().LITESTREAM_URL ?? null,
    former: writer.replica,
    obstacle: findObstacle(writer) ?? null,
  };
}

/**
 * Makes the standby the console that works: records it, continues the audit trail where the replica ends, and restarts.
 * @throws AppError `forbidden`; `conflict` if this console is no standby, or without a replica path of its own
 */
export async function takeOver(actor: Actor): Promise<void> {
  authorise(actor, "backup.manage");
  if (!isStandby()) throw new AppError("conflict", NOT_STANDBY);
  const { orgId } = actor;
  const former = readWriter(orgId);
  const obstacle = findObstacle(former);
  if (obstacle !== undefined) throw new AppError("conflict", obstacle);
  const mark = newSecret();
  // First: a crash in between leaves a standby.
  writeFileSync(`${markFile()}.new`, mark, { mode: 0o600, flush: true });
  renameSync(`${markFile()}.new`, markFile());
  const replica = env().LITESTREAM_URL ?? "";
  const fault = await continueRestoredTrail(chainKeyFingerprint(), (tx) => {
    saveWriter(tx, orgId, { replica, takeOver: mark });
    append(tx, actor, {
      action: "console.taken_over",
      resource: "system",
      details: { replica, former: former.replica ?? "an unknown path" },
    });
  });
  if (fault !== undefined) {
    log.error(fault, { reason: "entries" });
    notifyFault("entries", fault);
  }
  requestRestart();
}
