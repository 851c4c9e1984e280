import { Form, useSearchParams } from "@remix-run/react";
import { Pencil, Trash2 } from "lucide-react";
import { Button, IconLink } from "~/ui/button";
import { ConfirmDialog, MissingDialog, RecordDialog } from "~/ui/confirm-dialog";
import { FormDialog } from "~/ui/form-dialog";
import { explainFormError, type Result, readResult } from "~/ui/form-result";
import { Field, HiddenFields, Textarea } from "~/ui/input";
import { RelativeTime } from "~/ui/time";
import { useOpened } from "~/ui/use-open-dialog";
import type { Memory } from "../memories.schema";

interface MemoryListProps {
  label: string;
  memories: readonly Memory[];
  /** Without it, they can only be deleted. */
  canChange: boolean;
  /** Without it, they can only be read. */
  canDelete?: boolean;
  /** Opens the dialog of one. */
  dialogTo: (dialog: "edit" | "forget", id: string) => string;
}

/** Memories in full: what is sent to models must be readable. */
export function MemoryList({ label, memories, canChange, canDelete = true, dialogTo }: MemoryListProps) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {memories.map((memory) => (
        <li key={memory.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
          <div className="min-w-0 flex-1 basis-56">
            <p className="wrap-anywhere" dir="auto">
              {memory.text}
            </p>
            <p className="text-muted text-xs">
              <RelativeTime at={memory.createdAt} />
            </p>
          </div>
          <span className="ml-auto flex shrink-0 items-center gap-1">
            {canChange && !memory.kept && (
              <Decide intent="keep" id={memory.id} label="Keep" name={memory.text} />
            )}
            {canChange && (
              <IconLink
                to={dialogTo("edit", memory.id)}
                preventScrollReset
                label={`Edit ${memory.text}`}
                icon={<Pencil />}
              />
            )}
            {canDelete && (
              <IconLink
                to={dialogTo("forget", memory.id)}
                preventScrollReset
                label={`Delete ${memory.text}`}
                icon={<Trash2 />}
              />
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Decide({ intent, id, label, name }: { intent: string; id: string; label: string; name: string }) {
  return (
    <Form method="post" preventScrollReset>
      <HiddenFields values={{ id }} />
      <Button size="sm" name="intent" value={intent} aria-label={`${label} ${name}`}>
        {label}
      </Button>
    </Form>
  );
}

const MISSING = "Memory not found. It may have been deleted.";

interface MemoryDialogsProps
  extends Pick<MemoryListProps, "memories" | "canChange" | "canDelete">,
    Pick<MemoryDialogProps, "project" | "maxLength" | "closeTo" | "result"> {}

/** The dialog that the address names: of a new memory, or of one of the list. */
export function MemoryDialogs({ memories, canChange, canDelete = true, ...form }: MemoryDialogsProps) {
  const { closeTo, result } = form;
  const [search] = useSearchParams();
  const [dialog, id] = [search.get("dialog"), search.get("id")];
  const found = memories.find((one) => one.id === id);
  const opened = useOpened(id, found);
  if (dialog === "forget" && canDelete)
    return (
      <RecordDialog record={found} missing={MISSING} closeTo={closeTo}>
        {(memory) => (
          <ConfirmDialog
            title="Delete this memory?"
            description={memory.text}
            closeTo={closeTo}
            intent="forget"
            values={{ id: memory.id }}
            confirmLabel="Delete"
          />
        )}
      </RecordDialog>
    );
  if (!canChange) return null;
  if (dialog === "new") return <MemoryDialog memory={undefined} {...form} />;
  if (dialog !== "edit") return null;
  // Refused since it is gone, it keeps what was typed.
  if (result && !found) return <MemoryDialog key={id} memory={undefined} isMissing {...form} />;
  if (!opened) return <MissingDialog message={MISSING} closeTo={closeTo} />;
  return <MemoryDialog key={id} memory={opened} {...form} />;
}

interface MemoryDialogProps {
  memory: Memory | undefined;
  /** It was deleted while it was edited. */
  isMissing?: boolean;
  /** A project's name; without it, it is about the person. */
  project?: string;
  maxLength: number;
  closeTo: string;
  result: Result;
}

function MemoryDialog({ memory, isMissing = false, project, maxLength, closeTo, result }: MemoryDialogProps) {
  const { errors, formError, submitted } = readResult(result);
  return (
    <FormDialog
      title={memory || isMissing ? "Edit Memory" : "Add Memory"}
      closeTo={closeTo}
      result={result}
      problem={errors.text ? null : explainFormError(formError, isMissing)}
      hidden={{ id: memory?.id }}
      intent={memory ? "edit" : "add"}
      label={memory ? "Save Changes" : "Add Memory"}
    >
      <Field
        label="What to remember"
        name="text"
        hint={`One fact about ${project ?? "you"}, at most ${maxLength} characters`}
        error={errors.text}
        required
      >
        <Textarea
          rows={3}
          maxLength={maxLength}
          defaultValue={String(submitted?.text ?? memory?.text ?? "")}
          placeholder={
            project
              ? "The north quay is closed until May 2027"
              : "I work in the harbor office and prefer metric units"
          }
        />
      </Field>
    </FormDialog>
  );
}
