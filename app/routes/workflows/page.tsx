import type { LoaderFunctionArgs } from "@remix-run/node";
import { Workflow } from "lucide-react";
import { requireScreenActor } from "~/http/authentication.server";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

export const meta = titled("Workflows");

export function loader({ request, context }: LoaderFunctionArgs) {
  requireScreenActor(request, context);
  return null;
}

export default function Workflows() {
  return (
    <>
      <PageHeader title="Workflows" subtitle="Automations that run by hand, on a schedule or on a webhook" />
      <EmptyState icon={<Workflow />} title="No workflows yet" />
    </>
  );
}
