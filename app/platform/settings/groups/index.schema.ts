import type { z } from "zod";
import { ai } from "./ai.schema";
import { backups } from "./backups.schema";
import { branding } from "./branding.schema";
import { guardrails } from "./guardrails.schema";
import { monitoring } from "./monitoring.schema";
import { notifications } from "./notifications.schema";
import { organisation } from "./organisation.schema";
import { performance } from "./performance.schema";
import { rag } from "./rag.schema";
import { recognition } from "./recognition.schema";
import { routing } from "./routing.schema";
import { security } from "./security.schema";

/** A new group is one file and one line here. */
export const SETTINGS_GROUPS = [
  rag,
  recognition,
  performance,
  security,
  ai,
  monitoring,
  notifications,
  branding,
  organisation,
  guardrails,
  routing,
  backups,
] as const;

type Group = (typeof SETTINGS_GROUPS)[number];
export type GroupId = Group["id"];
type GroupOf<I extends GroupId> = Extract<Group, { id: I }>;
export type SettingsOf<I extends GroupId> = z.infer<GroupOf<I>["values"]>;
export type PatchOf<I extends GroupId> = z.infer<GroupOf<I>["patch"]>;
export type SettingPath = { [I in GroupId]: `${I}.${keyof SettingsOf<I> & string}` }[GroupId];
export type SettingAt<P extends SettingPath> = P extends `${infer I extends GroupId}.${infer N}`
  ? N extends keyof SettingsOf<I>
    ? SettingsOf<I>[N]
    : never
  : never;
