const DAY = 86_400_000;

/** How far a zone's clocks are ahead of UTC at a moment, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/** When a day (an ISO date) begins in a zone, in milliseconds since 1970. */
function startOfDay(date: string, timeZone: string): number {
  const utc = Date.parse(date);
  const near = utc - offsetAt(utc, timeZone);
  // Where the clocks are changed in between. At midnight itself the day begins behind the change.
  return Math.max(near, utc - offsetAt(near, timeZone));
}

interface Days {
  /** The first and the last day that are meant, as ISO dates. */
  from?: string | undefined;
  to?: string | undefined;
  /** Whose days they are; UTC's if left out. */
  timeZone?: string | undefined;
}

/** The moments from the first day's beginning until just before the day behind the last, in milliseconds since 1970. */
export function momentsOf({ from, to, timeZone = "UTC" }: Days) {
  const behind = to && new Date(Date.parse(to) + DAY).toISOString().slice(0, 10);
  return {
    from: from ? startOfDay(from, timeZone) : undefined,
    to: behind ? startOfDay(behind, timeZone) : undefined,
  };
}
