import { ChevronRight } from "lucide-react";
import { Checkbox } from "~/ui/choice";
import { Field, Input, Select } from "~/ui/input";
import { changePart } from "../../builder-draft.shared";
import { type PartProps, useBuilder, useFieldName } from "./builder-context";

const NUMBERS = [
  { name: "retries", label: "Retries", hint: "Leave blank for none; at most 5.", min: 0, max: 5 },
  {
    name: "retryDelaySeconds",
    label: "Retry delay in seconds",
    hint: "Leave blank for 2. Doubles with each retry.",
    min: 1,
    max: 3600,
  },
  {
    name: "timeoutSeconds",
    label: "Time limit in seconds",
    hint: "Leave blank to use the type's own.",
    min: 1,
    max: 3600,
  },
];

/** Common to all step types. */
export function StepOptions({ kind, index, part }: PartProps) {
  const { change, problems } = useBuilder();
  const nameOf = useFieldName({ kind, index });
  const options = part.options ?? {};
  const problem = (name: string) => problems[`steps.${index}.options.${name}`]?.[0];
  const set = (name: string, value: unknown) =>
    change(
      (draft) =>
        changePart(draft, "steps", index, { options: { ...draft.steps[index]?.options, [name]: value } }),
      `steps.${part.id}.options.${name}`,
    );
  const hasProblem = Object.keys(problems).some((path) => path.startsWith(`steps.${index}.options.`));
  return (
    <details data-options="" className="group/options" open={hasProblem || undefined}>
      <summary className="flex min-h-8 items-center gap-1.5 text-muted text-sm hover:text-ink pointer-coarse:min-h-11">
        <ChevronRight aria-hidden="true" className="size-4 group-open/options:rotate-90" />
        Retries, time limit and errors
      </summary>
      <div className="mt-3 grid gap-4 @xl:grid-cols-2">
        {NUMBERS.map(({ name, label, hint, min, max }) => (
          <Field key={name} label={label} hint={hint} {...nameOf(`options.${name}`)} error={problem(name)}>
            <Input
              type="number"
              inputMode="numeric"
              min={min}
              max={max}
              value={String(options[name] ?? "")}
              onChange={({ target }) => set(name, target.value)}
              className="max-w-40 tabular-nums"
            />
          </Field>
        ))}
        <Field label="On error" {...nameOf("options.onError")} error={problem("onError")}>
          <Select
            value={String(options.onError ?? "stop")}
            onChange={({ target }) => set("onError", target.value)}
          >
            <option value="stop">Stop the run</option>
            <option value="continue">Continue</option>
            <option value="branch">Take the error branch</option>
          </Select>
        </Field>
        <Checkbox
          {...nameOf("options.askAfterCrash")}
          checked={options.askAfterCrash === true}
          onChange={({ target }) => set("askAfterCrash", target.checked)}
          label="Confirmation after a crash"
          hint="Wait for a person if the server stopped during this step."
          className="@xl:col-span-2"
        />
      </div>
    </details>
  );
}
