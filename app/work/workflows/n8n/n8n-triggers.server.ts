import { z } from "zod";
import type { N8nNode } from "./n8n.schema";
import { typeOf } from "./n8n-graph";
import { NoCounterpart } from "./n8n-values.server";

interface TriggerPart {
  type: "manual" | "schedule" | "webhook";
  config: Record<string, unknown>;
}

const whole = (min: number, max: number, usual: number) => z.number().int().min(min).max(max).default(usual);

const Interval = z.discriminatedUnion("field", [
  z.object({ field: z.literal("cronExpression"), expression: z.string().max(200) }),
  z.object({ field: z.literal("minutes"), minutesInterval: whole(1, 59, 5) }),
  z.object({ field: z.literal("hours"), hoursInterval: whole(1, 23, 1), triggerAtMinute: whole(0, 59, 0) }),
  z.object({
    field: z.literal("days"),
    daysInterval: z.literal(1).default(1),
    triggerAtHour: whole(0, 23, 0),
    triggerAtMinute: whole(0, 59, 0),
  }),
  z.object({
    field: z.literal("weeks"),
    weeksInterval: z.literal(1).default(1),
    triggerAtDay: z
      .array(whole(0, 6, 0))
      .min(1)
      .max(7)
      .default([0]),
    triggerAtHour: whole(0, 23, 0),
    triggerAtMinute: whole(0, 59, 0),
  }),
  z.object({
    field: z.literal("months"),
    monthsInterval: z.literal(1).default(1),
    triggerAtDayOfMonth: whole(1, 31, 1),
    triggerAtHour: whole(0, 23, 0),
    triggerAtMinute: whole(0, 59, 0),
  }),
]);
type Interval = z.infer<typeof Interval>;

/** n8n's expressions may begin with seconds. */
const withoutSeconds = (cron: string) =>
  cron
    .trim()
    .replace(/^=/, "")
    .replace(/^0\s+(?=(?:\S+\s+){4}\S+$)/, "");

function toCron(interval: Interval): string {
  switch (interval.field) {
    case "cronExpression":
      return withoutSeconds(interval.expression);
    case "minutes":
      return `*/${interval.minutesInterval} * * * *`;
    case "hours":
      return `${interval.triggerAtMinute} */${interval.hoursInterval} * * *`;
    case "days":
      return `${interval.triggerAtMinute} ${interval.triggerAtHour} * * *`;
    case "weeks":
      return `${interval.triggerAtMinute} ${interval.triggerAtHour} * * ${interval.triggerAtDay.join(",")}`;
    case "months":
      return `${interval.triggerAtMinute} ${interval.triggerAtHour} ${interval.triggerAtDayOfMonth} * *`;
  }
}

const Schedule = z.object({
  rule: z.object({
    interval: z
      .array(z.preprocess((one) => ({ field: "days", ...Object(one) }), Interval))
      .min(1)
      .max(5),
  }),
});

function toSchedules({ parameters }: N8nNode): TriggerPart[] {
  const { data } = Schedule.safeParse(parameters);
  if (!data) throw new NoCounterpart("its times can't be written as a schedule");
  return data.rule.interval.map((interval) => ({
    type: "schedule",
    config: { cron: toCron(interval), timeZone: "" },
  }));
}

function toWebhook({ parameters }: N8nNode): TriggerPart[] {
  const { httpMethod: method = "GET", responseMode = "onReceived", authentication = "none" } = parameters;
  if (authentication !== "none")
    throw new NoCounterpart("it checks its callers: add a Webhook Trigger with a signature key");
  if (typeof method !== "string") throw new NoCounterpart("it takes several methods");
  const respond = responseMode === "onReceived" ? "at once" : "with Return Value";
  return [{ type: "webhook", config: { method, respond, signatureKey: "" } }];
}

const TRIGGERS: Readonly<Record<string, (node: N8nNode) => TriggerPart[]>> = {
  manualTrigger: () => [{ type: "manual", config: {} }],
  start: () => [{ type: "manual", config: {} }],
  scheduleTrigger: toSchedules,
  webhook: toWebhook,
};

export const isTrigger = (node: N8nNode): boolean => Object.hasOwn(TRIGGERS, typeOf(node));

/** @throws NoCounterpart */
export const toTriggers = (node: N8nNode): TriggerPart[] => TRIGGERS[typeOf(node)]?.(node) ?? [];
