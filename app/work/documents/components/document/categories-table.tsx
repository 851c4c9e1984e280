import { Link } from "@remix-run/react";
import { Pencil, Trash2 } from "lucide-react";
import { IconLink } from "~/ui/button";
import { formatCount } from "~/ui/format";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import type { DocumentCategory } from "../../documents.schema";

interface CategoriesTableProps {
  categories: DocumentCategory[];
  dialogTo?: ((dialog: "rename" | "delete", id: string) => string) | undefined;
}

export function CategoriesTable({ categories, dialogTo }: CategoriesTableProps) {
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
