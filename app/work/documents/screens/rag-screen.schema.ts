import { z } from "zod";
import { DOCUMENT_TYPES } from "~/platform/catalogue/documents";
import { RagSettings, SettingsVersion } from "~/platform/settings/settings.schema";
import type { SearchAnswer } from "~/work/search/search.schema";
import { DocumentSort, DocumentStatus } from "../documents.schema";

const INGEST_TABS = ["text", "url", "file"] as const;
export type IngestTab = (typeof INGEST_TABS)[number];

const SearchText = z.string().trim().max(200).catch("").default("");
const CategoryWord = z.string().trim().max(60).catch("").default("");

/** List state, kept in the address while a dialog is open. */
export const ListView = z.object({
  find: SearchText,
  status: z
    .enum(["", ...DocumentStatus.options, "deleted"])
    .catch("")
    .default(""),
  group: CategoryWord,
  sort: z
    .enum(["", ...DocumentSort.options])
    .catch("")
    .default(""),
  cursor: SearchText,
  panel: z.enum(["", "settings"]).catch("").default(""),
  batch: SearchText,
});
export type ListView = z.infer<typeof ListView>;

const Day = z
  .union([z.iso.date(), z.literal("")])
  .catch("")
  .default("");

/** The search dialog's parameters; `q` is absent before the first search. */
export const SearchView = z.object({
  q: z.string().max(5000).optional().catch(undefined),
  in: CategoryWord,
  type: z
    .enum(["", ...DOCUMENT_TYPES])
    .catch("")
    .default(""),
  from: Day,
  to: Day,
});
export type SearchView = z.infer<typeof SearchView>;

export type SearchOutcome = { answer: SearchAnswer } | { missing: string } | { problem: string };

export const DialogView = z.object({
  dialog: z.enum(["search", "ingest", "rebuild", "scanned-pages"]).optional().catch(undefined),
  tab: z.enum(INGEST_TABS).catch("text").default("text"),
});
export type DialogView = z.infer<typeof DialogView>;

/** Unchecked switches aren't sent. */
export const RagSettingsForm = RagSettings.extend({
  ragEnabled: z.boolean().default(false),
  version: SettingsVersion,
});
