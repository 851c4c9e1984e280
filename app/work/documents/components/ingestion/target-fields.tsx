import { useId } from "react";
import type { Result } from "~/ui/form-result";
import { Field, FieldError, Select } from "~/ui/input";
import type { Reader } from "../../documents.schema";
import { ReadersChoice } from "../readers-choice";

export interface IngestFormProps {
  categories: readonly string[];
  colleagues: readonly Reader[];
  closeTo: string;
  submitted: Record<string, unknown>;
  errors: Record<string, string[]>;
  result: Result;
}

type TargetFieldsProps = Pick<IngestFormProps, "categories" | "colleagues" | "submitted" | "errors">;

export function TargetFields({ categories, colleagues, submitted, errors }: TargetFieldsProps) {
  const legend = useId();
  const isRestricted = submitted.visibility === "named";
  const chosen = [submitted.readers ?? []].flat();
  const radio = (value: string, label: string, checked: boolean) => (
    <label className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
      <input
        type="radio"
        name="visibility"
        value={value}
        defaultChecked={checked}
        className="size-4 accent-primary-solid"
      />
      {label}
    </label>
  );
  return (
    <div className="group/target grid items-start gap-4 sm:grid-cols-2">
      <Field label="Category" name="category" error={errors.category}>
        <Select defaultValue={typeof submitted.category === "string" ? submitted.category : "Uncategorized"}>
          {categories.map((category) => (
            <option key={category}>{category}</option>
          ))}
        </Select>
      </Field>
      <fieldset aria-labelledby={legend}>
        <span id={legend} className="font-medium text-ink text-sm">
          Visibility
        </span>
        <div className="flex flex-wrap gap-x-4 pt-1">
          {radio("organisation", "Everyone", !isRestricted)}
          {radio("named", "Specific people", isRestricted)}
        </div>
        {errors.visibility?.[0] && <FieldError>{errors.visibility[0]}</FieldError>}
      </fieldset>
      <div className="hidden group-has-[[value=named]:checked]/target:block sm:col-span-2">
        <p className="mb-1 text-muted text-xs">You always have access. Choose who else does.</p>
        <ReadersChoice colleagues={colleagues} chosen={chosen} errors={errors.readers} />
      </div>
    </div>
  );
}
