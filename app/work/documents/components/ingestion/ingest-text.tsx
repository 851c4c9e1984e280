import { Form } from "@remix-run/react";
import { useRef } from "react";
import { FormActions, useFocusFirstError } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { submittedText } from "~/ui/form-result";
import { Input, Textarea } from "~/ui/input";
import { MAX_TEXT, TEXT_TOO_LONG } from "../../ingestion/text-length.shared";
import type { IngestFormProps } from "./target-fields";
import { TargetFields } from "./target-fields";
import { TextFormatChoice } from "./text-format-choice";
import { useTextLimit } from "./use-text-limit";

export function IngestText({ submitted, errors, result, closeTo, ...targetFields }: IngestFormProps) {
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
