import { Cron } from "croner";
import cronstrue from "cronstrue";
import { z } from "zod";
import { dayIn, isTimeZone, partsIn } from "~/core/time-zone";
import { choiceOf, choiceSentence, type ScheduleText } from "../schedule.shared";
import { defineTrigger } from "./trigger-type";

const NOT_CRON = "Enter five parts: minute, hour, day, month and weekday, such as 0 9 * * *";
const NOT_IN_RANGE = "Use minute 0–59, hour 0–23, day 1–31, month 1–12 and weekday 0–7";
/** Programs read it differently. */
const STEP_WITHOUT_RANGE = /(?:^|[\s,])\d+\//;
const NO_RANGE = "A step needs a range: write 5-59/10 in place of 5/10";

/** @throws croner's errors; for a wrong zone only on use */
function dueTimes(cron: string, timeZone: string, from: Date, count: number): Date[] {
  return new Cron(cron, { timezone: timeZone, mode: "5-part", paused: true }).nextRuns(count, from);
}

function checkCron(cron: string, context: z.RefinementCtx): void {
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  try {
    if (dueTimes(cron, "UTC", new Date(), 1).length === 0)
      refuse("This schedule has no due time. Change the day or month");
  } catch {
    if (cron.split(/\s+/).length !== 5) refuse(NOT_CRON);
    else refuse(STEP_WITHOUT_RANGE.test(cron) ? NO_RANGE : NOT_IN_RANGE);
  }
}

const ScheduleConfig = z.object({
  cron: z
    .string("Enter a cron expression")
    .trim()
    .min(1, "Enter a cron expression")
    .max(200, NOT_CRON)
    .superRefine(checkCron)
    .default("0 9 * * *"),
  timeZone: z
    .string()
    .trim()
    .max(60)
    .refine((zone) => zone === "" || isTimeZone(zone), "Choose a time zone such as Europe/Berlin")
    .default(""),
});
type ScheduleConfig = z.infer<typeof ScheduleConfig>;

export const schedule = defineTrigger({
  type: "schedule",
  label: "Schedule Trigger",
  description: "Start the workflow at set times.",
  icon: "CalendarClock",
  defaults: { cron: "0 9 * * *", timeZone: "" },
  config: ScheduleConfig,
  outputs: { scheduledAt: "The due time, as an ISO date" },
  fields: [
    {
      name: "cron",
      label: "Cron expression",
      hint: "Enter minute, hour, day, month and weekday, such as 0 9 * * 1-5 for weekdays at nine.",
      control: { kind: "schedule" },
    },
    {
      name: "timeZone",
      label: "Time zone",
      hint: "Leave blank to use the organization's.",
      control: { kind: "timeZone" },
    },
  ],
});

/**
 * The next due times after `from`, in ms since the epoch; fewer if the schedule ends.
 *
 * @param orgZone used if the trigger has no time zone
 */
export function nextTimes(config: ScheduleConfig, from: number, count: number, orgZone: string): number[] {
  const zone = config.timeZone || orgZone;
  return dueTimes(config.cron, zone, new Date(from), count).map((date) => date.getTime());
}

/** A stored schedule with its defaults; imports may lack them. */
export const scheduleConfig = (config: unknown): ScheduleConfig => {
  const { cron = "0 9 * * *", timeZone = "" } = config as Partial<ScheduleConfig>;
  return { cron, timeZone };
};

/** Such as "Fri 27 Nov at 09:00" or "today at 14:15". */
export const formatDue = (at: number, from: number, timeZone: string) =>
  formatNext(at, from, timeZone, false);

/** The time is left out where the schedule's sentence says it. */
function formatNext(at: number, from: number, timeZone: string, hasTime: boolean): string {
  const { weekday, hour, minute } = partsIn(at, timeZone);
  const time = `${hour}:${minute}`;
  const [year = "", month = "", day = ""] = dayIn(at, timeZone).split("-");
  const name = new Date(Date.UTC(Number(year), Number(month) - 1)).toLocaleString("en-US", {
    month: "short",
    timeZone: "UTC",
  });
  const isThisYear = dayIn(from, timeZone).startsWith(year);
  const date = `${weekday.slice(0, 3)} ${Number(day)} ${name}${isThisYear ? "" : ` ${year}`}`;
  if (dayIn(from, timeZone) === `${year}-${month}-${day}`) return `today at ${time}`;
  return hasTime ? date : `${date} at ${time}`;
}

/** A step begins anew where its range does: a run of every 7 minutes at 56 is followed by the one at 0. */
function unevenPauses(cron: string): string {
  const [minutes = 1, hours = 1, days = 1] = cron
    .trim()
    .split(/\s+/)
    .map((part) => Number(/^\*\/(\d+)$/.exec(part)?.[1] ?? 1));
  const anew = [60 % minutes > 0 && "hour", 24 % hours > 0 && "day", days > 1 && "month"].filter(Boolean);
  return anew.length > 0 ? `, beginning anew each ${anew.join(" and each ")}` : "";
}

/**
 * A stored or typed schedule in words; undefined if it is invalid.
 *
 * @param orgZone used if the trigger has no time zone
 * @param from in ms since the epoch
 */
export function describeSchedule(config: unknown, orgZone: string, from: number): ScheduleText | undefined {
  const parsed = ScheduleConfig.safeParse(config).data;
  if (!parsed) return undefined;
  const choice = choiceOf(parsed.cron);
  const sentence = choice
    ? choiceSentence(choice)
    : cronstrue.toString(parsed.cron, { use24HourTimeFormat: true }) + unevenPauses(parsed.cron);
  const timeZone = parsed.timeZone || orgZone;
  const [next] = nextTimes(parsed, from, 1, orgZone);
  const hasTime = choice !== undefined && choice.repeat !== "minutes" && choice.repeat !== "hour";
  return {
    sentence,
    timeZone,
    ...(next === undefined ? {} : { next: formatNext(next, from, timeZone, hasTime) }),
  };
}
