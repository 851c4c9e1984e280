import type { LoaderFunctionArgs } from "@remix-run/node";
import { Brain } from "lucide-react";
import { requireScreenActor } from "~/http/authentication.server";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

export const meta = titled("RAG & Memory");

export function loader({ request, context }: LoaderFunctionArgs) {
  requireScreenActor(request, context);
  return null;
}

export default function RagAndMemory() {
  return (
    <>
      <PageHeader title="RAG & Memory" subtitle="Documents that models can search and quote" />
      <EmptyState icon={<Brain />} title="No documents yet" />
    </>
  );
}
