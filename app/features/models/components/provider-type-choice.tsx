import { FieldError } from "~/ui/field";
import { RadioCard } from "~/ui/radio-card";
import type { ProviderTypeInfo } from "../models.schema";
import { Abilities } from "./abilities";

interface ProviderTypeChoiceProps {
  types: ProviderTypeInfo[];
  chosen: string;
  onChoose: (value: string) => void;
  errors: string[] | undefined;
}

/** The provider types, each with what it is; the chosen one says how it lists its models and what they can do. */
export function ProviderTypeChoice({ types, chosen, onChoose, errors }: ProviderTypeChoiceProps) {
  return (
    <fieldset aria-describedby={errors?.[0] ? "provider-type-error" : undefined}>
      <legend className="mb-1.5 font-medium text-ink text-sm">Provider type</legend>
      {errors?.[0] && <FieldError id="provider-type-error">{errors[0]}</FieldError>}
      <div className="grid gap-2 sm:grid-cols-2 sm:*:last:odd:col-span-2">
        {types.map(({ value, label, description, listing, abilities }) => (
          <RadioCard
            key={value}
            name="provider"
            value={value}
            label={label}
            hint={description}
            defaultChecked={value === chosen}
            onChoose={() => onChoose(value)}
          >
            <span className="block text-ink">{listing}</span>
            <span className="flex flex-wrap gap-1 pt-1.5">
              <Abilities abilities={abilities} />
            </span>
          </RadioCard>
        ))}
      </div>
    </fieldset>
  );
}
