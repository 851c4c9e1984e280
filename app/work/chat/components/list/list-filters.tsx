import { Form, Link } from "@remix-run/react";
import { FolderPlus, Search } from "lucide-react";
import { Button, LinkButton } from "~/ui/button";
import { Input } from "~/ui/input";
import type { ConversationFolder } from "../../list/list.schema";

interface ListFiltersProps {
  q: string;
  folder: string | undefined;
  archived: boolean;
  deleted: boolean;
  folders: readonly ConversationFolder[];
  newFolderTo: string;
}

const CHIP =
  "inline-flex min-h-8 max-w-48 items-center rounded-full border border-line bg-raised px-3 text-sm hover:bg-hover aria-[current]:border-primary-ink aria-[current]:bg-primary-soft aria-[current]:text-primary-ink pointer-coarse:min-h-11";

export function ListFilters({ q, folder, archived, deleted, folders, newFolderTo }: ListFiltersProps) {
  const chips = [
    { label: "All", to: "/chat/all", isCurrent: q === "" && !folder && !archived && !deleted },
    ...folders.map(({ id, name }) => ({
      label: name,
      to: `/chat/all?folder=${id}`,
      isCurrent: q === "" && folder === id,
    })),
    { label: "Archived", to: "/chat/all?archived=true", isCurrent: q === "" && archived },
    { label: "Recently Deleted", to: "/chat/all?deleted=true", isCurrent: q === "" && deleted },
  ];
  return (
    <div className="mb-4 flex flex-col gap-3">
      <Form role="search" aria-label="Messages" action="/chat/all" className="flex max-w-xl gap-2">
        <Input
          key={q}
          type="search"
          name="q"
          defaultValue={q}
          maxLength={200}
          aria-label="Search your messages"
          placeholder="Search your messages"
        />
        <Button icon={<Search aria-hidden="true" />}>Search</Button>
      </Form>
      <div className="flex flex-wrap items-center gap-2">
        <ul aria-label="Filters" className="contents">
          {chips.map(({ label, to, isCurrent }) => (
            <li key={to} className="min-w-0">
              <Link to={to} aria-current={isCurrent ? "true" : undefined} className={CHIP}>
                <span className="truncate">{label}</span>
              </Link>
            </li>
          ))}
        </ul>
        <LinkButton to={newFolderTo} size="sm" variant="ghost" icon={<FolderPlus />} preventScrollReset>
          New Folder
        </LinkButton>
      </div>
    </div>
  );
}
