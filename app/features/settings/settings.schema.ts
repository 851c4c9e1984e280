import { z } from "zod";
import { Theme } from "./groups/branding.schema";
import { rag } from "./groups/rag.schema";

/** What the organization's rag settings hold. */
export const RagSettings = rag.values;
export type RagSettings = z.infer<typeof RagSettings>;

/** The version that a form's person read: a later save by someone else is refused. Absent, the last save wins. */
export const SettingsVersion = z.coerce.number().int().min(0).optional();

/** The person's own preferences and the organization's rag settings, as one answer. */
export const UserSettings = RagSettings.extend({
  preferredModel: z.string().nullable().describe("The model you chose last"),
  theme: Theme.nullable().describe("Your theme; null follows the organization's branding"),
  enterSends: z.boolean().describe("Whether Enter sends a chat message"),
});
export type UserSettings = z.infer<typeof UserSettings>;

/** Changes only the fields sent. The rag and embedding fields take an admin. */
export const UserSettingsInput = rag.patch.extend({
  preferredModel: z.string().trim().min(1).max(200).nullable().optional(),
  theme: Theme.nullable().optional(),
  enterSends: z.boolean().optional(),
});
export type UserSettingsInput = z.infer<typeof UserSettingsInput>;

/** The user card's choice of theme. */
export const ThemeChoice = z.object({ theme: Theme });

/** The profile's switch: its hidden field says what it is to become. */
export const EnterSendsChoice = z.object({
  enterSends: z.enum(["true", "false"]).transform((value) => value === "true"),
});

/** The top bar's model picker. */
export const ModelChoice = z.object({ model: z.string().trim().min(1, "Choose a model").max(200) });
export type ModelChoice = z.infer<typeof ModelChoice>;
