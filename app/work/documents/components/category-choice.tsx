import { Form, useNavigation, useSubmit } from "@remix-run/react";
import { Check } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { Select } from "~/ui/input";
import type { Document } from "../documents.schema";
import { useChangesAddress } from "./addresses";

interface CategoryChoiceProps {
  document: Document;
  categories: readonly string[];
  quiet?: boolean;
}

/**
 * A category dropdown. With a mouse or touch it submits at once; with a keyboard on Enter or blur, and
 * Escape resets it.
 */
export function CategoryChoice({ document, categories, quiet }: CategoryChoiceProps) {
  const submit = useSubmit();
  const changes = useChangesAddress();
  const { formData } = useNavigation();
  const { id, name, metadata } = document;
  const isSent = formData?.get("intent") === "set-category" && formData.get("id") === id;
  const sent = isSent ? String(formData.get("category")) : undefined;
  const [chosen, setChosen] = useState<string>();
  const byKey = useRef(false);
  const select = useRef<HTMLSelectElement>(null);
  const isMounted = useRef(false);
  useEffect(() => {
    const { current } = select;
    const isFirst = !isMounted.current;
    isMounted.current = true;
    if (!current || current.value === metadata.category) return;
    const isFocused = current.ownerDocument.activeElement === current;
    // Chosen before hydration: submit now, or on blur.
    if (isFirst && !isFocused) submit(current.form, { preventScrollReset: true });
    if (isFirst || isFocused) setChosen(current.value);
    else current.value = metadata.category;
  }, [metadata.category, submit]);
  // Follow the document's category after a response, also after a refusal.
  useEffect(() => {
    if (sent === undefined) return;
    // A newer choice is still to be submitted.
    return () => setChosen((now) => (now === sent ? undefined : now));
  }, [sent]);
  const waiting = chosen !== undefined && chosen !== (sent ?? metadata.category);
  const send = (form: HTMLFormElement | null) => submit(form, { preventScrollReset: true });
  return (
    <Form
      method="post"
      action={changes}
      preventScrollReset
      autoComplete="off"
      className="flex min-w-0 items-center gap-1"
    >
      <input type="hidden" name="intent" value="set-category" />
      <input type="hidden" name="id" value={id} />
      <Select
        ref={select}
        name="category"
        data-category={metadata.category}
        aria-label={`Category of ${name}`}
        value={chosen ?? sent ?? metadata.category}
        className={cx(
          "w-36",
          quiet &&
            "[&_select:not(:hover,:focus-visible)]:border-transparent [&_select]:bg-transparent! [&_select]:shadow-none",
        )}
        onPointerDown={() => {
          byKey.current = false;
        }}
        onKeyDown={(event) => {
          byKey.current = true;
          if (event.key === "Escape") setChosen(undefined);
          if (event.key !== "Enter" || !waiting) return;
          event.preventDefault();
          send(event.currentTarget.form);
        }}
        onChange={({ currentTarget }) => {
          setChosen(currentTarget.value);
          if (!byKey.current) send(currentTarget.form);
        }}
        onBlur={({ currentTarget }) => {
          // The window lost focus, not the dropdown.
          if (waiting && currentTarget.ownerDocument.activeElement !== currentTarget)
            send(currentTarget.form);
          byKey.current = false;
        }}
      >
        {categories.map((category) => (
          <option key={category}>{category}</option>
        ))}
      </Select>
      <noscript>
        <IconButton label={`Save the category of ${name}`} icon={<Check />} />
      </noscript>
    </Form>
  );
}
