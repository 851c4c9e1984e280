import { Form, useNavigation } from "@remix-run/react";
import { Square } from "lucide-react";
import { Button } from "~/ui/button";
import type { Document } from "../../documents/documents.schema";
import { useChangesAddress } from "../documents/use-changes-address";

export function CancelWork({ document: { id, name } }: { document: Pick<Document, "id" | "name"> }) {
  const { formData } = useNavigation();
  const changes = useChangesAddress();
  return (
    <Form method="post" action={changes} preventScrollReset>
      <input type="hidden" name="id" value={id} />
      <Button
        size="sm"
        name="intent"
        value="cancel"
        pending={formData?.get("intent") === "cancel" && formData.get("id") === id}
        icon={<Square aria-hidden="true" />}
      >
        Cancel<span className="sr-only"> processing of {name}</span>
      </Button>
    </Form>
  );
}
