import { startOfDay } from "~/core/time-zone";

const DAY = 86_400_000;

interface Days {
  /** The first and the last day, as ISO dates. */
  from?: string | undefined;
  to?: string | undefined;
  /** Default: UTC. */
  timeZone?: string | undefined;
}

/** From the beginning of the first day up to the beginning of the day after the last, in ms since the epoch. */
export function momentsOf({ from, to, timeZone = "UTC" }: Days) {
  const end = to && new Date(Date.parse(to) + DAY).toISOString().slice(0, 10);
  return {
    from: from ? startOfDay(from, timeZone) : undefined,
    to: end ? startOfDay(end, timeZone) : undefined,
  };
}
