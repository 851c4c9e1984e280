import { FileUp } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { Button } from "./button";
import { FormDialog } from "./form-dialog";
import { type Result, readResult } from "./form-result";
import { Field, Textarea } from "./input";

interface JsonImportDialogProps {
  title: string;
  description: string;
  hint?: string;
  submit: string;
  closeTo: string;
  result: Result;
}

/** For what was exported as JSON. */
export function JsonImportDialog(props: JsonImportDialogProps) {
  const { title, description, hint, submit, closeTo, result } = props;
  const { errors, submitted } = readResult(result);
  return (
    <FormDialog
      title={title}
      description={description}
      closeTo={closeTo}
      result={result}
      problem={errors.json && null}
      intent="import"
      label={submit}
    >
      <JsonField errors={errors.json} initialValue={String(submitted?.json ?? "")} hint={hint} />
    </FormDialog>
  );
}

interface JsonFieldProps {
  errors: string[] | undefined;
  initialValue: string;
  hint: string | undefined;
}

/** A form's limit is 1 MB. */
const MAX_BYTES = 900_000;

function JsonField({ errors, initialValue, hint }: JsonFieldProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const read = async (file: File | undefined) => {
    if (!file || !text.current) return;
    if (file.size > MAX_BYTES) return setProblem(`${file.name} is larger than ${MAX_BYTES / 1000} KB`);
    text.current.value = await file.text();
    text.current.dispatchEvent(new Event("input", { bubbles: true }));
    text.current.focus();
  };
  const onDrop = (event: DragEvent) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    void read(file);
  };
  return (
    <div className="flex flex-col items-start gap-2">
      <Field label="JSON" name="json" error={problem ?? errors} hint={hint} required className="w-full">
        <Textarea
          ref={text}
          rows={12}
          defaultValue={initialValue}
          spellCheck={false}
          className="font-mono"
          autoFocus
          onInput={() => setProblem(undefined)}
          onDrop={onDrop}
          onDragOver={(event) => event.preventDefault()}
        />
      </Field>
      <span className="hidden scripted:inline-flex">
        <Button type="button" size="sm" icon={<FileUp />} onClick={() => picker.current?.click()}>
          Choose File
        </Button>
      </span>
      <input
        ref={picker}
        type="file"
        accept=".json,application/json"
        aria-label="Exported file"
        className="hidden"
        onChange={({ currentTarget }) => {
          void read(currentTarget.files?.[0]);
          currentTarget.value = "";
        }}
      />
    </div>
  );
}
