import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, IconButton } from "./button";
import { cx } from "./class-names";
import { useHydrated } from "./hydration";
import { showToast } from "./toast-store";

/** Invisible without JavaScript, keeping its space; pages that never load the bundle leave it out. */
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
        description: "Select the text and copy it.",
      });
    }
  };
  return (
    <span className={cx("inline-flex shrink-0", !hydrated && "invisible [html[data-plain]_&]:hidden")}>
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
