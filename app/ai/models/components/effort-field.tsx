import type { ReactNode } from "react";
import { useHydrated } from "~/ui/hydration";
import { Field, GroupedOptions, Select } from "~/ui/input";
import { EFFORT_OPTIONS } from "../model-picker.shared";

interface EffortFieldProps {
  /** Whether the chosen model may reason. */
  isShown: boolean;
  name?: string;
  id?: string;
  form?: string;
  hint: ReactNode;
  error?: string | string[] | undefined;
  disabled?: boolean;
  value: string;
  onChange: (effort: string) => void;
  className?: string;
}

/** The effort of the model beside it. What was chosen is kept, and sent, while a model that doesn't reason is. */
export function EffortField({ isShown, form, disabled, value, onChange, ...field }: EffortFieldProps) {
  const hydrated = useHydrated();
  const own = { form, disabled, value };
  const control = (
    <Field label="Effort" {...field}>
      <Select {...own} onChange={({ target }) => onChange(target.value)}>
        <GroupedOptions options={EFFORT_OPTIONS} />
      </Select>
    </Field>
  );
  if (isShown) return control;
  return (
    <>
      {/* Without script another model may be chosen and sent at once. */}
      <noscript className="block">{control}</noscript>
      {hydrated && <input type="hidden" name={field.name} {...own} />}
    </>
  );
}
