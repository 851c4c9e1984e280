import { DAY, HOUR } from "~/core/durations";
import { dayIn } from "~/core/time-zone";
import type { UsageQuery } from "./usage.schema";
import { MAX_RANGE_DAYS } from "./usage.shared";

/** In days. */
const PRESETS = { "7d": 7, "14d": 14, "30d": 30, "90d": 90 } as const;

export type ResolvedRange =
  /** Whole days in the organization's zone. */
  | { unit: "day"; from: string; to: string; buckets: string[] }
  /** Hours since the epoch; `day` if of one day. */
  | { unit: "hour"; from: string; to: string; buckets: number[]; day?: string };

const addDays = (day: string, days: number) =>
  new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);

function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY) + 1;
  return Array.from({ length: count }, (_, index) => addDays(from, index));
}

function hoursOf(day: string, timeZone: string): number[] {
  const first = Math.floor((Date.parse(day) - 15 * HOUR) / HOUR);
  const hours = Array.from({ length: 56 }, (_, index) => first + index);
  // With half-hour offsets, a UTC hour can span two days.
  return hours.filter((hour) =>
    [hour * HOUR, (hour + 1) * HOUR - 1].some((at) => dayIn(at, timeZone) === day),
  );
}

const isoOf = (hour: number) => new Date(hour * HOUR).toISOString();

const dayByHours = (day: string, timeZone: string): ResolvedRange => ({
  unit: "hour",
  from: day,
  to: day,
  buckets: hoursOf(day, timeZone),
  day,
});

/** Hours since the epoch of the day at a time in ms. */
export const hourlyBuckets = (at: number, timeZone: string): number[] =>
  hoursOf(dayIn(at, timeZone), timeZone);

/** The days or hours of a range; a single day is divided into hours. @param at ms since the epoch */
export function resolveRange(
  { range, from, to }: Pick<UsageQuery, "range" | "from" | "to">,
  at: number,
  timeZone: string,
): ResolvedRange {
  const today = dayIn(at, timeZone);
  if (range === "24h") {
    const last = Math.floor(at / HOUR);
    const buckets = Array.from({ length: 24 }, (_, index) => last - 23 + index);
    return { unit: "hour", from: isoOf(last - 23), to: isoOf(last), buckets };
  }
  if (range === "yesterday") return dayByHours(addDays(today, -1), timeZone);
  if (range !== "custom") {
    const first = addDays(today, 1 - PRESETS[range]);
    return { unit: "day", from: first, to: today, buckets: daysBetween(first, today) };
  }
  const end = to ?? from ?? today;
  const begin = from ?? addDays(end, -6);
  const [first, last] = begin <= end ? [begin, end] : [end, begin];
  if (first === last) return dayByHours(first, timeZone);
  const bounded = [first, addDays(last, 1 - MAX_RANGE_DAYS)].sort().at(-1) ?? first;
  return { unit: "day", from: bounded, to: last, buckets: daysBetween(bounded, last) };
}

/** Half-open: `from` inclusive. */
export function boundsOf(range: ResolvedRange, timeZone: string): { from: number; before: number } {
  const hours = range.unit === "hour" ? range.buckets : undefined;
  const [first = 0] = hours ?? hoursOf(range.from, timeZone);
  const last = (hours ?? hoursOf(range.to, timeZone)).at(-1) ?? first;
  return { from: first * HOUR, before: (last + 1) * HOUR };
}
