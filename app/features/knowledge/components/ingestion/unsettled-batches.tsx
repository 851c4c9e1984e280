import { Form, Link, useNavigation } from "@remix-run/react";
import { CircleAlert, RotateCcw } from "lucide-react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { countOf, formatCount } from "~/ui/format";
import { ScrollRegion } from "~/ui/scroll-region";
import { Spinner } from "~/ui/spinner";
import { RelativeTime } from "~/ui/time";
import type { RecentBatch } from "../../ingestion/batches/batches.schema";
import type { ListView } from "../../screens/rag-screen.schema";
import { ragAddress } from "../documents/addresses";
import { useChangesAddress } from "../documents/use-changes-address";

interface RecentBatchesProps {
  /** Excludes the batch whose panel is open. */
  batches: readonly RecentBatch[];
  view: ListView;
}

export function RecentBatches({ batches, view }: RecentBatchesProps) {
  const shown = batches.filter(({ id }) => id !== view.batch);
  if (shown.length === 0) return null;
  return (
    <Card title="Recent uploads">
      <ScrollRegion
        label="Recent uploads"
        className="-mx-4 -mt-1 -mb-4 max-h-64 overflow-y-auto border-line border-t"
      >
        <ul className="*:not-last:border-line *:not-last:border-b">
          {shown.map((batch) => (
            <Row key={batch.id} batch={batch} to={ragAddress(view, { batch: batch.id, part: "" })} />
          ))}
        </ul>
      </ScrollRegion>
    </Card>
  );
}

function Row({ batch, to }: { batch: RecentBatch; to: string }) {
  const { id, label, createdAt, counts } = batch;
  const running = counts.queued + counts.running > 0;
  return (
    <li className="relative flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2 hover:bg-hover">
      <span aria-hidden="true" className="shrink-0 [&_svg]:size-4">
        {running ? <Spinner className="text-info-ink" /> : <CircleAlert className="text-danger-ink" />}
      </span>
      <div className="min-w-0 flex-1 basis-48">
        <Link to={to} preventScrollReset className="wrap-anywhere after:absolute after:inset-0">
          {label}
        </Link>
        <p className="text-muted text-xs tabular-nums">
          {stateOf(batch)} · <RelativeTime at={createdAt} style="long" />
        </p>
      </div>
      {!running && batch.retryable > 0 && <RetryForm id={id} label={label} />}
    </li>
  );
}

function RetryForm({ id, label }: { id: string; label: string }) {
  const { formData } = useNavigation();
  const changes = useChangesAddress();
  const intent = formData?.get("batch") === id ? formData.get("intent") : null;
  return (
    <Form method="post" action={changes} preventScrollReset className="relative flex flex-wrap gap-2">
      <input type="hidden" name="batch" value={id} />
      <Button
        size="sm"
        name="intent"
        value="retry-batch"
        pending={intent === "retry-batch"}
        icon={<RotateCcw aria-hidden="true" />}
        aria-label={`Retry ${label}`}
      >
        Retry
      </Button>
    </Form>
  );
}

function stateOf({ counts: { total, queued, running, done, failed }, sitemapFailed }: RecentBatch): string {
  if (queued + running > 0) return `In progress, ${formatCount(done)} of ${countOf(total, "document")} done`;
  const documents = failed - (sitemapFailed ? 1 : 0);
  const parts = [
    ...(sitemapFailed ? ["The sitemap couldn't be read"] : []),
    ...(documents > 0 ? [`${formatCount(documents)} of ${countOf(total, "document")} failed`] : []),
  ];
  return parts.join(", ");
}
