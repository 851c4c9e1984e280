import { useId } from "react";
import type { RoutingPolicy } from "~/platform/catalogue/models.schema";
import { Checkbox } from "~/ui/choice";
import { ChoiceList } from "~/ui/choice-list";
import { FormDialog } from "~/ui/form-dialog";
import { type Result, readResult } from "~/ui/form-result";
import { Field, FieldError, Input, Select, Textarea } from "~/ui/input";
import { CAPABILITIES, CAPABILITY_LABELS, POLICY_CHOICES, UNIT_PRICES } from "../model-options.shared";
import type { EditedModel } from "../model-settings.schema";
import { formatPrice } from "./model-list-parts";

type ProviderOption = { id: string; displayName: string };

interface ModelDialogProps {
  /** Undefined to add a custom model: an unlisted ID of a provider, or an alias. */
  edited?: EditedModel;
  providers: readonly ProviderOption[];
  defaultPolicy: RoutingPolicy;
  groups: readonly { id: string; name: string }[];
  closeTo: string;
  result: Result;
}

/** A form's values by dotted name, with what is wrong with them. */
interface Values {
  errors: Record<string, string[]>;
  fieldOf: (name: string) => unknown;
  textOf: (name: string) => string;
}

function storedValues({ settings, model }: EditedModel): Record<string, unknown> {
  const { routing } = settings;
  return {
    ...settings,
    recommended: model.recommended,
    capabilities: model.capabilities,
    routing: routing && { ...routing, fallbacks: routing.fallbacks.join("\n") },
  };
}

