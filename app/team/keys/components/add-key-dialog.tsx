import { Form } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { describeFailure, FAILURES } from "~/ui/failures";
import { type Result, submittedText } from "~/ui/form-result";
import { useHydrated } from "~/ui/hydration";
import { Field, Input, Select } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { formProps, serverForm } from "~/ui/server-form";
import type { KeyReference } from "../keys.schema";
import { KEY_PROVIDER_LABELS, KEY_PROVIDERS, WELL_KNOWN_KEYS } from "../keys.shared";

export function AddKeyDialog({ closeTo, result }: { closeTo: string; result: Result }) {
  const hydrated = useHydrated();
  const [empty, setEmpty] = useState(true);
  const [form, fields] = serverForm({ id: "key", lastResult: result });
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  const submitted: Record<string, unknown> = form.initialValue ?? {};
  // Text may have been typed before hydration.
  useEffect(() => setEmpty(!new FormData(element.current ?? undefined).get("alias")), []);
  return (
    <Dialog
      title="Add Key"
      description="Enter the environment variable that holds the key. The key is never stored or shown."
      closeTo={closeTo}
    >
      <Form method="post" {...formProps(form)} ref={element} className="flex flex-col gap-4">
        {form.errors?.[0] && (
          <Notice kind="danger" title={FAILURES.addKey.title}>
            {describeFailure(FAILURES.addKey, form.errors[0])}
          </Notice>
        )}
        <Field label="Provider" name="provider" error={fields.provider?.errors}>
          <Select defaultValue={submittedText(submitted.provider) || "openai"}>
            {KEY_PROVIDERS.map((kind) => (
              <option key={kind} value={kind}>
                {KEY_PROVIDER_LABELS[kind]}
              </option>
            ))}
          </Select>
        </Field>
        <Field
          label="Alias"
          name="alias"
          error={fields.alias?.errors}
          required
          hint="Enter the name of a server environment variable, such as OPENAI_API_KEY or QUARTERDECK_KEY_LAB"
        >
          <Input
            defaultValue={submittedText(submitted.alias)}
            onInput={(event) => setEmpty(event.currentTarget.value.trim() === "")}
            list="known-keys"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            className="font-mono"
          />
        </Field>
        <datalist id="known-keys">
          {Object.keys(WELL_KNOWN_KEYS).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Field
          label="Allowed address"
          name="origin"
          error={fields.origin?.errors}
          hint="Leave blank for a provider's usual address or a database. Otherwise enter the only address that may receive the key, such as https://llm.example.com."
        >
          <Input
            type="url"
            inputMode="url"
            defaultValue={submittedText(submitted.origin)}
            autoComplete="off"
          />
        </Field>
        {/* Without JavaScript the server validates. */}
        <FormActions closeTo={closeTo} intent="add-key" label="Save" disabled={hydrated && empty} />
      </Form>
    </Dialog>
  );
}

export function KeyOriginDialog({
  keyReference,
  closeTo,
  result,
}: {
  keyReference: KeyReference;
  closeTo: string;
  result: Result;
}) {
  const [form, fields] = serverForm({ id: "key-origin", lastResult: result });
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  return (
    <Dialog title={`Address of ${keyReference.alias}`} closeTo={closeTo} size="sm">
      <Form method="post" {...formProps(form)} ref={element} className="flex flex-col gap-4">
        {form.errors?.[0] && <Notice kind="danger">{form.errors[0]}</Notice>}
        <input type="hidden" name="id" value={keyReference.id} />
        <Field label="Allowed address" name="origin" error={fields.origin?.errors} required>
          <Input type="url" inputMode="url" defaultValue={keyReference.origins[0] ?? ""} autoComplete="off" />
        </Field>
        <FormActions closeTo={closeTo} intent="change-origin" label="Save Changes" />
      </Form>
    </Dialog>
  );
}
