import { Form } from "@remix-run/react";
import { cx } from "./class-names";
import { useInPlace } from "./sending";

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

interface ToggleFormProps {
  label: string;
  hint: string;
  /** The field that gets "true" or "false". */
  name: string;
  isOn: boolean;
  intent: string;
}

/** A setting that is saved as it is switched, and leaves its page alone. */
export function ToggleForm({ label, hint, name, isOn, intent }: ToggleFormProps) {
  const { send, formData } = useInPlace();
  const pending = formData !== undefined;
  const value = String(!isOn);
  return (
    <Form
      method="post"
      className="flex items-start justify-between gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        send({ intent, [name]: value });
      }}
    >
      <div className="min-w-0">
        <p className="font-medium text-sm">{label}</p>
        <p className="text-muted text-xs">{hint}</p>
      </div>
      <input type="hidden" name={name} value={value} />
      <ToggleButton
        on={pending ? formData.get(name) === "true" : isOn}
        label={label}
        intent={intent}
        pending={pending}
      />
    </Form>
  );
}
