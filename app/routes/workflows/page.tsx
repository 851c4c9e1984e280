import { Workflow } from "lucide-react";
import { screen } from "~/http/screen.server";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

export const meta = titled("Workflows");

const { loader } = screen({ access: "signed-in" });

export { loader };

export default function Workflows() {
  return (
    <>
      <PageHeader title="Workflows" subtitle="Automations that run by hand, on a schedule or on a webhook" />
      <EmptyState icon={<Workflow />} title="No workflows yet" />
    </>
  );
}
