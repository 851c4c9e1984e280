import { useNavigate } from "@remix-run/react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { Button, LinkButton } from "~/ui/button";
import { Dialog, DialogActions, useFocusFirstError } from "~/ui/dialog";
import { problemDetail, UNREACHABLE } from "~/ui/failures";
import { FormDialog } from "~/ui/form-dialog";
import { type Result, readResult, submittedText } from "~/ui/form-result";
import { Field, Input, Textarea } from "~/ui/input";
import { showToast } from "~/ui/toast-store";
import { ACCEPTED_FILES, ACCEPTED_FORMATS } from "~/work/extraction/formats.shared";
import type { DocumentDetail } from "../../documents.schema";
import { MAX_TEXT, TEXT_TOO_LONG } from "../../ingestion/ingest.shared";
import { TextFormatChoice, useTextLimit } from "../ingestion/text-format-choice";

interface VersionDialogProps {
  document: DocumentDetail;
  text?: string | undefined;
  closeTo: string;
  result: Result;
  refused?: string | undefined;
}

const DESCRIPTION =
  "The current version is searched until the new one is ready, and stays available under Versions.";

export function VersionDialog({ document, text, closeTo, result, refused }: VersionDialogProps) {
  const about = { title: "New Version", description: DESCRIPTION, closeTo };
  if (document.metadata.type === "text")
    return <TextDialog {...about} text={text} format={formatOf(document)} result={result} />;
  return (
    <Dialog {...about}>
      <FileForm document={document} closeTo={closeTo} refused={refused} />
    </Dialog>
  );
}

const formatOf = ({ version }: DocumentDetail) =>
  version?.contentType.startsWith("text/markdown") ? "markdown" : "text";

interface TextDialogProps extends Pick<VersionDialogProps, "text" | "closeTo" | "result"> {
  title: string;
  description: string;
  format: string;
}

function TextDialog({ text, format, ...about }: TextDialogProps) {
  const { errors, submitted } = readResult(about.result);
  const limit = useTextLimit("text", MAX_TEXT, TEXT_TOO_LONG);
  return (
    <FormDialog
      {...about}
      size="lg"
      problem={errors.text && null}
      form={{ encType: "multipart/form-data", onSubmit: limit.onSubmit }}
      intent="version-text"
      label="Save New Version"
    >
      <Field
        label="Text"
        name="text"
        error={limit.error ?? errors.text}
        hint={
          text === undefined
            ? "The text is too long to show here. What you enter replaces all of it."
            : undefined
        }
        required
      >
        <Textarea rows={16} defaultValue={submitted ? submittedText(submitted.text) : text} />
      </Field>
      <TextFormatChoice chosen={submitted ? submittedText(submitted.format) : format} />
    </FormDialog>
  );
}

/** Uploads to a streaming endpoint. With JavaScript the dialog stays open on a refusal. */
function FileForm({
  document,
  closeTo,
  refused,
}: Pick<VersionDialogProps, "document" | "closeTo" | "refused">) {
  const id = encodeURIComponent(document.id);
  const { error, isSending, send } = useSending(`/api/rag/documents/${id}/versions`, refused, () =>
    showToast({ kind: "success", title: `The new version of "${document.name}" is being processed` }),
  );
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, error);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (await send(new FormData(event.currentTarget))) navigate(closeTo, { preventScrollReset: true });
  };
  return (
    <form
      ref={form}
      method="post"
      action={withBase(`/rag/${id}/version?dialog=version`)}
      encType="multipart/form-data"
      onSubmit={submit}
      data-sends-itself
      noValidate
    >
      <Field
        label="File"
        name="file"
        hint={`${ACCEPTED_FORMATS}; at most 50 MB`}
        error={error && [error.message]}
        required
      >
        <Input type="file" accept={ACCEPTED_FILES} />
      </Field>
      <DialogActions>
        <LinkButton to={closeTo} preventScrollReset>
          Cancel
        </LinkButton>
        <Button variant="primary" name="intent" value="version-file" pending={isSending}>
          Upload
        </Button>
      </DialogActions>
    </form>
  );
}

/** Submits by fetch, so that input survives a refusal. A new object for each refusal. */
function useSending(action: string, refused: string | undefined, onDone: () => void) {
  const [error, setError] = useState(refused === undefined ? undefined : { message: refused });
  const [isSending, setIsSending] = useState(false);
  const controller = useRef<AbortController>();
  useEffect(() => () => controller.current?.abort(), []);
  const send = async (body: FormData): Promise<boolean> => {
    if (isSending) return false;
    controller.current = new AbortController();
    const { signal } = controller.current;
    setIsSending(true);
    setError(undefined);
    const message = await refusalOf(action, body, signal);
    if (signal.aborted) return false;
    // The button keeps its spinner until the dialog closes.
    if (message === undefined) onDone();
    else {
      setIsSending(false);
      setError({ message });
    }
    return message === undefined;
  };
  return { error, isSending, send };
}

async function refusalOf(action: string, body: FormData, signal: AbortSignal): Promise<string | undefined> {
  try {
    const headers = { Accept: "application/json" };
    const response = await fetch(withBase(action), { method: "POST", headers, body, signal });
    if (response.ok) return undefined;
    return await problemDetail(response);
  } catch {
    return UNREACHABLE;
  }
}
