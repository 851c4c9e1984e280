import { Link } from "@remix-run/react";
import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import type { FoundItem } from "../find.schema";
import { type Command, FOUND_GROUPS, FOUND_ICONS, matchCommands } from "./commands";
import { Keys } from "./keys";

const GROUPS = ["Actions", "Navigation"] as const;

interface CommandListProps {
  query: string;
  missingPermissions: readonly string[];
  items: readonly FoundItem[];
  recent: readonly FoundItem[];
}

export function CommandList({ query, missingPermissions, items, recent }: CommandListProps) {
  const commands = matchCommands(query, missingPermissions);
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
      {items.map(({ kind, id, title, to }) => (
        <Row key={id} to={to}>
          <ItemIcon kind={kind} />
          <span className="min-w-0 truncate">{title}</span>
        </Row>
      ))}
    </Group>
  );
}

function ItemIcon({ kind }: Pick<FoundItem, "kind">) {
  const Icon = FOUND_ICONS[kind];
  return <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />;
}

function CommandGroup({ name, commands }: { name: string; commands: readonly Command[] }) {
  return (
    <Group name={name}>
      {commands.map((command) => (
        <Row key={command.id} to={command.to}>
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

function Row({ to, children }: { to: string; children: ReactNode }) {
  return (
    <li>
      <Link
        to={to}
        className="flex min-h-10 items-center gap-3 rounded-md px-2 hover:bg-hover pointer-coarse:min-h-11"
      >
        {children}
      </Link>
    </li>
  );
}
