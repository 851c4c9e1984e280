import { startOfDay } from "~/core/time-zone";

const DAY = 86_400_000;

interface Days {
  /** ISO dates, both inclusive. */
  from?: string | undefined;
  to?: string | undefined;
  timeZone?: string | undefined;
}

/** The range in ms since the epoch; the end is exclusive. */
export function momentsOf({ from, to, timeZone = "UTC" }: Days) {
  const end = to && new Date(Date.parse(to) + DAY).toISOString().slice(0, 10);
  return {
    from: from ? startOfDay(from, timeZone) : undefined,
    to: end ? startOfDay(end, timeZone) : undefined,
  };
}
