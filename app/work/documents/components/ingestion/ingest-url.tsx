import { Form } from "@remix-run/react";
import { useRef } from "react";
import { FormActions, useFocusFirstError } from "~/ui/dialog";
import { submittedText } from "~/ui/form-result";
import { Field, Input, Select, Textarea } from "~/ui/input";
import { SCHEDULES } from "../../ingestion/ingest.shared";
import { type IngestFormProps, TargetFields } from "./target-fields";

const KINDS = [
  { value: "page", label: "One page" },
  { value: "list", label: "List of addresses" },
  { value: "sitemap", label: "Sitemap" },
] as const;

export function IngestUrl({ submitted, errors, result, closeTo, ...targetFields }: IngestFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, result);
  const kind = KINDS.find(({ value }) => value === submitted.kind)?.value ?? "page";
  return (
    <Form
      ref={form}
      method="post"
      preventScrollReset
      noValidate
      className="group/kind flex flex-1 flex-col gap-4 sm:[&>footer]:mt-auto"
    >
      <fieldset>
        <legend className="sr-only">Source</legend>
        <div className="inline-flex max-w-full flex-wrap gap-1 rounded-md bg-sunken p-1">
          {KINDS.map(({ value, label }) => (
            <label
              key={value}
              className="flex min-h-8 cursor-pointer items-center rounded-sm px-3 font-medium text-muted has-checked:bg-raised has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-focus pointer-coarse:min-h-11"
            >
              <input
                type="radio"
                name="kind"
                value={value}
                defaultChecked={value === kind}
                className="sr-only"
              />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="hidden flex-col gap-4 group-has-[[value=page]:checked]/kind:flex">
        <Field label="URL" name="url" error={errors.url} required>
          <Input
            type="url"
            defaultValue={submittedText(submitted.url)}
            {...(errors.url ? { autoFocus: true } : {})}
            placeholder="https://example.com/handbook"
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
        <Field
          label="Title"
          name="title"
          error={errors.title}
          hint="Leave blank to use the URL's host and path"
        >
          <Input defaultValue={submittedText(submitted.title)} maxLength={200} autoComplete="off" />
        </Field>
      </div>
      <Field
        label="Addresses"
        name="addresses"
        error={errors.addresses}
        required
        hint="Enter one per line, at most 500"
        className="hidden group-has-[[value=list]:checked]/kind:flex"
      >
        <Textarea
          rows={7}
          {...(errors.addresses ? { autoFocus: true } : {})}
          defaultValue={submittedText(submitted.addresses)}
          placeholder={"https://example.com/one\nhttps://example.com/two"}
          spellCheck={false}
          className="font-mono"
        />
      </Field>
      <Field
        label="Sitemap"
        name="sitemap"
        error={errors.sitemap}
        required
        hint="Enter a sitemap of up to 500 pages"
        className="hidden group-has-[[value=sitemap]:checked]/kind:flex"
      >
        <Input
          type="url"
          defaultValue={submittedText(submitted.sitemap)}
          {...(errors.sitemap ? { autoFocus: true } : {})}
          placeholder="https://example.com/sitemap.xml"
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
      <Field
        label="Refresh"
        name="refresh"
        error={errors.refresh}
        hint="When the page changes, its content is replaced"
      >
        <Select defaultValue={submittedText(submitted.refresh) || "off"} className="sm:max-w-60">
          {SCHEDULES.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <TargetFields submitted={submitted} errors={errors} {...targetFields} />
      <FormActions closeTo={closeTo} intent="ingest-url" label="Ingest URL" />
    </Form>
  );
}
