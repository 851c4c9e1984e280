import { useBeforeUnload, useNavigate } from "@remix-run/react";
import { File as FileIcon, FileUp, FolderUp, X } from "lucide-react";
import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { Button, IconButton, LinkButton } from "~/ui/button";
import { DialogActions } from "~/ui/dialog";
import { describeFailure, FAILURES } from "~/ui/failures";
import { countOf, formatSize } from "~/ui/format";
import { useHydrated } from "~/ui/hydration";
import { FieldError } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { ScrollRegion } from "~/ui/scroll-region";
import { showToast } from "~/ui/toast-store";
import { ACCEPTED_FILES, ACCEPTED_FORMATS, MAX_FILE_BYTES } from "~/work/extraction/formats.shared";
import type { RefusedUpload } from "../../ingestion/ingest.schema";
import { ProgressBar } from "../progress-bar";
import { addFiles, type PickedFile } from "./add-files";
import { textFieldsOf } from "./form-fields";
import { filesOfInput, namesOf, partitionFiles, problemOfFile } from "./picked-files";
import { type IngestFormProps, TargetFields } from "./target-fields";

export interface FileChoice {
  picked: readonly PickedFile[];
  onPick: (files: readonly PickedFile[]) => void;
  refused?: RefusedUpload | undefined;
}

export function IngestFiles({
  choice,
  submitted,
  errors,
  closeTo,
  ...targetFields
}: IngestFormProps & { choice: FileChoice }) {
  const { picked, onPick } = choice;
  const hydrated = useHydrated();
  const navigate = useNavigate();
  const [progress, setProgress] = useState<number>();
  const [problem, setProblem] = useState(choice.refused?.problem);
  const controller = useRef(new AbortController());
  const batch = useRef<string>();
  const finish = useRef<() => void>();
  useEffect(() => {
    const current = new AbortController();
    controller.current = current;
    return () => {
      current.abort();
      finish.current?.();
    };
  }, []);
  const { usable, skipped } = partitionFiles(picked);
  const isUploading = progress !== undefined;
  // The files that aren't sent yet would be lost.
  useBeforeUnload(useCallback((event) => isUploading && event.preventDefault(), [isUploading]));
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isUploading) return;
    setProblem(undefined);
    if (usable.length === 0) return setProblem("Choose at least one supported file");
    const fields = textFieldsOf(event.currentTarget);
    setProgress(0);
    const { signal } = controller.current;
    const { uploadFiles } = await import("./upload");
    const upload = { fields, batch: batch.current, files: usable, onProgress: setProgress, signal };
    const outcome = await uploadFiles(upload);
    if (signal.aborted) return;
    batch.current = outcome.batch;
    if (outcome.problem !== undefined) {
      setProgress(undefined);
      onPick([...picked.filter((one) => !usable.includes(one)), ...outcome.unsent]);
      return setProblem(outcome.problem);
    }
    finish.current = () => onPick([]);
    const { known } = outcome;
    if (skipped.length > 0 || known.length > 0) {
      const title =
        skipped.length > 0
          ? `${countOf(skipped.length, "file")} skipped`
          : `${countOf(known.length, "file")} already in the library`;
      const names = known.slice(0, 3).map(({ name, duplicateOf }) => `${name} is there as "${duplicateOf}"`);
      const left = skipped.length > 0 ? [namesOf(skipped)] : [];
      const description = [...left, ...names].join("; ");
      showToast({ kind: "info", title, description });
    }
    navigate(`/rag?batch=${encodeURIComponent(outcome.batch)}`);
  };
  return (
    <form
      method="post"
      action={withBase("/rag/upload")}
      encType="multipart/form-data"
      onSubmit={send}
      data-sends-itself
      noValidate
      className="flex flex-1 flex-col gap-4 [&>footer]:order-3 sm:[&>footer]:mt-auto"
    >
      {problem && !isUploading && (usable.length > 0 || problem === choice.refused?.problem) && (
        <Notice kind="danger" title={FAILURES.ingest.title}>
          {describeFailure(FAILURES.ingest, problem)}
        </Notice>
      )}
      {/* Before the files: the server reads the form in order and needs the target first. */}
      <div className="scripted:order-1">
        <TargetFields submitted={submitted} errors={errors} {...targetFields} />
      </div>
      <Chooser hydrated={hydrated} onChoose={(files) => onPick(addFiles(picked, files))} />
      {problem && usable.length === 0 && problem !== choice.refused?.problem && (
        <FieldError>{problem}</FieldError>
      )}
      <FileRows
        files={picked}
        disabled={isUploading}
        onRemove={(one) => onPick(picked.filter((other) => other !== one))}
      />
      {isUploading && (
        <div className="order-2">
          <ProgressBar label="Upload" done={Math.round(progress * 100)} total={100} />
          <p className="mt-1 text-muted text-xs tabular-nums">Uploading, {Math.round(progress * 100)}%</p>
        </div>
      )}
      <DialogActions>
        <LinkButton to={closeTo} preventScrollReset>
          Cancel
        </LinkButton>
        <Button variant="primary" name="intent" value="upload" pending={isUploading}>
          {usable.length > 1 ? `Ingest ${usable.length} Files` : "Ingest Files"}
        </Button>
      </DialogActions>
    </form>
  );
}

