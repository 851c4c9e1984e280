import { Form } from "@remix-run/react";
import { Trash2, Undo2 } from "lucide-react";
import { Button, LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { RelativeTime } from "~/ui/time";

interface DeletedDocumentProps {
  deleted: { name: string; deletedAt: string; mayRestore: boolean };
}

export function DeletedDocumentScreen({ deleted }: DeletedDocumentProps) {
  return (
    <EmptyState
      level={1}
      icon={<Trash2 />}
      title={`"${deleted.name}" was deleted`}
      description={
        <>
          It was deleted <RelativeTime at={deleted.deletedAt} className="lowercase" />. It no longer appears
          in lists and search. Conversations keep the passages they quoted.
          {deleted.mayRestore && " You can restore it within ten minutes."}
        </>
      }
      action={
        <>
          {deleted.mayRestore && (
            <Form method="post">
              <Button variant="primary" name="intent" value="restore" icon={<Undo2 aria-hidden="true" />}>
                Restore
              </Button>
            </Form>
          )}
          <LinkButton to="/rag">All Documents</LinkButton>
        </>
      }
    />
  );
}
