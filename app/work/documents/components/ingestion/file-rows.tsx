import { File as FileIcon, X } from "lucide-react";
import { IconButton } from "~/ui/button";
import { countOf, formatSize } from "~/ui/format";
import { ScrollRegion } from "~/ui/scroll-region";
import type { PickedFile } from "./add-files";
import { problemOfFile } from "./picked-files";

interface FileRowsProps {
  files: readonly PickedFile[];
  onRemove: (file: PickedFile) => void;
  disabled: boolean;
}

const SHOWN = 200;

export function FileRows({ files, onRemove, disabled }: FileRowsProps) {
  if (files.length === 0) return null;
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  const isSkipped = ({ file, problem }: PickedFile) => (problem ?? problemOfFile(file)) !== undefined;
  // Skipped files come first, or hundreds of others would hide them.
  const skipped = files.filter(isSkipped);
  const rows = [...skipped, ...files.filter((one) => !isSkipped(one))];
  return (
    <div>
      <p role="status" className="mb-1.5 text-muted text-xs tabular-nums">
        {countOf(files.length, "file")}, {formatSize(size)}
        {skipped.length > 0 && (
          <span className="text-warning-ink">; {countOf(skipped.length, "file")} skipped</span>
        )}
      </p>
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

interface FileRowProps extends Omit<FileRowsProps, "files"> {
  picked: PickedFile;
}

function FileRow({ picked, onRemove, disabled }: FileRowProps) {
  const { file, path } = picked;
  const problem = picked.problem ?? problemOfFile(file);
  return (
    <li className="flex items-center gap-2.5 py-1.5 pr-1 pl-3">
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
