import { type ComponentPropsWithoutRef, type KeyboardEvent, useRef, useState } from "react";
import { cx } from "~/ui/class-names";
import { useHydrated } from "~/ui/hydration";
import { GroupedOptions, Select } from "~/ui/input";
import { lazyPart } from "~/ui/lazy-part";
import { modelOptions, type OfferedModel } from "../model-picker.shared";

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
