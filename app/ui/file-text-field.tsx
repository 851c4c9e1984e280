import { FileUp } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { Button } from "./button";
import { Field, Textarea } from "./input";

interface FileTextFieldProps {
  label: string;
  name: string;
  hint: string | undefined;
  /** Of the file to choose. */
  accept: string;
  fileLabel: string;
  errors: string[] | undefined;
  initialValue: string;
}

/** A form's limit is 1 MB. */
const MAX_BYTES = 900_000;

/** A text that is typed, pasted, or read from a file. */
export function FileTextField(props: FileTextFieldProps) {
  const { label, name, hint, accept, fileLabel, errors, initialValue } = props;
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
      <Field label={label} name={name} error={problem ?? errors} hint={hint} required className="w-full">
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
        accept={accept}
        aria-label={fileLabel}
        className="hidden"
        onChange={({ currentTarget }) => {
          void read(currentTarget.files?.[0]);
          currentTarget.value = "";
        }}
      />
    </div>
  );
}
