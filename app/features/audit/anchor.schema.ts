import { z } from "zod";

/**
 * The trail's newest entry at a time, kept outside the data folder: the head beside the database is replaced with it, an
 * anchor isn't. `restart` is where an owner accepted the trail: anchors before it no longer hold.
 */
export const Anchor = z.object({
  at: z.iso.datetime(),
  seq: z.int().nonnegative(),
  mac: z.string(),
  restart: z.boolean(),
  signature: z.string(),
});
export type Anchor = z.infer<typeof Anchor>;

/** Where an anchor is sent, beside the file. */
export const ANCHOR_DESTINATIONS = ["email", "webhook"] as const;
export type AnchorDestination = (typeof ANCHOR_DESTINATIONS)[number];

/** Where anchors go. */
export const AnchorTargets = z.object({
  file: z.boolean().describe("Whether AUDIT_ANCHOR names a file"),
  destinations: z.array(z.enum(ANCHOR_DESTINATIONS)).describe("Where anchors are sent beside the file"),
});
export type AnchorTargets = z.infer<typeof AnchorTargets>;
