import { Form, useActionData, useLoaderData } from "@remix-run/react";
import { ArrowLeft, FlaskConical, ThumbsDown, ThumbsUp } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { may } from "~/platform/rights/authorization.server";
import { Button, LinkButton } from "~/ui/button";
import { MissingDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { FormDialog } from "~/ui/form-dialog";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { Field, Input, Select, Textarea } from "~/ui/input";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { fieldProps, serverForm } from "~/ui/server-form";
import { RelativeTime } from "~/ui/time";
import { LoadingDialog, useOpenDialog } from "~/ui/use-open-dialog";
import type { Rating } from "~/work/chat/ratings.schema";
import { findRating, listRatings } from "~/work/chat/ratings.service.server";
import { RatedQuestion, RatingsScreenQuery } from "~/work/evaluations/evaluations.schema";
import { addQuestion, listSets } from "~/work/evaluations/evaluations.service.server";

export const meta = pageTitle("Ratings");

const HERE = "/evaluations/ratings";

const { loader, action } = screen({
  access: "signed-in",
  query: RatingsScreenQuery,
  load: async ({ actor, query }) => {
    const { dialog, message, by, ...filter } = query;
    const asks = dialog === "add" && message !== undefined;
    return {
      ...(await listRatings(actor, { ...filter, limit: 20 })),
      query,
      seesAll: may(actor, "usage.all"),
      mayAdd: may(actor, "evaluations.write"),
      rated: asks ? await findRating(actor, message, by ?? actor.userId) : undefined,
      sets: asks ? listSets(actor).filter(({ canEdit }) => canEdit) : [],
    };
  },
  actions: {
    add: intent({
      access: "evaluations.write",
      input: RatedQuestion,
      long: ["question", "rubric"],
      run: ({ actor, input: { set, question, rubric } }) =>
        addQuestion(actor, set, { question, expects: { contains: [], lacks: [], rubric } }),
      done: (_, { input: { set } }) => ({
        to: `/evaluations/${encodeURIComponent(set)}`,
        toast: "Question added",
      }),
    }),
  },
});

const shouldRevalidate = ignoreDialogParams({ names: ["dialog", "message", "by"] });

export { action, loader, shouldRevalidate };

function Filters({ rating, model }: { rating?: string | undefined; model?: string | undefined }) {
  return (
    <Form action={HERE} className="mb-4 flex max-w-2xl flex-wrap items-end gap-3">
      <Field label="Rating" name="rating" className="w-36">
        <Select key={rating} defaultValue={rating ?? ""}>
          <option value="">All</option>
          <option value="up">Good</option>
          <option value="down">Bad</option>
        </Select>
      </Field>
      <Field label="Model" name="model" className="min-w-40 flex-1">
        <Input key={model} defaultValue={model} placeholder="ID of a model" maxLength={100} />
      </Field>
      <Button>Filter</Button>
    </Form>
  );
}

export default function Ratings() {
  const { ratings, next, query, seesAll, mayAdd, rated, sets } = useLoaderData<typeof loader>();
  const { search, isLoading } = useOpenDialog(ratings, { loads: ["add"] });
  const { rating, model, cursor } = query;
  const addressOf = (change: Record<string, string | undefined>) => {
    const parameters = Object.entries({ rating, model, cursor, ...change }).filter(([, value]) => value);
    return parameters.length > 0 ? `${HERE}?${new URLSearchParams(parameters as [string, string][])}` : HERE;
  };
  const isFiltered = rating !== undefined || model !== undefined;
  const asks = search.get("dialog") === "add" && mayAdd;
  return (
    <>
      <PageHeader
        title="Ratings"
        subtitle={
          seesAll
            ? "Answers that people rated, with the texts of those who let admins read them"
            : "Answers that you rated"
        }
        actions={
          <LinkButton to="/evaluations" icon={<ArrowLeft aria-hidden="true" />}>
            Evaluations
          </LinkButton>
        }
      />
      <Filters rating={rating} model={model} />
      {ratings.length === 0 ? (
        <EmptyState
          icon={<ThumbsUp />}
          title={isFiltered ? "No matching ratings" : "No ratings yet"}
          description={
            isFiltered
              ? "Try another filter."
              : "Rate an answer in AI Chat, and let admins read it if you like."
          }
        />
      ) : (
        <RowList label="Ratings">
          {ratings.map((one) => (
            <Row
              key={`${one.messageId} ${one.person.id}`}
              name={one.readable ? one.question || "A question without text" : "Text not shared with admins"}
              icon={one.rating === "up" ? <ThumbsUp aria-label="Good" /> : <ThumbsDown aria-label="Bad" />}
              meta={[one.person.name, one.model, one.comment].filter(Boolean).join(" · ")}
              details={
                one.answer && (
                  <p dir="auto" className="wrap-anywhere mt-1 line-clamp-3 text-xs">
                    {one.answer.slice(0, 500)}
                  </p>
                )
              }
              state={
                <span className="text-muted text-xs">
                  <RelativeTime at={one.ratedAt} style="short" />
                </span>
              }
              actions={
                mayAdd && one.readable && one.question
                  ? [
                      {
                        label: "Add to an evaluation",
                        icon: <FlaskConical />,
                        to: addressOf({ dialog: "add", message: one.messageId, by: one.person.id }),
                      },
                    ]
                  : []
              }
            />
          ))}
        </RowList>
      )}
      <CursorPages
        first={cursor && addressOf({ cursor: undefined })}
        next={next && addressOf({ cursor: next })}
        nextLabel="Older Ratings"
      />
      {asks && isLoading && <LoadingDialog title="Add to an Evaluation" closeTo={addressOf({})} />}
      {asks && !isLoading && !rated && (
        <MissingDialog message="Rating not found. It may have been withdrawn." closeTo={addressOf({})} />
      )}
      {asks && !isLoading && rated && <AddDialog rated={rated} sets={sets} closeTo={addressOf({})} />}
    </>
  );
}

function rubricFor({ rating, comment, answer }: Rating): string {
  const said = comment ? ` A person said of it: ${comment}` : "";
  const clipped = (answer ?? "").slice(0, 1500);
  return rating === "up"
    ? `The answer says the same as this good one.${said}\n\n${clipped}`
    : `The answer avoids what is wrong with this bad one.${said}\n\n${clipped}`;
}

interface AddDialogProps {
  rated: Rating;
  sets: readonly { id: string; name: string }[];
  closeTo: string;
}

function AddDialog({ rated, sets, closeTo }: AddDialogProps) {
  const result = useActionData<typeof action>()?.result;
  const [form, fields] = serverForm<"set" | "question" | "rubric">({
    id: "rated",
    lastResult: result,
    defaultValue: { set: sets[0]?.id, question: rated.question, rubric: rubricFor(rated) },
  });
  const hasFieldErrors = Object.keys(form.allErrors).some((name) => name !== "");
  return (
    <FormDialog
      title="Add to an Evaluation"
      description={
        sets.length === 0
          ? "There is no evaluation that you can change. Create one first."
          : "The question is kept there, also once the conversation is deleted."
      }
      size="lg"
      closeTo={closeTo}
      result={result}
      problem={hasFieldErrors ? null : form.errors?.join(" ")}
      intent="add"
      label="Add Question"
      disabled={sets.length === 0}
    >
      <Field {...fieldProps(fields.set)} label="Evaluation" required>
        <Select defaultValue={fields.set.initialValue}>
          {sets.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Field {...fieldProps(fields.question)} label="Question" required>
        <Textarea rows={3} defaultValue={fields.question.initialValue} />
      </Field>
      <Field {...fieldProps(fields.rubric)} label="Rubric" hint="A model judges the answer by it" required>
        <Textarea rows={6} defaultValue={fields.rubric.initialValue} />
      </Field>
    </FormDialog>
  );
}
