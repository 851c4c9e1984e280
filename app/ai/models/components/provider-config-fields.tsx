import type { KeyReference } from "~/team/keys/keys.schema";
import { Field, Input, Select, Textarea } from "~/ui/input";
import type { ProviderConfigField, ProviderTypeInfo } from "../models.schema";

interface FieldsProps {
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
    hint: "Leave blank for no limit",
  },
  {
    name: "requestsPerMinute",
    label: "Max requests per minute",
    hint: "Leave blank for no limit",
  },
];

export function ProviderConfigFields({ type, keys, config, errors }: FieldsProps) {
  const hasField = (name: ProviderConfigField) => !type || type.fields.includes(name);
  const usableKeys = keys.filter((key) => key.origins.length > 0);
  const value = (name: ProviderConfigField) => {
    const stored = config[name];
    if (Array.isArray(stored)) return stored.join("\n");
    return typeof stored === "string" || typeof stored === "number" ? String(stored) : "";
  };
  return (
    <>
      {hasField("baseUrl") && (
        <Field
          label="Base URL"
          name="config.baseUrl"
          error={errors["config.baseUrl"]}
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
      )}
      {hasField("keyId") && (
        <Field
          label="API key"
          name="config.keyId"
          error={errors["config.keyId"]}
          hint="Choose a reference from the API Keys tab. Keys are only sent to their own address."
        >
          <Select defaultValue={value("keyId")}>
            <option value="">Automatic</option>
            {usableKeys.map((key) => (
              <option key={key.id} value={key.id}>
                {key.alias} ({key.origins.join(", ")}){key.present ? "" : " (not set)"}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {hasField("api") && (
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
      {hasField("models") && (
        <Field
          label="Additional models"
          name="config.models"
          error={errors["config.models"]}
          hint="Enter one model ID per line to add models the provider doesn't list"
        >
          <Textarea rows={2} defaultValue={value("models")} spellCheck={false} />
        </Field>
      )}
      {LIMITS.some(({ name }) => hasField(name)) && (
        <div className="grid gap-4 sm:grid-cols-2">
          {LIMITS.filter(({ name }) => hasField(name)).map(({ name, label, hint }) => (
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
