import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Notice } from "~/ui/notice";

export interface WaitingIndexView {
  id: string;
  label: string;
}

export function WaitingIndex({
  waiting,
  refusal,
}: {
  waiting: WaitingIndexView;
  refusal: string | undefined;
}) {
  return (
    <Notice kind="info" title="A new index is ready to review">
      <p className="wrap-anywhere text-muted">{waiting.label}</p>
      {refusal ? (
        <p className="mt-1 text-muted text-xs">Only admins can switch the index.</p>
      ) : (
        <Form method="post" preventScrollReset className="mt-2 flex flex-wrap gap-2">
          <input type="hidden" name="index" value={waiting.id} />
          <Button size="sm" variant="primary" name="intent" value="switch">
            Switch Now
          </Button>
          <Button size="sm" name="intent" value="keep">
            Keep Current Index
          </Button>
        </Form>
      )}
    </Notice>
  );
}
