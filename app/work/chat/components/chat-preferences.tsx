import { Form } from "@remix-run/react";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { useInPlace } from "~/ui/sending";
import { ToggleButton } from "~/ui/toggle-button";

export function ChatPreferences({ enterSends }: { enterSends: boolean }) {
  const { send, formData } = useInPlace();
  const pending = formData !== undefined;
  const on = pending ? formData.get("enterSends") === "true" : enterSends;
  return (
    <Card id="chat" title="Chat">
      <Form
        method="post"
        className="flex items-start justify-between gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          send({ intent: "save-chat", enterSends: String(!enterSends) });
        }}
      >
        <div className="min-w-0">
          <p className="font-medium text-sm">Enter sends messages</p>
          <p className="text-muted text-xs">
            Shift+Enter starts a new line. When off, Enter starts a new line and Ctrl+Enter (Cmd+Enter on a
            Mac) sends. On touch screens Enter always starts a new line.
          </p>
        </div>
        <input type="hidden" name="enterSends" value={String(!enterSends)} />
        <ToggleButton on={on} label="Enter sends messages" intent="save-chat" pending={pending} />
      </Form>
      <div className="mt-4 flex items-center justify-between gap-4">
        <div className="min-w-0">
          <p className="font-medium text-sm">Memory</p>
          <p className="text-muted text-xs">Facts about you that chats may use, if you turn it on.</p>
        </div>
        <LinkButton to="/settings/profile/memory" size="sm">
          Manage Memory
        </LinkButton>
      </div>
    </Card>
  );
}
