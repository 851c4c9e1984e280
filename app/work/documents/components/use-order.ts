import { useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { problemDetail, UNREACHABLE } from "~/ui/problem-detail";
import { showToast } from "~/ui/toast-store";
import type { Document } from "../documents.schema";

async function saveOrder(body: object): Promise<string | undefined> {
  try {
    const response = await fetch("/api/rag/reorder", {
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
export function useOrder(category: string, loaded: readonly Document[], after: string | undefined) {
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
