import { z } from "zod";
import { now } from "~/core/clock.server";
import { definePlugin, definePluginTool } from "../../plugin";
import { addDays, addMonths, describeMoment, parseMoment } from "./dates";

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

export const dateTime = definePlugin(
  {
    id: "date-time",
    title: "Date & Time Zones",
    author: "Quarterdeck",
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
      timeoutMs: 2000,
      run: async ({ zone }, { settings }) => describeMoment(now(), zoneOf(zone, settings)),
    }),
    definePluginTool({
      name: "convert",
      title: "Convert between time zones",
      description: "Converts a date and time from one time zone to another.",
      effect: "reads",
      input: z.object({ time: When, from: OptionalZone, to: Zone }),
      timeoutMs: 2000,
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
      timeoutMs: 2000,
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
      timeoutMs: 2000,
      async run({ from, to, zone }, { settings }) {
        const own = zoneOf(zone, settings);
        const minutes = Math.round((parseMoment(to, own) - parseMoment(from, own)) / 60_000);
        const rest = Math.abs(minutes);
        return {
          minutes,
          days: Math.trunc(minutes / 1440),
          text: `${Math.floor(rest / 1440)} days, ${Math.floor((rest % 1440) / 60)} hours, ${rest % 60} minutes`,
          direction: minutes < 0 ? "earlier" : "later",
        };
      },
    }),
  ],
);
