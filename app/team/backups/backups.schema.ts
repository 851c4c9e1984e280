import { z } from "zod";

/** Origins of a backup; `other`, which isn't listed, is a file that an operator added. */
export const BACKUP_KINDS = ["manual", "scheduled", "before-restore", "uploaded"] as const;
export type BackupKind = (typeof BACKUP_KINDS)[number];

const BackupName = z
  .string()
  .max(120)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*\.tar\.gz$/, "Choose a backup from the list");

export const BackupView = z.object({
  name: BackupName,
  kind: z.enum([...BACKUP_KINDS, "other"]),
  bytes: z.number().int(),
  createdAt: z.iso.datetime(),
});
export type BackupView = z.infer<typeof BackupView>;

export const BackupId = z.object({ id: z.string().max(200) });

export const CompactInput = z.object({
  restart: z
    .literal(true, "The console restarts")
    .optional()
    .describe("That the console may restart, which the call itself says"),
});

/** Size limit of an upload in bytes; larger backups are copied into the data folder. */
const MAX_UPLOAD_BYTES = 1_000_000_000;
export const BACKUP_UPLOAD_LIMITS = { maxBytes: MAX_UPLOAD_BYTES, fileBytes: MAX_UPLOAD_BYTES, files: 1 };

/** In bytes before compression. */
export interface BackupProgress {
  /** `copying` or `compressing`. */
  step?: string | undefined;
  done: number;
  total: number;
}

/** Result of the last restore, compaction or check. */
export const MaintenanceOutcome = z.object({
  work: z.enum(["restore", "compact", "check"]),
  ok: z.boolean(),
  at: z.iso.datetime(),
  message: z.string(),
});
export type MaintenanceOutcome = z.infer<typeof MaintenanceOutcome>;
