import { Form, useRevalidator } from "@remix-run/react";
import { ArrowDown, ArrowUp, ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { IconButton, LinkButton } from "~/ui/button";
import { problemDetail, UNREACHABLE } from "~/ui/failures";
import { formatCount } from "~/ui/format";
import { showToast } from "~/ui/toast-store";
import type { Document } from "../documents.schema";
import type { ListView } from "../screens/rag-screen.schema";
import { listAddress, ragAddress, useChangesAddress } from "./addresses";
import { DocumentList } from "./document-list";
import { DocumentRow, type RowDragging } from "./document-row";
import type { Group } from "./pending-change";

async function saveOrder(body: object): Promise<string | undefined> {
  try {
    const response = await fetch(withBase("/api/rag/reorder"), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return response.ok ? undefined : await problemDetail(response);
  } catch {
    return UNREACHABLE;
  }
}

interface Ordered {
  ids: readonly string[];
  /** The loaded documents that the order applies to; null while it is being saved. */
  appliesTo: readonly Document[] | null;
}

/**
 * An optimistic order of documents, reverted if the server refuses it.
 * @param after the document before the first one shown
 */
function useOrder(category: string, loaded: readonly Document[], after: string | undefined) {
  const { revalidate } = useRevalidator();
  const [ordered, setOrdered] = useState<Ordered>();
  const latest = useRef(loaded);
  useEffect(() => {
    latest.current = loaded;
  }, [loaded]);
  // Saves run in sequence, so that the last order wins.
  const saving = useRef({ last: Promise.resolve(), count: 0 });
  const reorder = (ids: readonly string[]) => {
    setOrdered({ ids, appliesTo: null });
    const queue = saving.current;
    queue.count += 1;
    queue.last = queue.last.then(async () => {
      const problem = await saveOrder({ category, order: ids, after });
      queue.count -= 1;
      if (problem) showToast({ kind: "error", title: "Couldn't save the order", description: problem });
      if (problem) setOrdered(undefined);
      else if (queue.count === 0) setOrdered({ ids, appliesTo: latest.current });
      revalidate();
    });
  };
  const ids =
    ordered && (ordered.appliesTo === null || ordered.appliesTo === loaded) ? ordered.ids : undefined;
  return { documents: ids ? inOrder(loaded, ids) : loaded, reorder };
}

function inOrder(documents: readonly Document[], ids: readonly string[]): Document[] {
  const positionOf = (document: Document) => {
    const at = ids.indexOf(document.id);
    return at < 0 ? ids.length : at;
  };
  return [...documents].sort((a, b) => positionOf(a) - positionOf(b));
}

type Direction = "up" | "down";

interface MoveButtonsProps {
  document: Document;
  isFirst: boolean;
  isLast: boolean;
  /** Moves it with JavaScript. @returns false if the form must be submitted instead */
  onMove: (id: string, direction: Direction) => boolean;
}

function MoveButtons({ document, isFirst, isLast, onMove }: MoveButtonsProps) {
  const changes = useChangesAddress();
  const button = (direction: Direction, disabled: boolean) => (
    <IconButton
      name="direction"
      value={direction}
      data-move={`${document.id} ${direction}`}
      label={`Move ${document.name} ${direction}`}
      icon={direction === "up" ? <ArrowUp /> : <ArrowDown />}
      disabled={disabled}
      onClick={(event) => {
        if (onMove(document.id, direction)) event.preventDefault();
      }}
    />
  );
  return (
    <Form method="post" action={changes} preventScrollReset className="flex">
      <input type="hidden" name="intent" value="move" />
      <input type="hidden" name="id" value={document.id} />
      {button("up", isFirst)}
      {button("down", isLast)}
    </Form>
  );
}

function GroupPages({ group, view }: { group: Group; view: ListView }) {
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

interface DocumentGroupProps {
  group: Group;
  view: ListView;
  categories: readonly string[];
  mayWrite: boolean;
}

export function DocumentGroup({ group, view, categories, mayWrite }: DocumentGroupProps) {
  const { category, after, next } = group;
  const { documents, reorder } = useOrder(category.name, group.documents, after);
  const [announcement, setAnnouncement] = useState("");
  const list = useRef<HTMLDivElement>(null);
  // A filtered or sorted list can't be reordered.
  const sortable = mayWrite && !view.find && !view.status && !view.sort;
  const move = (id: string, direction: Direction) => {
    const ids = documents.map((document) => document.id);
    const at = ids.indexOf(id);
    const to = at + (direction === "up" ? -1 : 1);
    // The neighbor is on another page, so the server must move it.
    if (to < 0 || to >= ids.length) return false;
    [ids[at], ids[to]] = [ids[to] ?? id, id];
    reorder(ids);
    setAnnouncement(`${documents[at]?.name} moved ${direction}.`);
    keepFocus(list.current, id, direction);
    return true;
  };
  const row = (document: Document, index: number, { handle, ...dragging }: RowDragging) => (
    <DocumentRow
      document={document}
      categories={categories}
      mayWrite={mayWrite}
      dragging={sortable ? { handle, ...dragging } : {}}
      moves={
        sortable && (
          <MoveButtons
            document={document}
            isFirst={!after && index === 0}
            isLast={!next && index === documents.length - 1}
            onMove={move}
          />
        )
      }
    />
  );
  return (
    <details open className="group min-w-0 rounded-lg border border-line bg-surface shadow-card">
      <summary className="flex min-h-11 items-center gap-2 rounded-lg px-3 py-2 hover:bg-hover">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
        <h3 className="wrap-anywhere min-w-0 text-sm">{category.name}</h3>
        <GroupCount value={category.documents} />
      </summary>
      <div ref={list}>
        <DocumentList
          id={category.id}
          documents={documents}
          sortable={sortable}
          onOrder={reorder}
          renderRow={row}
        />
      </div>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <GroupPages group={group} view={view} />
    </details>
  );
}

export function GroupCount({ value }: { value: number }) {
  return (
    <span className="rounded-full bg-active px-2 py-0.5 text-muted text-xs tabular-nums">
      {formatCount(value)}
      <span className="sr-only"> {value === 1 ? "document" : "documents"}</span>
    </span>
  );
}

function keepFocus(list: HTMLElement | null, id: string, direction: Direction): void {
  requestAnimationFrame(() => {
    const button = (way: Direction) =>
      list?.querySelector<HTMLButtonElement>(`[data-move="${CSS.escape(`${id} ${way}`)}"]:not(:disabled)`);
    (button(direction) ?? button(direction === "up" ? "down" : "up"))?.focus();
  });
}
