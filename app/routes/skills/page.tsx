import { useActionData, useLoaderData } from "@remix-run/react";
import { GraduationCap, Plus } from "lucide-react";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import { may, refusal } from "~/platform/rights/authorization.server";
import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog, MissingDialog, RecordDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { Row } from "~/ui/row";
import { changeActions } from "~/ui/row-actions";
import { RowList } from "~/ui/row-selection";
import { LoadingDialog, useOpenDialog } from "~/ui/use-open-dialog";
import { SkillDialog } from "~/work/skills/components/skill-dialog";
import { SkillForm, SkillScreenQuery } from "~/work/skills/skills.schema";
import {
  createSkill,
  deleteSkill,
  listSkills,
  readSkill,
  updateSkill,
} from "~/work/skills/skills.service.server";

export const meta = pageTitle("Skills");

const HERE = "/skills";

const { loader, action } = screen({
  access: "signed-in",
  query: SkillScreenQuery,
  load: ({ actor, query: { id } }) => ({
    skills: listSkills(actor),
    about: id === undefined ? {} : findOrExplain(() => readSkill(actor, id)),
    refusal: may(actor, "personas.write") ? undefined : refusal("personas.write"),
  }),
  actions: {
    create: intent({
      access: "personas.write",
      input: SkillForm,
      long: ["markdown"],
      run: ({ actor, input: { markdown, shared } }) =>
        createSkill(actor, { markdown, shared: shared === "on" }),
      done: ({ name }) => `Skill "${name}" created`,
    }),
    update: intent({
      access: "personas.write",
      target: "id",
      input: SkillForm,
      long: ["markdown"],
      run: ({ actor, target, input: { markdown, shared, updatedAt } }) =>
        updateSkill(actor, target, { markdown, shared: shared === "on" }, updatedAt),
      done: ({ name }) => `Skill "${name}" saved`,
    }),
    delete: intent({
      access: "personas.write",
      target: "id",
      run: ({ actor, target }) => deleteSkill(actor, target),
      done: ({ name }) => `Skill "${name}" deleted`,
      failed: { dialog: "Couldn't delete the skill" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams({ showsMissing: true });

export { action, loader, shouldRevalidate };

const dialogTo = (dialog: string, id: string) => `?dialog=${dialog}&id=${encodeURIComponent(id)}`;

export default function Skills() {
  const { skills, about, refusal } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const { search, isLoading } = useOpenDialog(skills, { loads: ["edit"] });
  const dialog = refusal ? null : search.get("dialog");
  const isEditing = dialog === "edit" && search.has("id");
  const edited =
    about.selected?.id === search.get("id") && about.selected?.canEdit ? about.selected : undefined;
  const deleted = skills.find(({ id, canEdit }) => canEdit && id === search.get("id"));
  const newSkill = (label: string, variant: "primary" | "secondary") =>
    refusal ? undefined : (
      <LinkButton to={`${HERE}?dialog=new`} preventScrollReset variant={variant} icon={<Plus />}>
        {label}
      </LinkButton>
    );
  return (
    <>
      <PageHeader
        title="Skills"
        subtitle="Instructions that a persona's model loads when a task needs them"
        actions={
          <>
            <BackLink to="/personas">Personas</BackLink>
            {newSkill("New Skill", "primary")}
          </>
        }
      />
      {refusal && <p className="mb-3 text-muted text-xs">{refusal}</p>}
      {skills.length === 0 ? (
        <EmptyState
          icon={<GraduationCap />}
          title="No skills yet"
          description="Write down how a task is done, and let personas load it when they need it."
          action={newSkill("Create First Skill", "secondary")}
        />
      ) : (
        <RowList label="Skills">
          {skills.map(({ id, name, description, shared, author, canEdit }) => (
            <Row
              key={id}
              name={name}
              to={canEdit ? dialogTo("edit", id) : undefined}
              icon={<GraduationCap />}
              badges={shared && <Badge>Shared</Badge>}
              meta={`${shared ? `${author.name} · ` : ""}${description}`}
              actions={canEdit ? changeActions(dialogTo("edit", id), dialogTo("delete", id)) : []}
            />
          ))}
        </RowList>
      )}
      {dialog === "new" && <SkillDialog closeTo={HERE} result={result} />}
      {isEditing && isLoading && <LoadingDialog title="Edit Skill" size="lg" closeTo={HERE} />}
      {isEditing && !isLoading && edited && (
        <SkillDialog key={edited.id} skill={edited} closeTo={HERE} result={result} />
      )}
      {isEditing &&
        !isLoading &&
        about.missing !== undefined &&
        (result ? (
          <SkillDialog isMissing closeTo={HERE} result={result} />
        ) : (
          <MissingDialog message={about.missing} closeTo={HERE} />
        ))}
      {dialog === "delete" && (
        <RecordDialog record={deleted} missing="Skill not found. It may have been deleted." closeTo={HERE}>
          {({ id, name }) => (
            <ConfirmDialog
              title={`Delete the skill "${name}"?`}
              description="Personas that use it answer without it. This can't be undone."
              closeTo={HERE}
              intent="delete"
              values={{ id }}
              confirmLabel="Delete Skill"
            />
          )}
        </RecordDialog>
      )}
    </>
  );
}
