import { z } from "zod";
import type { JobTypeOf } from "../jobs/job-kind.service.server";

const input = z.object({ deliveryId: z.string() });

/** Apart from its kind, which depends on the channels. */
export const deliverNotification = {
  kind: "notifications.deliver",
  input,
  lane: "interactive",
} as const satisfies JobTypeOf<z.input<typeof input>>;
