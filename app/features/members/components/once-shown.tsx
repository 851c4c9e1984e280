import { CopyButton } from "~/ui/copy-button";
import { Field } from "~/ui/field";
import { Input } from "~/ui/input";
import { Notice } from "~/ui/notice";

interface OnceShownProps {
  title: string;
  label: string;
  value: string;
  hint: string;
}

/** A secret that exists on this page only: to read, select or copy. */
export function OnceShown({ title, label, value, hint }: OnceShownProps) {
  return (
    <div className="flex flex-col gap-4">
      <Notice kind="success" title={title}>
        It is shown only now.
      </Notice>
      <Field label={label} hint={hint}>
        <div className="flex items-center gap-2">
          <Input
            value={value}
            readOnly
            className="font-mono"
            onFocus={(event) => event.currentTarget.select()}
            aria-label={label}
          />
          <CopyButton text={value} label={`Copy ${label.toLowerCase()}`} />
        </div>
      </Field>
    </div>
  );
}
