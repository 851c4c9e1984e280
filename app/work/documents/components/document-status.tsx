import { CircleAlert, CircleCheck, FileUp, RotateCcw, Square, Trash2 } from "lucide-react";
import { Badge } from "~/ui/badge";
import { LinkButton, Spinner } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { formatCount } from "~/ui/format";
import { lazyPart } from "~/ui/lazy-part";
import type { Document, DocumentProgress } from "../documents.schema";
import { useChangesAddress } from "./addresses";
import { IntentForm, type IntentFormProps } from "./intent-form";
import { ProgressBar } from "./progress-bar";

// Lazy: few documents have the name of an older one.
export const sameName = lazyPart(
  () => import("./same-name").then((module) => module.SameName),
  "[data-same-name]",
);

const STEPS: Record<NonNullable<DocumentProgress["step"]>, { label: string; unit: string }> = {
  fetching: { label: "Fetching", unit: "KB" },
  reading: { label: "Extracting text", unit: "pages" },
  recognizing: { label: "Recognizing text", unit: "pages" },
  chunking: { label: "Splitting into chunks", unit: "chunks" },
  embedding: { label: "Embedding", unit: "chunks" },
  indexing: { label: "Indexing", unit: "chunks" },
};

function progressLabel({ state, step, done, total }: DocumentProgress): string {
  if (state === "queued") return "Queued";
  if (!step) return "Starting";
  const { label, unit } = STEPS[step];
  return total > 0 ? `${label}, ${formatCount(done)} of ${formatCount(total)} ${unit}` : label;
}

const BADGES = {
  ready: { tone: "success", icon: <CircleCheck aria-hidden="true" />, label: "Ready" },
  failed: { tone: "danger", icon: <CircleAlert aria-hidden="true" />, label: "Failed" },
  processing: { tone: "info", icon: <Spinner />, label: "Processing" },
} as const;

export function StatusBadge({ status }: { status: Document["status"] }) {
  const { tone, icon, label } = BADGES[status];
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}

export interface DocumentStateProps {
  document: Document;
  mayWrite: boolean;
}

export const hasFailed = ({ status, error, progress }: Document) =>
  status === "failed" || (status === "ready" && error !== null && !progress);

export function DocumentState({ document, mayWrite }: DocumentStateProps) {
  const { status, error } = document;
  if (hasFailed(document)) {
    const isCurrent = status === "ready";
    return (
      <div className="mt-1 grid justify-items-start gap-1.5">
        <p
          className={cx("wrap-anywhere min-w-0 text-xs", isCurrent ? "text-warning-ink" : "text-danger-ink")}
        >
          {isCurrent && "The last update failed: "}
          {error ?? "This document couldn't be processed."}
        </p>
        {mayWrite && <FailureActions document={document} />}
      </div>
    );
  }
  return (
    <>
      {status === "processing" && (
        <div className="mt-1.5 flex flex-wrap items-end gap-x-3 gap-y-1.5">
          <Progress document={document} mayWrite={mayWrite} />
        </div>
      )}
      {mayWrite && document.sameNameAs && <sameName.Part document={document} />}
    </>
  );
}

export function Progress({ document: { id, name, progress }, mayWrite }: DocumentStateProps) {
  const current = progress ?? { state: "queued" as const, step: null, done: 0, total: 0 };
  return (
    <>
      <div className="min-w-40 max-w-sm flex-1">
        <ProgressBar
          label={`Progress of ${name}`}
          done={current.done}
          total={current.step ? current.total : 0}
        />
        <p className="mt-1 text-muted text-xs tabular-nums">{progressLabel(current)}</p>
      </div>
      {mayWrite && (
        <span className="row-over">
          <RowForm intent="cancel" values={{ id }} icon={<Square aria-hidden="true" />}>
            Cancel<span className="sr-only"> processing of {name}</span>
          </RowForm>
        </span>
      )}
    </>
  );
}

export const replaceLabel = ({ metadata }: Pick<Document, "metadata">) =>
  metadata.type === "file" ? "Replace File" : "Edit Text";

export function FailureActions({ document }: { document: Document }) {
  const { id, name, status, canRetry, mayManage, metadata } = document;
  return (
    <span className="row-over mt-1 flex flex-wrap gap-1.5">
      {canRetry && (
        <RowForm intent="retry" values={{ id }} icon={<RotateCcw aria-hidden="true" />}>
          Retry<span className="sr-only"> {name}</span>
        </RowForm>
      )}
      {!canRetry && mayManage && metadata.type !== "url" && (
        <LinkButton
          to={`/rag/${encodeURIComponent(id)}?dialog=version`}
          preventScrollReset
          size="sm"
          icon={<FileUp aria-hidden="true" />}
        >
          {replaceLabel(document)}
          <span className="sr-only">: {name}</span>
        </LinkButton>
      )}
      {!canRetry && mayManage && status === "failed" && (
        <RowForm intent="delete-selected" values={{ ids: id }} icon={<Trash2 aria-hidden="true" />}>
          Delete<span className="sr-only"> {name}</span>
        </RowForm>
      )}
    </span>
  );
}

function RowForm(props: IntentFormProps) {
  return <IntentForm size="sm" action={useChangesAddress()} {...props} />;
}
