import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { Plus } from "lucide-react";
import {
  createCategory,
  deleteCategory,
  listCategories,
  renameCategory,
} from "~/features/knowledge/categories.service.server";
import { CategoriesTable } from "~/features/knowledge/components/document/categories-table";
import { CategoryDialog } from "~/features/knowledge/components/document/category-dialog";
import { CategoryScreenQuery } from "~/features/knowledge/document-input.schema";
import { CategoryInput } from "~/features/knowledge/documents.schema";
import { authorise, may, refusal } from "~/features/members/authorisation.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen, submitForm } from "~/http/form.server";
import { orDialog, refuseIntent, takeField } from "~/http/intents.server";
import { parseWith } from "~/http/parse.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast } from "~/http/toast.server";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { countOf } from "~/ui/format";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

const HERE = "/rag/categories";

export const meta = titled("Categories");

export function loader({ request, context }: LoaderFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    const search = new URL(request.url).searchParams;
    const { dialog, id } = parseWith(CategoryScreenQuery, Object.fromEntries(search), "address");
    const mayWrite = may(actor, "documents.write");
    const categories = await listCategories(actor);
    return {
      categories,
      dialog: mayWrite ? dialog : undefined,
      chosen: categories.find((category) => category.id === id && !category.fixed),
      refusal: mayWrite ? undefined : refusal("documents.write"),
    };
  });
}

export function action({ request, context }: ActionFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    authorise(actor, "documents.write");
    const form = await readForm(request);
    const [intent, id] = [takeField(form, "intent"), takeField(form, "id")];
    const done = (title: string) => redirectWithToast(HERE, { kind: "success", title }, context);
    switch (intent) {
      case "create": {
        const out = await submitForm(form, CategoryInput, context, ({ name }) => createCategory(actor, name));
        return out.done ? done(`Category "${out.value.name}" added`) : out.answer;
      }
      case "rename": {
        const out = await submitForm(form, CategoryInput, context, ({ name }) =>
          renameCategory(actor, id, name),
        );
        return out.done ? done(`Category renamed to "${out.value.name}"`) : out.answer;
      }
      case "delete":
        return orDialog(HERE, "The category was not deleted", context, async () =>
          done(`Category "${(await deleteCategory(actor, id)).name}" deleted`),
        );
      default:
        return refuseIntent();
    }
  });
}

export default function Categories() {
  const { categories, dialog, chosen, refusal } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title="Categories"
        subtitle="What documents are grouped by"
        actions={
          <>
            <LinkButton to="/rag">All documents</LinkButton>
            {!refusal && (
              <LinkButton
                to={`${HERE}?dialog=new`}
                preventScrollReset
                variant="primary"
                icon={<Plus aria-hidden="true" />}
              >
                New Category
              </LinkButton>
            )}
          </>
        }
      />
      {refusal && <p className="mb-3 text-muted text-xs">{refusal}</p>}
      <CategoriesTable
        categories={categories}
        dialogTo={refusal ? undefined : (open, id) => `${HERE}?dialog=${open}&id=${encodeURIComponent(id)}`}
      />
      {dialog === "new" && <CategoryDialog closeTo={HERE} result={result} />}
      {dialog === "rename" && chosen && (
        <CategoryDialog key={chosen.id} category={chosen} closeTo={HERE} result={result} />
      )}
      {dialog === "delete" && chosen && (
        <ConfirmDialog
          title={`Delete the category "${chosen.name}"?`}
          description={
            chosen.documents === 0
              ? "There are no documents in it that you see. Any others go to Uncategorized."
              : `Its ${countOf(chosen.documents, "document")} and any that you don't see go to Uncategorized. No document is deleted.`
          }
          closeTo={HERE}
          intent="delete"
          values={{ id: chosen.id }}
          confirmLabel="Delete Category"
        />
      )}
    </div>
  );
}
