import type { KeyReference } from "~/features/keys/keys.schema";
import { Field } from "~/ui/field";
import { Input, Select, Textarea } from "~/ui/input";
import type { ProviderConfigField, ProviderTypeInfo } from "../models.schema";

interface FieldsProps {
  /** Whose settings to show; all of them without one. */
  type: ProviderTypeInfo | undefined;
  keys: KeyReference[];
  config: Record<string, unknown>;
  errors: Record<string, string[]>;
}

const LIMITS: readonly { name: ProviderConfigField; label: string; hint: string }[] = [
  {
    name: "maxConcurrent",
    label: "Calls at the same time",
    hint: "Further ones wait their turn; empty for no limit",
  },
  {
    name: "requestsPerMinute",
    label: "Calls a minute",
    hint: "Further ones wait their turn; empty for no limit",
  },
];

/** The settings a provider type knows. */
export function ProviderConfigFields({ type, keys, config, errors }: FieldsProps) {
  const shows = (name: ProviderConfigField) => !type || type.fields.includes(name);
  const fitting = keys.filter((key) => key.origins.length > 0);
  const value = (name: ProviderConfigField) => {
    const found = config[name];
    if (Array.isArray(found)) return found.join("\n");
    return typeof found === "string" || typeof found === "number" ? String(found) : "";
  };
  return (
    <>
      {shows("baseUrl") && (
        <Field
          label="Base address"
          name="config.baseUrl"
          error={errors["config.baseUrl"]}
          required={type !== undefined && type.defaultBaseUrl === null}
          hint={
            type?.defaultBaseUrl
              ? `Leave empty for ${type.defaultBaseUrl}`
              : "Such as http://localhost:8000/v1; needed for the type Custom"
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
      )}
      {shows("keyId") && (
        <Field
          label="API key"
          name="config.keyId"
          error={errors["config.keyId"]}
          hint="A key reference of the tab API Keys; a key is only sent to the address it is bound to"
        >
          <Select defaultValue={value("keyId")}>
            <option value="">The first that fits the base address</option>
            {fitting.map((key) => (
              <option key={key.id} value={key.id}>
                {key.alias} ({key.origins.join(", ")}){key.present ? "" : ", not set"}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {shows("api") && (
        <Field
          label="API"
          name="config.api"
          error={errors["config.api"]}
          hint={type ? undefined : "OpenAI only"}
        >
          <Select defaultValue={value("api")}>
            <option value="">Responses (OpenAI's newer API)</option>
            <option value="chat">Chat completions</option>
          </Select>
        </Field>
      )}
      {shows("models") && (
        <Field
          label="More models"
          name="config.models"
          error={errors["config.models"]}
          hint="Ids to offer beside those the provider lists, one per line"
        >
          <Textarea rows={2} defaultValue={value("models")} spellCheck={false} />
        </Field>
      )}
      {LIMITS.some(({ name }) => shows(name)) && (
        <div className="grid gap-4 sm:grid-cols-2">
          {LIMITS.filter(({ name }) => shows(name)).map(({ name, label, hint }) => (
            <Field
              key={name}
              label={label}
              name={`config.${name}`}
              error={errors[`config.${name}`]}
              hint={hint}
            >
              <Input inputMode="numeric" defaultValue={value(name)} autoComplete="off" />
            </Field>
          ))}
        </div>
      )}
    </>
  );
}
