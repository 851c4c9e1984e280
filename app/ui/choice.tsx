import { type ComponentPropsWithRef, forwardRef, type ReactNode, useId } from "react";
import { cx } from "./class-names";

type ChoiceProps = Omit<ComponentPropsWithRef<"input">, "type"> & {
  label: ReactNode;
  hint?: ReactNode;
  hideLabel?: boolean;
};

const ROW = "flex min-h-8 items-start gap-2.5 py-1.5 pointer-coarse:min-h-11";

/** A native checkbox with its label; the whole row is the target. */
export const Checkbox = forwardRef<HTMLInputElement, ChoiceProps>(function Checkbox(
  { label, hint, hideLabel, className, ...rest },
  ref,
) {
  const made = useId();
  const id = rest.id ?? made;
  return (
    <label htmlFor={id} className={cx(ROW, rest.disabled && "opacity-60", className)}>
      <input
        ref={ref}
        type="checkbox"
        aria-describedby={hint == null ? undefined : `${id}-hint`}
        className="mt-0.5 size-4 shrink-0 rounded-xs accent-primary-solid"
        {...rest}
        id={id}
      />
      <Words id={id} label={label} hint={hint} hideLabel={hideLabel} />
    </label>
  );
});

// Browsers map a checkbox's own state to aria-checked, which must therefore not be set beside it (HTML-ARIA).
const SWITCH = { type: "checkbox", role: "switch" };

/** A checkbox drawn and announced as a switch: on or off at once rather than a choice in a form. */
export const Switch = forwardRef<HTMLInputElement, ChoiceProps>(function Switch(
  { label, hint, hideLabel, className, ...rest },
  ref,
) {
  const made = useId();
  const id = rest.id ?? made;
  return (
    <label htmlFor={id} className={cx(ROW, rest.disabled && "opacity-60", className)}>
      <input
        ref={ref}
        {...SWITCH}
        aria-describedby={hint == null ? undefined : `${id}-hint`}
        className={cx(
          "relative h-5 w-9 shrink-0 appearance-none rounded-full border border-edge bg-sunken transition-colors",
          "before:absolute before:top-0.5 before:left-0.5 before:size-3.5 before:rounded-full before:bg-muted before:transition-transform before:content-['']",
          "checked:border-primary-solid checked:bg-primary-solid checked:before:translate-x-4 checked:before:bg-on-solid",
        )}
        {...rest}
        id={id}
      />
      <Words id={id} label={label} hint={hint} hideLabel={hideLabel} />
    </label>
  );
});

function Words({
  id,
  label,
  hint,
  hideLabel,
}: Pick<ChoiceProps, "label" | "hint" | "hideLabel"> & { id: string }) {
  return (
    <span className={cx("min-w-0", hideLabel && "sr-only")}>
      <span className="block text-ink text-sm">{label}</span>
      {hint != null && (
        <span id={`${id}-hint`} className="block text-muted text-xs">
          {hint}
        </span>
      )}
    </span>
  );
}
