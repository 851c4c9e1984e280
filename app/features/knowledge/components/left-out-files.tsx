import { Button } from "~/ui/button";
import { countOf } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { type LeftOutFile, namesOf } from "./picked-files";

interface LeftOutFilesProps {
  files: readonly LeftOutFile[];
  onClose: () => void;
}

/** What of the chosen files wasn't sent with a batch, and why: nobody else knows of them. */
export function LeftOutFiles({ files, onClose }: LeftOutFilesProps) {
  if (files.length === 0) return null;
  return (
    <Notice kind="warning" title={`${countOf(files.length, "file")} left out`}>
      <p className="wrap-anywhere">{namesOf(files)}</p>
      <Button type="button" size="sm" onClick={onClose} className="mt-2">
        Close
      </Button>
    </Notice>
  );
}
