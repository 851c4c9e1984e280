import { cx } from "~/ui/class-names";

interface ToggleButtonProps {
  on: boolean;
  label: string;
  intent: string;
  pending?: boolean;
}

/** A switch that is its form's submit button, so that it works without script. */
export function ToggleButton({ on, label, intent, pending }: ToggleButtonProps) {
  return (
    <button
      type="submit"
      role="switch"
      aria-checked={on}
      aria-label={label}
      aria-disabled={pending || undefined}
      name="intent"
      value={intent}
      className="grid min-h-8 min-w-11 place-items-center pointer-coarse:min-h-11"
    >
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
    </button>
  );
}
