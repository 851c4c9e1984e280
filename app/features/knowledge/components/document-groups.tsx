import { ArrowLeft, Brain, FileSearch, FileUp } from "lucide-react";
import { memo, useRef } from "react";
import { LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useKeptFocus } from "~/ui/use-kept-focus";
import type { ListView } from "../rag-screen.schema";
import { listAddress, ragAddress } from "./addresses";
import { DocumentFilter } from "./document-filter";
import { DocumentGroup, GroupCount } from "./document-group";
import type { Group } from "./group";

interface DocumentGroupsProps {
  groups: Group[];
  /** All of the organisation's categories, for the dropdowns. */
  categories: readonly string[];
  view: ListView;
  /** Documents there are to see, without the filter. */
  total: number;
  mayWrite: boolean;
}

/** The documents by category. Drawn again only when they change: a long list may still be hydrated when files are chosen. */
export const DocumentGroups = memo(function DocumentGroups({
  groups,
  categories,
  view,
  total,
  mayWrite,
}: DocumentGroupsProps) {
  const filled = groups.filter(({ category }) => category.documents > 0);
  const filtered = view.find !== "" || view.status !== "";
  const box = useRef<HTMLElement>(null);
  // A document that moves to another category is drawn anew there, and the filter's dropdown with another status.
  useKeptFocus(box, groups);
  return (
    <section ref={box} aria-labelledby="documents" className="flex min-w-0 flex-col gap-3">
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="documents" className="scroll-mt-20 text-md">
          Documents
        </h2>
        {total > 0 && <DocumentFilter view={view} />}
      </header>
      {view.group && (
        <LinkButton
          size="sm"
          variant="ghost"
          to={listAddress(view, { group: "" })}
          icon={<ArrowLeft aria-hidden="true" />}
          className="-ml-2 self-start"
        >
          All categories
        </LinkButton>
      )}
      {total === 0 ? (
        <NoDocuments view={view} mayWrite={mayWrite} />
      ) : filled.length === 0 ? (
        <EmptyState
          icon={<FileSearch />}
          title="No documents found"
          description={
            filtered ? "No document's name and status match the filter." : "This category is empty."
          }
          action={
            <LinkButton to={listAddress(view, { find: "", status: "", group: "" })} preventScrollReset>
              Show all documents
            </LinkButton>
          }
        />
      ) : (
        filled.map((group) => (
          <DocumentGroup
            key={group.category.id}
            group={group}
            view={view}
            categories={categories}
            mayWrite={mayWrite}
          />
        ))
      )}
      {total > 0 && !filtered && !view.group && (
        <EmptyGroups groups={groups.filter(({ category }) => category.documents === 0)} />
      )}
    </section>
  );
});

function NoDocuments({ view, mayWrite }: Pick<DocumentGroupsProps, "view" | "mayWrite">) {
  return (
    <EmptyState
      icon={<Brain />}
      title="No documents yet"
      description={
        mayWrite
          ? "Drop files here or ingest a text or a URL: from then on search and chat answer from them, with their sources."
          : "Once a member has ingested documents, you can search them here."
      }
      action={
        mayWrite && (
          <LinkButton
            to={ragAddress(view, { dialog: "ingest", tab: "file" })}
            preventScrollReset
            variant="primary"
            icon={<FileUp aria-hidden="true" />}
          >
            Ingest Document
          </LinkButton>
        )
      }
    />
  );
}

/** Categories without a document, in a few quiet lines. */
function EmptyGroups({ groups }: { groups: readonly Group[] }) {
  if (groups.length === 0) return null;
  return (
    <section
      aria-labelledby="empty-categories"
      className="rounded-lg border border-line border-dashed px-3 py-2.5"
    >
      <h3 id="empty-categories" className="font-medium text-muted text-xs">
        Empty categories
      </h3>
      <ul className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1">
        {groups.map(({ category }) => (
          <li key={category.id} className="flex min-w-0 items-center gap-1.5 text-muted">
            <span className="wrap-anywhere">{category.name}</span>
            <GroupCount value={0} />
          </li>
        ))}
      </ul>
    </section>
  );
}
