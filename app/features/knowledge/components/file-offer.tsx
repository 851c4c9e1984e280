import { FileUp } from "lucide-react";
import { Button } from "~/ui/button";
import { countOf } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { type Dropped, namesOf, sortOut } from "./picked-files";

interface FileOfferProps {
  dropped: Dropped;
  /** Why this person can't add documents; absent for who can. */
  refusal: string | undefined;
  onIngest: () => void;
  onDismiss: () => void;
}

/** What can be done with files that were dropped or pasted where only text is taken. */
export function FileOffer({ dropped, refusal, onIngest, onDismiss }: FileOfferProps) {
  const { usable, leftOut } = sortOut(dropped.files);
  const count = dropped.files.length + dropped.leftOut + dropped.unreadable.length;
  if (count === 0) return null;
  const canIngest = refusal === undefined && usable.length > 0;
  return (
    <div role="status">
      <Notice kind={canIngest ? "info" : "warning"} title={`${countOf(count, "file")} not sent`}>
        <p className="wrap-anywhere">
          {refusal !== undefined
            ? `Messages are text only. ${refusal}`
            : canIngest
              ? `Messages are text only. Add ${namesOf(usable)} to RAG & Memory to ask about ${usable.length === 1 ? "it" : "them"}.`
              : `Messages are text only, and these files can't be added as documents: ${
                  leftOut.length > 0 ? namesOf(leftOut) : dropped.unreadable.join(", ")
                }.`}
        </p>
        <div className="mt-2 flex flex-wrap gap-2">
          {canIngest && (
            <Button type="button" size="sm" icon={<FileUp aria-hidden="true" />} onClick={onIngest}>
              Ingest into RAG & Memory
            </Button>
          )}
          <Button type="button" size="sm" variant="ghost" onClick={onDismiss}>
            Dismiss
          </Button>
        </div>
      </Notice>
    </div>
  );
}
