import { Form } from "@remix-run/react";
import { Fragment, useRef, useState } from "react";
import type { KeyReference } from "~/team/keys/keys.schema";
import { keyLabel } from "~/team/keys/keys.shared";
import { Badge } from "~/ui/badge";
import { cx } from "~/ui/class-names";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { FAILURES } from "~/ui/failures";
import { explainFormError, type Result, readResult } from "~/ui/form-result";
import { useHydrated } from "~/ui/hydration";
import { Field, FieldError, Input, Select, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { RadioCard } from "~/ui/radio-card";
import type { Provider, ProviderConfigField, ProviderTypeInfo } from "../models.schema";

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
                {abilities.map((ability) => (
                  <Badge key={ability}>{ability}</Badge>
                ))}
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
        <ConfigFields
          // Without JavaScript the form shows every type's settings.
          type={hydrated || provider ? type : undefined}
          keys={keys}
          config={{ ...provider?.config, ...(typeof submitted.config === "object" ? submitted.config : {}) }}
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

interface ConfigFieldsProps {
  /** The type whose settings are shown; all without one. */
  type: ProviderTypeInfo | undefined;
  keys: KeyReference[];
  config: Record<string, unknown>;
  errors: Record<string, string[]>;
}

const LIMITS: readonly { name: ProviderConfigField; label: string; hint: string }[] = [
  {
    name: "maxConcurrent",
    label: "Max concurrent requests",
    hint: "Leave blank for no limit. Enter 1 for a server that answers one call at a time",
  },
  { name: "requestsPerMinute", label: "Max requests per minute", hint: "Leave blank for no limit" },
  {
    name: "firstByteTimeout",
    label: "Wait for an answer (ms)",
    hint: "Until its first byte. Leave blank for the Timeout setting, ten times that on a local address",
  },
  {
    name: "silenceTimeout",
    label: "Wait within an answer (ms)",
    hint: "Leave blank for the Timeout setting",
  },
];

function ConfigFields({ type, keys, config, errors }: ConfigFieldsProps) {
  const usableKeys = keys.filter((key) => key.origins.length > 0);
  const field = (name: ProviderConfigField) => ({ name: `config.${name}`, error: errors[`config.${name}`] });
  const value = (name: ProviderConfigField) => {
    const stored = config[name];
    if (Array.isArray(stored)) return stored.join("\n");
    return typeof stored === "string" || typeof stored === "number" ? String(stored) : "";
  };
  return (
    <>
      <Field
        {...field("baseUrl")}
        label="Base URL"
        required={type !== undefined && type.defaultBaseUrl === null}
        hint={
          type?.defaultBaseUrl
            ? `Leave blank for ${type.defaultBaseUrl}`
            : "Enter the server's address, such as http://localhost:8000/v1"
        }
      >
        <Input
          key={type?.value}
          type="url"
          inputMode="url"
          defaultValue={value("baseUrl")}
          placeholder={type?.defaultBaseUrl ?? undefined}
          autoComplete="off"
        />
      </Field>
      <Field
        {...field("keyId")}
        label="API key"
        hint="Choose a reference from the API Keys tab. Keys are only sent to their own address."
      >
        <Select defaultValue={value("keyId")}>
          <option value="">Automatic</option>
          {usableKeys.map((key) => (
            <option key={key.id} value={key.id}>
              {keyLabel(key)}
            </option>
          ))}
        </Select>
      </Field>
      {(!type || type.hasApiChoice) && (
        <Field {...field("api")} label="API" hint={type ? undefined : "OpenAI only"}>
          <Select defaultValue={value("api")}>
            <option value="">Automatic: Responses at OpenAI and Azure, else chat completions</option>
            <option value="responses">Responses (OpenAI's newer API)</option>
            <option value="chat">Chat completions</option>
          </Select>
        </Field>
      )}
      <Field
        {...field("models")}
        label="Additional models"
        hint="Enter one model ID per line to add models the provider doesn't list"
      >
        <Textarea rows={2} defaultValue={value("models")} spellCheck={false} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        {LIMITS.map(({ name, label, hint }) => (
          <Field key={name} {...field(name)} label={label} hint={hint}>
            <Input inputMode="numeric" defaultValue={value(name)} autoComplete="off" />
          </Field>
        ))}
      </div>
    </>
  );
}
