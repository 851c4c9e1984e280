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

export const isContent = (name: string) =>
  name === DATABASE ||
  name === WORKSPACE ||
  /^runs\/[A-Za-z0-9_-]{1,64}\/[A-Za-z0-9_]{1,60}\.json$/.test(name) ||
  /^attachments\/[0-9a-f]{64}$/.test(name);

export function formatBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1000)} kB`;
}
