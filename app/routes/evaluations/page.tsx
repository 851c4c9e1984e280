import { useActionData, useLoaderData } from "@remix-run/react";
import { FlaskConical, Plus, ThumbsUp } from "lucide-react";
import type { FieldSpec } from "~/core/field.schema";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may, refusal } from "~/platform/rights/authorization.server";
import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog, MissingDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { FormDialog } from "~/ui/form-dialog";
import { FormFields } from "~/ui/form-fields";
import { readResult } from "~/ui/form-result";
import { countOf } from "~/ui/format";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { Row } from "~/ui/row";
import { changeActions } from "~/ui/row-actions";
import { RowList } from "~/ui/row-selection";
import { useOpenDialog } from "~/ui/use-open-dialog";
import { EvaluationQuery, type EvaluationSet, SetInput } from "~/work/evaluations/evaluations.schema";
import { createSet, deleteSet, listSets, updateSet } from "~/work/evaluations/evaluations.service.server";

export const meta = pageTitle("Evaluations");

const HERE = "/evaluations";

const { loader, action } = screen({
  access: "signed-in",
  query: EvaluationQuery,
  load: ({ actor }) => ({
    sets: listSets(actor),
    refusal: may(actor, "evaluations.write") ? undefined : refusal("evaluations.write"),
  }),
  actions: {
    create: intent({
      access: "evaluations.write",
      input: SetInput,
      run: ({ actor, input }) => createSet(actor, input),
      done: ({ id, name }) => ({ to: `${HERE}/${id}`, toast: `"${name}" created` }),
    }),
    update: intent({
      access: "evaluations.write",
      target: "id",
      input: SetInput,
      run: ({ actor, target, input }) => updateSet(actor, target, input),
      done: ({ name }) => `"${name}" saved`,
    }),
    delete: intent({
      access: "evaluations.write",
      target: "id",
      run: ({ actor, target }) => deleteSet(actor, target),
      done: ({ name }) => `"${name}" deleted`,
      failed: { dialog: "Couldn't delete the evaluation" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

const dialogTo = (dialog: string, id: string) => `?dialog=${dialog}&id=${encodeURIComponent(id)}`;

export default function Evaluations() {
  const { sets, refusal } = useLoaderData<typeof loader>();
  const { search } = useOpenDialog(sets);
  const dialog = refusal ? null : search.get("dialog");
  useLiveTopics(["evaluations"], { isPaused: dialog !== null });
  const selected = sets.find(({ id, canEdit }) => canEdit && id === search.get("id"));
  const newSet = (label: string, variant: "primary" | "secondary") =>
    refusal ? undefined : (
      <LinkButton to={`${HERE}?dialog=new`} preventScrollReset variant={variant} icon={<Plus />}>
        {label}
      </LinkButton>
    );
  return (
    <>
      <PageHeader
        title="Evaluations"
        subtitle="Questions with expected traits, asked of models, personas and prompts"
        actions={
          <>
            <BackLink to="/personas">Personas</BackLink>
            <LinkButton to={`${HERE}/ratings`} icon={<ThumbsUp />}>
              Ratings
            </LinkButton>
            {newSet("New Evaluation", "primary")}
          </>
        }
      />
      {refusal && <p className="mb-3 text-muted text-xs">{refusal}</p>}
      {sets.length === 0 ? (
        <EmptyState
          icon={<FlaskConical />}
          title="No evaluations yet"
          description="Collect questions with what a good answer has, and see which model, persona or prompt passes."
          action={newSet("Create First Evaluation", "secondary")}
        />
      ) : (
        <RowList label="Evaluations">
          {sets.map(({ id, name, shared, questions, author, canEdit }) => (
            <Row
              key={id}
              name={name}
              to={`${HERE}/${id}`}
              icon={<FlaskConical />}
              badges={shared && <Badge>Shared</Badge>}
              meta={`${shared ? `${author.name} · ` : ""}${countOf(questions, "question")}`}
              actions={canEdit ? changeActions(dialogTo("edit", id), dialogTo("delete", id)) : []}
            />
          ))}
        </RowList>
      )}
      {dialog === "new" && <SetDialog />}
      {dialog === "edit" && selected && <SetDialog key={selected.id} set={selected} />}
      {(dialog === "edit" || dialog === "delete") && !selected && (
        <MissingDialog message="Evaluation not found. It may have been deleted." closeTo={HERE} />
      )}
      {dialog === "delete" && selected && (
        <ConfirmDialog
          title={`Delete the evaluation "${selected.name}"?`}
          description="Its questions, runs and answers are deleted, and a run that goes on is stopped. This can't be undone."
          closeTo={HERE}
          intent="delete"
          values={{ id: selected.id }}
          confirmLabel="Delete Evaluation"
        />
      )}
    </>
  );
}

const FIELDS: Record<keyof SetInput, FieldSpec> = {
  name: { label: "Name", required: true, control: { kind: "text", maxLength: 100 } },
  shared: {
    label: "Shared with the organization",
    hint: "Everyone sees its questions, runs and answers; members can run it, you and admins can change it",
    control: { kind: "switch" },
  },
};

function SetDialog({ set }: { set?: EvaluationSet }) {
  const result = useActionData<typeof action>()?.result;
  const { errors } = readResult(result);
  return (
    <FormDialog
      title={set ? "Edit Evaluation" : "New Evaluation"}
      closeTo={HERE}
      result={result}
      problem={errors.name && null}
      hidden={{ id: set?.id }}
      intent={set ? "update" : "create"}
      label={set ? "Save Changes" : "Create Evaluation"}
    >
      <FormFields fields={FIELDS} values={set ?? {}} result={result} />
    </FormDialog>
  );
}
