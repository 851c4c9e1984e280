import { CircleAlert, CircleCheck, RefreshCw, Square } from "lucide-react";
import { LinkButton, Spinner } from "~/ui/button";
import { countOf, formatCount } from "~/ui/format";
import type { Batch } from "../ingestion/ingest.schema";
import type { ListView } from "../screens/rag-screen.schema";
import { listAddress, ragAddress, useChangesAddress } from "./addresses";
import { IntentForm } from "./intent-form";
import { ProgressBar } from "./progress-bar";
import { SameNames } from "./same-name";

interface AddedTogetherProps {
  /** Undefined if none of its documents exist any more. */
  batch: Batch | undefined;
  view: ListView;
  mayWrite: boolean;
}

/** Says that the list shows only documents that were added together, and how far they are. */
export function AddedTogether({ batch, view, mayWrite }: AddedTogetherProps) {
  const isReading = batch?.sitemap?.isActive ?? false;
  const { total, processing, failed } = batch?.counts ?? { total: 0, processing: 0, failed: 0 };
  const isRunning = isReading || processing > 0;
  const error = batch?.sitemap?.error;
  return (
    <section
      aria-labelledby="added-together"
      data-added-together=""
      className="min-w-0 overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
        <span aria-hidden="true" className="shrink-0 [&_svg]:size-4">
          {isRunning ? (
            <Spinner className="text-info-ink" />
          ) : !batch ? (
            <CircleAlert className="text-muted" />
          ) : failed > 0 || error ? (
            <CircleAlert className="text-danger-ink" />
          ) : (
            <CircleCheck className="text-success-ink" />
          )}
        </span>
        <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
          <h2 id="added-together" className="text-sm">
            Added Together
          </h2>
          <p role="status" className="text-muted text-xs tabular-nums">
            {summaryOf(batch)}
          </p>
        </div>
        {isRunning && batch && mayWrite && <CancelBatch id={batch.id} here={ragAddress(view)} />}
        <LinkButton size="sm" variant="ghost" to={listAddress(view, { batch: "" })} preventScrollReset>
          Show All Documents
        </LinkButton>
      </div>
      {mayWrite && batch && batch.sameNames.length > 1 && <SameNames ids={batch.sameNames} />}
      {error && <p className="wrap-anywhere px-4 pb-2 text-danger-ink text-xs">{error}</p>}
      {isRunning && (
        <ProgressBar
          label="Upload progress"
          done={total - processing}
          total={isReading ? 0 : total}
          className="rounded-none!"
        />
      )}
    </section>
  );
}

function CancelBatch({ id, here }: { id: string; here: string }) {
  return (
    <div className="flex items-center gap-2">
      <IntentForm
        intent="cancel-batch"
        values={{ batch: id }}
        action={useChangesAddress()}
        size="sm"
        icon={<Square aria-hidden="true" />}
      >
        Cancel Remaining
      </IntentForm>
      <noscript>
        <LinkButton size="sm" to={here} icon={<RefreshCw aria-hidden="true" />}>
          Reload
        </LinkButton>
      </noscript>
    </div>
  );
}

function summaryOf(batch: Batch | undefined): string {
  if (!batch) return "These documents no longer exist.";
  const { ready, total, failed } = batch.counts;
  if (total === 0 && batch.sitemap)
    return batch.sitemap.isActive ? "Reading the sitemap" : "No documents were added";
  const done = `${formatCount(ready)} of ${countOf(total, "document")} ready`;
  const reading = batch.sitemap?.isActive ? ", reading the sitemap" : "";
  return failed > 0 ? `${done}, ${formatCount(failed)} failed${reading}` : `${done}${reading}`;
}
