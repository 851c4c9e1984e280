import { Form, useActionData, useLoaderData } from "@remix-run/react";
import { FlaskConical, ThumbsDown, ThumbsUp } from "lucide-react";
import { clip } from "~/core/well-formed";
import { intent, screen } from "~/http/screen.server";
import { may } from "~/platform/rights/authorization.server";
import { listColleagues } from "~/team/members/member-names.service.server";
import { Button } from "~/ui/button";
import { MissingDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { Field, GroupedOptions, Input, Select } from "~/ui/input";
import { usePageAddress } from "~/ui/page-address";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import { LoadingDialog, useOpenDialog } from "~/ui/use-open-dialog";
import type { Rating } from "~/work/chat/ratings.schema";
import { findRating, listRatings } from "~/work/chat/ratings.service.server";
import { QuestionDialog } from "~/work/evaluations/components/evaluation-dialogs";
import { RatedQuestion, RatingsScreenQuery } from "~/work/evaluations/evaluations.schema";
import { listSets, saveQuestion } from "~/work/evaluations/evaluations.service.server";

export const meta = pageTitle("Ratings");

const HERE = "/evaluations/ratings";

const { loader, action } = screen({
  access: "signed-in",
  query: RatingsScreenQuery,
  load: async ({ actor, query }) => {
    const { dialog, id, by = actor.userId, ...filter } = query;
    const asks = dialog === "add" && id !== undefined;
    const rated = asks ? await findRating(actor, id, by) : undefined;
    return {
      ...(await listRatings(actor, { ...filter, limit: 20 })),
      query,
      people: may(actor, "usage.all") ? listColleagues(actor) : undefined,
      mayAdd: may(actor, "evaluations.write"),
      rated: rated && { question: rated.question, expects: { rubric: rubricFor(rated) } },
      sets: asks ? listSets(actor).filter(({ canEdit }) => canEdit) : [],
    };
  },
  actions: {
    save: intent({
      access: "evaluations.write",
      input: RatedQuestion,
      run: ({ actor, input: { set, ...input } }) => saveQuestion(actor, set, undefined, input),
      done: (_, { input: { set } }) => ({
        to: `/evaluations/${encodeURIComponent(set)}`,
        toast: "Question added",
      }),
    }),
  },
});

const shouldRevalidate = ignoreDialogParams({ names: ["dialog", "id", "by"] });

export { action, loader, shouldRevalidate };

function rubricFor({ rating, comment, answer }: Rating): string {
  const said = comment ? ` A person said of it: ${comment}` : "";
  const clipped = clip(answer ?? "", 1500);
  return rating === "up"
    ? `The answer says the same as this good one.${said}\n\n${clipped}`
    : `The answer avoids what is wrong with this bad one.${said}\n\n${clipped}`;
}

function Filters() {
  const { query, people } = useLoaderData<typeof loader>();
  const { rating, model, person } = query;
  return (
    <Form action={HERE} className="mb-4 flex max-w-3xl flex-wrap items-end gap-3">
      <Field label="Rating" name="rating" className="w-28">
        <Select key={rating} defaultValue={rating ?? ""}>
          <option value="">All</option>
          <option value="up">Good</option>
          <option value="down">Bad</option>
        </Select>
      </Field>
      {people && (
        <Field label="Person" name="person" className="min-w-40 flex-1">
          <Select key={person} defaultValue={person ?? ""}>
            <option value="">Everyone</option>
            <GroupedOptions
              options={people.map(({ id, name }) => ({ value: id, label: name }))}
              chosen={person}
            />
          </Select>
        </Field>
      )}
      <Field label="Model" name="model" className="min-w-40 flex-1">
        <Input key={model} defaultValue={model} placeholder="ID of a model" maxLength={100} />
      </Field>
      <Button>Filter</Button>
    </Form>
  );
}

export default function Ratings() {
  const { ratings, next, query, people, mayAdd, rated, sets } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const { search, isLoading } = useOpenDialog(ratings, { loads: ["add"] });
  const address = usePageAddress();
  const closeTo = address({ by: undefined });
  const isFiltered = Boolean(query.rating ?? query.model ?? query.person);
  const asks = search.get("dialog") === "add" && mayAdd;
  return (
    <>
      <PageHeader
        title="Ratings"
        subtitle={
          people
            ? "Answers that people rated, with the texts of those who let admins read them"
            : "Answers that you rated"
        }
        actions={<BackLink to="/evaluations">Evaluations</BackLink>}
      />
      <Filters />
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
                    {clip(one.answer, 500)}
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
                        to: address({ dialog: "add", id: one.messageId, by: one.person.id }),
                      },
                    ]
                  : []
              }
            />
          ))}
        </RowList>
      )}
      <CursorPages
        first={query.cursor && address({ cursor: undefined })}
        next={next && address({ cursor: next })}
        nextLabel="Older Ratings"
      />
      {asks && isLoading && <LoadingDialog title="Add to an Evaluation" closeTo={closeTo} size="lg" />}
      {asks && !isLoading && !rated && (
        <MissingDialog message="Rating not found. It may have been withdrawn." closeTo={closeTo} />
      )}
      {asks && !isLoading && rated && (
        <QuestionDialog {...rated} sets={sets} closeTo={closeTo} result={result} />
      )}
    </>
  );
}
