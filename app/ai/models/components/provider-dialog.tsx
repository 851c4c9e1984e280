import { Form, useNavigation } from "@remix-run/react";
import { Check } from "lucide-react";
import { Fragment, useEffect, useRef, useState } from "react";
import type { KeyReference } from "~/team/keys/keys.schema";
import { KEY_STEPS, type KeyPlace, keyLabel, VARIABLE_CHOICE } from "~/team/keys/keys.shared";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { CopyLine } from "~/ui/copy-line";
import { Dialog, DialogActions, useFocusFirstError } from "~/ui/dialog";
import { FAILURES } from "~/ui/failures";
import { explainFormError, type Result, readResult } from "~/ui/form-result";
import { useHydrated } from "~/ui/hydration";
import { Field, FieldError, Input, Select, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { Provider, ProviderChoice, ProviderConfigField, ProviderTypeInfo } from "../models.schema";
import { ProviderMark } from "./provider-mark";

interface ProviderTypeChoiceProps {
  types: ProviderChoice[];
  place: KeyPlace;
  chosen: string;
  onChoose: (value: string) => void;
  errors: string[] | undefined;
}

/** Tiles of provider types; below them what the chosen one offers and the state of its key. */
function ProviderTypeChoice({ types, place, chosen, onChoose, errors }: ProviderTypeChoiceProps) {
  return (
    <fieldset aria-describedby={errors?.[0] ? "provider-type-error" : undefined}>
      <legend className="mb-1.5 font-medium text-ink text-sm">Provider type</legend>
      {errors?.[0] && <FieldError id="provider-type-error">{errors[0]}</FieldError>}
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-4">
        {types.map((type) => (
          <Fragment key={type.value}>
            <div>
              <Tile type={type} isChosen={type.value === chosen} onChoose={() => onChoose(type.value)} />
            </div>
            {/* Below all tiles, so that none grows; by CSS, so that it works without script. */}
            <div className="order-last col-span-full hidden rounded-md bg-sunken px-3 py-2.5 text-xs [:has(:checked)+&]:block">
              <p id={`provider-${type.value}`} className="text-ink">
                {type.description}
              </p>
              <p className="text-muted">{type.listing}</p>
              <p className="flex flex-wrap gap-1 pt-1.5 empty:hidden">
                {type.abilities.map((ability) => (
                  <Badge key={ability}>{ability}</Badge>
                ))}
              </p>
              <KeyState type={type} place={place} />
            </div>
          </Fragment>
        ))}
      </div>
    </fieldset>
  );
}

interface TileProps {
  type: ProviderChoice;
  isChosen: boolean;
  onChoose: () => void;
}

function Tile({ type: { value, label, key }, isChosen, onChoose }: TileProps) {
  return (
    <label className="relative flex h-full min-h-24 cursor-pointer flex-col items-center justify-center gap-1.5 rounded-md border border-line bg-surface p-2 text-center transition-colors hover:border-edge has-checked:border-primary-ink has-checked:bg-primary-soft">
      <input
        type="radio"
        name="provider"
        value={value}
        defaultChecked={isChosen}
        onChange={onChoose}
        aria-describedby={`provider-${value}`}
        className="absolute top-2 left-2 size-3.5 accent-primary-solid"
      />
      <ProviderMark type={value} />
      <span className="font-medium text-ink text-sm">{label}</span>
      {key?.present && <span className="text-success-ink text-xs">Key found</span>}
    </label>
  );
}

function KeyState({ type: { key, needsKey }, place }: { type: ProviderChoice; place: KeyPlace }) {
  if (!key) {
    return (
      <p className="pt-2 text-ink">
        {needsKey ? "Needs a key reference." : "A key is only needed if the server asks for one."}
      </p>
    );
  }
  return (
    <div className="pt-2">
      {key.present ? (
        <p className="flex flex-wrap items-center gap-x-1.5 text-ink">
          <Check aria-hidden="true" className="size-4 text-success-ink" />
          <span>
            <code className="font-mono">{key.alias}</code> found, sent only to {key.host}
          </span>
        </p>
      ) : (
        <>
          <p className="pb-1.5 text-ink">
            It needs a key, which is sent only to {key.host}. <code className="font-mono">{key.alias}</code>{" "}
            isn't set:
          </p>
          <CopyLine line={`${key.alias}=`} rest="your key" hint={KEY_STEPS[place]} />
        </>
      )}
    </div>
  );
}

interface ProviderDialogProps {
  types: ProviderChoice[];
  keys: KeyReference[];
  /** Set variables that no reference names yet. */
  variables: string[];
  place: KeyPlace;
  provider?: Provider | undefined;
  /** Whether the edited provider was deleted meanwhile. */
  isMissing?: boolean;
  closeTo: string;
  result: Result;
}

export function ProviderDialog(props: ProviderDialogProps) {
  const { types, keys, variables, place, provider, isMissing = false, closeTo, result } = props;
  const hydrated = useHydrated();
  const { errors, formError, submitted = {} } = readResult(result);
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  const [chosen, choose] = useState(provider?.provider ?? text(submitted.provider) ?? types[0]?.value ?? "");
  const type = types.find((candidate) => candidate.value === chosen);
  const navigation = useNavigation();
  const running = navigation.formData?.get("intent");
  // One that was deleted meanwhile was saved before, so that it needn't answer now.
  const intent = provider ? "save-provider" : isMissing ? "add-untested" : "add-provider";
  const problem = errors.test?.[0];
  const name = useRef<HTMLInputElement>(null);
  const isNew = !provider && !isMissing;
  const label = type?.label ?? "";
  // As a text: the page's data come again while somebody types.
  const labels = types.map((one) => one.label).join("\n");
  useEffect(() => {
    const field = name.current;
    const isOwn = field && field.value !== "" && !labels.split("\n").includes(field.value);
    if (isNew && field && !isOwn) field.value = label;
  }, [isNew, label, labels]);
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
        {formError && !problem && (
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
          <ProviderTypeChoice {...{ types, place, chosen }} onChoose={choose} errors={errors.provider} />
        )}
        <Field label="Display name" name="displayName" error={errors.displayName} required>
          <Input
            ref={name}
            defaultValue={text(submitted.displayName) ?? provider?.displayName ?? ""}
            maxLength={100}
            autoComplete="off"
          />
        </Field>
        <ConfigFields
          // Without JavaScript the form shows every type's settings.
          type={hydrated || provider ? type : undefined}
          keys={keys}
          variables={variables}
          config={{ ...provider?.config, ...(typeof submitted.config === "object" ? submitted.config : {}) }}
          errors={errors}
        />
        <DialogActions>
          {/* Here, where it is seen wherever the form was scrolled. */}
          {problem && (
            <div className="-order-2 w-full">
              <Notice kind="danger" title="The test failed, so nothing was saved">
                {problem}
              </Notice>
            </div>
          )}
          <LinkButton to={closeTo} preventScrollReset>
            Cancel
          </LinkButton>
          <Button variant="primary" name="intent" value={intent} pending={running === intent}>
            {provider ? "Save Changes" : running === "add-provider" ? "Testing…" : "Add Provider"}
          </Button>
          {/* Last, since Enter presses the first. */}
          {problem && (
            <Button
              name="intent"
              value="add-untested"
              pending={running === "add-untested"}
              className="-order-1"
            >
              Save Anyway
            </Button>
          )}
        </DialogActions>
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
  variables: string[];
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

/** Shown folded until one of them is filled in or refused. */
const RARE: readonly ProviderConfigField[] = ["api", "models", ...LIMITS.map(({ name }) => name)];

function ConfigFields({ type, keys, variables, config, errors }: ConfigFieldsProps) {
  const usableKeys = keys.filter((key) => key.origins.length > 0);
  const field = (name: ProviderConfigField) => ({ name: `config.${name}`, error: errors[`config.${name}`] });
  const [isOpen] = useState(RARE.some((name) => config[name] !== undefined && config[name] !== ""));
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
      {usableKeys.length + variables.length > 0 && (
        <Field
          {...field("keyId")}
          label="API key"
          hint="Automatic takes the key of this type. Each is only sent to its own address."
        >
          <Select defaultValue={value("keyId")}>
            <option value="">Automatic</option>
            {usableKeys.map((key) => (
              <option key={key.id} value={key.id}>
                {keyLabel(key)}
              </option>
            ))}
            {variables.map((alias) => (
              <option key={alias} value={VARIABLE_CHOICE + alias}>
                {alias} (found, for this address only)
              </option>
            ))}
          </Select>
        </Field>
      )}
      <details open={isOpen}>
        <summary className="disclosure min-h-8 cursor-pointer content-center text-sm pointer-coarse:min-h-11">
          More options
        </summary>
        <div className="flex flex-col gap-4 pt-2">
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
        </div>
      </details>
    </>
  );
}
