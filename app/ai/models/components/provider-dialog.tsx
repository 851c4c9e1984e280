import { Form } from "@remix-run/react";
import { Fragment, useRef, useState } from "react";
import type { KeyReference } from "~/team/keys/keys.schema";
import { RadioCard } from "~/ui/choice";
import { cx } from "~/ui/class-names";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { FAILURES } from "~/ui/failures";
import { explainFormError, type Result, readResult } from "~/ui/form-result";
import { useHydrated } from "~/ui/hydration";
import { Field, FieldError, Input } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { Provider, ProviderTypeInfo } from "../models.schema";
import { Abilities } from "./abilities";
import { ProviderConfigFields } from "./provider-config-fields";

interface ProviderTypeChoiceProps {
  types: ProviderTypeInfo[];
  chosen: string;
  onChoose: (value: string) => void;
  errors: string[] | undefined;
}

/** Provider types with descriptions; the chosen one shows how it lists models, and their abilities. */
function ProviderTypeChoice({ types, chosen, onChoose, errors }: ProviderTypeChoiceProps) {
  return (
    <fieldset aria-describedby={errors?.[0] ? "provider-type-error" : undefined}>
      <legend className="mb-1.5 font-medium text-ink text-sm">Provider type</legend>
      {errors?.[0] && <FieldError id="provider-type-error">{errors[0]}</FieldError>}
      <div className="grid gap-2 sm:grid-cols-2">
        {types.map(({ value, label, description, listing, abilities }, index) => (
          <Fragment key={value}>
            <div className={cx(index % 2 === 0 && index === types.length - 1 && "sm:col-span-2")}>
              <RadioCard
                name="provider"
                value={value}
                label={label}
                hint={description}
                defaultChecked={value === chosen}
                onChoose={() => onChoose(value)}
              />
            </div>
            {/* Below all cards, so that none grows; by CSS, so that it works without script. */}
            <div className="order-last hidden rounded-md bg-sunken px-3 py-2.5 text-xs sm:col-span-2 [:has(:checked)+&]:block">
              <p>{listing}</p>
              <p className="flex flex-wrap gap-1 pt-1.5 empty:hidden">
                <Abilities abilities={abilities} />
              </p>
            </div>
          </Fragment>
        ))}
      </div>
    </fieldset>
  );
}

interface ProviderDialogProps {
  types: ProviderTypeInfo[];
  keys: KeyReference[];
  provider?: Provider | undefined;
  /** Whether the edited provider was deleted meanwhile. */
  isMissing?: boolean;
  closeTo: string;
  result: Result;
}

export function ProviderDialog(props: ProviderDialogProps) {
  const { types, keys, provider, isMissing = false, closeTo, result } = props;
  const hydrated = useHydrated();
  const { errors, formError, submitted = {} } = readResult(result);
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  const [chosen, choose] = useState(provider?.provider ?? text(submitted.provider) ?? types[0]?.value ?? "");
  const type = types.find((candidate) => candidate.value === chosen);
  const intent = provider ? "save-provider" : "add-provider";
  return (
    <Dialog
      title={provider ? `Edit ${provider.displayName}` : isMissing ? "Edit Provider" : "Add Provider"}
      description={
        provider || isMissing
          ? undefined
          : "Connect a model provider. API keys stay in the server's environment."
      }
      closeTo={closeTo}
      size="lg"
    >
      <Form method="post" ref={element} noValidate className="flex flex-col gap-4">
        {formError && (
          <Notice
            kind="danger"
            title={(provider || isMissing ? FAILURES.updateProvider : FAILURES.createProvider).title}
          >
            {explainFormError(formError, isMissing)}
          </Notice>
        )}
        {provider ? (
          <>
            <input type="hidden" name="id" value={provider.id} />
            {/* To add it again if it is deleted meanwhile. */}
            <input type="hidden" name="provider" value={provider.provider} />
          </>
        ) : (
          <ProviderTypeChoice types={types} chosen={chosen} onChoose={choose} errors={errors.provider} />
        )}
        <Field label="Display name" name="displayName" error={errors.displayName} required>
          <Input
            defaultValue={text(submitted.displayName) ?? provider?.displayName ?? ""}
            maxLength={100}
            autoComplete="off"
          />
        </Field>
        <ProviderConfigFields
          // Without JavaScript the form shows every type's settings.
          type={hydrated || provider ? type : undefined}
          keys={keys}
          config={{ ...provider?.config, ...record(submitted.config) }}
          errors={errors}
        />
        <FormActions closeTo={closeTo} intent={intent} label={provider ? "Save Changes" : "Add Provider"} />
      </Form>
    </Dialog>
  );
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
