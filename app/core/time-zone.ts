const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      weekday: "long",
    });
    formats.set(timeZone, format);
  }
  return format;
}

type Part = "year" | "month" | "day" | "hour" | "minute" | "second" | "weekday";

/** A moment's local time. @param timeZone IANA name @throws RangeError for an unknown time zone */
export function partsIn(at: number, timeZone: string): Record<Part, string> {
  const parts = formatIn(timeZone).formatToParts(at);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value])) as Record<Part, string>;
}

/** The calendar day of a moment in a time zone, such as 2026-03-29. @throws RangeError for an unknown time zone */
export function dayIn(at: number, timeZone: string): string {
  const { year, month, day } = partsIn(at, timeZone);
  return `${year}-${month}-${day}`;
}

/** Offset from UTC in ms. @throws RangeError for an unknown time zone */
export function offsetAt(at: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = partsIn(at, timeZone);
  const local = Date.UTC(+year, +month - 1, +day, +hour, +minute, +second);
  return local - Math.floor(at / 1000) * 1000;
}

/** The beginning of a day (an ISO date) in a time zone, in ms since the epoch. */
export function startOfDay(date: string, timeZone: string): number {
  const utc = Date.parse(date);
  const near = utc - offsetAt(utc, timeZone);
  // The offset changes in between. At midnight the day begins after the change.
  return Math.max(near, utc - offsetAt(near, timeZone));
}

/** Whether it is an IANA name, such as Europe/Berlin. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Such as "Nov 30"; where a day stands more than once, with the time. */
export function dayLabels(times: readonly (string | number)[], timeZone: string): string[] {
  const day = { month: "short", day: "numeric", timeZone } as const;
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const short = new Intl.DateTimeFormat("en-US", day);
  const long = new Intl.DateTimeFormat("en-US", { ...day, ...time });
  const days = times.map((at) => short.format(new Date(at)));
  return times.map((at, index) => {
    const label = days[index] ?? "";
    return days.indexOf(label) === days.lastIndexOf(label) ? label : long.format(new Date(at));
  });
}
