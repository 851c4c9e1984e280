import { type FormEvent, useState } from "react";

/**
 * Keeps a form with a text that is too long from being sent: beyond a limit the server couldn't read it, and what was
 * typed would be gone.
 *
 * @param name the text field's
 * @returns the message beside the field, and what the form's onSubmit is
 */
export function useTextLimit(name: string, most: number, message: string) {
  const [tooLong, setTooLong] = useState(false);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    const field = event.currentTarget.elements.namedItem(name);
    const exceeds = field instanceof HTMLTextAreaElement && field.value.length > most;
    setTooLong(exceeds);
    if (!exceeds) return;
    event.preventDefault();
    field.focus();
  };
  return { error: tooLong ? message : undefined, onSubmit };
}
