import { type FormEvent, useId, useState } from "react";

const FORMATS = [
  { value: "text", label: "Plain text" },
  { value: "markdown", label: "Markdown" },
] as const;

export function TextFormatChoice({ chosen }: { chosen: string }) {
  const legend = useId();
  const format = FORMATS.find(({ value }) => value === chosen)?.value ?? "text";
  return (
    <fieldset aria-labelledby={legend}>
      <span id={legend} className="font-medium text-ink text-sm">
        Format
      </span>
      <div className="flex flex-wrap gap-x-4 pt-1">
        {FORMATS.map(({ value, label }) => (
          <label key={value} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
            <input
              type="radio"
              name="format"
              value={value}
              defaultChecked={value === format}
              className="size-4 accent-primary-solid"
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

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
