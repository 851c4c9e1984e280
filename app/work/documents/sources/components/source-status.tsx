import { Badge } from "~/ui/badge";
import { countOf, formatCount } from "~/ui/format";
import { RelativeTime } from "~/ui/time";
import { ProgressBar } from "../../components/progress-bar";
import type { Source } from "../source.schema";

/** Where a source lies, in a line. */
export function sourcePlace({ kind, folder, address, bucket, prefix, branch }: Source): string {
  if (kind === "folder") return folder;
  const parts = [address.replace(/\/+$/, ""), kind === "s3" ? bucket : "", prefix].filter(Boolean);
  return parts.join("/") + (kind === "git" && branch ? ` (${branch})` : "");
}

const CHANGES = ["added", "updated", "removed", "failed"] as const;

/** What the last sync did, or how far this one is. */
export function SourceStatus({ source }: { source: Source }) {
  const { progress, lastSync, name } = source;
  if (progress) {
    const { isRunning, done, total } = progress;
    const of = total > 0 ? `Syncing: ${formatCount(done)} of ${countOf(total, "file")}` : "Listing files";
    return (
      <div className="min-w-40 max-w-80">
        <p className="text-muted text-xs">{isRunning ? of : "Waiting for its sync"}</p>
        {isRunning && <ProgressBar label={`Sync of ${name}`} done={done} total={total} className="mt-1" />}
        {lastSync?.error && <p className="wrap-anywhere mt-1 text-danger-ink text-xs">{lastSync.error}</p>}
      </div>
    );
  }
  if (!lastSync) return <span className="text-muted">Not synced yet</span>;
  const changes = CHANGES.flatMap((name) =>
    lastSync[name] > 0 ? `${formatCount(lastSync[name])} ${name}` : [],
  );
  return (
    <div>
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={lastSync.error ? "danger" : lastSync.failed > 0 ? "warning" : "success"}>
          {lastSync.error ? "Failed" : lastSync.failed > 0 ? "Synced With Errors" : "Synced"}
        </Badge>
        <RelativeTime at={lastSync.at} className="text-muted text-xs" />
      </p>
      <p className="wrap-anywhere mt-1 text-muted text-xs">
        {lastSync.error ?? (changes.length > 0 ? changes.join(", ") : "No changes")}
      </p>
    </div>
  );
}
