import { Link, useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { may, refusal } from "~/platform/rights/authorization.server";
import { IconLink, LinkButton } from "~/ui/button";
import { ConfirmDialog, MissingDialog, RecordDialog } from "~/ui/confirm-dialog";
import { countOf, formatCount } from "~/ui/format";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { NameDialog } from "~/ui/name-dialog";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import {
  createCategory,
  deleteCategory,
  listCategories,
  renameCategory,
} from "~/work/documents/categories/categories.service.server";
import { CategoryScreenQuery } from "~/work/documents/document-input.schema";
import { CategoryInput, type DocumentCategory } from "~/work/documents/documents.schema";

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

const NO_CATEGORY = "Category not found. It may have been deleted.";

export default function Categories() {
  const { categories, refusal } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const dialog = refusal ? null : search.get("dialog");
  const chosen = categories.find(({ id, fixed }) => id === search.get("id") && !fixed);
  const renamed = dialog === "rename" ? chosen : undefined;
  const result = useActionData<typeof action>()?.result;
  return (
    <div>
      <PageHeader
        title="Categories"
        subtitle="Group documents by topic"
        actions={
          <>
            <BackLink to="/rag">RAG &amp; Memory</BackLink>
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
      {dialog === "rename" && !renamed && <MissingDialog message={NO_CATEGORY} closeTo={HERE} />}
      {(dialog === "new" || renamed) && (
        <NameDialog
          key={renamed?.id}
          title={renamed ? "Rename Category" : "New Category"}
          {...(renamed ? { id: renamed.id, value: renamed.name } : {})}
          maxLength={60}
          intent={renamed ? "rename" : "create"}
          submit={renamed ? "Rename" : "Create Category"}
          closeTo={HERE}
          result={result}
        />
      )}
      {dialog === "delete" && (
        <RecordDialog record={chosen} missing={NO_CATEGORY} closeTo={HERE}>
          {({ id, name, documents }) => (
            <ConfirmDialog
              title={`Delete the category "${name}"?`}
              description={
                documents === 0
                  ? "It has no documents visible to you. Any others move to Uncategorized."
                  : `Its ${countOf(documents, "document")} and any that you can't see move to Uncategorized. No document is deleted.`
              }
              closeTo={HERE}
              intent="delete"
              values={{ id }}
              confirmLabel="Delete Category"
            />
          )}
        </RecordDialog>
      )}
    </div>
  );
}

interface CategoriesTableProps {
  categories: DocumentCategory[];
  dialogTo?: ((dialog: "rename" | "delete", id: string) => string) | undefined;
}

function CategoriesTable({ categories, dialogTo }: CategoriesTableProps) {
  return (
    <Table caption="Categories">
      <thead>
        <tr>
          <HeadCell>Category</HeadCell>
          <HeadCell align="right">Documents</HeadCell>
          {dialogTo && (
            <HeadCell>
              <span className="sr-only">Actions</span>
            </HeadCell>
          )}
        </tr>
      </thead>
      <tbody>
        {categories.map(({ id, name, fixed, documents }) => (
          <TableRow key={id}>
            <Cell>
              <Link
                to={`/rag?${new URLSearchParams({ group: name })}`}
                className="wrap-anywhere font-medium underline-offset-4 hover:underline"
              >
                {name}
              </Link>
              {fixed && (
                <p className="text-muted text-xs">Default category. It can't be renamed or deleted.</p>
              )}
            </Cell>
            <Cell align="right">
              <span className="tabular-nums">{formatCount(documents)}</span>
            </Cell>
            {dialogTo && (
              <Cell align="right">
                <span className="flex min-h-8 justify-end">
                  {!fixed && (
                    <>
                      <IconLink
                        to={dialogTo("rename", id)}
                        preventScrollReset
                        label={`Rename ${name}`}
                        icon={<Pencil />}
                      />
                      <IconLink
                        to={dialogTo("delete", id)}
                        preventScrollReset
                        label={`Delete ${name}`}
                        icon={<Trash2 />}
                      />
                    </>
                  )}
                </span>
              </Cell>
            )}
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}
