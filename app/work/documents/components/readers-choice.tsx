import { ChoiceList } from "~/ui/choice-list";
import { FieldError } from "~/ui/input";
import type { Reader } from "../documents.schema";

interface ReadersChoiceProps {
  colleagues: readonly Reader[];
  chosen: readonly unknown[];
  errors?: string[] | undefined;
}

export function ReadersChoice({ colleagues, chosen, errors }: ReadersChoiceProps) {
  return (
    <>
      <ChoiceList
        label="People and groups with access"
        name="readers"
        options={colleagues.map(({ id, name, kind }) => ({
          id,
          name,
          hint: kind === "group" ? "Group" : undefined,
        }))}
        chosen={chosen}
        empty="There is no one else in the organization yet."
      />
      {errors?.[0] && <FieldError>{errors[0]}</FieldError>}
    </>
  );
}
