import { FileText, Trash2, Undo2 } from "lucide-react";
import { Button, LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { CursorPages } from "~/ui/pagination";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import type { DeletedDocument } from "../documents.schema";
import type { ListView } from "../screens/rag-screen.schema";
import { listAddress, ragAddress, useChangesAddress } from "./addresses";

export interface DeletedPage {
  documents: readonly DeletedDocument[];
  next?: string;
}

export function DeletedDocuments({ documents, next, view }: DeletedPage & { view: ListView }) {
  const post = useChangesAddress();
  if (documents.length === 0) {
    return (
      <EmptyState
        icon={<Trash2 />}
        title="No recently deleted documents"
        description="Deleted documents can be restored here for ten minutes."
        action={
          view.cursor ? (
            <LinkButton to={listAddress(view, {})}>First Page</LinkButton>
          ) : (
            <LinkButton to={listAddress(view, { status: "" })}>Show All Documents</LinkButton>
          )
        }
      />
    );
  }
  return (
    <>
      <RowList
        label="Recently deleted documents"
        selection={{
          noun: "document",
          post,
          bar: (
            <Button size="sm" name="intent" value="restore-selected">
              Restore
            </Button>
          ),
        }}
      >
        {documents.map(({ id, name, deletedAt, restorableUntil }) => (
          <Row
            key={id}
            name={name}
            select={id}
            icon={<FileText aria-hidden="true" />}
            meta={
              <>
                Deleted <RelativeTime at={deletedAt} style="running" /> ·{" "}
                <RelativeTime at={restorableUntil} style="left" />
              </>
            }
            actions={[
              {
                label: "Restore",
                icon: <Undo2 aria-hidden="true" />,
                values: { intent: "restore-selected", ids: id },
                post,
              },
            ]}
          />
        ))}
      </RowList>
      <CursorPages
        first={view.cursor && listAddress(view, {})}
        firstLabel="First Page"
        next={next && ragAddress(view, { cursor: next })}
        nextLabel="Next Page"
      />
    </>
  );
}
