import { useEffect, useRef, useState } from "react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { Input } from "~/ui/input";
import { refuseBlank } from "../prompt-variables.shared";
import type { Choice } from "./server-prompts";

interface PromptBlanksProps {
  prompt: Pick<Choice, "name" | "variables">;
  onFill: (values: Map<string, string>) => void;
  onCancel: () => void;
}

/** Nameless fields within the chat's form, so that they aren't sent. */
export function PromptBlanks({ prompt, onFill, onCancel }: PromptBlanksProps) {
  const group = useRef<HTMLFieldSetElement>(null);
  useEffect(() => group.current?.querySelector("input")?.focus(), []);
  const [refusals, setRefusals] = useState<(string | undefined)[]>([]);
  const fill = () => {
    const inputs = [...(group.current?.querySelectorAll("input") ?? [])];
    const values = prompt.variables.map((_, index) => inputs[index]?.value ?? "");
    const errors = prompt.variables.map((variable, index) => refuseBlank(variable, values[index]));
    setRefusals(errors);
    const first = errors.findIndex((refusal) => refusal !== undefined);
    if (first >= 0) inputs[first]?.focus();
    else onFill(new Map(prompt.variables.map(({ name }, index) => [name, values[index] ?? ""])));
  };
  return (
    <fieldset
      ref={group}
      aria-label={`Variables of ${prompt.name}`}
      className="flex max-h-80 flex-col gap-3 overflow-y-auto rounded-md border border-line bg-raised p-3 shadow-float"
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
        else if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
        else fill();
        event.preventDefault();
      }}
    >
      <p className="font-medium text-sm">{prompt.name}</p>
      {prompt.variables.map(({ name, fallback, required }, index) => (
        <Field key={name} label={name} error={refusals[index]} required={required}>
          <Input defaultValue={fallback} autoComplete="off" />
        </Field>
      ))}
      <div className="flex justify-end gap-2">
        <Button size="sm" type="button" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="sm" type="button" variant="primary" onClick={fill}>
          Insert
        </Button>
      </div>
    </fieldset>
  );
}
