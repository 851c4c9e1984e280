import { z } from "zod";

const ENTRIES_MAX = 200;

const Entry = z
  .string("Enter a host or network")
  .trim()
  .min(1, "Enter a host or network")
  .max(260, "Use at most 260 characters");

export const EgressEntry = z.object({ entry: Entry });
export type EgressEntry = z.infer<typeof EgressEntry>;

/** Destinations allowed besides public addresses. */
export const EgressAllow = z.strictObject({
  allow: z
    .array(z.string().trim().min(1, "Remove empty entries").max(260, "Use at most 260 characters"))
    .max(ENTRIES_MAX, `Enter at most ${ENTRIES_MAX} entries`)
    .describe("Host, host:port, *.suffix or a network such as 10.1.0.0/16"),
});
export type EgressAllow = z.infer<typeof EgressAllow>;

/** Without path, query, headers or body. */
export const EgressCallEntry = z.object({
  at: z.iso.datetime(),
  purpose: z.string().describe("Purpose, such as tool:web.fetch"),
  method: z.string().describe("CONNECT for a socket"),
  host: z.string(),
  port: z.number().int(),
  verdict: z.enum(["allowed", "refused", "failed"]),
  status: z.number().int().optional().describe("Status of the response"),
  reason: z.string().optional().describe("Reason for a refusal or failure"),
});
export type EgressCallEntry = z.infer<typeof EgressCallEntry>;
