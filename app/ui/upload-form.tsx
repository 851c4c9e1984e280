import { Form, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { Button } from "./button";
import { Field, Input } from "./input";

interface UploadFormProps {
  action?: string;
  label: string;
  hint: string;
  accept: string;
  error: string | undefined;
  submit: string;
  cancel?: ReactNode;
  children?: ReactNode;
}

/** Sends one file as `file`, in a page load of its own. */
export function UploadForm(props: UploadFormProps) {
  const pending = useNavigation().formEncType === "multipart/form-data";
  return (
    <Form
      method="post"
      action={props.action}
      encType="multipart/form-data"
      reloadDocument
      noValidate
      className="flex flex-col gap-4"
    >
      {props.children}
      <Field label={props.label} name="file" hint={props.hint} error={props.error} required>
        <Input type="file" accept={props.accept} />
      </Field>
      <div className="flex flex-wrap justify-end gap-2">
        {props.cancel}
        <Button variant="primary" pending={pending}>
          {props.submit}
        </Button>
      </div>
    </Form>
  );
}
