import { type ReactNode, useId } from "react";

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
