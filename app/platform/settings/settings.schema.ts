import { z } from "zod";
import { Theme } from "./groups/branding.schema";
import { rag } from "./groups/rag.schema";

export const RagSettings = rag.values;
export type RagSettings = z.infer<typeof RagSettings>;

/** Version the form was opened with; without it the last save wins. */
export const SettingsVersion = z.coerce.number().int().min(0).optional();

const StartPage = z.enum(["dashboard", "chat"]);

export const UserSettings = RagSettings.extend({
  preferredModel: z.string().nullable().describe("The model you chose last"),
  theme: Theme.nullable().describe("Your theme; null follows the organization's branding"),
  enterSends: z.boolean().describe("Whether Enter sends a chat message"),
  memory: z.boolean().describe("Whether your chats can use and propose memories; off by default"),
  startPage: StartPage.describe("Where your sign-in leads; `chat` by default below admin, if you may use it"),
});
export type UserSettings = z.infer<typeof UserSettings>;

export const UserSettingsInput = rag.patch.extend({
  preferredModel: z.string().trim().min(1).max(200).nullable().optional(),
  theme: Theme.nullable().optional(),
  enterSends: z.boolean().optional(),
  memory: z.boolean().optional(),
  startPage: StartPage.optional(),
});
export type UserSettingsInput = z.infer<typeof UserSettingsInput>;

export const ThemeChoice = z.object({ theme: Theme });

export const EnterSendsChoice = z.object({
  enterSends: z.enum(["true", "false"]).transform((value) => value === "true"),
});

export const MemoryChoice = z.object({
  memory: z.enum(["true", "false"]).transform((value) => value === "true"),
});

export const StartPageChoice = z.object({ startPage: StartPage });

export const ModelChoice = z.object({ model: z.string().trim().min(1, "Choose a model").max(200) });
export type ModelChoice = z.infer<typeof ModelChoice>;
