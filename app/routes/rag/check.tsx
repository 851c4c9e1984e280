import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { readQuestionFields } from "~/features/knowledge/check-form.schema";
import {
  readCheckScreen,
  readQuestionForm,
  submitImport,
  submitQuestion,
} from "~/features/knowledge/check-screen.service.server";
import { CheckScreen } from "~/features/knowledge/components/check/check-screen";
import { ImportDialog } from "~/features/knowledge/components/check/import-dialog";
import { QuestionDialog } from "~/features/knowledge/components/check/question-dialog";
import { cancelIndex, switchToIndex } from "~/features/knowledge/indexes.service.server";
import { CheckScreenQuery } from "~/features/knowledge/retrieval-check.schema";
import { startCheck, stopCheck } from "~/features/knowledge/retrieval-check.service.server";
import { deleteQuestion } from "~/features/knowledge/retrieval-questions.service.server";
import { authorise, may, refusal } from "~/features/members/authorisation.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";
import { orToast, refuseIntent, takeField } from "~/http/intents.server";
import { keepText } from "~/http/kept-text.server";
import { parseWith } from "~/http/parse.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast } from "~/http/toast.server";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { titled } from "~/ui/titled";

const HERE = "/rag/check";

/** Where one is without a dialog: the check, the order and the pages that one looks at. */
function placeOf(request: Request): string {
  const { searchParams } = new URL(request.url);
  for (const name of ["dialog", "id", "q"]) searchParams.delete(name);
  return searchParams.size > 0 ? `${HERE}?${searchParams}` : HERE;
}

export const meta = titled("Retrieval check");

export function loader({ request, context }: LoaderFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    const search = Object.fromEntries(new URL(request.url).searchParams);
    const query = parseWith(CheckScreenQuery, search, "address");
    const dialog = may(actor, "documents.write") ? query.dialog : undefined;
    const asks = dialog === "add" || dialog === "edit";
    return {
      ...(await readCheckScreen(actor, query)),
      query: { ...query, dialog },
      form: asks ? await readQuestionForm(actor, dialog === "add" ? { q: query.q } : query) : undefined,
      switchRefusal: may(actor, "settings.manage") ? undefined : refusal("settings.manage"),
    };
  });
}

export function action({ request, context }: ActionFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    authorise(actor, "documents.write");
    const form = await readForm(request);
    const intent = takeField(form, "intent");
    const here = placeOf(request);
    const done = (title: string, description?: string, to = here) =>
      redirectWithToast(to, { kind: "success", title, ...(description ? { description } : {}) }, context);
    const act = (title: string, failed: string, work: () => unknown, to = here) =>
      orToast(here, failed, context, async () => {
        await work();
        return done(title, undefined, to);
      });
    switch (intent) {
      case "add":
      case "change": {
        const refused = submitQuestion(actor, readQuestionFields(form));
        if (refused) return data({ refused, imported: undefined }, { status: 400 });
        return done(intent === "add" ? "Question added" : "Question saved");
      }
      case "delete":
        return act("Question deleted", "Not deleted", () => deleteQuestion(actor, takeField(form, "id")));
      case "import": {
        const imported = await submitImport(actor, takeField(form, "json"));
        if ("done" in imported) return done("Questions imported", imported.done);
        const sent = keepText(context, imported.sent);
        return data({ refused: undefined, imported: { sent, error: imported.error } }, { status: 400 });
      }
      case "switch":
        return act("The new index serves", "Not switched", () =>
          switchToIndex(actor, takeField(form, "index")),
        );
      case "keep":
        return act("The old index stays", "Not done", () => cancelIndex(actor, takeField(form, "index")));
      case "run":
        return act("The check has begun", "Not begun", () => startCheck(actor), HERE);
      case "stop":
        return act("The check was stopped", "Not stopped", () => stopCheck(actor));
      default:
        return refuseIntent();
    }
  });
}

export default function RetrievalCheck() {
  const { query, form, asked, ...screen } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { run, a, b, sort, order, page, list } = query;
  const addressOf = (change: Record<string, string | undefined>) => {
    const search = new URLSearchParams();
    const kept = {
      ...{ run, a, b },
      ...(sort === "change" && order === "asc" ? {} : { sort, order }),
      ...(page > 1 ? { page: String(page) } : {}),
      ...(list > 1 ? { list: String(list) } : {}),
    };
    for (const [name, value] of Object.entries({ ...kept, ...change })) if (value) search.set(name, value);
    return search.size > 0 ? `${HERE}?${search}` : HERE;
  };
  const address = (dialog?: string, id?: string) => addressOf({ dialog, id });
  const closeTo = address();
  const shown = answer?.refused ?? form;
  return (
    <>
      <CheckScreen
        {...screen}
        ordered={{ sort, order, sortTo: (change) => addressOf({ ...change, page: undefined }) }}
        dialog={address}
        pageTo={(name, number) => addressOf({ [name]: number > 1 ? String(number) : undefined })}
      />
      {shown && <QuestionDialog key={shown.question} form={shown} closeTo={closeTo} />}
      {query.dialog === "import" && (
        <ImportDialog closeTo={closeTo} sent={answer?.imported?.sent} error={answer?.imported?.error} />
      )}
      {asked && (
        <ConfirmDialog
          title="Delete this question?"
          description={`"${asked.question}" and its passages are deleted; what was measured with it stays. This can't be undone.`}
          closeTo={closeTo}
          intent="delete"
          values={{ id: asked.id }}
          confirmLabel="Delete question"
        />
      )}
    </>
  );
}
