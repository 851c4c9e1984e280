import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { Columns3 } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { GuardedForms } from "~/ui/guarded-forms";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { Notice } from "~/ui/notice";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { ComparisonInput, ComparisonsQuery } from "~/work/comparisons/comparisons.schema";
import {
  createComparison,
  deleteComparison,
  modelNames,
  readComparisonsScreen,
} from "~/work/comparisons/comparisons.service.server";
import { ComparisonForm } from "~/work/comparisons/components/comparison-form";
import { ComparisonList } from "~/work/comparisons/components/comparison-list";

const HERE = "/compare";

export const meta = pageTitle("Compare Models");

const { loader, action } = screen({
  access: "signed-in",
  query: ComparisonsQuery,
  load: ({ actor, query }) => ({ ...readComparisonsScreen(actor, query), names: modelNames(actor), query }),
  actions: {
    compare: intent({
      access: "chat.use",
      input: ComparisonInput,
      run: ({ actor, input }) => createComparison(actor, input),
      done: ({ id }) => ({ to: `${HERE}/${id}` }),
    }),
    delete: intent({
      access: "chat.use",
      target: "id",
      run: ({ actor, target }) => deleteComparison(actor, target),
      done: "Comparison deleted",
      failed: { dialog: "Couldn't delete the comparison" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

export default function Compare() {
  const { comparisons, names, next, query, refusal, offer } = useLoaderData<typeof loader>();
  const actionData = useActionData<typeof action>();
  const here = query.cursor ? `${HERE}?cursor=${encodeURIComponent(query.cursor)}` : HERE;
  const [search] = useSearchParams();
  const selected = comparisons.find(({ id }) => search.has("dialog") && id === search.get("id"));
  const deleteTo = (id: string) => `${here}${query.cursor ? "&" : "?"}dialog=delete&id=${id}`;
  return (
    <>
      <PageHeader
        title="Compare Models"
        subtitle="Run one prompt on up to four models and compare answers, speed and cost"
        actions={<BackLink to="/chat">AI Chat</BackLink>}
      />
      {refusal ? (
        <Notice>{refusal}</Notice>
      ) : (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          {offer.models.length > 1 ? (
            <Card title="New Comparison">
              <GuardedForms>
                <ComparisonForm
                  key={query.from}
                  models={offer.models}
                  defaults={offer.defaults}
                  result={actionData?.result}
                />
              </GuardedForms>
            </Card>
          ) : (
            <EmptyState
              icon={<Columns3 />}
              title="Connect another model"
              description={`A comparison needs two models, and only ${offer.models[0]?.name ?? "the built-in model"} is available.${
                offer.mayAddProviders ? "" : " An admin can add providers under Settings › Providers."
              }`}
              action={
                offer.mayAddProviders && (
                  <LinkButton to="/providers" variant="primary">
                    Add Provider
                  </LinkButton>
                )
              }
            />
          )}
          <Card title="Earlier Comparisons">
            {comparisons.length === 0 ? (
              <p className="text-muted">No comparisons yet</p>
            ) : (
              <ComparisonList comparisons={comparisons} names={names} deleteTo={deleteTo} />
            )}
            <CursorPages
              first={query.cursor && HERE}
              next={next && `${HERE}?cursor=${encodeURIComponent(next)}`}
              nextLabel="Older Comparisons"
            />
          </Card>
        </div>
      )}
      {selected && (
        <ConfirmDialog
          title="Delete this comparison?"
          description={`"${selected.title}" and its ${selected.models.length} answers will be deleted. Conversations continued in chat are kept. This can't be undone.`}
          closeTo={here}
          intent="delete"
          values={{ id: selected.id }}
          confirmLabel="Delete"
        />
      )}
    </>
  );
}
