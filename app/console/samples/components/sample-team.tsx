import { Form, Link, useNavigation } from "@remix-run/react";
import { Sparkles } from "lucide-react";
import type { ReactNode } from "react";
import { Sample } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Checkbox } from "~/ui/choice";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { countOf } from "~/ui/format";
import type { SampleOffer } from "../samples.schema";

const REMOVE = "remove-samples";
const QUESTION = "How long does a refund take?";

interface SampleTeamProps {
  offer: SampleOffer;
  /** The dialog that the address opens. */
  dialog: string | null;
}

/** Offers a sample team on an empty dashboard; once it is there, leads through it and removes it. */
export function SampleTeam({ offer: { team }, dialog }: SampleTeamProps) {
  const pending = useNavigation().formData?.get("intent") === "add-samples";
  if (!team) {
    return (
      <Card
        title="Look around with a sample team"
        description="Documents, personas and three workflows that run on the built-in model. Nothing leaves this server, and one press removes them all."
        icon={<Sparkles />}
        actions={
          // On a line of its own where it would squeeze the text.
          <Form method="post" preventScrollReset className="max-sm:w-full">
            <Button name="intent" value="add-samples" pending={pending}>
              Add Sample Team
            </Button>
          </Form>
        }
      />
    );
  }
  const [answering, , publishing] = team.workflows;
  const [document] = team.documents;
  return (
    <Card
      title={
        <>
          Sample team <Sample />
        </>
      }
      description={[
        countOf(team.documents.length, "document"),
        countOf(team.personas.length, "persona"),
        countOf(team.workflows.length, "workflow"),
      ].join(", ")}
      icon={<Sparkles />}
      actions={
        <LinkButton to={`/?dialog=${REMOVE}`} preventScrollReset size="sm">
          Remove
        </LinkButton>
      }
    >
      {team.isReady ? (
        <ol className="-my-1 grid gap-x-4 sm:grid-cols-2">
          <Look to={`/rag/${document}`} title="Read a document" />
          <li>
            <Form method="post">
              <input type="hidden" name="content" value={QUESTION} />
              <button type="submit" name="intent" value="ask" className={LOOK}>
                Ask: {QUESTION}
              </button>
            </Form>
          </li>
          <Look to={`/workflows/${answering}`} title="See a workflow and its runs" />
          <Look to={`/workflows/${publishing}`} title="Approve the notice that waits" />
        </ol>
      ) : (
        <p role="status" className="text-muted">
          Reading its documents…
        </p>
      )}
      {dialog === REMOVE && <RemoveDialog changed={team.changed} />}
    </Card>
  );
}

const LOOK =
  "inline-flex min-h-8 items-center text-left text-primary-ink underline-offset-4 hover:underline pointer-coarse:min-h-11";

function Look({ to, title }: { to: string; title: ReactNode }) {
  return (
    <li>
      <Link to={to} className={LOOK}>
        {title}
      </Link>
    </li>
  );
}

function RemoveDialog({ changed }: { changed: readonly string[] }) {
  return (
    <ConfirmDialog
      title="Remove the sample team?"
      description="Its documents, personas and workflows are deleted with their runs. What you added yourself stays."
      closeTo="/"
      intent={REMOVE}
      confirmLabel="Remove"
      {...(changed.length > 0 && {
        fields: (
          <Checkbox
            name="withChanged"
            value="yes"
            label={`Also remove what was changed: ${changed.join(", ")}`}
          />
        ),
      })}
    />
  );
}
