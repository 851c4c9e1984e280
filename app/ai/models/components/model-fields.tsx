import { Checkbox } from "~/ui/choice";
import { Field, FieldError, Input, Textarea } from "~/ui/input";
import { CAPABILITIES, CAPABILITY_LABELS } from "../model-options.shared";
import type { ModelValues } from "./model-values";

interface ModelFieldsProps {
  values: ModelValues;
  errors: Record<string, string[]>;
  nameRequired?: boolean;
  /** Values that apply without a setting. */
  placeholders: { name?: string; maxTokens: string; inputCost: string; outputCost: string };
  priceHint: string;
}

export function ModelFields({ values, errors, nameRequired, placeholders, priceHint }: ModelFieldsProps) {
  return (
    <>
      <Field label="Name" name="name" error={errors.name} required={nameRequired ?? false}>
        <Input defaultValue={values.name} placeholder={placeholders.name} autoComplete="off" />
      </Field>
      <Field label="Description" name="description" error={errors.description}>
        <Textarea rows={2} defaultValue={values.description} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field
          label="Max tokens"
          name="maxTokens"
          error={errors.maxTokens}
          hint="Enter the length of the context"
        >
          <Input inputMode="numeric" defaultValue={values.maxTokens} placeholder={placeholders.maxTokens} />
        </Field>
        <Field label="Input cost" name="cost.input" error={errors["cost.input"]} hint={priceHint}>
          <Input inputMode="decimal" defaultValue={values.inputCost} placeholder={placeholders.inputCost} />
        </Field>
        <Field label="Output cost" name="cost.output" error={errors["cost.output"]} hint={priceHint}>
          <Input inputMode="decimal" defaultValue={values.outputCost} placeholder={placeholders.outputCost} />
        </Field>
      </div>
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
              defaultChecked={values.capabilities.includes(capability)}
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}
