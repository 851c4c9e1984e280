import { Form, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field, Input } from "~/ui/input";

interface UploadCardProps {
  title: string;
  label: string;
  hint: string;
  accept: string;
  version: number;
  problem: string | undefined;
  confirmLabel: string;
  cancelTo: string;
  children?: ReactNode;
}

export function UploadCard(props: UploadCardProps) {
  const pending = useNavigation().formMethod === "POST";
  return (
    <Card title={props.title} className="max-w-xl">
      <Form
        method="post"
        encType="multipart/form-data"
        reloadDocument
        noValidate
        className="flex flex-col gap-4"
      >
        <input type="hidden" name="version" value={props.version} />
        {props.children}
        <Field label={props.label} name="file" hint={props.hint} error={props.problem} required>
          <Input type="file" accept={props.accept} />
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <LinkButton to={props.cancelTo}>Cancel</LinkButton>
          <Button variant="primary" pending={pending}>
            {props.confirmLabel}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
