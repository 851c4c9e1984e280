import { Fragment } from "react";
import { cx } from "~/ui/class-names";
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

/** Provider types with descriptions; the chosen one shows how it lists models, and their abilities. */
export function ProviderTypeChoice({ types, chosen, onChoose, errors }: ProviderTypeChoiceProps) {
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
