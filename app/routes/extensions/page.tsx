import { useLoaderData } from "@remix-run/react";
import { Puzzle } from "lucide-react";
import { may, refusal } from "~/features/members/authorisation.server";
import { screen } from "~/http/screen.server";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

export const meta = titled("Plugin Marketplace");

const { loader } = screen({
  access: "signed-in",
  load: ({ actor }) => ({ refusal: may(actor, "plugins.manage") ? undefined : refusal("plugins.manage") }),
});

export { loader };

export default function Extensions() {
  const { refusal } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title="Plugin Marketplace"
        subtitle="Install extensions that add tools to chat, personas and workflows"
      />
      <EmptyState icon={<Puzzle />} title="No plugins installed" description={refusal} />
    </>
  );
}
