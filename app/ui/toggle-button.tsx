import { Switch } from "@headlessui/react";
import { useRef } from "react";
import { cx } from "./class-names";
import { useHydrated } from "./use-hydrated";

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

/**
 * A switch that sends its form with `intent`. The server sends it as the form's submit button, so it needs no script;
 * with script it is Headless UI's switch, which Space flips as a person expects of one.
 */
export function ToggleButton({ on, label, intent, pending }: ToggleButtonProps) {
  const hydrated = useHydrated();
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <input type="hidden" name="intent" value={intent} />
      {hydrated ? (
        <Switch
          ref={button}
          checked={on}
          onChange={() => button.current?.form?.requestSubmit()}
          aria-label={label}
          disabled={pending ?? false}
          className={FRAME}
        >
          <Track on={on} />
        </Switch>
      ) : (
        <button type="submit" role="switch" aria-checked={on} aria-label={label} className={FRAME}>
          <Track on={on} />
        </button>
      )}
    </>
  );
}
