import { Form, useNavigation, useSubmit } from "@remix-run/react";
import { Check } from "lucide-react";
import { IconButton } from "~/ui/button";
import { Select } from "~/ui/input";
import { useHydrated } from "~/ui/use-hydrated";
import type { Document } from "../documents.schema";
import { useChangesAddress } from "./use-changes-address";

interface CategoryChoiceProps {
  document: Document;
  categories: readonly string[];
}

/** A document's category as a dropdown. It sends itself; without script a button beside it does. */
export function CategoryChoice({ document, categories }: CategoryChoiceProps) {
  const submit = useSubmit();
  const hydrated = useHydrated();
  const changes = useChangesAddress();
  const { formData } = useNavigation();
  const { id, name, metadata } = document;
  const sent = formData?.get("intent") === "set-category" && formData.get("id") === id;
  return (
    <Form
      method="post"
      action={changes}
      preventScrollReset
      className="flex min-w-0 flex-1 items-center gap-1 md:flex-none"
    >
      <input type="hidden" name="intent" value="set-category" />
      <input type="hidden" name="id" value={id} />
      <Select
        // After a refusal it stands where the document is.
        key={`${metadata.category} ${sent}`}
        name="category"
        aria-label={`Category of ${name}`}
        defaultValue={sent ? String(formData.get("category")) : metadata.category}
        className="w-full md:w-36"
        onChange={({ currentTarget }) => submit(currentTarget.form, { preventScrollReset: true })}
      >
        {categories.map((category) => (
          <option key={category}>{category}</option>
        ))}
      </Select>
      {!hydrated && <IconButton label={`Save the category of ${name}`} icon={<Check />} />}
    </Form>
  );
}
