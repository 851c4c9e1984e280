import { z } from "zod";
import { isWebAddress } from "~/core/field.schema";
import { CursorParam, nameField } from "~/platform/catalogue/fields.schema";
import { Visibility } from "../documents.schema";
import { SCHEDULES } from "../ingestion/ingest.shared";
import { SOURCE_KINDS, SOURCE_LIMITS } from "./source-fields.shared";

const Kind = z.enum(SOURCE_KINDS);

const line = (max: number) =>
  z
    .string("Enter text")
    .trim()
    .max(max, `Use at most ${max} characters`)
    .refine((value) => !/\p{Cc}/u.test(value), "Use a single line");

const isPlainAddress = (value: string) => {
  if (!isWebAddress(value)) return false;
  const { username, password, search, hash } = new URL(value);
  return `${username}${password}${search}${hash}` === "";
};

const whole = (min: number, max: number) =>
  z
    .number(`Enter a number from ${min} to ${max}`)
    .int("Enter a whole number")
    .min(min, `Enter a number from ${min} to ${max}`)
    .max(max, `Enter a number from ${min} to ${max}`);

const relative = line(500).refine(
  (value) => !/[\\?#]/.test(value) && !value.split("/").some((part) => part === "." || part === ".."),
  "Enter a folder such as guides/public",
);

const fields = {
  name: nameField("Please enter a name", 80),
  folder: line(31).describe("Folder: its name in SOURCE_FOLDERS"),
  address: line(500)
    .refine(
      (value) => value === "" || isPlainAddress(value),
      "Enter an http or https address without a password, ? and #",
    )
    .describe("S3, Git, WebDAV"),
  bucket: line(255)
    .refine((value) => !/[/?#\\]/.test(value), "Enter the bucket's name")
    .describe("S3"),
  prefix: relative.describe("S3, Git: only what is below this folder"),
  region: line(60).describe("S3"),
  accessKeyId: line(128).describe("S3: blank for a public bucket"),
  branch: line(200)
    .refine(
      (value) => /^(?:[\w./+-]*)$/.test(value) && !value.startsWith("-"),
      "Enter the name of a branch or tag",
    )
    .describe("Git: branch or tag; the default branch if blank"),
  username: line(200)
    .refine((value) => !value.includes(":"), "Enter a user name without a colon")
    .describe("Git, WebDAV"),
  keyId: line(64).describe("ID of the key reference with the secret key, token or password; blank for none"),
  category: line(60).describe("Category of new documents"),
  visibility: Visibility,
  readers: z
    .array(z.string().max(64))
    .max(500)
    .describe("IDs of the members and groups with access to its documents if restricted, besides its owner"),
  sync: z.enum(SCHEDULES.map(({ name }) => name)).describe("How often it is synced"),
  graceDays: whole(0, SOURCE_LIMITS.graceDays).describe(
    "Days before the document of a removed file is deleted",
  ),
  maxFiles: whole(1, SOURCE_LIMITS.maxFiles).describe("Most files that are read"),
  maxMb: whole(1, SOURCE_LIMITS.maxMb).describe("Most megabytes of all files together"),
};

export const SourceInput = z.object(fields).partial().extend({ kind: Kind, name: fields.name });
export type SourceInput = z.infer<typeof SourceInput>;

export const SourcePatch = z.object(fields).partial();
export type SourcePatch = z.infer<typeof SourcePatch>;

export const SourceValues = z.object(fields);
export type SourceValues = z.infer<typeof SourceValues>;

/** In `deleteSource`: whether its documents go with it. */
export const SourceDeletion = z.object({ documents: z.enum(["keep", "delete"]).default("keep") });
export type SourceDeletion = z.infer<typeof SourceDeletion>;

export const SyncResult = z.object({
  at: z.number(),
  error: z.string().nullable(),
  added: z.number().int(),
  updated: z.number().int(),
  removed: z.number().int(),
  unchanged: z.number().int(),
  skipped: z.number().int(),
  failed: z.number().int(),
  isComplete: z
    .boolean()
    .describe(
      "False if it has more files than its limit, or folders that can't be read, so that none counts as removed",
    ),
});
export type SyncResult = z.infer<typeof SyncResult>;

const Named = z.object({ id: z.string(), name: z.string() });
const Count = z.number().int();

export const Source = z.object({
  id: z.string(),
  kind: Kind,
  ...SourceValues.shape,
  name: z.string(),
  owner: Named,
  progress: z
    .object({ isRunning: z.boolean(), done: Count, total: Count.describe("0 while it is being listed") })
    .nullable()
    .describe("Of the sync that waits or runs"),
  files: z.object({
    current: Count,
    skipped: Count,
    failed: Count,
    missing: Count.describe("Removed, within the grace time"),
  }),
  lastSync: SyncResult.extend({ at: z.iso.datetime() }).nullable(),
  nextSyncAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Source = z.infer<typeof Source>;

export const FileState = z.enum(["current", "skipped", "failed", "removed"]);

export const SourceFile = z.object({
  path: z.string(),
  state: FileState,
  reason: z.string().nullable().describe("Why it was skipped or failed"),
  size: z.number().int().nullable().describe("In bytes; null if unknown"),
  link: z.string().nullable(),
  document: Named.nullable(),
  missingSince: z.iso.datetime().nullable(),
  changedAt: z.iso.datetime(),
});
export type SourceFile = z.infer<typeof SourceFile>;

export const SourceFilesQuery = z.object({
  state: FileState.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: CursorParam,
});
export type SourceFilesQuery = z.infer<typeof SourceFilesQuery>;

export const SourcesScreenQuery = z.object({
  dialog: z.enum(["new"]).optional().catch(undefined),
  kind: Kind.optional().catch(undefined),
});

export const SourceScreenQuery = z.object({
  dialog: z.enum(["edit", "delete"]).optional().catch(undefined),
  state: FileState.optional().catch(undefined),
  cursor: CursorParam.catch(undefined),
});
