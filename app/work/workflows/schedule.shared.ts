/** How often a schedule of the picker repeats. */
const REPEATS = ["minutes", "hour", "day", "weekdays", "week", "month"] as const;
export type Repeat = (typeof REPEATS)[number];

/** Sunday first, as cron counts. */
export const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/** Divisors of an hour, so that the pauses are equal. */
export const MINUTE_STEPS = [1, 2, 5, 10, 15, 20, 30] as const;

/** A schedule as its picker shows it; fields that its repeat doesn't use have defaults. */
export interface ScheduleChoice {
  repeat: Repeat;
  /** Minutes between two runs of `minutes`. */
  every: number;
  /** Local time as `09:00`; `hour` uses its minute. */
  at: string;
  /** Of `week`, from 0 for Sunday, ascending. */
  weekdays: readonly number[];
  /** Day of the month, from 1. */
  day: number;
}

export const DEFAULT_CHOICE: ScheduleChoice = {
  repeat: "day",
  every: 15,
  at: "09:00",
  weekdays: [1],
  day: 1,
};

const two = (value: number) => String(value).padStart(2, "0");

export function cronOf({ repeat, every, at, weekdays, day }: ScheduleChoice): string {
  const [hour = 0, minute = 0] = at.split(":").map(Number);
  const time = `${minute} ${hour}`;
  switch (repeat) {
    case "minutes":
      return every === 1 ? "* * * * *" : `*/${every} * * * *`;
    case "hour":
      return `${minute} * * * *`;
    case "day":
      return `${time} * * *`;
    case "weekdays":
      return `${time} * * 1-5`;
    case "week":
      return `${time} * * ${weekdays.join(",")}`;
    case "month":
      return `${time} ${day} * *`;
  }
}

/** A number of a cron part; undefined for anything else or outside of the range. */
function plainNumber(part: string, min: number, max: number): number | undefined {
  const number = /^\d{1,2}$/.test(part) ? Number(part) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}

/** The picker's choice that makes the same cron expression; undefined if it can't show it. */
export function choiceOf(cron: string): ScheduleChoice | undefined {
  const parts = cron.trim().split(/\s+/);
  const [minutes = "", hours = "", days = "", months = "", weekdays = ""] = parts;
  if (parts.length !== 5 || months !== "*") return undefined;
  const choice = (own: Partial<ScheduleChoice>) => ({ ...DEFAULT_CHOICE, ...own });
  if (hours === "*" && days === "*" && weekdays === "*") {
    const every = minutes === "*" ? 1 : Number(/^\*\/(\d{1,2})$/.exec(minutes)?.[1]);
    if ((MINUTE_STEPS as readonly number[]).includes(every)) return choice({ repeat: "minutes", every });
    const minute = plainNumber(minutes, 0, 59);
    return minute === undefined ? undefined : choice({ repeat: "hour", at: `09:${two(minute)}` });
  }
  const [minute, hour] = [plainNumber(minutes, 0, 59), plainNumber(hours, 0, 23)];
  if (minute === undefined || hour === undefined) return undefined;
  const at = `${two(hour)}:${two(minute)}`;
  if (weekdays === "*") {
    const day = plainNumber(days, 1, 31);
    if (days === "*") return choice({ repeat: "day", at });
    return day === undefined ? undefined : choice({ repeat: "month", at, day });
  }
  if (days !== "*") return undefined;
  if (weekdays === "1-5") return choice({ repeat: "weekdays", at });
  const chosen = weekdays.split(",").map((one) => plainNumber(one, 0, 7));
  if (chosen.some((one) => one === undefined)) return undefined;
  const unique = [...new Set(chosen.map((one) => Number(one) % 7))].sort((a, b) => a - b);
  return choice({ repeat: "week", at, weekdays: unique });
}

const listed = (names: readonly string[]) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** Such as "Weekdays at 09:00". */
export function choiceSentence({ repeat, every, at, weekdays, day }: ScheduleChoice): string {
  const minute = at.slice(3);
  switch (repeat) {
    case "minutes":
      return every === 1 ? "Every minute" : `Every ${every} minutes`;
    case "hour":
      return minute === "00" ? "Every hour" : `Every hour at minute ${Number(minute)}`;
    case "day":
      return `Every day at ${at}`;
    case "weekdays":
      return `Weekdays at ${at}`;
    case "week":
      return `${listed(weekdays.map((one) => `${WEEKDAYS[one]}s`))} at ${at}`;
    case "month":
      return `Day ${day} of every month at ${at}`;
  }
}

/** Names of the picker's fields in a form: a browser sends a checked weekday alone. */
export const SCHEDULE_FIELDS: readonly string[] = [
  "repeat",
  "every",
  "at",
  "day",
  ...WEEKDAYS.map((_, day) => `on${day}`),
];

/**
 * The cron expression of a sent form, which has the picker and the expression: the one that was changed counts.
 *
 * @param before the expression that the form was made with
 */
export function cronFromForm(
  typed: string,
  submitted: Readonly<Record<string, unknown>>,
  before: string,
): string {
  const { repeat } = submitted;
  if (typed !== before || !REPEATS.some((one) => one === repeat)) return typed;
  const shown = choiceOf(before) ?? DEFAULT_CHOICE;
  const numberOf = (name: string, otherwise: number) => Number(submitted[name]) || otherwise;
  const weekdays = WEEKDAYS.flatMap((_, day) => (submitted[`on${day}`] === "on" ? [day] : []));
  const { at } = submitted;
  const cron = cronOf({
    repeat: repeat as Repeat,
    every: numberOf("every", shown.every),
    at: typeof at === "string" && /^\d\d:\d\d$/.test(at) ? at : shown.at,
    weekdays: weekdays.length > 0 ? weekdays : shown.weekdays,
    day: numberOf("day", shown.day),
  });
  // Otherwise an expression such as `0 9 * * 7` would change its spelling with each send.
  const isShown = choiceOf(before) !== undefined && cron === cronOf(shown);
  return isShown ? typed : cron;
}

/** Names a schedule among those that the server described. */
export const scheduleKey = (cron: string, timeZone: string) => `${cron.trim()} ${timeZone.trim()}`;

/** A schedule in words. */
export interface ScheduleText {
  /** Such as "Weekdays at 09:00". */
  sentence: string;
  timeZone: string;
  /** The next due time in that zone, such as "Fri 27 Nov"; absent if there is none. */
  next?: string | undefined;
}

/** Such as "Weekdays at 09:00, Europe/Berlin; next: Fri 27 Nov". */
export const scheduleLine = ({ sentence, timeZone, next }: ScheduleText) =>
  `${sentence}, ${timeZone}${next === undefined ? "" : `; next: ${next}`}`;
