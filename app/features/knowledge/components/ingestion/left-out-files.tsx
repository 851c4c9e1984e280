import { Button } from "~/ui/button";
import { countOf } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { type LeftOutFile, namesOf } from "./picked-files";

interface LeftOutFilesProps {
  files: readonly LeftOutFile[];
  retried: readonly string[];
  onClose: () => void;
}

export function LeftOutFiles({ files, retried, onClose }: LeftOutFilesProps) {
  if (files.length + retried.length === 0) return null;
  return (
    <Notice kind="warning" title={titleOf(files.length, retried.length)}>
      {files.length > 0 && <p className="wrap-anywhere">{namesOf(files)}</p>}
      {retried.length > 0 && (
        <p className="wrap-anywhere">
          Failed earlier and being processed again: {namesOf(retried.map((path) => ({ path })))}. If a file
          fails again, replace or delete it.
        </p>
      )}
      <Button type="button" size="sm" onClick={onClose} className="mt-2">
        Close
      </Button>
    </Notice>
  );
}

function titleOf(skipped: number, retried: number): string {
  const parts = [
    ...(skipped > 0 ? [`${countOf(skipped, "file")} skipped`] : []),
    ...(retried > 0 ? [`${countOf(retried, "file")} retried`] : []),
  ];
  return parts.join(", ");
}
