import { z } from "zod";
import { now } from "~/core/clock.server";
import { MINUTE } from "~/core/durations";
import { AppError } from "~/core/errors";
import { offsetAt, partsIn } from "~/core/time-zone";
import { countOf } from "~/ui/format";
import { definePlugin, definePluginTool } from "../../plugin";

const Zone = z.string().trim().min(1).max(60).describe("IANA time zone, such as Europe/Vienna");
const OptionalZone = Zone.optional().describe("IANA time zone; the plugin's default without it");
const When = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .describe("Date or time, such as 2026-11-23 or 2026-11-23T09:30");
const Count = z.number().int().min(-100_000).max(100_000).default(0);

const zoneOf = (zone: string | undefined, settings: Readonly<Record<string, unknown>>) =>
  zone ?? String(settings.zone || "UTC");

const STAMP =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** @throws AppError `invalid` for an unknown zone */
function inZone<T>(zone: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const message = `The time zone "${zone.slice(0, 40)}" is unknown. Use a name such as Europe/Vienna.`;
    throw new AppError("invalid", message, { cause });
  }
}

/** Minutes that a zone is ahead of UTC at a time. */
const minutesAhead = (at: number, zone: string) =>
  inZone(zone, () => Math.round(offsetAt(at, zone) / MINUTE));

function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

/** As a zone's clocks show it. */
function describeMoment(at: number, zone: string) {
  const { year, month, day, hour, minute, second, weekday } = inZone(zone, () => partsIn(at, zone));
  const offset = offsetText(minutesAhead(at, zone));
  return {
    iso: `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`,
    date: `${year}-${month}-${day}`,
    time: `${hour}:${minute}:${second}`,
    weekday,
    zone,
    offset,
    utc: new Date(at).toISOString(),
  };
}

/** Without an offset it is in the zone; skipped times move forward. @throws AppError `invalid` */
function parseMoment(text: string, zone: string): number {
  const match = STAMP.exec(text.trim());
  const [, year, month, day, hour = "0", minute = "0", second = "0", offset] = match ?? [];
  const local = match
    ? Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
    : Number.NaN;
  const isReal =
    match && new Date(local).getUTCDate() === Number(day) && Number(hour) < 24 && Number(minute) < 60;
  if (!isReal)
    throw new AppError(
      "invalid",
      `"${text.slice(0, 40)}" isn't a date such as 2026-11-23 or 2026-11-23T09:30.`,
    );
  if (offset?.toUpperCase() === "Z") return local;
  if (offset) {
    const sign = offset.startsWith("-") ? -1 : 1;
    const digits = offset.replaceAll(/\D/g, "");
    return local - sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * MINUTE;
  }
  const guess = local - minutesAhead(local, zone) * MINUTE;
  return local - minutesAhead(guess, zone) * MINUTE;
}

/** The 31st becomes a shorter month's last day. */
function addMonths(at: number, months: number, zone: string): number {
  const { date, time } = describeMoment(at, zone);
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const first = new Date(Date.UTC(year, month - 1 + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(day, last));
  return parseMoment(`${first.toISOString().slice(0, 10)}T${time}`, zone);
}

/** Keeps the time of day across clock changes. */
function addDays(at: number, days: number, zone: string): number {
  const { date, time } = describeMoment(at, zone);
  const moved = new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString();
  return parseMoment(`${moved.slice(0, 10)}T${time}`, zone);
}

export const dateTime = definePlugin(
  {
    id: "date-time",
    title: "Date & Time Zones",
    icon: "CalendarClock",
    description:
      "The current time anywhere, conversion between time zones, calendar arithmetic across daylight-saving changes, and the days between two dates.",
    tags: ["dates", "time zones", "calendar"],
    version: "1.0.0",
    released: "2026-11-20",
    categories: ["productivity"],
    settings: [
      {
        name: "zone",
        label: "Default time zone",
        hint: "Enter an IANA name such as Europe/Vienna",
        control: { kind: "time-zone" },
      },
    ],
    requests: { effects: ["reads"] },
  },
  [
    definePluginTool({
      name: "now",
      title: "Current date and time",
      description: "Returns the current date, time and weekday in a time zone.",
      effect: "reads",
      input: z.object({ zone: OptionalZone }),
      run: async ({ zone }, { settings }) => describeMoment(now(), zoneOf(zone, settings)),
    }),
    definePluginTool({
      name: "convert",
      title: "Convert between time zones",
      description: "Converts a date and time from one time zone to another.",
      effect: "reads",
      input: z.object({ time: When, from: OptionalZone, to: Zone }),
      run: async ({ time, from, to }, { settings }) =>
        describeMoment(parseMoment(time, zoneOf(from, settings)), to),
    }),
    definePluginTool({
      name: "add",
      title: "Add to a date",
      description: "Adds months, days, hours and minutes to a date; negative numbers subtract.",
      effect: "reads",
      input: z.object({
        time: When,
        zone: OptionalZone,
        months: Count,
        days: Count,
        hours: Count,
        minutes: Count,
      }),
      async run({ time, zone, months, days, hours, minutes }, { settings }) {
        const own = zoneOf(zone, settings);
        const moved = addDays(addMonths(parseMoment(time, own), months, own), days, own);
        return describeMoment(moved + (hours * 60 + minutes) * 60_000, own);
      },
    }),
    definePluginTool({
      name: "difference",
      title: "Time between two dates",
      description: "Returns the days, hours and minutes from one date to another.",
      effect: "reads",
      input: z.object({ from: When, to: When, zone: OptionalZone }),
      async run({ from, to, zone }, { settings }) {
        const own = zoneOf(zone, settings);
        const minutes = Math.round((parseMoment(to, own) - parseMoment(from, own)) / 60_000);
        const rest = Math.abs(minutes);
        return {
          minutes,
          days: Math.trunc(minutes / 1440),
          text: [
            countOf(Math.floor(rest / 1440), "day"),
            countOf(Math.floor((rest % 1440) / 60), "hour"),
            countOf(rest % 60, "minute"),
          ].join(", "),
          direction: minutes < 0 ? "earlier" : "later",
        };
      },
    }),
  ],
);
