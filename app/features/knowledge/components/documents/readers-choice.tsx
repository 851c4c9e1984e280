import { Checkbox } from "~/ui/choice";
import { FieldError } from "~/ui/field";
import { ScrollRegion } from "~/ui/scroll-region";
import type { Reader } from "../../documents/document-view.schema";

interface ReadersChoiceProps {
  colleagues: readonly Reader[];
  chosen: readonly unknown[];
  errors?: string[] | undefined;
}

export function ReadersChoice({ colleagues, chosen, errors }: ReadersChoiceProps) {
  return (
    <>
      {colleagues.length === 0 ? (
        <p className="text-muted">There is no one else in the organization yet.</p>
      ) : (
        <ScrollRegion
          label="People and groups with access"
          className="grid max-h-52 gap-x-4 overflow-y-auto rounded-md border border-line px-3 py-1 sm:grid-cols-2"
        >
          {colleagues.map(({ id, name, kind }) => (
            <Checkbox
              key={id}
              name="readers"
              value={id}
              defaultChecked={chosen.includes(id)}
              label={<span className="wrap-anywhere">{name}</span>}
              hint={kind === "group" ? "Group" : undefined}
            />
          ))}
        </ScrollRegion>
      )}
      {errors?.[0] && <FieldError>{errors[0]}</FieldError>}
    </>
  );
}
