import { Form } from "@remix-run/react";
import { useRef } from "react";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { type Result, readResult } from "~/ui/form-result";
import { Input } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { DocumentCategory } from "../../../documents/documents.schema";

interface CategoryDialogProps {
  category?: DocumentCategory | undefined;
  closeTo: string;
  result: Result;
}

export function CategoryDialog({ category, closeTo, result }: CategoryDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  const { errors, problem, sent } = readResult(result);
  useFocusFirstError(form, result);
  return (
    <Dialog title={category ? "Rename Category" : "New Category"} size="sm" closeTo={closeTo}>
      <Form ref={form} method="post" preventScrollReset noValidate>
        {problem && !errors.name && (
          <Notice kind="danger" className="mb-4">
            {problem}
          </Notice>
        )}
        {category && <input type="hidden" name="id" value={category.id} />}
        <Field label="Name" name="name" error={errors.name} required>
          <Input
            defaultValue={String(sent?.name ?? category?.name ?? "")}
            autoComplete="off"
            maxLength={60}
          />
        </Field>
        <FormActions
          closeTo={closeTo}
          intent={category ? "rename" : "create"}
          label={category ? "Rename" : "Add Category"}
        />
      </Form>
    </Dialog>
  );
}
