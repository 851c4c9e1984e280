import { z } from "zod";
import { budget, document, failure } from "./event.triggers.server";
import { form } from "./form.trigger.server";
import { email, feed } from "./polled.triggers.server";
import { schedule } from "./schedule.trigger.server";
import { tool } from "./tool.trigger.server";
import { defineTrigger, type TriggerType } from "./trigger-type";
import { webhook } from "./webhook.trigger.server";

const manual = defineTrigger({
  type: "manual",
  label: "Manual Trigger",
  description: "Start the workflow with its Run button or the API.",
  icon: "Play",
  defaults: {},
  config: z.object({}),
  fields: [],
});

/** In the palette's order. */
export const triggerTypes = [
  manual,
  schedule,
  webhook,
  failure,
  document,
  budget,
  feed,
  email,
  tool,
  form,
] as const satisfies readonly TriggerType[];

export const findTriggerType = (type: string): TriggerType | undefined =>
  triggerTypes.find((one) => one.type === type);
