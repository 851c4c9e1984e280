import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { ToggleForm } from "~/ui/toggle-button";

export function ChatPreferences({ enterSends }: { enterSends: boolean }) {
  return (
    <Card id="chat" title="Chat">
      <ToggleForm
        label="Enter sends messages"
        hint="Shift+Enter starts a new line. When off, Enter starts a new line and Ctrl+Enter (Cmd+Enter on a Mac) sends. On touch screens Enter always starts a new line."
        name="enterSends"
        isOn={enterSends}
        intent="save-chat"
      />
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
