import { z } from "zod";
import { MAX_ROWS } from "./condition-rows.shared";

export const ConditionRows = z.object({
  /** All or any. */
  match: z.enum(["all", "any"]).catch("all"),
  rows: z
    .array(
      z.object({ field: z.string().max(1000), operator: z.string().max(20), value: z.string().max(2000) }),
    )
    .max(MAX_ROWS),
});