interface ChooserProps {
  hydrated: boolean;
  onChoose: (files: PickedFile[]) => void;
}

function Chooser({ hydrated, onChoose }: ChooserProps) {
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  // Files may have been chosen before hydration.
  const latest = useRef(onChoose);
  latest.current = onChoose;
  useEffect(() => {
    if (files.current?.files?.length) latest.current(filesOfInput(files.current));
    // React has no such property.
    folder.current?.setAttribute("webkitdirectory", "");
  }, []);
  const choose = (input: HTMLInputElement) => {
    onChoose(filesOfInput(input));
    // Allows choosing a removed file again.
    input.value = "";
  };
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-edge border-dashed px-4 py-6 text-center">
      <FileUp aria-hidden="true" className="size-6 text-muted" />
      {hydrated && <p className="font-medium">Drop files or folders here</p>}
      <label htmlFor="ingest-files" className={hydrated ? "sr-only" : "font-medium"}>
        Files
      </label>
      <input
        ref={files}
        id="ingest-files"
        type="file"
        name="files"
        multiple
        accept={ACCEPTED_FILES}
        aria-describedby="ingest-files-hint"
        onChange={({ currentTarget }) => choose(currentTarget)}
        // The visible button takes the focus instead.
        tabIndex={hydrated ? -1 : undefined}
        className={hydrated ? "sr-only" : "max-w-full"}
      />
      <input
        ref={folder}
        type="file"
        multiple
        aria-label="A folder"
        tabIndex={-1}
        className="hidden"
        onChange={({ currentTarget }) => choose(currentTarget)}
      />
      {hydrated && (
        <div className="flex flex-wrap justify-center gap-2">
          <Button
            type="button"
            data-focus-first=""
            aria-describedby="ingest-files-hint"
            onClick={() => files.current?.click()}
            icon={<FileUp aria-hidden="true" />}
          >
            Choose Files
          </Button>
          <Button
            type="button"
            onClick={() => folder.current?.click()}
            icon={<FolderUp aria-hidden="true" />}
          >
            Choose Folder
          </Button>
        </div>
      )}
      <p id="ingest-files-hint" className="max-w-md text-pretty text-muted text-xs">
        {ACCEPTED_FORMATS}, at most {MAX_FILE_BYTES / 1_000_000} MB each
      </p>
    </div>
  );
}

interface FileRowsProps {
  files: readonly PickedFile[];
  onRemove: (file: PickedFile) => void;
  disabled: boolean;
}

const SHOWN = 200;

function FileRows({ files, onRemove, disabled }: FileRowsProps) {
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
