import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { may } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/read-settings.service.server";
import { activityOf } from "./activity.server";
import { listForNavigation } from "./list.repo.server";
import type { ListedConversation, ListPeriod } from "./list.schema";

/** Conversations listed beside up to as many pinned ones. */
const MAX_RECENT = 20;
const WEEK = 7 * 24 * 60 * 60_000;

// Creating one takes 50 µs, and every screen needs it.
const days = new Map<string, Intl.DateTimeFormat>();

function dayOf(at: number, timeZone: string): string {
  const format = days.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  days.set(timeZone, format);
  return format.format(at);
}

/** Empty for those who can't chat. */
export function listNavigation(actor: Actor): ListedConversation[] {
  if (!may(actor, "chat.use")) return [];
  const { pinned, newest } = listForNavigation(db(), actor, MAX_RECENT);
  const zone = orgTimeZone(actor.orgId);
  const present = now();
  const today = dayOf(present, zone);
  const periodOf = (at: number) =>
    dayOf(at, zone) === today ? "today" : present - at < WEEK ? "week" : "older";
  const listAs = (row: (typeof newest)[number], period: ListPeriod) => ({
    id: row.id,
    title: row.title,
    activity: activityOf(row),
    period,
  });
  return [
    ...pinned.map((row) => listAs(row, "pinned")),
    ...newest.map((row) => listAs(row, periodOf(row.updatedAt))),
  ];
}
