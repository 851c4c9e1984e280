import { z } from "zod";

/** The sample team, or the offer to add one. */
export interface SampleOffer {
  /** The team that is there; null where one can be added. */
  team: {
    documents: string[];
    personas: string[];
    workflows: string[];
    changed: string[];
    /** Whether its documents are read, so that questions find them. */
    isReady: boolean;
  } | null;
}

/** The form that removes the team; a box for what was changed. */
export const SampleRemoval = z.object({ withChanged: z.literal("yes").optional() });
