import { type ComponentPropsWithoutRef, useEffect, useRef, useState } from "react";
import { Textarea } from "./input";

/** Placeholder for a long text that was sent: the server puts the text itself into the field only. */
interface KeptText {
  kept: string;
}

const isKept = (value: unknown): value is KeptText =>
  typeof value === "object" && value !== null && "kept" in value && typeof value.kept === "string";

type Props = Omit<ComponentPropsWithoutRef<"textarea">, "defaultValue" | "value"> & {
  /** What a refused form was sent with, or what to begin with: a text, or what stands for a long one. */
  sent: unknown;
};

/**
 * A field whose text may be so long that drawing it, and telling it to the page's script beside that, would take too long.
 * On the server it draws what stands for the text; in the browser the text is in the field already.
 */
export function LongTextarea({ sent, ...rest }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const kept = isKept(sent);
  const [text, setText] = useState(() => {
    if (typeof sent === "string") return sent;
    return kept && typeof document === "undefined" ? sent.kept : "";
  });
  // What React takes for the beginning would come back with the next change of the field.
  useEffect(() => {
    if (kept && field.current) setText(field.current.value);
  }, [kept]);
  return <Textarea ref={field} defaultValue={text} {...rest} />;
}
