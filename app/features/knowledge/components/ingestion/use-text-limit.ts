import { type FormEvent, useState } from "react";

/**
 * Prevents submitting a text beyond the server's limit, since the input would be lost.
 * @param name the text field's
 * @returns the message beside the field, and what the form's onSubmit is
 */
export function useTextLimit(name: string, max: number, message: string) {
  const [tooLong, setTooLong] = useState(false);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    const field = event.currentTarget.elements.namedItem(name);
    const exceeds = field instanceof HTMLTextAreaElement && field.value.length > max;
    setTooLong(exceeds);
    if (!exceeds) return;
    event.preventDefault();
    field.focus();
  };
  return { error: tooLong ? message : undefined, onSubmit };
}