function valueAt(values: unknown, name: string): unknown {
  return name
    .split(/[.[\]]+/)
    .reduce<unknown>(
      (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
      values,
    );
}

export function ModelDialog({ edited, providers, defaultPolicy, groups, closeTo, result }: ModelDialogProps) {
  const { errors, submitted } = readResult(result);
  const shown = submitted ?? (edited ? storedValues(edited) : {});
  const fieldOf = (name: string) => valueAt(shown, name);
  const textOf = (name: string) => {
    const value = fieldOf(name);
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  const values: Values = { errors, fieldOf, textOf };
  const policyLabel = POLICY_CHOICES.find(({ value }) => value === defaultPolicy)?.label;
  return (
    <FormDialog
      title={edited ? `Edit ${edited.model.name}` : "Add Custom Model"}
      description={describeModel(edited)}
      closeTo={closeTo}
      size="lg"
      result={result}
      failure={edited ? "Failed to update model" : "Failed to add model"}
      intent={edited ? "save-model" : "add-custom-model"}
      label={edited ? "Save Changes" : "Add Model"}
    >
      {edited ? <EditedFields {...edited} /> : <IdFields {...values} />}
      <ModelFields edited={edited} {...values} />
      {edited && (
        <div className="grid gap-x-4 sm:grid-cols-2">
          <Checkbox
            name="recommended"
            label="Recommended"
            hint="Mark in lists and prefer as the default model"
            defaultChecked={Boolean(fieldOf("recommended"))}
          />
          <Checkbox
            name="hidden"
            label="Hidden"
            hint="Remove from pickers; the API can still call it by ID"
            defaultChecked={Boolean(fieldOf("hidden"))}
          />
        </div>
      )}
      {edited && <GroupChoice groups={groups} {...values} />}
      <TargetRows isEdited={edited !== undefined} providers={providers} {...values} />
      <Field label="Routing policy" name="routing.policy" error={errors["routing.policy"]}>
        <Select defaultValue={textOf("routing.policy")}>
          <option value="">Organization default ({policyLabel})</option>
          {POLICY_CHOICES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        label="Fallback models"
        name="routing.fallbacks"
        error={errors["routing.fallbacks"]}
        hint="Enter up to 5 model IDs, one per line. They are tried in this order when every provider fails."
      >
        <Textarea
          rows={2}
          defaultValue={textOf("routing.fallbacks")}
          spellCheck={false}
          className="font-mono"
        />
      </Field>
    </FormDialog>
  );
}

function GroupChoice({ groups, errors, fieldOf }: Values & Pick<ModelDialogProps, "groups">) {
  const legend = useId();
  const chosen = [fieldOf("groups") ?? []].flat();
  const deleted = chosen.filter((id) => !groups.some((group) => group.id === id));
  return (
    <fieldset aria-labelledby={legend} className="flex flex-col gap-1">
      <span id={legend} className="font-medium text-ink text-sm">
        Limited to groups
      </span>
      <p className="text-muted text-xs">
        Choose none to let everyone call it. Otherwise only their members and admins can, also by the API and
        in workflows.
      </p>
      <ChoiceList
        label="Groups that may call it"
        name="groups"
        options={[...groups, ...deleted.map((id) => ({ id: String(id), name: "Deleted group" }))]}
        chosen={chosen}
        empty="There are no groups yet. Add them under Members."
      />
      {errors.groups?.[0] && <FieldError>{errors.groups[0]}</FieldError>}
    </fieldset>
  );
}

function describeModel(edited: EditedModel | undefined) {
  if (!edited) return "Add a model that isn't listed, or one ID for a model that several providers offer.";
  const { id, name } = edited.model;
  return name === id ? undefined : <span className="break-all font-mono">{id}</span>;
}

function EditedFields({ model, listedRecommended }: EditedModel) {
  return (
    <>
      <input type="hidden" name="model" value={model.id} />
      <input type="hidden" name="shownCapabilities" value={model.capabilities.join(",")} />
      <input type="hidden" name="listedRecommended" value={listedRecommended ? "on" : ""} />
    </>
  );
}

function IdFields({ errors, textOf }: Values) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="Model ID"
        name="id"
        error={errors.id}
        required
        hint="Enter the ID used in chat, personas and the API"
      >
        <Input
          defaultValue={textOf("id")}
          placeholder="team/best"
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
      </Field>
      <Field label="Provider" name="provider" error={errors.provider} hint="Leave blank for custom">
        <Input defaultValue={textOf("provider")} placeholder="custom" autoComplete="off" />
      </Field>
    </div>
  );
}

function placeholdersOf(edited: EditedModel | undefined) {
  if (!edited) return { maxTokens: "4096", input: "0", output: "0" };
  const { settings, model } = edited;
  const listed = "as listed";
  return {
    name: settings.name ? listed : model.name,
    maxTokens: settings.maxTokens ? listed : String(model.maxTokens),
    input: settings.cost ? listed : formatPrice(model.cost.input),
    output: settings.cost ? listed : formatPrice(model.cost.output),
  };
}

function ModelFields({ edited, errors, fieldOf, textOf }: Values & { edited: EditedModel | undefined }) {
  const placeholders = placeholdersOf(edited);
  const capabilities = [fieldOf("capabilities")].flat();
  const price = (name: "input" | "output", label: string) => (
    <Field
      label={label}
      name={`cost.${name}`}
      error={errors[`cost.${name}`]}
      hint={
        edited
          ? "Leave blank for the catalog price, in US dollars per 1K tokens"
          : "Enter US dollars per 1K tokens"
      }
    >
      <Input inputMode="decimal" defaultValue={textOf(`cost.${name}`)} placeholder={placeholders[name]} />
    </Field>
  );
  return (
    <>
      <Field label="Name" name="name" error={errors.name} required={!edited}>
        <Input defaultValue={textOf("name")} placeholder={placeholders.name} autoComplete="off" />
      </Field>
      <Field label="Description" name="description" error={errors.description}>
        <Textarea rows={2} defaultValue={textOf("description")} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field
          label="Max tokens"
          name="maxTokens"
          error={errors.maxTokens}
          hint="Enter the length of the context"
        >
          <Input
            inputMode="numeric"
            defaultValue={textOf("maxTokens")}
            placeholder={placeholders.maxTokens}
          />
        </Field>
        {price("input", "Input cost")}
        {price("output", "Output cost")}
      </div>
      {UNIT_PRICES.filter(({ kind }) => kind === edited?.kind).map(({ name, noun, per }) => (
        <Field
          key={name}
          label={`Cost of ${noun}`}
          name={`cost.${name}`}
          error={errors[`cost.${name}`]}
          hint={`Enter US dollars per ${per}, if the provider charges by ${noun}; leave the tokens blank then`}
        >
          <Input inputMode="decimal" defaultValue={textOf(`cost.${name}`)} />
        </Field>
      ))}
      <fieldset>
        <legend className="mb-1 font-medium text-ink text-sm">Capabilities</legend>
        {errors.capabilities?.[0] && <FieldError>{errors.capabilities[0]}</FieldError>}
        <div className="grid grid-cols-2 gap-x-4 sm:grid-cols-3">
          {CAPABILITIES.map((capability) => (
            <Checkbox
              key={capability}
              name="capabilities"
              value={capability}
              label={CAPABILITY_LABELS[capability]}
              defaultChecked={capabilities.includes(capability)}
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}

/** Rows to add at once; more with each opening. */
const EMPTY_ROWS = 4;
const MAX_ROWS = 20;

interface TargetRowsProps extends Values {
  isEdited: boolean;
  providers: readonly ProviderOption[];
}

/** Empty rows are ignored; a further one appears once those before it are filled. */
function TargetRows({ isEdited, ...row }: TargetRowsProps) {
  const targets = row.fieldOf("routing.targets");
  const length = Math.min(MAX_ROWS, (Array.isArray(targets) ? targets.length : 0) + EMPTY_ROWS);
  const whole = row.errors["routing.targets"]?.[0];
  return (
    <fieldset>
      <legend className="font-medium text-ink text-sm">
        {isEdited ? "Additional providers" : "Served by"}
      </legend>
      <p className="mb-2 text-muted text-xs">
        {isEdited
          ? "Add providers that offer this model under another ID."
          : "Choose up to four providers and their IDs for this model. Leave blank to use all providers of the type above."}
      </p>
      {whole && <FieldError>{whole}</FieldError>}
      <ol className="spare-rows flex flex-col gap-4 sm:gap-2">
        {Array.from({ length }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the form and has no other identity.
          <TargetRow key={index} index={index} {...row} />
        ))}
      </ol>
    </fieldset>
  );
}

function TargetRow({
  index,
  providers,
  errors,
  textOf,
}: Omit<TargetRowsProps, "isEdited"> & { index: number }) {
  const base = `routing.targets[${index}]`;
  const [provider, model] = [`${base}.providerId`, `${base}.model`];
  const message = errors[provider]?.[0] ?? errors[model]?.[0] ?? errors[base]?.[0];
  const described = message ? `target-${index}-error` : undefined;
  const chosen = textOf(provider);
  return (
    <li className="flex flex-col gap-1">
      <div className="grid gap-2 sm:grid-cols-2">
        <Select
          name={provider}
          defaultValue={chosen}
          aria-label={`Provider ${index + 1}`}
          aria-invalid={errors[provider] ? true : undefined}
          aria-describedby={described}
        >
          <option value="">No provider</option>
          {providers.map(({ id, displayName }) => (
            <option key={id} value={id}>
              {displayName}
            </option>
          ))}
          {chosen && !providers.some(({ id }) => id === chosen) && (
            <option value={chosen}>Deleted provider</option>
          )}
        </Select>
        <Input
          name={model}
          defaultValue={textOf(model)}
          placeholder="Provider's model ID"
          aria-label={`Model ID at provider ${index + 1}`}
          aria-invalid={errors[model] ? true : undefined}
          aria-describedby={described}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
      </div>
      {message && <FieldError id={`target-${index}-error`}>{message}</FieldError>}
    </li>
  );
}
