import { z } from "zod";
import { ai } from "~/platform/settings/groups/ai.schema";
import { monitoring } from "~/platform/settings/groups/monitoring.schema";
import { notifications } from "~/platform/settings/groups/notifications.schema";
import { performance } from "~/platform/settings/groups/performance.schema";
import { security } from "~/platform/settings/groups/security.schema";

export const ADVANCED_GROUPS = ["performance", "security", "ai", "monitoring", "notifications"] as const;
type AdvancedGroup = (typeof ADVANCED_GROUPS)[number];

const Version = z.int("Enter the version you read").min(0);
const versions = Object.fromEntries(ADVANCED_GROUPS.map((id) => [id, Version])) as Record<
  AdvancedGroup,
  typeof Version
>;

export const AdvancedSettings = z.object({
  performance: performance.values,
  security: security.values,
  ai: ai.values,
  monitoring: monitoring.values,
  notifications: notifications.values,
  versions: z.object(versions).describe("Number of saves of each group"),
});
export type AdvancedSettings = z.infer<typeof AdvancedSettings>;

export const AdvancedInput = z
  .strictObject({
    performance: performance.patch,
    security: security.patch,
    ai: ai.patch,
    monitoring: monitoring.patch,
    notifications: notifications.patch,
    versions: z
      .strictObject(versions)
      .partial()
      .describe("The versions that were read; 409 if a group was saved since"),
  })
  .partial();
export type AdvancedInput = z.infer<typeof AdvancedInput>;

export const CacheState = z.object({ cached: z.int().describe("Cached values") });
export const CacheCleared = z.object({ cleared: z.int().describe("Values that were cached") });

export const PastRetention = z.object({
  conversations: z.int().describe("Conversations last used more days ago"),
  comparisons: z.int().describe("Comparisons made more days ago"),
});
export type PastRetention = z.infer<typeof PastRetention>;

/** By group id. */
export const SettingsExport = z.record(
  z.string(),
  z.object({ version: z.number().int(), values: z.record(z.string(), z.unknown()) }),
);
export type SettingsExport = z.infer<typeof SettingsExport>;
