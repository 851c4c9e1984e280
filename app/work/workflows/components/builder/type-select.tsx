import { Plus } from "lucide-react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { Select } from "~/ui/input";
import type { PartKind, PartType } from "../../builder.schema";

interface TypeSelectProps {
  kind: PartKind;
  types: readonly PartType[];
  onAdd(type: PartType): void;
  /** For the form without JavaScript. */
  target: string;
}

export function TypeSelect({ kind, types, onAdd, target }: TypeSelectProps) {
  const own = types.filter((type) => type.kind === kind && type.unavailable === undefined);
  const categories = [...new Set(own.map(({ category }) => category))];
  const name = kind === "triggers" ? "addTrigger" : "addStep";
  const options = (category: string) =>
    own
      .filter((type) => type.category === category)
      .map(({ type, label }) => (
        <option key={type} value={type}>
          {label}
        </option>
      ));
  return (
    <div className="flex items-end gap-2">
      <Field label={kind === "triggers" ? "New trigger" : "New step"} name={name} className="w-full max-w-72">
        <Select>
          {categories.length > 1
            ? categories.map((category) => (
                <optgroup key={category} label={category}>
                  {options(category)}
                </optgroup>
              ))
            : options(categories[0] ?? "")}
        </Select>
      </Field>
      <Button
        name="op"
        value={`add.${kind}`}
        formAction={target}
        icon={<Plus aria-hidden="true" />}
        onClick={(event) => {
          event.preventDefault();
          const select = event.currentTarget.form?.elements.namedItem(name);
          const type = own.find(({ type }) => select instanceof HTMLSelectElement && type === select.value);
          if (type) onAdd(type);
        }}
      >
        {kind === "triggers" ? "Add Trigger" : "Add Step"}
      </Button>
    </div>
  );
}
