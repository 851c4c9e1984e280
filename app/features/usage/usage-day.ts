const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The calendar day of a moment in a time zone, such as 2026-03-29.
 *
 * @param at ms since the epoch
 * @param timeZone an IANA name, such as Europe/Vienna
 * @throws RangeError for an unknown time zone
 */
export function usageDay(at: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (!format) {
    // The Swedish short date is ISO 8601's. A year below 1000 or above 9999 isn't a time of use.
    format = new Intl.DateTimeFormat("sv-SE", {
      timeZone,
      calendar: "gregory",
      numberingSystem: "latn",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
    formats.set(timeZone, format);
  }
  return format.format(at);
}
