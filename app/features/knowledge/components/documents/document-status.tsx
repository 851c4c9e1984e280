import { Form, useNavigation } from "@remix-run/react";
import { CircleAlert, CircleCheck, FileUp, RotateCcw, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { formatCount } from "~/ui/format";
import { Spinner } from "~/ui/spinner";
import type { Document, DocumentProgress } from "../../documents/documents.schema";
import { CancelWork } from "../ingestion/cancel-work";
import { ProgressBar } from "./progress-bar";
import { useChangesAddress } from "./use-changes-address";

const STEPS: Record<NonNullable<DocumentProgress["step"]>, { label: string; unit: string }> = {
  fetching: { label: "Fetching", unit: "KB" },
  reading: { label: "Extracting text", unit: "pages" },
  chunking: { label: "Splitting into chunks", unit: "chunks" },
  embedding: { label: "Embedding", unit: "chunks" },
  indexing: { label: "Indexing", unit: "chunks" },
};

export function progressWords({ state, step, done, total }: DocumentProgress): string {
  if (state === "queued") return "Queued";
  if (!step) return "Starting";
  const { label, unit } = STEPS[step];
  return total > 0 ? `${label}, ${formatCount(done)} of ${formatCount(total)} ${unit}` : label;
}

export function StatusBadge({ status }: { status: Document["status"] }) {
  if (status === "ready")
    return (
      <Badge tone="success" icon={<CircleCheck aria-hidden="true" />}>
        Ready
      </Badge>
    );
  if (status === "failed")
    return (
      <Badge tone="danger" icon={<CircleAlert aria-hidden="true" />}>
        Failed
      </Badge>
    );
  return (
    <Badge tone="info" icon={<Spinner />}>
      Processing
    </Badge>
  );
}

export function DocumentState({ document, mayWrite }: { document: Document; mayWrite: boolean }) {
  const isUpdateFailed = document.status === "ready" && document.error !== null && !document.progress;
  if (document.status === "failed" || isUpdateFailed)
    return <Failure document={document} mayWrite={mayWrite} />;
  if (document.status === "processing") {
    const progress = document.progress ?? { state: "queued" as const, step: null, done: 0, total: 0 };
    return (
      <div className="mt-1.5 flex flex-wrap items-end gap-x-3 gap-y-1.5">
        <div className="min-w-40 max-w-sm flex-1">
          <ProgressBar
            label={`Progress of ${document.name}`}
            done={progress.done}
            total={progress.step ? progress.total : 0}
          />
          <p className="mt-1 text-muted text-xs tabular-nums">{progressWords(progress)}</p>
        </div>
        {mayWrite && (
          <span className="row-over">
            <CancelWork document={document} />
          </span>
        )}
      </div>
    );
  }
  return null;
}

function Failure({ document, mayWrite }: { document: Document; mayWrite: boolean }) {
  const { id, name, error, canRetry, mayManage, metadata } = document;
  const isCurrent = document.status === "ready";
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <p
        className={cx(
          "wrap-anywhere min-w-0 flex-1 basis-44 text-xs",
          isCurrent ? "text-warning-ink" : "text-danger-ink",
        )}
      >
        {isCurrent && "The last update failed: "}
        {error ?? "This document couldn't be processed."}
      </p>
      {mayWrite && (
        <span className="row-over flex flex-wrap gap-1.5">
          {canRetry && (
            <RowForm intent="retry" values={{ id }} icon={<RotateCcw aria-hidden="true" />}>
              Retry<span className="sr-only"> {name}</span>
            </RowForm>
          )}
          {!canRetry && mayManage && (
            <>
              {metadata.type === "file" && (
                <LinkButton
                  to={`/rag/${encodeURIComponent(id)}?dialog=version`}
                  size="sm"
                  icon={<FileUp aria-hidden="true" />}
                >
                  Replace File<span className="sr-only">: {name}</span>
                </LinkButton>
              )}
              {!isCurrent && (
                <RowForm intent="delete-selected" values={{ ids: id }} icon={<Trash2 aria-hidden="true" />}>
                  Delete<span className="sr-only"> {name}</span>
                </RowForm>
              )}
            </>
          )}
        </span>
      )}
    </div>
  );
}

interface RowFormProps {
  intent: string;
  values: Record<string, string>;
  icon: ReactNode;
  children: ReactNode;
}

function RowForm({ intent, values, icon, children }: RowFormProps) {
  const { formData } = useNavigation();
  const changes = useChangesAddress();
  const pending =
    formData?.get("intent") === intent &&
    Object.entries(values).every(([field, value]) => formData.get(field) === value);
  return (
    <Form method="post" action={changes} preventScrollReset>
      {Object.entries(values).map(([field, value]) => (
        <input key={field} type="hidden" name={field} value={value} />
      ))}
      <Button size="sm" name="intent" value={intent} pending={pending} icon={icon}>
        {children}
      </Button>
    </Form>
  );
}
