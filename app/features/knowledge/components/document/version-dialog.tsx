import { Form } from "@remix-run/react";
import { useRef } from "react";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { type Result, readResult } from "~/ui/form-result";
import { Input } from "~/ui/input";
import { LongTextarea } from "~/ui/long-textarea";
import { Notice } from "~/ui/notice";
import type { DocumentDetail } from "../../document-view.schema";
import { ACCEPTED_FILES, ACCEPTED_FORMATS } from "../../extraction/formats.schema";
import { MAX_TEXT, TEXT_TOO_LONG } from "../../text-length.schema";
import { useTextLimit } from "../use-text-limit";

interface VersionDialogProps {
  document: DocumentDetail;
  /** What a text says now, to be changed; absent where it is too long for that. */
  text?: string | undefined;
  closeTo: string;
  result: Result;
}

const DESCRIPTION =
  "What it says now is searched until the new version is ready, and is kept among its versions.";

/** Gives a text or a file another content. */
export function VersionDialog({ document, text, closeTo, result }: VersionDialogProps) {
  return (
    <Dialog
      title="New version"
      description={DESCRIPTION}
      size={document.metadata.type === "text" ? "lg" : "md"}
      closeTo={closeTo}
    >
      {document.metadata.type === "text" ? (
        <TextForm text={text} closeTo={closeTo} result={result} />
      ) : (
        <FileForm document={document} closeTo={closeTo} />
      )}
    </Dialog>
  );
}

function TextForm({ text, closeTo, result }: Omit<VersionDialogProps, "document">) {
  const form = useRef<HTMLFormElement>(null);
  const { errors, problem, sent } = readResult(result);
  useFocusFirstError(form, result);
  const limit = useTextLimit("text", MAX_TEXT, TEXT_TOO_LONG);
  return (
    <Form
      ref={form}
      method="post"
      encType="multipart/form-data"
      preventScrollReset
      noValidate
      onSubmit={limit.onSubmit}
    >
      {problem && !errors.text && (
        <Notice kind="danger" className="mb-4">
          {problem}
        </Notice>
      )}
      <Field
        label="Text"
        name="text"
        error={limit.error ?? errors.text}
        hint={
          text === undefined
            ? "It is too long to be shown here; what you enter replaces all of it."
            : undefined
        }
        required
      >
        <LongTextarea rows={16} sent={sent ? sent.text : text} />
      </Field>
      <FormActions closeTo={closeTo} intent="version-text" label="Save New Version" />
    </Form>
  );
}

function FileForm({ document, closeTo }: Pick<VersionDialogProps, "document" | "closeTo">) {
  return (
    // The file goes to its own address, which takes it as it comes; the browser's own post needs no script.
    <Form
      method="post"
      action={`/api/rag/documents/${encodeURIComponent(document.id)}/versions`}
      encType="multipart/form-data"
      reloadDocument
    >
      <Field label="File" name="file" hint={`${ACCEPTED_FORMATS}; at most 50 MB`} required>
        <Input type="file" accept={ACCEPTED_FILES} className="h-auto! py-1.5" />
      </Field>
      <FormActions closeTo={closeTo} intent="version-file" label="Upload" />
    </Form>
  );
}
