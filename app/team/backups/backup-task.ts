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

export const BackupTask = z.discriminatedUnion("kind", [CreateTask, ExtractTask, VacuumTask, CheckTask]);
export type BackupTask = z.infer<typeof BackupTask>;
export type CreateTask = z.infer<typeof CreateTask>;
export type ExtractTask = z.infer<typeof ExtractTask>;

/** The first file of an archive. */
export const BackupManifest = z.object({
  format: z.number().int(),
  version: z.string().max(100),
  createdAt: z.iso.datetime(),
  auditKey: z.string().max(100),
  bytes: z.number().int().nonnegative(),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** SHA-256 of each file before it, in hexadecimal: the last file of an archive. */
export const BackupChecksums = z.record(z.string().max(200), z.string().length(64));

/** `bytes` is the size of the archive, of its unpacked files, or of the freed space. */
export const BackupOutcome = z.object({
  bytes: z.number(),
  manifest: BackupManifest.optional(),
  finding: z.string().optional(),
});
export type BackupOutcome = z.infer<typeof BackupOutcome>;

/** Version of the archive's layout; raise it for changes that older versions can't read. */
export const FORMAT = 1;
export const MANIFEST = "manifest.json";
export const CHECKSUMS = "checksums.json";
export const DATABASE = "quarterdeck.sqlite";
export const WORKSPACE = "workspace.db";
export const RUNS = "runs";
export const ATTACHMENTS = "attachments";
export const PARTIAL = ".partial";
export const STAGING = ".staging";
/** Progress file in the staging folder: bytes archived, and the total. */
export const POSITION = "position";
/** Contents of a backup, which a restore replaces. */
export const CONTENTS = [DATABASE, WORKSPACE, RUNS, ATTACHMENTS] as const;

export const isContent = (name: string) =>
  name === DATABASE ||
  name === WORKSPACE ||
  /^runs\/[A-Za-z0-9_-]{1,64}\/[A-Za-z0-9_]{1,60}\.json$/.test(name) ||
  /^attachments\/[0-9a-f]{64}$/.test(name);

export function formatBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1000)} kB`;
}
