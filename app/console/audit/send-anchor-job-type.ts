import { z } from "zod";
import type { JobTypeOf } from "~/platform/jobs/job-kind.service.server";
import { ANCHOR_DESTINATIONS, Anchor } from "./anchor.schema";

const input = z.object({ destination: z.enum(ANCHOR_DESTINATIONS), anchor: Anchor });

export const sendAnchorType = {
  kind: "audit.send-anchor",
  input,
  lane: "maintenance",
} as const satisfies JobTypeOf<z.input<typeof input>>;
