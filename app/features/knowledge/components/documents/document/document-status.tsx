import { Form, Link, useNavigation } from "@remix-run/react";
import { FileUp, RotateCcw, Trash2 } from "lucide-react";
import { Button, LinkButton } from "~/ui/button";
import { countOf } from "~/ui/format";
import { Notice } from "~/ui/notice";
import type { DocumentDetail } from "../../../documents/document-view.schema";
import { CancelWork } from "../../ingestion/cancel-work";
import { replaceLabel } from "../document-row";
import { progressWords } from "../document-status";
import { ProgressBar } from "../progress-bar";

interface DocumentStatusProps {
  document: DocumentDetail;
  mayWrite: boolean;
  here: string;
  dialogTo: (dialog: string) => string;
}

export function DocumentStatusNotice({ document, mayWrite, here, dialogTo }: DocumentStatusProps) {
  if (
    document.status === "failed" ||
    (document.status === "ready" && document.error !== null && !document.progress)
  )
    return <Failure document={document} mayWrite={mayWrite} dialogTo={dialogTo} />;
  if (!document.progress && document.status === "ready") return null;
  return <Progress document={document} mayWrite={mayWrite} here={here} />;
}

function Failure({ document, mayWrite, dialogTo }: Omit<DocumentStatusProps, "here">) {
  const { formData } = useNavigation();
  const isCurrent = document.status === "ready";
  return (
    <Notice
      kind={isCurrent ? "warning" : "danger"}
      title={isCurrent ? "The last update failed" : "This document couldn't be processed"}
      className="mb-5"
    >
      <p className="wrap-anywhere">
        {document.error ?? "No reason was recorded. Retry, or check the server log."}
      </p>
      {isCurrent && (
        <p>
          Version {document.version?.number ?? 1} stays current, with {countOf(document.chunks, "chunk")}.
        </p>
      )}
      {mayWrite && (
        <Form method="post" preventScrollReset className="mt-2 flex flex-wrap gap-2">
          {document.canRetry ? (
            <Button
              size="sm"
              name="intent"
              value="retry"
              pending={formData?.get("intent") === "retry"}
              icon={<RotateCcw aria-hidden="true" />}
            >
              Retry
            </Button>
          ) : (
            document.mayManage && (
              <>
                {document.metadata.type !== "url" && (
                  <LinkButton
                    size="sm"
                    to={dialogTo("version")}
                    preventScrollReset
                    icon={<FileUp aria-hidden="true" />}
                  >
                    {replaceLabel(document)}
                  </LinkButton>
                )}
                {!isCurrent && (
                  <LinkButton
                    size="sm"
                    to={dialogTo("delete")}
                    preventScrollReset
                    icon={<Trash2 aria-hidden="true" />}
                  >
                    Delete
                  </LinkButton>
                )}
              </>
            )
          )}
        </Form>
      )}
    </Notice>
  );
}

function Progress({ document, mayWrite, here }: Omit<DocumentStatusProps, "dialogTo">) {
  const progress = document.progress ?? { state: "queued" as const, step: null, done: 0, total: 0 };
  return (
    <section
      aria-label="Progress"
      className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border border-line bg-surface px-3 py-2.5"
    >
      <p role="status" className="tabular-nums">
        {progressWords(progress)}
      </p>
      <ProgressBar
        label={`Progress of ${document.name}`}
        done={progress.done}
        total={progress.step ? progress.total : 0}
        className="min-w-32 flex-1"
      />
      {mayWrite && <CancelWork document={document} />}
      <noscript>
        <Link to={here} className="text-primary-ink underline underline-offset-4">
          Reload
        </Link>
      </noscript>
    </section>
  );
}
