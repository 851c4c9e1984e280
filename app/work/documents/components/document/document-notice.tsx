import { Link } from "@remix-run/react";
import { countOf } from "~/ui/format";
import { Notice } from "~/ui/notice";
import type { DocumentDetail } from "../../documents.schema";
import { type DocumentStateProps, FailureActions, hasFailed, Progress, sameName } from "../document-status";

const failureTitle = ({ version, attachments }: DocumentDetail) =>
  version?.facts.isFolder && attachments.length > 0
    ? "Not all files were added"
    : "This document couldn't be processed";

/** What a document waits for, at the top of its page. */
export function DocumentNotice({ document, mayWrite }: DocumentStateProps & { document: DocumentDetail }) {
  const { status, error, version, chunks } = document;
  if (hasFailed(document)) {
    const isCurrent = status === "ready";
    return (
      <Notice
        kind={isCurrent ? "warning" : "danger"}
        title={isCurrent ? "The last update failed" : failureTitle(document)}
        className="mb-5"
      >
        <p className="wrap-anywhere">{error ?? "No reason was recorded. Retry, or check the server log."}</p>
        {isCurrent && (
          <p>
            Version {version?.number ?? 1} stays current, with {countOf(chunks, "chunk")}.
          </p>
        )}
        {mayWrite && <FailureActions document={document} />}
      </Notice>
    );
  }
  if (!document.progress && status === "ready")
    return document.sameNameAs && mayWrite ? (
      <Notice className="mb-5">
        <sameName.Part document={document} />
      </Notice>
    ) : null;
  return (
    <section
      aria-label="Progress"
      className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border border-line bg-surface px-3 py-2.5"
    >
      <Progress document={document} mayWrite={mayWrite} />
      <noscript>
        <Link to="" className="text-primary-ink underline underline-offset-4">
          Reload
        </Link>
      </noscript>
    </section>
  );
}
