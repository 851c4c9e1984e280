import { z } from "zod";
import { clip } from "~/core/well-formed";
import { choice, requiredText } from "./step-config";
import { defineStep } from "./step-type";

const LEVELS = ["debug", "info", "warn", "error"] as const;
const LEVEL_LABELS = { debug: "Debug", info: "Info", warn: "Warning", error: "Error" };
/** Characters per message. */
const MAX_LENGTH = 10_000;

export const log = defineStep({
  type: "log",
  label: "Log Output",
  description: "Write a line to the run's log.",
  category: "Output",
  node: "output",
  icon: "ScrollText",
  defaults: { level: "info", message: "" },
  config: z.object({ level: choice(LEVELS, "info"), message: requiredText("Enter a message") }),
  fields: [
    {
      name: "level",
      label: "Level",
      control: { kind: "select", options: LEVELS.map((value) => ({ value, label: LEVEL_LABELS[value] })) },
    },
    { name: "message", label: "Message", control: { kind: "textarea" } },
  ],
  outputs: { message: "The logged message" },
  repeatable: true,
  timeoutMs: 5_000,
  async run({ config, log: write }) {
    const message = clip(config.message, MAX_LENGTH);
    write(config.level, message);
    return { output: { level: config.level, message } };
  },
});
