import { type ComponentPropsWithRef, forwardRef, type ReactNode, useId } from "react";
import { cx } from "./class-names";
import { ScrollRegion } from "./scroll-region";

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

interface ChoiceListProps {
  label: string;
  name: string;
  options: readonly { id: string; name: string; hint?: string | undefined }[];
  chosen: readonly unknown[];
  empty: string;
}

export function ChoiceList({ label, name, options, chosen, empty }: ChoiceListProps) {
  if (options.length === 0) return <p className="text-muted text-xs">{empty}</p>;
  return (
    <ScrollRegion
      label={label}
      className="grid max-h-52 gap-x-4 overflow-y-auto rounded-md border border-line px-3 py-1 sm:grid-cols-2"
    >
      {options.map((option) => (
        <Checkbox
          key={option.id}
          name={name}
          value={option.id}
          defaultChecked={chosen.includes(option.id)}
          label={<span className="wrap-anywhere">{option.name}</span>}
          hint={option.hint}
        />
      ))}
    </ScrollRegion>
  );
}

interface RadioCardProps {
  name: string;
  value: string;
  label: ReactNode;
  hint: ReactNode;
  defaultChecked: boolean;
  onChoose?: () => void;
  /** Shown while the card is selected; by CSS, so that it works without script. */
  children?: ReactNode;
}

export function RadioCard({ name, value, label, hint, defaultChecked, onChoose, children }: RadioCardProps) {
  const id = useId();
  return (
    <label
      htmlFor={id}
      className="group flex h-full min-w-0 cursor-pointer items-start gap-2.5 rounded-md border border-line bg-surface px-3 py-2.5 transition-colors hover:border-edge has-checked:border-primary-ink has-checked:bg-primary-soft"
    >
      <input
        id={id}
        type="radio"
        name={name}
        value={value}
        defaultChecked={defaultChecked}
        onChange={onChoose}
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-hint`}
        className="mt-0.5 size-4 shrink-0 accent-primary-solid"
      />
      <span className="min-w-0 text-xs">
        <span id={`${id}-label`} className="block font-medium text-ink text-sm">
          {label}
        </span>
        <span id={`${id}-hint`} className="block text-muted">
          {hint}
        </span>
        {children != null && <span className="hidden pt-1.5 group-has-checked:block">{children}</span>}
      </span>
    </label>
  );
}

interface ToggleButtonProps {
  on: boolean;
  label: string;
  intent: string;
  pending?: boolean;
}

const FRAME = "grid min-h-8 min-w-11 place-items-center pointer-coarse:min-h-11";

function Track({ on }: { on: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={cx(
        "relative h-5 w-9 rounded-full border transition-colors",
        on ? "border-primary-solid bg-primary-solid" : "border-edge bg-sunken",
      )}
    >
      <span
        className={cx(
          "absolute top-0.5 left-0.5 size-3.5 rounded-full transition-transform",
          on ? "translate-x-4 bg-on-solid" : "bg-muted",
        )}
      />
    </span>
  );
}

export function ToggleButton({ on, label, intent, pending = false }: ToggleButtonProps) {
  return (
    <>
      <input type="hidden" name="intent" value={intent} />
      <button
        type="submit"
        role="switch"
        aria-checked={on !== pending}
        aria-label={label}
        aria-disabled={pending || undefined}
        className={FRAME}
        onClick={(event) => pending && event.preventDefault()}
      >
        <Track on={on !== pending} />
      </button>
    </>
  );
}
