import { useId } from "react";
import { Checkbox } from "~/ui/choice";
import { Field, FieldError } from "~/ui/field";
import { Select } from "~/ui/input";
import { ScrollRegion } from "~/ui/scroll-region";

/** Somebody who may be let see a document. */
export interface Colleague {
  id: string;
  name: string;
}

interface PlacingFieldsProps {
  categories: readonly string[];
  colleagues: readonly Colleague[];
  /** What was typed before. */
  sent: Record<string, unknown>;
  errors: Record<string, string[]>;
}

/** Where a document goes and who sees it: the same on every tab. */
export function PlacingFields({ categories, colleagues, sent, errors }: PlacingFieldsProps) {
  const legend = useId();
  const named = sent.visibility === "named";
  const chosen = [sent.readers ?? []].flat();
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
    <div className="group/placing grid items-start gap-4 sm:grid-cols-2">
      <Field label="Category" name="category" error={errors.category}>
        <Select defaultValue={typeof sent.category === "string" ? sent.category : "Uncategorized"}>
          {categories.map((category) => (
            <option key={category}>{category}</option>
          ))}
        </Select>
      </Field>
      <fieldset aria-labelledby={legend}>
        <span id={legend} className="font-medium text-ink text-sm">
          Who sees it
        </span>
        <div className="flex flex-wrap gap-x-4 pt-1">
          {radio("organisation", "Everyone", !named)}
          {radio("named", "Named members", named)}
        </div>
        {errors.visibility?.[0] && <FieldError>{errors.visibility[0]}</FieldError>}
      </fieldset>
      <div className="hidden group-has-[[value=named]:checked]/placing:block sm:col-span-2">
        <p className="mb-1 text-muted text-xs">You see it in any case. Who else?</p>
        {colleagues.length === 0 ? (
          <p className="text-muted">There is nobody else in the organisation yet.</p>
        ) : (
          <ScrollRegion
            label="Members who see it"
            className="grid max-h-40 overflow-y-auto rounded-md border border-line px-3 py-1 sm:grid-cols-2"
          >
            {colleagues.map(({ id, name }) => (
              <Checkbox
                key={id}
                name="readers"
                value={id}
                defaultChecked={chosen.includes(id)}
                label={<span className="wrap-anywhere">{name}</span>}
              />
            ))}
          </ScrollRegion>
        )}
        {errors.readers?.[0] && <FieldError>{errors.readers[0]}</FieldError>}
      </div>
    </div>
  );
}
