import { Plus, UsersRound } from "lucide-react";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { ChoiceList } from "~/ui/choice-list";
import { FormDialog } from "~/ui/form-dialog";
import { explainFormError, type Result, readResult } from "~/ui/form-result";
import { countOf } from "~/ui/format";
import { Field, FieldError, Input } from "~/ui/input";
import { usePageAddress } from "~/ui/page-address";
import { Row } from "~/ui/row";
import { changeActions } from "~/ui/row-actions";
import { RowList } from "~/ui/row-selection";
import type { Group } from "../members.schema";

export function GroupsCard({ groups }: { groups: readonly Group[] }) {
  const address = usePageAddress();
  return (
    <Card
      id="groups"
      title="Groups"
      description="Share documents with several members at once"
      actions={
        <LinkButton to={address({ dialog: "group" })} preventScrollReset icon={<Plus aria-hidden="true" />}>
          Add Group
        </LinkButton>
      }
    >
      {groups.length === 0 ? (
        <p className="text-muted">No groups yet</p>
      ) : (
        <RowList label="Groups" flush>
          {groups.map((group) => (
            <GroupRow key={group.id} group={group} />
          ))}
        </RowList>
      )}
    </Card>
  );
}

function GroupRow({ group: { id, name, members } }: { group: Group }) {
  const address = usePageAddress();
  const names = members.map((member) => member.name).join(", ");
  return (
    <Row
      name={name}
      icon={<UsersRound aria-hidden="true" />}
      meta={
        members.length === 0 ? (
          "No members"
        ) : (
          <span title={names}>
            {countOf(members.length, "member")}: {names}
          </span>
        )
      }
      actions={changeActions(address({ dialog: "group", id }), address({ dialog: "delete-group", id }))}
    />
  );
}

interface GroupDialogProps {
  group: Group | undefined;
  isMissing?: boolean;
  people: readonly { id: string; name: string }[];
  closeTo: string;
  result: Result;
}

export function GroupDialog({ group, isMissing = false, people, closeTo, result }: GroupDialogProps) {
  const { errors, formError, submitted } = readResult(result);
  const chosen: readonly unknown[] = submitted
    ? [submitted.members ?? []].flat()
    : (group?.members.map(({ id }) => id) ?? []);
  return (
    <FormDialog
      title={group ? `Edit ${group.name}` : isMissing ? "Edit Group" : "Add Group"}
      closeTo={closeTo}
      result={result}
      problem={errors.name ? null : explainFormError(formError, isMissing)}
      hidden={{ id: group?.id }}
      intent={group ? "edit-group" : "add-group"}
      label={group ? "Save Changes" : "Add Group"}
    >
      <Field label="Name" name="name" error={errors.name} required>
        <Input
          defaultValue={String(submitted?.name ?? group?.name ?? "")}
          autoComplete="off"
          maxLength={60}
        />
      </Field>
      <fieldset>
        <legend className="mb-1 font-medium text-ink text-sm">Members</legend>
        <ChoiceList
          label="Members"
          name="members"
          options={people}
          chosen={chosen}
          empty="There is no one else in the organization yet."
        />
        {errors.members?.[0] && <FieldError>{errors.members[0]}</FieldError>}
      </fieldset>
    </FormDialog>
  );
}
