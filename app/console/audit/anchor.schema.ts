import { z } from "zod";

/**
 * The trail's newest entry, stored outside the data folder. `restart` marks where an owner accepted the
 * trail; earlier anchors no longer apply.
 */
export const Anchor = z.object({
  at: z.iso.datetime(),
  seq: z.int().nonnegative(),
  mac: z.string(),
  restart: z.boolean(),
  signature: z.string(),
});
export type Anchor = z.infer<typeof Anchor>;

export const ANCHOR_DESTINATIONS = ["email", "webhook"] as const;
export type AnchorDestination = (typeof ANCHOR_DESTINATIONS)[number];

export const AnchorTargets = z.object({
  file: z.boolean().describe("Whether AUDIT_ANCHOR names a file"),
  destinations: z.array(z.enum(ANCHOR_DESTINATIONS)).describe("Destinations other than the file"),
});
export type AnchorTargets = z.infer<typeof AnchorTargets>;
