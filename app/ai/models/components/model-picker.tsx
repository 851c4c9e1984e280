import { type ComponentPropsWithoutRef, type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { cx } from "~/ui/class-names";
import { useHydrated } from "~/ui/hydration";
import { Field, GroupedOptions, Select } from "~/ui/input";
import { lazyPart } from "~/ui/lazy-part";
import { EFFORT_OPTIONS, modelOptions, type OfferedModel } from "../model-picker.shared";

const panel = lazyPart(
  () => import("./model-panel").then((module) => module.ModelPanel),
  "[data-model-panel]",
);

interface ModelPickerProps
  extends Omit<ComponentPropsWithoutRef<"select">, "children" | "multiple" | "onKeyDown"> {
  models: readonly OfferedModel[];
  /** Label of the choice of none. */
  blank?: string;
}

/**
 * The choice of a model: a native select that holds the form's value and stands alone before hydration. Then a press or
 * key opens a searchable panel in place of the browser's list, and its choice is written back as if it were made here.
 */
export function ModelPicker({ models, blank, className, ...rest }: ModelPickerProps) {
  const select = useRef<HTMLSelectElement>(null);
  const hydrated = useHydrated();
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  const openByKey = (event: KeyboardEvent) => {
    if (!/^(Enter| |ArrowDown|ArrowUp)$/.test(event.key)) return;
    event.preventDefault();
    open();
  };
  return (
    <span className={cx("relative block min-w-0", className)}>
      <Select ref={select} aria-haspopup={hydrated ? "dialog" : undefined} onKeyDown={openByKey} {...rest}>
        {blank !== undefined && <option value="">{blank}</option>}
        <GroupedOptions options={modelOptions(models)} chosen={`${rest.value ?? rest.defaultValue ?? ""}`} />
      </Select>
      {hydrated && !rest.disabled && (
        <button
          type="button"
          tabIndex={-1}
          aria-hidden="true"
          className="absolute inset-0 w-full"
          onPointerEnter={panel.preload}
          onClick={open}
        />
      )}
      {isOpen && <panel.Part field={select} models={models} blank={blank} onClose={() => setOpen(false)} />}
    </span>
  );
}

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
