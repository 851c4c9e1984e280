import type { LoaderFunctionArgs } from "@remix-run/node";
import { Puzzle } from "lucide-react";
import { requireScreenActor } from "~/http/authentication.server";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

export const meta = titled("Plugin Marketplace");

export function loader({ request, context }: LoaderFunctionArgs) {
  requireScreenActor(request, context);
  return null;
}

export default function Extensions() {
  return (
    <>
      <PageHeader
        title="Plugin Marketplace"
        subtitle="Extensions that add tools to chat, personas and workflows"
      />
      <EmptyState icon={<Puzzle />} title="No plugins installed" />
    </>
  );
}
