import { File as FileIcon, X } from "lucide-react";
import { IconButton } from "~/ui/button";
import { countOf, formatCount, formatSize } from "~/ui/format";
import { ScrollRegion } from "~/ui/scroll-region";
import { type Dropped, MOST_DROPPED, namesOf, type PickedFile, problemOfFile } from "./picked-files";

interface FileRowsProps {
  files: readonly PickedFile[];
  onRemove: (file: PickedFile) => void;
  disabled: boolean;
  /** Files of the last drop that were skipped. */
  notTaken: Omit<Dropped, "files">;
}

/** Maximum number of rows; the rest is counted. */
const SHOWN = 200;

export function FileRows({ files, onRemove, disabled, notTaken: { leftOut, unreadable } }: FileRowsProps) {
  const failed = unreadable.length > 0 && (
    <p role="status" className="wrap-anywhere mb-1.5 text-warning-ink text-xs">
      Couldn't read from this computer: {namesOf(unreadable.map((path) => ({ path })))}
    </p>
  );
  if (files.length === 0) return failed;
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  const isLeftOut = ({ file }: PickedFile) => problemOfFile(file) !== undefined;
  // Skipped files come first, or hundreds of others would hide them.
  const refused = files.filter(isLeftOut);
  const rows = [...refused, ...files.filter((one) => !isLeftOut(one))];
  return (
    <div>
      <p role="status" className="mb-1.5 text-muted text-xs tabular-nums">
        {countOf(files.length, "file")}, {formatSize(size)}
        {refused.length > 0 && (
          <span className="text-warning-ink">; {countOf(refused.length, "file")} skipped</span>
        )}
      </p>
      {failed}
      {leftOut > 0 && (
        <p role="status" className="mb-1.5 text-warning-ink text-xs">
          {countOf(leftOut, "more file")} not added: a drop can contain {formatCount(MOST_DROPPED)} at most.
          Upload these first, then drop the others.
        </p>
      )}
      <ScrollRegion
        label="Chosen files"
        className="max-h-56 overflow-y-auto rounded-md border border-line *:*:not-last:border-line *:*:not-last:border-b"
      >
        <ul>
          {rows.slice(0, SHOWN).map((picked) => (
            <FileRow
              key={`${picked.path} ${picked.file.size} ${picked.file.lastModified}`}
              picked={picked}
              onRemove={onRemove}
              disabled={disabled}
            />
          ))}
          {files.length > SHOWN && (
            <li className="px-3 py-2 text-muted">and {countOf(files.length - SHOWN, "other")}</li>
          )}
        </ul>
      </ScrollRegion>
    </div>
  );
}

interface FileRowProps extends Omit<FileRowsProps, "files" | "notTaken"> {
  picked: PickedFile;
}

function FileRow({ picked, onRemove, disabled }: FileRowProps) {
  const { file, path } = picked;
  const problem = problemOfFile(file);
  return (
    <li className="flex items-center gap-2.5 py-0.5 pr-1 pl-3">
      <FileIcon aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        <span className={problem ? "wrap-anywhere text-muted line-through" : "wrap-anywhere"}>{path}</span>
        {problem && <span className="block text-warning-ink text-xs">{problem}</span>}
      </span>
      <span className="shrink-0 text-muted text-xs tabular-nums">{formatSize(file.size)}</span>
      <IconButton
        type="button"
        label={`Remove ${path}`}
        icon={<X />}
        disabled={disabled}
        onClick={() => onRemove(picked)}
      />
    </li>
  );
}
