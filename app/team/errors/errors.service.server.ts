import { createHash } from "node:crypto";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, groupedTransaction, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { type LoggedError, log, onErrorLogged } from "~/core/log.server";
import { append } from "~/platform/audit/audit.service.server";
import { TRAIL_FAULTS } from "~/platform/audit/audit.shared";
import { publish } from "~/platform/events/events.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { installationOrgId, readSetting } from "~/platform/settings/settings.service.server";
import { notify } from "~/team/notifications/notify.service.server";
import {
  deleteErrorReports,
  listErrorReports,
  pruneErrorReports,
  upsertErrorReport,
} from "./errors.repo.server";
import type { ErrorReport } from "./errors.schema";

const MAX_REPORTS = 200;
const TRAIL_MESSAGES: ReadonlySet<string> = new Set(Object.values(TRAIL_FAULTS));

/** Errors are grouped by message and first stack frame. */
const firstFrame = (stack: string | undefined) => /^\s+at .*$/m.exec(stack ?? "")?.[0] ?? "";

async function record({ message, error, requestId }: LoggedError): Promise<void> {
  const orgId = installationOrgId();
  if (orgId === undefined || !readSetting(orgId, "monitoring.errorReporting")) return;
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([message, error?.name, firstFrame(error?.stack)]))
    .digest("base64url");
  const at = now();
  await groupedTransaction((tx) => {
    upsertErrorReport(tx, {
      fingerprint,
      message,
      detail: error?.message ?? null,
      stack: error?.stack ?? null,
      requestId: requestId ?? null,
      count: 1,
      firstAt: at,
      lastAt: at,
    });
    pruneErrorReports(tx, MAX_REPORTS);
    // Audit faults have their own notification.
    if (TRAIL_MESSAGES.has(message)) return;
    notify(tx, {
      event: "security",
      organisationId: orgId,
      audience: { permission: "settings.manage" },
      title: `Unexpected error: ${message}`,
      ...(error?.message ? { body: error.message } : {}),
      link: "/settings/system",
      dedupeKey: `error:${fingerprint}:${Math.floor(at / DAY)}`,
      // The message may quote anything.
      isPrivate: true,
    });
  });
  publish({ topic: "jobs", orgId });
}

/** Stores logged errors if error reports are enabled. @returns a stop function */
export function startErrorReports(): () => void {
  return onErrorLogged((logged) => {
    // Logged as a warning: an error would be reported again.
    record(logged).catch((error: unknown) => log.warn("an error report could not be stored", { error }));
  });
}

export function listErrors(actor: Actor): ErrorReport[] {
  authorise(actor, "settings.manage");
  return listErrorReports(db(), MAX_REPORTS).map(({ fingerprint: _, firstAt, lastAt, ...report }) => ({
    ...report,
    firstAt: new Date(firstAt).toISOString(),
    lastAt: new Date(lastAt).toISOString(),
  }));
}

export function clearErrors(actor: Actor): void {
  authorise(actor, "settings.manage");
  transaction((tx) => {
    deleteErrorReports(tx);
    append(tx, actor, { action: "errors.cleared", resource: "system:errors" });
  });
}
