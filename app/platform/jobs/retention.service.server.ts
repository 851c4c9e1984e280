import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { hasFire } from "./schedules.repo.server";

/** Retention of due times in ms; a clock set back by less doesn't repeat them. */
export const FIRES_KEPT = 7 * DAY;
/** Running time after which a clock is believed that was ahead of everything recorded, in ms. */
const CONFIRMED_AFTER = 2 * DAY;

/** Whether due times were recorded in the days before, or none are older. */
function isClockConfirmed(at: number): boolean {
  const oldest = at - FIRES_KEPT;
  return hasFire(db(), oldest, at - CONFIRMED_AFTER) || !hasFire(db(), Number.MIN_SAFE_INTEGER, oldest);
}

/**
 * The time before which records are too old to keep, in ms since the epoch. A clock that is far ahead must not delete
 * them: it is 0 until the console ran for two days by a clock that went a week without it.
 */
export function oldestKept(ageMs: number): number {
  const at = now();
  return isClockConfirmed(at) ? at - ageMs : 0;
}
