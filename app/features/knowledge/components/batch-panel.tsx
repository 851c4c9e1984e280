import { Form, Link, useNavigation } from "@remix-run/react";
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleSlash,
  RefreshCw,
  RotateCcw,
  Square,
  X,
} from "lucide-react";
import { Button, IconLink, LinkButton } from "~/ui/button";
import { countOf, formatCount } from "~/ui/format";
import { ScrollRegion } from "~/ui/scroll-region";
import { Spinner } from "~/ui/spinner";
import type { Batch, BatchItem } from "../batches.schema";
import type { ListView } from "../rag-screen.schema";
import { ragAddress } from "./addresses";
import { documentAddress } from "./document-card";
import { progressWords } from "./document-status";
import { ProgressBar } from "./progress-bar";
import { useChangesAddress } from "./use-changes-address";

interface BatchPanelProps {
  batch: Batch;
  view: ListView;
}

/** What a finished item came to. */
const OUTCOMES = {
  added: "Added",
  changed: "Changed",
  unchanged: "Unchanged",
  duplicate: "There already",
} as const;

/** Documents that came together: how far they are, and what went wrong. */
export function BatchPanel({ batch, view }: BatchPanelProps) {
  const { formData } = useNavigation();
  const changes = useChangesAddress();
  const { counts, items } = batch;
  const over = counts.done + counts.failed + counts.cancelled;
  const running = counts.queued + counts.running > 0;
  const intent = formData?.get("batch") === batch.id ? formData.get("intent") : null;
  const here = ragAddress(view);
  return (
    <section
      aria-labelledby="batch"
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4 shadow-card"
    >
      <header className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h2 id="batch" className="wrap-anywhere text-sm">
            {headingOf(batch)}
          </h2>
          <p role="status" className="mt-0.5 text-muted tabular-nums">
            {summaryOf(counts)}
          </p>
        </div>
        <IconLink
          to={ragAddress(view, { batch: "", part: "" })}
          preventScrollReset
          label="Close the progress"
          icon={<X />}
          className="-mt-1 -mr-2"
        />
      </header>
      <ProgressBar label="Progress of the batch" done={over} total={counts.total} />
      <Form method="post" action={changes} preventScrollReset className="flex flex-wrap items-center gap-2">
        <input type="hidden" name="batch" value={batch.id} />
        {running && (
          <Button
            size="sm"
            name="intent"
            value="cancel-batch"
            pending={intent === "cancel-batch"}
            icon={<Square aria-hidden="true" />}
          >
            Cancel the rest
          </Button>
        )}
        {!running && counts.failed > 0 && (
          <Button
            size="sm"
            name="intent"
            value="retry-batch"
            pending={intent === "retry-batch"}
            icon={<RotateCcw aria-hidden="true" />}
          >
            Retry {formatCount(counts.failed)} failed
          </Button>
        )}
        {running && (
          <noscript>
            <LinkButton size="sm" to={here} icon={<RefreshCw aria-hidden="true" />}>
              Reload
            </LinkButton>
          </noscript>
        )}
      </Form>
      <ScrollRegion
        label="Documents of the batch"
        className="-mx-4 -mb-4 max-h-64 overflow-y-auto border-line border-t"
      >
        <ul className="*:not-last:border-line *:not-last:border-b">
          {items.map((item) => (
            <Item key={item.id} item={item} />
          ))}
        </ul>
      </ScrollRegion>
      <Pages batch={batch} view={view} />
    </section>
  );
}

/** What failed and what runs is on the first ones. */
function Pages({ batch: { page, pages }, view }: BatchPanelProps) {
  if (pages === 1) return null;
  const to = (part: number) => ragAddress(view, { part: part === 1 ? "" : String(part) });
  return (
    <nav
      aria-label="Pages of the batch"
      className="-mx-4 mt-1 -mb-4 flex flex-wrap items-center gap-2 border-line border-t px-4 py-2.5"
    >
      <span className="mr-auto text-muted text-xs tabular-nums">
        Page {formatCount(page)} of {formatCount(pages)}
      </span>
      {page > 1 && (
        <LinkButton size="sm" to={to(page - 1)} preventScrollReset>
          Previous page
        </LinkButton>
      )}
      {page < pages && (
        <LinkButton size="sm" to={to(page + 1)} preventScrollReset>
          Next page
        </LinkButton>
      )}
    </nav>
  );
}

function headingOf({ counts, label }: Batch): string {
  if (counts.queued + counts.running > 0) return `Ingesting ${label}`;
  return counts.done > 0 ? `Ingested ${label}` : `Nothing ingested from ${label}`;
}

function summaryOf({ total, done, failed, cancelled }: Batch["counts"]): string {
  const parts = [`${formatCount(done)} of ${countOf(total, "document")} done`];
  if (failed > 0) parts.push(`${formatCount(failed)} failed`);
  if (cancelled > 0) parts.push(`${formatCount(cancelled)} cancelled`);
  return parts.join(", ");
}

function Item({ item }: { item: BatchItem }) {
  const { documentId, name, state, error, outcome, step, done, total } = item;
  const going = state === "queued" || state === "running";
  return (
    <li className="flex items-start gap-2.5 px-4 py-2">
      <span aria-hidden="true" className="mt-0.5 shrink-0 [&_svg]:size-4">
        {ICONS[state]}
      </span>
      <span className="min-w-0 flex-1">
        <span className="wrap-anywhere block">
          {documentId ? (
            <Link to={documentAddress(documentId)} className="underline-offset-4 hover:underline">
              {name}
            </Link>
          ) : (
            name
          )}
        </span>
        {error && <span className="wrap-anywhere block text-danger-ink text-xs">{error}</span>}
      </span>
      <span className="shrink-0 text-muted text-xs tabular-nums">
        {going ? progressWords({ state, step, done, total }) : wordFor(state, outcome)}
      </span>
    </li>
  );
}

function wordFor(state: "done" | "failed" | "cancelled", outcome: BatchItem["outcome"]): string {
  if (state === "failed") return "Failed";
  if (state === "cancelled") return "Cancelled";
  return outcome ? OUTCOMES[outcome] : "Done";
}

const ICONS = {
  queued: <CircleDashed className="text-muted" />,
  running: <Spinner className="text-info-ink" />,
  done: <CircleCheck className="text-success-ink" />,
  failed: <CircleAlert className="text-danger-ink" />,
  cancelled: <CircleSlash className="text-muted" />,
};
