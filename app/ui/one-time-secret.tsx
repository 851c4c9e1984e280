import { CopyButton } from "./copy-button";
import { Field, Input } from "./input";
import { Notice } from "./notice";

interface OneTimeSecretProps {
  title: string;
  label: string;
  value: string;
  hint: string;
}

/** A secret that is shown once: to read, select or copy. */
export function OneTimeSecret({ title, label, value, hint }: OneTimeSecretProps) {
  return (
    <div className="flex flex-col gap-4">
      <Notice kind="success" title={title} />
      <Field label={label} hint={hint}>
        <div className="flex items-center gap-2">
          <Input
            value={value}
            readOnly
            className="font-mono"
            onFocus={({ currentTarget: field }) => {
              field.setSelectionRange(0, value.length, "backward");
              // Selecting scrolls to the end.
              requestAnimationFrame(() => field.scrollTo({ left: 0 }));
            }}
            aria-label={label}
          />
          <CopyButton text={value} label={`Copy ${label}`} wide />
        </div>
      </Field>
    </div>
  );
}
