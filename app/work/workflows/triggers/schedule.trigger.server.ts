import { Cron } from "croner";
import { z } from "zod";
import { isTimeZone } from "~/core/time-zone";
import { defineTrigger } from "./trigger-type";

const NOT_CRON = "Enter five parts: minute, hour, day, month and weekday, such as 0 9 * * *";
const NOT_IN_RANGE = "Use minute 0–59, hour 0–23, day 1–31, month 1–12 and weekday 0–7";

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
    refuse(cron.split(/\s+/).length === 5 ? NOT_IN_RANGE : NOT_CRON);
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
      control: { kind: "text" },
    },
    {
      name: "timeZone",
      label: "Time zone",
      hint: "Enter a zone such as Europe/Berlin. Leave blank to use the organization's.",
      control: { kind: "text" },
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
