import { Form, Link, useLoaderData } from "@remix-run/react";
import { Search, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { type Command, FOUND_GROUPS, FOUND_ICONS } from "~/console/palette/components/commands";
import { Keys, Shortcuts } from "~/console/palette/components/keys";
import { matchCommands } from "~/console/palette/components/match-commands";
import type { FoundItem } from "~/console/palette/find.schema";
import { findItems, findRecent, listMissingNeeds } from "~/console/palette/find.service.server";
import { screen } from "~/http/screen.server";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { HiddenFields, Input } from "~/ui/input";
import { PageHeader, pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Search");

const { loader } = screen({
  access: "signed-in",
  load: async ({ actor, url }) => {
    const query = (url.searchParams.get("q") ?? "").slice(0, 200).toWellFormed();
    return {
      query,
      missingNeeds: listMissingNeeds(actor),
      items: await findItems(actor, query),
      recent: query.trim() === "" ? findRecent(actor) : [],
    };
  },
});

export { loader };

export default function SearchPage() {
  const loaded = useLoaderData<typeof loader>();
  const { query } = loaded;
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
      <CommandList {...loaded} />
      <Shortcuts />
    </div>
  );
}

const GROUPS = ["Actions", "Navigation"] as const;

type Loaded = Awaited<ReturnType<typeof loader>>;

function CommandList({ query, missingNeeds, items, recent }: Loaded) {
  const commands = matchCommands(query, missingNeeds);
  if (commands.length + items.length === 0) {
    return (
      <p className="flex flex-col items-center gap-3 py-12 text-muted">
        <SearchX aria-hidden="true" className="size-5" />
        No results found.
      </p>
    );
  }
  return (
    <>
      <ItemGroup name="Recent" items={recent} />
      {GROUPS.map((group) => (
        <CommandGroup
          key={group}
          name={group}
          commands={commands.filter((command) => command.group === group)}
        />
      ))}
      {FOUND_GROUPS.map(([kind, label]) => (
        <ItemGroup key={kind} name={label} items={items.filter((item) => item.kind === kind)} />
      ))}
    </>
  );
}

function ItemGroup({ name, items }: { name: string; items: readonly FoundItem[] }) {
  return (
    <Group name={name}>
      {items.map(({ kind, id, title, to }) => {
        const Icon = FOUND_ICONS[kind];
        return (
          <Row key={id} to={to}>
            <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
            <span className="min-w-0 truncate">{title}</span>
          </Row>
        );
      })}
    </Group>
  );
}

function CommandGroup({ name, commands }: { name: string; commands: readonly Command[] }) {
  return (
    <Group name={name}>
      {commands.map((command) => (
        <Row key={command.id} {...command}>
          <command.icon aria-hidden="true" className="size-4 text-muted" />
          <span className="min-w-0 flex-1 truncate">{command.name}</span>
          <Keys command={command} />
        </Row>
      ))}
    </Group>
  );
}

function Group({ name, children }: { name: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <section className="mt-4" aria-label={name}>
      <h2 className="px-2 pb-1 text-muted text-xs">{name}</h2>
      <ul>{children}</ul>
    </section>
  );
}

const ROW = "flex min-h-10 w-full items-center gap-3 rounded-md px-2 hover:bg-hover pointer-coarse:min-h-11";

interface RowProps extends Pick<Command, "to" | "values" | "leaves"> {
  children: ReactNode;
}

function Row({ to, values, leaves = false, children }: RowProps) {
  return (
    <li>
      {values ? (
        <Form method="post" action={to} reloadDocument={leaves}>
          <HiddenFields values={leaves ? values : { ...values, returnTo: "/search" }} />
          <button type="submit" className={cx(ROW, "text-start")}>
            {children}
          </button>
        </Form>
      ) : (
        <Link to={to} className={ROW}>
          {children}
        </Link>
      )}
    </li>
  );
}
