import { LinkButton } from "~/ui/button";
import { formatCount } from "~/ui/format";
import type { ListView } from "../screens/rag-screen.schema";
import { listAddress, ragAddress } from "./addresses";
import type { Group } from "./pending-change";

export function GroupPages({ group, view }: { group: Group; view: ListView }) {
  const { category, next } = group;
  const isOnlyGroup = view.group === category.name;
  if (!next && !view.cursor) return null;
  return (
    <nav
      aria-label={`Pages of ${category.name}`}
      className="flex flex-wrap items-center gap-2 border-line border-t px-3 py-2.5"
    >
      {isOnlyGroup && view.cursor && (
        <LinkButton size="sm" to={listAddress(view, {})}>
          First Page
        </LinkButton>
      )}
      {next && (
        <LinkButton
          size="sm"
          to={isOnlyGroup ? ragAddress(view, { cursor: next }) : listAddress(view, { group: category.name })}
        >
          {isOnlyGroup ? "Next Page" : `Show All ${formatCount(category.documents)} Documents`}
          <span className="sr-only"> of {category.name}</span>
        </LinkButton>
      )}
    </nav>
  );
}
