import { Form, Link, useNavigate, useNavigation } from "@remix-run/react";
import {
  ChevronDown,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleSlash,
  RefreshCw,
  Square,
  X,
} from "lucide-react";
import { type RefObject, useEffect, useRef } from "react";
import { Button, IconLink, LinkButton } from "~/ui/button";
import { countOf, formatCount } from "~/ui/format";
import { ScrollRegion } from "~/ui/scroll-region";
import { Spinner } from "~/ui/spinner";
import type { Batch, BatchItem } from "../../ingestion/batches/batches.schema";
import type { ListView } from "../../screens/rag-screen.schema";
import { ragAddress, useChangesAddress } from "../addresses";
import { documentAddress } from "../document-row";
import { progressLabel } from "../document-status";
import { ProgressBar } from "../progress-bar";

interface BatchPanelProps {
  batch: Batch;
  view: ListView;
}

const OUTCOMES = {
  added: "Added",
  changed: "Changed",
  unchanged: "Unchanged",
  duplicate: "Already in library",
} as const;

/** Time a successful bar stays visible (ms). */
const AUTO_CLOSE_DELAY = 6000;

export function BatchPanel({ batch, view }: BatchPanelProps) {
  const { counts, items } = batch;
  const finished = counts.done + counts.failed + counts.cancelled;
  const isRunning = counts.queued + counts.running > 0;
  const details = useRef<HTMLDetailsElement>(null);
  const closeTo = ragAddress(view, { batch: "", part: "" });
  useAutoClose(details, !isRunning && counts.done === counts.total, closeTo);
  return (
    <section
      aria-labelledby="batch"
      className="relative min-w-0 overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <details ref={details} open={counts.failed > 0 || view.part !== ""} className="group">
        <summary className="flex min-h-12 min-w-0 cursor-pointer items-center gap-2.5 py-1.5 pr-14 pl-4 hover:bg-hover">
          <span aria-hidden="true" className="shrink-0 [&_svg]:size-4">
            {ICONS[isRunning ? "running" : counts.failed > 0 ? "failed" : "done"]}
          </span>
          <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
            <h2 id="batch" className="wrap-anywhere min-w-0 text-sm">
              {headingOf(batch)}
            </h2>
            <span role="status" className="text-muted text-xs tabular-nums">
              {summaryOf(counts)}
            </span>
          </span>
          <ChevronDown
            aria-hidden="true"
            className="size-4 shrink-0 text-muted transition-transform group-open:rotate-180"
          />
        </summary>
        <ScrollRegion
          label="Documents of this upload"
          className="max-h-64 overflow-y-auto border-line border-t"
        >
          <ul className="*:not-last:border-line *:not-last:border-b">
            {items.map((item) => (
              <Item key={item.id} item={item} />
            ))}
          </ul>
        </ScrollRegion>
        <Pages batch={batch} view={view} />
      </details>
      <div className="absolute top-2 right-2 pointer-coarse:top-0.5">
        <IconLink to={closeTo} preventScrollReset label="Close the progress" icon={<X />} />
      </div>
      {isRunning && (
        <>
          <CancelBatch id={batch.id} here={ragAddress(view)} />
          <ProgressBar
            label="Upload progress"
            done={finished}
            total={counts.total}
            className="rounded-none!"
          />
        </>
      )}
    </section>
  );
}

function useAutoClose(details: RefObject<HTMLDetailsElement>, isOver: boolean, closeTo: string): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (!isOver) return;
    const timer = setTimeout(() => {
      const { current } = details;
      const isRead = current?.open || current?.parentElement?.matches(":hover, :focus-within");
      if (!isRead) navigate(closeTo, { replace: true, preventScrollReset: true });
    }, AUTO_CLOSE_DELAY);
    return () => clearTimeout(timer);
  }, [details, isOver, closeTo, navigate]);
}

function CancelBatch({ id, here }: { id: string; here: string }) {
  const { formData } = useNavigation();
  const changes = useChangesAddress();
  return (
    <Form
      method="post"
      action={changes}
      preventScrollReset
      className="flex flex-wrap items-center gap-2 border-line border-t px-4 py-2"
    >
      <input type="hidden" name="batch" value={id} />
      <Button
        size="sm"
        name="intent"
        value="cancel-batch"
        pending={formData?.get("intent") === "cancel-batch"}
        icon={<Square aria-hidden="true" />}
      >
        Cancel Remaining
      </Button>
      <noscript>
        <LinkButton size="sm" to={here} icon={<RefreshCw aria-hidden="true" />}>
          Reload
        </LinkButton>
      </noscript>
    </Form>
  );
}

function Pages({ batch: { page, pages }, view }: BatchPanelProps) {
  if (pages === 1) return null;
  const to = (part: number) => ragAddress(view, { part: part === 1 ? "" : String(part) });
  return (
    <nav
      aria-label="Pages of this upload"
      className="flex flex-wrap items-center gap-2 border-line border-t px-4 py-2"
    >
      <span className="mr-auto text-muted text-xs tabular-nums">
        Page {formatCount(page)} of {formatCount(pages)}
      </span>
      {page > 1 && (
        <LinkButton size="sm" to={to(page - 1)} preventScrollReset>
          Previous Page
        </LinkButton>
      )}
      {page < pages && (
        <LinkButton size="sm" to={to(page + 1)} preventScrollReset>
          Next Page
        </LinkButton>
      )}
    </nav>
  );
}

function headingOf({ counts, label }: Batch): string {
  if (counts.queued + counts.running > 0) return `Ingesting ${label}`;
  return counts.done > 0 ? `Ingested ${label}` : `No documents ingested from ${label}`;
}

function summaryOf({ total, done, failed, cancelled }: Batch["counts"]): string {
  const parts = [`${formatCount(done)} of ${countOf(total, "document")} done`];
  if (failed > 0) parts.push(`${formatCount(failed)} failed`);
  if (cancelled > 0) parts.push(`${formatCount(cancelled)} canceled`);
  return parts.join(", ");
}

function Item({ item }: { item: BatchItem }) {
  const { documentId, name, state, error, outcome, step, done, total } = item;
  const isActive = state === "queued" || state === "running";
  return (
    <li className="flex items-start gap-2.5 px-4 py-2 leading-5">
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
      <span className="shrink-0 text-muted text-xs leading-5 tabular-nums">
        {isActive ? progressLabel({ state, step, done, total }) : outcomeLabel(state, outcome)}
      </span>
    </li>
  );
}

function outcomeLabel(state: "done" | "failed" | "cancelled", outcome: BatchItem["outcome"]): string {
  if (state === "failed") return "Failed";
  if (state === "cancelled") return "Canceled";
  return outcome ? OUTCOMES[outcome] : "Done";
}

const ICONS = {
  queued: <CircleDashed className="text-muted" />,
  running: <Spinner className="text-info-ink" />,
  done: <CircleCheck className="text-success-ink" />,
  failed: <CircleAlert className="text-danger-ink" />,
  cancelled: <CircleSlash className="text-muted" />,
};
