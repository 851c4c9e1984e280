import { Puzzle } from "lucide-react";
import { screen } from "~/http/screen.server";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

export const meta = titled("Plugin Marketplace");

const { loader } = screen({ access: "signed-in" });

export { loader };

export default function Extensions() {
  return (
    <>
      <PageHeader
        title="Plugin Marketplace"
        subtitle="Install extensions that add tools to chat, personas and workflows"
      />
      <EmptyState icon={<Puzzle />} title="No plugins installed" />
    </>
  );
}
