import { Hourglass } from "lucide-react";
import { AuthFrame } from "~/team/members/components/auth-frame";
import { LinkButton } from "~/ui/button";
import { Notice } from "~/ui/notice";
import { pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Waiting for Access");

export default function Waiting() {
  return (
    <AuthFrame title="Waiting for Approval" footer="Close this page and come back later">
      <Notice>You are signed in. An admin has to approve your request under Settings › Members.</Notice>
      <LinkButton to="/api/login" reloadDocument variant="primary" size="lg" icon={<Hourglass />}>
        Check Again
      </LinkButton>
    </AuthFrame>
  );
}
