import { z } from "zod";

const CreateTask = z.object({
  kind: z.literal("create"),
  dataDir: z.string(),
  target: z.string(),
  version: z.string(),
  createdAt: z.string(),
  /** Fingerprint of the audit key, which the archive doesn't contain. */
  auditKey: z.string(),
});

const ExtractTask = z.object({
  kind: z.literal("extract"),
  archive: z.string(),
  target: z.string(),
  migrations: z.array(z.string()),
});

/** Rewrites a database without its free pages, while nothing else has it open. */
const VacuumTask = z.object({ kind: z.literal("vacuum"), database: z.string() });

/** Checks a database beside its writer: all of it, or quickly without comparing indexes with their tables. */
const CheckTask = z.object({
  kind: z.literal("check"),
  database: z.string(),
  extent: z.enum(["quick", "full"]),
});

/** Counts files beside the database that its rows name and that are gone. */
const FilesTask = z.object({ kind: z.literal("files"), dataDir: z.string(), hasCopies: z.boolean() });

export const BackupTask = z.discriminatedUnion("kind", [
  CreateTask,
  ExtractTask,
  VacuumTask,
  CheckTask,
  FilesTask,
]);
export type BackupTask = z.infer<typeof BackupTask>;
export type CreateTask = z.infer<typeof CreateTask>;
export type ExtractTask = z.infer<typeof ExtractTask>;

/** The first file of an archive. */
export const BackupManifest = z.object({
  format: z.number().int(),
  version: z.string().max(100),
  createdAt: z.iso.datetime(),
  auditKey: z.string().max(100),
  /** Of all files together, in bytes. */
  bytes: z.number().int().nonnegative(),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** SHA-256 of each file before it, in hexadecimal: the last file of an archive. */
export const BackupChecksums = z.record(z.string().max(200), z.string().length(64));

/** `bytes` is the size of the archive, of its unpacked files, or of the freed space. */
export const BackupOutcome = z.object({
  bytes: z.number(),
  manifest: BackupManifest.optional(),
  /** Whether another process that reads the database keeps the freed space for now. */
  followsLater: z.boolean().optional(),
  /** What a check found; undefined if the database is intact. */
  finding: z.string().optional(),
  missing: z.object({ attachments: z.number(), outputs: z.number() }).optional(),
});
export type BackupOutcome = z.infer<typeof BackupOutcome>;
