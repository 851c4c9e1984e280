import { z } from "zod";
import { numeric } from "./step-config";
import { defineStep } from "./step-type";

/** 30 days. */
const MAX_SECONDS = 2_592_000;

export const delay = defineStep({
  type: "delay",
  label: "Delay",
  description: "Wait before the next step, also across restarts.",
  category: "Logic",
  node: "action",
  icon: "Timer",
  defaults: { seconds: 60 },
  config: z.object({ seconds: numeric(1, MAX_SECONDS).default(60) }),
  fields: [
    {
      name: "seconds",
      label: "Seconds",
      hint: "Enter up to 2,592,000, which is 30 days.",
      control: { kind: "number", min: 1, max: MAX_SECONDS, step: 1 },
    },
  ],
  repeatable: true,
  timeoutMs: 5_000,
  control: "delay",
});
