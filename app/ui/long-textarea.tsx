import { type ComponentPropsWithoutRef, useEffect, useRef, useState } from "react";
import { Textarea } from "./input";

/** Placeholder for a long text that was sent: the server writes the text itself into the field's HTML only. */
interface KeptText {
  kept: string;
}

const isKept = (value: unknown): value is KeptText =>
  typeof value === "object" && value !== null && "kept" in value && typeof value.kept === "string";

type Props = Omit<ComponentPropsWithoutRef<"textarea">, "defaultValue" | "value"> & {
  /** The sent or initial value: a text, or the placeholder of a long one. */
  sent: unknown;
};

/**
 * A field whose text may be so long that rendering it and serializing it for hydration would take too long. The server
 * renders a placeholder, which is replaced in the HTML; in the browser the text is in the field already.
 */
export function LongTextarea({ sent, ...rest }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const kept = isKept(sent);
  const [text, setText] = useState(() => {
    if (typeof sent === "string") return sent;
    return kept && typeof document === "undefined" ? sent.kept : "";
  });
  // React would restore its own initial value at the field's next change.
  useEffect(() => {
    if (kept && field.current) setText(field.current.value);
  }, [kept]);
  return <Textarea ref={field} defaultValue={text} {...rest} />;
}
