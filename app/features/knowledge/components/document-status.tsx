import { Form, useNavigation } from "@remix-run/react";
import { CircleAlert, CircleCheck, RotateCcw } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { countOf, formatCount } from "~/ui/format";
import { Spinner } from "~/ui/spinner";
import type { Document, DocumentProgress } from "../documents.schema";
import { CancelWork } from "./cancel-work";
import { ProgressBar } from "./progress-bar";
import { useChangesAddress } from "./use-changes-address";

/** What each step counts. */
const STEPS: Record<NonNullable<DocumentProgress["step"]>, { label: string; unit: string }> = {
  fetching: { label: "Fetching", unit: "KB" },
  reading: { label: "Reading", unit: "pages" },
  chunking: { label: "Cutting into chunks", unit: "chunks" },
  embedding: { label: "Embedding", unit: "chunks" },
  indexing: { label: "Indexing", unit: "chunks" },
};

/** The step a document is at, with its count. */
export function progressWords({ state, step, done, total }: DocumentProgress): string {
  if (state === "queued") return "Waiting for its turn";
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

/** What there is to know beside the badge: how far it is, why it failed, or how much was made of it. */
export function DocumentState({ document, mayWrite }: { document: Document; mayWrite: boolean }) {
  if (document.status === "failed") return <Failure document={document} mayWrite={mayWrite} />;
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
        {mayWrite && <CancelWork document={document} />}
      </div>
    );
  }
  return null;
}

function Failure({ document, mayWrite }: { document: Document; mayWrite: boolean }) {
  const navigation = useNavigation();
  const changes = useChangesAddress();
  const pending =
    navigation.formData?.get("intent") === "retry" && navigation.formData.get("id") === document.id;
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <p className="wrap-anywhere min-w-0 flex-1 basis-44 text-danger-ink text-xs">
        {document.error ?? "It could not be processed."}
        {document.chunks > 0 &&
          ` The version before still serves, with ${countOf(document.chunks, "chunk")}.`}
      </p>
      {mayWrite && (
        <Form method="post" action={changes} preventScrollReset>
          <input type="hidden" name="id" value={document.id} />
          <Button
            size="sm"
            name="intent"
            value="retry"
            pending={pending}
            icon={<RotateCcw aria-hidden="true" />}
          >
            Retry<span className="sr-only"> {document.name}</span>
          </Button>
        </Form>
      )}
    </div>
  );
}
