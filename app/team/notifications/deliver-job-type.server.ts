import { z } from "zod";
import type { JobTypeOf } from "~/platform/jobs/job-kind.service.server";

const input = z.object({ deliveryId: z.string() });

/** Separate from its kind, which imports the channels. */
export const deliverNotification = {
  kind: "notifications.deliver",
  input,
  lane: "interactive",
} as const satisfies JobTypeOf<z.input<typeof input>>;
