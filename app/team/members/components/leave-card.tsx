import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";

export function LeaveCard() {
  return (
    <Card
      id="leave-organization"
      title="Leave Organization"
      description="Remove your account and decide what happens to what you own."
      footer={
        <LinkButton to="?dialog=leave" preventScrollReset>
          Leave Organization
        </LinkButton>
      }
    />
  );
}
