import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { ArrowLeft, Plus } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { may, refusal } from "~/platform/rights/authorization.server";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { countOf } from "~/ui/format";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { ignoreDialogParams } from "~/ui/use-open-dialog";
import {
  createCategory,
  deleteCategory,
  listCategories,
  renameCategory,
} from "~/work/documents/categories/categories.service.server";
import { CategoriesTable } from "~/work/documents/components/document/categories-table";
import { NameDialog } from "~/work/documents/components/document/name-dialog";
import { CategoryScreenQuery } from "~/work/documents/document-input.schema";
import { CategoryInput } from "~/work/documents/documents.schema";

const HERE = "/rag/categories";

export const meta = pageTitle("Categories");

const { loader, action } = screen({
  access: "signed-in",
  query: CategoryScreenQuery,
  load: async ({ actor }) => {
    const mayWrite = may(actor, "documents.write");
    return {
      categories: await listCategories(actor),
      refusal: mayWrite ? undefined : refusal("documents.write"),
    };
  },
  actions: {
    create: intent({
      access: "documents.write",
      input: CategoryInput,
      run: ({ actor, input }) => createCategory(actor, input.name),
      done: ({ name }) => `Category "${name}" created`,
    }),
    rename: intent({
      access: "documents.write",
      target: "id",
      input: CategoryInput,
      run: ({ actor, target, input }) => renameCategory(actor, target, input.name),
      done: ({ name }) => `Category renamed to "${name}"`,
    }),
    delete: intent({
      access: "documents.write",
      target: "id",
      run: ({ actor, target }) => deleteCategory(actor, target),
      done: ({ name }) => `Category "${name}" deleted`,
      failed: { dialog: "Couldn't delete the category" },
    }),
  },
});

/** Dialogs use the page's data. */
const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

export default function Categories() {
  const { categories, refusal } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const dialog = refusal ? null : search.get("dialog");
  const chosen = categories.find(({ id, fixed }) => id === search.get("id") && !fixed);
  const result = useActionData<typeof action>()?.result;
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title="Categories"
        subtitle="Group documents by topic"
        actions={
          <>
            <LinkButton to="/rag" icon={<ArrowLeft aria-hidden="true" />}>
              RAG &amp; Memory
            </LinkButton>
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
      {dialog === "new" && (
        <NameDialog
          title="New Category"
          maxLength={60}
          intent="create"
          label="Create Category"
          closeTo={HERE}
          result={result}
        />
      )}
      {dialog === "rename" && chosen && (
        <NameDialog
          key={chosen.id}
          title="Rename Category"
          id={chosen.id}
          name={chosen.name}
          maxLength={60}
          intent="rename"
          label="Rename"
          closeTo={HERE}
          result={result}
        />
      )}
      {dialog === "delete" && chosen && (
        <ConfirmDialog
          title={`Delete the category "${chosen.name}"?`}
          description={
            chosen.documents === 0
              ? "It has no documents visible to you. Any others move to Uncategorized."
              : `Its ${countOf(chosen.documents, "document")} and any that you can't see move to Uncategorized. No document is deleted.`
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
