import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, IconButton } from "./button";
import { cx } from "./class-names";
import { useHydrated } from "./hydration";
import { Field, Input } from "./input";
import { Notice } from "./notice";
import { showToast } from "./toast-store";

/** Invisible without JavaScript, keeping its space. */
export function CopyButton({
  text,
  label = "Copy",
  className,
  wide,
}: {
  text: string;
  label?: string;
  className?: string;
  wide?: boolean;
}) {
  const hydrated = useHydrated();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      showToast({
        kind: "error",
        title: "Couldn't copy",
        description: "The browser blocked the clipboard. Select the text and copy it.",
      });
    }
  };
  return (
    <span className={cx("inline-flex shrink-0", !hydrated && "invisible")}>
      {wide ? (
        <Button type="button" variant="primary" icon={copied ? <Check /> : <Copy />} onClick={copy}>
          {label}
        </Button>
      ) : (
        <IconButton
          type="button"
          label={copied ? "Copied" : label}
          icon={copied ? <Check className="text-success-ink" /> : <Copy />}
          className={className}
          onClick={copy}
        />
      )}
      <span role="status" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </span>
  );
}

interface OneTimeSecretProps {
  title: string;
  label: string;
  value: string;
  hint: string;
}

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
