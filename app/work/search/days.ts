import { DAY } from "~/core/durations";
import { startOfDay } from "~/core/time-zone";

/** The range of two ISO dates, both inclusive, in ms since the epoch; the end is exclusive. */
export function momentsOf(days: { from?: string | undefined; to?: string | undefined }, timeZone: string) {
  const end = days.to && new Date(Date.parse(days.to) + DAY).toISOString().slice(0, 10);
  return {
    from: days.from ? startOfDay(days.from, timeZone) : undefined,
    to: end ? startOfDay(end, timeZone) : undefined,
  };
}
