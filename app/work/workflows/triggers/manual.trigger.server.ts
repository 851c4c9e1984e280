import { z } from "zod";
import { defineTrigger } from "./trigger-type";

export const manual = defineTrigger({
  type: "manual",
  label: "Manual Trigger",
  description: "Start the workflow with its Run button or the API.",
  icon: "Play",
  defaults: {},
  config: z.object({}),
  fields: [],
});
