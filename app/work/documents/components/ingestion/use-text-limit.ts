import { type FormEvent, useState } from "react";

/**
 * Prevents submitting a text beyond the server's limit, since the input would be lost.
 * @param name name of the text field
 * @returns the field's error and the form's submit handler
 */
export function useTextLimit(name: string, max: number, message: string) {
  const [isTooLong, setTooLong] = useState(false);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    const field = event.currentTarget.elements.namedItem(name);
    const exceeds = field instanceof HTMLTextAreaElement && field.value.length > max;
    setTooLong(exceeds);
    if (!exceeds) return;
    event.preventDefault();
    field.focus();
  };
  return { error: isTooLong ? message : undefined, onSubmit };
}
