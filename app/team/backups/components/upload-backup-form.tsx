import { Form, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { Button } from "~/ui/button";
import { Field, Input } from "~/ui/input";

interface UploadBackupFormProps {
  action?: string;
  submit: string;
  hint: string;
  error?: string | undefined;
  cancel?: ReactNode;
}

export function UploadBackupForm({ action, submit, hint, error, cancel }: UploadBackupFormProps) {
  const pending = useNavigation().formEncType === "multipart/form-data";
  return (
    <Form
      method="post"
      action={action}
      encType="multipart/form-data"
      reloadDocument
      noValidate
      className="flex flex-col gap-4"
    >
      <Field label="Backup" name="file" hint={hint} error={error} required>
        <Input type="file" accept=".gz,application/gzip" />
      </Field>
      <div className="flex flex-wrap justify-end gap-2">
        {cancel}
        <Button variant="primary" pending={pending}>
          {submit}
        </Button>
      </div>
    </Form>
  );
}
