import { Form, Link, useNavigation, useSubmit } from "@remix-run/react";
import { ArrowLeft, Brain, FileSearch, FileUp, FolderInput, RotateCcw, Trash2 } from "lucide-react";
import { memo, type ReactNode, useEffect, useMemo, useRef } from "react";
import { Button, LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { Select } from "~/ui/input";
import { SelectionArea } from "~/ui/row-selection";
import { SearchInput } from "~/ui/search-input";
import { useRestoredFocus } from "~/ui/use-restored-focus";
import type { CollectionStats as Stats } from "../documents.schema";
import type { ListView } from "../screens/rag-screen.schema";
import { listAddress, ragAddress, useChangesAddress } from "./addresses";
import { CollectionStats } from "./collection-stats";
import { DeletedDocuments, type DeletedPage } from "./deleted-documents";
import { DocumentGroup, GroupCount } from "./document-group";
import { applyPending, type Group } from "./pending-change";

/** Delay before typed text is searched (ms). */
const SEARCH_DELAY = 200;

function DocumentFilter({ view }: { view: ListView }) {
  const submit = useSubmit();
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    const { current } = field;
    // While someone types, the address lags behind the field.
    if (current && current !== document.activeElement) current.value = view.find;
  }, [view.find]);
  const otherFilters = { group: view.group, status: view.status, batch: view.batch };
  return (
    <Form
      method="get"
      action="/rag"
      preventScrollReset
      aria-label="Filter documents"
      className="flex min-w-0 flex-1 basis-80 items-center gap-2 sm:max-w-[28rem]"
      onSubmit={() => clearTimeout(timer.current)}
    >
      {Object.entries(otherFilters).map(
        ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
      )}
      <SearchInput
        ref={field}
        name="find"
        aria-label="Name"
        placeholder="Filter by name..."
        defaultValue={view.find}
        onChange={({ currentTarget: { form } }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(
            () => submit(form, { replace: true, preventScrollReset: true }),
            SEARCH_DELAY,
          );
        }}
        className="min-w-0 flex-1"
      />
      <Select
        key={view.sort}
        name="sort"
        aria-label="Order"
        defaultValue={view.sort}
        onChange={({ currentTarget: { form } }) => {
          clearTimeout(timer.current);
          submit(form, { replace: true, preventScrollReset: true });
        }}
        className="w-36 shrink-0"
      >
        <option value="">Own order</option>
        <option value="name">By name</option>
        <option value="newest">Newest first</option>
        <option value="changed">Last changed</option>
      </Select>
      <Button className="scripted:hidden">Filter</Button>
      {(view.find || view.status) && (
        <Link
          to={listAddress(view, { find: "", status: "" })}
          preventScrollReset
          className="inline-flex min-h-8 items-center px-1 text-primary-ink underline-offset-4 hover:underline pointer-coarse:min-h-11"
        >
          Clear
        </Link>
      )}
    </Form>
  );
}

interface DocumentGroupsProps {
  groups: readonly Group[];
  /** In place of the groups. */
  deleted: DeletedPage | undefined;
  categories: readonly string[];
  view: ListView;
  stats: Stats;
  mayWrite: boolean;
}

/** Memoized: a long list may still be hydrating when files are chosen. */
export const DocumentGroups = memo(function DocumentGroups({
  groups: loaded,
  deleted,
  categories,
  view,
  stats,
  mayWrite,
}: DocumentGroupsProps) {
  const { formData } = useNavigation();
  const changes = useChangesAddress();
  const groups = useMemo(() => applyPending(loaded, formData), [loaded, formData]);
  const nonEmpty = groups.filter(({ category }) => category.documents > 0);
  const filtered = view.find !== "" || view.status !== "" || view.batch !== "";
  const box = useRef<HTMLElement>(null);
  // Moving a document to another category remounts it.
  useRestoredFocus(box, groups);
  return (
    <section ref={box} aria-labelledby="documents" className="flex min-w-0 flex-col gap-3">
      <h2 id="documents" className="sr-only scroll-mt-20">
        Documents
      </h2>
      <header className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <CollectionStats stats={stats} view={view} mayWrite={mayWrite} />
        {stats.total > 0 && !deleted && <DocumentFilter view={view} />}
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
      {deleted ? (
        <DeletedDocuments {...deleted} view={view} />
      ) : stats.total === 0 && !filtered && !view.group ? (
        <NoDocuments view={view} mayWrite={mayWrite} />
      ) : nonEmpty.length === 0 ? (
        <EmptyState
          icon={<FileSearch />}
          title={view.group && !filtered ? `No documents in "${view.group}"` : "No documents found"}
          description={
            filtered
              ? "No documents match these filters."
              : "Add documents to this category, or move some here."
          }
          action={
            <LinkButton
              to={listAddress(view, { find: "", status: "", group: "", batch: "" })}
              preventScrollReset
            >
              Show All Documents
            </LinkButton>
          }
        />
      ) : (
        <Selectable post={changes} categories={categories} mayWrite={mayWrite}>
          {nonEmpty.map((group) => (
            <DocumentGroup
              key={group.category.id}
              group={group}
              view={view}
              categories={categories}
              mayWrite={mayWrite}
            />
          ))}
        </Selectable>
      )}
      {stats.total > 0 && !filtered && !view.group && (
        <EmptyGroups groups={groups.filter(({ category }) => category.documents === 0)} />
      )}
    </section>
  );
});

interface SelectableProps {
  post: string;
  categories: readonly string[];
  mayWrite: boolean;
  children: ReactNode;
}

function Selectable({ post, categories, mayWrite, children }: SelectableProps) {
  const lists = <div className="flex flex-col gap-3">{children}</div>;
  if (!mayWrite) return lists;
  const button = (
    intent: string,
    label: string,
    icon: ReactNode,
    more?: { className?: string; "data-asks"?: string },
  ) => (
    <Button size="sm" variant="ghost" name="intent" value={intent} icon={icon} {...more}>
      {label}
    </Button>
  );
  return (
    <SelectionArea
      noun="document"
      post={post}
      bar={
        <>
          <Select name="category" aria-label="Category to move to" defaultValue="" className="w-40">
            <option value="">Move to…</option>
            {categories.map((category) => (
              <option key={category}>{category}</option>
            ))}
          </Select>
          {button("move-selected", "Move", <FolderInput aria-hidden="true" />)}
          {button("retry-selected", "Retry", <RotateCcw aria-hidden="true" />, {
            className: "selection-retry",
          })}
          {button("delete-selected", "Delete", <Trash2 aria-hidden="true" />, { "data-asks": "Delete" })}
        </>
      }
    >
      {lists}
    </SelectionArea>
  );
}

function NoDocuments({ view, mayWrite }: Pick<DocumentGroupsProps, "view" | "mayWrite">) {
  return (
    <EmptyState
      icon={<Brain />}
      title="No documents yet"
      description={
        mayWrite
          ? "Drop files here, or ingest text or a URL. Search and chat can then use them and cite sources."
          : "You can search documents here once a member has added some."
      }
      action={
        mayWrite && (
          <LinkButton
            to={ragAddress(view, { dialog: "ingest", tab: "file" })}
            preventScrollReset
            icon={<FileUp aria-hidden="true" />}
          >
            Ingest Document
          </LinkButton>
        )
      }
    />
  );
}

function EmptyGroups({ groups }: { groups: readonly Group[] }) {
  if (groups.length === 0) return null;
  return (
    <section
      aria-labelledby="empty-categories"
      className="rounded-lg border border-line border-dashed px-3 py-2.5"
    >
      <h3 id="empty-categories" className="font-medium text-muted text-xs">
        Empty Categories
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
