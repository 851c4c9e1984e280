import { useActionData, useLoaderData } from "@remix-run/react";
import { withoutDialog } from "~/http/return-to.server";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may } from "~/platform/rights/authorization.server";
import { ConfirmDialog, MissingDialog } from "~/ui/confirm-dialog";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { pageTitle } from "~/ui/page-header";
import { LoadingDialog, lazyDialog, useOpenDialog } from "~/ui/use-open-dialog";
import { CheckScreen } from "~/work/documents/components/evaluation/check-screen";
import { readQuestionFields } from "~/work/search/evaluation/check-form.shared";
import {
  readCheckScreen,
  readQuestionForm,
  submitQuestion,
} from "~/work/search/evaluation/check-screen.service.server";
import { CheckScreenQuery } from "~/work/search/evaluation/retrieval-check.schema";
import { startCheck, stopCheck } from "~/work/search/evaluation/retrieval-check.service.server";
import { deleteQuestion, readQuestion } from "~/work/search/evaluation/retrieval-questions.service.server";

const QuestionDialog = lazyDialog(
  () =>
    import("~/work/documents/components/evaluation/question-dialog").then((module) => module.QuestionDialog),
  ({ form, closeTo }) => ({ title: form.id ? "Edit Question" : "Add Question", closeTo, size: "lg" }),
);

const HERE = "/rag/check";

export const meta = pageTitle("Retrieval Check");

/** Shows a refused question again. */
const saveQuestion = (saved: string) =>
  intent({
    access: "documents.write",
    run: ({ actor, form }) => submitQuestion(actor, readQuestionFields(form)),
    done: (refused) => (refused ? { show: { refused }, status: 400 } : saved),
  });

const { loader, action } = screen({
  access: "signed-in",
  query: CheckScreenQuery,
  load: async ({ actor, query }) => {
    const dialog = may(actor, "documents.write") ? query.dialog : undefined;
    const edited =
      dialog === "edit" ? findOrExplain(() => readQuestion(actor, query.id ?? "")) : { missing: undefined };
    const asks = dialog === "add" || (dialog === "edit" && edited.missing === undefined);
    return {
      ...readCheckScreen(actor, query),
      missing: edited.missing,
      query,
      mayWrite: may(actor, "documents.write"),
      form: asks ? await readQuestionForm(actor, dialog === "add" ? { q: query.q } : query) : undefined,
    };
  },
  actions: {
    add: saveQuestion("Question added"),
    change: saveQuestion("Question saved"),
    delete: intent({
      access: "documents.write",
      target: "id",
      run: ({ actor, target }) => deleteQuestion(actor, target),
      done: "Question deleted",
      failed: { dialog: "Couldn't delete the question" },
    }),
    run: intent({
      access: "documents.write",
      run: ({ actor }) => startCheck(actor),
      done: { to: HERE, toast: "Check started" },
      failed: { toast: "Couldn't start" },
    }),
    stop: intent({
      access: "documents.write",
      run: ({ actor }) => stopCheck(actor),
      done: "Check stopped",
      failed: { toast: "Couldn't stop the check" },
    }),
  },
  back: ({ url }) => withoutDialog(url, "q"),
});

const shouldRevalidate = ignoreDialogParams({ names: ["dialog", "id", "q"] });

const LOADED = ["add", "edit", "delete"];

export { action, loader, shouldRevalidate };

export default function RetrievalCheck() {
  const loaded = useLoaderData<typeof loader>();
  const { query, questionToDelete, mayWrite, missing, ...screen } = loaded;
  const { search: opened, isLoading } = useOpenDialog(loaded, { loads: LOADED });
  const dialog = mayWrite ? opened.get("dialog") : null;
  const asks = dialog === "add" || dialog === "edit";
  const form = asks && !isLoading ? screen.form : undefined;
  const actionData = useActionData<typeof action>();
  // Revalidating would repeat the search and drop typed text.
  useLiveTopics(["retrieval-checks", "documents"], { isPaused: asks });
  const { run, sort, order, page, list } = query;
  const addressOf = (change: Record<string, string | undefined>) => {
    const search = new URLSearchParams();
    const current = {
      run,
      ...(sort === "change" && order === "asc" ? {} : { sort, order }),
      ...(page > 1 ? { page: String(page) } : {}),
      ...(list > 1 ? { list: String(list) } : {}),
    };
    for (const [name, value] of Object.entries({ ...current, ...change })) if (value) search.set(name, value);
    return search.size > 0 ? `${HERE}?${search}` : HERE;
  };
  const address = (dialog?: string, id?: string) => addressOf({ dialog, id });
  const closeTo = address();
  const refused = actionData?.shown?.refused;
  const values = refused ?? form;
  const gone =
    dialog === "delete" && !questionToDelete ? "Question not found. It may have been deleted." : missing;
  return (
    <>
      <CheckScreen
        {...screen}
        ordered={{ sort, order, sortTo: (change) => addressOf({ ...change, page: undefined }) }}
        dialog={address}
        pageTo={(name, number) => addressOf({ [name]: number > 1 ? String(number) : undefined })}
      />
      {values && <QuestionDialog key={values.question} form={values} closeTo={closeTo} />}
      {dialog && gone !== undefined && !refused && !isLoading && (
        <MissingDialog message={gone} closeTo={closeTo} />
      )}
      {asks && isLoading && (
        <LoadingDialog
          title={dialog === "edit" ? "Edit Question" : "Add Question"}
          closeTo={closeTo}
          size="lg"
        />
      )}
      {dialog === "delete" && questionToDelete && !isLoading && (
        <ConfirmDialog
          title="Delete this question?"
          description={`"${questionToDelete.question}" and its passages will be deleted. Earlier results are kept. This can't be undone.`}
          closeTo={closeTo}
          intent="delete"
          values={{ id: questionToDelete.id }}
          confirmLabel="Delete Question"
        />
      )}
    </>
  );
}
