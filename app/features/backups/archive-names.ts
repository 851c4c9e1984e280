/** Of the archive's layout; a change that older programs can't read raises it. */
export const FORMAT = 1;
export const MANIFEST = "manifest.json";
export const CHECKSUMS = "checksums.json";
export const DATABASE = "quarterdeck.sqlite";
export const WORKSPACE = "workspace.db";
export const RUNS = "runs";
export const ATTACHMENTS = "attachments";
/** Ends of the names of what a backup is written to before it is complete. */
export const PARTIAL = ".partial";
export const STAGING = ".staging";
/** In the staging folder: the bytes that are in the archive so far, and of all. */
export const POSITION = "position";
/** Everything of the data folder that a backup holds and a restore replaces. */
export const CONTENTS = [DATABASE, WORKSPACE, RUNS, ATTACHMENTS] as const;

/** The files that an archive may hold beside its manifest and checksums. */
export const isContent = (name: string) =>
  name === DATABASE ||
  name === WORKSPACE ||
  /^runs\/[A-Za-z0-9_-]{1,64}\/[A-Za-z0-9_]{1,60}\.json$/.test(name) ||
  /^attachments\/[0-9a-f]{64}$/.test(name);

/** A size for people. */
export function formatBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1000)} kB`;
}
