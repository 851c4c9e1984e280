import { Form, useLoaderData } from "@remix-run/react";
import { Search } from "lucide-react";
import { CommandList } from "~/console/palette/components/command-list";
import { Shortcuts } from "~/console/palette/components/shortcut-list";
import { findItems, findRecent, listMissingPermissions } from "~/console/palette/find.service.server";
import { screen } from "~/http/screen.server";
import { Button } from "~/ui/button";
import { Input } from "~/ui/input";
import { PageHeader, pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Search");

const { loader } = screen({
  access: "signed-in",
  load: async ({ actor, url }) => {
    const query = (url.searchParams.get("q") ?? "").slice(0, 200).toWellFormed();
    return {
      query,
      missingPermissions: listMissingPermissions(actor),
      items: await findItems(actor, query),
      recent: query.trim() === "" ? findRecent(actor) : [],
    };
  },
});

export { loader };

export default function SearchPage() {
  const { query, missingPermissions, items, recent } = useLoaderData<typeof loader>();
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title="Search"
        subtitle="Find commands, conversations, documents, personas, models and settings"
      />
      <Form role="search" className="flex gap-2">
        <Input
          key={query}
          type="search"
          name="q"
          defaultValue={query}
          maxLength={200}
          placeholder="Type a command or search..."
          aria-label="Type a command or search"
        />
        <Button variant="primary" icon={<Search aria-hidden="true" />}>
          Search
        </Button>
      </Form>
      <CommandList query={query} missingPermissions={missingPermissions} items={items} recent={recent} />
      <Shortcuts />
    </div>
  );
}
