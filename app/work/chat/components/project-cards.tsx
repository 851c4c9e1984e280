import type { SubmissionResult } from "@conform-to/react";
import { Form } from "@remix-run/react";
import { Eye, FileText, LogOut, Pencil, Plus, Trash2, Upload, UserMinus, UserRound } from "lucide-react";
import { toDisplayText } from "~/core/well-formed";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field, Input, Select, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { usePageAddress } from "~/ui/page-address";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { fieldProps, serverForm } from "~/ui/server-form";
import { useShownValues } from "~/ui/use-shown-values";
import { MemoryList } from "../memories/components/memory-list";
import type { Memory } from "../memories/memories.schema";
import type { MemberInput, Project, ProjectPatch } from "../projects/projects.schema";

interface CardProps {
  project: Project;
  result?: SubmissionResult | undefined;
}

interface BasicsProps extends CardProps {
  personas: readonly { id: string; name: string }[];
}

/** Instructions and persona; as a text for those who may not change them. */
export function ProjectBasics({ project, personas, result }: BasicsProps) {
  const { shown, onInput } = useShownValues(project, "save", result);
  const { instructions, personaId, role } = shown;
  const [form, fields] = serverForm<keyof ProjectPatch>({
    id: "project",
    lastResult: result,
    defaultValue: { instructions, personaId: personaId ?? "" },
  });
  const isHidden = personaId !== null && !personas.some(({ id }) => id === personaId);
  const persona = personas.find(({ id }) => id === personaId)?.name;
  return (
    <Card
      title="Instructions"
      description="Sent to the model with every message of the project's conversations"
    >
      {role === "viewer" ? (
        <>
          <p dir="auto" className="wrap-anywhere whitespace-pre-wrap text-sm">
            {toDisplayText(instructions) || "No instructions yet."}
          </p>
          {persona && <p className="mt-3 text-muted text-sm">New conversations begin with {persona}.</p>}
        </>
      ) : (
        <Form
          key={shown.version}
          method="post"
          id={form.id}
          noValidate
          onInput={onInput}
          className="flex flex-col gap-4"
        >
          {form.errors && <Notice kind="danger">{form.errors.join(" ")}</Notice>}
          {/* After a conflict, which is told, saving again replaces what others saved. */}
          <input
            type="hidden"
            name="version"
            value={fields.version.errors ? project.version : shown.version}
          />
          <Field label="Instructions" {...fieldProps(fields.instructions)}>
            <Textarea
              rows={6}
              defaultValue={fields.instructions.initialValue}
              placeholder="Answer for our harbor office. Quote the berth plan where it applies."
            />
          </Field>
          <Field
            label="Default persona"
            hint="New conversations begin with it; members who can't see it begin without"
            {...fieldProps(fields.personaId)}
          >
            <Select defaultValue={fields.personaId.initialValue}>
              <option value="">None</option>
              {isHidden && <option value={personaId}>A persona that you can't see</option>}
              {personas.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          </Field>
          <div>
            <Button variant="primary" name="intent" value="save">
              Save
            </Button>
          </div>
        </Form>
      )}
    </Card>
  );
}

const STATES = {
  ready: undefined,
  processing: <Badge tone="info">Processing</Badge>,
  failed: <Badge tone="danger">Failed</Badge>,
} as const;

interface FilesProps extends CardProps {
  accept: string;
}

export function ProjectFiles({ project, accept }: FilesProps) {
  const { files, role } = project;
  const address = usePageAddress();
  const mayEdit = role !== "viewer";
  return (
    <Card
      title="Files"
      description="Only the project's conversations find them, and only its owner and members can open them"
    >
      {files.length === 0 ? (
        <p className="text-muted">No files yet.</p>
      ) : (
        <RowList label="Files" flush>
          {files.map(({ id, name, status, error }) => (
            <Row
              key={id}
              name={toDisplayText(name)}
              to={`/rag/${id}`}
              icon={<FileText aria-hidden="true" />}
              meta={error}
              state={STATES[status]}
              actions={
                mayEdit
                  ? [
                      {
                        label: "Delete",
                        icon: <Trash2 aria-hidden="true" />,
                        to: address({ dialog: "delete-file", id }),
                      },
                    ]
                  : []
              }
            />
          ))}
        </RowList>
      )}
      {mayEdit && (
        <Form
          method="post"
          encType="multipart/form-data"
          reloadDocument
          className="mt-4 flex flex-wrap items-end gap-3"
        >
          <div className="min-w-0 flex-1 basis-60">
            <Field label="Add files" name="files">
              <Input type="file" multiple required accept={accept} />
            </Field>
          </div>
          <Button name="intent" value="add-files" icon={<Upload aria-hidden="true" />}>
            Upload
          </Button>
        </Form>
      )}
    </Card>
  );
}

interface MemoriesProps extends CardProps {
  memories: readonly Memory[];
  isAllowed: boolean;
}

/** What is remembered about the project, with its dialogs elsewhere. */
export function ProjectMemories({ project: { role }, memories, isAllowed }: MemoriesProps) {
  const address = usePageAddress();
  const mayEdit = role !== "viewer";
  return (
    <Card
      title="Memory"
      description="Facts that the project's conversations know while their memory is on. All members see them."
      actions={
        mayEdit &&
        isAllowed && (
          <LinkButton
            size="sm"
            to={address({ dialog: "new" })}
            preventScrollReset
            icon={<Plus aria-hidden="true" />}
          >
            Add Memory
          </LinkButton>
        )
      }
    >
      {memories.length === 0 ? (
        <p className="text-muted">
          {isAllowed ? "Nothing is remembered yet." : "Memory is turned off in this organization."}
        </p>
      ) : (
        <MemoryList
          label="Memories of the project"
          memories={memories}
          canChange={mayEdit && isAllowed}
          canDelete={mayEdit}
          dialogTo={(dialog, id) => address({ dialog, id })}
        />
      )}
    </Card>
  );
}

interface MembersProps extends CardProps {
  people: readonly { id: string; name: string }[];
}

const ROLE_LABELS = { viewer: "Viewer", editor: "Editor", owner: "Owner" } as const;

export function ProjectMembers({ project, people, result }: MembersProps) {
  const { owner, members, role } = project;
  const address = usePageAddress();
  const isOwner = role === "owner";
  const [form, fields] = serverForm<keyof MemberInput>({ id: "member", lastResult: result });
  return (
    <Card
      title="Members"
      description="They use the instructions and files in conversations of their own. Nobody sees another person's conversations here."
    >
      <RowList label="Members" flush>
        <Row
          name={toDisplayText(owner.name)}
          icon={<UserRound aria-hidden="true" />}
          state={<Badge>Owner</Badge>}
        />
        {members.map(({ id, name, role: may }) => (
          <Row
            key={id}
            name={toDisplayText(name)}
            icon={<UserRound aria-hidden="true" />}
            state={<Badge>{ROLE_LABELS[may]}</Badge>}
            actions={
              isOwner
                ? [
                    may === "editor"
                      ? {
                          label: "Make Viewer",
                          icon: <Eye aria-hidden="true" />,
                          values: { intent: "change-role", userId: id, role: "viewer" },
                        }
                      : {
                          label: "Make Editor",
                          icon: <Pencil aria-hidden="true" />,
                          values: { intent: "change-role", userId: id, role: "editor" },
                        },
                    {
                      label: "Remove",
                      icon: <UserMinus aria-hidden="true" />,
                      to: address({ dialog: "remove-member", id }),
                    },
                  ]
                : []
            }
          />
        ))}
      </RowList>
      {isOwner && people.length > 0 && (
        <Form method="post" id={form.id} noValidate className="mt-4 flex flex-col gap-3">
          {form.errors && <Notice kind="danger">{form.errors.join(" ")}</Notice>}
          <div className="flex flex-wrap items-start gap-3">
            <div className="min-w-0 flex-1 basis-52">
              <Field label="Person" {...fieldProps(fields.userId)}>
                <Select defaultValue={fields.userId.initialValue ?? ""}>
                  <option value="">Choose a person</option>
                  {people.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {toDisplayText(name)}
                    </option>
                  ))}
                </Select>
              </Field>
            </div>
            <div className="min-w-0 flex-1 basis-52">
              <Field label="Role" {...fieldProps(fields.role)}>
                <Select defaultValue={fields.role.initialValue ?? "viewer"}>
                  <option value="viewer">Viewer: uses it</option>
                  <option value="editor">Editor: changes instructions and files, too</option>
                </Select>
              </Field>
            </div>
          </div>
          <div>
            <Button name="intent" value="put-member">
              Add Member
            </Button>
          </div>
        </Form>
      )}
      {!isOwner && (
        <p className="mt-4">
          <LinkButton
            to={address({ dialog: "leave" })}
            preventScrollReset
            icon={<LogOut aria-hidden="true" />}
          >
            Leave Project
          </LinkButton>
        </p>
      )}
    </Card>
  );
}
