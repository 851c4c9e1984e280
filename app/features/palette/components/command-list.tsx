import { Link } from "@remix-run/react";
import { SearchX } from "lucide-react";
import { type Command, matchCommands } from "./commands";
import { Keys } from "./keys";

const GROUPS = ["Actions", "Navigation"] as const;

/** The palette as a page: the commands that a query finds, in their two groups. */
export function CommandList({ query }: { query: string }) {
  const found = matchCommands(query);
  if (found.length === 0) {
    return (
      <p className="flex flex-col items-center gap-3 py-12 text-muted">
        <SearchX aria-hidden="true" className="size-5" />
        No results found.
      </p>
    );
  }
  return (
    <>
      {GROUPS.map((group) => (
        <Group key={group} name={group} commands={found.filter((command) => command.group === group)} />
      ))}
    </>
  );
}

function Group({ name, commands }: { name: string; commands: Command[] }) {
  if (commands.length === 0) return null;
  return (
    <section className="mt-4" aria-label={name}>
      <h2 className="px-2 pb-1 text-muted text-xs">{name}</h2>
      <ul>
        {commands.map((command) => (
          <li key={command.id}>
            <Link
              to={command.to}
              className="flex min-h-10 items-center gap-3 rounded-md px-2 hover:bg-hover pointer-coarse:min-h-11"
            >
              <command.icon aria-hidden="true" className="size-4 text-muted" />
              <span className="min-w-0 flex-1 truncate">{command.name}</span>
              <Keys command={command} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
