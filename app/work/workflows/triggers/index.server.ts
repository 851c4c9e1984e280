import { manual } from "./manual.trigger.server";
import { schedule } from "./schedule.trigger.server";
import type { TriggerType } from "./trigger-type";
import { webhook } from "./webhook.trigger.server";

/** In the palette's order. */
export const triggerTypes = [manual, schedule, webhook] as const satisfies readonly TriggerType[];

export const findTriggerType = (type: string): TriggerType | undefined =>
  triggerTypes.find((one) => one.type === type);
