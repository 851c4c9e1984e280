import { Form } from "@remix-run/react";
import { useRef } from "react";
import { toDisplayText } from "~/core/well-formed";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { type Result, readResult } from "~/ui/form-result";
import { Field, Input, Select } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { ConversationFolder } from "../../list/list.schema";

interface FolderSelectProps {
  folders: readonly ConversationFolder[];
  value?: string;
  label?: string;
  className?: string;
}

export function FolderSelect({ folders, value = "", label, className }: FolderSelectProps) {
  return (
    <Select name="folderId" aria-label={label} defaultValue={value} className={className}>
      <option value="">No folder</option>
      {folders.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

interface MoveDialogProps {
  conversation: { id: string; title: string; folderId: string | null };
  folders: readonly ConversationFolder[];
  closeTo: string;
}

export function MoveDialog({ conversation, folders, closeTo }: MoveDialogProps) {
  return (
    <Dialog
      title="Move to Folder"
      description={toDisplayText(conversation.title)}
      size="sm"
      closeTo={closeTo}
    >
      <Form method="post" preventScrollReset>
        <input type="hidden" name="ids" value={conversation.id} />
        <Field label="Folder" name="folderId">
          <FolderSelect folders={folders} value={conversation.folderId ?? ""} />
        </Field>
        <FormActions closeTo={closeTo} intent="move" label="Move" />
      </Form>
    </Dialog>
  );
}

interface NameDialogProps {
  title: string;
  label: string;
  field: "name" | "title";
  value?: string;
  maxLength: number;
  intent: string;
  submit: string;
  id?: string;
  closeTo: string;
  result: Result;
}

export function NameDialog(props: NameDialogProps) {
  const { title, label, field, value, id, closeTo } = props;
  const form = useRef<HTMLFormElement>(null);
  const { errors, formError, submitted } = readResult(props.result);
  useFocusFirstError(form, props.result);
  return (
    <Dialog title={title} size="sm" closeTo={closeTo}>
      <Form ref={form} method="post" preventScrollReset noValidate>
        {formError && !errors[field] && (
          <Notice kind="danger" className="mb-4">
            {formError}
          </Notice>
        )}
        {id && <input type="hidden" name="id" value={id} />}
        <Field label={label} name={field} error={errors[field]} required>
          <Input
            defaultValue={String(submitted?.[field] ?? value ?? "")}
            autoComplete="off"
            maxLength={props.maxLength}
          />
        </Field>
        <FormActions closeTo={closeTo} intent={props.intent} label={props.submit} />
      </Form>
    </Dialog>
  );
}
