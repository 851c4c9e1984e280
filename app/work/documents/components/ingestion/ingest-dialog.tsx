import { Form } from "@remix-run/react";
import { useRef } from "react";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { describeFailure, FAILURES } from "~/ui/failures";
import { readResult, submittedText } from "~/ui/form-result";
import { Field, Input, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { Tabs } from "~/ui/tabs";
import { MAX_TEXT, TEXT_TOO_LONG } from "../../ingestion/ingest.shared";
import type { IngestTab, ListView } from "../../screens/rag-screen.schema";
import { ragAddress } from "../addresses";
import { byName, textFieldsOf } from "./form-fields";
import { type FileChoice, IngestFiles } from "./ingest-files";
import { IngestUrl } from "./ingest-url";
import { type IngestFormProps, TargetFields } from "./target-fields";
import { TextFormatChoice, useTextLimit } from "./text-format-choice";

function IngestText({ submitted, errors, result, closeTo, ...targetFields }: IngestFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, result);
  const limit = useTextLimit("text", MAX_TEXT, TEXT_TOO_LONG);
  return (
    <Form
      ref={form}
      method="post"
      // URL encoding would triple the size of the text.
      encType="multipart/form-data"
      preventScrollReset
      noValidate
      onSubmit={limit.onSubmit}
      className="flex flex-1 flex-col gap-4 sm:[&>footer]:mt-auto"
    >
      <Field
        label="Title"
        name="title"
        error={errors.title}
        hint={'Leave blank to use "Text Document" and today\'s date'}
      >
        <Input defaultValue={submittedText(submitted.title)} maxLength={200} autoComplete="off" />
      </Field>
      <Field label="Content" name="text" error={limit.error ?? errors.text} required>
        <Textarea
          rows={9}
          defaultValue={submittedText(submitted.text)}
          placeholder="Paste or type text"
          {...(errors.text ? { autoFocus: true } : {})}
        />
      </Field>
      <TextFormatChoice chosen={submittedText(submitted.format)} />
      <TargetFields submitted={submitted} errors={errors} {...targetFields} />
      <FormActions closeTo={closeTo} intent="ingest-text" label="Ingest Text" />
    </Form>
  );
}

interface IngestDialogProps extends Pick<IngestFormProps, "categories" | "colleagues" | "result"> {
  view: ListView;
  tab: IngestTab;
  choice: FileChoice;
}

const TABS = { text: "Text", url: "URL", file: "File" } as const;

export function IngestDialog(props: IngestDialogProps) {
  const { view, tab, choice, result, categories, colleagues } = props;
  const { errors, formError, submitted } = readResult(result);
  const box = useRef<HTMLDivElement>(null);
  const drafts = useRef<Partial<Record<IngestTab, Record<string, unknown>>>>({});
  const saveDraft = () => {
    const form = box.current?.querySelector("form");
    if (form) drafts.current[tab] = byName(textFieldsOf(form));
  };
  const form: IngestFormProps = {
    categories,
    colleagues,
    closeTo: ragAddress(view),
    // Later input takes precedence over what was sent.
    submitted: drafts.current[tab] ?? submitted ?? {},
    errors,
    result,
  };
  return (
    <Dialog
      title="Ingest Document"
      description="Once processed, it can be searched and cited in chat."
      closeTo={form.closeTo}
      size="lg"
    >
      <div ref={box} onClickCapture={saveDraft} className="flex flex-col gap-4 sm:min-h-[38.25rem]">
        <Tabs
          label="Source"
          tabs={Object.entries(TABS).map(([name, label]) => ({
            label,
            to: ragAddress(view, { dialog: "ingest", tab: name }),
            active: name === tab,
          }))}
        />
        {formError && (
          <Notice kind="danger" title={FAILURES.ingest.title}>
            {describeFailure(FAILURES.ingest, formError)}
          </Notice>
        )}
        {tab === "text" && <IngestText {...form} />}
        {tab === "url" && <IngestUrl {...form} />}
        {tab === "file" && (
          <IngestFiles
            {...form}
            submitted={drafts.current.file ?? submitted ?? byName(choice.refused?.fields ?? [])}
            choice={choice}
          />
        )}
      </div>
    </Dialog>
  );
}
