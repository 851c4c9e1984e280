import type { SubmissionResult } from "@conform-to/react";
import { useNavigation } from "@remix-run/react";
import { Checkbox } from "~/ui/choice";
import { FileTextField } from "~/ui/file-text-field";
import { FormDialog } from "~/ui/form-dialog";
import { explainFormError } from "~/ui/form-result";
import { editedVersion, serverForm } from "~/ui/server-form";
import type { Skill, SkillForm } from "../skills.schema";

const TEMPLATE = `---
name: weekly-report
description: Use it when someone asks for a weekly report.
---

1. Ask which week is meant, if nobody said.
2. Write three headings: Done, Open, Risks.
`;

interface SkillDialogProps {
  skill?: Skill | undefined;
  /** Whether the edited skill was deleted meanwhile. */
  isMissing?: boolean;
  closeTo: string;
  result: SubmissionResult | undefined;
}

export function SkillDialog({ skill, isMissing, closeTo, result }: SkillDialogProps) {
  const navigation = useNavigation();
  const last = navigation.state === "idle" ? result : undefined;
  const [form, fields] = serverForm<keyof SkillForm>({
    id: skill ? `skill-${skill.id}` : "skill",
    lastResult: last,
    defaultValue: skill
      ? { ...skill, shared: skill.shared ? "on" : undefined }
      : { markdown: isMissing ? "" : TEMPLATE },
  });
  return (
    <FormDialog
      title={skill || isMissing ? "Edit Skill" : "New Skill"}
      description="Instructions that the model of a persona loads when a task needs them"
      size="lg"
      closeTo={closeTo}
      result={last}
      problem={
        fields.markdown.errors ? null : explainFormError(form.errors?.join(" "), isMissing ?? false, "Create")
      }
      hidden={{ id: skill?.id, updatedAt: editedVersion(fields.updatedAt, skill?.updatedAt) }}
      intent={skill ? "update" : "create"}
      label={skill ? "Save Changes" : "Create Skill"}
    >
      <FileTextField
        label="SKILL.md"
        name="markdown"
        hint="Begin with name and description; the model sees only these until it loads the rest"
        accept=".md,text/markdown,text/plain"
        fileLabel="Skill file"
        errors={fields.markdown.errors}
        initialValue={fields.markdown.initialValue ?? ""}
      />
      <Checkbox
        name="shared"
        defaultChecked={fields.shared.initialValue === "on"}
        label="Shared with the organization"
        hint="Personas of everyone can use it; you and admins can change it"
      />
    </FormDialog>
  );
}
