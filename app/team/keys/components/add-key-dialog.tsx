import { useEffect, useId, useState } from "react";
import { describeFailure, FAILURES } from "~/ui/failures";
import { FormDialog } from "~/ui/form-dialog";
import { type Result, submittedText } from "~/ui/form-result";
import { useHydrated } from "~/ui/hydration";
import { Field, Input, Select } from "~/ui/input";
import { serverForm } from "~/ui/server-form";
import type { KeyReference } from "../keys.schema";
import { KEY_PROVIDER_LABELS, KEY_PROVIDERS, WELL_KNOWN_KEYS } from "../keys.shared";

export function AddKeyDialog({ closeTo, result }: { closeTo: string; result: Result }) {
  const hydrated = useHydrated();
  const [empty, setEmpty] = useState(true);
  const [form, fields] = serverForm({ id: "key", lastResult: result });
  const alias = useId();
  const submitted: Record<string, unknown> = form.initialValue ?? {};
  // Text may have been typed before hydration.
  useEffect(() => {
    const input = document.getElementById(alias);
    setEmpty(!(input instanceof HTMLInputElement && input.value));
  }, [alias]);
  return (
    <FormDialog
      title="Add Key"
      description="Enter the environment variable that holds the key. The key is never stored or shown."
      closeTo={closeTo}
      result={result}
      failure={FAILURES.addKey.title}
      problem={form.errors?.[0] && describeFailure(FAILURES.addKey, form.errors[0])}
      intent="add-key"
      label="Save"
      // Without JavaScript the server validates.
      disabled={hydrated && empty}
    >
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
        id={alias}
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
        <Input type="url" inputMode="url" defaultValue={submittedText(submitted.origin)} autoComplete="off" />
      </Field>
    </FormDialog>
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
  const [, fields] = serverForm({ id: "key-origin", lastResult: result });
  return (
    <FormDialog
      title={`Address of ${keyReference.alias}`}
      size="sm"
      closeTo={closeTo}
      result={result}
      hidden={{ id: keyReference.id }}
      intent="change-origin"
      label="Save Changes"
    >
      <Field label="Allowed address" name="origin" error={fields.origin?.errors} required>
        <Input type="url" inputMode="url" defaultValue={keyReference.origins[0] ?? ""} autoComplete="off" />
      </Field>
    </FormDialog>
  );
}
