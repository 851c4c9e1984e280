import type { z } from "zod";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import type { DeclaredJob } from "./job-kind.service.server";
import { deleteSchedules, findSchedule, putSchedule } from "./schedules.repo.server";
import { dueAfter } from "./schedules.server";
import { wakeDispatcher } from "./wake.server";

interface OwnSchedule<Input> {
  /** Such as `workflow:wf_…:schedule_1`. */
  key: string;
  orgId: string;
  cron: string;
  /** IANA name; null for the organization's. */
  timeZone: string | null;
  input: Input;
}

/** Adds or updates a feature's schedule; an unchanged one keeps its next time, unless that is too late. */
export function setSchedule<S extends z.ZodType>(
  tx: Db,
  { kind }: DeclaredJob<S>,
  schedule: OwnSchedule<z.input<S>>,
): void {
  const { key, orgId, cron, timeZone, input } = schedule;
  const pattern = { cron, everyMs: null, timeZone };
  const before = findSchedule(tx, key);
  const isUnchanged = before?.cron === cron && before.timeZone === timeZone;
  const usual = dueAfter({ ...pattern, orgId }, now(), now());
  const nextAt = isUnchanged && before.nextAt !== null ? Math.min(before.nextAt, usual ?? Infinity) : usual;
  putSchedule(tx, { key, orgId, kind, ...pattern, input, nextAt });
  wakeDispatcher();
}

/** Removes schedules by key prefix. */
export function removeSchedules(tx: Db, keyPrefix: string, keep: ReadonlySet<string> = new Set()): void {
  deleteSchedules(tx, keyPrefix, [...keep]);
}
