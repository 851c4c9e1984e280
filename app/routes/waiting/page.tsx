import { Hourglass } from "lucide-react";
import { AuthFrame } from "~/features/members/components/auth-frame";
import { LinkButton } from "~/ui/button";
import { Notice } from "~/ui/notice";
import { titled } from "~/ui/titled";

export const meta = titled("Waiting for access");

export default function Waiting() {
  return (
    <AuthFrame title="Waiting for approval" footer="You can close this page and come back later.">
      <Notice>
        You have signed in, but nobody has admitted you to this console yet. An admin sees your request under
        Settings, Members.
      </Notice>
      <LinkButton to="/api/login" reloadDocument variant="primary" size="lg" icon={<Hourglass />}>
        Check Again
      </LinkButton>
    </AuthFrame>
  );
}
