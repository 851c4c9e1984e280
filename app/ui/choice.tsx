import { type ComponentPropsWithRef, forwardRef, type ReactNode, useId } from "react";
import { cx } from "./class-names";

type ChoiceProps = Omit<ComponentPropsWithRef<"input">, "type"> & {
  label: ReactNode;
  hint?: ReactNode;
  hideLabel?: boolean;
};

const ROW = "flex min-h-8 items-start gap-2.5 py-1.5 pointer-coarse:min-h-11";

export const Checkbox = forwardRef<HTMLInputElement, ChoiceProps>(function Checkbox(
  { label, hint, hideLabel, className, ...rest },
  ref,
) {
  const ownId = useId();
  const id = rest.id ?? ownId;
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
      <OptionText id={id} label={label} hint={hint} hideLabel={hideLabel} />
    </label>
  );
});

function OptionText({
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
